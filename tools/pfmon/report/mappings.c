// SPDX-License-Identifier: GPL-2.0-only
/* Find what was mapped at a given address at a given time. */
#include <stdlib.h>

#include "../common/array.h"
#include "mappings.h"

/* The owner of the kernel's mappings. No process has this number, because pids have 32 bits. */
#define KERNEL UINT64_MAX

static int compare_numbers(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int compare_spans(const void *one, const void *other)
{
	const struct span *a = one, *b = other;
	int order = compare_numbers(a->owner, b->owner);

	return order ? order
		     : compare_numbers(a->recorded->mapping->start,
				       b->recorded->mapping->start);
}

static int compare_changes(const void *one, const void *other)
{
	const struct change *a = one, *b = other;
	int order = compare_numbers(a->owner, b->owner);

	return order ? order : compare_numbers(a->time, b->time);
}

static int add_change(struct mappings *mappings, const struct change *change)
{
	struct change *added =
		array_add(&mappings->changes, &mappings->change_count, sizeof(*added));

	if (!added)
		return -1;
	*added = *change;
	return 0;
}

static int read_changes(struct mappings *mappings, const struct recording *recording)
{
	for (size_t i = 0; i < recording->thread_count; i++) {
		const struct data_thread *thread = recording->threads[i].thread;
		const struct change change = { .owner = thread->tgid,
					       .time = thread->time };

		if (thread->flags & DATA_THREAD_EXEC && add_change(mappings, &change))
			return -1;
	}
	for (size_t i = 0; i < recording->fork_count; i++) {
		const struct data_fork *fork = recording->forks[i];
		const struct change change = { fork->tgid, fork->time, fork->parent_tgid,
					       true };

		if (fork->tid == fork->tgid && add_change(mappings, &change))
			return -1;
	}
	if (mappings->change_count)
		qsort(mappings->changes, mappings->change_count,
		      sizeof(*mappings->changes), compare_changes);
	return 0;
}

/*
 * Returns the number of the program that @owner was executing at @time. Each program of @owner has
 * its own number.
 */
static size_t program_at(const struct mappings *mappings, uint64_t owner, uint64_t time)
{
	const struct change wanted = { .owner = owner, .time = time };
	size_t low = 0, high = mappings->change_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare_changes(&mappings->changes[middle], &wanted) <= 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

int mappings_make(struct mappings *mappings, const struct recording *recording)
{
	size_t count = recording->mapping_count;

	*mappings = (struct mappings){ .spans = calloc(count + 1, sizeof(struct span)) };
	if (!mappings->spans || read_changes(mappings, recording))
		return -1;
	for (size_t i = 0; i < count; i++) {
		const struct data_mapping *mapping = recording->mappings[i].mapping;
		struct span *span = &mappings->spans[mappings->span_count++];

		span->recorded = &recording->mappings[i];
		span->owner = mapping->flags & DATA_MAPPING_KERNEL ? KERNEL
								   : mapping->tgid;
		span->program = program_at(mappings, span->owner, mapping->time);
	}
	qsort(mappings->spans, count, sizeof(*mappings->spans), compare_spans);
	for (size_t i = 0; i < count; i++) {
		struct span *span = &mappings->spans[i];

		span->reach = span->recorded->mapping->end;
		if (i && span[-1].owner == span->owner && span[-1].reach > span->reach)
			span->reach = span[-1].reach;
	}
	return 0;
}

void mappings_free(struct mappings *mappings)
{
	free(mappings->spans);
	free(mappings->changes);
	*mappings = (struct mappings){ 0 };
}

/*
 * Returns whether @a is later than @b. If both have the same time, the position in the file
 * decides.
 */
static bool is_later(const struct recorded_mapping *a, const struct recorded_mapping *b)
{
	if (a->mapping->time != b->mapping->time)
		return a->mapping->time > b->mapping->time;
	return a > b;
}

/*
 * Returns 1 + the index of the last span of @owner that starts at or below @address. If there is no
 * such span, returns the index at which a new span at @address would be inserted.
 */
static size_t behind(const struct mappings *mappings, uint64_t owner, uint64_t address)
{
	size_t low = 0, high = mappings->span_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct span *span = &mappings->spans[middle];

		if (span->owner < owner ||
		    (span->owner == owner && span->recorded->mapping->start <= address))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * Two mappings of the same address: @there is valid at a given time, and @later is the first
 * mapping after that time.
 */
struct found {
	const struct recorded_mapping *there;
	const struct recorded_mapping *later;
};

static struct found find(const struct mappings *mappings, uint64_t owner, size_t program,
			 uint64_t time, uint64_t address)
{
	struct found found = { 0 };

	for (size_t i = behind(mappings, owner, address); i--;) {
		const struct span *span = &mappings->spans[i];
		const struct recorded_mapping *recorded = span->recorded;

		if (span->owner != owner || span->reach <= address)
			break;
		if (recorded->mapping->end <= address)
			continue;
		if (recorded->mapping->time > time) {
			if (!found.later || is_later(found.later, recorded))
				found.later = recorded;
		} else if (span->program == program &&
			   (!found.there || is_later(recorded, found.there))) {
			found.there = recorded;
		}
	}
	return found;
}

/*
 * Returns the fork that created @owner, if @owner began to execute @program at this fork. Returns
 * NULL if @owner began to execute @program at an exec, or before the recording began.
 */
static const struct change *fork_of(const struct mappings *mappings, uint64_t owner,
				    size_t program)
{
	const struct change *change = program ? &mappings->changes[program - 1] : NULL;

	return change && change->owner == owner && change->is_fork ? change : NULL;
}

/*
 * A new process has the mappings of its parent until it calls exec. So pfmon searches the mappings
 * of the process, of its parent, of the parent's parent and so on. In a damaged file a process may
 * be its own ancestor, so pfmon searches the mappings of at most PARENTS processes.
 */
#define PARENTS 1000

const struct recorded_mapping *mappings_find(const struct mappings *mappings,
					     uint32_t tgid, uint64_t time,
					     uint64_t address)
{
	uint64_t owner = is_kernel_address(address) ? KERNEL : tgid;
	const struct recorded_mapping *later = NULL;

	for (unsigned int i = 0; i < PARENTS; i++) {
		size_t program = program_at(mappings, owner, time);
		struct found found = find(mappings, owner, program, time, address);
		const struct change *fork = fork_of(mappings, owner, program);

		if (found.there)
			return found.there;
		if (!i)
			later = found.later;
		if (!fork)
			break;
		owner = fork->parent;
		time = fork->time;
	}
	return later;
}
