/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PERFMON_CONTEXT_H
#define PERFMON_CONTEXT_H

#include <linux/fs.h>
#include <linux/irq_work.h>
#include <linux/list.h>
#include <linux/list_nulls.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/xarray.h>
#include <perfmon_format.h>
#include <perfmon_pmu.h>

#include "base/block.h"
#include "counting/buffer.h"
#include "counting/cpu.h"
#include "counting/message.h"
#include "set.h"

struct pfm_instances;

#define PFM_NO_CPU	   (-1)

/* Size of pfm_context.arguments, in bytes.  (PAGE_SIZE would be too large on some machines.) */
#define PFM_ARGUMENTS_SIZE 4096

/**
 * struct pfm_attachment - the connection of a context with a thread, or with a CPU
 *
 * bound.c describes a load on a CPU, which uses only @cpu and @sees_kernel.  A load on a
 * thread has three steps.
 * 1. The attachment is entered in the thread table.  It is pending: the hooks find it, but
 *    the context is still unloaded, and nothing that the user can see has changed.
 * 2. The thread is checked.  From step 1 on, the hooks notice if the thread ends or executes a
 *    program.
 * 3. The attachment is committed: the context is loaded.
 * A step that fails drops the attachment.  If the thread ends or executes a program that the
 * loader may not monitor, the hooks drop the attachment, whether it is pending or committed.
 *
 * Protected by the context's lock.  The hooks read @self, @sees_kernel and @follows without
 * the lock; these fields do not change while the attachment is in the table.  A load on a CPU sets
 * the fields before it binds the context.  At that time only the load uses them, so it needs only
 * the mutex.
 *
 * @task: the monitored thread, with a reference; NULL: none
 * @cpu: the CPU to which a system-wide context is bound
 * @tid: number of the thread in the loader's pid namespace
 * @tgid: number of the thread's process in the same namespace
 * @name: the name that the thread had when the attachment was dropped
 * @self: the thread loaded the context on itself
 * @sees_kernel: the loader had CAP_PERFMON, and the context may count at kernel level
 * @follows: the context stays loaded when the thread executes a privileged program
 * @block: blocks the thread until a restart; NULL without PFM_FL_NOTIFY_BLOCK.  After an
 *	unload it may remain until the next load.  Changed only with both the mutex and the lock
 *	held
 */
struct pfm_attachment {
	struct task_struct *task;
	unsigned int cpu;
	u32 tid;
	u32 tgid;
	char name[TASK_COMM_LEN];
	bool self;
	bool sees_kernel;
	bool follows;
	struct pfm_block *block;
};

/**
 * struct pfm_context - the object behind an open file of /dev/perfmon
 *
 * Ownership: the open file owns the context; when the file is released, the context is
 * unloaded.  It is freed after an RCU grace period, because the scheduler hooks may
 * still look at it.  While loaded, the context holds a reference to its thread.
 *
 * Locking:
 *
 * @mutex lets one call at a time work on the context.  It is taken in process context only.  To use
 * the list of event sets, the bitmaps of used registers, the error or the argument buffer, a call
 * needs only @mutex, not @lock.  Sets are created and deleted only while the context is unloaded.
 * So the hooks and the overflow handler can read the list of a loaded context without @mutex.
 *
 * @lock protects the data that both calls and scheduler hooks change: state, attachment,
 * CPU, messages, values of registers.  It is taken with interrupts off.  The only lock that is
 * taken under @lock is the lock of the thread table.
 *
 * Where the registers are: while @cpu is PFM_NO_CPU, they are in memory, and the holder of @lock
 * may change them.  While @cpu is the number of a CPU, that CPU has them, and only that CPU may
 * change them, with @lock held.  pfm_context_call() calls a function on that CPU.  To read the
 * registers on that CPU, it is enough to turn interrupts off, see pfm_snapshot().  The overflow
 * handler may run in an NMI and takes no lock.  It runs on that CPU and uses the context only while
 * the CPU's "running" (struct pfm_cpu) points to one of the context's sets.  Other code clears
 * "running" before it changes anything (pfm_pause()).  The handler cannot wake anybody; it leaves
 * that to @notification.
 */
struct pfm_context {
	/* Fixed: set at creation, before anybody else uses the context.  Read without a lock. */
	struct pfm_pmu *pmu; /* NULL before creation */
	u32 flags; /* PFM_FL_* */
	struct pid *creator; /* process that made the context; NULL: not system-wide */
	struct pfm_cpu __percpu *cpus; /* system-wide: data of the CPUs, see pfm_here() */
	bool user_level; /* may count at user level only, see struct pfm_register */
	const struct pfm_format *format; /* NULL: none; copies have their parent's format */
	struct pfm_format_instance instance; /* of @format */
	struct pfm_buffer *buffer; /* of @instance; NULL: none */
	struct pfm_instances *instances; /* one per CPU, shared with copies; NULL: none */
	struct pfm_user *user; /* who created the context */
	struct pfm_copies *copies; /* shared with the copies; NULL: no inheritance */

	/*
	 * The process that loaded the context last, with a reference; NULL in a copy.  Changes
	 * only while the context is unloaded and has no living copies.  It is not a field of
	 * @attachment, because the copies need it after the attachment was dropped: their threads
	 * may end after the parent's thread.
	 */
	struct pid *loader;

	/* Protected by the mutex: fields that only calls use. */
	struct mutex mutex;
	struct list_head sets; /* in the order of their numbers */
	struct xarray set_index; /* the same sets, by number */
	u32 set_count;
	u64 used_pmds[PFM_HARDWARE_BV]; /* PMDs that are in use in any set */
	bool sets_deleted; /* @used_pmds may have PMDs that no set uses any more */
	struct pfm_error error;
	void *arguments; /* memory for the present call, such as a copy of its vector */

	/*
	 * Protected by the lock: the connection with the thread.  Calls and the thread's hooks
	 * change it.
	 */
	raw_spinlock_t lock;
	struct pfm_attachment attachment;
	bool closed; /* unloaded because of a program that the loader may not monitor */
	u64 loads; /* number of loads */
	struct pfm_use *use; /* what the context has claimed, while loaded: see claim.h */
	struct pfm_queue queue; /* locking: see struct pfm_queue */

	/*
	 * While a CPU has the registers, these fields are changed only on that CPU: by the holder
	 * of the lock, or by the overflow handler.  While the registers are in memory, the holder
	 * of the lock may change the fields on any CPU.  pfm_assert_here() checks the CPU.  There is
	 * one exception: while the context is unloaded, nobody but calls reads @active, so it is
	 * enough to hold the mutex.
	 */
	int cpu; /* the CPU that has the registers; PFM_NO_CPU: they are in memory */
	u32 state; /* PFM_STATE_* */
	bool started; /* between start and stop */
	bool monitoring; /* started and not masked */
	bool counting; /* the counters of @cpu count for this context */
	bool switch_due; /* the restart switches to the next set */
	struct pfm_set *active;
	u64 since; /* when monitoring began on @cpu, ns */
	struct pfm_context_statistics statistics;
	u64 foreign_runs;
	u32 credit; /* number of allowed restarts; each notification adds one */

	/*
	 * Wakes readers, sends signals, and arranges that the thread blocks.  May be queued in an
	 * NMI.
	 */
	struct irq_work notification;

	/* Protected by the lock of the thread table. */
	struct hlist_nulls_node nodes[2];

	/* Used in copies only; protected by the lock of @copies, see copies.h */
	struct list_head copy_node;
	u64 configuration;
	u64 reading; /* number of the last reading that included this copy; protected by @lock */

	/* To free the context when no hook looks at it any more. */
	struct rcu_head rcu;
};

/*
 * Check that the caller runs where the registers are.  Without lockdep, nothing is checked.  A
 * function that must run there calls this one, unless a function that it always calls does so.
 */
static inline void pfm_assert_here(const struct pfm_context *context)
{
	lockdep_assert(irqs_disabled());
	lockdep_assert(context->cpu == PFM_NO_CPU ||
		       context->cpu == raw_smp_processor_id());
}

/*
 * Mutex held, so that nobody loads the context at the same time.  The thread's hooks hold only
 * the lock; they may unload the context at any time, and store the state last.  If this function
 * returns true, the thread's CPU does not use the context any more, so the caller may change and
 * free the context's parts.
 */
static inline bool pfm_is_unloaded(const struct pfm_context *context)
{
	return smp_load_acquire(&context->state) == PFM_STATE_UNLOADED;
}

/* Return: whether the context is system-wide: it monitors a CPU, not a thread. */
static __always_inline bool pfm_is_bound(const struct pfm_context *context)
{
	return static_branch_unlikely(&pfm_bound_contexts) &&
	       context->flags & PFM_FL_SYSTEM_WIDE;
}

/* Return: this CPU's data for the context.  Called with interrupts off, perhaps in an NMI. */
static __always_inline struct pfm_cpu *pfm_here(const struct pfm_context *context)
{
	if (pfm_is_bound(context))
		return this_cpu_ptr(context->cpus);
	return this_cpu_ptr(&pfm_cpu);
}

/* Return: whether samples and messages may contain kernel addresses. */
static inline bool pfm_may_see_kernel(const struct pfm_context *context)
{
	return context->attachment.sees_kernel;
}

/* Return: the set with the number @id, or NULL if there is none.  Mutex held. */
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
