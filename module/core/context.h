/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PERFMON_CONTEXT_H
#define PERFMON_CONTEXT_H

#include <linux/fs.h>
#include <linux/irq_work.h>
#include <linux/list.h>
#include <linux/list_nulls.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/xarray.h>
#include <perfmon_pmu.h>

#include "block.h"
#include "buffer.h"
#include "format.h"
#include "message.h"
#include "set.h"

#define PFM_NO_CPU	   (-1)

/* Of pfm_context.arguments.  A page of some machines is much more. */
#define PFM_ARGUMENTS_SIZE 4096

/**
 * struct pfm_context - what a file descriptor of /dev/perfmon stands for
 *
 * Ownership: the open file owns the context; its release unloads it and frees
 * it after an RCU grace period, because the scheduler hooks may still look at
 * it.  While loaded, the context holds a reference to its thread.
 *
 * Locking:
 *
 * @mutex lets one call at a time work on the context.  Process context only.
 * What it alone protects does not concern the scheduler: which event sets there are
 * and which of their registers are in use, the error, the argument buffer.  Sets come
 * and go only while the context is unloaded: who has it loaded may walk the list.
 *
 * @lock protects what the scheduler changes as well: state, thread, CPU,
 * messages, values of registers.  Interrupts off; innermost but for the lock of
 * the thread table.
 *
 * Where the registers are: while @cpu is PFM_NO_CPU they are in memory and
 * whoever holds @lock may change them.  Otherwise the thread runs on @cpu and
 * only that CPU may touch them, holding @lock: pfm_context_call() goes there.  To
 * look at them there interrupts off are enough, see pfm_context_look().
 * The overflow handler, which may be an NMI and takes no lock, runs on that CPU
 * too and looks at the context only while the CPU's "running" names its set:
 * who wants to change something clears that first (pfm_pause()).  What it has to tell
 * to somebody is left to @notification.
 */
struct pfm_context {
	/* fixed from creation on */
	struct pfm_pmu *pmu; /* NULL before creation */
	u32 flags; /* PFM_FL_* */
	bool user_level; /* the PMU counts at user level only, see struct pfm_register */
	const struct pfm_format *format; /* NULL: none */
	struct pfm_format_instance instance; /* of @format */
	struct pfm_buffer *buffer; /* of @instance; NULL: none */
	struct pfm_user *user; /* who made it */

	/* under mutex */
	struct mutex mutex;
	struct list_head sets; /* in the order of their numbers */
	struct xarray set_index; /* the same by number */
	u32 set_count;
	u64 used_pmds[PFM_HARDWARE_BV]; /* in any set */
	bool sets_deleted; /* @used_pmds may be too many */
	struct pfm_error error;
	void *arguments; /* for the vectors of calls, and other things of one call */

	/* under lock */
	raw_spinlock_t lock;
	u32 state; /* PFM_STATE_* */
	bool self; /* loaded by its thread on itself */
	bool sees_kernel; /* loaded with CAP_PERFMON, and not for @user_level */
	bool follows; /* its thread into a program that gains privileges */
	bool closed; /* unloaded by the exec of a program that is closed to its loader */
	bool started; /* between start and stop */
	bool monitoring; /* started and not masked */
	bool counting; /* the hardware of @cpu counts for it */
	int cpu; /* where its thread runs, or PFM_NO_CPU */
	struct task_struct *task;
	struct pfm_set *active;
	u64 loads; /* times it was loaded */
	struct pfm_use *use; /* what it has claimed, while loaded: see claim.h */
	bool switch_due; /* to the next set, at the restart */
	u64 interrupts; /* overflow interrupts while it counted */
	u64 since; /* when it began to monitor on @cpu, ns */
	u64 foreign_runs;
	u32 tid; /* of its thread, as who loaded it sees it */
	u32 tgid; /* of the thread's process, likewise */
	u32 credit; /* restarts that notifications wait for */
	struct pfm_block *
		block; /* PFM_FL_NOTIFY_BLOCK: of the last load; changed under mutex, too */
	struct pfm_queue queue;

	struct irq_work notification; /* wakes, signals and blocks */

	struct hlist_nulls_node nodes[2]; /* in the thread table, under its lock */
	struct rcu_head rcu;
};

/*
 * Mutex held, so that nobody loads it.  The end of its thread may unload it at any time, under
 * the lock alone, and says so last: who has seen it here may change and free what the thread's
 * CPU has used until then.
 */
static inline bool pfm_is_unloaded(const struct pfm_context *context)
{
	return smp_load_acquire(&context->state) == PFM_STATE_UNLOADED;
}

/* Addresses of the kernel, in samples and messages. */
static inline bool pfm_may_see_kernel(const struct pfm_context *context)
{
	return context->sees_kernel;
}

/* NULL if there is none; mutex held. */
static __always_inline struct pfm_set *pfm_set_find(struct pfm_context *context, u16 id)
{
	struct pfm_set *set = READ_ONCE(context->active);

	if (likely(set->id == id))
		return set;
	return xa_load(&context->set_index, id);
}

struct pfm_context *pfm_context_alloc(void);
void pfm_context_free(struct pfm_context *context);
int pfm_context_create(struct pfm_context *context, const struct pfm_create *create,
		       const char *name, const char *pmu_name);
void pfm_context_status(struct pfm_context *context, struct pfm_status *status);

#endif
