// SPDX-License-Identifier: GPL-2.0-only
/*
 * x86: take counters from perf, and return them to perf.
 *
 * A placeholder is a pinned perf event of a CPU.  perf chooses its counter: the lowest available
 * one that can count the event.  So we create events until perf has chosen the counter that we
 * need, and release the events on counters above it.  The events on counters below it stay: without
 * them, perf would move our event to a lower counter when perf's events change.
 *
 * Whenever a pinned event is created, perf chooses new counters for all events.  The choice
 * depends on the current configs of the events.  So a placeholder that is not in use ("parked", see
 * x86_shared.c) has the config of a neutral event, which all general counters can count.
 */
#include <asm/perf_event.h>
#include <linux/bitops.h>
#include <linux/err.h>
#include <linux/irq_work.h>
#include <linux/smp.h>
#include <linux/workqueue.h>

#include "x86_placeholders.h"

/* The events of the fixed counters (Intel SDM 3B, "Fixed-Function Performance Counters"). */
static const u64 events_of_fixed[] = {
	0x00c0, /* instructions */
	0x003c, /* cycles */
	0x0300, /* cycles at the TSC's rate: an event number of perf, not of the hardware */
	0x0400, /* slots: an event number of perf, not of the hardware */
};

DEFINE_PER_CPU(struct x86_placeholders, x86_placeholders);

/**
 * x86_placeholders_create() - create a pinned event on this CPU
 * @attr: its description
 * @handler: its overflow handler
 *
 * Called in a kernel thread that is bound to the CPU.
 *
 * Return: the event, which holds a counter; NULL if others hold all counters that can count it.
 */
struct perf_event *x86_placeholders_create(struct perf_event_attr *attr,
					   perf_overflow_handler_t handler)
{
	struct perf_event *event;

	attr->size = sizeof(*attr);
	attr->pinned = 1;
	event = perf_event_create_kernel_counter(attr, smp_processor_id(), NULL, handler,
						 NULL);
	if (IS_ERR(event))
		return NULL;
	/* A pinned event that gets no counter stays in an error state forever. */
	if (event->state != PERF_EVENT_STATE_ACTIVE) {
		perf_event_release_kernel(event);
		return NULL;
	}
	return event;
}

/*
 * Create an event that is scheduled on this CPU, but excludes all privilege levels, so that it
 * counts nothing.  The period is the range of PMD @n.
 */
static struct perf_event *create(unsigned int n, u64 config)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_RAW,
		.config = config,
		.sample_period = x86->counters[n].mask + 1,
		.exclude_user = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.exclude_guest = 1,
	};

	return x86_placeholders_create(&attr, x86_shared_overflow);
}

/* Return: the PMD of the counter that the event has now. */
static unsigned int number_of(const struct perf_event *event)
{
	const unsigned int index = event->hw.idx;

	return index < INTEL_PMC_IDX_FIXED ? index
					   : index - INTEL_PMC_IDX_FIXED + X86_FIXED;
}

static void put(unsigned int n, struct perf_event *event)
{
	event->overflow_handler_context = (void *)(unsigned long)n;
	this_cpu_write(x86_placeholders.events[n], event);
}

/**
 * x86_placeholders_sort() - assign each parked placeholder of this CPU to the PMD of its counter
 * @parked: bitmap of the PMDs whose placeholder is parked; it may also contain PMDs that have no
 *	placeholder
 *
 * perf may have moved some placeholders to other counters.  The PMDs that had a placeholder still
 * have one after this function.  If the counter of a placeholder belongs to none of these PMDs, the
 * placeholder is assigned to one of them that would otherwise have none.  Interrupts off.
 */
void x86_placeholders_sort(u64 parked)
{
	struct perf_event *events[X86_REGISTERS], *event;
	u64 free = 0, rest;
	unsigned int n, to;

	for (n = 0; n < X86_REGISTERS; n++) {
		events[n] = parked & BIT_ULL(n) ? x86_placeholder(n) : NULL;
		if (events[n])
			free |= BIT_ULL(n);
	}
	pfm_for_each_bit(n, rest, free) {
		to = number_of(events[n]);
		if (to < X86_REGISTERS && free & BIT_ULL(to)) {
			put(to, events[n]);
			free &= ~BIT_ULL(to);
			events[n] = NULL;
		}
	}
	for (n = 0; n < X86_REGISTERS; n++) {
		event = events[n];
		if (!event)
			continue;
		to = __ffs64(free);
		put(to, event);
		free &= ~BIT_ULL(to);
	}
}

static void stop_one(struct perf_event *event)
{
	event->pmu->stop(event, PERF_EF_UPDATE);
}

/*
 * Start an event.  If the value is in the fields of the event (PERF_HES_UPTODATE), the counter is
 * loaded from these fields.  Otherwise the value is still in the counter.
 */
static void start_one(struct perf_event *event)
{
	event->pmu->start(event,
			  event->hw.state & PERF_HES_UPTODATE ? PERF_EF_RELOAD : 0);
}

/*
 * If @stopped is true, call @function for the stopped placeholders of this CPU.  If @stopped is
 * false, call it for those that are not stopped.  In both cases, leave out placeholders that have
 * no counter.  perf's PMU is disabled during the calls, because perf writes the registers when the
 * PMU is enabled again.
 */
static void call_each(bool stopped, void (*function)(struct perf_event *event))
{
	struct perf_event *event;
	struct pmu *pmu = NULL;
	unsigned int n;

	for (n = 0; n < X86_REGISTERS; n++) {
		event = x86_placeholder(n);
		if (!event || event->state != PERF_EVENT_STATE_ACTIVE ||
		    !!(event->hw.state & PERF_HES_STOPPED) != stopped)
			continue;
		if (!pmu) {
			pmu = event->pmu;
			pmu->pmu_disable(pmu);
		}
		function(event);
	}
	if (pmu)
		pmu->pmu_enable(pmu);
}

/**
 * x86_placeholders_suspend() - stop the placeholders of this CPU before the machine is suspended
 *
 * When the machine resumes, perf writes the registers of an event only if the event starts.  So
 * this function stops the placeholders, and x86_placeholders_resume() starts them.  Called while
 * all placeholders are parked.  Interrupts off.
 */
void x86_placeholders_suspend(void)
{
	call_each(false, stop_one);
}

/* Undo x86_placeholders_suspend(). */
void x86_placeholders_resume(void)
{
	call_each(true, start_one);
}

static void restart_here(struct irq_work *unused)
{
	call_each(true, start_one);
}

static DEFINE_PER_CPU(struct irq_work, restarts);

/*
 * Called before the first placeholder is created.  In Linux 6.1 a module's per-CPU variable cannot
 * be initialized with a pointer, so this function initializes "restarts".
 */
void x86_placeholders_begin(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		*per_cpu_ptr(&restarts, cpu) = IRQ_WORK_INIT_HARD(restart_here);
}

/* Called after the last placeholder has been released.  Process context, may sleep. */
void x86_placeholders_end(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		irq_work_sync(per_cpu_ptr(&restarts, cpu));
}

/**
 * x86_placeholders_restart() - restart the placeholders of this CPU that perf has stopped
 *
 * An irq_work starts them, because perf does not start an event in an NMI.  The irq_work usually
 * runs before the interrupted program goes on.  Called in an NMI.
 */
void x86_placeholders_restart(void)
{
	irq_work_queue(this_cpu_ptr(&restarts));
}

/* ---- in a kernel thread on the CPU of the placeholders ------------------------------------ */

/* Return: a bitmap of the PMDs that have a placeholder on this CPU. */
static u64 held_here(void)
{
	unsigned int n;
	u64 held = 0;

	for (n = 0; n < X86_REGISTERS; n++)
		if (x86_placeholder(n))
			held |= BIT_ULL(n);
	return held;
}

/*
 * Keep the event if the PMD of its counter is one of @pmds and has no placeholder yet.
 * Return: whether the event was kept.
 */
static bool keep_here(struct perf_event *event, u64 pmds)
{
	unsigned long flags;
	unsigned int n;
	bool kept;

	local_irq_save(flags);
	n = number_of(event);
	kept = n < X86_REGISTERS && pmds & BIT_ULL(n) && !x86_placeholder(n);
	if (kept)
		put(n, event);
	local_irq_restore(flags);
	return kept;
}

static u64 with_those_below(u64 pmds)
{
	const u64 general = pmds & X86_GENERAL_MASK;

	return general ? pmds | GENMASK_ULL(__fls(general), 0) : pmds;
}

static void take_general(u64 pmds)
{
	struct perf_event *unwanted[X86_FIXED];
	const u64 useful = with_those_below(pmds);
	unsigned int count = 0;

	while (pmds & ~held_here() && count < ARRAY_SIZE(unwanted)) {
		unwanted[count] = create(__ffs64(pmds), X86_NEUTRAL_EVENT);
		if (!unwanted[count])
			break;
		if (!keep_here(unwanted[count], useful))
			count++;
	}
	while (count)
		perf_event_release_kernel(unwanted[--count]);
}

/* perf prefers the fixed counter, but takes a general one if the fixed one is held. */
static void take_fixed(unsigned int n)
{
	struct perf_event *event;

	if (n - X86_FIXED >= ARRAY_SIZE(events_of_fixed))
		return;
	event = create(n, events_of_fixed[n - X86_FIXED]);
	if (event && !keep_here(event, BIT_ULL(n)))
		perf_event_release_kernel(event);
}

/*
 * Return: the PMD of the counter that perf chooses for an event with the config @config;
 * X86_REGISTERS if perf finds no counter.
 */
static unsigned int choice_of_perf(unsigned int n, u64 config)
{
	struct perf_event *event = create(n, config);
	unsigned int choice;

	if (!event)
		return X86_REGISTERS;
	choice = number_of(event);
	perf_event_release_kernel(event);
	return choice;
}

/*
 * The next three functions run in the kernel thread.  @info points to a bitmap of PMDs.
 * take_here() and ask_here() replace this bitmap by their result.
 */

static long take_here(void *info)
{
	u64 *pmds = info, rest;
	unsigned int n;

	take_general(*pmds & X86_GENERAL_MASK);
	pfm_for_each_bit(n, rest, *pmds & X86_FIXED_MASK & ~held_here())
		take_fixed(n);
	*pmds &= ~held_here();
	return 0;
}

static long ask_here(void *info)
{
	u64 *pmds = info, asked = *pmds & ~held_here(), held = 0, rest;
	unsigned int n;

	if (asked & X86_GENERAL_MASK)
		held = asked & X86_GENERAL_MASK &
		       (BIT_ULL(choice_of_perf(0, X86_NEUTRAL_EVENT)) - 1);
	pfm_for_each_bit(n, rest, asked & X86_FIXED_MASK)
		if (n - X86_FIXED >= ARRAY_SIZE(events_of_fixed) ||
		    choice_of_perf(n, events_of_fixed[n - X86_FIXED]) != n)
			held |= BIT_ULL(n);
	*pmds = held;
	return 0;
}

static long drop_here(void *info)
{
	struct perf_event *dropped[X86_REGISTERS];
	const u64 *pmds = info;
	unsigned int n, count = 0;
	unsigned long flags;
	u64 rest;

	local_irq_save(flags);
	pfm_for_each_bit(n, rest, held_here() & ~with_those_below(*pmds)) {
		dropped[count++] = x86_placeholder(n);
		this_cpu_write(x86_placeholders.events[n], NULL);
	}
	local_irq_restore(flags);
	while (count)
		perf_event_release_kernel(dropped[--count]);
	return 0;
}

/* ---- in process context ------------------------------------------------------------------- */

/*
 * perf checks whether the current thread may create an event on a CPU, even if a kernel module
 * creates the event.  A thread of an ordinary user may not do this, so a kernel thread creates the
 * events.
 */

/**
 * x86_placeholders_take() - hold counters of a CPU
 * @cpu: the CPU, which is online
 * @pmds: bitmap of the counters' PMDs
 *
 * Process context, may sleep, CPU hotplug held off.
 *
 * Return: those of @pmds that others hold; the rest of @pmds are ours.
 */
u64 x86_placeholders_take(unsigned int cpu, u64 pmds)
{
	work_on_cpu(cpu, take_here, &pmds);
	return pmds;
}

/**
 * x86_placeholders_held() - find counters that others, such as the NMI watchdog, hold
 * @cpu: a CPU that is online
 * @pmds: the counters to check; counters that we hold on this CPU are treated as available
 *
 * Of the general counters, this function checks only those below the lowest available one.  To
 * check the others, it would have to take all counters for a moment, and perf's events would not
 * count during this time.
 *
 * Process context, may sleep, CPU hotplug held off.
 *
 * Return: those of @pmds that others hold.
 */
u64 x86_placeholders_held(unsigned int cpu, u64 pmds)
{
	work_on_cpu(cpu, ask_here, &pmds);
	return pmds;
}

/**
 * x86_placeholders_keep() - keep those counters of a CPU that are still needed, release the rest
 * @cpu: the CPU
 * @pmds: bitmap of the PMDs that are needed.  All general counters below the highest general
 *	counter in @pmds are needed, too: see the beginning of this file.
 *
 * Process context, may sleep, CPU hotplug held off.  No set on @cpu uses other PMDs.
 */
void x86_placeholders_keep(unsigned int cpu, u64 pmds)
{
	work_on_cpu(cpu, drop_here, &pmds);
}
