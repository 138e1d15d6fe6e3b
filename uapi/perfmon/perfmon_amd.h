/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * Register map of pmu_name "amd": AMD's core performance counters (AMD64 APM, volume 2, section
 * "Performance Monitoring Counters").
 *
 *	PMC 0..5	PERF_CTL<n>		PMD 0..5	PERF_CTR<n>
 *
 * This is the numbering of perfmon2.  PMC n drives PMD n.  K8 and the families 10h to 14h have four
 * counters, later families have six.  With PerfMonV2, CPUID returns the number of counters.  A
 * counter has 48 bits, but a PMD uses only the low 46 of them.  The highest bit of the counter is
 * the overflow flag: each write of the counter sets it, and a wrap clears it.  PMDs do not use the
 * bit below the flag either, because with shared ownership perf may write the counter.  perf writes
 * only values from which the counter wraps after fewer than 2^47 events.  If PMDs had 47 bits, perf
 * could not write the counter of a PMD that is 0, because this counter would wrap after exactly
 * 2^47 events.
 *
 * Register map of pmu_name "amd_ibs": instruction based sampling (APM, volume 2, section
 * "Instruction-Based Sampling").  The numbers up to PMD 13 are those of perfmon2.
 *
 *	PMC 4	IBS_FETCH_CTL		PMD 4	fetches
 *	PMC 5	IBS_OP_CTL		PMD 7	cycles, or ops
 *
 * PMD 4 belongs to the fetch unit, PMD 7 to the op unit.  When one of these two PMDs overflows, its
 * unit records data about an instruction.  The PMDs in the following table hold this data; only
 * samples can contain these PMDs.  If a unit has recorded nothing, its PMDs in the sample are 0.
 *
 *	PMD 5	IBS_FETCH_LINADDR	PMD 6	IBS_FETCH_PHYSADDR
 *	PMD 8	IBS_OP_RIP		PMD 9	IBS_OP_DATA
 *	PMD 10	IBS_OP_DATA2		PMD 11	IBS_OP_DATA3
 *	PMD 12	IBS_DC_LINADDR		PMD 13	IBS_DC_PHYSADDR
 *	PMD 14	IBS_BR_TARGET		PMD 15	IBS_FETCH_CTL
 */
#ifndef _PERFMON_AMD_H
#define _PERFMON_AMD_H

#include <linux/types.h>

/*
 * Fields of a PMC that the module accepts.  The module sets the enable bits itself, and ignores
 * these bits in values that a program writes.
 */
#define PFM_AMD_PMC_EVENT	   0xf000000ffull /* 12 bits, in two parts */
#define PFM_AMD_PMC_UMASK	   0x00000ff00ull
#define PFM_AMD_PMC_USER	   (1ull << 16) /* USR: privilege level 3 */
#define PFM_AMD_PMC_KERNEL	   (1ull << 17) /* OS: privilege levels 0 to 2 */
#define PFM_AMD_PMC_EDGE	   (1ull << 18)
#define PFM_AMD_PMC_INVERT	   (1ull << 23)
#define PFM_AMD_PMC_CMASK	   0x0ff000000ull

/* PMCs and counters of pmu_name "amd_ibs" */
#define PFM_AMD_IBS_PMC_FETCH	   4
#define PFM_AMD_IBS_PMC_OP	   5
#define PFM_AMD_IBS_FETCH	   4
#define PFM_AMD_IBS_OP		   7

/* The other PMDs of "amd_ibs" */
#define PFM_AMD_IBS_FETCH_LINEAR   5
#define PFM_AMD_IBS_FETCH_PHYSICAL 6
#define PFM_AMD_IBS_OP_RIP	   8
#define PFM_AMD_IBS_OP_DATA	   9
#define PFM_AMD_IBS_OP_DATA2	   10
#define PFM_AMD_IBS_OP_DATA3	   11
#define PFM_AMD_IBS_DC_LINEAR	   12
#define PFM_AMD_IBS_DC_PHYSICAL	   13
#define PFM_AMD_IBS_BR_TARGET	   14
#define PFM_AMD_IBS_FETCH_DATA	   15
#define PFM_AMD_IBS_REGISTERS	   16

/*
 * Fields of the PMCs of "amd_ibs" that the module accepts.  The hardware cannot select privilege
 * levels, so the module selects them itself: if only one of the bits USER and KERNEL is set, the
 * module discards the samples of the other level.  In this case, a read of PMD 4 or PMD 7 returns
 * the value that the PMD had when the period began.  If neither bit is set, nothing is counted.
 * The module computes the field of the maximum count from the value of the PMD, and ignores this
 * field in values that a program writes.
 */
#define PFM_AMD_IBS_COUNT_OPS	   (1ull << 19) /* PMC 5: count ops, not cycles */
#define PFM_AMD_IBS_RANDOM	   (1ull << 57) /* PMC 4: vary the low bits of the period */
#define PFM_AMD_IBS_USER	   (1ull << 62)
#define PFM_AMD_IBS_KERNEL	   (1ull << 63)

/* Returns the 12-bit number of the event that @pmc selects. */
static inline unsigned int pfm_amd_event(__u64 pmc)
{
	return (unsigned int)((pmc & 0xff) | (pmc >> 24 & 0xf00));
}

/*
 * A rule of pfm_amd_15h_counters(): if the number of an event, ANDed with @mask, equals @event, the
 * counters in the bitmap @counters can count this event.
 */
struct pfm_amd_15h_rule {
	unsigned short event;
	unsigned short mask;
	unsigned char counters;
};

/*
 * Returns a bitmap of the counters of family 15h that can count the event in @pmc; 0 if no counter
 * can count it.  On family 15h, each unit of the core is connected to only some of the counters.
 * On all other families, every counter can count every event that the module accepts.  Source: BIOS
 * and Kernel Developer's Guide of family 15h, models 00h to 0Fh, section "Core Performance Counter
 * Events", which lists the PERF_CTL registers for each event.
 */
static inline unsigned int pfm_amd_15h_counters(__u64 pmc)
{
	/* The first rule that fits applies. */
	static const struct pfm_amd_15h_rule rules[] = {
		{ 0x003, 0xfff, 0x08 }, { 0x00b, 0xfff, 0x08 }, { 0x00d, 0xfff, 0x08 },
		{ 0x023, 0xfff, 0x07 }, { 0x02d, 0xfff, 0x08 }, { 0x02e, 0xfff, 0x09 },
		{ 0x031, 0xfff, 0x07 }, { 0x043, 0xfff, 0x07 }, { 0x045, 0xfff, 0x07 },
		{ 0x046, 0xfff, 0x07 }, { 0x054, 0xffe, 0x07 }, /* and 055H */
		{ 0x08f, 0xfff, 0x01 }, { 0x187, 0xfff, 0x01 }, { 0x188, 0xfff, 0x01 },
		{ 0x0db, 0xfff, 0x3f }, { 0x0dc, 0xffc, 0x3f }, /* to 0DFH */
		{ 0x1c0, 0xfff, 0x38 }, { 0x1d6, 0xfff, 0x3f }, { 0x1d8, 0xfff, 0x3f },
		{ 0x000, 0x0e0, 0x38 }, /* FP: floating point */
		{ 0x020, 0x0e0, 0x3f }, /* LS: load and store */
		{ 0x040, 0x0e0, 0x3f }, /* DC: data cache */
		{ 0x060, 0x0e0, 0x07 }, /* CU: second-level cache */
		{ 0x080, 0x0e0, 0x07 }, /* IC, DE: instruction cache, decoder */
		{ 0x0c0, 0x0f0, 0x3f }, /* EX, LS */
		{ 0x0d0, 0x0f0, 0x07 }, /* DE */
	};
	const unsigned int event = pfm_amd_event(pmc);
	const unsigned int umask = (unsigned int)(pmc >> 8 & 0xff);
	const int has_several = (umask & (umask - 1)) != 0;
	unsigned int i;

	if (event == 0x000 && (umask & 0x0f) && (umask & 0xf0))
		return 0x08;
	if (event == 0x004 && has_several)
		return 0x08;
	if (event == 0x031 && has_several) /* the event needs a single umask bit */
		return 0;
	for (i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		if ((event & rules[i].mask) == rules[i].event)
			return rules[i].counters;
	return 0; /* not an event of the core, for example an event of the northbridge */
}

/*
 * Family 17h and later: returns whether the event in @pmc can occur more than 15 times in a cycle.
 * The hardware needs two counters for such an event, so the module refuses the event.  Source:
 * Processor Programming Reference of family 17h, section "Large Increment per Cycle Events".
 */
static inline int pfm_amd_17h_needs_two_counters(__u64 pmc)
{
	return pfm_amd_event(pmc) == 0x003;
}

/*
 * Family 17h and later: returns whether @pmc selects the event that merges two counters.  The
 * privilege levels in @pmc do not matter.  The counter of such a PMC becomes the upper half of the
 * next lower counter.  The lower counter would then count something else, so the module refuses the
 * value.  Source: section "Large Increment per Cycle Events", as above.
 */
static inline int pfm_amd_17h_merges_counters(__u64 pmc)
{
	return pfm_amd_event(pmc) == 0xfff;
}

#endif
