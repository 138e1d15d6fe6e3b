/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * Sampling format "hist": a profile that the kernel adds up.
 *
 * No sample is copied: each adds to the entry of its (process, instruction, event
 * set, PMD).  The buffer is struct pfm_hist_hdr and a hash table of struct
 * pfm_hist_entry.  It may be read at any time; entries are never taken away, and
 * sums only grow.  No message is sent and monitoring never stops: there is nothing to
 * restart (EBUSY).
 *
 * A sample looks for its entry in no more than PFM_HIST_NEIGHBOURS places, so that what it
 * costs is bounded.  If they all belong to others it is counted as lost; a table of
 * twice as many entries as there are instructions loses next to none.
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
 * @entries: in: size of the table, a power of two, 16 to PFM_HIST_MAX_ENTRIES
 * @flags: in: 0
 * @reserved: in: 0
 *
 * EINVAL if one of these does not hold, or there is no argument.
 */
struct pfm_hist_arg {
	__u32 entries;
	__u32 flags;
	__u64 reserved[7];
};

/**
 * struct pfm_hist_hdr - head of the buffer, 128 bytes; the table follows
 * @version: PFM_HIST_VERSION
 * @entries: size of the table
 * @used: entries in use
 * @produced: samples: the sum of all counts, and @lost
 * @lost: samples for which there was no entry left
 * @lost_sum: sum of their periods
 * @throttled: times monitoring waited for a tick because of too many
 *	interrupts
 * @reserved: zero
 *
 * Each sample counts in its entry or @lost before it does in @produced.
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
 * struct pfm_hist_entry - what came together at an instruction, 32 bytes
 * @tgid: process, as the one who loaded the context sees it
 * @set: event set
 * @pmd: PMD that overflowed
 * @ip: instruction, as in pfm_dfl_smpl_entry
 * @count: samples; 0 if the entry is not in use
 * @sum: sum of their periods (pfm_dfl_smpl_entry.last_reset_val)
 *
 * The rest of an entry is there before its @count is not 0, and a sample is in @sum
 * before it is in @count.
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
