// SPDX-License-Identifier: GPL-2.0-only
/*
 * PMU description "intel": last branch records (LBR).
 *
 * CPUID leaf 1CH describes architectural LBR (Intel SDM, volume 3B, chapter "Last Branch
 * Records").  PMC 30 is its control register.  The entries are sampled PMDs: only samples contain
 * their values.  Entry 0 is the youngest.
 *
 * The entries belong to the CPU, and any thread may run there.  So each start clears them, and each
 * stop ends the recording.  If the user may not see the kernel, the processor does not record
 * branches into the kernel.  It records branches from the kernel to user level, but hides the
 * address of the branch instruction.
 *
 * The processor freezes the entries when it raises the overflow interrupt, so that the branches of
 * the kernel's NMI entry do not replace those that led to the overflow.
 */
#include <asm/cpufeature.h>
#include <asm/msr-index.h>

#include "compat/cpuid.h"
#include "intel_lbr.h"
#include <perfmon/perfmon_intel.h>

#define LEAF_LBR	  0x1c
#define DEPTHS		  GENMASK(3, 0) /* of EAX; bit i: depth 8 * (i + 1) is possible */
#define FILTERS_LEVELS	  BIT(0) /* of EBX */
#define FILTERS_KINDS	  BIT(1)
#define HAS_CALL_STACK	  BIT(2)

#define CONTROL_ENABLE	  BIT_ULL(0)
#define STATUS_LBR_FROZEN BIT_ULL(58) /* of IA32_PERF_GLOBAL_STATUS */
#define FREEZE_LBR_ON_PMI BIT_ULL(11) /* of IA32_DEBUGCTL */

/*
 * The processor stores this value instead of a branch instruction's address if the control register
 * does not select the level of the instruction.
 */
#define FILTERED	  (~0ull)

static unsigned int depth;

/* Whether FREEZE_LBR_ON_PMI was set in IA32_DEBUGCTL before we set it. */
static DEFINE_PER_CPU(bool, froze_before);

/* ---- recording ---------------------------------------------------------------------------- */

/* Branches in the kernel are recorded only for users who may see the kernel. */
static u64 running_control(const struct pfm_registers *registers)
{
	u64 control = registers->pmcs[PFM_INTEL_LBR_CONTROL] | CONTROL_ENABLE;

	return registers->sees_kernel ? control : control & ~PFM_INTEL_LBR_KERNEL;
}

/*
 * Record branches.  An overflow interrupt, perhaps a late one, may have frozen the entries, so they
 * are unfrozen first.
 */
static void lbr_resume(const struct pfm_registers *registers)
{
	x86_write(x86->global_acknowledge, STATUS_LBR_FROZEN);
	x86_write(MSR_ARCH_LBR_CTL, running_control(registers));
}

/* Any write of the depth clears all entries. */
static void lbr_begin(const struct pfm_registers *registers)
{
	x86_write(MSR_ARCH_LBR_DEPTH, depth);
	lbr_resume(registers);
}

static void lbr_end(void)
{
	x86_write(MSR_ARCH_LBR_CTL, 0);
}

/* Called on each CPU, interrupts off. */
static void lbr_own(bool ours)
{
	u64 debug = x86_read_msr(MSR_IA32_DEBUGCTLMSR);

	lbr_end();
	x86_write(MSR_ARCH_LBR_DEPTH, depth);
	if (ours)
		__this_cpu_write(froze_before, debug & FREEZE_LBR_ON_PMI);
	if (ours)
		debug |= FREEZE_LBR_ON_PMI;
	else if (!__this_cpu_read(froze_before))
		debug &= ~FREEZE_LBR_ON_PMI;
	x86_write(MSR_IA32_DEBUGCTLMSR, debug);
}

/* ---- samples ------------------------------------------------------------------------------- */

/*
 * The processor records no address of the kernel if the control register does not select the kernel
 * level.  This function checks the addresses anyway, because users who may not see the kernel must
 * not get an address of the kernel, even if the processor makes a mistake.
 */
static u64 read_address(const struct pfm_registers *registers, u32 msr)
{
	u64 address = x86_read_msr(msr);

	return registers->sees_kernel || !(address >> 63) ? address : FILTERED;
}

static u64 read_entry(const struct pfm_registers *registers, unsigned int n)
{
	const unsigned int i = (n - PFM_INTEL_LBR_FROM(0)) / 2;

	if (n >= PFM_INTEL_LBR_INFO(0))
		return x86_read_msr(MSR_ARCH_LBR_INFO_0 + n - PFM_INTEL_LBR_INFO(0));
	if (n == PFM_INTEL_LBR_FROM(i))
		return read_address(registers, MSR_ARCH_LBR_FROM_0 + i);
	return read_address(registers, MSR_ARCH_LBR_TO_0 + i);
}

/*
 * If PMC 30 is 0, the start has not cleared the entries.  They may be those of another thread, so
 * the sample gets zeros.
 */
static void lbr_sample(const struct pfm_registers *registers, const u64 *pmds,
		       u64 *values)
{
	const bool has_entries = x86_records_branches(registers);
	unsigned int word, bit, n;
	u64 rest, wanted;

	for (word = 0; word < INTEL_LBR_PMDS / 64; word++) {
		wanted = word ? pmds[word]
			      : pmds[word] & GENMASK_ULL(63, PFM_INTEL_LBR_FROM(0));
		pfm_for_each_bit(bit, rest, wanted) {
			n = word * 64 + bit;
			values[n] = has_entries ? read_entry(registers, n) : 0;
		}
	}
}

/* In call-stack mode the entries are the calls that have not returned yet, innermost first. */
static unsigned int lbr_callers(const struct pfm_registers *registers, u64 *to,
				unsigned int most)
{
	unsigned int i, count = 0;
	u64 from;

	if (!x86_records_branches(registers) ||
	    !(registers->pmcs[PFM_INTEL_LBR_CONTROL] & PFM_INTEL_LBR_CALL_STACK))
		return 0;
	for (i = 0; i < depth && count < most; i++) {
		from = x86_read_msr(MSR_ARCH_LBR_FROM_0 + i);
		if (!from)
			break;
		if (!(from >> 63)) /* leave out calls in the kernel */
			to[count++] = from;
	}
	return count;
}

static const struct x86_branches lbr = {
	.begin = lbr_begin,
	.resume = lbr_resume,
	.end = lbr_end,
	.own = lbr_own,
	.sample = lbr_sample,
	.callers = lbr_callers,
};

/* ---- description --------------------------------------------------------------------------- */

#define EACH_ENTRY(do_it)                                                                \
	do_it(0) do_it(1) do_it(2) do_it(3) do_it(4) do_it(5) do_it(6) do_it(7) do_it(8) \
		do_it(9) do_it(10) do_it(11) do_it(12) do_it(13) do_it(14) do_it(15)     \
			do_it(16) do_it(17) do_it(18) do_it(19) do_it(20) do_it(21)      \
				do_it(22) do_it(23) do_it(24) do_it(25) do_it(26)        \
					do_it(27) do_it(28) do_it(29) do_it(30)          \
						do_it(31)

#define FROM_NAME(i) "IA32_LBR_" #i "_FROM_IP",
#define TO_NAME(i)   "IA32_LBR_" #i "_TO_IP",
#define INFO_NAME(i) "IA32_LBR_" #i "_INFO",
static const char *const from_names[] = { EACH_ENTRY(FROM_NAME) };
static const char *const to_names[] = { EACH_ENTRY(TO_NAME) };
static const char *const info_names[] = { EACH_ENTRY(INFO_NAME) };

static void __init describe_entry(struct pfm_register *pmd, const char *name, u32 msr)
{
	*pmd = (struct pfm_register){
		.name = name,
		.type = PFM_REG_SAMPLED,
		.width = 64,
		.address = msr,
	};
}

static void __init describe(struct pfm_register *pmcs, struct pfm_register *pmds,
			    u64 control)
{
	unsigned int i;

	pmcs[PFM_INTEL_LBR_CONTROL] = (struct pfm_register){
		.name = "IA32_LBR_CTL",
		.reserved = ~control,
		.user_clear = PFM_INTEL_LBR_KERNEL,
		.address = MSR_ARCH_LBR_CTL,
	};
	for (i = 0; i < depth; i++) {
		describe_entry(&pmds[PFM_INTEL_LBR_FROM(i)], from_names[i],
			       MSR_ARCH_LBR_FROM_0 + i);
		describe_entry(&pmds[PFM_INTEL_LBR_TO(i)], to_names[i],
			       MSR_ARCH_LBR_TO_0 + i);
		describe_entry(&pmds[PFM_INTEL_LBR_INFO(i)], info_names[i],
			       MSR_ARCH_LBR_INFO_0 + i);
	}
}

/*
 * The records are offered only if the processor can select levels: otherwise ordinary users would
 * see the kernel's branches.  @version must be at least 4, because lower versions do not have
 * STATUS_LBR_FROZEN.
 */
void __init intel_lbr_describe(struct x86_pmu *pmu, unsigned int version,
			       struct pfm_register *pmcs, struct pfm_register *pmds)
{
	u64 control = PFM_INTEL_LBR_USER | PFM_INTEL_LBR_KERNEL;
	u32 eax, ebx, ecx, edx;

	if (version < 4 || !boot_cpu_has(X86_FEATURE_ARCH_LBR))
		return;
	cpuid_count(LEAF_LBR, 0, &eax, &ebx, &ecx, &edx);
	if (!(eax & DEPTHS) || !(ebx & FILTERS_LEVELS))
		return;
	depth = 8 * fls(eax & DEPTHS);
	if (ebx & FILTERS_KINDS)
		control |= PFM_INTEL_LBR_ALL;
	if (ebx & HAS_CALL_STACK)
		control |= PFM_INTEL_LBR_CALL_STACK;
	describe(pmcs, pmds, control);
	pmu->branches = &lbr;
	pmu->branch_control = PFM_INTEL_LBR_CONTROL;
}
