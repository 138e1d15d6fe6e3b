// SPDX-License-Identifier: GPL-2.0-only
/* Read and print the counts of each thread. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../common/array.h"
#include "../common/errors.h"
#include "../common/text.h"
#include "parts.h"
#include "per_thread.h"

/*
 * Size of a stamp, the text at the beginning of a line: NAME-TID for one thread, or "(N dropped)"
 * for the sum of the counts that the kernel dropped for N threads.
 */
#define STAMP_TEXT 40

int per_thread_check(const struct session *session)
{
	if (session_reads_at_once(session))
		return 0;
	return fail("too many event sets for --per-thread: raise "
		    "/sys/kernel/perfmon/arg_mem_max, or name fewer events");
}

/* ---- take --------------------------------------------------------------------------------- */

static size_t numbers_of(const struct event_list *events)
{
	return events->count + events_set_count(events);
}

/* Add a row for @thread. The thread's counts and times are in @group->values and @group->times. */
static int add_row(struct per_thread *threads, const struct group *group,
		   const struct event_list *events, const struct session_thread *thread)
{
	uint64_t *numbers = calloc(numbers_of(events), sizeof(*numbers));
	struct thread_row *row =
		numbers ? array_add(&threads->rows, &threads->count, sizeof(*row)) : NULL;

	if (!row) {
		free(numbers);
		return fail("no memory");
	}
	memcpy(numbers, group->values, events->count * sizeof(*numbers));
	memcpy(numbers + events->count, group->times,
	       events_set_count(events) * sizeof(*numbers));
	row->numbers = numbers;
	row->tid = thread->tid;
	row->tgid = thread->tgid;
	memcpy(row->name, thread->name, sizeof(row->name));
	text_defuse(row->name);
	return 0;
}

/*
 * Read the counts of the thread that @which selects, and add them as a row.  Returns 1 if @which is
 * PFM_THREAD_ENDED and the counts of all ended threads have been read.
 */
static int take_row(struct per_thread *threads, struct group *group, size_t index,
		    const struct event_list *events, uint32_t which)
{
	struct session_thread thread = { .which = which };
	int result = session_read_thread(group_session(group, index), events, &thread,
					 group->values, group->times);

	return result ? result : add_row(threads, group, events, &thread);
}

static int take_ended(struct per_thread *threads, struct group *group, size_t index,
		      const struct event_list *events, size_t most)
{
	int result = group_session(group, index)->is_inherited ? 0 : 1;

	for (size_t i = 0; !result && i < most; i++)
		result = take_row(threads, group, index, events, PFM_THREAD_ENDED);
	return result < 0 ? -1 : 0;
}

static int take_all_ended(struct per_thread *threads, struct group *group,
			  const struct event_list *events, size_t most)
{
	int result = 0;

	for (size_t i = 0; !result && i < group->attached; i++)
		result = take_ended(threads, group, i, events, most);
	return result;
}

/*
 * Maximum number of threads whose counts one call of per_thread_take() takes from each context.
 * Without this limit, the call might never return, because threads may end as fast as the call
 * takes their counts.
 */
#define TAKE_AT_ONCE 4096

int per_thread_take(struct per_thread *threads, struct group *group,
		    const struct event_list *events)
{
	return take_all_ended(threads, group, events, TAKE_AT_ONCE);
}

/*
 * The kernel dropped the counts of some threads, but the sums still include these counts. To find
 * how much was dropped, subtract from the sums the counts of the threads in @threads->rows.
 */
static int find_rest(struct per_thread *threads, struct group *group,
		     const struct event_list *events)
{
	const size_t count = numbers_of(events);
	uint64_t *rest = calloc(count, sizeof(*rest));

	if (!rest)
		return fail("no memory");
	threads->rest = rest;
	if (group_read(group, events, rest, rest + events->count))
		return -1;
	for (size_t i = 0; i < threads->count; i++)
		for (size_t j = 0; j < count; j++)
			rest[j] -= threads->rows[i].numbers[j];
	return 0;
}

int per_thread_finish(struct per_thread *threads, struct group *group,
		      const struct event_list *events)
{
	int result = take_all_ended(threads, group, events, SIZE_MAX);

	for (size_t i = 0; !result && i < group->attached; i++) {
		result = take_row(threads, group, i, events, PFM_THREAD_OWN);
		threads->dropped += session_dropped_counts(group_session(group, i));
	}
	if (result || !threads->dropped)
		return result;
	return find_rest(threads, group, events);
}

/* ---- print -------------------------------------------------------------------------------- */

static void fill_run(struct run *run, const struct event_list *events,
		     const uint64_t *numbers)
{
	const uint64_t *times = numbers + events->count;

	memcpy(run->values, numbers, events->count * sizeof(*numbers));
	run->runtime = 0;
	for (size_t i = 0; i < events_set_count(events); i++)
		run->runtime += times[i];
	for (size_t i = 0; i < events->set_count; i++)
		run->sets[i].duration = times[i];
}

static size_t first_event(const struct event_list *events)
{
	size_t first = 0;

	while (first + 1 < events->count && events->events[first].switch_after)
		first++;
	return first;
}

static int compare(const void *one, const void *other)
{
	const struct thread_row *a = one, *b = other;

	if (a->shown != b->shown)
		return a->shown > b->shown ? -1 : 1;
	return (a->tid > b->tid) - (a->tid < b->tid);
}

/* Sort the threads: the one with the highest count of the first event comes first. */
static void sort_rows(struct per_thread *threads, struct results *results)
{
	const size_t first = first_event(results->events);

	for (size_t i = 0; i < threads->count; i++) {
		struct thread_row *row = &threads->rows[i];

		fill_run(results->runs, results->events, row->numbers);
		if (results_state(results, first) == EVENT_COUNTED)
			row->shown = results_count(results, first);
	}
	if (threads->count)
		qsort(threads->rows, threads->count, sizeof(*threads->rows), compare);
}

/* In CSV the stamp is one field, so replace each separator and quotation mark in it by "_". */
static void make_one_field(char *stamp, const char *separator)
{
	for (char *next = stamp; separator && *next; next++)
		if (*next == '"' || strchr(separator, *next))
			*next = '_';
}

static void make_stamp(const struct thread_row *row, const char *separator,
		       char stamp[STAMP_TEXT])
{
	snprintf(stamp, STAMP_TEXT, "%s-%" PRIu32, row->name, row->tid);
	make_one_field(stamp, separator);
}

static int print_row(struct parts *parts, const struct thread_row *row)
{
	struct part *part = &parts->results.part;
	char stamp[STAMP_TEXT];

	fill_run(parts->results.runs, parts->results.events, row->numbers);
	part->tid = row->tid;
	part->tgid = row->tgid;
	part->name = row->name;
	make_stamp(row, parts->options->separator, stamp);
	return parts_print(parts, stamp);
}

static int print_rest(struct parts *parts, const struct per_thread *threads)
{
	char stamp[STAMP_TEXT];

	fill_run(parts->results.runs, parts->results.events, threads->rest);
	parts->results.part.dropped = threads->dropped;
	snprintf(stamp, sizeof(stamp), "(%" PRIu64 " dropped)", threads->dropped);
	make_one_field(stamp, parts->options->separator);
	return parts_print(parts, stamp);
}

static int print_all(struct parts *parts, struct per_thread *threads)
{
	int result = 0;

	sort_rows(threads, &parts->results);
	parts_begin(parts);
	for (size_t i = 0; !result && i < threads->count; i++)
		result = print_row(parts, &threads->rows[i]);
	if (!result && threads->rest)
		result = print_rest(parts, threads);
	return result;
}

int per_thread_print(struct per_thread *threads, const struct results *whole,
		     const struct stat_options *options, FILE *file)
{
	struct parts parts;
	int result = parts_prepare(&parts, whole, PART_THREAD, options, file);

	if (!result) {
		parts.results.runs->elapsed = whole->runs->elapsed;
		result = print_all(&parts, threads);
	}
	parts_free(&parts);
	return result;
}

void per_thread_warn(const struct per_thread *threads)
{
	if (threads->dropped)
		warn_user("the counts of %" PRIu64 " %s that ended are in the sums, but "
			  "are not shown separately: see the limits max_copies, "
			  "set_user_max and set_mem_max in /sys/kernel/perfmon",
			  threads->dropped,
			  plural(threads->dropped, "thread", "threads"));
}

void per_thread_free(struct per_thread *threads)
{
	for (size_t i = 0; i < threads->count; i++)
		free(threads->rows[i].numbers);
	free(threads->rows);
	free(threads->rest);
	*threads = (struct per_thread){ 0 };
}
