/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Move samples from a sampling buffer to the file, each sample exactly once. To take samples means
 * to read them from the buffer and, if there is a writer, to write them to the file. The kernel
 * writes the samples to the buffer. The functions only read the buffer: they make no system calls
 * on the context.
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
 * @newest: time of the newest sample; 0 if no sample has a time
 * @events: for each PMD, the sum of the periods of its samples
 * @samples: for each PMD, the number of its samples
 */
struct tally {
	uint64_t newest;
	uint64_t events[PFM_MAX_HARDWARE];
	uint64_t samples[PFM_MAX_HARDWARE];
};

/**
 * struct drain - how far a buffer has been read
 * @format: sampling format of the buffer
 * @context: number of the context in the file
 * @buffer: the mapped buffer
 * @size: size of @buffer in bytes
 * @taken: number of samples that were taken from the buffer
 * @written: number of samples that were written to files
 * @overflows: value of pfm_dfl_smpl_hdr.hdr_overflows when a full buffer was last taken (default
 *	and callchain)
 * @is_taken: a full buffer has been taken and not handed back yet (default and callchain)
 * @regions: number of regions taken (nway)
 * @early: number of samples taken from a buffer or region that the kernel is still filling
 * @early_size: size of the @early samples in bytes
 * @table: for each entry of the kernel's table, the count and the sum that have been written to the
 *	file; NULL before the first write (hist)
 * @is_over: the last samples have been taken
 * @tally: sums over the samples that have been taken
 *
 * If a description above ends with the names of formats in parentheses, the field is used only with
 * these formats.
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
 * Take a full buffer or region. Returns 1 if a buffer or region was taken. The caller then hands it
 * back with pfm_restart() or pfm_restart_cpu(), and calls drain_handed_back() if the restart
 * succeeds. Returns 0 if no buffer or region is full. Returns -1 after reporting a failed write;
 * the samples that were taken are then lost. If @writer is NULL, nothing is written, and the
 * samples that are taken are lost.
 */
int drain_full(struct drain *drain, struct data_writer *writer);
void drain_handed_back(struct drain *drain);

/* Returns whether the caller still has to hand back a buffer or region that was taken. */
bool drain_is_owed(const struct drain *drain);

/*
 * Take the samples of a buffer or region that is not full, while the kernel continues to fill it.
 * With hist, take what the kernel has added to its table since the last call. Returns 0, or -1
 * after reporting an error.
 */
int drain_early(struct drain *drain, struct data_writer *writer);

/*
 * Take all remaining samples after the end of monitoring. A second call has no effect. Returns 0,
 * or -1 after reporting an error.
 */
int drain_rest(struct drain *drain, struct data_writer *writer);

/* Set @tally to the sums over all samples so far, including those in the buffer. */
void drain_tally(const struct drain *drain, struct tally *tally);

/* Add the sums over all samples so far to @sum. */
void drain_add_tally(const struct drain *drain, struct tally *sum);

/**
 * struct drain_counts - numbers of samples
 * @produced: samples that the kernel took. With nway and hist this is the kernel's own count. With
 *	default and callchain it is the sum of three numbers: the samples that pfmon took from the
 *	buffer, the samples that are in the buffer, and the samples that the kernel lost
 * @written: samples in the file
 * @waiting: samples in the buffer
 * @lost: samples that did not fit into the buffer, or that could not be written to the file
 * @lost_sum: sum of the periods of the samples that the kernel lost; 0 if this sum is not known
 * @full: number of times that the buffer was full and masked monitoring (default and callchain)
 * @throttled: number of times that monitoring waited for the next tick because of too many
 *	interrupts
 *
 * @produced is the sum of @written, @waiting and @lost.
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
void drain_counts_add(struct drain_counts *sum, const struct drain_counts *counts);
void drain_free(struct drain *drain);

#endif
