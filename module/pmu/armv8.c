// SPDX-License-Identifier: GPL-2.0-only
/*
 * PMU description "armv8": Arm PMUv3.
 *
 * PMC n is PMEVTYPER<n>_EL0, and PMD n is PMEVCNTR<n>_EL0.  PMC 31 is PMCCFILTR_EL0, and PMD 31
 * is the cycle counter; see perfmon_armv8.h.  In every register that has a bit for each
 * counter, bit n belongs to PMD n.  armv8_registers.h names the manual.
 *
 * One register has the enable bits of all counters, so one write starts or stops all of them.
 * The counters count only while PMCR_EL0.E is set.  This bit is set as long as the PMU is claimed,
 * except while perf moves its own events (armv8_perf.c).
 */
#include <asm/cputype.h>
#include <asm/virt.h>
#include <linux/bitfield.h>
#include <linux/module.h>
#include <linux/smp.h>

#include "armv8.h"
#include "armv8_registers.h"
#include "perfmon_pmu.h"

#define CYCLE_COUNTER PFM_ARMV8_CYCLE_COUNTER
#define REGISTERS     (CYCLE_COUNTER + 1)
#define FILTERS                                                                          \
	(PFM_ARMV8_PMC_EXCLUDE_KERNEL | PFM_ARMV8_PMC_EXCLUDE_USER |                     \
	 PFM_ARMV8_PMC_INCLUDE_HYP)
#define USER_LEVEL                                                                       \
	.user_set = PFM_ARMV8_PMC_EXCLUDE_KERNEL, .user_clear = PFM_ARMV8_PMC_INCLUDE_HYP
#define EVENT_10_BITS 0x3ff /* largest event number before FEAT_PMUv3p1 */

static char *cpus;
module_param(cpus, charp, 0444);
MODULE_PARM_DESC(cpus,
		 "list of CPUs to use (default: all that have the first CPU's PMU)");

/* The module parameter leave_to_perf is read whenever counters are claimed. */
#define LEAVE_DEFAULT (~0u)
static unsigned int leave_to_perf = LEAVE_DEFAULT;
module_param(leave_to_perf, uint, 0644);
MODULE_PARM_DESC(leave_to_perf, "mask of counters to leave to perf, bit 31 is the cycle "
				"counter (default: the last one or two event counters)");

static unsigned int version; /* ID_AA64DFR0_EL1.PMUVer */
static u64 event_mask; /* the bits that event counters have: the low 32 or all 64 */
static bool kernel_at_el2;

static u64 pmd_mask(unsigned int n)
{
	return n == CYCLE_COUNTER ? ~0ull : event_mask;
}

/*
 * Return: the value to write to the hardware's register if the PMC has the value @pmc.
 *
 * The bit that excludes the kernel depends on the kernel's exception level.  If the kernel runs at
 * EL1, this bit is P.  If it runs at EL2 (FEAT_VHE), this bit is NSH, and NSH = 0 excludes the
 * kernel.  P then excludes the kernels of guests; we leave P as the user wrote it.  A kernel at EL2
 * is the hypervisor itself, so INCLUDE_HYP has no effect there.  U excludes EL0 in both cases.
 * (Pseudocode AArch64.CountPMUEvents, "Filtering event counting".)
 */
static u64 filter(u64 pmc)
{
	if (!kernel_at_el2)
		return pmc;
	if (pmc & PFM_ARMV8_PMC_EXCLUDE_KERNEL)
		return pmc & ~ARMV8_TYPE_NSH;
	return pmc | ARMV8_TYPE_NSH;
}

static bool armv8_check_pmc(unsigned int n, u64 *value)
{
	return version >= ARMV8_PMUVER_3P1 ||
	       (*value & PFM_ARMV8_PMC_EVENT) <= EVENT_10_BITS;
}

/* Write the events, filters and interrupt enable bits of a set whose counters are halted. */
void armv8_program(const struct pfm_registers *registers,
		   const struct pfm_registers *programmed)
{
	u64 counters = registers->counters;
	u64 interrupting = registers->interrupting;
	u64 in_place = programmed ? programmed->used_pmcs[0] : 0;
	bool changes = !programmed || programmed->counters != counters ||
		       programmed->interrupting != interrupting;
	unsigned int n;
	u64 rest;

	if (changes) {
		armv8_disable_interrupt(counters & ~interrupting);
		armv8_enable_interrupt(interrupting);
		armv8_clear_overflows(counters);
		this_cpu_and(armv8_kept_overflows, ~counters);
	}
	pfm_for_each_bit(n, rest, registers->used_pmcs[0]) {
		if (in_place & BIT(n) && programmed->pmcs[n] == registers->pmcs[n])
			continue;
		armv8_write_type(n, filter(registers->pmcs[n]));
		changes = true;
	}
	if (changes)
		isb(); /* so that the configuration takes effect before armv8_enable() */
}

void armv8_load(struct pfm_registers *registers, u64 pmds)
{
	unsigned int n;
	u64 rest;

	pfm_for_each_bit(n, rest, pmds)
		armv8_write_counter(n, registers->pmds[n] & pmd_mask(n));
	isb(); /* without it, a write might take effect late and overwrite new counts */
}

static void armv8_start(struct pfm_registers *registers)
{
	armv8_enable(registers->counters);
	/* No ISB: the exception return before the thread runs has the same effect. */
}

void armv8_halt(struct pfm_registers *registers)
{
	armv8_disable(registers->counters);
	isb(); /* so that the counters are halted before they are read or written */
}

static u64 armv8_overflows(const struct pfm_registers *registers)
{
	return (armv8_read_overflows() | this_cpu_read(armv8_kept_overflows)) &
	       registers->counters;
}

/*
 * No ISB is needed before the reads, because the exception entry before this call has the effect of
 * an ISB.
 */
u64 armv8_read(struct pfm_registers *registers, u64 *values)
{
	u64 used = registers->used_pmds[0], rest;
	unsigned int n;

	pfm_for_each_bit(n, rest, used & ~BIT(CYCLE_COUNTER))
		values[n] = pfm_pmd_merge(registers->pmds[n], armv8_read_counter(n),
					  event_mask);
	if (used & BIT(CYCLE_COUNTER))
		values[CYCLE_COUNTER] = armv8_read_counter(CYCLE_COUNTER);
	isb(); /* without it, the overflows might be read before the counters */
	return armv8_overflows(registers);
}

static u64 armv8_stop(struct pfm_registers *registers)
{
	armv8_halt(registers);
	return armv8_read(registers, registers->pmds);
}

static void armv8_acknowledge(struct pfm_registers *registers, u64 counters)
{
	armv8_clear_overflows(counters);
	if (unlikely(this_cpu_read(armv8_kept_overflows)))
		this_cpu_and(armv8_kept_overflows, ~counters);
}

static u64 all_counters(const struct pfm_pmu *pmu)
{
	unsigned int n;
	u64 all = 0;

	for (n = 0; n < pmu->pmd_count; n++)
		if (pmu->pmds[n].name)
			all |= BIT(n);
	return all;
}

static void armv8_held_by_others(const struct pfm_pmu *pmu, u64 *pmds)
{
	pmds[0] = READ_ONCE(leave_to_perf) | armv8_perf_uses(all_counters(pmu));
}

static int armv8_claim(struct pfm_pmu *pmu, const u64 *pmds)
{
	u64 left = pmds[0] & READ_ONCE(leave_to_perf), all = all_counters(pmu);
	u64 held;
	int missed;

	if (left) {
		pfm_pmu_blame("perf, by leave_to_perf", __ffs(left));
		return -EBUSY;
	}
	missed = armv8_perf_claim(pmds[0]);
	if (missed < 0)
		return 0;
	armv8_held_by_others(pmu, &held);
	pfm_pmu_blame("perf", all & ~held ? missed : PFM_WHOLE_PMU);
	return -EBUSY;
}

static void armv8_release(struct pfm_pmu *pmu, const u64 *pmds)
{
	armv8_perf_release(pmds[0]);
}

static const struct pfm_pmu_operations armv8_operations = {
	.claim = armv8_claim,
	.release = armv8_release,
	.held_by_others = armv8_held_by_others,
	.check_pmc = armv8_check_pmc,
	.write_pmcs = armv8_program,
	.write_pmds = armv8_load,
	.start = armv8_start,
	.stop = armv8_stop,
	.read = armv8_read,
	.overflows = armv8_overflows,
	.acknowledge = armv8_acknowledge,
};

#define ARMV8_EVENT_PMC(n)                                                               \
	[n] = {                                                                          \
		.name = "PMEVTYPER" #n "_EL0",                                           \
		.type = PFM_REG_NO_EMUL64,                                               \
		.reserved = ~(PFM_ARMV8_PMC_EVENT | FILTERS),                            \
		USER_LEVEL,                                                              \
		.address = SYS_PMEVTYPERn_EL0(n),                                        \
		.counters = BIT_ULL(n),                                                  \
	},
#define ARMV8_EVENT_PMD(n)                                                               \
	[n] = {                                                                          \
		.name = "PMEVCNTR" #n "_EL0",                                            \
		.type = PFM_REG_COUNTER,                                                 \
		.width = 32,                                                             \
		.address = SYS_PMEVCNTRn_EL0(n),                                         \
	},

/*
 * All registers of the architecture; armv8_describe() removes those that the CPU
 * lacks.  Event 0, the default, is SW_INCR: it counts writes of PMSWINC_EL0.  The kernel
 * never permits programs to write this register, so nothing is counted.
 */
static struct pfm_register armv8_pmcs[REGISTERS] __ro_after_init = {
	ARMV8_EVENT_COUNTERS(ARMV8_EVENT_PMC)
	[CYCLE_COUNTER] = {
		.name = "PMCCFILTR_EL0",
		.type = PFM_REG_NO_EMUL64,
		.reserved = ~FILTERS,
		USER_LEVEL,
		.address = SYS_PMCCFILTR_EL0,
		.counters = BIT_ULL(CYCLE_COUNTER),
	},
};

static struct pfm_register armv8_pmds[REGISTERS] __ro_after_init = {
	ARMV8_EVENT_COUNTERS(ARMV8_EVENT_PMD)
	[CYCLE_COUNTER] = {
		.name = "PMCCNTR_EL0",
		.type = PFM_REG_COUNTER,
		.width = 64,	/* because the kernel sets PMCR_EL0.LC */
		.address = SYS_PMCCNTR_EL0,
	},
};

struct pfm_pmu armv8_pmu = {
	.interface = PFM_PMU_INTERFACE,
	.name = "armv8",
	.operations = &armv8_operations,
	.pmcs = armv8_pmcs,
	.pmds = armv8_pmds,
	.pmc_count = REGISTERS,
	.pmd_count = REGISTERS,
	.independent = true,
};

/* The values of MIDR_EL1.PartNum if MIDR_EL1.Implementer is Arm Limited (0x41) */
static const struct {
	unsigned int part;
	const char *name;
} parts[] __initconst = {
	{ 0xd02, "Cortex-A34" },   { 0xd03, "Cortex-A53" },   { 0xd04, "Cortex-A35" },
	{ 0xd05, "Cortex-A55" },   { 0xd06, "Cortex-A65" },   { 0xd07, "Cortex-A57" },
	{ 0xd08, "Cortex-A72" },   { 0xd09, "Cortex-A73" },   { 0xd0a, "Cortex-A75" },
	{ 0xd0b, "Cortex-A76" },   { 0xd0c, "Neoverse-N1" },  { 0xd0d, "Cortex-A77" },
	{ 0xd0e, "Cortex-A76AE" }, { 0xd40, "Neoverse-V1" },  { 0xd41, "Cortex-A78" },
	{ 0xd42, "Cortex-A78AE" }, { 0xd43, "Cortex-A65AE" }, { 0xd44, "Cortex-X1" },
	{ 0xd46, "Cortex-A510" },  { 0xd47, "Cortex-A710" },  { 0xd48, "Cortex-X2" },
	{ 0xd49, "Neoverse-N2" },  { 0xd4a, "Neoverse-E1" },  { 0xd4b, "Cortex-A78C" },
	{ 0xd4c, "Cortex-X1C" },   { 0xd4d, "Cortex-A715" },  { 0xd4e, "Cortex-X3" },
	{ 0xd4f, "Neoverse-V2" },  { 0xd80, "Cortex-A520" },  { 0xd81, "Cortex-A720" },
	{ 0xd82, "Cortex-X4" },	   { 0xd84, "Neoverse-V3" },
};

static const char *__init armv8_model(u32 midr, const char *arm_pmu_name)
{
	static char model[64];
	unsigned int i;

	if (MIDR_IMPLEMENTOR(midr) == ARM_CPU_IMP_ARM)
		for (i = 0; i < ARRAY_SIZE(parts); i++)
			if (parts[i].part == MIDR_PARTNUM(midr)) {
				snprintf(model, sizeof(model), "Arm %s PMUv3",
					 parts[i].name);
				return model;
			}
	strscpy(model, arm_pmu_name, sizeof(model));
	return model;
}

/* Identification registers of a CPU. */
struct identity {
	u32 midr;
	unsigned int version;
	u64 control;
};

static void __init identify(void *argument)
{
	struct identity *identity = argument;

	identity->midr = read_cpuid_id();
	identity->version = FIELD_GET(ARMV8_DFR0_PMUVER, read_sysreg(id_aa64dfr0_el1));
	if (identity->version != ARMV8_PMUVER_NONE &&
	    identity->version != ARMV8_PMUVER_OTHER)
		identity->control = armv8_read_control();
}

/*
 * Reduce the description to the registers that the CPU has.  Since PMUv3p5, PMCR_EL0.LP selects
 * whether event counters overflow at 64 bits or at 32.
 */
static void __init armv8_describe(const struct identity *identity)
{
	bool wide = identity->version >= ARMV8_PMUVER_3P5 &&
		    identity->control & ARMV8_PMCR_LP;
	unsigned int width = wide ? 64 : 32, n;

	version = identity->version;
	event_mask = pfm_width_mask(width);
	kernel_at_el2 = is_kernel_in_hyp_mode();

	for (n = 0; n < CYCLE_COUNTER; n++) {
		if (n < FIELD_GET(ARMV8_PMCR_N, identity->control)) {
			armv8_pmds[n].width = width;
		} else {
			armv8_pmcs[n] = (struct pfm_register){};
			armv8_pmds[n] = (struct pfm_register){};
		}
	}
}

/*
 * Some event counters are left to perf.  perf keeps the counters that it already uses, because we
 * cannot claim them.  But perf also needs counters for events that it creates or schedules later.
 * A pinned perf event that finds no counter stays in an error state, and KVM pins the events that
 * it creates for a guest's PMU.  perf always takes the first available event counter.  So the last
 * event counters are the least likely to be in use already, and we leave these to perf.  While we
 * hold the cycle counter, perf counts cycles with an event counter.
 */
static void __init choose_leave_to_perf(unsigned int event_counters)
{
	if (leave_to_perf != LEAVE_DEFAULT)
		return;
	if (event_counters >= 6)
		leave_to_perf = 3u << (event_counters - 2);
	else if (event_counters >= 3)
		leave_to_perf = 1u << (event_counters - 1);
	else
		leave_to_perf = 0;
}

static int __init armv8_init(void)
{
	struct identity identity = {};
	const char *name;
	int error;

	error = cpulist_parse(cpus ?: "all", &armv8_pmu.cpus);
	if (error)
		return error;
	error = armv8_perf_find(&armv8_pmu.cpus, &name);
	if (error)
		return error;
	error = smp_call_function_any(&armv8_pmu.cpus, identify, &identity, true);
	if (error)
		return error;
	if (identity.version == ARMV8_PMUVER_NONE ||
	    identity.version == ARMV8_PMUVER_OTHER)
		return -ENODEV;

	armv8_describe(&identity);
	choose_leave_to_perf(FIELD_GET(ARMV8_PMCR_N, identity.control));
	armv8_pmu.id = identity.midr;
	armv8_pmu.model = armv8_model(identity.midr, name);

	error = armv8_perf_init();
	if (error)
		return error;
	error = pfm_pmu_register(&armv8_pmu);
	if (error)
		armv8_perf_exit();
	return error;
}
module_init(armv8_init);

static void __exit armv8_exit(void)
{
	pfm_pmu_unregister(&armv8_pmu);
	armv8_perf_exit();
}
module_exit(armv8_exit);

MODULE_ALIAS(PFM_PMU_ALIAS("arm64:*"));
MODULE_DESCRIPTION("perfmon: PMU description of Arm PMUv3, shared with perf_event");
MODULE_LICENSE("GPL");
