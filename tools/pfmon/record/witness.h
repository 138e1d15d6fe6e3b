/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Find out how many samples the PMU did not deliver. A counter that is sampled is reset after each
 * overflow, and the events between the overflow and the reset are lost. Few events are lost if the
 * interrupt arrives immediately, but nearly all events are lost if the PMU checks for overflows
 * only now and then. So pfmon counts the same event with a second counter, if one is left. This
 * counter is never reset. The list of events contains an additional event for this counter. This
 * event is called the witness. If the witness counts more events than the sum of the periods of all
 * samples, the difference is the number of events that are in no sample.
 */
#ifndef PFMON_WITNESS_H
#define PFMON_WITNESS_H

#include "../data/data.h"
#include "../event/events.h"

/*
 * Copy @events to @all, and append a witness for each event. Then assign counters anew: to the
 * events, and to those witnesses for which counters are left. Witnesses have no name. Returns 0, or
 * -1 after reporting an error. The caller calls witness_free() in any case.
 */
int witness_add(struct event_list *all, struct event_list *events,
		const struct machine *machine);
void witness_free(struct event_list *all);

/* Returns the PMD of the witness of event @index; -1 if the witness has no counter. */
int witness_of(const struct event_list *all, size_t event_count, size_t index);

/**
 * struct explained - the events of a counter that are in samples, or are known to be in no sample
 * @periods: sum of the periods of the samples that pfmon has read from the buffers
 * @samples: number of these samples
 * @period: the current period
 * @rest: number of events since the last sample
 * @cut: upper limit for the number of events that are in no sample because threads ended before a
 *	period was over
 * @dropped: number of events that were dropped when the period changed
 * @lost: number of samples that were lost
 * @lost_sum: sum of the periods of the lost samples; 0 if this sum is not known
 */
struct explained {
	uint64_t periods;
	uint64_t samples;
	uint64_t period;
	uint64_t rest;
	uint64_t cut;
	uint64_t dropped;
	uint64_t lost;
	uint64_t lost_sum;
};

/*
 * A witness counted @counted events. Store in @record the number of these events that are in no
 * sample for an unknown reason. Returns the number of these events that are in no sample because
 * threads ended before a period was over.
 */
uint64_t witness_compare(struct data_unsampled *record, uint64_t counted,
			 const struct explained *explained);

#endif
