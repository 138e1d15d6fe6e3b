// SPDX-License-Identifier: GPL-2.0-only
/*
 * From a sampling buffer to the file.  The kernel may be writing it: what a count takes
 * in is there before the count says so.
 */
#include <stdlib.h>
#include <string.h>

#include <perfmon/perfmon_callchain.h>
#include <perfmon/perfmon_dfl_smpl.h>
#include <perfmon/perfmon_hist.h>
#include <perfmon/perfmon_nway.h>

#include "drain.h"
#include "errors.h"

#define look(field) __atomic_load_n(&(field), __ATOMIC_ACQUIRE)

static bool is_linear(const struct drain *drain)
{
	return drain->format == DATA_FORMAT_DEFAULT ||
	       drain->format == DATA_FORMAT_CALLCHAIN;
}

static uint32_t version(const struct drain *drain)
{
	if (is_linear(drain))
		return ((const struct pfm_dfl_smpl_hdr *)drain->buffer)->hdr_version;
	/* The first word of the other two. */
	return *(const uint32_t *)drain->buffer;
}

/* Samples are asked for without values of PMDs. */
static size_t entry_size(enum data_format format, const void *place)
{
	const struct pfm_callchain_entry *entry = place;

	if (format != DATA_FORMAT_CALLCHAIN)
		return sizeof(struct pfm_dfl_smpl_entry);
	return sizeof(*entry) +
	       sizeof(uint64_t) * ((size_t)entry->value_count + entry->kernel_count +
				   entry->user_count);
}

static void add_period(struct tally *tally, uint16_t pmd, uint64_t events)
{
	if (pmd < PFM_MAX_HARDWARE)
		tally->events[pmd] += events;
}

static void tally_entries(struct tally *tally, enum data_format format, const void *place,
			  size_t size, uint64_t count)
{
	size_t least = format == DATA_FORMAT_CALLCHAIN
			       ? sizeof(struct pfm_callchain_entry)
			       : sizeof(struct pfm_dfl_smpl_entry);
	const struct pfm_dfl_smpl_entry *entry;
	size_t bytes;

	for (; count && size >= least; count--, size -= bytes) {
		entry = place;
		bytes = entry_size(format, place);
		if (bytes > size)
			return;
		add_period(tally, entry->ovfl_pmd, -entry->last_reset_val);
		if (entry->tstamp > tally->newest)
			tally->newest = entry->tstamp;
		place = (const char *)place + bytes;
	}
}

static int write_entries(const struct drain *drain, struct data_writer *writer,
			 uint64_t count, const void *entries, size_t size)
{
	struct data_samples samples = {
		.context = drain->context,
		.format = drain->format,
		.format_version = version(drain),
		.count = count,
	};

	return data_write_samples(writer, &samples, entries, size);
}

/* @count samples leave the buffer, for the file if there is one. */
static int take(struct drain *drain, struct data_writer *writer, uint64_t count,
		const void *entries, size_t size)
{
	tally_entries(&drain->tally, drain->format, entries, size, count);
	drain->taken += count;
	if (!writer)
		return 0;
	if (write_entries(drain, writer, count, entries, size))
		return -1;
	drain->written += count;
	return 0;
}

/* Bytes of the entries in a linear buffer, never more than it has. */
static size_t linear_size(const struct drain *drain)
{
	const struct pfm_dfl_smpl_hdr *header = drain->buffer;
	uint64_t end = look(header->hdr_cur_offs);

	if (end > drain->size)
		end = drain->size;
	return end > sizeof(*header) ? (size_t)(end - sizeof(*header)) : 0;
}

static int take_linear(struct drain *drain, struct data_writer *writer)
{
	const struct pfm_dfl_smpl_hdr *header = drain->buffer;
	uint64_t count = look(header->hdr_count);

	drain->overflows = look(header->hdr_overflows);
	drain->is_taken = true;
	return take(drain, writer, count, header + 1, linear_size(drain));
}

static const struct pfm_nway_region *nway_region(const struct drain *drain,
						 uint64_t number, const void **entries)
{
	const struct pfm_nway_hdr *header = drain->buffer;
	const struct pfm_nway_region *regions = (const void *)(header + 1);
	uint64_t index = number % header->regions;

	*entries = (const char *)header + header->region_offset +
		   index * header->region_size;
	return &regions[index];
}

static size_t region_size(const struct drain *drain, const struct pfm_nway_region *region)
{
	const struct pfm_nway_hdr *header = drain->buffer;
	uint64_t size = look(region->size);

	return (size_t)(size < header->region_size ? size : header->region_size);
}

static int take_region(struct drain *drain, struct data_writer *writer)
{
	const struct pfm_nway_region *region;
	const void *entries;

	region = nway_region(drain, drain->regions, &entries);
	drain->regions++;
	return take(drain, writer, look(region->count), entries,
		    region_size(drain, region));
}

int drain_full(struct drain *drain, struct data_writer *writer)
{
	const struct pfm_dfl_smpl_hdr *linear = drain->buffer;
	const struct pfm_nway_hdr *nway = drain->buffer;

	if (drain->is_over)
		return 0;
	if (is_linear(drain)) {
		if (look(linear->hdr_overflows) == drain->overflows)
			return 0;
		return take_linear(drain, writer) ? -1 : 1;
	}
	if (drain->format != DATA_FORMAT_NWAY || look(nway->filled) == drain->regions)
		return 0;
	return take_region(drain, writer) ? -1 : 1;
}

void drain_handed_back(struct drain *drain)
{
	drain->is_taken = false;
}

/*
 * In the region that was being filled are the samples that are in no other.  If there
 * are none its description may be that of an earlier use.
 */
static int rest_of_nway(struct drain *drain, struct data_writer *writer)
{
	const struct pfm_nway_hdr *header = drain->buffer;
	int result = 0;

	while (look(header->filled) != drain->regions)
		if (take_region(drain, result ? NULL : writer))
			result = -1;
	if (look(header->written) != drain->taken &&
	    take_region(drain, result ? NULL : writer))
		result = -1;
	return result;
}

static const struct pfm_hist_entry *hist_table(const struct drain *drain, size_t *count)
{
	const struct pfm_hist_hdr *header = drain->buffer;
	size_t most = (drain->size - sizeof(*header)) / sizeof(struct pfm_hist_entry);

	*count = header->entries < most ? header->entries : most;
	return (const struct pfm_hist_entry *)(header + 1);
}

static void tally_hist(const struct drain *drain, struct tally *tally)
{
	const struct pfm_hist_entry *table;
	size_t count;

	table = hist_table(drain, &count);
	for (size_t i = 0; i < count; i++)
		if (look(table[i].count))
			add_period(tally, table[i].pmd, look(table[i].sum));
}

/* The entries in use, without those that are not between them. */
static int take_hist(struct drain *drain, struct data_writer *writer)
{
	const struct pfm_hist_entry *table;
	struct pfm_hist_entry *used;
	size_t count, used_count = 0;
	int result;

	table = hist_table(drain, &count);
	tally_hist(drain, &drain->tally);
	for (size_t i = 0; i < count; i++)
		drain->taken += table[i].count;
	if (!writer)
		return 0;
	used = malloc(count * sizeof(*used));
	if (!used)
		return fail("no memory");
	for (size_t i = 0; i < count; i++)
		if (table[i].count)
			used[used_count++] = table[i];
	result = write_entries(drain, writer, used_count, used,
			       used_count * sizeof(*used));
	if (!result)
		drain->written = drain->taken;
	free(used);
	return result;
}

int drain_rest(struct drain *drain, struct data_writer *writer)
{
	const struct pfm_dfl_smpl_hdr *header = drain->buffer;
	int result = 0;

	if (drain->is_over)
		return 0;
	switch (drain->format) {
	case DATA_FORMAT_NWAY:
		result = rest_of_nway(drain, writer);
		break;
	case DATA_FORMAT_HIST:
		result = take_hist(drain, writer);
		break;
	default:
		/* One that was taken and could not be handed back is there still. */
		if (!drain->is_taken && look(header->hdr_count))
			result = take_linear(drain, writer);
	}
	drain->is_over = true;
	return result;
}

/* Regions that wait, and what is in the one that is being filled. */
static void tally_nway(const struct drain *drain, struct tally *tally)
{
	const struct pfm_nway_hdr *header = drain->buffer;
	uint64_t filled = look(header->filled), written = look(header->written);
	uint64_t waiting = written > drain->taken ? written - drain->taken : 0;
	const struct pfm_nway_region *region;
	const void *entries;

	for (uint64_t i = drain->regions; i <= filled && waiting; i++) {
		uint64_t count;

		region = nway_region(drain, i, &entries);
		count = look(region->count);
		if (count > waiting)
			count = waiting;
		tally_entries(tally, drain->format, entries, header->region_size, count);
		waiting -= count;
	}
}

void drain_tally(const struct drain *drain, struct tally *tally)
{
	const struct pfm_dfl_smpl_hdr *header = drain->buffer;

	*tally = drain->tally;
	if (drain->is_over)
		return;
	if (drain->format == DATA_FORMAT_NWAY)
		tally_nway(drain, tally);
	else if (drain->format == DATA_FORMAT_HIST)
		tally_hist(drain, tally);
	else if (!drain->is_taken)
		tally_entries(tally, drain->format, header + 1, linear_size(drain),
			      look(header->hdr_count));
}

static void count_linear(const struct drain *drain, struct drain_counts *counts)
{
	const struct pfm_dfl_smpl_hdr *header = drain->buffer;

	counts->waiting = drain->is_taken || drain->is_over ? 0 : look(header->hdr_count);
	counts->lost = look(header->hdr_lost);
	counts->produced = drain->taken + counts->waiting + counts->lost;
	counts->full = look(header->hdr_overflows);
	counts->throttled = look(header->hdr_throttled);
}

static void count_nway(const struct drain *drain, struct drain_counts *counts)
{
	const struct pfm_nway_hdr *header = drain->buffer;
	uint64_t written = look(header->written);

	counts->waiting = drain->is_over ? 0 : written - drain->taken;
	counts->lost = look(header->lost);
	counts->produced = look(header->produced);
	counts->throttled = look(header->throttled);
}

static void count_hist(const struct drain *drain, struct drain_counts *counts)
{
	const struct pfm_hist_hdr *header = drain->buffer;

	counts->lost = look(header->lost);
	counts->lost_sum = look(header->lost_sum);
	counts->produced = look(header->produced);
	counts->waiting = drain->is_over ? 0 : counts->produced - counts->lost;
	counts->throttled = look(header->throttled);
}

void drain_count(const struct drain *drain, struct drain_counts *counts)
{
	*counts = (struct drain_counts){ .written = drain->written };
	if (drain->format == DATA_FORMAT_NWAY)
		count_nway(drain, counts);
	else if (drain->format == DATA_FORMAT_HIST)
		count_hist(drain, counts);
	else
		count_linear(drain, counts);
	counts->lost += drain->taken - drain->written;
}
