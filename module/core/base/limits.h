/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PERFMON_LIMITS_H
#define PERFMON_LIMITS_H

#include <linux/atomic.h>
#include <linux/types.h>

#define PFM_DEBUG_CALLS	 0x1 /* log calls that fail */
#define PFM_DEBUG_TIMING 0x4 /* measure times for the statistics */

/*
 * The users who may count without CAP_PERFMON.  Whatever the policy is, kernel.perf_event_paranoid
 * decides whether these users may also count at kernel level.
 */
enum pfm_policy {
	PFM_POLICY_PERF, /* all users if perf_event_paranoid <= 2; if not, members of task_group */
	PFM_POLICY_USER, /* all users */
	PFM_POLICY_GROUP, /* members of task_group */
};

/* The settings in /sys/kernel/perfmon.  Each setting is one word, so it is read without a lock. */
struct pfm_limits {
	unsigned long arg_mem_max; /* largest vector, in bytes; at least a page */
	enum pfm_policy policy;
	int sys_group; /* group that may create system-wide contexts; -1: no group */
	int task_group; /* group that may create contexts on threads; -1: no group */
	int debug; /* PFM_DEBUG_* */
	unsigned long smpl_buffer_mem_max; /* maximum total size of all buffers, in bytes */
	unsigned long max_interrupts_per_tick; /* maximum for each set, see throttle.c */
	unsigned long max_sets; /* maximum number of event sets of a context */
	unsigned long set_mem_max; /* maximum total size of all event sets, in bytes */
	/* maximum total size of one user's event sets, in bytes */
	unsigned long set_user_max;
	unsigned long min_switch_timeout; /* shortest timeout of a set, ns */
	unsigned long max_copies; /* maximum number of living copies of a context */
};

extern struct pfm_limits pfm_limits;

/* Called once, when the module is loaded. */
void pfm_limits_init(void);

enum pfm_memory {
	PFM_MEMORY_BUFFERS, /* sampling buffers */
	PFM_MEMORY_SETS, /* event sets */
	PFM_MEMORY_KINDS,
};

struct pfm_context;
struct pfm_user;

/*
 * Process context, may sleep.  Return: the user, with a reference; NULL if the allocation failed.
 * The reference stays valid after the caller's process has ended.
 */
struct pfm_user *pfm_user_of_caller(void);
struct pfm_user *pfm_user_get(struct pfm_user *user);
void pfm_user_put(struct pfm_user *user);

/*
 * Charge the user who created the context.  Process context, mutex held.
 * Return: 0, or -ENOMEM.  After -ENOMEM, context->error tells which limit was reached.
 */
int pfm_charge(struct pfm_context *context, enum pfm_memory memory, size_t size);
/*
 * Charge @user for a copy.  May be called anywhere, even in an NMI; no lock is needed.  If
 * @privileged is true, the same limits apply as in pfm_charge() for a caller with CAP_PERFMON.
 * Return: false if a limit is reached.
 */
bool pfm_charge_copy(struct pfm_user *user, size_t size, bool privileged);
void pfm_uncharge(struct pfm_user *user, enum pfm_memory memory, size_t size);

/* Return: number of bytes that are charged to all users together. */
unsigned long pfm_memory_in_use(enum pfm_memory memory);

#endif
