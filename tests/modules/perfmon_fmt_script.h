/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sampling format "script": answers the core as a test has written it down, and notes what
 * it was asked.  The module and the test (sampling/format_answers.c) include this.
 */
#ifndef PERFMON_FMT_SCRIPT_H
#define PERFMON_FMT_SCRIPT_H

#include <linux/types.h>

#define SCRIPT_ANSWERS 4
#define SCRIPT_PAYLOAD 4

/*
 * Answers are PFM_CONTROL_* of perfmon_format.h; the last of them holds for all after it.
 * What init returns is 0 or a negative errno.  In the first version that was the last field.
 */
struct script_argument {
	__u32 handler[SCRIPT_ANSWERS];
	__s32 restart[SCRIPT_ANSWERS]; /* or a negative errno */
	__s32 init;
	__u32 without_buffer; /* 1: what would be in the buffer is in private memory only */
};

/*
 * The buffer, of a page, or private memory.  Parameters of the module tell of "begun" and
 * "ended", instances so far, "late", callbacks after exit, and "last_samples", of the instance
 * that ended last.
 */
struct script_buffer {
	__u64 samples;
	__u64 restarts;
	__u64 active; /* what the last restart was told */
	__u64 value; /* the first that the last sample recorded */
	__u64 second_value;
	__u64 ip; /* of the last sample, as the rest */
	__u64 payload[SCRIPT_PAYLOAD]; /* as much of it as fits */
	__u32 payload_size;
	__u32 ip_is_exact;
	__u32 pmd; /* of the last sample */
	__u32 set;
	struct script_argument answers;
};

#endif
