/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sampling periods: fixed, or adapted so that a given number of samples per second is
 * taken.
 */
#ifndef PFMON_RATE_H
#define PFMON_RATE_H

#include <stdbool.h>
#include <stdint.h>

#include "../event/events.h"

/* Maximum number of samples per second, for periods that are adapted. */
#define RATE_MOST 100000

/**
 * struct rate - the period of an event
 * @frequency: intended number of samples per second of CPU time; 0: the period is fixed
 * @random_mask: a random number is added to each period. Only the bits of this mask may be set in
 *	the number. On average, the number is half the mask
 * @period: the current period, without the random part
 * @longest: the longest period so far, without the random part
 * @events: total number of events when the rate was last computed
 * @time: total CPU time in ns when the rate was last computed
 * @fastest: the highest rate so far, in events per second: the highest measured rate, or the rate
 *	that rate_expect_busy() expects, if that is higher
 */
struct rate {
	uint64_t frequency;
	uint64_t random_mask;
	uint64_t period;
	uint64_t longest;
	uint64_t events;
	uint64_t time;
	double fastest;
};

/*
 * rate_fix() sets the fixed period @period. rate_begin() sets the first period, which is estimated
 * to give @frequency samples of @event per second. rate_follow() adapts this period later, unless
 * @event counts time.
 */
void rate_fix(struct rate *rate, uint64_t period, uint64_t random_mask);
void rate_begin(struct rate *rate, uint64_t frequency, uint64_t random_mask,
		const struct event *event, const struct pmu *pmu);

/*
 * Prepare for a CPU that may be idle now. When an idle CPU becomes busy, its event rate rises
 * suddenly, perhaps to the rate that rate_begin() has estimated. Even at that rate, the periods
 * that rate_follow() chooses from now on give at most RATE_MOST samples per second.
 */
void rate_expect_busy(struct rate *rate);

/*
 * Compute the period again after a total of @events events in @time ns of CPU time. @is_short means
 * that @events is too small, because samples were lost or monitoring was throttled. The period then
 * does not become shorter. Returns true if @rate->period has changed. The caller then writes the
 * new period to the counter.
 */
bool rate_follow(struct rate *rate, uint64_t events, uint64_t time, bool is_short);

#endif
