// SPDX-License-Identifier: GPL-2.0-only
/*
 * Move samples from a sampling buffer to the file. The kernel may write to the buffer at the same
 * time. The kernel writes a sample before it increments the count of samples, so every counted
 * sample is complete.
 */
#include <stdlib.h>
#include <string.h>

#include <perfmon/perfmon_callchain.h>
#include <perfmon/perfmon_dfl_smpl.h>
#include <perfmon/perfmon_hist.h>
#include <perfmon/perfmon_nway.h>

#include "../data/data_write.h"
#include "../common/errors.h"
#include "drain.h"

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
	/* The headers of nway and hist begin with the version. */
	return *(const uint32_t *)drain->buffer;
}

static size_t entry_size(enum data_format format, const void *start)
{
	const struct pfm_dfl_smpl_entry *entry = start;
	const struct pfm_callchain_entry *chain = start;

	if (format != DATA_FORMAT_CALLCHAIN)
		return sizeof(*entry) + sizeof(uint64_t) * PFM_SMPL_VALUES(entry->values);
	return sizeof(*chain) +
	       sizeof(uint64_t) * ((size_t)chain->value_count + chain->kernel_count +
				   chain->user_count);
}

static void add_periods(struct tally *tally, uint16_t pmd, uint64_t events,
			uint64_t samples)
{
	if (pmd >= PFM_MAX_HARDWARE)
		return;
	tally->events[pmd] += events;
	tally->samples[pmd] += samples;
}

static void tally_entries(struct tally *tally, enum data_format format,
			  const void *entries, size_t size, uint64_t count)
{
	size_t least = format == DATA_FORMAT_CALLCHAIN
			       ? sizeof(struct pfm_callchain_entry)
			       : sizeof(struct pfm_dfl_smpl_entry);
	const struct pfm_dfl_smpl_entry *entry;
	size_t bytes;

	for (; count && size >= least; count--, size -= bytes) {
		entry = entries;
		bytes = entry_size(format, entries);
		if (bytes > size)
			return;
		add_periods(tally, entry->ovfl_pmd, -entry->last_reset_val, 1);
		if (entry->tstamp > tally->newest)
			tally->newest = entry->tstamp;
		entries = (const char *)entries + bytes;
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

/*
 * There are @count entries at @entries. Returns the number of entries that fit into *@size
 * bytes, and sets *@size to the size of these entries.
 */
static uint64_t entries_within(const struct drain *drain, const void *entries,
			       uint64_t count, size_t *size)
{
	size_t used = 0, next;
	uint64_t i;

	for (i = 0; i < count; i++) {
		next = entry_size(drain->format, (const char *)entries + used);
		if (next > *size - used)
			break;
		used += next;
	}
	*size = used;
	return i;
}

/*
 * Take @count samples from the buffer, and write them to the file if there is a @writer. If the
 * file does not have room for all samples, write only the first samples, as many as fit.
 */
static int take(struct drain *drain, struct data_writer *writer, uint64_t count,
		const void *entries, size_t size)
{
	size_t room;
	uint64_t fitting;

	tally_entries(&drain->tally, drain->format, entries, size, count);
	drain->taken += count;
	if (!writer)
		return 0;
	room = data_room(writer, size);
	if (room < size) {
		fitting = entries_within(drain, entries, count, &room);
		if (fitting && write_entries(drain, writer, fitting, entries, room))
			return -1;
		drain->written += fitting;
		return data_fail_full(writer);
	}
	if (write_entries(drain, writer, count, entries, size))
		return -1;
	drain->written += count;
	return 0;
}

/**
 * struct batch - samples in the buffer that have not been taken yet
 * @entries: the first entry
 * @size: size of the entries in bytes
 * @count: number of samples
 */
struct batch {
	const char *entries;
	size_t size;
	uint64_t count;
};

/*
 * A buffer or region has @count samples, which occupy @size bytes at @entries. Returns the samples
 * that drain_early() has not taken.
 */
static struct batch behind_early(const struct drain *drain, const void *entries,
				 size_t size, uint64_t count)
{
	if (count <= drain->early || size <= drain->early_size)
		return (struct batch){ 0 };
	return (struct batch){ (const char *)entries + drain->early_size,
			       size - drain->early_size, count - drain->early };
}

/*
 * Returns the number of bytes that the entries occupy in a buffer of format default or callchain.
 * This is never more than the size of the buffer.
 */
static size_t linear_size(const struct drain *drain)
{
	const struct pfm_dfl_smpl_hdr *header = drain->buffer;
	uint64_t end = look(header->hdr_cur_offs);

	if (end > drain->size)
		end = drain->size;
	return end > sizeof(*header) ? (size_t)(end - sizeof(*header)) : 0;
}

/*
 * Returns the samples that drain_early() has not taken. The count is read first. If the kernel adds
 * samples after that, the size may include them, but the count does not.
 */
static struct batch linear_batch(const struct drain *drain)
{
	const struct pfm_dfl_smpl_hdr *header = drain->buffer;
	uint64_t count = look(header->hdr_count);

	return behind_early(drain, header + 1, linear_size(drain), count);
}

static int take_linear(struct drain *drain, struct data_writer *writer)
{
	const struct pfm_dfl_smpl_hdr *header = drain->buffer;
	struct batch batch;

	drain->overflows = look(header->hdr_overflows);
	drain->is_taken = true;
	batch = linear_batch(drain);
	if (!batch.count)
		return 0;
	return take(drain, writer, batch.count, batch.entries, batch.size);
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

static struct batch region_batch(const struct drain *drain)
{
	const struct pfm_nway_region *region;
	const void *entries;
	uint64_t count;

	region = nway_region(drain, drain->regions, &entries);
	count = look(region->count);
	return behind_early(drain, entries, region_size(drain, region), count);
}

static int take_region(struct drain *drain, struct data_writer *writer)
{
	struct batch batch = region_batch(drain);

	drain->regions++;
	drain->early = drain->early_size = 0;
	if (!batch.count)
		return 0;
	return take(drain, writer, batch.count, batch.entries, batch.size);
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

bool drain_is_owed(const struct drain *drain)
{
	const struct pfm_nway_hdr *header = drain->buffer;

	if (drain->format == DATA_FORMAT_NWAY)
		return look(header->released) != drain->regions;
	return drain->is_taken;
}

void drain_handed_back(struct drain *drain)
{
	drain->is_taken = false;
	if (is_linear(drain))
		drain->early = drain->early_size = 0;
}

/*
 * Returns the samples in the region that the kernel is filling. The region's count may be left over
 * from an earlier use of the region. So the count is limited to the number of samples that the
 * kernel has written and pfmon has not taken. All these samples are in this region: pfmon has taken
 * the earlier regions, and the kernel was still filling this one after header->written was read.
 */
static struct batch nway_batch(const struct drain *drain)
{
	const struct pfm_nway_hdr *header = drain->buffer;
	uint64_t waiting = look(header->written) - drain->taken;
	struct batch batch;

	if (!waiting || look(header->filled) != drain->regions)
		return (struct batch){ 0 };
	batch = region_batch(drain);
	if (batch.count > waiting)
		batch.count = waiting;
	return batch;
}

/*
 * Take @batch while the kernel continues to write. The kernel may have added samples that are
 * included in the size of @batch, but not in its count.
 */
static int take_early(struct drain *drain, struct data_writer *writer, struct batch batch)
{
	batch.count = entries_within(drain, batch.entries, batch.count, &batch.size);
	if (!batch.count)
		return 0;
	drain->early += batch.count;
	drain->early_size += batch.size;
	return take(drain, writer, batch.count, batch.entries, batch.size);
}

/*
 * Take the full regions, and then the region that the kernel was filling when monitoring ended. Do
 * not read this last region if it has no samples: its count may be left over from an earlier use.
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

/*
 * Returns the growth of the count and of the sum of a table entry since pfmon last wrote the entry
 * to the file.
 */
static struct pfm_hist_entry growth(const struct drain *drain,
				    const struct pfm_hist_entry *table, size_t index)
{
	uint64_t count = look(table[index].count), sum = look(table[index].sum);
	struct pfm_hist_entry entry = table[index];

	entry.count = count - drain->table[index].count;
	entry.sum = sum - drain->table[index].sum;
	return entry;
}

static void tally_hist(const struct drain *drain, struct tally *tally)
{
	const struct pfm_hist_entry *table;
	size_t count;

	table = hist_table(drain, &count);
	for (size_t i = 0; i < count; i++)
		if (look(table[i].count))
			add_periods(tally, table[i].pmd, look(table[i].sum),
				    look(table[i].count));
}

static int prepare_table(struct drain *drain, size_t count)
{
	if (!drain->table)
		drain->table = calloc(count + 1, sizeof(*drain->table));
	return drain->table ? 0 : fail("no memory");
}

/* Write to the file the growth of each table entry since pfmon last wrote the entry. */
static int write_growth(struct drain *drain, struct data_writer *writer,
			struct pfm_hist_entry *grown, const uint32_t *indexes,
			size_t count)
{
	size_t size = count * sizeof(*grown), room = data_room(writer, size);
	size_t fitting = room / sizeof(*grown);
	bool is_full = fitting < count;

	if (fitting &&
	    write_entries(drain, writer, fitting, grown, fitting * sizeof(*grown)))
		return -1;
	for (size_t i = 0; i < fitting; i++) {
		drain->table[indexes[i]].count += grown[i].count;
		drain->table[indexes[i]].sum += grown[i].sum;
		drain->written += grown[i].count;
	}
	return is_full ? data_fail_full(writer) : 0;
}

static int take_hist(struct drain *drain, struct data_writer *writer)
{
	const struct pfm_hist_entry *table;
	struct pfm_hist_entry *grown;
	size_t count, grown_count = 0;
	uint32_t *indexes;
	int result = 0;

	table = hist_table(drain, &count);
	if (!writer)
		return 0;
	if (prepare_table(drain, count))
		return -1;
	grown = malloc(count * sizeof(*grown));
	indexes = malloc(count * sizeof(*indexes));
	for (size_t i = 0; grown && indexes && i < count; i++) {
		grown[grown_count] = growth(drain, table, i);
		indexes[grown_count] = (uint32_t)i;
		grown_count += grown[grown_count].count || grown[grown_count].sum;
	}
	if (!grown || !indexes)
		result = fail("no memory");
	else if (grown_count)
		result = write_growth(drain, writer, grown, indexes, grown_count);
	free(grown);
	free(indexes);
	return result;
}

int drain_early(struct drain *drain, struct data_writer *writer)
{
	if (drain->is_over)
		return 0;
	switch (drain->format) {
	case DATA_FORMAT_NWAY:
		return take_early(drain, writer, nway_batch(drain));
	case DATA_FORMAT_HIST:
		return take_hist(drain, writer);
	default:
		if (drain->is_taken)
			return 0;
		return take_early(drain, writer, linear_batch(drain));
	}
}

/* Returns the number of samples in the table. */
static uint64_t hist_samples(const struct drain *drain)
{
	const struct pfm_hist_entry *table;
	uint64_t samples = 0;
	size_t count;

	table = hist_table(drain, &count);
	for (size_t i = 0; i < count; i++)
		samples += look(table[i].count);
	return samples;
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
		tally_hist(drain, &drain->tally);
		drain->taken = hist_samples(drain);
		break;
	default:
		/*
		 * If the buffer was taken but not handed back, it still contains its samples: do
		 * not take them twice.
		 */
		if (!drain->is_taken && look(header->hdr_count))
			result = take_linear(drain, writer);
	}
	drain->is_over = true;
	return result;
}

/* Add up the samples of the full regions and of the region that the kernel is filling. */
static void tally_nway(const struct drain *drain, struct tally *tally)
{
	const struct pfm_nway_hdr *header = drain->buffer;
	uint64_t filled = look(header->filled), written = look(header->written);
	uint64_t waiting = written > drain->taken ? written - drain->taken : 0;
	const struct pfm_nway_region *region;
	const void *entries;

	for (uint64_t i = drain->regions; i <= filled && waiting; i++) {
		struct batch batch;

		region = nway_region(drain, i, &entries);
		batch = (struct batch){ entries, header->region_size,
					look(region->count) };
		if (i == drain->regions)
			batch = behind_early(drain, entries, batch.size, batch.count);
		if (batch.count > waiting)
			batch.count = waiting;
		tally_entries(tally, drain->format, batch.entries, batch.size,
			      batch.count);
		waiting -= batch.count;
	}
}

static void tally_linear(const struct drain *drain, struct tally *tally)
{
	struct batch batch = linear_batch(drain);

	tally_entries(tally, drain->format, batch.entries, batch.size, batch.count);
}

void drain_tally(const struct drain *drain, struct tally *tally)
{
	*tally = drain->tally;
	if (drain->is_over)
		return;
	if (drain->format == DATA_FORMAT_NWAY)
		tally_nway(drain, tally);
	else if (drain->format == DATA_FORMAT_HIST)
		tally_hist(drain, tally);
	else if (!drain->is_taken)
		tally_linear(drain, tally);
}

void drain_add_tally(const struct drain *drain, struct tally *sum)
{
	struct tally own;

	drain_tally(drain, &own);
	if (own.newest > sum->newest)
		sum->newest = own.newest;
	for (size_t i = 0; i < PFM_MAX_HARDWARE; i++) {
		sum->events[i] += own.events[i];
		sum->samples[i] += own.samples[i];
	}
}

static void count_linear(const struct drain *drain, struct drain_counts *counts)
{
	const struct pfm_dfl_smpl_hdr *header = drain->buffer;

	if (!drain->is_taken && !drain->is_over)
		counts->waiting = look(header->hdr_count) - drain->early;
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
	if (!drain->is_over)
		counts->waiting = counts->produced - counts->lost - drain->written;
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
	/* Taken but unwritten samples are lost. With hist, drain->taken is 0 until drain_rest(). */
	if (drain->taken > drain->written)
		counts->lost += drain->taken - drain->written;
}

void drain_counts_add(struct drain_counts *sum, const struct drain_counts *counts)
{
	sum->produced += counts->produced;
	sum->written += counts->written;
	sum->waiting += counts->waiting;
	sum->lost += counts->lost;
	sum->lost_sum += counts->lost_sum;
	sum->full += counts->full;
	sum->throttled += counts->throttled;
}

void drain_free(struct drain *drain)
{
	free(drain->table);
	drain->table = NULL;
}
