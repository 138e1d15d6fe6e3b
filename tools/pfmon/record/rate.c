// SPDX-License-Identifier: GPL-2.0-only
/* Sampling periods. */
#include "rate.h"

#define SECOND	 1000000000ull

/*
 * Minimum CPU time, in ns, over which a rate is measured. Over a shorter time, the measured rate
 * would be too inexact.
 */
#define LEAST	 (SECOND / 200)

/*
 * The period is changed only if it is wrong by more than this factor, because each change loses
 * events: the counter begins a new period, and the events of the unfinished period are in no
 * sample.
 */
#define TOO_MUCH 1.2

/* Estimated events per second of a software counter that counts occurrences, not time. */
#define RARE	 10000

/* Returns an estimate of the events per second, which is used until the rate has been measured. */
static uint64_t guess(const struct event *event, const struct pmu *pmu)
{
	if (event->is_time || event->role == ROLE_CYCLES ||
	    event->role == ROLE_INSTRUCTIONS || pmu == &pmu_amd_ibs)
		return SECOND;
	return pmu->is_hardware ? SECOND / 100 : RARE;
}

static uint64_t period_for(const struct rate *rate, double per_second)
{
	double period = per_second / (double)rate->frequency;

	period -= (double)rate->random_mask / 2;
	if (period < rate->fastest / RATE_MOST)
		period = rate->fastest / RATE_MOST;
	return period < 1 ? 1 : (uint64_t)(period + 0.5);
}

void rate_fix(struct rate *rate, uint64_t period, uint64_t random_mask)
{
	*rate = (struct rate){
		.period = period,
		.longest = period,
		.random_mask = random_mask,
	};
}

void rate_begin(struct rate *rate, uint64_t frequency, uint64_t random_mask,
		const struct event *event, const struct pmu *pmu)
{
	*rate = (struct rate){ .frequency = frequency, .random_mask = random_mask };
	rate->period = rate->longest = period_for(rate, (double)guess(event, pmu));
	/*
	 * The rate of an event that counts time in ns is always 10^9 per second, so its period
	 * stays fixed.
	 */
	if (event->is_time)
		rate->frequency = 0;
}

void rate_expect_busy(struct rate *rate)
{
	rate->fastest = (double)rate->period * (double)rate->frequency;
}

bool rate_follow(struct rate *rate, uint64_t events, uint64_t time, bool is_short)
{
	double per_second, factor;
	uint64_t period;

	if (!rate->frequency || time < rate->time + LEAST || events <= rate->events)
		return false;
	per_second = (double)(events - rate->events) * (double)SECOND /
		     (double)(time - rate->time);
	rate->events = events;
	rate->time = time;
	if (per_second > rate->fastest)
		rate->fastest = per_second;

	period = period_for(rate, per_second);
	factor = (double)period / (double)rate->period;
	if (factor <= TOO_MUCH && factor >= 1 / TOO_MUCH)
		return false;
	if (is_short && factor < 1)
		return false;
	rate->period = period;
	if (period > rate->longest)
		rate->longest = period;
	return true;
}
