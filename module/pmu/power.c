// SPDX-License-Identifier: GPL-2.0-only
/*
 * PMU description "power": POWER8 to POWER11.  The register map is perfmon_power.h.
 *
 * The manual is the Power ISA, Book III, chapter "Performance Monitor Facility".
 * Where it does not specify something, such as the order of register writes, this
 * file follows the kernel's arch/powerpc/perf.
 *
 * One register, MMCR0, halts and enables all counters and their interrupt, so a start or a
 * stop is one write. A counter overflows when its bit 31 becomes 1 (bit 0 in the manual's
 * numbering), and the bit stays 1. So this bit is the overflow flag, and the other 31 bits count.
 *
 * While the hardware is ours, MMCR0[PMCC] keeps programs from reading the registers.  We write
 * every register before anything counts, so that our users never see values of earlier users or of
 * other threads.
 */
#include <asm/cputable.h>
#include <asm/reg.h>
#include <asm/synch.h>
#include <asm/time.h>
#include <linux/module.h>

#include "perfmon_pmu.h"
#include "power.h"
#include <perfmon/perfmon_power.h>

#define OVERFLOWED   BIT(31)
#define COUNTER_MASK (OVERFLOWED - 1)

/* bitmaps of PMDs */
#define PMC1	     BIT(PFM_POWER_PMC1)
#define PMC4	     BIT(4)
#define PMC1_TO_4    GENMASK(4, 1)
#define PMC2_TO_6    GENMASK(6, 2)
#define PMC5_AND_6   GENMASK(6, 5)
#define PMC1_TO_6    GENMASK(6, 1)

#ifndef PVR_POWER11 /* since Linux 6.10; POWER11 has POWER10's PMU */
#define PVR_POWER11 0x0082
#endif

/* MMCR0[PMCC] = 01: user level (problem state) can neither read nor write the registers. */
#define MMCR0_PMCC_NONE 0x00040000ul
#define MMCR0_OF_USER                                                                    \
	(PFM_POWER_MMCR0_FCS | PFM_POWER_MMCR0_FCP | PFM_POWER_MMCR0_CC56RUN |           \
	 PFM_POWER_MMCR0_FC14 | PFM_POWER_MMCR0_FC56 | PFM_POWER_MMCR0_FCH)

/* All FCS(n) bits.  FCH(n) is MMCR2_FCS_TO_FCH bits below FCS(n). */
#define MMCR2_FCS_ALL                                                                    \
	(PFM_POWER_MMCR2_FCS(1) | PFM_POWER_MMCR2_FCS(2) | PFM_POWER_MMCR2_FCS(3) |      \
	 PFM_POWER_MMCR2_FCS(4) | PFM_POWER_MMCR2_FCS(5) | PFM_POWER_MMCR2_FCS(6))
#define MMCR2_FCS_TO_FCH     6
#define MMCR2_FCH_ALL	     (MMCR2_FCS_ALL >> MMCR2_FCS_TO_FCH)

/*
 * The fields of MMCRA that users may write: sampling mode, SDAR mode and threshold.  Users may not
 * write the fields of the branch history buffer.  The threshold field has different bits in each
 * version of the architecture.
 */
#define MMCRA_SAMPLING	     (GENMASK_ULL(6, 0) | GENMASK_ULL(18, 8))
#define MMCRA_SDAR_MODE	     GENMASK_ULL(43, 42)
#define MMCRA_THRESHOLD_207  GENMASK_ULL(41, 32) /* POWER8 */
#define MMCRA_THRESHOLD_300  GENMASK_ULL(54, 45) /* POWER9 */
#define MMCRA_THRESHOLD_31   GENMASK_ULL(55, 45) /* POWER10 */

#define MMCR2_FREEZE	     GENMASK_ULL(63, 10)
#define MMCR2_L2L3_SELECT_31 GENMASK_ULL(7, 3)
#define MMCR3_SOURCES	     GENMASK_ULL(63, 4)

static struct pfm_pmu power_pmu;

struct power_machine power_machine;
static bool has_banks;
static bool kernel_is_hypervisor;

static u32 read_counter(unsigned int n)
{
#define READ_CASE(number)                                                                \
	case number:                                                                     \
		return mfspr(SPRN_PMC##number);
	switch (n) {
		FOR_EACH_COUNTER(READ_CASE)
	}
	return 0;
}

static void write_counter(unsigned int n, u32 value)
{
#define WRITE_CASE(number)                                                               \
	case number:                                                                     \
		mtspr(SPRN_PMC##number, value);                                          \
		break;
	switch (n) {
		FOR_EACH_COUNTER(WRITE_CASE)
	}
}

/*
 * After this function no counter counts.  The write also clears PMAO, which cancels a pending
 * interrupt.  The overflow that raised the interrupt stays in the counter.
 */
static void freeze(void)
{
	mtspr(SPRN_MMCR0, power_machine.frozen_mmcr0);
	isync();
}

/*
 * The kernel's privilege state determines which bit stops the counters while the kernel runs.
 * Under a hypervisor the kernel runs in privileged state, and the bit is FCS.  On bare metal the
 * kernel runs in hypervisor state, so FCS is turned into FCH.  An FCH bit that the user has set is
 * dropped: the user means a hypervisor below the kernel, but the bit would freeze the counters
 * while the kernel itself runs.
 */
static u64 freeze_kernel_0(u64 mmcr0)
{
	if (!kernel_is_hypervisor)
		return mmcr0;
	mmcr0 &= ~PFM_POWER_MMCR0_FCH;
	return mmcr0 & PFM_POWER_MMCR0_FCS ? mmcr0 | PFM_POWER_MMCR0_FCH : mmcr0;
}

static u64 freeze_kernel_2(u64 mmcr2)
{
	if (!kernel_is_hypervisor)
		return mmcr2;
	return (mmcr2 & ~MMCR2_FCH_ALL) | (mmcr2 & MMCR2_FCS_ALL) >> MMCR2_FCS_TO_FCH;
}

/* Words of pfm_registers.config. */
enum {
	RUNNING_MMCR0,
	RUNNING_MMCR1,
	RUNNING_MMCR2
};

/*
 * Return: the value of MMCR0 while the set counts.
 *
 * There are two interrupt enable bits: one for PMC1, one for PMC2 to PMC6.  FC56 freezes both PMC5
 * and PMC6.  At an overflow all counters stop at the same moment (FCECE), as with perf_event, so
 * they do not count the interrupt entry.
 */
static u64 running_mmcr0(const struct pfm_registers *registers)
{
	u64 mmcr0 = freeze_kernel_0(registers->pmcs[PFM_POWER_MMCR0]);

	if (!registers->counters)
		return power_machine.frozen_mmcr0;
	mmcr0 = (mmcr0 | power_machine.frozen_mmcr0) & ~MMCR0_FC;
	if (!(registers->counters & PMC5_AND_6))
		mmcr0 |= MMCR0_FC56;
	if (registers->interrupting & PMC1)
		mmcr0 |= MMCR0_PMXE | MMCR0_FCECE | MMCR0_PMC1CE;
	if (registers->interrupting & PMC2_TO_6)
		mmcr0 |= MMCR0_PMXE | MMCR0_FCECE | MMCR0_PMCjCE;
	return mmcr0;
}

/*
 * On POWER9, the events of the L2 and L3 caches (units 6 to 9) are grouped into banks of four
 * events.  The event that is selected for PMC4 also determines the bank of the other counters.
 */
static bool selects_bank(u64 mmcr1)
{
	unsigned int unit = mmcr1 >> PFM_POWER_MMCR1_UNIT_SHIFT(4) & 0xf;

	return has_banks && unit >= 6 && unit <= 9;
}

/*
 * Return: the value of MMCR1 while the set counts.
 *
 * A counter that is not in use must not overflow, because it may share an interrupt
 * enable bit with a counter in use.  So it gets event 0, with which it does not count.
 */
static u64 running_mmcr1(const struct pfm_registers *registers)
{
	u64 mmcr1 = registers->pmcs[PFM_POWER_MMCR1];
	u32 rest, unused = PMC1_TO_4 & ~registers->counters;
	unsigned int n;

	if (selects_bank(mmcr1))
		unused &= ~PMC4;
	pfm_for_each_bit(n, rest, unused)
		mmcr1 &= ~(0xffull << PFM_POWER_MMCR1_SELECT_SHIFT(n));
	return mmcr1;
}

static void power_configure(struct pfm_registers *registers)
{
	u64 *running = registers->config;

	running[RUNNING_MMCR0] = running_mmcr0(registers);
	running[RUNNING_MMCR1] = running_mmcr1(registers);
	running[RUNNING_MMCR2] = freeze_kernel_2(registers->pmcs[PFM_POWER_MMCR2]);
}

/* For a PMC that the user has not written, @registers->pmcs has the default value. */
static void power_write_pmcs(const struct pfm_registers *registers,
			     const struct pfm_registers *programmed)
{
	const u64 *pmcs = registers->pmcs, *running = registers->config;

#define DIFFERS(words, n) (!programmed || programmed->words[n] != registers->words[n])
	if (DIFFERS(pmcs, PFM_POWER_MMCRA))
		mtspr(SPRN_MMCRA, pmcs[PFM_POWER_MMCRA] & ~MMCRA_SAMPLE_ENABLE);
	if (DIFFERS(config, RUNNING_MMCR1))
		mtspr(SPRN_MMCR1, running[RUNNING_MMCR1]);
	if (DIFFERS(config, RUNNING_MMCR2))
		mtspr(SPRN_MMCR2, running[RUNNING_MMCR2]);
	if (power_machine.has_mmcr3 && DIFFERS(pmcs, PFM_POWER_MMCR3))
		mtspr(SPRN_MMCR3, pmcs[PFM_POWER_MMCR3]);
#undef DIFFERS
}

static void power_write_pmds(struct pfm_registers *registers, u64 pmds)
{
	u32 some = pmds;

#define WRITE_IF_ASKED(n)                                                                \
	if (some & BIT(n))                                                               \
		mtspr(SPRN_PMC##n, registers->pmds[n] & COUNTER_MASK);
	FOR_EACH_COUNTER(WRITE_IF_ASKED)
}

/*
 * Return: whether the set samples instructions.  If so, power_start() and power_stop() switch
 * MMCRA_SAMPLE_ENABLE on and off, so that the processor marks instructions only while the set
 * counts.
 */
static bool samples(const struct pfm_registers *registers)
{
	return unlikely(registers->pmcs[PFM_POWER_MMCRA] & MMCRA_SAMPLE_ENABLE);
}

/*
 * Once MMCR0 has been written, an overflow may raise an NMI, whose handler may switch to another
 * set.  In this case MMCRA must have the value of that set when this function returns.
 */
static noinline void start_sampling(struct pfm_registers *registers)
{
	struct pfm_registers *running = registers;

	do {
		registers = running;
		mtspr(SPRN_MMCRA, registers->pmcs[PFM_POWER_MMCRA]);
		barrier();
		running = pfm_running_registers(&power_pmu);
	} while (running && running != registers);
}

static void power_start(struct pfm_registers *registers)
{
	mtspr(SPRN_MMCR0, registers->config[RUNNING_MMCR0]);
	if (samples(registers))
		start_sampling(registers);
	/* No isync is needed, because the interrupt return to the thread has the same effect. */
}

/*
 * On bare metal the CPU may have been idle since the last power_stop().  A deep idle state
 * loses the counters, which the kernel does not save.  It also loses the upper half of
 * MMCR1, because the kernel saves only 32 bits (power9_idle_stop() in powernv/idle.c).
 * So this function writes the PMCs and PMDs of the set again.  A hypervisor, in contrast,
 * preserves all registers.
 */
static void bare_metal_start(struct pfm_registers *registers)
{
	power_write_pmcs(registers, NULL);
	power_write_pmds(registers, registers->used_pmds[0]);
	power_start(registers);
}

/* A counter's value and overflow flag are in the same register, so they agree. */
static u64 power_read(struct pfm_registers *registers, u64 *values)
{
	u32 counters = registers->counters, overflows = 0, counter;

#define READ_IF_USED(n)                                                                  \
	if (counters & BIT(n)) {                                                         \
		counter = mfspr(SPRN_PMC##n);                                            \
		values[n] = pfm_pmd_merge(registers->pmds[n], counter, COUNTER_MASK);    \
		overflows |= counter >> 31 << n;                                         \
	}
	FOR_EACH_COUNTER(READ_IF_USED)
	if (registers->used_pmds[0] & BIT(PFM_POWER_TIMEBASE))
		values[PFM_POWER_TIMEBASE] = mftb();
	return overflows;
}

static u64 power_stop(struct pfm_registers *registers)
{
	freeze();
	if (samples(registers))
		mtspr(SPRN_MMCRA,
		      registers->pmcs[PFM_POWER_MMCRA] & ~MMCRA_SAMPLE_ENABLE);
	return power_read(registers, registers->pmds);
}

static u64 power_overflows(const struct pfm_registers *registers)
{
	u32 counters = registers->counters, overflows = 0;

#define LOOK_IF_USED(n)                                                                  \
	if (counters & BIT(n))                                                           \
		overflows |= (u32)mfspr(SPRN_PMC##n) >> 31 << n;
	FOR_EACH_COUNTER(LOOK_IF_USED)
	return overflows;
}

static void power_acknowledge(struct pfm_registers *registers, u64 counters)
{
	unsigned int n;
	u32 rest;

	pfm_for_each_bit(n, rest, counters)
		write_counter(n, read_counter(n) & COUNTER_MASK);
}

/*
 * Clear overflows of counters that are not in use, because such an overflow would raise the
 * interrupt again and again.  Only the following counters count although they are not in use: PMC5
 * if PMC6 is in use, PMC6 if PMC5 is in use, and PMC4 if its field in MMCR1 selects a bank, see
 * selects_bank().
 */
static void clear_unused_overflows(const struct pfm_registers *registers)
{
	unsigned int n;
	u32 rest;

	pfm_for_each_bit(n, rest, PMC1_TO_6 & ~registers->counters)
		if (read_counter(n) & OVERFLOWED)
			write_counter(n, 0);
}

/*
 * The performance monitor interrupt.  It may come although the kernel has disabled interrupts,
 * because on POWER the kernel only sets a flag in memory to disable them.  In this case the
 * performance monitor interrupt is an NMI.
 *
 * The core may be about to stop the set that has counted.  Then pfm_overflow() returns no set, and
 * the handler only has to freeze the counters: the overflow stays in its counter, and the core
 * finds it there.
 */
void power_interrupt(struct pt_regs *regs)
{
	struct pfm_registers *running;

	freeze();
	running = pfm_overflow(&power_pmu, regs, NULL).next;
	if (!running)
		return;
	clear_unused_overflows(running);
	power_start(running);
}

static struct pfm_pmu_operations power_operations __ro_after_init = {
	.claim = power_claim,
	.release = power_release,
	.configure = power_configure,
	.write_pmcs = power_write_pmcs,
	.write_pmds = power_write_pmds,
	.start = power_start,
	.stop = power_stop,
	.read = power_read,
	.overflows = power_overflows,
	.acknowledge = power_acknowledge,
};

static struct pfm_register power_pmcs[PFM_POWER_PMCS] __ro_after_init = {
	[PFM_POWER_MMCR0] = {
		.name = "MMCR0",
		.type = PFM_REG_NO_EMUL64,
		.default_value = MMCR0_FC,
		.reserved = ~MMCR0_OF_USER,
		.user_set = PFM_POWER_MMCR0_FCS | PFM_POWER_MMCR0_FCH,
		.address = SPRN_MMCR0,
		.counters = PMC1_TO_6,
	},
	[PFM_POWER_MMCR1] = {
		.name = "MMCR1",
		.address = SPRN_MMCR1,
		.counters = PMC1_TO_4,
	},
	[PFM_POWER_MMCRA] = {
		.name = "MMCRA",
		.address = SPRN_MMCRA,
		.counters = PMC1_TO_6,
	},
	[PFM_POWER_MMCR2] = {
		.name = "MMCR2",
		.reserved = ~MMCR2_FREEZE,
		.address = SPRN_MMCR2,
		.counters = PMC1_TO_6,
	},
	[PFM_POWER_MMCR3] = {
		.name = "MMCR3",
		.reserved = ~MMCR3_SOURCES,
		.address = SPRN_MMCR3,
		.counters = PMC1_TO_4,
	},
};

#define POWER_COUNTER(n)                                                                 \
	[n] = {                                                                          \
		.name = "PMC" #n,                                                        \
		.type = PFM_REG_COUNTER,                                                 \
		.width = 31,                                                             \
		.address = SPRN_PMC##n,                                                  \
	}

static const struct pfm_register power_pmds[PFM_POWER_PMDS] = {
	[PFM_POWER_TIMEBASE] = {
		.name = "TB",
		.type = PFM_REG_READ_ONLY,
		.width = 64,
		.address = SPRN_TBRL,
	},
	POWER_COUNTER(1), POWER_COUNTER(2), POWER_COUNTER(3),
	POWER_COUNTER(4), POWER_COUNTER(5), POWER_COUNTER(6),
};

static struct pfm_pmu power_pmu = {
	.interface = PFM_PMU_INTERFACE,
	.name = "power",
	.operations = &power_operations,
	.pmcs = power_pmcs,
	.pmds = power_pmds,
	.pmc_count = PFM_POWER_PMCS,
	.pmd_count = PFM_POWER_PMDS,
};

/**
 * struct processor - differences between the processors
 * @version: upper half of the processor version register
 * @name: name of the processor
 * @threshold: bits of the threshold's value in MMCRA
 */
struct processor {
	unsigned int version;
	const char *name;
	u64 threshold;
};

static const struct processor processors[] __initconst = {
	{ PVR_POWER8E, "IBM POWER8E", MMCRA_THRESHOLD_207 },
	{ PVR_POWER8NVL, "IBM POWER8NVL", MMCRA_THRESHOLD_207 },
	{ PVR_POWER8, "IBM POWER8", MMCRA_THRESHOLD_207 },
	{ PVR_POWER9, "IBM POWER9", MMCRA_THRESHOLD_300 },
	{ PVR_POWER10, "IBM POWER10", MMCRA_THRESHOLD_31 },
	{ PVR_POWER11, "IBM POWER11", MMCRA_THRESHOLD_31 },
};

static const struct processor *__init find_processor(unsigned int version)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(processors); i++)
		if (processors[i].version == version)
			return &processors[i];
	return NULL;
}

/*
 * A partition may run in the compatibility mode of an older processor.  Then the kernel does not
 * set up the registers of Power ISA 3.1, and while the PMU is idle, MMCR0 and MMCRA have the values
 * of the older processor.  So these values depend on CPU_FTR_ARCH_31, not on the version of the
 * processor.
 */
static void __init power_describe(const struct processor *processor)
{
	struct pfm_register *mmcra = &power_pmcs[PFM_POWER_MMCRA];

	power_pmu.model = processor->name;
	mmcra->reserved = ~(MMCRA_SAMPLING | MMCRA_SDAR_MODE | processor->threshold);
	has_banks = processor->version == PVR_POWER9;
	kernel_is_hypervisor = cpu_has_feature(CPU_FTR_HVMODE);
	if (kernel_is_hypervisor)
		power_operations.start = bare_metal_start;
	power_machine.has_mmcr3 = cpu_has_feature(CPU_FTR_ARCH_31);
	power_machine.idle_mmcr0 = MMCR0_FC;
	if (power_machine.has_mmcr3) {
		power_machine.idle_mmcr0 |= MMCR0_PMCCEXT;
		power_machine.idle_mmcra = MMCRA_BHRB_DISABLE;
		mmcra->default_value = MMCRA_BHRB_DISABLE;
		power_pmcs[PFM_POWER_MMCR2].reserved =
			~(MMCR2_FREEZE | MMCR2_L2L3_SELECT_31);
	} else {
		power_pmcs[PFM_POWER_MMCR3] = (struct pfm_register){};
	}
	power_machine.frozen_mmcr0 = power_machine.idle_mmcr0 | MMCR0_PMCC_NONE;
}

static int __init power_init(void)
{
	const struct processor *processor;
	int error;

	power_pmu.id = mfspr(SPRN_PVR);
	processor = find_processor(PVR_VER(power_pmu.id));
	if (!processor)
		return -ENODEV;
	power_describe(processor);
	error = power_perf_init();
	if (error)
		return error;
	error = pfm_pmu_register(&power_pmu);
	if (error) {
		power_perf_exit();
		return error;
	}
	if (!power_may_count())
		pr_warn("perfmon: with the hash MMU an overflow interrupt can crash the machine: "
			"counting needs perfmon_power.hash=1\n");
	return 0;
}
module_init(power_init);

static void __exit power_exit(void)
{
	pfm_pmu_unregister(&power_pmu);
	power_perf_exit();
}
module_exit(power_exit);

/* POWER8E, 8NVL, 8, 9, 10 and 11, as in processors[] */
/* The aliases have no range [b-e], because busybox replaces each '-' in an alias by '_'. */
MODULE_ALIAS(PFM_PMU_ALIAS("powerpc:pvr004[bcde]*"));
MODULE_ALIAS(PFM_PMU_ALIAS("powerpc:pvr008[02]*"));
MODULE_DESCRIPTION("perfmon: PMU description of POWER8 to POWER11");
MODULE_LICENSE("GPL");
