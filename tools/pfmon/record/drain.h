/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From a sampling buffer to the file: each sample once, and none forgotten.  The buffer
 * is memory that the kernel writes; its context is not needed here.
 */
#ifndef PFMON_DRAIN_H
#define PFMON_DRAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <perfmon/perfmon.h>

#include "../data/data_write.h"
#include "../data/data.h"

/**
 * struct tally - sums over samples
 * @newest: time of the last one; 0 if none has a time
 * @events: sum of periods, for each PMD
 * @samples: number of samples, for each PMD
 */
struct tally {
	uint64_t newest;
	uint64_t events[PFM_MAX_HARDWARE];
	uint64_t samples[PFM_MAX_HARDWARE];
};

/**
 * struct drain - how far a buffer has been taken
 * @format: of the buffer
 * @context: its number in the file
 * @buffer: the memory
 * @size: its bytes
 * @taken: samples taken so far
 * @written: those of them that are in the file
 * @overflows: default, callchain: hdr_overflows when a full buffer was taken last
 * @is_taken: default, callchain: the content of the buffer has been taken
 * @regions: nway: regions taken
 * @early: samples that were taken of the buffer or region that is being filled
 * @early_size: their bytes
 * @table: hist: what is in the file of each entry, NULL: nothing
 * @is_over: the rest has been taken, too
 * @tally: of what has been taken
 */
struct drain {
	enum data_format format;
	uint32_t context;
	const void *buffer;
	size_t size;
	uint64_t taken;
	uint64_t written;
	uint64_t overflows;
	bool is_taken;
	uint64_t regions;
	uint64_t early;
	size_t early_size;
	struct pfm_hist_entry *table;
	bool is_over;
	struct tally tally;
};

/*
 * Take a full buffer or region, if there is one: returns 1, and the caller hands it back
 * by pfm_restart() and, if that succeeds, calls drain_handed_back().  Returns 0 if there
 * is none.  Returns -1 after reporting that it could not be written; what was taken is
 * lost then.  @writer is NULL if nothing can be written any more: the same.
 */
int drain_full(struct drain *drain, struct data_writer *writer);
void drain_handed_back(struct drain *drain);

/*
 * Take what is there already of a buffer or region that is not full, while the kernel goes
 * on to fill it; of hist what was added since the last time.  Returns as drain_rest().
 */
int drain_early(struct drain *drain, struct data_writer *writer);

/* Take all that is left: monitoring is over.  A second time there is nothing left. */
int drain_rest(struct drain *drain, struct data_writer *writer);

/* Sums over all samples so far, including those in the buffer. */
void drain_tally(const struct drain *drain, struct tally *tally);

/**
 * struct drain_counts - what became of the samples so far
 * @produced: those that the kernel took, as it says itself
 * @written: those in the file
 * @waiting: those in the buffer
 * @lost: those for which the kernel had no room, or that could not be written
 * @lost_sum: sum of the periods of the former, if it is known
 * @full: default, callchain: times that monitoring stopped because the buffer was full
 * @throttled: times that it waited because of too many interrupts
 *
 * @produced is @written, @waiting and @lost.
 */
struct drain_counts {
	uint64_t produced;
	uint64_t written;
	uint64_t waiting;
	uint64_t lost;
	uint64_t lost_sum;
	uint64_t full;
	uint64_t throttled;
};

void drain_count(const struct drain *drain, struct drain_counts *counts);
void drain_free(struct drain *drain);

#endif
