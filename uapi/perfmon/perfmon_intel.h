/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * Register map of pmu_name "intel": Intel's architectural performance monitoring (Intel SDM,
 * volume 3B, chapter "Performance Monitoring").
 *
 *	PMC 0..15	IA32_PERFEVTSEL<n>	PMD 0..15	IA32_PMC<n>
 *	PMC 16		IA32_FIXED_CTR_CTRL	PMD 16..31	IA32_FIXED_CTR<n-16>
 *	PMC 17		IA32_PEBS_ENABLE
 *	PMC 18		MSR_PEBS_LD_LAT_THRESHOLD
 *	PMC 19, 31	MSR_OFFCORE_RSP_0, MSR_OFFCORE_RSP_1
 *	PMC 30		IA32_LBR_CTL		PMD 32 + 2i	IA32_LBR_<i>_FROM_IP
 *						PMD 33 + 2i	IA32_LBR_<i>_TO_IP
 *						PMD 96 + i	IA32_LBR_<i>_INFO
 *	PMC 32		MSR_PEBS_FRONTEND
 *
 * These are the numbers of perfmon2, except for PMC 31 and PMC 32, which are new.  For n = 0 to 15,
 * PMC n drives PMD n.  PMC 16 drives all fixed counters.  CPUID leaf 0AH returns the number of
 * counters and their width.  If a counter has 48 bits, its PMD uses only the low 46 of them.  The
 * highest bit of the counter is the overflow flag: each write of the counter sets it, and a wrap
 * clears it.  PMDs do not use the bit below the flag either, because with shared ownership perf may
 * write the counter.  perf writes only values from which the counter wraps after fewer than 2^47
 * events.  If PMDs had 47 bits, perf could not write the counter of a PMD that is 0, because this
 * counter would wrap after exactly 2^47 events.  Without full-width writes
 * (IA32_PERF_CAPABILITIES.FW_WRITE) a PMD uses only 30 bits.
 *
 * Last branch records (Intel SDM, volume 3B, chapter "Last Branch Records") need exclusive
 * ownership.  There are at most 32 entries, and entry 0 is the latest branch.  Only samples can
 * contain the PMDs of these entries.
 */
#ifndef _PERFMON_INTEL_H
#define _PERFMON_INTEL_H

#include <linux/types.h>

#define PFM_INTEL_FIXED		     16 /* PMC of all fixed counters, PMD of the first one */
#define PFM_INTEL_PEBS		     17 /* PMC of precise sampling, with a bit for each counter */

/*
 * Load latency: PMC 18, if it exists, holds a threshold in core cycles (16 bits).  If bit
 * PFM_INTEL_PEBS_LATENCY + n of PMC 17 is set, counter n samples only loads that take longer than
 * the threshold, and the record (struct pfm_intel_pebs) contains the latency of the load.  In this
 * case, counter n must count event LOAD_LATENCY (01cdH).
 */
#define PFM_INTEL_LOAD_LATENCY	     18
#define PFM_INTEL_PEBS_LATENCY	     32

/*
 * PMCs that refine events of the general counters: OFFCORE selects requests and responses outside
 * of the core, FRONTEND selects events of the frontend.  Only some models have these registers.
 * perf may use the same registers, so the PMCs exist only with exclusive ownership of the counters.
 * The module refuses a value with a bit that the model does not have.
 */
#define PFM_INTEL_OFFCORE_0	     19
#define PFM_INTEL_OFFCORE_1	     31
#define PFM_INTEL_FRONTEND	     32

/*
 * Fields of PMC 0 to 15 that the module accepts.  The module also accepts unit mask 2 (bits 40 to
 * 47) and the equal flag (bit 36), each only if CPUID leaf 23H reports it.  It sets the enable bits
 * itself, and ignores these bits in values that a program writes.
 */
#define PFM_INTEL_PMC_EVENT	     0x000000ffull
#define PFM_INTEL_PMC_UMASK	     0x0000ff00ull
#define PFM_INTEL_PMC_USER	     (1ull << 16) /* USR: privilege levels 1 to 3 */
#define PFM_INTEL_PMC_KERNEL	     (1ull << 17) /* OS: privilege level 0 */
#define PFM_INTEL_PMC_EDGE	     (1ull << 18)
#define PFM_INTEL_PMC_INVERT	     (1ull << 23)
#define PFM_INTEL_PMC_CMASK	     0xff000000ull

/* Bits of PMC 16: the privilege levels at which fixed counter n (0 to 15) counts. */
#define PFM_INTEL_FIXED_KERNEL(n)    (1ull << (4 * (n)))
#define PFM_INTEL_FIXED_USER(n)	     (2ull << (4 * (n)))

/* Numbers of the fixed counters, named after what they count. */
#define PFM_INTEL_FIXED_INSTRUCTIONS 0
#define PFM_INTEL_FIXED_CYCLES	     1
#define PFM_INTEL_FIXED_REF_CYCLES   2
#define PFM_INTEL_FIXED_SLOTS	     3

/* Last branch records: the PMC, the PMDs of entry i, and the bits of the PMC. */
#define PFM_INTEL_LBR_CONTROL	     30
#define PFM_INTEL_LBR_FROM(i)	     (32 + 2 * (i))
#define PFM_INTEL_LBR_TO(i)	     (33 + 2 * (i))
#define PFM_INTEL_LBR_INFO(i)	     (96 + (i))

#define PFM_INTEL_LBR_KERNEL	     (1ull << 1) /* branches that end at privilege level 0 */
#define PFM_INTEL_LBR_USER	     (1ull << 2) /* branches that end at privilege levels 1 to 3 */
#define PFM_INTEL_LBR_CALL_STACK     (1ull << 3) /* a return removes the entry of its call */
#define PFM_INTEL_LBR_CONDITIONAL    (1ull << 16) /* conditional branches that are taken */
#define PFM_INTEL_LBR_JUMP	     (1ull << 17) /* near relative jumps */
#define PFM_INTEL_LBR_INDIRECT_JUMP  (1ull << 18)
#define PFM_INTEL_LBR_CALL	     (1ull << 19) /* near relative calls */
#define PFM_INTEL_LBR_INDIRECT_CALL  (1ull << 20)
#define PFM_INTEL_LBR_RETURN	     (1ull << 21)
#define PFM_INTEL_LBR_OTHER	     (1ull << 22) /* far branches, interrupts, system calls */
#define PFM_INTEL_LBR_ALL	     (0x7full << 16)

/*
 * The value of PMC 30 for PFM_CALLCHAIN_RECORDED.  With this value, each last branch record
 * describes a call that the program has made and that has not returned.
 */
#define PFM_INTEL_LBR_CALLERS                                                            \
	(PFM_INTEL_LBR_USER | PFM_INTEL_LBR_CALL_STACK | PFM_INTEL_LBR_CALL |            \
	 PFM_INTEL_LBR_INDIRECT_CALL | PFM_INTEL_LBR_RETURN)

/**
 * struct pfm_intel_pebs - payload of a precise sample: what the processor recorded
 * @format: format of the processor's records, bits 11 to 8 of IA32_PERF_CAPABILITIES.  Fields that
 *	the format does not have are 0.
 * @instruction: address of the instruction that caused the event; formats 2 and later
 * @ip: address of the next instruction
 * @flags: RFLAGS.  All registers have the values that they had after the instruction.
 * @r: R8 to R15
 * @address: linear address of the data; formats 1 to 3
 * @source: source of the data, in the SDM's encoding for the model; formats 1 to 3
 * @latency: duration of the access in cycles; formats 1 to 3
 * @tsc: time-stamp counter when the record was written; formats 3 and later
 */
struct pfm_intel_pebs {
	__u64 format;
	__u64 instruction;
	__u64 ip;
	__u64 flags;
	__u64 ax;
	__u64 bx;
	__u64 cx;
	__u64 dx;
	__u64 si;
	__u64 di;
	__u64 bp;
	__u64 sp;
	__u64 r[8];
	__u64 address;
	__u64 source;
	__u64 latency;
	__u64 tsc;
};

#endif
