/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * Sampling format "hist": the kernel counts the samples of each instruction.
 *
 * Each sample is added to the entry for its process, instruction, event set and PMD.  The buffer
 * has a struct pfm_hist_hdr and a hash table of struct pfm_hist_entry.  The user may read the
 * buffer at any time: entries are never removed, and sums only grow.  The format sends no
 * notifications and never masks monitoring, so PFM_IOC_RESTART fails with EBUSY.
 *
 * To limit the cost of a sample, the format looks for the entry of the sample at only
 * PFM_HIST_NEIGHBOURS places of the table.  If other entries occupy all these places, the sample is
 * counted as lost.  Almost no samples are lost if the table has twice as many entries as there are
 * sampled instructions.
 */
#ifndef _PERFMON_PERFMON_HIST_H
#define _PERFMON_PERFMON_HIST_H

#include <linux/types.h>

#define PFM_HIST_NAME	     "hist"
#define PFM_HIST_UUID	     "c7409b6a-2d15-4e8b-b3f0-8ad1e95c2647"
#define PFM_HIST_VERSION     0x10000u /* 1.0 */
#define PFM_HIST_MAX_ENTRIES (1u << 24)
#define PFM_HIST_NEIGHBOURS  32

/**
 * struct pfm_hist_arg - argument of the format at creation, 64 bytes
 * @entries: in: size of the table in entries, a power of two, 16 to PFM_HIST_MAX_ENTRIES
 * @flags: in: 0
 * @reserved: in: 0
 *
 * PFM_IOC_CREATE_CONTEXT fails with EINVAL if a value is out of range, or if there is no argument.
 */
struct pfm_hist_arg {
	__u32 entries;
	__u32 flags;
	__u64 reserved[7];
};

/**
 * struct pfm_hist_hdr - head of the buffer, 128 bytes; the table follows
 * @version: PFM_HIST_VERSION
 * @entries: number of entries that the table has room for
 * @used: number of entries in use
 * @produced: number of all samples: the sum of the counts of all entries, plus @lost
 * @lost: number of samples for which no entry was free
 * @lost_sum: sum of the periods of lost samples
 * @throttled: how often an event set was throttled
 * @reserved: zero
 *
 * A sample is counted in its entry or in @lost before it is counted in @produced.
 */
struct pfm_hist_hdr {
	__u32 version;
	__u32 entries;
	__u64 used;
	__u64 produced;
	__u64 lost;
	__u64 lost_sum;
	__u64 throttled;
	__u64 reserved[10];
};

/**
 * struct pfm_hist_entry - the samples of an instruction, 32 bytes
 * @tgid: id of the process, as in pfm_dfl_smpl_entry
 * @set: number of the event set
 * @pmd: number of the PMD that overflowed
 * @ip: address of the instruction, as in pfm_dfl_smpl_entry
 * @count: number of samples; 0 if the entry is not in use
 * @sum: sum of the samples' periods (negatives of pfm_dfl_smpl_entry.last_reset_val)
 *
 * All fields of an entry are valid as soon as @count is not 0.  The period of a sample is added to
 * @sum before the sample is counted in @count.
 */
struct pfm_hist_entry {
	__u32 tgid;
	__u16 set;
	__u16 pmd;
	__u64 ip;
	__u64 count;
	__u64 sum;
};

#endif
