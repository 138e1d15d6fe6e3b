/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PERFMON_STATISTICS_H
#define PERFMON_STATISTICS_H

#include <linux/jump_label.h>
#include <linux/sched.h>
#include <linux/types.h>
#include <perfmon/perfmon_ioctl.h>

#include "clock.h"

/* Each statistic is a file in the debugfs folder perfmon/cpuN. */
#define PFM_STATISTICS(X)                                                                     \
	X(ovfl_intr_all_count) /* overflow interrupts */                                      \
	X(ovfl_intr_regular_count) /* overflow interrupts that found a wrapped counter */     \
	X(ovfl_intr_spurious_count) /* overflow interrupts that found no wrapped counter */   \
	X(ovfl_intr_nmi_count) /* overflow interrupts that were NMIs */                       \
	X(ovfl_intr_ns) /* ns in overflow interrupts, if measured */                          \
	X(ovfl_intr_timed_count) /* overflow interrupts that were timed */                    \
	X(ovfl_intr_timed_ns) /* ns in overflow interrupts that were timed */                 \
	X(ovfl_intr_replay_count) /* how often a halt found a wrapped counter */              \
	X(ovfl_notify_count) /* notifications */                                              \
	X(ovfl_throttle_count) /* how often an event set was throttled */                     \
	X(reset_pmds_count) /* how often PMDs got reset values */                             \
	X(pfm_restart_count) /* restarts */                                                   \
	X(fmt_handler_calls) /* samples given to formats */                                   \
	X(fmt_lost_count) /* samples that formats had no room for */                          \
	X(fmt_handler_ns) /* ns in formats, if measured */                                    \
	X(ctxswin_count) /* monitored threads switched in */                                  \
	X(ctxswin_ns) /* ns to switch monitored threads in, if measured */                    \
	X(ctxswout_count) /* monitored threads switched out */                                \
	X(ctxswout_ns) /* ns to switch monitored threads out, if measured */                  \
	X(set_switch_count) /* set switches */                                                \
	X(set_switch_ns) /* ns in set switches, if measured */                                \
	X(foreign_cpu_count) /* how often nothing was counted: see pfm_status.foreign_runs */ \
	X(copy_count) /* copies made at forks */                                              \
	X(not_followed_count) /* threads and child processes that got no copy */

/*
 * The additions are not atomic, because only the CPU itself changes its statistics, with
 * interrupts off.  A reset is the only exception.
 */
struct pfm_cpu_statistics {
#define PFM_STATISTIC_FIELD(name) u64 name;
	PFM_STATISTICS(PFM_STATISTIC_FIELD)
#undef PFM_STATISTIC_FIELD
};

/* The fields of struct pfm_statistics that are kept for each context and each copy. */
#define PFM_CONTEXT_STATISTICS(X)                                                        \
	X(interrupts)                                                                    \
	X(timed_interrupts)                                                              \
	X(timed_ns)                                                                      \
	X(notifications)                                                                 \
	X(samples)                                                                       \
	X(lost)                                                                          \
	X(throttled)                                                                     \
	X(set_switches)                                                                  \
	X(switches)

/* Return: how often the thread was switched out, as in /proc/TID/status. */
static inline u64 pfm_switches_of(const struct task_struct *task)
{
	return READ_ONCE(task->nvcsw) + READ_ONCE(task->nivcsw);
}

/*
 * What a context has done since its load.  Changed only where the context's registers are (see
 * struct pfm_context).  A load on a thread sets @switches to -n if the thread has been switched out
 * n times before: see pfm_statistics_begin().
 */
struct pfm_context_statistics {
#define PFM_STATISTIC_FIELD(name) u64 name;
	PFM_CONTEXT_STATISTICS(PFM_STATISTIC_FIELD)
#undef PFM_STATISTIC_FIELD
};

static inline void pfm_statistics_add(struct pfm_context_statistics *sum,
				      const struct pfm_context_statistics *more)
{
#define PFM_STATISTIC_ADD(name) sum->name += more->name;
	PFM_CONTEXT_STATISTICS(PFM_STATISTIC_ADD)
#undef PFM_STATISTIC_ADD
}

/*
 * True if the fields *_ns are measured.  Bit 2 of /sys/kernel/perfmon/debug decides that.  The
 * field ovfl_intr_timed_ns is an exception: it is always measured.
 */
DECLARE_STATIC_KEY_FALSE(pfm_timing);

/*
 * If times are measured, add the time since *@begun to *@sum, and then set *@begun to now.  If
 * *@begun was 0, nothing is added.
 */
static inline void pfm_timing_add(u64 *sum, u64 *begun)
{
	if (static_branch_unlikely(&pfm_timing)) {
		u64 now = pfm_clock();

		if (*begun)
			*sum += now - *begun;
		*begun = now;
	}
}

void pfm_statistics_init(void);
void pfm_statistics_exit(void);
void pfm_statistics_reset(void);

/* Fill in the counts of @cpu, which is a possible CPU. */
void pfm_statistics_of_cpu(unsigned int cpu, struct pfm_statistics *statistics);

#endif
