// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests how pfmon distributes events among sets if there are too few counters to count all events
 * at the same time.
 */
#include <string.h>
#include <perfmon/perfmon.h>
#include <perfmon/perfmon_armv8.h>

#include "../../tools/pfmon/event/assignment.h"
#include "../../tools/pfmon/event/constraints.h"
#include "../../tools/pfmon/event/packing.h"
#include "suites.h"

SUITE(packing, 120);

#define MS	      1000000ull

/* Six counters and the cycle counter, as in a Cortex-A57. */
#define A57_REGISTERS (1ull << PFM_ARMV8_CYCLE_COUNTER | 0x3f)

static struct machine make_machine(const struct pmu *pmu, uint64_t pmcs, uint64_t pmds)
{
	struct machine machine = { .pmu = pmu };
	struct pfm_info *info = &machine.info;

	strcpy(info->pmu_name, pmu->name);
	info->implemented_pmcs[0] = info->available_pmcs[0] = pmcs;
	info->implemented_pmds[0] = info->available_pmds[0] = pmds;
	info->implemented_pmds[PFM_VIRTUAL_PMD_BASE / 64] = 0x3f;
	return machine;
}

static struct machine a57(void)
{
	return make_machine(&pmu_armv8, A57_REGISTERS, A57_REGISTERS);
}

static struct event_list parse(const struct machine *machine, const char *text)
{
	struct event_list list = { 0 };

	ck_assert_int_eq(events_parse(&list, text, machine), 0);
	return list;
}

/* Put the events of @text into sets, and assign counters to them. */
static struct event_list share(const struct machine *machine, const char *text)
{
	struct event_list list = parse(machine, text);

	ck_assert_int_eq(pack_into_sets(&list, machine, 3 * MS, false), 0);
	ck_assert_int_eq(events_assign(&list, machine, false), 0);
	return list;
}

static void check_sets(const struct event_list *list, const size_t *sets)
{
	for (size_t i = 0; i < list->count; i++)
		ck_assert_msg(list->events[i].set == sets[i],
			      "event %zu, '%s', is in set %zu and not in %zu", i,
			      list->events[i].name, list->events[i].set, sets[i]);
}

TEST(events_that_fit_at_once_need_no_sets)
{
	struct machine machine = a57();
	struct event_list list =
		share(&machine, "r11,r8,r1,r2,r3,r4,r10,task-clock,{page-faults,cs}");

	ck_assert_uint_eq(list.set_count, 0);
	ck_assert_uint_eq(list.events[0].pmds[0], PFM_ARMV8_CYCLE_COUNTER);
	events_free(&list);
}

/*
 * In each set, one cycles event (r11) can have the cycle counter. A second cycles event in set 0
 * would need one of the six other counters, but the first six events use these.
 */
TEST(an_event_is_in_the_first_set_with_a_counter_for_it)
{
	static const size_t sets[] = { 0, 0, 0, 0, 0, 0, 1, 0, 1 };
	struct machine machine = a57();
	struct event_list list = share(&machine, "r8,r1,r2,r3,r4,r5,r9,r11,r11:u");

	ck_assert_uint_eq(list.set_count, 2);
	check_sets(&list, sets);
	for (size_t i = 0; i < 2; i++) {
		ck_assert_uint_eq(list.sets[i].flags, PFM_SETFL_TIME_SWITCH);
		ck_assert_uint_eq(list.sets[i].timeout, 3 * MS);
	}
	ck_assert_uint_eq(list.events[8].pmds[0], PFM_ARMV8_CYCLE_COUNTER);
	events_free(&list);
}

TEST(events_in_braces_stay_together)
{
	static const size_t sets[] = { 0, 0, 0, 0, 1, 1, 1, 0, 0 };
	struct machine machine = a57();
	struct event_list list = share(&machine, "r1,r2,r3,r4,{r8,r9,r10},r5,{r12}");

	ck_assert_uint_eq(list.set_count, 2);
	ck_assert_uint_eq(list.events[3].group, 0);
	ck_assert_uint_eq(list.events[4].group, 1);
	ck_assert_uint_eq(list.events[6].group, 1);
	ck_assert_str_eq(list.events[6].name, "r10");
	ck_assert_uint_eq(list.events[8].group, 2);
	check_sets(&list, sets);
	events_free(&list);
}

TEST(a_group_without_enough_counters_is_refused)
{
	struct machine machine = a57();
	struct event_list list = parse(&machine, "r11,{r1,r2,r3,r4,r5,r8,r9}");

	ck_assert_int_eq(pack_into_sets(&list, &machine, MS, false), -1);
	events_free(&list);
}

TEST(events_without_a_counter_are_in_each_set_or_with_their_group)
{
	static const size_t sets[] = { EVERY_SET, 0, 0, 0, 0, 0, 0, 1, 1, EVERY_SET };
	struct machine machine = a57();
	struct event_list list =
		share(&machine, "task-clock,r1,r2,r3,r4,r5,r8,{page-faults,r9},{cs}");

	check_sets(&list, sets);
	ck_assert(event_in_set(&list.events[0], 0) && event_in_set(&list.events[0], 1));
	ck_assert(!event_in_set(&list.events[7], 0) && event_in_set(&list.events[7], 1));
	events_free(&list);
}

/* On POWER9, the codes that begin with r4 need PMC4. PMC5 and PMC6 count one event each. */
TEST(events_for_one_counter_of_POWER_are_in_different_sets)
{
	static const size_t sets[] = { 0, 1, 0, 0, 2 };
	struct machine machine = make_machine(&pmu_power9, 0xf, 0x7f);
	struct event_list list = share(&machine, "r400f6,r400fc,r500fa,r600f4,r400f2");

	ck_assert_uint_eq(list.set_count, 3);
	check_sets(&list, sets);
	ck_assert_uint_eq(list.events[2].pmds[0], 5);
	ck_assert_uint_eq(list.events[3].pmds[0], 6);
	events_free(&list);
}

TEST(an_event_that_fits_nowhere_is_refused_or_left_out)
{
	struct machine machine = make_machine(&pmu_armv8, 0x80000000, 0x80000000);
	struct event_list list = parse(&machine, "r11,r8");

	ck_assert_int_eq(pack_into_sets(&list, &machine, MS, false), -1);
	events_free(&list);
	list = parse(&machine, "r11,r8");
	ck_assert_int_eq(pack_into_sets(&list, &machine, MS, true), 0);
	ck_assert_int_eq(list.events[0].state, EVENT_COUNTED);
	ck_assert_int_eq(list.events[1].state, EVENT_NOT_COUNTED);
	/* Only one event can be counted, so pfmon makes no sets. */
	ck_assert_uint_eq(list.set_count, 0);
	events_free(&list);
}

TEST(braces_that_do_not_match_are_refused)
{
	static const char *const texts[] = {
		"{r1,r2", "r1,r2}",   "{r1,{r2},r3}", "{",	"}",
		"{}",	  "r1,{r2}}", "{,r1}",	      "{{r1}}", "",
	};
	struct machine machine = a57();

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct event_list list = { 0 };

		ck_assert_msg(events_parse(&list, texts[i], &machine) == -1,
			      "'%s' is accepted", texts[i]);
		events_free(&list);
	}
}

#define MOST 40

static bool fit(const struct event *const *events, size_t count,
		const struct machine *machine)
{
	struct verdict verdicts[MOST];

	ck_assert_int_eq(constraints_assign(events, count, machine, verdicts), 0);
	for (size_t i = 0; i < count; i++)
		if (verdicts[i].pmd == NO_COUNTER)
			return false;
	return true;
}

/*
 * Returns whether event @index and the earlier events of @set can be counted at the same time.
 */
static bool had_place(const struct event_list *list, const struct machine *machine,
		      size_t index, size_t set)
{
	const struct event *events[MOST];
	size_t count = 0;

	for (size_t i = 0; i < index; i++)
		if (list->events[i].set == set)
			events[count++] = &list->events[i];
	events[count++] = &list->events[index];
	return fit(events, count, machine);
}

static void check_set(const struct event_list *list, size_t set)
{
	unsigned int taken = 0;

	for (size_t i = 0; i < list->count; i++) {
		const struct event *event = &list->events[i];

		if (event->set != set)
			continue;
		ck_assert_uint_eq(event->pmd_count, 1);
		ck_assert_msg(!(taken & 1u << event->pmds[0]), "PMD %u is used twice",
			      event->pmds[0]);
		taken |= 1u << event->pmds[0];
	}
	ck_assert_uint_ne(taken, 0);
}

TEST(each_event_is_in_the_first_possible_set)
{
	static const char *const names[] = {
		"r2",	  "r1e",    "r40bc",  "r160a0", "r26880", "r460a0",  "r36880",
		"r400f6", "r2c04e", "r500fa", "r600f4", "r200f4", "r1040bc", "r10002",
	};
	struct machine machine = make_machine(&pmu_power9, 0xf, 0x7f);
	uint32_t state = 1;

	for (int round = 0; round < 300; round++) {
		struct event_list list = { 0 };

		for (int i = 0; i < MOST; i++) {
			state = state * 1664525 + 1013904223;
			ck_assert_int_eq(events_parse(&list, names[(state >> 16) % 14],
						      &machine),
					 0);
		}
		ck_assert_int_eq(pack_into_sets(&list, &machine, MS, false), 0);
		ck_assert_int_eq(events_assign(&list, &machine, false), 0);
		for (size_t set = 0; set < list.set_count; set++)
			check_set(&list, set);
		for (size_t i = 0; i < list.count; i++) {
			ck_assert_uint_lt(list.events[i].set, list.set_count);
			for (size_t set = 0; set < list.events[i].set; set++)
				ck_assert(!had_place(&list, &machine, i, set));
		}
		events_free(&list);
	}
}
