/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Inheritance: copies of a context.
 *
 * A context made with PFM_FL_INHERIT_* is the parent of copies.  When a monitored thread makes a
 * thread or a child process, the probe of PFM_HOOK_FORK loads a copy on the new thread before the
 * new thread first runs.  A copy is a struct pfm_context without a file.  To the hooks of the
 * scheduler and to the overflow handler it is a context like any other.  When the thread of a copy
 * ends, the counts of the copy are added to the sums of the parent's sets.  The memory of the copy
 * is kept for the next fork.
 *
 * A copy of a copy has the same parent as that copy.  The parent's thread may end before the
 * threads of the copies.
 */
#ifndef PERFMON_COPIES_H
#define PERFMON_COPIES_H

#include "counting/remote.h"
#include "context.h"

struct pfm_snapshot;

/* The probe of PFM_HOOK_FORK copies all sets with interrupts off, so their number is limited. */
#define PFM_COPIED_SETS	  64

#define PFM_INHERIT_FLAGS (PFM_FL_INHERIT_THREADS | PFM_FL_INHERIT_ALL)

/**
 * struct pfm_copies - the copies of a context
 * @parent: the context that was copied
 * @privileged: whether the creator of the parent has CAP_PERFMON, so that higher memory limits
 *	apply
 * @set_count: number of event sets of a copy; fixed while copies live
 * @set_size: size of a set, in bytes
 * @snapshot: memory for a reading; protected by the parent's mutex
 * @lock: protects all fields below.  Taken with interrupts off; the lock of the parent or of a
 *	copy may be taken under it
 * @living: loaded copies, except those in @waiting
 * @waiting: loaded copies that the present walk has not visited yet.  pfm_copies_call(),
 *	pfm_copies_read() and pfm_copies_end() walk: they visit the loaded copies, one after the
 *	other
 * @late: copies that ended after the present reading visited them.  When the reading ends, their
 *	counts are added to the sums of the parent's sets
 * @kept: unloaded copies whose own counts nobody has read yet, in the order in which they ended;
 *	only with PFM_FL_KEEP_COUNTS
 * @idle: unloaded copies for the next forks
 * @count: number of copies in @living and @waiting together
 * @kept_count: number of copies in @kept
 * @idle_count: number of copies in @idle
 * @is_open: whether a fork makes a copy
 * @started: whether new copies are started
 * @is_walking: whether a walk is visiting copies; if so, no copy may be freed
 * @is_reading: whether the present walk reads counts
 * @reading: number of the present or last reading; changes only with the parent's mutex held
 * @configuration: a number that grows at each load, and whenever registers of the parent's
 *	sets are configured
 * @configured: number of times that an event set of a copy was configured; with this number,
 *	vary_periods() gives each set different random periods
 * @not_followed: number of threads and child processes that got no copy since the load
 * @closed: number of copies that ended because of a program that the loader may not monitor
 * @made: number of copies made since the load
 * @dropped: number of copies whose kept counts were dropped unread since the load
 * @foreign_runs: sum of the foreign runs of the copies that have ended
 * @statistics: sum of the statistics of the copies that have ended
 * @rcu: to free this structure when no hook looks at it any more
 */
struct pfm_copies {
	struct pfm_context *parent;
	bool privileged;
	u32 set_count;
	size_t set_size;
	struct pfm_snapshot *snapshot;

	raw_spinlock_t lock;
	struct list_head living;
	struct list_head waiting;
	struct list_head late;
	struct list_head kept;
	struct list_head idle;
	u32 count;
	u32 kept_count;
	u32 idle_count;
	bool is_open;
	bool started;
	bool is_walking;
	bool is_reading;
	u64 reading;
	u64 configuration;
	u32 configured;
	u64 not_followed;
	u64 closed;
	u64 made;
	u64 dropped;
	u64 foreign_runs;
	struct pfm_context_statistics statistics;

	struct rcu_head rcu;
};

static inline bool pfm_is_copy(const struct pfm_context *context)
{
	return context->copies && context->copies->parent != context;
}

/* ---- called with the parent's mutex held, and when its file is released ---------------------- */

/*
 * Called while @context is being created, after its flags have been set.  Return: 0 or a
 * negative errno.
 */
int pfm_copies_create(struct pfm_context *context);
void pfm_copies_free(struct pfm_copies *copies);

/*
 * Fail if the context has living copies.  While copies live, the context cannot be loaded, and its
 * sets and registers must not change.  Call this function for an unloaded context, or with the
 * context's lock held on the CPU of the thread.  A fork makes the first copy of a context only with
 * this lock held.  So if this check finds no copies, there are none until the lock is released.
 */
int pfm_copies_refuse(struct pfm_context *context);
bool pfm_copies_live(const struct pfm_context *context);

/*
 * From now on, forks make copies.  Called before a load.  May sleep.  Return: 0 or a negative
 * errno.
 */
int pfm_copies_open(struct pfm_context *context);

/*
 * An unload first calls pfm_copies_close(): after that, a fork makes no copy.  Later
 * pfm_copies_end() ends the living copies.
 */
void pfm_copies_close(struct pfm_copies *copies);
void pfm_copies_end(struct pfm_copies *copies);

/*
 * Record that the configuration of idle copies is out of date.  A fork that uses an idle copy then
 * configures the copy again.  Called when registers are configured, with the context's lock held,
 * on the CPU of its thread.
 */
void pfm_copies_configure(struct pfm_context *context);

/*
 * From now on, new copies are started if @started is set.  Called before the parent is started or
 * stopped.  Return: whether copies live.
 */
bool pfm_copies_start(struct pfm_copies *copies, bool started);

/*
 * Call @function for each living copy, through pfm_context_call().  A copy may end before
 * @function is called for it, so @function must accept an unloaded copy.  Copies that are made
 * during this call are not visited.
 */
void pfm_copies_call(struct pfm_copies *copies, pfm_context_fn function, void *argument);

/*
 * Walk the copies to read their counts.  Each thread is counted once: either the walk reads its
 * copy, or the sums of the parent's sets contain the counts of its copy when @finish is called.
 * @finish is called with the lock of struct pfm_copies held.
 */
void pfm_copies_read(struct pfm_copies *copies, pfm_context_fn function,
		     void (*finish)(struct pfm_copies *copies, void *argument),
		     void *argument);

/*
 * Called by the @function that was passed to pfm_copies_read().  Return: true if the walk still has
 * to read @copy; false if the walk has read @copy already, or if @copy is unloaded.  The walk need
 * not read an unloaded copy, because the sums of the parent's sets contain its counts when the
 * function @finish of pfm_copies_read() is called.
 */
bool pfm_copies_begin_read(struct pfm_context *copy);

/* Return: set @id of @copy; NULL: none.  A copy has the sets of its parent, but no set_index. */
struct pfm_set *pfm_copies_set(struct pfm_context *copy, u16 id);

/* Fill in those fields of @status or @statistics that describe copies. */
void pfm_copies_status(struct pfm_context *context, struct pfm_status *status);
void pfm_copies_statistics(struct pfm_copies *copies, struct pfm_statistics *statistics);

/*
 * @copy has just been detached from its thread: add its counts to the parent's sums.  The lock of
 * struct pfm_copies is held.  Return: a copy that the caller has to free; NULL if there is none.
 * See pfm_copy_make_idle().
 */
struct pfm_context *pfm_copy_retire(struct pfm_copies *copies, struct pfm_context *copy);

/* ---- module exit ---------------------------------------------------------------------- */

void pfm_copies_exit(void);

#endif
