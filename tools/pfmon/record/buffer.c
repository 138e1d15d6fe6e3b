// SPDX-License-Identifier: GPL-2.0-only
/* A sampling buffer. */
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "buffer.h"
#include "sampling_format.h"

int buffer_map(struct buffer *buffer, int fd, uint64_t offset, enum data_format format)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *header = mmap(NULL, page, PROT_READ, MAP_SHARED, fd, (off_t)offset);

	*buffer = (struct buffer){ .cpu = BUFFER_NO_CPU };
	if (header == MAP_FAILED)
		return errno;
	buffer->size = sampling_format_size(format, header);
	munmap(header, page);
	buffer->memory =
		mmap(NULL, buffer->size, PROT_READ, MAP_SHARED, fd, (off_t)offset);
	if (buffer->memory == MAP_FAILED) {
		buffer->memory = NULL;
		return errno;
	}
	buffer->drain = (struct drain){
		.format = format,
		.buffer = buffer->memory,
		.size = buffer->size,
	};
	return 0;
}

void buffer_free(struct buffer *buffer)
{
	if (buffer->memory)
		munmap(buffer->memory, buffer->size);
	drain_free(&buffer->drain);
	*buffer = (struct buffer){ .cpu = BUFFER_NO_CPU };
}

void buffer_count(const struct buffer *buffer, struct drain_counts *counts)
{
	drain_count(&buffer->drain, counts);
	counts->produced += buffer->homeless;
	counts->lost += buffer->homeless;
}

void buffer_count_file(const struct buffer *buffer, bool is_last,
		       struct drain_counts *counts)
{
	const struct drain_counts *earlier = &buffer->earlier;

	buffer_count(buffer, counts);
	counts->produced -= earlier->produced;
	counts->written -= earlier->written;
	counts->lost -= earlier->lost;
	counts->lost_sum -= earlier->lost_sum;
	counts->throttled -= earlier->throttled;
	if (!is_last)
		counts->produced = counts->written + counts->lost;
}

void buffer_begin_file(struct buffer *buffer, const struct drain_counts *counts)
{
	drain_counts_add(&buffer->earlier, counts);
	buffer->told = (struct data_losses){ 0 };
}

/*
 * Write a DATA_LOSSES record, but only if samples were lost or monitoring was throttled since the
 * last such record.
 */
int buffer_write_losses(struct buffer *buffer, struct data_writer *writer)
{
	struct data_losses losses = { .context = buffer->drain.context };
	struct drain_counts counts;

	buffer_count_file(buffer, true, &counts);
	losses.lost = counts.lost;
	losses.lost_sum = counts.lost_sum;
	losses.throttled = counts.throttled;
	if (!writer || (losses.lost == buffer->told.lost &&
			losses.throttled == buffer->told.throttled))
		return 0;
	buffer->told = losses;
	return data_write_losses(writer, &losses);
}

int buffer_take_early(struct buffer *buffer, struct data_writer *writer)
{
	if (drain_early(&buffer->drain, writer))
		return -1;
	return buffer_write_losses(buffer, writer);
}

int buffer_write_cpu(const struct buffer *buffer, const struct drain_counts *counts,
		     struct data_writer *writer)
{
	const struct data_cpu cpu = {
		.produced = counts->produced,
		.written = counts->written,
		.lost = counts->lost,
		.context = buffer->drain.context,
		.cpu = (uint32_t)buffer->cpu,
	};

	return buffer->cpu == BUFFER_NO_CPU ? 0 : data_write_cpu(writer, &cpu);
}
