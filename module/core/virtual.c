// SPDX-License-Identifier: GPL-2.0-only
/*
 * Virtual PMDs: what the kernel knows of the monitored thread anyway.
 *
 * Each is the difference of a source between begin and end of monitoring, so
 * they cost nothing when threads are switched.
 */
#include <linux/sched.h>
#include <linux/timekeeping.h>

#include "switch.h"
#include "virtual.h"

static const char *const names[] = {
	[PFM_PMD_TASK_CLOCK - PFM_VIRTUAL_PMD_BASE] = "TASK_CLOCK",
	[PFM_PMD_CONTEXT_SWITCHES - PFM_VIRTUAL_PMD_BASE] = "CONTEXT_SWITCHES",
	[PFM_PMD_CPU_MIGRATIONS - PFM_VIRTUAL_PMD_BASE] = "CPU_MIGRATIONS",
	[PFM_PMD_MINOR_FAULTS - PFM_VIRTUAL_PMD_BASE] = "MINOR_FAULTS",
	[PFM_PMD_MAJOR_FAULTS - PFM_VIRTUAL_PMD_BASE] = "MAJOR_FAULTS",
	[PFM_PMD_MONOTONIC_TIME - PFM_VIRTUAL_PMD_BASE] = "MONOTONIC_TIME",
};

const char *pfm_virtual_name(unsigned int pmd)
{
	unsigned int n = pmd - PFM_VIRTUAL_PMD_BASE;

	return pfm_is_virtual(pmd) && n < ARRAY_SIZE(names) ? names[n] : NULL;
}

static u64 source(struct pfm_context *context, struct pfm_set *set, unsigned int pmd)
{
	const struct task_struct *task = context->task;

	switch (pmd) {
	case PFM_PMD_TASK_CLOCK:
		return pfm_set_duration(context, set);
	case PFM_PMD_CONTEXT_SWITCHES:
		return READ_ONCE(task->nvcsw) + READ_ONCE(task->nivcsw);
	case PFM_PMD_CPU_MIGRATIONS:
		return READ_ONCE(task->se.nr_migrations);
	case PFM_PMD_MINOR_FAULTS:
		return READ_ONCE(task->min_flt);
	case PFM_PMD_MAJOR_FAULTS:
		return READ_ONCE(task->maj_flt);
	case PFM_PMD_MONOTONIC_TIME:
		return ktime_get_mono_fast_ns();
	}
	return 0;
}

void pfm_virtual_begin(struct pfm_context *context, struct pfm_set *set)
{
	unsigned int n;
	u64 rest;

	pfm_for_each_bit(n, rest, set->used_virtual)
		set->virtual_start[n] = source(context, set, PFM_VIRTUAL_PMD_BASE + n);
}

void pfm_virtual_end(struct pfm_context *context, struct pfm_set *set)
{
	unsigned int n;
	u64 rest;

	pfm_for_each_bit(n, rest, set->used_virtual)
		set->virtual_value[n] += source(context, set, PFM_VIRTUAL_PMD_BASE + n) -
					 set->virtual_start[n];
}

u64 pfm_virtual_read(struct pfm_context *context, struct pfm_set *set, unsigned int pmd)
{
	unsigned int n = pmd - PFM_VIRTUAL_PMD_BASE;
	u64 value = set->virtual_value[n];

	if (context->monitoring && set == context->active)
		value += source(context, set, pmd) - set->virtual_start[n];
	return value;
}

/* Bit n of @pmds: PMD PFM_VIRTUAL_PMD_BASE + n.  Those that were not in use count from here. */
void pfm_virtual_use(struct pfm_context *context, struct pfm_set *set, u64 pmds)
{
	unsigned int n;
	u64 rest;

	pfm_for_each_bit(n, rest, pmds & ~set->used_virtual)
		pfm_virtual_write(context, set, PFM_VIRTUAL_PMD_BASE + n, 0);
}

/* Puts it in use, too: its count starts here if monitoring is on. */
void pfm_virtual_write(struct pfm_context *context, struct pfm_set *set, unsigned int pmd,
		       u64 value)
{
	unsigned int n = pmd - PFM_VIRTUAL_PMD_BASE;

	set->used_virtual |= BIT_ULL(n);
	set->virtual_value[n] = value;
	if (context->monitoring && set == context->active)
		set->virtual_start[n] = source(context, set, pmd);
}
