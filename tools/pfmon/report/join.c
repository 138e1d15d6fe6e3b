// SPDX-License-Identifier: GPL-2.0-only
/*
 * Read several files of one recording as one file.
 *
 * Near its beginning, each file has THREAD and MAPPING records of all processes. These records have
 * no time: their field @time is 0. In the joined file, such records of the second file and of later
 * files get a time. It is just before all other times in the same file, so that the records do not
 * apply to the samples of earlier files.
 * The joined file ends with LOSSES, CPU and END records, which contain the sums over all files.
 */
#include <stdlib.h>
#include <string.h>

#include <perfmon/perfmon_dfl_smpl.h>

#include "../common/array.h"
#include "../common/errors.h"
#include "../common/sum.h"
#include "join.h"

/**
 * struct part - one of the files
 * @path: its path
 * @file: its bytes
 * @begin: offset of the first record in @file
 * @machine: the first record; NULL if this record is not a MACHINE record
 */
struct part {
	const char *path;
	struct data_file file;
	size_t begin;
	const struct data_machine *machine;
};

/**
 * struct joined - the joined file
 * @bytes: its bytes
 * @size: number of bytes in @bytes so far
 * @losses: for each context, the sum of its losses in all files
 * @losses_count: number of @losses
 * @cpus: for each context, the sum of its CPU records in all files
 * @cpu_count: number of @cpus
 * @end: the END record of the joined file
 * @ended: number of files that have an END record
 */
struct joined {
	char *bytes;
	size_t size;
	struct data_losses *losses;
	size_t losses_count;
	struct data_cpu *cpus;
	size_t cpu_count;
	struct data_end end;
	size_t ended;
};

/* Returns the body of @record, or NULL if the body is shorter than @size bytes. */
static void *body_of(const struct data_record *record, size_t size)
{
	struct data_body body = data_body(record);

	return (void *)data_take(&body, size);
}

/* ---- the files ----------------------------------------------------------------------------- */

static int open_part(struct part *part, const char *path)
{
	const struct data_record *record;

	part->path = path;
	if (!strcmp(path, "-"))
		return fail(
			"standard input cannot be joined with other files: show it alone");
	if (data_open(&part->file, path))
		return -1;
	part->begin = part->file.next;
	record = data_next(&part->file);
	if (record && record->type == DATA_MACHINE)
		part->machine = body_of(record, sizeof(*part->machine));
	part->file.next = part->begin;
	if (!part->machine || !part->machine->recording)
		return fail(
			"'%s' does not say which recording it belongs to: show it alone",
			path);
	return 0;
}

static int compare_parts(const void *one, const void *other)
{
	const struct part *a = one, *b = other;

	return (a->machine->time > b->machine->time) -
	       (a->machine->time < b->machine->time);
}

static int check_parts(const struct part *parts, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		if (parts[i].machine->recording != parts[0].machine->recording)
			return fail("'%s' and '%s' belong to different recordings: show "
				    "only files of one recording",
				    parts[0].path, parts[i].path);
		if (parts[i].machine->time == parts[i - 1].machine->time)
			return fail("'%s' and '%s' are the same file: give it once",
				    parts[i - 1].path, parts[i].path);
	}
	return 0;
}

/* ---- when a file began --------------------------------------------------------------------- */

/*
 * Returns the time of the first sample in @record, or 0 if samples have no time. The first sample
 * of a record is the oldest one.
 */
static uint64_t time_of_samples(const struct data_record *record)
{
	const struct data_samples *samples = body_of(record, sizeof(*samples));
	struct data_body body = data_body(record);
	const struct pfm_dfl_smpl_entry *entry;

	if (!samples || samples->format == DATA_FORMAT_HIST || !samples->count)
		return 0;
	data_take(&body, sizeof(*samples));
	/* Entries of default, nway and callchain begin with struct pfm_dfl_smpl_entry. */
	entry = data_take(&body, sizeof(*entry));
	return entry ? entry->tstamp : 0;
}

/*
 * Returns the time of @record, or 0 if it has none. The bodies of THREAD, FORK and MAPPING records
 * begin with the time.
 */
static uint64_t time_of(const struct data_record *record)
{
	const uint64_t *time;

	switch (record->type) {
	case DATA_SAMPLES:
		return time_of_samples(record);
	case DATA_THREAD:
	case DATA_FORK:
	case DATA_MAPPING:
		time = body_of(record, sizeof(*time));
		return time ? *time : 0;
	default:
		return 0;
	}
}

/* Returns a time just before the earliest time in @part, or 0 if @part contains no times. */
static uint64_t time_before(struct part *part)
{
	const struct data_record *record;
	uint64_t first = UINT64_MAX;

	while ((record = data_next(&part->file))) {
		uint64_t time = time_of(record);

		if (time && time < first)
			first = time;
	}
	part->file.next = part->begin;
	part->file.is_cut_short = part->file.is_damaged = false;
	return first == UINT64_MAX ? 0 : first - 1;
}

/* ---- joining ------------------------------------------------------------------------------- */

static void append(struct joined *joined, const void *bytes, size_t size)
{
	memcpy(joined->bytes + joined->size, bytes, size);
	joined->size += size;
}

static void append_record(struct joined *joined, enum data_type type, const void *body,
			  size_t size)
{
	const struct data_record record = {
		.type = type,
		.size = (uint32_t)(sizeof(record) + size),
	};

	append(joined, &record, sizeof(record));
	append(joined, body, size);
}

/*
 * Store @record in @last. LOSSES records are cumulative: the last one of a context contains all
 * losses of this context in the file.
 */
static int take_losses(const struct data_record *record, struct data_losses **last,
		       size_t *count)
{
	const struct data_losses *losses = body_of(record, sizeof(*losses));
	struct data_losses *element;

	if (!losses || losses->context >= DATA_MAX_CONTEXTS)
		return 0;
	element = array_reach(last, count, losses->context, sizeof(*element));
	if (!element)
		return fail("no memory");
	*element = *losses;
	return 0;
}

static int add_losses(struct joined *joined, const struct data_losses *last, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct data_losses *total = array_reach(
			&joined->losses, &joined->losses_count, i, sizeof(*total));

		if (!total)
			return fail("no memory");
		total->context = (uint32_t)i;
		total->lost = sum(total->lost, last[i].lost);
		total->lost_sum = sum(total->lost_sum, last[i].lost_sum);
		total->throttled = sum(total->throttled, last[i].throttled);
	}
	return 0;
}

static int add_cpu(struct joined *joined, const struct data_record *record)
{
	const struct data_cpu *cpu = body_of(record, sizeof(*cpu));
	struct data_cpu *total;

	if (!cpu || cpu->context >= DATA_MAX_CONTEXTS)
		return 0;
	total = array_reach(&joined->cpus, &joined->cpu_count, cpu->context,
			    sizeof(*total));
	if (!total)
		return fail("no memory");
	total->context = cpu->context;
	total->cpu = cpu->cpu;
	total->produced = sum(total->produced, cpu->produced);
	total->written = sum(total->written, cpu->written);
	total->lost = sum(total->lost, cpu->lost);
	return 0;
}

/*
 * Add the END record of a file to the sums. This file began @began ns after the first file. The
 * duration is not a sum: the recording lasts until the end of its last file.
 */
static void add_end(struct joined *joined, const struct data_record *record,
		    uint64_t began)
{
	const struct data_end *end = body_of(record, sizeof(*end));

	if (!end)
		return;
	joined->ended++;
	joined->end.produced = sum(joined->end.produced, end->produced);
	joined->end.written = sum(joined->end.written, end->written);
	joined->end.lost = sum(joined->end.lost, end->lost);
	joined->end.duration = sum(began, end->duration);
	joined->end.flags |= end->flags & DATA_END_FAILED;
}

/* Copy a record.  If a THREAD or MAPPING record has no time, it gets @time. */
static void copy(struct joined *joined, const struct data_record *record, uint64_t time)
{
	uint64_t *own_time =
		record->type == DATA_THREAD || record->type == DATA_MAPPING
			? (void *)(joined->bytes + joined->size + sizeof(*record))
			: NULL;

	append(joined, record, record->size);
	if (own_time && record->size >= sizeof(*record) + sizeof(*own_time) && !*own_time)
		*own_time = time;
}

/*
 * Copy the records of the file @part, which began @began ns after the first file. LOSSES, CPU and
 * END records are not copied, but added to the sums.
 */
static int join_records(struct joined *joined, struct part *part, bool is_first,
			uint64_t began)
{
	uint64_t time = is_first ? 0 : time_before(part);
	const struct data_record *record;
	struct data_losses *last = NULL;
	size_t count = 0;
	int result = 0;

	while (!result && (record = data_next(&part->file))) {
		switch (record->type) {
		case DATA_MACHINE:
		case DATA_COMMAND:
		case DATA_EVENT:
			if (is_first)
				copy(joined, record, 0);
			break;
		case DATA_LOSSES:
			result = take_losses(record, &last, &count);
			break;
		case DATA_CPU:
			result = add_cpu(joined, record);
			break;
		case DATA_END:
			add_end(joined, record, began);
			break;
		default:
			copy(joined, record, time);
		}
	}
	if (!result)
		result = add_losses(joined, last, count);
	free(last);
	return result;
}

static void warn_of(const struct part *part)
{
	if (part->file.is_damaged)
		warn_user("'%s' is damaged at byte %zu: the rest is left out", part->path,
			  part->file.next);
}

/*
 * Append the records with the sums. They fit into @joined->bytes, because they take no more room
 * than the records that were added up. If a file has no END record, the joined file gets no END
 * record.
 */
static void append_sums(struct joined *joined, size_t count)
{
	for (size_t i = 0; i < joined->losses_count; i++)
		if (joined->losses[i].lost || joined->losses[i].throttled)
			append_record(joined, DATA_LOSSES, &joined->losses[i],
				      sizeof(joined->losses[i]));
	for (size_t i = 0; i < joined->cpu_count; i++)
		if (joined->cpus[i].produced)
			append_record(joined, DATA_CPU, &joined->cpus[i],
				      sizeof(joined->cpus[i]));
	if (joined->ended == count)
		append_record(joined, DATA_END, &joined->end, sizeof(joined->end));
}

static int join_parts(struct joined *joined, struct part *parts, size_t count)
{
	const uint64_t first = parts[0].machine->time;
	size_t size = 0;

	for (size_t i = 0; i < count; i++)
		size += parts[i].file.size;
	joined->bytes = malloc(size);
	if (!joined->bytes)
		return fail("no memory");
	append(joined, parts[0].file.bytes, parts[0].begin);
	for (size_t i = 0; i < count; i++) {
		if (join_records(joined, &parts[i], !i, parts[i].machine->time - first))
			return -1;
		warn_of(&parts[i]);
		data_close_file(&parts[i].file);
	}
	append_sums(joined, count);
	return 0;
}

static int open_and_join(struct data_file *file, struct part *parts,
			 const char *const *paths, size_t count)
{
	struct joined joined = { 0 };
	int result = 0;

	for (size_t i = 0; !result && i < count; i++)
		result = open_part(&parts[i], paths[i]);
	if (result)
		return -1;
	qsort(parts, count, sizeof(*parts), compare_parts);
	result = check_parts(parts, count);
	if (!result)
		result = join_parts(&joined, parts, count);
	free(joined.losses);
	free(joined.cpus);
	if (!result)
		return data_open_bytes(file, parts[0].path, joined.bytes, joined.size);
	free(joined.bytes);
	return -1;
}

int join_files(struct data_file *file, const char *const *paths, size_t count)
{
	struct part *parts = calloc(count, sizeof(*parts));
	int result;

	*file = (struct data_file){ 0 };
	if (!parts)
		return fail("no memory");
	result = open_and_join(file, parts, paths, count);
	for (size_t i = 0; i < count; i++)
		data_close_file(&parts[i].file);
	free(parts);
	return result;
}
