// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests how pfmon assigns counters to events. The tests find the expected result by trying all
 * possibilities.
 */
#include <stdbool.h>
#include <string.h>
#include <perfmon/perfmon.h>
#include <perfmon/perfmon_armv8.h>
#include <perfmon/perfmon_soft.h>

#include "../../tools/pfmon/event/matching.h"
#include "../../tools/pfmon/event/pmu.h"
#include "suites.h"

SUITE(matching, 120);

#define MAX_EVENTS 7
#define COUNTERS   6

/*
 * Returns whether each event in the mask @chosen can have a counter of its own that is not in the
 * mask @taken. Tries all possibilities.
 */
static bool fit(const struct choice *choices, unsigned int chosen, unsigned int taken)
{
	unsigned int event;

	if (!chosen)
		return true;
	event = (unsigned int)__builtin_ctz(chosen);
	for (unsigned int i = 0; i < choices[event].count; i++) {
		unsigned int counter = 1u << choices[event].pmds[i];

		if (!(taken & counter) &&
		    fit(choices, chosen & ~(1u << event), taken | counter))
			return true;
	}
	return false;
}

/* Check that each assigned counter can count its event, and that no counter is used twice. */
static void check_valid(const struct choice *choices, size_t count, const int *assigned)
{
	unsigned int taken = 0;

	for (size_t event = 0; event < count; event++) {
		bool is_own = false;

		if (assigned[event] == NO_COUNTER)
			continue;
		for (unsigned int i = 0; i < choices[event].count; i++)
			is_own |= choices[event].pmds[i] == assigned[event];
		ck_assert_msg(is_own, "event %zu is on PMD %d, which cannot count it",
			      event, assigned[event]);
		ck_assert_msg(!(taken & 1u << assigned[event]), "PMD %d is used twice",
			      assigned[event]);
		taken |= 1u << assigned[event];
	}
}

/*
 * Check the events in order. An event must have a counter if it can be counted together with all
 * earlier events that have a counter. All other events must have no counter.
 */
static void check_best(const struct choice *choices, size_t count, const int *assigned,
		       size_t left)
{
	unsigned int placed = 0;
	size_t without = 0;

	for (size_t event = 0; event < count; event++) {
		bool can = fit(choices, placed | 1u << event, 0);

		ck_assert_msg(can == (assigned[event] != NO_COUNTER),
			      "event %zu of %zu got PMD %d, but it %s", event, count,
			      assigned[event], can ? "fits" : "does not fit");
		if (can)
			placed |= 1u << event;
		else
			without++;
	}
	ck_assert_uint_eq(left, without);
}

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 16;
}

static void make_choice(struct choice *choice, uint32_t *state)
{
	unsigned int set = next_random(state) % (1u << COUNTERS);

	choice->count = 0;
	if (next_random(state) % 2)
		set &= next_random(state);
	for (uint16_t pmd = 0; pmd < COUNTERS; pmd++)
		if (set & 1u << pmd)
			choice->pmds[choice->count++] = pmd;
}

TEST(as_many_events_as_possible_get_counters_earlier_ones_first)
{
	static struct choice choices[MAX_EVENTS];
	uint32_t state = 1;
	int assigned[MAX_EVENTS];

	for (int round = 0; round < 20000; round++) {
		size_t count = next_random(&state) % (MAX_EVENTS + 1);
		size_t left;

		for (size_t i = 0; i < count; i++)
			make_choice(&choices[i], &state);
		left = matching_find(choices, count, assigned);
		check_valid(choices, count, assigned);
		check_best(choices, count, assigned, left);
	}
}

TEST(a_chain_of_events_moves_to_make_room_for_a_later_event)
{
	static struct choice choices[4];
	int assigned[4];

	/* Event i can use counters i and i + 1, but the last event can use only counter 0. */
	for (uint16_t i = 0; i < 3; i++) {
		choices[i].pmds[0] = i;
		choices[i].pmds[1] = i + 1;
		choices[i].count = 2;
	}
	choices[3].pmds[0] = 0;
	choices[3].count = 1;
	ck_assert_uint_eq(matching_find(choices, 4, assigned), 0);
	ck_assert_int_eq(assigned[0], 1);
	ck_assert_int_eq(assigned[1], 2);
	ck_assert_int_eq(assigned[2], 3);
	ck_assert_int_eq(assigned[3], 0);
}

TEST(only_an_event_without_counters_is_left_out)
{
	static struct choice choices[2];
	int assigned[2];

	choices[0].count = 0;
	choices[1].pmds[0] = 255;
	choices[1].count = 1;
	ck_assert_uint_eq(matching_find(choices, 2, assigned), 1);
	ck_assert_int_eq(assigned[0], NO_COUNTER);
	ck_assert_int_eq(assigned[1], 255);
}

/* Make a machine that has the registers in the mask @set. All of them are available. */
static void make_machine(struct pfm_info *info, uint64_t set)
{
	memset(info, 0, sizeof(*info));
	info->implemented_pmcs[0] = info->available_pmcs[0] = set;
	info->implemented_pmds[0] = info->available_pmds[0] = set;
}

#define CYCLES	      0x11
#define A57_REGISTERS (1ull << PFM_ARMV8_CYCLE_COUNTER | 0x3f)

TEST(cycles_prefer_the_cycle_counter_on_armv8)
{
	uint16_t pmds[PFM_MAX_HARDWARE];
	struct pfm_info info;

	make_machine(&info, A57_REGISTERS);
	ck_assert_uint_eq(pmu_counters(&pmu_armv8, &info, CYCLES, pmds), 7);
	ck_assert_uint_eq(pmds[0], PFM_ARMV8_CYCLE_COUNTER);
	for (uint16_t i = 0; i < 6; i++)
		ck_assert_uint_eq(pmds[i + 1], i);
}

TEST(other_events_never_go_to_the_cycle_counter_on_armv8)
{
	uint16_t pmds[PFM_MAX_HARDWARE];
	struct pfm_info info;

	make_machine(&info, A57_REGISTERS);
	ck_assert_uint_eq(pmu_counters(&pmu_armv8, &info, 0x08, pmds), 6);
	for (uint16_t i = 0; i < 6; i++)
		ck_assert_uint_eq(pmds[i], i);
}

TEST(registers_held_by_others_are_not_assigned)
{
	uint16_t pmds[PFM_MAX_HARDWARE];
	struct pfm_info info;

	make_machine(&info, A57_REGISTERS);
	info.available_pmcs[0] &= ~(1ull << 2);
	info.available_pmds[0] &= ~(1ull << PFM_ARMV8_CYCLE_COUNTER | 1ull << 4);
	ck_assert_uint_eq(pmu_counters(&pmu_armv8, &info, CYCLES, pmds), 4);
	ck_assert_uint_eq(pmds[0], 0);
	ck_assert_uint_eq(pmds[1], 1);
	ck_assert_uint_eq(pmds[2], 3);
	ck_assert_uint_eq(pmds[3], 5);
}

TEST(modes_become_exclude_bits_on_armv8)
{
	static const struct {
		unsigned int modes;
		uint16_t pmd;
		uint64_t value;
	} cases[] = {
		{ MODE_BOTH, 0, 0x08 },
		{ MODE_USER, 3, PFM_ARMV8_PMC_EXCLUDE_KERNEL | 0x08 },
		{ MODE_KERNEL, 3, PFM_ARMV8_PMC_EXCLUDE_USER | 0x08 },
		{ MODE_USER, PFM_ARMV8_CYCLE_COUNTER, PFM_ARMV8_PMC_EXCLUDE_KERNEL },
	};
	struct pmc_bits bits[MAX_PMCS_PER_EVENT];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		ck_assert_uint_eq(pmu_armv8.encode(&pmu_armv8, 0x08, cases[i].modes,
						   cases[i].pmd, bits),
				  1);
		ck_assert_uint_eq(bits[0].pmc, cases[i].pmd);
		ck_assert_uint_eq(bits[0].value, cases[i].value);
	}
}

TEST(soft_events_go_to_any_counter_of_the_software_PMU)
{
	struct pmc_bits bits[MAX_PMCS_PER_EVENT];
	uint16_t pmds[PFM_MAX_HARDWARE];
	struct pfm_info info;

	make_machine(&info, 0xff);
	ck_assert_uint_eq(pmu_counters(&pmu_soft, &info, PFM_SOFT_TIME_COUNTER, pmds),
			  PFM_SOFT_COUNTERS);
	ck_assert_uint_eq(
		pmu_soft.encode(&pmu_soft, PFM_SOFT_TIME_COUNTER, MODE_BOTH, 5, bits), 1);
	ck_assert_uint_eq(bits[0].pmc, 5);
	ck_assert_uint_eq(bits[0].value, PFM_SOFT_TIME_COUNTER);
}
