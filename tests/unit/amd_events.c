// SPDX-License-Identifier: GPL-2.0-only
/* Tests that pfmon knows which counters of AMD's processors can count which events. */
#include <string.h>
#include <perfmon/perfmon.h>
#include <perfmon/perfmon_amd.h>

#include "../../tools/pfmon/event/constraints.h"
#include "suites.h"

SUITE(amd_events, 120);

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* values of EAX from CPUID leaf 1 */
#define ID_OF_K8     0x00020fb1
#define ID_OF_10H    0x00100f42
#define ID_OF_15H    0x00600f12
#define ID_OF_16H    0x00700f01
#define ID_OF_17H    0x00800f11
#define ID_OF_19H    0x00a20f10

/* The value of a PMC. Bits 11 to 8 of the event's code are in bits 35 to 32 of the PMC. */
#define EVENT(event, umask)                                                              \
	(((event)&0xffull) | (uint64_t)(umask) << 8 | (uint64_t)((event) >> 8) << 32)

TEST(each_family_has_its_description)
{
	ck_assert_ptr_eq(pmu_find("amd", ID_OF_K8), &pmu_amd_k8);
	ck_assert_ptr_eq(pmu_find("amd", ID_OF_10H), &pmu_amd_k8);
	ck_assert_ptr_eq(pmu_find("amd", ID_OF_15H), &pmu_amd_15h);
	ck_assert_ptr_eq(pmu_find("amd", ID_OF_16H), &pmu_amd_k8);
	ck_assert_ptr_eq(pmu_find("amd", ID_OF_17H), &pmu_amd_17h);
	ck_assert_ptr_eq(pmu_find("amd", ID_OF_19H), &pmu_amd_17h);
}

/*
 * Events of family 15h and the counters that can count them. The manual of this family calls these
 * counters PERF_CTL[...]. For each unit of the processor, the list contains some events that use
 * the unit's usual counters, and all events that use other counters.
 */
static const struct {
	uint64_t code;
	unsigned int counters;
} manual[] = {
	{ EVENT(0x000, 0x0f), 0x38 }, /* one pipe group: PERF_CTL[5:3] */
	{ EVENT(0x000, 0xf0), 0x38 },
	{ EVENT(0x000, 0x11), 0x08 }, /* both pipe groups: PERF_CTL[3] */
	{ EVENT(0x001, 0x00), 0x38 },
	{ EVENT(0x003, 0xff), 0x08 },
	{ EVENT(0x004, 0x01), 0x38 },
	{ EVENT(0x004, 0x03), 0x08 },
	{ EVENT(0x00b, 0x01), 0x08 },
	{ EVENT(0x00d, 0x01), 0x08 },
	{ EVENT(0x011, 0x01), 0x38 },
	{ EVENT(0x020, 0x01), 0x3f },
	{ EVENT(0x023, 0x01), 0x07 },
	{ EVENT(0x02d, 0x00), 0x08 },
	{ EVENT(0x02e, 0x00), 0x09 }, /* PERF_CTL[3,0] */
	{ EVENT(0x031, 0x02), 0x07 },
	{ EVENT(0x031, 0x06), 0 },
	{ EVENT(0x040, 0x00), 0x3f },
	{ EVENT(0x042, 0x00), 0x3f },
	{ EVENT(0x043, 0x00), 0x07 },
	{ EVENT(0x044, 0x00), 0x3f },
	{ EVENT(0x045, 0x07), 0x07 },
	{ EVENT(0x046, 0x07), 0x07 },
	{ EVENT(0x047, 0x00), 0x3f },
	{ EVENT(0x053, 0x00), 0x3f },
	{ EVENT(0x054, 0x00), 0x07 },
	{ EVENT(0x055, 0x00), 0x07 },
	{ EVENT(0x056, 0x00), 0x3f },
	{ EVENT(0x076, 0x00), 0x07 },
	{ EVENT(0x07d, 0x77), 0x07 },
	{ EVENT(0x080, 0x00), 0x07 },
	{ EVENT(0x08f, 0x00), 0x01 },
	{ EVENT(0x09a, 0x00), 0x07 },
	{ EVENT(0x0a0, 0x00), 0 },
	{ EVENT(0x0b0, 0x00), 0 },
	{ EVENT(0x0c0, 0x00), 0x3f },
	{ EVENT(0x0cb, 0x07), 0x3f },
	{ EVENT(0x0d0, 0x00), 0x07 },
	{ EVENT(0x0da, 0x00), 0x07 },
	{ EVENT(0x0db, 0x1f), 0x3f },
	{ EVENT(0x0dc, 0x00), 0x3f },
	{ EVENT(0x0df, 0x00), 0x3f },
	{ EVENT(0x0e0, 0x07), 0 },
	{ EVENT(0x0f6, 0x01), 0 },
	{ EVENT(0x187, 0x00), 0x01 },
	{ EVENT(0x188, 0x00), 0x01 },
	{ EVENT(0x1c0, 0x01), 0x38 },
	{ EVENT(0x1cf, 0x01), 0x3f },
	{ EVENT(0x1d6, 0x00), 0x3f },
	{ EVENT(0x1d8, 0x00), 0x3f },
	{ EVENT(0x1d7, 0x00), 0x07 },
	{ EVENT(0x1e9, 0x00), 0 },
};

TEST(family_15h_has_the_counters_of_its_manual)
{
	for (size_t i = 0; i < COUNT(manual); i++)
		ck_assert_msg(pfm_amd_15h_counters(manual[i].code) == manual[i].counters,
			      "event 0x%llx: counters 0x%x, not 0x%x",
			      (unsigned long long)manual[i].code,
			      pfm_amd_15h_counters(manual[i].code), manual[i].counters);
}

/*
 * The event's code and unit mask determine which counters can count the event. The other fields of
 * a PMC have no effect on this.
 */
TEST(levels_and_thresholds_do_not_change_the_counters)
{
	for (size_t i = 0; i < COUNT(manual); i++)
		ck_assert_uint_eq(
			pfm_amd_15h_counters(manual[i].code | PFM_AMD_PMC_USER |
					     PFM_AMD_PMC_KERNEL | PFM_AMD_PMC_EDGE |
					     PFM_AMD_PMC_INVERT | PFM_AMD_PMC_CMASK),
			manual[i].counters);
}

static struct machine make_machine(const struct pmu *pmu, uint64_t set)
{
	struct machine machine = { .pmu = pmu };

	machine.info.available_pmcs[0] = machine.info.available_pmds[0] = set;
	return machine;
}

static unsigned int choices(const struct machine *machine, uint64_t code)
{
	uint16_t pmds[PFM_MAX_HARDWARE];
	unsigned int count = pmu_counters(machine->pmu, &machine->info, code, pmds);
	unsigned int set = 0;

	for (unsigned int i = 0; i < count; i++)
		set |= 1u << pmds[i];
	return set;
}

TEST(pfmon_chooses_among_the_counters_that_can_count)
{
	const struct machine machine = make_machine(&pmu_amd_15h, 0x3f);

	for (size_t i = 0; i < COUNT(manual); i++)
		ck_assert_uint_eq(choices(&machine, manual[i].code), manual[i].counters);
}

TEST(other_families_count_everything_everywhere)
{
	const struct machine k8 = make_machine(&pmu_amd_k8, 0xf);
	const struct machine zen = make_machine(&pmu_amd_17h, 0x3f);

	for (size_t i = 0; i < COUNT(manual); i++) {
		ck_assert_uint_eq(choices(&k8, manual[i].code), 0xf);
		ck_assert_uint_eq(choices(&zen, manual[i].code), 0x3f);
	}
}

#define MOST 6

/*
 * Assign counters to the events @codes. Store the PMD of each event in @pmds, or NO_COUNTER if the
 * event got no counter.
 */
static void assign(const struct machine *machine, const uint64_t *codes, size_t count,
		   int *pmds)
{
	struct event events[MOST] = {};
	const struct event *pointers[MOST];
	struct verdict verdicts[MOST];

	for (size_t i = 0; i < count; i++) {
		events[i].code = codes[i];
		events[i].modes = MODE_BOTH;
		pointers[i] = &events[i];
	}
	ck_assert_int_eq(constraints_assign(pointers, count, machine, verdicts), 0);
	for (size_t i = 0; i < count; i++)
		pmds[i] = verdicts[i].pmd;
}

/*
 * The first three events can use any counter. The last three events can use only counters 0 to 2.
 * If the first three took these counters, none would be left for the last three.
 */
TEST(an_event_with_many_counters_leaves_rare_counters_to_others)
{
	static const uint64_t codes[] = { 0xc0, 0xc2, 0xc3, 0x76, 0xd0, 0xd1 };
	const struct machine machine = make_machine(&pmu_amd_15h, 0x3f);
	int pmds[MOST];

	assign(&machine, codes, COUNT(codes), pmds);
	for (size_t i = 0; i < COUNT(codes); i++) {
		ck_assert_int_ne(pmds[i], NO_COUNTER);
		ck_assert(pfm_amd_15h_counters(codes[i]) >> pmds[i] & 1);
	}
}

TEST(four_events_do_not_fit_on_three_counters)
{
	static const uint64_t codes[] = { 0x76, 0xd0, 0xd1, 0x80, 0xc0 };
	const struct machine machine = make_machine(&pmu_amd_15h, 0x3f);
	int pmds[MOST];

	assign(&machine, codes, COUNT(codes), pmds);
	for (size_t i = 0; i < 3; i++)
		ck_assert_int_lt(pmds[i], 3);
	ck_assert_int_eq(pmds[3], NO_COUNTER);
	ck_assert_int_ge(pmds[4], 3);
}

TEST(events_of_the_northbridge_are_refused_up_to_family_16h)
{
	ck_assert_ptr_nonnull(pmu_refusal(&pmu_amd_k8, EVENT(0x0e0, 0x07)));
	ck_assert_ptr_nonnull(pmu_refusal(&pmu_amd_15h, EVENT(0x0e0, 0x07)));
	ck_assert_ptr_null(pmu_refusal(&pmu_amd_17h, EVENT(0x0e0, 0x07)));
	ck_assert_ptr_null(pmu_refusal(&pmu_amd_k8, EVENT(0x0df, 0x07)));
}

TEST(events_without_a_counter_of_family_15h_are_refused)
{
	for (size_t i = 0; i < COUNT(manual); i++)
		ck_assert_msg(!pmu_refusal(&pmu_amd_15h, manual[i].code) ==
				      !!manual[i].counters,
			      "event 0x%llx must be refused if, and only if, no counter "
			      "can count it",
			      (unsigned long long)manual[i].code);
	ck_assert_ptr_nonnull(
		strstr(pmu_refusal(&pmu_amd_15h, EVENT(0x031, 0x06)), "one bit"));
	ck_assert_ptr_nonnull(
		strstr(pmu_refusal(&pmu_amd_15h, EVENT(0x0e9, 0x00)), "northbridge"));
}

TEST(events_that_need_two_counters_are_refused_from_family_17h_on)
{
	ck_assert_ptr_nonnull(
		strstr(pmu_refusal(&pmu_amd_17h, EVENT(0x003, 0xff)), "two counters"));
	ck_assert_ptr_nonnull(pmu_refusal(
		&pmu_amd_17h, EVENT(0x003, 0x01) | PFM_AMD_PMC_EDGE | PFM_AMD_PMC_CMASK));
	ck_assert_ptr_null(pmu_refusal(&pmu_amd_17h, EVENT(0x103, 0xff)));
	ck_assert_ptr_null(pmu_refusal(&pmu_amd_17h, EVENT(0x002, 0x03)));
	ck_assert_ptr_null(pmu_refusal(&pmu_amd_k8, EVENT(0x003, 0xff)));
}

TEST(the_event_that_makes_one_counter_of_two_is_refused_from_family_17h_on)
{
	ck_assert_ptr_nonnull(strstr(pmu_refusal(&pmu_amd_17h, EVENT(0xfff, 0)),
				     "two counters into one"));
	ck_assert_ptr_null(pmu_refusal(&pmu_amd_17h, EVENT(0x0ff, 0)));
}
