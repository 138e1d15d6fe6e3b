/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Declarations that the PMU descriptions of x86 processors share.
 *
 * intel.c and amd.c describe the registers of their processors.  With exclusive ownership,
 * x86_exclusive.c takes all counters, and x86.c moves values between the registers and memory.
 * With shared ownership, x86_placeholders.c takes individual counters from perf, and x86_shared.c
 * moves their values.
 */
#ifndef PERFMON_X86_MODULE_H
#define PERFMON_X86_MODULE_H

#include <asm/msr.h>
#include <linux/bits.h>
#include <linux/hardirq.h>
#include <linux/jiffies.h>
#include <linux/jump_label.h>
#include <linux/log2.h>
#include <linux/percpu.h>
#include <linux/types.h>

#include "perfmon_pmu.h"

/*
 * PMD n is general counter n, and PMC n is its event select.  PMD X86_FIXED + n is fixed counter n
 * of Intel's processors.  PMC X86_FIXED controls all fixed counters, and PMC X86_PEBS arms general
 * counters for precise sampling.
 */
#define X86_FIXED	   16
#define X86_REGISTERS	   32
#define X86_PEBS	   17
/* Bit n + X86_PEBS_LATENCY of PMC X86_PEBS adds latencies to the records of counter n. */
#define X86_PEBS_LATENCY   32
#define X86_GENERAL_MASK   GENMASK(X86_FIXED - 1, 0)
#define X86_FIXED_MASK	   GENMASK(X86_REGISTERS - 1, X86_FIXED)

/*
 * A counter is at least this many bits wider than its PMD.  The highest bit is the overflow flag.
 * The PMD does not use the bit below it either, because with shared ownership perf may load the
 * counter.  perf only loads values that leave less than half of the counter's range until the wrap.
 * If the PMD used this bit, a PMD with the value 0 would leave exactly half of the range.
 */
#define X86_SPARE_BITS	   2

/*
 * Bits of an event select that the module sets (Intel SDM 3B, "Performance Event Select
 * Registers")
 */
#define X86_SELECT_INT	   BIT_ULL(20)
#define X86_SELECT_EN	   BIT_ULL(22)

/* Each fixed counter has a field of 4 bits in the control register.  The bits of this field: */
#define X86_FIXED_LEVELS   3u
#define X86_FIXED_KERNEL   1u
#define X86_FIXED_USER	   2u
#define X86_FIXED_INT	   8u
#define X86_FIXED_SHIFT(n) (4 * ((n)-X86_FIXED))

/**
 * struct x86_counter - a counter; arrays of counters are indexed by the numbers of the PMDs
 * @select: MSR of the event select; 0 if the counter is fixed
 * @value: MSR of the value
 * @load: MSR to which the value is written
 * @rdpmc: number for the instruction RDPMC
 * @bits: number of bits that the counter has in hardware
 * @mask: mask of the low bits, which hold the value of the PMD
 * @fill: the other bits of the counter.  Each write of the counter sets them, so the counter wraps
 *	when the PMD does.
 * @flag: the highest bit of the counter.  It is one of the bits in @fill.  A wrap clears it.
 *
 * x86_register() computes @mask, @fill and @flag.
 */
struct x86_counter {
	u32 select;
	u32 value;
	u32 load;
	u32 rdpmc;
	unsigned int bits;
	u64 mask;
	u64 fill;
	u64 flag;
};

/**
 * struct x86_branches - operations on the processor's branch records, for exclusive ownership.  All
 * functions are called on the CPU whose records they use, with interrupts off or from NMI.
 * @begin: forget all records and begin to record the branches that the set selects
 * @resume: called after @end, for the same set: keep the records and continue to record
 * @end: stop recording, and keep the records
 * @own: forget all records.  If @ours is true, take the CPU's record registers from the kernel; if
 *	@ours is false, return them to the kernel.
 * @sample, @callers: as in struct pfm_pmu_operations
 */
struct x86_branches {
	void (*begin)(const struct pfm_registers *registers);
	void (*resume)(const struct pfm_registers *registers);
	void (*end)(void);
	void (*own)(bool ours);
	void (*sample)(const struct pfm_registers *registers, const u64 *pmds,
		       u64 *values);
	unsigned int (*callers)(const struct pfm_registers *registers, u64 *to,
				unsigned int most);
};

/**
 * struct x86_pebs - precise sampling: after a wrap, the processor records the counter's next event
 * @enable: MSR with two bits for each general counter: one arms the counter, the other adds
 *	latencies to its records
 * @acknowledge: bits that acknowledge an overflow of the record buffer, in the MSR
 *	x86_pmu.global_acknowledge
 * @select: bits to set in the event select of an armed counter
 * @begin: give this CPU its buffer; called while nothing counts on the CPU
 * @end: take the buffer from this CPU
 * @empty: hot; forget the records of this CPU
 * @recorded: hot; return which of the armed counters have a record
 * @collect: hot; return the records of the armed counters, for pfm_overflow()
 *
 * All functions are called on the CPU whose records they use, with interrupts off or from NMI.
 */
struct x86_pebs {
	u32 enable;
	u64 acknowledge;
	u64 select;
	void (*begin)(void);
	void (*end)(void);
	void (*empty)(void);
	u64 (*recorded)(u64 armed);
	const struct pfm_hardware_sample *(*collect)(u64 armed);
};

/**
 * struct x86_extra - a register that refines an event of a general counter
 * @pmc: its PMC
 * @msr: its MSR
 * @valid: bits that may be set
 */
struct x86_extra {
	unsigned int pmc;
	u32 msr;
	u64 valid;
};

#define X86_EXTRAS 4

/**
 * struct x86_pmu - a PMU of an x86 processor
 * @pmu: its description; x86_register() sets the fields model, id, operations and independent
 * @counters: its counters, indexed by the number of the PMD
 * @global_control: MSR with an enable bit for each counter; 0 if there is none
 * @global_acknowledge: MSR that clears overflow bits; 0 if there is none
 * @fixed_control: MSR of PMC X86_FIXED; 0 if there is none
 * @exclusive_only: the counters cannot be shared with perf, because perf describes them as
 *	several PMUs, or because event selects need @reset_selects
 * @masks_interrupt: the local APIC masks the overflow interrupt when it delivers this interrupt
 * @select_bits: bits of an event select that users can write
 * @counts_anywhere: return whether all general counters can count the event that a PMC value
 *	selects
 * @check_pmc: as in struct pfm_pmu_operations; optional
 * @reset_selects: set all event selects to 0, before some of them are written.  The counters are
 *	halted and keep their values.  Optional.
 * @branches: operations on branch records; NULL if the processor has none
 * @branch_control: number of the PMC that selects which branches are recorded.  If the PMC has the
 *	value 0, no branches are recorded.
 * @set_up: describe the registers that depend on the ownership; process context, may sleep;
 *	optional
 * @pebs: precise sampling; NULL if there is none
 * @extras: registers that refine events; with shared ownership there are none, because perf may
 *	write these registers for its own events
 * @extra_count: number of @extras
 */
struct x86_pmu {
	struct pfm_pmu pmu;
	struct x86_counter counters[X86_REGISTERS];
	u32 global_control;
	u32 global_acknowledge;
	u32 fixed_control;
	bool exclusive_only;
	bool masks_interrupt;
	u64 select_bits;
	bool (*counts_anywhere)(u64 pmc);
	bool (*check_pmc)(unsigned int n, u64 *value);
	void (*reset_selects)(void);
	const struct x86_branches *branches;
	unsigned int branch_control;
	int (*set_up)(bool shared);
	const struct x86_pebs *pebs;
	struct x86_extra extras[X86_EXTRAS];
	unsigned int extra_count;
};

/* The PMU of this machine.  perfmon_intel and perfmon_amd each have their own variable x86. */
extern struct x86_pmu *x86;

/* Whether the processor can record branches. */
DECLARE_STATIC_KEY_FALSE(x86_has_branches);

/* Return: whether the set records branches. */
static __always_inline bool x86_records_branches(const struct pfm_registers *registers)
{
	return static_branch_unlikely(&x86_has_branches) &&
	       registers->pmcs[x86->branch_control];
}

int x86_register(struct x86_pmu *pmu);
void x86_unregister(void);

/* x86_exclusive.c */
bool x86_exclusive_is_possible(void);
int x86_exclusive_claim(void);
void x86_exclusive_release(void);
DECLARE_PER_CPU(unsigned long, x86_noted_at);
void x86_expect_late(void);
bool x86_nmi_is_late(void);

/* x86_shared.c */
extern struct pfm_pmu_operations x86_shared_operations;

/* x86_shared_claim.c */
int x86_shared_claim(struct pfm_pmu *pmu, const u64 *pmds);
void x86_shared_release(struct pfm_pmu *pmu, const u64 *pmds);
void x86_shared_held_by_others(const struct pfm_pmu *pmu, u64 *pmds);

/* x86.c */
void x86_registers_cleared(void);
void x86_halt_one_by_one(const struct pfm_registers *registers);
void x86_start(struct pfm_registers *registers);
u64 x86_overflows(const struct pfm_registers *registers);
u64 x86_armed(const struct pfm_registers *registers);

static __always_inline void x86_write(u32 msr, u64 value)
{
	native_wrmsr(msr, lower_32_bits(value), upper_32_bits(value));
}

/* Halt the set's counters.  WRMSR serializes, so they have stopped when this function returns. */
static __always_inline void x86_halt(const struct pfm_registers *registers)
{
	if (x86->global_control)
		x86_write(x86->global_control, 0);
	else
		x86_halt_one_by_one(registers);
}

static __always_inline u64 x86_read_msr(u32 msr)
{
	u32 low, high;

	native_rdmsr(msr, low, high);
	return (u64)high << 32 | low;
}

/*
 * Executes RDPMC.  We do not use the kernel's function for RDPMC: its name depends on the version
 * of the kernel, and it may call a tracepoint.
 */
static __always_inline u64 x86_rdpmc(u32 number)
{
	u64 low, high; /* the instruction clears bits 63 to 32 of both registers */

	asm volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(number));
	return high << 32 | low;
}

/*
 * Tell x86_nmi_is_late() that the overflows of @counters have been found.  On Intel's processors,
 * if the NMI handler finds exactly one overflow, this overflow has raised the NMI, so no late NMI
 * is expected.
 */
static __always_inline void x86_note_overflows(u64 counters)
{
	if (in_nmi() && !x86->masks_interrupt)
		this_cpu_write(x86_noted_at, jiffies);
	else if (!in_nmi() || unlikely(!is_power_of_2(counters)))
		x86_expect_late();
}

static __always_inline u64 x86_read_counter(const struct x86_counter *counter)
{
	return x86_rdpmc(counter->rdpmc);
}

#endif
