// SPDX-License-Identifier: GPL-2.0-only
/* Tests the counts that pfmon stat --per-thread prints for each thread. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <jansson.h>
#include <perfmon/perfmon.h>

#include "../../tools/pfmon/event/assignment.h"
#include "../../tools/pfmon/event/packing.h"
#include "../../tools/pfmon/stat/per_thread.h"
#include "device.h"
#include "suites.h"

SUITE(per_thread, 120);

#define MS   1000000ull
#define MOST 4

/* The thread on which the context is loaded. */
static const struct {
	uint32_t tid;
	const char *name;
	uint64_t pace; /* the value of PMD n of set s is (100 * s + n + 1) * pace */
} own = { 50, "main", 1 };

/*
 * The threads that have ended. The counts of ended[next_ended] and of the later elements have not
 * been read yet.
 */
static struct {
	uint32_t tid;
	const char *name;
	uint64_t pace;
} ended[MOST];

static unsigned int ended_count, next_ended;
static uint64_t pace_of_all, dropped;

static void answer(struct pfarg_pmr *values, int count, uint64_t pace)
{
	for (int i = 0; i < count; i++)
		values[i].reg_value =
			(100ull * values[i].reg_set + values[i].reg_num + 1) * pace;
}

static int answer_thread(struct pfm_thread_counts *counts)
{
	bool is_own = counts->which == PFM_THREAD_OWN;
	const char *name = own.name;
	uint64_t pace = own.pace;

	counts->tid = own.tid;
	if (!is_own && next_ended == ended_count) {
		errno = ENOENT;
		return -1;
	}
	if (!is_own) {
		counts->tid = ended[next_ended].tid;
		name = ended[next_ended].name;
		pace = ended[next_ended++].pace;
	}
	counts->tgid = own.tid;
	snprintf(counts->name, sizeof(counts->name), "%s", name);
	answer((void *)(uintptr_t)counts->address, counts->count, pace);
	return 0;
}

int device_answer(unsigned long request, void *argument)
{
	const struct pfm_vector *vector = argument;

	switch (request) {
	case PFM_IOC_READ_THREAD:
		return answer_thread(argument);
	case PFM_IOC_READ:
		answer((void *)(uintptr_t)vector->address, vector->count, pace_of_all);
		return 0;
	case PFM_IOC_STATUS:
		((struct pfm_status *)argument)->dropped_counts = dropped;
		return 0;
	default:
		return 0;
	}
}

static struct session session;
static struct event_list events;
static struct group group;
static struct per_thread threads;

static void add_ended(uint32_t tid, const char *name, uint64_t pace)
{
	ended[ended_count].tid = tid;
	ended[ended_count].name = name;
	ended[ended_count++].pace = pace;
}

/* Begin with a context that counts the events @text and is loaded on thread own.tid. */
static void begin(const char *text)
{
	struct pfm_info *info = &session.machine.info;

	session = (struct session){ .fd = DEVICE_FD, .is_inherited = true };
	session.machine.pmu = &pmu_armv8;
	info->arg_mem_max = 4096;
	info->available_pmcs[0] = info->available_pmds[0] = 0x3f;
	info->implemented_pmds[PFM_VIRTUAL_PMD_BASE / 64] = 0x3f;
	ended_count = next_ended = 0;
	dropped = 0;
	pace_of_all = own.pace;
	events = (struct event_list){ 0 };
	threads = (struct per_thread){ 0 };
	ck_assert_int_eq(events_parse(&events, text, &session.machine), 0);
	ck_assert_int_eq(pack_into_sets(&events, &session.machine, 2 * MS, false), 0);
	ck_assert_int_eq(events_assign(&events, &session.machine, false), 0);
	ck_assert_int_eq(session_program(&session, &events), 0);
	ck_assert_int_eq(group_prepare(&group, &session, &events), 0);
	ck_assert_int_eq(group_attach(&group, (int)own.tid, 0), 0);
}

static void end(void)
{
	per_thread_free(&threads);
	group_close(&group);
	session.fd = -1;
	session_close(&session);
	events_free(&events);
}

static void finish(void)
{
	ck_assert_int_eq(per_thread_finish(&threads, &group, &events), 0);
}

/* Returns the text that per_thread_print() prints. The caller frees the text. */
static char *printed(const struct stat_options *options)
{
	struct results whole = {
		.machine = &session.machine,
		.events = &events,
		.is_scaled = events_take_turns(&events),
	};
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	ck_assert_ptr_nonnull(results_add_run(&whole));
	whole.runs->elapsed = 0.5;
	ck_assert_int_eq(per_thread_print(&threads, &whole, options, file), 0);
	fclose(file);
	results_free(&whole);
	return text;
}

/*
 * Check the CSV lines of event @name. @expected has "FIRST COUNT" for each line: FIRST is the first
 * field of the line, such as "main-50", and COUNT is the count.
 */
static void check_csv(const char *name, const char *expected)
{
	static const struct stat_options options = { .separator = "," };
	char *text = printed(&options), *rest = text, *line, found[256] = "";
	char stamp[64], event[64];
	unsigned long long count;

	while ((line = strsep(&rest, "\n"))) {
		size_t length = strlen(found);

		if (sscanf(line, "%63[^,],%llu,,%63[^,],", stamp, &count, event) == 3 &&
		    !strcmp(event, name))
			snprintf(found + length, sizeof(found) - length, "%s %llu\n",
				 stamp, count);
	}
	ck_assert_str_eq(found, expected);
	free(text);
}

/* PMD 0 counts r1 and PMD 2 counts r8, so r8 has three times the counts of r1 (see own.pace). */
TEST(threads_with_most_events_come_first)
{
	begin("r1,r2,r8");
	add_ended(70, "a", 5);
	add_ended(60, "b", 5);
	ck_assert_int_eq(per_thread_take(&threads, &group, &events), 0);
	add_ended(65, "c", 7);
	finish();
	check_csv("r8", "c-65 21\nb-60 15\na-70 15\nmain-50 3\n");
	check_csv("r2", "c-65 14\nb-60 10\na-70 10\nmain-50 2\n");
	ck_assert_ptr_null(threads.rest);
	end();
}

TEST(a_thread_is_read_once)
{
	begin("r1");
	add_ended(60, "a", 1);
	for (int i = 0; i < 3; i++)
		ck_assert_int_eq(per_thread_take(&threads, &group, &events), 0);
	finish();
	ck_assert_uint_eq(threads.count, 2);
	end();
}

/* A context that threads do not inherit has no copies, so it has no counts of ended threads. */
TEST(a_context_without_copies_has_its_own_thread)
{
	begin("r1");
	session.is_inherited = false;
	add_ended(60, "a", 1);
	finish();
	ck_assert_uint_eq(threads.count, 1);
	ck_assert_uint_eq(threads.rows[0].tid, own.tid);
	end();
}

TEST(what_was_dropped_is_the_rest_of_the_sums)
{
	static const struct stat_options json = { .is_json = true };
	char *text, *last;
	json_t *object;

	begin("r1,r2,r8");
	add_ended(60, "a", 5);
	pace_of_all = 20;
	dropped = 3;
	finish();
	check_csv("r8", "a-60 15\nmain-50 3\n(3 dropped) 42\n");
	text = printed(&json);
	last = strrchr(text, '{');
	while (last > text && last[-1] != '\n')
		last--;
	object = json_loads(last, 0, NULL);
	ck_assert_msg(object != NULL, "%s", last);
	ck_assert_int_eq(json_integer_value(json_object_get(object, "dropped-threads")),
			 3);
	ck_assert_ptr_null(json_object_get(object, "thread"));
	json_decref(object);
	free(text);
	end();
}

TEST(a_name_is_one_field)
{
	begin("r1,r2,r8");
	add_ended(60, "a,b\n", 1);
	finish();
	check_csv("r8", "main-50 3\na_b?-60 3\n");
	end();
}

TEST(json_has_the_thread_with_process_and_name)
{
	static const struct stat_options options = { .is_json = true };
	json_t *object, *event;
	char *text;

	begin("r1,r2,r8");
	add_ended(60, "a\xff\"b", 3);
	finish();
	text = printed(&options);
	object = json_loads(text, JSON_DISABLE_EOF_CHECK, NULL);
	ck_assert_msg(object != NULL, "%s", text);
	ck_assert_int_eq(json_integer_value(json_object_get(object, "thread")), 60);
	ck_assert_int_eq(json_integer_value(json_object_get(object, "process")), 50);
	ck_assert_str_eq(json_string_value(json_object_get(object, "name")), "a?\"b");
	ck_assert_ptr_null(json_object_get(object, "interval"));
	event = json_array_get(json_object_get(object, "events"), 2);
	ck_assert_int_eq(json_integer_value(json_object_get(event, "value")), 9);
	json_decref(object);
	free(text);
	end();
}

TEST(the_table_has_a_line_for_each_thread)
{
	static const struct stat_options options = { 0 };
	char *text;

	begin("r1");
	add_ended(4194303, "fifteen-letters", 5);
	finish();
	text = printed(&options);
	ck_assert_ptr_nonnull(strstr(text, "                 thread              count"));
	ck_assert_ptr_nonnull(
		strstr(text, "\nfifteen-letters-4194303                  5"));
	ck_assert_ptr_nonnull(
		strstr(text, "\n                main-50                  1"));
	end();
	free(text);
}

/*
 * For each thread, pfmon reads the times of the sets, and scales the thread's counts by these
 * times. device_answer() reports 257 * pace as the time of the first set, and 357 * pace as the
 * time of the second set.
 */
TEST(counts_are_scaled_by_the_times_of_their_thread)
{
	const uint64_t scaled = 102 * 5 * (257 + 357) / 357;
	char expected[64];

	begin("page-faults,r8,r1,r2,r3,r4,r5,r9,r10");
	add_ended(60, "a", 5);
	finish();
	snprintf(expected, sizeof(expected), "a-60 %llu\nmain-50 %llu\n",
		 (unsigned long long)scaled,
		 (unsigned long long)(102ull * (257 + 357) / 357));
	check_csv("r10", expected);
	end();
}

/* The counts of a thread that has ended can be read only once, so one call has to read them all. */
TEST(more_values_than_a_call_takes_are_refused)
{
	begin("page-faults,r8,r1,r2,r3,r4,r5,r9,r10");
	ck_assert_int_eq(per_thread_check(&session), 0);
	session.machine.info.arg_mem_max = 14 * sizeof(struct pfarg_pmr);
	ck_assert_int_eq(per_thread_check(&session), 0);
	session.machine.info.arg_mem_max = 13 * sizeof(struct pfarg_pmr);
	ck_assert_int_eq(per_thread_check(&session), -1);
	end();
}
