// SPDX-License-Identifier: GPL-2.0-only
/*
 * Thread switches start and stop the counters of contexts.  This is the hot path.
 *
 * The probe of sched_switch runs with interrupts off and the run queue locked, in the
 * thread that is switched out.  It may take raw spinlocks and start pinned hard timers.
 * It must not wake a thread; the irq_work of the context does that.
 *
 * Four files call each other in a circle: switch, overflow, set_switch and throttle.  The
 * reason: a stop of the counters may find an overflow whose interrupt has not come yet.  That
 * overflow may mask the context, throttle the set, or switch sets.  A set switch stops and
 * starts counters.  tests/circles prints this circle, and tests/style keeps it from growing.
 *
 * The probe is enabled while any context is loaded on a thread, and for a short time after the
 * last unload.  It finds the context of the thread that is switched out through a pointer in the
 * CPU's data, and the context of the next thread through the thread table (threads.h).
 */
#include <linux/sched.h>

#include "base/hooks.h"
#include "base/threads.h"
#include "clock.h"
#include "cpu.h"
#include "overflow.h"
#include "set_clock.h"
#include "set_switch.h"
#include "switch.h"
#include "virtual.h"

/* Return: true if this CPU lacks the context's PMU.  Then nothing can count here. */
static __always_inline bool is_foreign(const struct pfm_context *context)
{
	return static_branch_unlikely(&pfm_cpus_differ) &&
	       !cpumask_test_cpu(context->cpu, &context->pmu->cpus);
}

/*
 * Return: true if the set cannot count on this CPU.  There are two cases:
 * - The CPU is foreign.  Then foreign_runs is incremented each time the thread is switched in, but
 *   not at set switches.
 * - can_count() of the PMU module has refused the set.  Then foreign_runs is incremented at each
 *   attempt to start the set.
 */
static noinline bool cannot_count(struct pfm_context *context, const struct pfm_set *set,
				  bool is_fresh)
{
	const struct pfm_pmu_operations *operations = context->pmu->operations;
	const bool foreign = is_foreign(context);

	if (!foreign &&
	    (!operations->can_count || operations->can_count(&set->registers)))
		return false;
	if (!foreign || !is_fresh) {
		context->foreign_runs++;
		this_cpu_inc(pfm_cpu.statistics.foreign_cpu_count);
	}
	return true;
}

/* Start the timers that @set needs.  Return: whether the set's counters have to run. */
static noinline bool begin_unusual(struct pfm_context *context, struct pfm_set *set,
				   bool is_fresh)
{
	if (set->unusual & PFM_SET_TIMED)
		pfm_set_timer_start(context, set, is_fresh);
	if (set->unusual & PFM_SET_THROTTLED)
		pfm_throttle_wait(pfm_here(context));
	return !(set->unusual & (PFM_SET_NO_HARDWARE | PFM_SET_THROTTLED));
}

/*
 * Return: the registers of @previous if the PMCs of this CPU still have the values of @previous.
 * If not, or if @previous is NULL, return NULL.
 */
static const struct pfm_registers *in_place(const struct pfm_cpu *cpu,
					    const struct pfm_set *previous)
{
	return previous && cpu->pmc_stamp == previous->pmc_stamp ? &previous->registers
								 : NULL;
}

/* @set: the active set.  Return: whether @set has to count; if so, the caller calls start(). */
static __always_inline bool counting_prepare(struct pfm_context *context,
					     struct pfm_set *set, struct pfm_cpu *cpu,
					     const struct pfm_pmu_operations *operations,
					     const struct pfm_set *previous)
{
	if (unlikely(set->unusual) && !begin_unusual(context, set, previous))
		return false;
	if (static_branch_unlikely(&pfm_cpus_differ) &&
	    cannot_count(context, set, previous))
		return false;
	if (cpu->pmc_stamp != set->pmc_stamp) {
		operations->write_pmcs(&set->registers, in_place(cpu, previous));
		cpu->pmc_stamp = set->pmc_stamp;
	}
	if (cpu->pmd_stamp != set->pmd_stamp)
		operations->write_pmds(&set->registers, set->registers.used_pmds[0]);
	context->counting = true;
	barrier(); /* the overflow handler must see all stores above */
	/* Set this before start(): an overflow may come right after start(). */
	WRITE_ONCE(cpu->running, set);
	return true;
}

static void counting_begin(struct pfm_context *context, struct pfm_cpu *cpu)
{
	const struct pfm_pmu_operations *operations = context->pmu->operations;
	struct pfm_set *set = context->active;

	pfm_assert_here(context);
	if (counting_prepare(context, set, cpu, operations, NULL))
		operations->start(&set->registers);
}

struct pfm_registers *pfm_counting_prepare(struct pfm_context *context,
					   const struct pfm_set *previous)
{
	struct pfm_set *set = context->active;
	bool counts;

	pfm_assert_here(context);
	counts = counting_prepare(context, set, pfm_here(context),
				  context->pmu->operations, previous);
	return counts ? &set->registers : NULL;
}

/*
 * Stop the counters and save their values, if this context counts.  If it does not count, leave
 * "running" unchanged, because it may point to a set of another context.
 *
 * Before "running" is cleared, the overflow handler may run in an NMI and switch to a set that does
 * not count.  In that case there are no values to save, so context->counting is checked again.
 */
static void counting_end(struct pfm_context *context, struct pfm_cpu *cpu)
{
	const struct pfm_pmu_operations *operations = context->pmu->operations;
	struct pfm_set *set;
	u64 overflows;

	pfm_assert_here(context);
	if (!READ_ONCE(context->counting))
		return;
	WRITE_ONCE(cpu->running, NULL);
	barrier();
	if (unlikely(!context->counting))
		return;
	set = context->active;
	overflows = operations->stop(&set->registers);
	set->registers.resumed = true;
	context->counting = false;
	set->pmd_stamp = cpu->pmd_stamp = pfm_cpu_take_stamp(cpu);
	if (unlikely(overflows))
		pfm_overflow_collect(context, overflows);
}

/* @cpu: the data of this CPU. */
static __always_inline void bring_in(struct pfm_context *context, struct pfm_cpu *cpu,
				     u64 now)
{
	lockdep_assert_held(&context->lock);
	lockdep_assert(context->cpu == PFM_NO_CPU && !cpu->context);
	WRITE_ONCE(context->cpu, smp_processor_id());
	cpu->context = context;
	if (likely(context->monitoring)) {
		pfm_set_clock_begin(context, now);
		counting_begin(context, cpu);
	}
}

void pfm_switch_in(struct pfm_context *context, u64 now)
{
	bring_in(context, pfm_here(context), now);
}

static __always_inline void take_out(struct pfm_context *context, struct pfm_cpu *cpu,
				     u64 now)
{
	lockdep_assert_held(&context->lock);
	lockdep_assert(context->cpu == smp_processor_id() && cpu->context == context);
	counting_end(context, cpu);
	if (context->monitoring)
		pfm_set_clock_end(context, now);
	cpu->context = NULL;
	WRITE_ONCE(context->cpu, PFM_NO_CPU);
}

/*
 * Used by the user's calls, and for a new copy.  If the thread does not run, counting begins when
 * it is switched in.
 */
void pfm_monitoring_begin(struct pfm_context *context)
{
	lockdep_assert_held(&context->lock);
	pfm_assert_here(context);
	if (context->monitoring)
		return;
	pfm_monitoring_take_up(context, pfm_clock());
	if (context->cpu != PFM_NO_CPU)
		counting_begin(context, pfm_here(context));
}

static __always_inline void monitoring_end(struct pfm_context *context,
					   struct pfm_cpu *cpu)
{
	counting_end(context, cpu);
	/* counting_end() may have found an overflow that masked the context. */
	if (context->monitoring)
		pfm_monitoring_suspend(context, pfm_clock());
}

/* Used by the user's calls, and when an overflow masks the context. */
void pfm_monitoring_end(struct pfm_context *context)
{
	monitoring_end(context, pfm_here(context));
}

/* Called when the context is unloaded.  Its thread may be running here. */
void pfm_switch_end(struct pfm_context *context)
{
	struct pfm_cpu *cpu = pfm_here(context);

	monitoring_end(context, cpu);
	if (context->cpu == PFM_NO_CPU)
		return;
	WRITE_ONCE(cpu->context, NULL);
	WRITE_ONCE(context->cpu, PFM_NO_CPU);
}

/* Called when an overflow masks the context, perhaps in an NMI.  The counters are stopped. */
void pfm_monitoring_mask(struct pfm_context *context)
{
	pfm_assert_here(context);
	WRITE_ONCE(context->state, PFM_STATE_MASKED); /* see pfm_is_unloaded() */
	if (context->monitoring)
		pfm_monitoring_suspend(context, pfm_clock());
}

/* Between pfm_pause() and pfm_resume() the registers are in memory and may be changed. */
void pfm_pause(struct pfm_context *context)
{
	counting_end(context, pfm_here(context));
}

void pfm_resume(struct pfm_context *context)
{
	struct pfm_cpu *cpu = pfm_here(context);

	lockdep_assert_held(&context->lock);
	pfm_assert_here(context);
	if (context->monitoring && !context->counting && context->cpu != PFM_NO_CPU &&
	    !is_foreign(context))
		counting_begin(context, cpu);
}

static void switch_out(struct pfm_context *context, struct pfm_cpu *cpu, u64 now)
{
	raw_spin_lock(&context->lock);
	take_out(context, cpu, now);
	raw_spin_unlock(&context->lock);
}

static void switch_in(struct pfm_context *context, struct pfm_cpu *cpu,
		      struct task_struct *next, u64 now)
{
	raw_spin_lock(&context->lock);
	if (context->attachment.task == next) {
		bring_in(context, cpu, now);
		if (unlikely(context->attachment.block))
			pfm_block_arrange(context->attachment.block, next);
	}
	raw_spin_unlock(&context->lock);
}

static void probe_sched_switch(void *data, bool preempt, struct task_struct *previous,
			       struct task_struct *next, unsigned int state)
{
	struct pfm_cpu *cpu = this_cpu_ptr(&pfm_cpu);
	struct pfm_context *out = cpu->context;
	struct pfm_context *in = pfm_thread_find(next);
	u64 now;

	if (likely(!out && !in))
		return;
	now = pfm_clock();
	if (out) {
		switch_out(out, cpu, now);
		cpu->statistics.ctxswout_count++;
		pfm_timing_add(&cpu->statistics.ctxswout_ns, &now);
	}
	if (in) {
		switch_in(in, cpu, next, now);
		cpu->statistics.ctxswin_count++;
		pfm_timing_add(&cpu->statistics.ctxswin_ns, &now);
	}
}

void pfm_switch_init(void)
{
	pfm_hook_set(PFM_HOOK_SWITCH, probe_sched_switch);
}
