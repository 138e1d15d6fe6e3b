// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests which event sets and registers pfmon writes to the device to count events, and what pfmon
 * computes from the values that it reads.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <perfmon/perfmon.h>
#include <perfmon/perfmon_armv8.h>

#include "../../tools/pfmon/event/assignment.h"
#include "../../tools/pfmon/stat/increments.h"
#include "../../tools/pfmon/event/packing.h"
#include "../../tools/pfmon/run/session.h"
#include "device.h"
#include "suites.h"

SUITE(session, 120);

#define MS   1000000ull
#define MOST 256

/* All sets that were created and all registers that were written, in the order of the calls. */
static struct {
	struct pfarg_setdesc sets[MOST];
	struct pfarg_pmc pmcs[MOST];
	struct pfarg_pmd pmds[MOST];
	unsigned int set_count;
	unsigned int pmc_count;
	unsigned int pmd_count;
	size_t longest; /* size of the longest vector in bytes */
} written;

/* The value read from PMD n of set s is (100 * s + n) * pace. */
static uint64_t pace;

static void take(const struct pfm_vector *vector, void *elements, unsigned int *count,
		 size_t size)
{
	size_t bytes = (size_t)vector->count * size;

	ck_assert_uint_le(*count + (unsigned int)vector->count, MOST);
	memcpy((char *)elements + *count * size, (void *)(uintptr_t)vector->address,
	       bytes);
	*count += (unsigned int)vector->count;
	written.longest = bytes > written.longest ? bytes : written.longest;
}

static void answer_read(const struct pfm_vector *vector)
{
	struct pfarg_pmr *values = (void *)(uintptr_t)vector->address;
	size_t bytes = (size_t)vector->count * sizeof(*values);

	for (int i = 0; i < vector->count; i++)
		values[i].reg_value =
			(100ull * values[i].reg_set + values[i].reg_num) * pace;
	written.longest = bytes > written.longest ? bytes : written.longest;
}

static void answer_info(const struct pfm_vector *vector)
{
	struct pfarg_setinfo *info = (void *)(uintptr_t)vector->address;

	for (int i = 0; i < vector->count; i++) {
		info[i].set_runs = 10ull + info[i].set_id;
		info[i].set_act_duration = 1000ull * info[i].set_id;
	}
}

int device_answer(unsigned long request, void *argument)
{
	const struct pfm_vector *vector = argument;

	switch (request) {
	case PFM_IOC_CREATE_EVTSETS:
		take(vector, written.sets, &written.set_count, sizeof(written.sets[0]));
		return 0;
	case PFM_IOC_WRITE_PMCS:
		take(vector, written.pmcs, &written.pmc_count, sizeof(written.pmcs[0]));
		return 0;
	case PFM_IOC_WRITE_PMDS:
		take(vector, written.pmds, &written.pmd_count, sizeof(written.pmds[0]));
		return 0;
	case PFM_IOC_READ:
		answer_read(vector);
		return 0;
	case PFM_IOC_GETINFO_EVTSETS:
		answer_info(vector);
		return 0;
	case PFM_IOC_LOAD:
		return 0;
	default:
		errno = ENOTTY;
		return -1;
	}
}

static void make_session(struct session *session)
{
	struct pfm_info *info = &session->machine.info;

	memset(session, 0, sizeof(*session));
	memset(&written, 0, sizeof(written));
	pace = 1;
	session->fd = DEVICE_FD;
	session->machine.pmu = &pmu_armv8;
	info->arg_mem_max = 4096;
	info->available_pmcs[0] = info->available_pmds[0] =
		1ull << PFM_ARMV8_CYCLE_COUNTER | 0x3f;
	info->implemented_pmds[PFM_VIRTUAL_PMD_BASE / 64] = 0x3f;
}

static void end_session(struct session *session, struct event_list *events)
{
	session->fd = -1;
	session_close(session);
	events_free(events);
}

static void program(struct session *session, struct event_list *events, const char *text)
{
	memset(events, 0, sizeof(*events));
	ck_assert_int_eq(events_parse(events, text, &session->machine), 0);
	ck_assert_int_eq(pack_into_sets(events, &session->machine, 2 * MS, false), 0);
	ck_assert_int_eq(events_assign(events, &session->machine, false), 0);
	ck_assert_int_eq(session_program(session, events), 0);
}

static const char nine[] = "page-faults,r8,r1,r2,r3,r4,r5,r9,r10";

TEST(events_that_fit_at_once_are_in_the_existing_set)
{
	struct session session;
	struct event_list events;

	make_session(&session);
	program(&session, &events, "r8,r1:u,page-faults");
	ck_assert_int_eq(session_attach(&session, 1), 0);
	ck_assert_uint_eq(written.set_count, 0);
	ck_assert_uint_eq(written.pmc_count, 2);
	ck_assert_uint_eq(written.pmd_count, 5);
	for (unsigned int i = 0; i < 5; i++)
		ck_assert_uint_eq(written.pmds[i].reg_set, 0);
	ck_assert_uint_eq(written.pmds[4].reg_num, PFM_PMD_TASK_CLOCK);
	ck_assert_int_eq(session_attach(&session, 1), 0);
	ck_assert_uint_eq(written.set_count, 0);
	ck_assert_uint_eq(written.pmc_count, 2);
	end_session(&session, &events);
}

TEST(each_set_has_its_own_registers)
{
	static const struct {
		uint16_t set;
		uint16_t pmd;
	} expected[] = {
		/* Event page-faults needs PMDs 259 and 260, and is counted in both sets. */
		{ 0, 259 }, { 0, 260 }, { 0, 0 }, { 0, 1 },   { 0, 2 },
		{ 0, 3 },   { 0, 4 },	{ 0, 5 }, { 0, 256 }, { 1, 259 },
		{ 1, 260 }, { 1, 0 },	{ 1, 1 }, { 1, 256 },
	};
	struct session session;
	struct event_list events;

	make_session(&session);
	program(&session, &events, nine);
	ck_assert_uint_eq(written.set_count, 2);
	for (uint16_t i = 0; i < 2; i++) {
		ck_assert_uint_eq(written.sets[i].set_id, i);
		ck_assert_uint_eq(written.sets[i].set_flags, PFM_SETFL_TIME_SWITCH);
		ck_assert_uint_eq(written.sets[i].set_timeout, 2 * MS);
	}
	ck_assert_uint_eq(written.pmc_count, 8);
	for (unsigned int i = 0; i < 8; i++) {
		ck_assert_uint_eq(written.pmcs[i].reg_set, i >= 6);
		ck_assert_uint_eq(written.pmcs[i].reg_num, i % 6);
	}
	ck_assert_uint_eq(written.pmcs[0].reg_value, 0x08);
	ck_assert_uint_eq(written.pmcs[7].reg_value, 0x10);
	ck_assert_int_eq(session_attach(&session, 1), 0);
	ck_assert_uint_eq(written.pmd_count, 14);
	for (unsigned int i = 0; i < 14; i++) {
		ck_assert_uint_eq(written.pmds[i].reg_set, expected[i].set);
		ck_assert_uint_eq(written.pmds[i].reg_num, expected[i].pmd);
		ck_assert_uint_eq(written.pmds[i].reg_value, 0);
	}
	end_session(&session, &events);
}

/*
 * pfmon creates the sets again for each run. Otherwise the number of turns and the duration of each
 * set would continue to grow from run to run. The kernel resets the PMCs of a set that is created
 * again, so pfmon writes the PMCs again.
 */
TEST(each_run_creates_its_sets_again)
{
	struct session session;
	struct event_list events;

	make_session(&session);
	program(&session, &events, nine);
	memset(&written, 0, sizeof(written));
	ck_assert_int_eq(session_attach(&session, 1), 0);
	ck_assert_uint_eq(written.set_count, 2);
	ck_assert_uint_eq(written.pmc_count, 8);
	end_session(&session, &events);
}

TEST(the_event_that_ends_a_set_overflows_once_per_turn)
{
	struct event members[] = {
		{ .name = strdup("r8"),
		  .needs_counter = true,
		  .code = 8,
		  .modes = MODE_BOTH },
		{ .name = strdup("r8"),
		  .needs_counter = true,
		  .code = 8,
		  .modes = MODE_BOTH,
		  .switch_after = 1000 },
		{ .name = strdup("r9"),
		  .needs_counter = true,
		  .code = 9,
		  .modes = MODE_BOTH,
		  .switch_after = 70 },
	};
	struct event_set set = { .flags = PFM_SETFL_OVFL_SWITCH };
	struct event_list events = {
		.events = members,
		.count = 3,
		.sets = &set,
		.set_count = 1,
	};
	struct session session;

	make_session(&session);
	ck_assert_int_eq(events_assign(&events, &session.machine, false), 0);
	ck_assert_int_eq(session_program(&session, &events), 0);
	ck_assert_int_eq(session_attach(&session, 1), 0);
	ck_assert_uint_eq(written.sets[0].set_flags, PFM_SETFL_OVFL_SWITCH);
	ck_assert_uint_eq(written.pmds[0].reg_value, 0);
	ck_assert_uint_eq(written.pmds[0].reg_ovfl_switch_cnt, 0);
	for (unsigned int i = 1; i < 3; i++) {
		const struct pfarg_pmd *pmd = &written.pmds[i];

		ck_assert_uint_eq(pmd->reg_value, i == 1 ? -1000ull : -70ull);
		ck_assert_uint_eq(pmd->reg_short_reset, pmd->reg_value);
		ck_assert_uint_eq(pmd->reg_long_reset, pmd->reg_value);
		ck_assert_uint_eq(pmd->reg_ovfl_switch_cnt, 1);
		ck_assert_uint_eq(pmd->reg_reset_pmds[0],
				  1ull << members[1].pmds[0] |
					  1ull << members[2].pmds[0]);
		/*
		 * With PFM_REGFL_OVFL_NOTIFY, an overflow would mask monitoring until a
		 * restart. pfmon stat never calls restart.
		 */
		ck_assert_uint_eq(pmd->reg_flags, 0);
	}
	session.fd = -1;
	session_close(&session);
	for (size_t i = 0; i < 3; i++)
		free(members[i].name);
}

TEST(vectors_are_not_longer_than_the_limit)
{
	struct session session;
	struct event_list events;
	uint64_t values[9], times[2];

	make_session(&session);
	session.machine.info.arg_mem_max = 3 * sizeof(struct pfarg_pmd);
	program(&session, &events, nine);
	ck_assert_int_eq(session_attach(&session, 1), 0);
	ck_assert_int_eq(session_read(&session, &events, values, times), 0);
	ck_assert_uint_eq(written.pmd_count, 14);
	ck_assert_uint_le(written.longest, 3 * sizeof(struct pfarg_pmd));
	end_session(&session, &events);
}

TEST(counts_of_events_in_all_sets_are_added_up)
{
	struct set_activity activities[2];
	struct session session;
	struct event_list events;
	uint64_t values[9], times[2];

	make_session(&session);
	program(&session, &events, nine);
	pace = 3;
	ck_assert_int_eq(session_read(&session, &events, values, times), 0);
	ck_assert_uint_eq(values[0], 3 * (259 + 260 + 359 + 360));
	for (unsigned int i = 1; i < 7; i++)
		ck_assert_uint_eq(values[i], 3 * (i - 1));
	ck_assert_uint_eq(values[7], 3 * 100);
	ck_assert_uint_eq(values[8], 3 * 101);
	ck_assert_uint_eq(times[0], 3 * 256);
	ck_assert_uint_eq(times[1], 3 * 356);
	ck_assert_int_eq(session_read_activities(&session, activities), 0);
	ck_assert_uint_eq(activities[1].runs, 11);
	ck_assert_uint_eq(activities[1].duration, 1000);
	end_session(&session, &events);
}

TEST(increments_are_differences_to_the_previous_reading)
{
	struct increments increments = { 0 };
	struct ratio ratio = { 0 };
	struct session session;
	struct event_list events;
	struct group group;
	double error;

	make_session(&session);
	program(&session, &events, nine);
	ck_assert_int_eq(group_prepare(&group, &session, &events), 0);
	ck_assert_int_eq(group_attach(&group, 1, 0), 0);
	ck_assert_int_eq(increments_prepare(&increments, &events), 0);
	increments_begin(&increments);
	for (pace = 1; pace < 8; pace *= 2) {
		uint64_t before = pace / 2;

		ck_assert_int_eq(increments_take(&increments, &group), 0);
		ratio_add(&ratio, 101 * (pace - before), 356 * (pace - before));
	}
	ck_assert_uint_eq(increments.ratios[8].count, 3);
	ck_assert_double_eq(increments.ratios[8].values, ratio.values);
	ck_assert_double_eq(increments.ratios[8].square_durations,
			    ratio.square_durations);
	ck_assert_uint_eq(increments_runtime(&increments), 4 * (256 + 356));
	ck_assert(ratio_error(&ratio, 4 * (256 + 356), &error));
	ck_assert_double_eq(increments_error(&increments, 8), error);
	/*
	 * The count of an event that is counted all the time is not an estimate, so it has no
	 * error.
	 */
	ck_assert_double_lt(increments_error(&increments, 0), 0);
	increments_begin(&increments);
	ck_assert_uint_eq(increments.ratios[8].count, 0);
	increments_free(&increments);
	group_close(&group);
	end_session(&session, &events);
}

TEST(counts_of_a_group_are_sums)
{
	struct set_activity activities[2];
	uint64_t values[9], times[2];
	struct session session, twin;
	struct event_list events;
	struct group group;

	make_session(&session);
	program(&session, &events, nine);
	twin = session;
	twin.is_twin = true;
	ck_assert_int_eq(group_prepare(&group, &session, &events), 0);
	group.twins = &twin;
	group.twin_count = 1;
	ck_assert_int_eq(group_attach(&group, 1, 0), 0);
	ck_assert_int_eq(group_attach(&group, 2, 0), 0);
	pace = 3;
	ck_assert_int_eq(group_read(&group, &events, values, times), 0);
	ck_assert_uint_eq(values[0], 2 * 3 * (259 + 260 + 359 + 360));
	ck_assert_uint_eq(values[7], 2 * 3 * 100);
	ck_assert_uint_eq(times[1], 2 * 3 * 356);
	ck_assert_int_eq(group_read_activities(&group, activities), 0);
	ck_assert_uint_eq(activities[1].runs, 2 * 11);
	ck_assert_uint_eq(activities[1].duration, 2 * 1000);
	/* group_read() adds up the counts of loaded contexts. Now only the first one is loaded. */
	group.attached = 1;
	ck_assert_int_eq(group_read(&group, &events, values, times), 0);
	ck_assert_uint_eq(values[7], 3 * 100);
	group.twins = NULL;
	group.twin_count = 0;
	group_close(&group);
	end_session(&session, &events);
}
