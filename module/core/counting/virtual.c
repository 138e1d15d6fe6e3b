// SPDX-License-Identifier: GPL-2.0-only
/*
 * Virtual PMDs: their values come from data that are kept anyway, such as the number of a thread's
 * page faults.  Many virtual PMDs describe a thread.  System-wide contexts cannot use such PMDs.
 *
 * The source of a value is read when monitoring begins and when it ends, and the difference
 * is counted.  So virtual PMDs add no cost to thread switches.
 */
#include <linux/sched.h>
#include <linux/timekeeping.h>

#include "set_clock.h"
#include "virtual.h"

/* The core's virtual PMDs.  A PMD with @is_state shows the present value of its source. */
static const struct {
	const char *name;
	bool is_state;
} core_pmds[PFM_CORE_VIRTUAL] = {
	[PFM_PMD_TASK_CLOCK - PFM_VIRTUAL_PMD_BASE] = { "TASK_CLOCK" },
	[PFM_PMD_CONTEXT_SWITCHES - PFM_VIRTUAL_PMD_BASE] = { "CONTEXT_SWITCHES" },
	[PFM_PMD_CPU_MIGRATIONS - PFM_VIRTUAL_PMD_BASE] = { "CPU_MIGRATIONS" },
	[PFM_PMD_MINOR_FAULTS - PFM_VIRTUAL_PMD_BASE] = { "MINOR_FAULTS" },
	[PFM_PMD_MAJOR_FAULTS - PFM_VIRTUAL_PMD_BASE] = { "MAJOR_FAULTS" },
	[PFM_PMD_MONOTONIC_TIME - PFM_VIRTUAL_PMD_BASE] = { "MONOTONIC_TIME" },
	[PFM_PMD_SET_RUNS - PFM_VIRTUAL_PMD_BASE] = { "SET_RUNS", .is_state = true },
	[PFM_PMD_INTERRUPTS - PFM_VIRTUAL_PMD_BASE] = { "INTERRUPTS" },
	[PFM_PMD_CPU - PFM_VIRTUAL_PMD_BASE] = { "CPU", .is_state = true },
};

/* Return: the PMU's virtual PMD with the number @pmd; NULL if the PMU has no such PMD. */
static const struct pfm_virtual_pmd *of_pmu(const struct pfm_pmu *pmu, unsigned int pmd)
{
	unsigned int n = pmd - PFM_VIRTUAL_PMU_BASE;

	return pmd >= PFM_VIRTUAL_PMU_BASE && n < pmu->virtual_count ? &pmu->virtuals[n]
								     : NULL;
}

const char *pfm_virtual_name(const struct pfm_pmu *pmu, unsigned int pmd)
{
	const struct pfm_virtual_pmd *own = of_pmu(pmu, pmd);
	unsigned int n = pmd - PFM_VIRTUAL_PMD_BASE;

	if (own)
		return own->name;
	return pfm_is_virtual(pmd) && n < PFM_CORE_VIRTUAL ? core_pmds[n].name : NULL;
}

/* Return: whether PMD @pmd shows the present value of its source.  The PMD must exist. */
bool pfm_virtual_is_state(const struct pfm_pmu *pmu, unsigned int pmd)
{
	const struct pfm_virtual_pmd *own = of_pmu(pmu, pmd);

	return own ? own->is_state : core_pmds[pmd - PFM_VIRTUAL_PMD_BASE].is_state;
}

bool pfm_virtual_is_of_thread(unsigned int pmd)
{
	switch (pmd) {
	case PFM_PMD_CONTEXT_SWITCHES:
	case PFM_PMD_CPU_MIGRATIONS:
	case PFM_PMD_MINOR_FAULTS:
	case PFM_PMD_MAJOR_FAULTS:
		return true;
	default:
		return pmd >= PFM_VIRTUAL_PMU_BASE;
	}
}

u64 pfm_virtual_pmds(const struct pfm_pmu *pmu)
{
	u64 core = GENMASK_ULL(PFM_CORE_VIRTUAL - 1, 0);

	if (!pmu || !pmu->virtual_count)
		return core;
	return core | GENMASK_ULL(pmu->virtual_count - 1, 0)
			      << (PFM_VIRTUAL_PMU_BASE - PFM_VIRTUAL_PMD_BASE);
}

static u64 source(struct pfm_context *context, struct pfm_set *set, unsigned int pmd)
{
	const struct task_struct *task = context->attachment.task;

	switch (pmd) {
	case PFM_PMD_TASK_CLOCK:
		return pfm_set_duration(context, set);
	case PFM_PMD_CONTEXT_SWITCHES:
		return pfm_switches_of(task);
	case PFM_PMD_CPU_MIGRATIONS:
		return READ_ONCE(task->se.nr_migrations);
	case PFM_PMD_MINOR_FAULTS:
		return READ_ONCE(task->min_flt);
	case PFM_PMD_MAJOR_FAULTS:
		return READ_ONCE(task->maj_flt);
	case PFM_PMD_MONOTONIC_TIME:
		return ktime_get_mono_fast_ns();
	case PFM_PMD_SET_RUNS:
		return set->runs;
	case PFM_PMD_INTERRUPTS:
		return context->statistics.interrupts;
	case PFM_PMD_CPU:
		return pfm_is_bound(context) ? context->attachment.cpu : task_cpu(task);
	default:
		return of_pmu(context->pmu, pmd)->read(task);
	}
}

/*
 * Return: what must be added to virtual_value.  This is the increase of the source since monitoring
 * began or, for a PMD with @is_state, the difference between the source and virtual_value.
 */
static u64 gained(struct pfm_context *context, struct pfm_set *set, unsigned int n)
{
	unsigned int pmd = PFM_VIRTUAL_PMD_BASE + n;
	u64 value = source(context, set, pmd);

	if (pfm_virtual_is_state(context->pmu, pmd))
		return value - set->virtual_value[n];
	return value - set->virtual_start[n];
}

void pfm_virtual_begin(struct pfm_context *context, struct pfm_set *set)
{
	unsigned int n;
	u64 rest;

	pfm_assert_here(context);
	pfm_for_each_bit(n, rest, set->used_virtual)
		set->virtual_start[n] = source(context, set, PFM_VIRTUAL_PMD_BASE + n);
}

void pfm_virtual_end(struct pfm_context *context, struct pfm_set *set)
{
	unsigned int n;
	u64 rest;

	pfm_assert_here(context);
	pfm_for_each_bit(n, rest, set->used_virtual)
		set->virtual_value[n] += gained(context, set, n);
}

u64 pfm_virtual_read(struct pfm_context *context, struct pfm_set *set, unsigned int pmd)
{
	unsigned int n = pmd - PFM_VIRTUAL_PMD_BASE;
	u64 value = set->virtual_value[n];

	pfm_assert_here(context);
	if (context->monitoring && set == context->active)
		value += gained(context, set, n);
	return value;
}

/*
 * Mark PMDs as in use; bit n of @pmds stands for PMD PFM_VIRTUAL_PMD_BASE + n.  A PMD that was not
 * in use until now begins to count.
 */
void pfm_virtual_use(struct pfm_context *context, struct pfm_set *set, u64 pmds)
{
	unsigned int n;
	u64 rest;

	pfm_assert_here(context);
	pfm_for_each_bit(n, rest, pmds & ~set->used_virtual)
		pfm_virtual_write(context, set, PFM_VIRTUAL_PMD_BASE + n, 0);
}

/*
 * Mark the PMD as in use.  If the PMD shows the present value of its source, ignore @value.  If it
 * does not, @value becomes the PMD's value.  If @set is active and its context monitors, the PMD
 * counts from now on.
 */
void pfm_virtual_write(struct pfm_context *context, struct pfm_set *set, unsigned int pmd,
		       u64 value)
{
	unsigned int n = pmd - PFM_VIRTUAL_PMD_BASE;

	pfm_assert_here(context);
	set->used_virtual |= BIT_ULL(n);
	if (pfm_virtual_is_state(context->pmu, pmd))
		return;
	set->virtual_value[n] = value;
	if (context->monitoring && set == context->active)
		set->virtual_start[n] = source(context, set, pmd);
}
