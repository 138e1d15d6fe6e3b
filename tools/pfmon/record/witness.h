/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Samples that the PMU did not deliver.  A counter that is sampled begins anew at each
 * overflow, and what it had counted beyond is lost: little if the interrupt comes at
 * once, nearly all if the PMU looks for overflows at times.  A second counter of the same
 * event, which is never reset, is the witness: its events that no period accounts for are
 * in no sample.
 */
#ifndef PFMON_WITNESS_H
#define PFMON_WITNESS_H

#include "../data/data.h"
#include "../event/events.h"

/*
 * Add a witness for each of @events that finds a counter beside them, behind them all,
 * into @all; @events are assigned anew.  An event's witness has no name.  Reports an
 * error and returns -1, or returns 0.  witness_free() follows in any case.
 */
int witness_add(struct event_list *all, struct event_list *events,
		const struct machine *machine);
void witness_free(struct event_list *all);

/* The PMD of the witness of event @index; -1 if there is none. */
int witness_of(const struct event_list *all, size_t event_count, size_t index);

/**
 * struct explained - events that are known to be in a sample, or not to be in any
 * @periods: periods of samples that were taken
 * @samples: number of these
 * @period: period that is set
 * @rest: events since the last sample
 * @dropped: events that a new period took away
 * @lost: samples that were lost
 * @lost_sum: sum of their periods, 0: not known
 */
struct explained {
	uint64_t periods;
	uint64_t samples;
	uint64_t period;
	uint64_t rest;
	uint64_t dropped;
	uint64_t lost;
	uint64_t lost_sum;
};

/* What is in no sample of @counted events, into @record. */
void witness_compare(struct data_unsampled *record, uint64_t counted,
		     const struct explained *explained);

#endif
