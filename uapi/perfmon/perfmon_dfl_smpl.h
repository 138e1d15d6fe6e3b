/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * Sampling format "default": every sample is an entry in a linear buffer.
 *
 * The buffer (mmap() of the context, read-only) begins with struct pfm_dfl_smpl_hdr; the entries
 * follow without padding.  An entry is a struct pfm_dfl_smpl_entry, followed by the values of PMDs.
 * The PMD that overflowed selects these PMDs with its reg_smpl_pmds.  The values are in ascending
 * order of the PMDs' numbers; each value is a __u64.
 *
 * In each entry, @values says how many values follow, and which clock @tstamp was read from.  The
 * number of values may change from entry to entry, because each PMD has its own reg_smpl_pmds, and
 * a program may change reg_smpl_pmds between two entries.
 *
 * The buffer is full when an entry of the largest size no longer fits.  Then monitoring is masked,
 * and if the PMD that overflowed has PFM_REGFL_OVFL_NOTIFY, a notification is sent.
 * PFM_IOC_RESTART empties the buffer and unmasks monitoring.
 *
 * If each CPU has a buffer (see PFM_BUFFER_OFFSET()), a full buffer does not mask monitoring.  Then
 * PFM_IOC_RESTART_CPU empties the buffer of one CPU.
 *
 * The layout is that of perfmon2, but uses some fields that are reserved in perfmon2.
 */
#ifndef _PERFMON_PERFMON_DFL_SMPL_H
#define _PERFMON_PERFMON_DFL_SMPL_H

#include <linux/types.h>

#define PFM_DFL_SMPL_NAME	 "default"
#define PFM_DFL_SMPL_UUID	 "d139b29e-62e8-40e4-b402-73078792e937"
#define PFM_DFL_SMPL_VERSION	 0x10001u /* 1.1: entries have @values; 1.0: as in perfmon2 */

/* pfm_dfl_smpl_entry.values */
#define PFM_SMPL_VALUES(values)	 ((values)&0xfff) /* number of values that follow */
#define PFM_SMPL_CLOCK(values)	 ((values) >> 12) /* PFM_SMPL_CLOCK_* */
#define PFM_SMPL_CLOCK_SCHEDULER 1 /* ns of the scheduler's clock, as in perf's samples */

/**
 * struct pfm_dfl_smpl_arg - argument of the format at creation, 64 bytes
 * @buf_size: in: size of the buffer in bytes, including the header
 * @buf_flags: in: 0
 * @reserved1: in: 0
 * @reserved: in: 0
 *
 * PFM_IOC_CREATE_CONTEXT fails with EINVAL if a value is out of range, if there is no argument, or
 * if the buffer cannot hold the header and one entry with the values of all PMDs of the PMU.
 */
struct pfm_dfl_smpl_arg {
	__u64 buf_size;
	__u32 buf_flags;
	__u32 reserved1;
	__u64 reserved[6];
};

/**
 * struct pfm_dfl_smpl_hdr - head of the buffer, 128 bytes
 * @hdr_count: number of entries in the buffer
 * @hdr_cur_offs: offset of the first free byte, from the beginning of the buffer
 * @hdr_overflows: how often the buffer became full
 * @hdr_buf_size: size of the buffer in bytes, as in pfm_dfl_smpl_arg.buf_size
 * @hdr_min_buf_space: size of the largest entry in bytes; the buffer is full if fewer bytes are
 *	free
 * @hdr_version: PFM_DFL_SMPL_VERSION
 * @hdr_buf_flags: zero
 * @hdr_lost: number of samples that did not fit into the buffer (0 in perfmon2)
 * @hdr_throttled: how often an event set was throttled (0 in perfmon2)
 * @hdr_reserved: zero
 *
 * The format first writes an entry, then adds its size to @hdr_cur_offs, and then counts it in
 * @hdr_count.  A restart resets @hdr_cur_offs and @hdr_count.  @hdr_overflows, @hdr_lost and
 * @hdr_throttled only grow.
 */
struct pfm_dfl_smpl_hdr {
	__u64 hdr_count;
	__u64 hdr_cur_offs;
	__u64 hdr_overflows;
	__u64 hdr_buf_size;
	__u64 hdr_min_buf_space;
	__u32 hdr_version;
	__u32 hdr_buf_flags;
	__u64 hdr_lost;
	__u64 hdr_throttled;
	__u64 hdr_reserved[8];
};

/**
 * struct pfm_dfl_smpl_entry - a sample, 40 bytes; values follow
 * @pid: id of the thread (tid), as the loader of the context sees it; in a system-wide context, as
 *	in pfarg_ovfl_msg.msg_ovfl_pid
 * @ovfl_pmd: number of the PMD that overflowed
 * @values: PFM_SMPL_VALUES(@values) is the number of values that follow.  PFM_SMPL_CLOCK(@values)
 *	is the clock of @tstamp.  In perfmon2 @values is 0
 * @last_reset_val: value of the PMD when the period began, which is the negative of the period
 * @ip: address of the instruction that the hardware recorded or, if it recorded none, of the
 *	interrupted instruction.  If the interrupted instruction is in the kernel, and the user may
 *	not see kernel addresses, this field is the user-level address at which the thread entered
 *	the kernel, or 0 if the thread runs no user code
 * @tstamp: time of the sample; see @values for the clock
 * @cpu: number of the CPU
 * @set: number of the event set
 * @tgid: id of the thread's process, in the same pid namespace as @pid
 */
struct pfm_dfl_smpl_entry {
	__u32 pid;
	__u16 ovfl_pmd;
	__u16 values;
	__u64 last_reset_val;
	__u64 ip;
	__u64 tstamp;
	__u16 cpu;
	__u16 set;
	__u32 tgid;
};

#ifndef __KERNEL__
typedef struct pfm_dfl_smpl_arg pfm_dfl_smpl_arg_t;
typedef struct pfm_dfl_smpl_hdr pfm_dfl_smpl_hdr_t;
typedef struct pfm_dfl_smpl_entry pfm_dfl_smpl_entry_t;
#endif

#endif
