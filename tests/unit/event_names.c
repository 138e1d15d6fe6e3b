// SPDX-License-Identifier: GPL-2.0-only
/* Tests raw codes and modifiers of events, and the messages about events that pfmon refuses. */
#include <stdio.h>
#include <string.h>
#include <perfmon/perfmon.h>
#include <perfmon/perfmon_intel.h>

#include "../../tools/pfmon/event/modifiers.h"
#include "../../tools/pfmon/event/precise.h"
#include "refused.h"

SUITE(event_names, 120);

/* An Intel PMU with four general and three fixed counters. */
static struct machine intel(void)
{
	struct machine machine = { .pmu = &pmu_intel };
	struct pfm_info *info = &machine.info;

	strcpy(info->pmu_name, "intel");
	info->available_pmds[0] = 0xf | 7ull << PFM_INTEL_FIXED;
	info->available_pmcs[0] = 0xf | 1ull << PFM_INTEL_FIXED;
	info->implemented_pmds[PFM_VIRTUAL_PMD_BASE / 64] = 0x3f;
	return machine;
}

/* Parses @text, which names a single event, and returns this event. */
static struct event parse(const char *text)
{
	const struct machine machine = intel();
	struct event_list list = { 0 };
	struct event event;

	ck_assert_msg(!events_parse(&list, text, &machine), "%s", text);
	ck_assert_uint_eq(list.count, 1);
	event = list.events[0];
	events_free(&list);
	return event;
}

/*
 * Returns the modes that the modifiers in @text select. Checks that @text without its modifiers is
 * @name.
 */
static unsigned int modes_of(const char *text, const char *name)
{
	char copy[64];
	unsigned int precision = 0, modes;

	snprintf(copy, sizeof(copy), "%s", text);
	modes = modifiers_cut(copy, &precision);
	ck_assert_str_eq(copy, name);
	return modes;
}

static void must_fail(const char *text, const char *words)
{
	const struct machine machine = intel();

	must_be_refused(&machine, text, words);
}

/* SDM: bits 16 to 22 of an event-select register are USR, OS, E, PC, INT, AnyThread and EN. */
TEST(a_wrong_bit_of_a_raw_code_is_named)
{
	ck_assert_uint_eq(parse("r0000000000000000000c0").code, 0xc0);
	ck_assert_uint_eq(parse("rff84ffff:u").code, 0xff84ffff);
	must_fail("r002000c0:u", "bit 21 (any thread) is reserved");
	must_fail("r5100c0", "bit 16 does not belong to the codes of PMU intel");
	must_fail("r4000c0", "bit 22 does not belong to the codes of PMU intel");
}

TEST(a_raw_code_that_is_too_large_is_refused)
{
	must_fail("r1ffffffff:u",
		  "is too large: the codes of PMU intel go up to rff84ffff");
	must_fail("r1000000c0", "is too large");
	must_fail("r100000000000000c0", "is too large");
	must_fail("rc0:10000000000000000",
		  "is too large: the second register has 64 bits");
}

/* A modifier may come before or after an attribute of libpfm4: NAME:u:c=1 or NAME:c=1:u. */
TEST(modifiers_may_come_in_any_order)
{
	ck_assert_uint_eq(parse("instructions").modes, MODE_BOTH);
	ck_assert_uint_eq(parse("instructions:u").modes, MODE_USER);
	ck_assert_uint_eq(parse("instructions:k:u").modes, MODE_BOTH);
	ck_assert_uint_eq(modes_of("NAME:u:c=1", "NAME:c=1"), MODE_USER);
	ck_assert_uint_eq(modes_of("NAME:c=1:k", "NAME:c=1"), MODE_KERNEL);
	ck_assert_uint_eq(modes_of("PMU::NAME:up:MASK:k", "PMU::NAME:MASK"), MODE_BOTH);
	ck_assert_uint_eq(modes_of(":u", ""), MODE_USER);
}

TEST(an_unknown_modifier_is_named)
{
	must_fail("instructions:u:c=1", "event 'instructions' has no modifier ':c=1'");
	must_fail("instructions:u:i", "event 'instructions' has no modifier ':i'");
	must_fail("instructions:c=300:u",
		  "event 'instructions' has no modifier ':c=300'");
	must_fail("rc0:c=1", "event 'rc0' has no modifier ':c=1'");
	must_fail("task-clock:x", "event 'task-clock' has no modifier ':x'");
	must_fail("instructions:", "event 'instructions' has no modifier ':'");
	must_fail("r2000c0:c=1", "bit 21");
	must_fail("instruction:u:c=1", "unknown event 'instruction:c=1'");
	must_fail("instructions:ppp", "':pp' is the most precise modifier");
	must_fail("instructions:p:up:p", "':pp' is the most precise modifier");
}

TEST(one_event_gets_a_counter)
{
	must_fail("ref-cycles,ref-cycles",
		  "2 events need a counter, but only 1 gets one");
	must_fail("rc4,rc4,rc4,rc4,rc4,rc4",
		  "6 events need a counter, but only 4 get one");
}

TEST(an_event_of_a_fixed_counter_cannot_be_precise)
{
	struct machine machine = intel();

	ck_assert(precise_only_fixed(&machine, parse("ref-cycles").code));
	ck_assert(!precise_only_fixed(&machine, parse("instructions").code));
	ck_assert(!precise_only_fixed(&machine, parse("rc4").code));
	/*
	 * If the fixed counter of ref-cycles (code 0x0300) is held, no available counter can count
	 * this event. Then precise_only_fixed() returns false.
	 */
	machine.info.available_pmds[0] = 0xf;
	ck_assert(!precise_only_fixed(&machine, 0x0300));
}
