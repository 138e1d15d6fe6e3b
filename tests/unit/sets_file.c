// SPDX-License-Identifier: GPL-2.0-only
/* Tests how pfmon reads files that describe event sets. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <perfmon/perfmon.h>
#include <perfmon/perfmon_armv8.h>
#include <perfmon/perfmon_soft.h>

#include "../../tools/pfmon/event/assignment.h"
#include "../../tools/pfmon/common/options.h"
#include "../../tools/pfmon/event/sets_file.h"
#include "suites.h"

SUITE(sets_file, 120);

#define MS 1000000ull

static struct machine make_machine(const struct pmu *pmu, uint64_t registers)
{
	struct machine machine = { .pmu = pmu };
	struct pfm_info *info = &machine.info;

	strcpy(info->pmu_name, pmu->name);
	info->available_pmcs[0] = info->available_pmds[0] = registers;
	info->implemented_pmds[PFM_VIRTUAL_PMD_BASE / 64] = 0x3f;
	return machine;
}

static struct machine armv8(void)
{
	return make_machine(&pmu_armv8, 1ull << PFM_ARMV8_CYCLE_COUNTER | 0x3f);
}

static void write_file(const char *path, const char *text, size_t size)
{
	FILE *file = fopen(path, "w");

	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(text, 1, size, file), size);
	ck_assert_int_eq(fclose(file), 0);
}

/*
 * Read @text as a file of event sets. Store in @said the part of pfmon's error message that follows
 * the path of the file.
 */
static int read_text(struct event_list *list, const struct machine *machine,
		     const char *text, size_t length, char *said, size_t size)
{
	char path[] = "/tmp/unit_sets_XXXXXX", full[4096] = "";
	int fd = mkstemp(path), result;
	FILE *real = stderr, *memory = fmemopen(full, sizeof(full), "w");
	const char *name;

	ck_assert_int_ne(fd, -1);
	close(fd);
	write_file(path, text, length);
	memset(list, 0, sizeof(*list));
	stderr = memory;
	result = sets_file_read(list, path, machine);
	if (!result)
		result = events_assign(list, machine, false);
	fclose(memory);
	stderr = real;
	unlink(path);
	name = strstr(full, path);
	snprintf(said, size, "%s", name ? name + strlen(path) : full);
	return result;
}

static void read_good(struct event_list *list, const struct machine *machine,
		      const char *text)
{
	char said[512];
	int result = read_text(list, machine, text, strlen(text), said, sizeof(said));

	ck_assert_msg(!result, "refused: %s", said);
}

static const char cascade[] = "# The start, and the rest.\n"
			      "\n"
			      "set start\n"
			      "\tcount r8:u,r11:u   # events\n"
			      "\tcount r3 page-faults\n"
			      "\tswitch after 1000000 r8:u\n"
			      "\tswitch after 50 r10\n"
			      "set rest\n"
			      "  count r8:u\r\n";

TEST(a_cascade_is_read)
{
	struct machine machine = armv8();
	struct event_list list;

	read_good(&list, &machine, cascade);
	ck_assert_uint_eq(list.set_count, 2);
	ck_assert_str_eq(list.sets[0].name, "start");
	ck_assert_uint_eq(list.sets[0].flags, PFM_SETFL_OVFL_SWITCH);
	ck_assert_str_eq(list.sets[1].name, "rest");
	ck_assert_uint_eq(list.sets[1].flags, 0);
	ck_assert_uint_eq(list.count, 7);
	for (size_t i = 0; i < 7; i++)
		ck_assert_uint_eq(list.events[i].set, i == 6);
	ck_assert_str_eq(list.events[3].name, "page-faults");
	ck_assert_uint_eq(list.events[4].switch_after, 1000000);
	ck_assert_uint_eq(list.events[5].switch_after, 50);
	ck_assert_uint_eq(list.events[6].switch_after, 0);
	/* Event r8 has two counters: one counts the event, the other one ends the set's turn. */
	ck_assert_uint_eq(list.events[4].pmd_count, 1);
	ck_assert_uint_ne(list.events[4].pmds[0], list.events[0].pmds[0]);
	ck_assert(!events_take_turns(&list));
	events_free(&list);
}

TEST(turns_can_end_by_time)
{
	struct machine machine = armv8();
	struct event_list list;

	read_good(&list, &machine,
		  "set a\nswitch every 2.5\ncount r8\nset b-1_.X\ncount r8\n"
		  "switch every 300us");
	ck_assert(events_take_turns(&list));
	ck_assert_uint_eq(list.sets[0].timeout, 2500000);
	ck_assert_uint_eq(list.sets[1].timeout, 300000);
	ck_assert_uint_eq(list.sets[1].flags, PFM_SETFL_TIME_SWITCH);
	events_free(&list);
}

/*
 * A set that counts no events can be useful: during its turn, pfmon does not count what the program
 * does.
 */
TEST(a_set_may_have_only_an_end)
{
	struct machine machine = armv8();
	struct event_list list;

	read_good(&list, &machine, "set skip\nswitch after 10 r8\nset then\ncount r8\n");
	ck_assert_uint_eq(list.count, 2);
	events_free(&list);
}

TEST(software_events_end_sets_if_a_counter_counts_them)
{
	struct machine soft = make_machine(&pmu_soft, 0xff);
	struct event_list list;

	read_good(&list, &soft,
		  "set a\ncount page-faults\nswitch after 10 minor-faults\n");
	ck_assert(!list.events[0].needs_counter);
	ck_assert(list.events[1].needs_counter);
	ck_assert_uint_eq(list.events[1].code, PFM_SOFT_MINOR_FAULTS);
	ck_assert_uint_eq(list.events[1].set, 0);
	events_free(&list);
}

TEST(each_mistake_is_reported_with_its_line)
{
	static const struct {
		const char *text;
		const char *said;
	} cases[] = {
		{ "count r8\n", ":1: there is no set yet" },
		{ "switch every 4ms\n", ":1: there is no set yet" },
		{ "\n\nset\n", ":3: the set has no name" },
		{ "set a b\n", ":1: 'b' is one word too many" },
		{ "set a;b\n", ":1: 'a;b' is not a valid name" },
		{ "set a\ncount r8\nset a\n", ":3: there is a set 'a' already" },
		{ "sets a\n", ":1: 'sets' is not known" },
		{ "set a\ncount\n", ":2: there is no event" },
		{ "set a\ncount r8,,r11\n", ":2: an event has no name" },
		{ "set a\ncount no-such\n", ":2: unknown event 'no-such'" },
		{ "set a\ncount {r8,r11}\n", ":2: '{r8,r11}': leave out the braces" },
		{ "set a\nswitch\n", ":2: say 'switch every TIME' or" },
		{ "set a\nswitch off\n", ":2: say 'switch every TIME' or" },
		{ "set a\nswitch every\n", ":2: '' is not a time" },
		{ "set a\nswitch every -1\n", ":2: '-1' is not a time" },
		{ "set a\nswitch every 1e3\n", ":2: '1e3' is not a time" },
		{ "set a\nswitch every 4 ms\n", ":2: 'ms' is one word too many" },
		{ "set a\nswitch every 4\nswitch every 5\n",
		  ":3: set 'a' already has a 'switch' line" },
		{ "set a\nswitch after 5 r8\nswitch every 5\n",
		  ":3: set 'a' already has a 'switch' line" },
		{ "set a\nswitch every 4\nswitch after 5 r8\n",
		  ":3: the turn of set 'a' ends after a time" },
		{ "set a\nswitch after\n", ":2: '' is not a number" },
		{ "set a\nswitch after r8 5\n", ":2: 'r8' is not a number" },
		{ "set a\nswitch after 0 r8\n", ":2: '0' is not a number" },
		{ "set a\nswitch after -5 r8\n", ":2: '-5' is not a number" },
		{ "set a\nswitch after 5x r8\n", ":2: '5x' is not a number" },
		{ "set a\nswitch after 99999999999999999999 r8\n",
		  ":2: '99999999999999999999' is not a number" },
		{ "set a\nswitch after 9223372036854775808 r8\n",
		  ":2: '9223372036854775808' is not a number" },
		{ "set a\nswitch after 5\n", ":2: there is no event" },
		{ "set a\nswitch after 5 r8,r11\n", ":2: 'r8,r11' is not one event" },
		{ "set a\nswitch after 5 r8 r11\n", ":2: 'r11' is one word too many" },
		{ "set a\nswitch after 5 page-faults\n",
		  ":2: event 'page-faults' cannot be sampled or waited for" },
		{ "set a\nset b\ncount r8\n", ":1: set 'a' has neither" },
		/* The file is correct, but there are too few counters for its events. */
		{ "set a\ncount r8\nset b\ncount r1,r2,r3,r4,r5,r8\n"
		  "switch after 5 r8\n",
		  ":3: 7 events need a counter, but only 6 get one" },
	};
	struct machine machine = armv8();

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *text = cases[i].text;
		struct event_list list;
		char said[512];

		ck_assert_msg(read_text(&list, &machine, text, strlen(text), said,
					sizeof(said)) == -1,
			      "'%s' is accepted", text);
		ck_assert_msg(!strncmp(said, cases[i].said, strlen(cases[i].said)),
			      "'%s': the message is '%s', not '%s'", text, said,
			      cases[i].said);
		events_free(&list);
	}
}

TEST(a_file_that_is_no_text_is_refused)
{
	static const char binary[] = "set a\ncount r8\0r9\n";
	struct machine machine = armv8();
	struct event_list list;
	char said[512];

	ck_assert_int_eq(read_text(&list, &machine, binary, sizeof(binary) - 1, said,
				   sizeof(said)),
			 -1);
	ck_assert_msg(!strncmp(said, ":2: the line has a zero byte", 28), "%s", said);
	events_free(&list);
	ck_assert_int_eq(
		read_text(&list, &machine, "# nothing\n", 10, said, sizeof(said)), -1);
	ck_assert_int_eq(sets_file_read(&list, "/no/where", &machine), -1);
	ck_assert_int_eq(sets_file_read(&list, "/tmp", &machine), -1);
	events_free(&list);
}

/* Each file is made of words that are chosen at random. No file may crash the parser. */
TEST(random_words_crash_nothing)
{
	static const char *const words[] = {
		"set", "count", "switch", "every", "after", "a",	   "b",
		"r8",  "r11",	"4ms",	  "5",	   "{r8",   "r1}",	   "\n",
		"\n",  "\n",	"#",	  ",",	   "",	    "page-faults",
	};
	struct machine machine = armv8();
	uint32_t state = 1;

	for (int round = 0; round < 3000; round++) {
		struct event_list list;
		char text[512] = "set x\n", said[512];

		for (int i = 0; i < 24; i++) {
			state = state * 1664525 + 1013904223;
			strcat(text, words[(state >> 16) % 20]);
			strcat(text, " ");
		}
		if (!read_text(&list, &machine, text, strlen(text), said, sizeof(said)))
			for (size_t i = 0; i < list.count; i++)
				ck_assert_uint_lt(list.events[i].set, list.set_count);
		events_free(&list);
	}
}

TEST(times_have_units_and_decimals)
{
	static const struct {
		const char *text;
		uint64_t time;
	} good[] = {
		{ "4", 4 * MS },     { "0.5", MS / 2 },
		{ ".25ms", MS / 4 }, { "250us", MS / 4 },
		{ "1ns", 1 },	     { "1s", 1000 * MS },
		{ "0.1", 100000 },   { "3600s", 3600000 * MS },
	};
	static const char *const bad[] = {
		"",	"ms",	   "0",
		"0ms",	"-1",	   "+1",
		" 1",	"1 ms",	   "1.2.3",
		"1e3",	"0x10",	   "1m",
		"1ms ", "3600.1s", "nan",
		"inf",	".",	   "0.4ns",
		"1,5",	"1msx",	   "99999999999999999999999999999999999",
	};
	uint64_t time;

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		ck_assert_msg(!options_time(good[i].text, &time), "'%s' is refused",
			      good[i].text);
		ck_assert_uint_eq(time, good[i].time);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ck_assert_msg(options_time(bad[i], &time) == -1, "'%s' is accepted",
			      bad[i]);
}
