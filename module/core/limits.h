/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PERFMON_LIMITS_H
#define PERFMON_LIMITS_H

#include <linux/atomic.h>
#include <linux/types.h>

#define PFM_DEBUG_CALLS	 0x1 /* log calls that fail */
#define PFM_DEBUG_TIMING 0x4 /* measure the statistics of time */

/* Who may count without CAP_PERFMON, and kernel level is as perf has it in each */
enum pfm_policy {
	PFM_POLICY_PERF, /* as kernel.perf_event_paranoid says, and task_group */
	PFM_POLICY_USER, /* everybody, at user level */
	PFM_POLICY_GROUP, /* task_group */
};

/* Settings of /sys/kernel/perfmon; single words, read without lock. */
struct pfm_limits {
	unsigned long arg_mem_max; /* bytes of a vector, at least a page */
	enum pfm_policy policy;
	int sys_group; /* gid that may make system-wide contexts, -1 none */
	int task_group; /* gid that may make contexts on threads, -1 none */
	int debug; /* PFM_DEBUG_* */
	unsigned long smpl_buffer_mem_max; /* bytes of all sampling buffers */
	unsigned long max_interrupts_per_tick; /* of an event set, see throttle.c */
	unsigned long max_sets; /* event sets of a context */
	unsigned long set_mem_max; /* bytes of all event sets */
	unsigned long min_switch_timeout; /* ns until the next set at least */
};

extern struct pfm_limits pfm_limits;

/* Loaded contexts on threads. */
extern atomic_t pfm_task_sessions;

void pfm_limits_init(void);

#endif
