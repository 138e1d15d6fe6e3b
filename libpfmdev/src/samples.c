// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Samples of several buffers, sorted by time.
 *
 * In each buffer the samples are in time order. So the library compares only the first unread
 * sample of each buffer, and takes the oldest one. But a CPU may still be writing a sample that is
 * even older. So the library takes samples in rounds. A round consists of the samples that are in
 * the buffers when the round begins. The library then waits MOMENT ns before it takes the first of
 * these samples. After this time, the CPUs have written all samples that are older than a sample of
 * the round.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <perfmon/perfmon_callchain.h>
#include <perfmon/perfmon_dfl_smpl.h>
#include <perfmon/perfmon_nway.h>

#include "internal.h"

/*
 * Time in ns from the beginning of a round until the library takes the first sample.  A CPU needs
 * much less time to write a sample, because interrupts are off.
 */
#define MOMENT	    1000000

/* Value of buffer.cpu if the context has one buffer for all CPUs. */
#define NO_CPU	    (-1)

#define look(field) __atomic_load_n(&(field), __ATOMIC_ACQUIRE)

enum layout {
	DEFAULT,
	CALLCHAIN,
	NWAY
};

static const char *const formats[] = {
	[DEFAULT] = PFM_DFL_SMPL_NAME,
	[CALLCHAIN] = PFM_CALLCHAIN_NAME,
	[NWAY] = PFM_NWAY_NAME,
};

/**
 * struct buffer - a sampling buffer, and how far it has been read
 * @fd: descriptor of the context
 * @cpu: CPU of the buffer, or NO_CPU
 * @layout: sampling format of the context
 * @memory: the mapped buffer
 * @size: size of @memory in bytes
 * @region: number of the region that is being read (only with nway)
 * @read: with nway: number of samples that have been read from @region; with other formats: number
 *	of samples that have been read from the buffer since it was last handed back
 * @place: offset of the next sample in @memory
 * @taken: number of samples that have been read so far from all regions (only with nway)
 * @left: number of samples of the round that have not been read
 * @first: the next sample; NULL if the buffer has none
 */
struct buffer {
	int fd;
	int cpu;
	enum layout layout;
	void *memory;
	size_t size;
	uint64_t region;
	uint64_t read;
	size_t place;
	uint64_t taken;
	uint64_t left;
	const struct pfm_dfl_smpl_entry *first;
};

/**
 * struct pfm_samples - sampling buffers whose samples are read together, in time order
 * @buffers: array of the buffers
 * @count: number of elements of @buffers
 * @left: number of samples of the round that have not been read
 * @last: buffer of the sample that the last pfm_samples_next() returned; NULL if that call returned
 *	no sample
 * @is_over: 1 if monitoring is over, so that all samples are in the buffers
 */
struct pfm_samples {
	struct buffer *buffers;
	size_t count;
	uint64_t left;
	struct buffer *last;
	int is_over;
};

static int refuse(int error)
{
	errno = error;
	return -1;
}

/* ---- one buffer ----------------------------------------------------------------------------- */

static size_t size_of(enum layout layout, const void *place)
{
	const struct pfm_dfl_smpl_entry *entry = place;
	const struct pfm_callchain_entry *chain = place;

	if (layout != CALLCHAIN)
		return sizeof(*entry) + sizeof(uint64_t) * PFM_SMPL_VALUES(entry->values);
	return sizeof(*chain) +
	       sizeof(uint64_t) * ((size_t)chain->value_count + chain->kernel_count +
				   chain->user_count);
}

static uint64_t waiting_in(const struct buffer *buffer)
{
	const struct pfm_dfl_smpl_hdr *linear = buffer->memory;
	const struct pfm_nway_hdr *nway = buffer->memory;

	return buffer->layout == NWAY ? look(nway->written) - buffer->taken
				      : look(linear->hdr_count) - buffer->read;
}

static size_t place_of_region(const struct buffer *buffer)
{
	const struct pfm_nway_hdr *header = buffer->memory;

	return header->region_offset +
	       buffer->region % header->regions * header->region_size;
}

static void leave_read_regions(struct buffer *buffer)
{
	const struct pfm_nway_hdr *header = buffer->memory;
	const struct pfm_nway_region *regions = (const void *)(header + 1);

	while (look(header->filled) != buffer->region &&
	       buffer->read == look(regions[buffer->region % header->regions].count)) {
		buffer->region++;
		buffer->read = 0;
		buffer->place = place_of_region(buffer);
	}
}

/* Return: whether a full buffer or region has been read but not handed back. */
static int is_owed(const struct buffer *buffer)
{
	const struct pfm_dfl_smpl_hdr *linear = buffer->memory;
	const struct pfm_nway_hdr *nway = buffer->memory;

	if (buffer->layout == NWAY)
		return look(nway->released) != buffer->region;
	return buffer->read && buffer->read == look(linear->hdr_count) &&
	       linear->hdr_buf_size - look(linear->hdr_cur_offs) <
		       linear->hdr_min_buf_space;
}

/*
 * Hand back the buffer or the regions that have been read.  pfm_restart() fails while the context
 * is unloaded; a later round then tries again.
 */
static void hand_back(struct buffer *buffer)
{
	if (buffer->layout == NWAY)
		leave_read_regions(buffer);
	while (is_owed(buffer)) {
		if (buffer->cpu == NO_CPU ? pfm_restart(buffer->fd)
					  : pfm_restart_cpu(buffer->fd, buffer->cpu))
			return;
		if (buffer->layout == NWAY)
			continue;
		buffer->read = 0;
		buffer->place = sizeof(struct pfm_dfl_smpl_hdr);
	}
}

/*
 * Find the next sample.  It may be in a region that the kernel has begun to fill since the last
 * call of this function.
 */
static void find_first(struct buffer *buffer)
{
	const size_t least = buffer->layout == CALLCHAIN
				     ? sizeof(struct pfm_callchain_entry)
				     : sizeof(struct pfm_dfl_smpl_entry);
	const char *place;
	size_t rest;

	buffer->first = NULL;
	if (!waiting_in(buffer))
		return;
	if (buffer->layout == NWAY)
		leave_read_regions(buffer);
	place = (const char *)buffer->memory + buffer->place;
	rest = buffer->size - buffer->place;
	if (rest >= least && size_of(buffer->layout, place) <= rest)
		buffer->first = (const void *)place;
}

static void leave_first(struct buffer *buffer)
{
	buffer->place += size_of(buffer->layout, buffer->first);
	buffer->read++;
	buffer->taken++;
	hand_back(buffer);
	find_first(buffer);
}

/* ---- all buffers ---------------------------------------------------------------------------- */

static void wait_a_moment(void)
{
	struct timespec left = { .tv_nsec = MOMENT };

	while (nanosleep(&left, &left) && errno == EINTR)
		;
}

static void begin_round(struct pfm_samples *samples)
{
	size_t i;

	samples->left = 0;
	for (i = 0; i < samples->count; i++) {
		hand_back(&samples->buffers[i]);
		samples->buffers[i].left = waiting_in(&samples->buffers[i]);
		samples->left += samples->buffers[i].left;
	}
	if (samples->left && !samples->is_over)
		wait_a_moment();
	for (i = 0; samples->left && i < samples->count; i++) {
		hand_back(&samples->buffers[i]);
		find_first(&samples->buffers[i]);
	}
}

/*
 * Move past the sample that the last pfm_samples_next() returned. The caller no longer uses this
 * sample.
 */
static void leave_last(struct pfm_samples *samples)
{
	if (samples->last)
		leave_first(samples->last);
	samples->last = NULL;
}

static struct buffer *find_oldest(const struct pfm_samples *samples)
{
	struct buffer *oldest = NULL;
	size_t i;

	for (i = 0; i < samples->count; i++) {
		struct buffer *buffer = &samples->buffers[i];

		if (buffer->first &&
		    (!oldest || buffer->first->tstamp < oldest->first->tstamp))
			oldest = buffer;
	}
	return oldest;
}

PFMDEV_EXPORT int pfm_samples_next(struct pfm_samples *samples,
				   const struct pfm_dfl_smpl_entry **sample)
{
	struct buffer *oldest;

	leave_last(samples);
	if (!samples->left)
		begin_round(samples);
	oldest = samples->left ? find_oldest(samples) : NULL;
	if (!oldest)
		return 0;
	if (oldest->left) {
		oldest->left--;
		samples->left--;
	}
	samples->last = oldest;
	*sample = oldest->first;
	return 1;
}

PFMDEV_EXPORT void pfm_samples_end(struct pfm_samples *samples)
{
	samples->is_over = 1;
}

PFMDEV_EXPORT uint64_t pfm_samples_lost(const struct pfm_samples *samples)
{
	uint64_t lost = 0;
	size_t i;

	for (i = 0; i < samples->count; i++) {
		const struct pfm_dfl_smpl_hdr *linear = samples->buffers[i].memory;
		const struct pfm_nway_hdr *nway = samples->buffers[i].memory;

		lost += samples->buffers[i].layout == NWAY ? look(nway->lost)
							   : look(linear->hdr_lost);
	}
	return lost;
}

/* ---- the beginning and the end -------------------------------------------------------------- */

PFMDEV_EXPORT struct pfm_samples *pfm_samples_open(void)
{
	return calloc(1, sizeof(struct pfm_samples));
}

/*
 * Prepare to read @buffer from its first sample on. Fails if somebody else has already handed back
 * regions, because then the first region may not be the oldest.
 */
static int begin_buffer(struct buffer *buffer)
{
	const struct pfm_nway_hdr *header = buffer->memory;

	buffer->place = sizeof(struct pfm_dfl_smpl_hdr);
	if (buffer->layout != NWAY)
		return 0;
	buffer->place = header->region_offset;
	return look(header->released) ? refuse(EBUSY) : 0;
}

static int add_buffer(struct pfm_samples *samples, const struct buffer *wanted)
{
	const int cpu = wanted->cpu == NO_CPU ? 0 : wanted->cpu;
	struct buffer *buffers =
		reallocarray(samples->buffers, samples->count + 1, sizeof(*buffers));
	struct buffer *buffer;

	if (!buffers)
		return -1;
	samples->buffers = buffers;
	buffer = &buffers[samples->count];
	*buffer = *wanted;
	buffer->memory = mmap(NULL, buffer->size, PROT_READ, MAP_SHARED, buffer->fd,
			      (off_t)PFM_BUFFER_OFFSET(cpu));
	if (buffer->memory == MAP_FAILED)
		return -1;
	samples->count++;
	return begin_buffer(buffer);
}

static int find_layout(const char *format)
{
	unsigned int i;

	for (i = 0; i < sizeof(formats) / sizeof(*formats); i++)
		if (!strcmp(format, formats[i]))
			return (int)i;
	return refuse(EINVAL);
}

PFMDEV_EXPORT int pfm_samples_add(struct pfm_samples *samples, int fd, const char *format)
{
	struct buffer wanted = { .fd = fd, .cpu = NO_CPU };
	int layout = find_layout(format);
	struct pfm_status status;

	if (layout == -1 || pfm_get_status(fd, &status))
		return -1;
	leave_last(samples);
	wanted.layout = (enum layout)layout;
	wanted.size = status.buffer_size;
	if (!status.buffer_cpus)
		return add_buffer(samples, &wanted);
	/* Skip the CPUs that have no buffer: for them, add_buffer() fails with EINVAL. */
	for (wanted.cpu = 0; wanted.cpu < (int)status.buffer_cpus; wanted.cpu++)
		if (add_buffer(samples, &wanted) && errno != EINVAL)
			return -1;
	return 0;
}

PFMDEV_EXPORT void pfm_samples_close(struct pfm_samples *samples)
{
	size_t i;

	for (i = 0; samples && i < samples->count; i++)
		munmap(samples->buffers[i].memory, samples->buffers[i].size);
	if (samples)
		free(samples->buffers);
	free(samples);
}
