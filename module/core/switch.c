// SPDX-License-Identifier: GPL-2.0-only
/*
 * The scheduler switches threads: their contexts go in and out.  The hot path.
 *
 * The probe of sched_switch runs with interrupts off and the run queue locked,
 * in the thread that goes out: it may take raw spinlocks and start pinned hard
 * timers, it may not wake anybody (hence the irq_work of the queue).
 *
 * Four files call each other in a circle: switch, overflow, set_switch and throttle.  The matter
 * is recursive: stopping the counters may reveal an overflow whose interrupt has not come yet,
 * and that overflow may mask the context, switch its sets, which stops and starts counters, or
 * throttle the set.  tests/circles shows this, and tests/style keeps the circle from growing.
 *
 * The probe is in place while a context is loaded and a little longer.  The context
 * that goes out is noted by the CPU, the one that comes in is found in the thread
 * table (threads.h).
 */
#include <linux/sched.h>

#include "clock.h"
#include "cpu.h"
#include "hooks.h"
#include "overflow.h"
#include "set_clock.h"
#include "switch.h"
#include "threads.h"
#include "virtual.h"

/* This CPU has another PMU than the context's: nothing can count here. */
static __always_inline bool is_foreign(const struct pfm_context *context)
{
	return static_branch_unlikely(&pfm_cpus_differ) &&
	       !cpumask_test_cpu(context->cpu, &context->pmu->cpus);
}

/* Return: whether its counters are to run. */
static noinline bool begin_unusual(struct pfm_context *context, struct pfm_set *set,
				   bool is_fresh)
{
	if (set->unusual & PFM_SET_TIMED)
		pfm_set_timer_start(context, set, is_fresh);
	if (set->unusual & PFM_SET_THROTTLED)
		pfm_throttle_wait(this_cpu_ptr(&pfm_cpu.throttle));
	return !(set->unusual & (PFM_SET_NO_HARDWARE | PFM_SET_THROTTLED));
}

/* What is in place as it should be; NULL if that is not known. */
static const struct pfm_registers *in_place(const struct pfm_cpu *cpu,
					    const struct pfm_set *previous)
{
	return previous && cpu->pmc_stamp == previous->pmc_stamp ? &previous->registers
								 : NULL;
}

/* Return: whether the active set, @set, is to count and only start() is missing. */
static __always_inline bool counting_prepare(struct pfm_context *context,
					     struct pfm_set *set, struct pfm_cpu *cpu,
					     const struct pfm_pmu_operations *operations,
					     const struct pfm_set *previous)
{
	if (unlikely(set->unusual) && !begin_unusual(context, set, previous))
		return false;
	if (is_foreign(context)) {
		if (!previous) {
			context->foreign_runs++;
			cpu->statistics.foreign_cpu_count++;
		}
		return false;
	}
	if (cpu->pmc_stamp != set->pmc_stamp) {
		operations->write_pmcs(&set->registers, in_place(cpu, previous));
		cpu->pmc_stamp = set->pmc_stamp;
	}
	if (cpu->pmd_stamp != set->pmd_stamp)
		operations->write_pmds(&set->registers, set->registers.used_pmds[0]);
	context->counting = true;
	barrier(); /* the overflow handler finds all of that done */
	/* An overflow of the first count is ours already. */
	WRITE_ONCE(cpu->running, set);
	return true;
}

static void counting_begin(struct pfm_context *context, struct pfm_cpu *cpu)
{
	const struct pfm_pmu_operations *operations = context->pmu->operations;
	struct pfm_set *set = context->active;

	if (counting_prepare(context, set, cpu, operations, NULL))
		operations->start(&set->registers);
}

struct pfm_registers *pfm_counting_prepare(struct pfm_context *context,
					   const struct pfm_set *previous)
{
	struct pfm_set *set = context->active;
	bool counts = counting_prepare(context, set, this_cpu_ptr(&pfm_cpu),
				       context->pmu->operations, previous);

	return counts ? &set->registers : NULL;
}

/*
 * The first look only says that there is something to silence: "running" may be that of
 * another context's set.  What counts, and whether anything does, is asked when the overflow
 * handler keeps its hands off.  Until then, as an NMI, it may have switched to a set that
 * counts nothing: the hardware holds nothing of that one.
 */
static void counting_end(struct pfm_context *context, struct pfm_cpu *cpu)
{
	const struct pfm_pmu_operations *operations = context->pmu->operations;
	struct pfm_set *set;
	u64 overflows;

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

/* @cpu is this one. */
static __always_inline void bring_in(struct pfm_context *context, struct pfm_cpu *cpu,
				     u64 now)
{
	lockdep_assert_held(&context->lock);
	WRITE_ONCE(context->cpu, smp_processor_id());
	cpu->context = context;
	if (likely(context->monitoring)) {
		pfm_set_clock_begin(context, now);
		counting_begin(context, cpu);
	}
}

void pfm_switch_in(struct pfm_context *context, u64 now)
{
	bring_in(context, this_cpu_ptr(&pfm_cpu), now);
}

static __always_inline void take_out(struct pfm_context *context, struct pfm_cpu *cpu,
				     u64 now)
{
	lockdep_assert_held(&context->lock);
	counting_end(context, cpu);
	if (context->monitoring)
		pfm_set_clock_end(context, now);
	cpu->context = NULL;
	WRITE_ONCE(context->cpu, PFM_NO_CPU);
}

/* By the user's wish; a thread that does not run begins when it comes in. */
void pfm_monitoring_begin(struct pfm_context *context)
{
	lockdep_assert_held(&context->lock);
	if (context->monitoring)
		return;
	pfm_monitoring_take_up(context, pfm_clock());
	if (context->cpu != PFM_NO_CPU)
		counting_begin(context, this_cpu_ptr(&pfm_cpu));
}

static __always_inline void monitoring_end(struct pfm_context *context,
					   struct pfm_cpu *cpu)
{
	counting_end(context, cpu);
	/* An overflow that only showed itself now may have masked it. */
	if (context->monitoring)
		pfm_monitoring_suspend(context, pfm_clock());
}

/* By the user's wish, or because the thread ends. */
void pfm_monitoring_end(struct pfm_context *context)
{
	monitoring_end(context, this_cpu_ptr(&pfm_cpu));
}

/* The context leaves its thread, which may run here. */
void pfm_switch_end(struct pfm_context *context)
{
	struct pfm_cpu *cpu = this_cpu_ptr(&pfm_cpu);

	monitoring_end(context, cpu);
	if (context->cpu == PFM_NO_CPU)
		return;
	cpu->context = NULL;
	WRITE_ONCE(context->cpu, PFM_NO_CPU);
}

/* By an overflow, nothing counting any more; from NMI too. */
void pfm_monitoring_mask(struct pfm_context *context)
{
	context->state = PFM_STATE_MASKED;
	if (context->monitoring)
		pfm_monitoring_suspend(context, pfm_clock());
}

/* Between the two the registers in memory are the truth and may be changed. */
void pfm_pause(struct pfm_context *context)
{
	counting_end(context, this_cpu_ptr(&pfm_cpu));
}

void pfm_resume(struct pfm_context *context)
{
	struct pfm_cpu *cpu = this_cpu_ptr(&pfm_cpu);

	lockdep_assert_held(&context->lock);
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
	if (context->task == next) {
		bring_in(context, cpu, now);
		if (unlikely(context->block))
			pfm_block_arrange(context->block, next);
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
