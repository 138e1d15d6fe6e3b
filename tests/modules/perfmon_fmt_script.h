/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sampling format "script": its callbacks return the answers that a test has chosen, and record the
 * calls. The module and the test (sampling/format_answers.c) include this header.
 */
#ifndef PERFMON_FMT_SCRIPT_H
#define PERFMON_FMT_SCRIPT_H

#include <linux/types.h>

#define SCRIPT_ANSWERS 4
#define SCRIPT_PAYLOAD 24

/*
 * The callbacks handler() and restart() return the answers in @handler and @restart, one after the
 * other. The answers are flags PFM_CONTROL_* (perfmon_format.h). If one of the callbacks is called
 * more than SCRIPT_ANSWERS times, it returns its last answer again. @init is the value that the
 * callback init() returns: 0 or a negative errno. The first version of this structure ended with
 * @init.
 */
struct script_argument {
	__u32 handler[SCRIPT_ANSWERS];
	__s32 restart[SCRIPT_ANSWERS]; /* or negative errnos */
	__s32 init;
	__u32 without_buffer; /* 1: keep the data in private memory instead of the buffer */
};

/*
 * This structure is in the buffer, which has one page, or in the private memory. The parameters of
 * the module are counts. "begun" counts the instances that were initialised, "ended" counts the
 * instances that have exited, and "late" counts callbacks after the exit of their instance.
 * "last_samples" is the number of samples of the instance that ended last.
 */
struct script_buffer {
	__u64 samples;
	__u64 restarts;
	__u64 active; /* @active of the last call of restart() */
	__u64 value; /* the first recorded value of the last sample */
	__u64 second_value;
	__u64 ip; /* the fields from here to @set are those of the last sample */
	__u64 payload[SCRIPT_PAYLOAD]; /* as many bytes of the payload as fit */
	__u32 payload_size;
	__u32 ip_is_exact;
	__u32 pmd; /* the PMD that overflowed */
	__u32 set;
	struct script_argument answers;
};

#endif
