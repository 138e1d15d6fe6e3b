/* SPDX-License-Identifier: GPL-2.0-only */
/* Sampling periods: given, or such that so many samples a second are taken. */
#ifndef PFMON_RATE_H
#define PFMON_RATE_H

#include <stdbool.h>
#include <stdint.h>

#include "../event/events.h"

/* Samples a second at most, where the period follows the rate. */
#define RATE_MOST 100000

/**
 * struct rate - the period of an event
 * @frequency: samples wanted for a second of CPU time; 0: the period stays as it is
 * @random_mask: bits of the period that are random: it is longer by half of that
 * @period: the period now, without what is random
 * @events: events at the last look
 * @time: CPU time then, ns
 * @fastest: the most events a second there were
 */
struct rate {
	uint64_t frequency;
	uint64_t random_mask;
	uint64_t period;
	uint64_t events;
	uint64_t time;
	double fastest;
};

/* A period of @period, or one with which @event is sampled @frequency times a second. */
void rate_fix(struct rate *rate, uint64_t period, uint64_t random_mask);
void rate_begin(struct rate *rate, uint64_t frequency, uint64_t random_mask,
		const struct event *event, const struct pmu *pmu);

/*
 * There have been @events events in @time ns of CPU time.  @is_short: samples are
 * missing, lost or suppressed because of too many interrupts; @events does not include
 * theirs.  Returns true if the period must change; it is in @rate->period then.
 */
bool rate_follow(struct rate *rate, uint64_t events, uint64_t time, bool is_short);

#endif
