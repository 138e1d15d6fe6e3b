// SPDX-License-Identifier: GPL-2.0-only
/* Add up the statistics of contexts. */
#include <string.h>

#include "costs.h"

void costs_add(struct costs *costs, const struct pfm_statistics *more)
{
	struct pfm_statistics *sum = &costs->sum;

	costs->is_known = true;
	sum->interrupts += more->interrupts;
	sum->timed_interrupts += more->timed_interrupts;
	sum->timed_ns += more->timed_ns;
	sum->notifications += more->notifications;
	sum->samples += more->samples;
	sum->lost += more->lost;
	sum->throttled += more->throttled;
	sum->set_switches += more->set_switches;
	sum->switches += more->switches;
	sum->copies += more->copies;
	sum->not_followed += more->not_followed;
	sum->foreign_runs += more->foreign_runs;
}

void costs_list(const struct pfm_statistics *statistics, struct cost list[COST_COUNT])
{
	const struct cost all[COST_COUNT] = {
		{ "overflow-interrupts", statistics->interrupts },
		{ "samples", statistics->samples },
		{ "lost-samples", statistics->lost },
		{ "throttled", statistics->throttled },
		{ "set-switches", statistics->set_switches },
		{ "switches", statistics->switches },
		{ "copies", statistics->copies },
		{ "not-followed", statistics->not_followed },
		{ "foreign-runs", statistics->foreign_runs },
	};

	memcpy(list, all, sizeof(all));
}

double costs_interrupt_time(const struct pfm_statistics *statistics)
{
	if (!statistics->timed_interrupts)
		return 0;
	return (double)statistics->timed_ns / (double)statistics->timed_interrupts;
}
