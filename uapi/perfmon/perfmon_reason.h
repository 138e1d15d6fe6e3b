/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/* perfmon: the reasons why calls fail.  Programs include perfmon_ioctl.h. */
#ifndef _PERFMON_PERFMON_REASON_H
#define _PERFMON_PERFMON_REASON_H

#include <linux/types.h>

/*
 * The number of a reason never changes; new reasons are added before PFM_REASON_COUNT_OF_REASONS.
 * libpfmdev has a sentence for each reason.
 */
enum pfm_reason {
	PFM_REASON_NONE = 0,
	PFM_REASON_FAULT,
	PFM_REASON_MEMORY,
	PFM_REASON_NO_CONTEXT,
	PFM_REASON_HAS_CONTEXT,
	PFM_REASON_COUNT,
	PFM_REASON_TOO_LONG,
	PFM_REASON_RESERVED,
	PFM_REASON_FLAGS,
	PFM_REASON_UNSUPPORTED,
	PFM_REASON_NO_PMU,
	PFM_REASON_PMU_HELD,
	PFM_REASON_GROUP,
	PFM_REASON_NO_PMC,
	PFM_REASON_NO_PMD,
	PFM_REASON_PMD_HELD,
	PFM_REASON_PMC_VALUE,
	PFM_REASON_NOT_A_COUNTER,
	PFM_REASON_PMD_UNUSED,
	PFM_REASON_NO_SET,
	PFM_REASON_SET_ZERO,
	PFM_REASON_LOADED,
	PFM_REASON_UNLOADED,
	PFM_REASON_NO_THREAD,
	PFM_REASON_THREAD_ENDED,
	PFM_REASON_KERNEL_THREAD,
	PFM_REASON_PERMISSION,
	PFM_REASON_THREAD_TAKEN,
	PFM_REASON_NOTHING_TO_RESTART,
	PFM_REASON_TIMEOUT,
	PFM_REASON_NO_FORMAT,
	PFM_REASON_FORMAT_SIZE,
	PFM_REASON_FORMAT_ARGUMENT,
	PFM_REASON_BUFFER_LIMIT,
	PFM_REASON_BUFFER_MEMLOCK,
	PFM_REASON_BLOCK_SELF,
	PFM_REASON_SMPL_PMDS,
	PFM_REASON_RESET_PMDS,
	PFM_REASON_SET_LIMIT,
	PFM_REASON_SET_MEMORY,
	PFM_REASON_SWITCH_COUNT,
	PFM_REASON_FORMAT,
	PFM_REASON_SIZE,
	PFM_REASON_TAIL,
	PFM_REASON_FORMAT_NAME,
	PFM_REASON_ONLY_SAMPLED,
	PFM_REASON_PMU_REFUSES,
	PFM_REASON_PARANOID,
	PFM_REASON_MAY_NOT_BLOCK,
	PFM_REASON_SET_SHARE,
	PFM_REASON_SYS_GROUP,
	PFM_REASON_NO_CPU,
	PFM_REASON_FOREIGN_CPU,
	PFM_REASON_CPU_OFFLINE,
	PFM_REASON_CPU_TAKEN,
	PFM_REASON_OF_THREAD,
	PFM_REASON_COPIES,
	PFM_REASON_COPIED_SETS,
	PFM_REASON_SHARED_PMU,
	PFM_REASON_NO_LEVELS,
	PFM_REASON_NO_BUFFER,
	PFM_REASON_KEEPS_NO_COUNTS,
	PFM_REASON_NO_COUNTS,
	PFM_REASON_COUNT_OF_REASONS
};

#define PFM_NO_INDEX 0xffffffffu

/**
 * struct pfm_error - the error of the last unsuccessful call on this descriptor
 * @operation: out: ioctl number of that call (_IOC_NR of the command)
 * @error: out: errno of that call
 * @reason: out: enum pfm_reason
 * @index: out: number of the wrong element of the vector, PFM_NO_INDEX if there is none
 * @value: out: the value that caused the error; 0 if this reason has no value
 * @holder: out: if the PMU or a register is held: the name of the holder, such as "perf", or "" if
 *	the holder is unknown.  If the PMU module refuses the context: the cause, as text.  In all
 *	other cases: ""
 */
struct pfm_error {
	__u32 operation;
	__s32 error;
	__u32 reason;
	__u32 index;
	__u64 value;
	char holder[40];
};

#endif
