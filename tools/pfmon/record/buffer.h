/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A sampling buffer, and the counts of its samples. Each buffer has its own number in the file. The
 * file calls this number the context number.
 */
#ifndef PFMON_BUFFER_H
#define PFMON_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../data/data.h"
#include "../data/data_write.h"
#include "drain.h"

/* The value of buffer.cpu if the buffer has samples of all CPUs. */
#define BUFFER_NO_CPU (-1)

/**
 * struct buffer - a sampling buffer
 * @memory: the mapped buffer
 * @size: size of @memory in bytes
 * @cpu: the CPU whose samples the buffer contains, or BUFFER_NO_CPU
 * @drain: how far the buffer has been read
 * @told: the losses in the last DATA_LOSSES record that was written
 * @earlier: the counts of samples in earlier files of the recording
 * @homeless: number of samples that the kernel lost because their CPU had no buffer. Only the first
 *	buffer of a context has this number; in all other buffers it is 0
 */
struct buffer {
	void *memory;
	size_t size;
	int cpu;
	struct drain drain;
	struct data_losses told;
	struct drain_counts earlier;
	uint64_t homeless;
};

/*
 * Map a sampling buffer of the context with descriptor @fd. @offset is the offset for mmap().
 * Returns 0, or a positive errno without a message. The caller calls buffer_free() in any case.
 */
int buffer_map(struct buffer *buffer, int fd, uint64_t offset, enum data_format format);
void buffer_free(struct buffer *buffer);

/*
 * Store three numbers in @counts: the samples that were written since the recording began, those
 * that were lost since then, and those that are in the buffer now.
 */
void buffer_count(const struct buffer *buffer, struct drain_counts *counts);

/*
 * Store in @counts the same numbers as buffer_count(), but only for the current file. If @is_last
 * is false, the recording continues in another file, and the samples that are still in the buffer
 * belong to that file.
 */
void buffer_count_file(const struct buffer *buffer, bool is_last,
		       struct drain_counts *counts);

/*
 * Start to count the samples and the losses of the next file. @counts are the counts of the
 * previous file.
 */
void buffer_begin_file(struct buffer *buffer, const struct drain_counts *counts);

/* The functions below return 0, or -1 after reporting an error. */

/* For a buffer that is not full: write its samples to the file, and then its losses. */
int buffer_take_early(struct buffer *buffer, struct data_writer *writer);

/* Write the losses so far, unless they are in the file already. */
int buffer_write_losses(struct buffer *buffer, struct data_writer *writer);

/* If the buffer belongs to a CPU, write a CPU record with @counts. */
int buffer_write_cpu(const struct buffer *buffer, const struct drain_counts *counts,
		     struct data_writer *writer);

#endif
