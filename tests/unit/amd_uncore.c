// SPDX-License-Identifier: GPL-2.0-only
/* Tests how pfmon handles events for the counters that several CPUs of an AMD processor share. */
#include <stdio.h>
#include <string.h>
#include <perfmon/perfmon.h>
#include <perfmon/perfmon_amd_uncore.h>

#include "../../tools/pfmon/event/assignment.h"
#include "../../tools/pfmon/event/constraints.h"
#include "refused.h"

SUITE(amd_uncore, 120);

static struct machine make_machine(const struct pmu *pmu, uint64_t registers)
{
	struct machine machine = { .pmu = pmu };

	strcpy(machine.info.pmu_name, pmu->name);
	machine.info.available_pmcs[0] = machine.info.available_pmds[0] = registers;
	machine.info.implemented_pmds[PFM_VIRTUAL_PMD_BASE / 64] = 0x3f;
	return machine;
}

static struct machine l3(void)
{
	return make_machine(pmu_find("amd_l3", 0), 0x3f);
}

static struct machine df(void)
{
	return make_machine(pmu_find("amd_df", 0), 0xf);
}

static uint64_t code_of(const struct machine *machine, const char *name)
{
	struct event_list list = { 0 };
	uint64_t code;

	ck_assert_msg(!events_parse(&list, name, machine), "%s", name);
	ck_assert_uint_eq(list.count, 1);
	ck_assert(list.events[0].needs_counter);
	code = list.events[0].code;
	events_free(&list);
	return code;
}

/*
 * AMD's manual for family 17h model 31h (PPR) calls these events L3Event[...]. The codes here do
 * not contain the masks that select threads and slices.
 */
TEST(events_of_the_l3_are_those_of_the_manual)
{
	const struct machine machine = l3();

	ck_assert_uint_eq(code_of(&machine, "l3-lookups"), 0xff04);
	ck_assert_uint_eq(code_of(&machine, "l3-misses"), 0x0104);
	ck_assert_uint_eq(code_of(&machine, "l3-fill-latency"), 0x0090);
	ck_assert_uint_eq(code_of(&machine, "l3_lookup_state.all_l3_req_typs"), 0xff04);
	ck_assert_uint_eq(code_of(&machine, "amd_l3::l3-misses"), 0x0104);
}

/*
 * A raw code is the value of a PMC. Bits 7 to 0 of the event are in bits 7 to 0 of the PMC, and
 * bits 11 to 8 of the event are in bits 35 to 32 of the PMC.
 */
TEST(events_of_the_data_fabric_are_those_of_the_manual)
{
	static const unsigned int links[] = { 0x7c7, 0x807, 0x847, 0x887 };
	const struct machine machine = df();
	char name[48];

	for (unsigned int n = 0; n < 8; n++) {
		uint64_t event = 0x07 + 0x40 * n;

		snprintf(name, sizeof(name), "dram-channel-%u", n);
		ck_assert_uint_eq(code_of(&machine, name),
				  (event & 0xff) | (event >> 8) << 32 | 0x3800);
	}
	for (unsigned int n = 0; n < 4; n++) {
		snprintf(name, sizeof(name), "remote_outbound_data_controller_%u", n);
		ck_assert_uint_eq(code_of(&machine, name),
				  (links[n] & 0xff) | (uint64_t)(links[n] >> 8) << 32 |
					  0x200);
	}
}

TEST(a_code_may_be_given)
{
	const struct machine cache = l3(), fabric = df();

	ck_assert_uint_eq(code_of(&cache, "r104"), 0x104);
	ck_assert_uint_eq(code_of(&cache, "amd_l3::rff0f000000000104"),
			  0xff0f000000000104ull);
	ck_assert_uint_eq(code_of(&fabric, "r7000002c7"), 0x7000002c7ull);
	must_be_refused(&cache, "r400104",
			"bit 22 does not belong to the codes of PMU amd_l3");
	must_be_refused(&fabric, "r8000000000000000", "is too large");
}

TEST(events_of_another_pmu_are_refused)
{
	const struct machine cache = l3(), fabric = df();

	must_be_refused(&fabric, "l3-misses",
			"belongs to PMU amd_l3: give --pmu amd_l3, and -a or -C");
	must_be_refused(&cache, "amd_df::r3807", "belongs to PMU amd_df");
	must_be_refused(&cache, "l3-mises", "did you mean 'l3-misses'");
	must_be_refused(&cache, "amd_l3::l3-mises", "did you mean 'l3-misses'");
	must_be_refused(&cache, "cycles", "unknown event 'cycles'");
	must_be_refused(&cache, "l3-misses:u", "cannot be counted at one level only");
}

/* A PMC contains only the code of its own event, so any six events can be counted together. */
TEST(each_counter_can_count_each_event)
{
	const struct machine machine = l3();
	struct pmc_bits bits[MAX_PMCS_PER_EVENT];
	struct event_list list = { 0 };
	unsigned int taken = 0;

	ck_assert_int_eq(events_parse(&list, "r104,rff04,rfe04,r90,r3f9a,r104", &machine),
			 0);
	ck_assert_int_eq(events_assign(&list, &machine, false), 0);
	for (size_t i = 0; i < list.count; i++) {
		const struct event *event = &list.events[i];

		ck_assert_uint_eq(event->pmd_count, 1);
		taken |= 1u << event->pmds[0];
		ck_assert_uint_eq(event_encode(machine.pmu, event, event->pmds[0], bits),
				  1);
		ck_assert_uint_eq(bits[0].pmc, event->pmds[0]);
		ck_assert_uint_eq(bits[0].value, event->code);
	}
	ck_assert_uint_eq(taken, 0x3f);
	events_free(&list);
}
