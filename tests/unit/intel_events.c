// SPDX-License-Identifier: GPL-2.0-only
/* Tests that pfmon knows which counters of Intel's processors can count which events. */
#include <perfmon/perfmon.h>
#include <perfmon/perfmon_intel.h>

#include "../../tools/pfmon/event/constraints.h"
#include "suites.h"

SUITE(intel_events, 120);

#define COUNT(array)   (sizeof(array) / sizeof((array)[0]))

#define FIXED(n)       (1u << (PFM_INTEL_FIXED + (n)))
#define FOUR	       0xfu
#define EIGHT	       0xffu
#define THREE_FIXED    (FIXED(0) | FIXED(1) | FIXED(2))
#define INSTRUCTIONS   0x00c0
#define CYCLES	       0x003c
#define REF_CYCLES     0x0300
#define SLOTS	       0x0400
#define BRANCHES       0x00c4

/* CPUID leaf 1, EAX: the high digit of the model is in bits 19 to 16. */
#define ID_OF_MODEL(n) (0x600u | ((n)&0xfu) << 4 | ((n) >> 4) << 16 | 1)

static struct machine make_machine(const struct pmu *pmu, uint64_t counters)
{
	struct machine machine = { .pmu = pmu };

	machine.info.available_pmds[0] = counters;
	machine.info.available_pmcs[0] = (counters & 0xffff) | 1ull << PFM_INTEL_FIXED;
	return machine;
}

static unsigned int choices(const struct pmu *pmu, uint64_t counters, uint64_t code)
{
	const struct machine machine = make_machine(pmu, counters);
	uint16_t pmds[PFM_MAX_HARDWARE];
	unsigned int count = pmu_counters(pmu, &machine.info, code, pmds);
	unsigned int set = 0;

	for (unsigned int i = 0; i < count; i++)
		set |= 1u << pmds[i];
	return set;
}

TEST(each_model_has_its_description)
{
	static const struct {
		unsigned int model;
		const struct pmu *pmu;
	} cases[] = {
		{ 0x0f, &pmu_intel_core2 },
		{ 0x1e, &pmu_intel_nehalem },
		{ 0x2c, &pmu_intel_westmere },
		{ 0x2a, &pmu_intel_sandybridge },
		{ 0x3a, &pmu_intel_ivybridge },
		{ 0x3c, &pmu_intel_haswell },
		{ 0x4f, &pmu_intel_broadwell },
		{ 0x55, &pmu_intel_skylake },
		{ 0x6a, &pmu_intel_icelake },
		{ 0x8f, &pmu_intel_sapphirerapids },
		{ 0x1c, &pmu_intel }, /* Bonnell: all general counters are alike */
		{ 100, &pmu_intel }, /* the tests' guests */
		{ 0, &pmu_intel },
	};

	for (size_t i = 0; i < COUNT(cases); i++)
		ck_assert_msg(pmu_find("intel", ID_OF_MODEL(cases[i].model)) ==
				      cases[i].pmu,
			      "model 0x%x", cases[i].model);
	/* A processor with the model number of Core 2, but of another family. */
	ck_assert_ptr_eq(pmu_find("intel", 0xff1), &pmu_intel);
}

/*
 * For each event, the counters that can count it, from Intel's event lists. The PMU has eight
 * general and four fixed counters.
 */
static const struct {
	const struct pmu *pmu;
	uint64_t code;
	unsigned int counters;
} lists[] = {
	{ &pmu_intel, 0x01d1, EIGHT },
	{ &pmu_intel, INSTRUCTIONS, EIGHT | FIXED(0) },
	{ &pmu_intel, CYCLES, EIGHT | FIXED(1) },
	{ &pmu_intel, REF_CYCLES, FIXED(2) },
	{ &pmu_intel, SLOTS, FIXED(3) },
	/* Fixed counters cannot count events with a threshold or the edge bit. */
	{ &pmu_intel, INSTRUCTIONS | 1ull << 24, EIGHT },
	{ &pmu_intel, CYCLES | PFM_INTEL_PMC_EDGE, EIGHT },
	{ &pmu_intel, INSTRUCTIONS | PFM_INTEL_PMC_INVERT | 1ull << 24, EIGHT },
	{ &pmu_intel_core2, 0x0010, 1 },
	{ &pmu_intel_core2, 0x0011, 2 },
	{ &pmu_intel_core2, 0x01cb, 1 },
	{ &pmu_intel_core2, INSTRUCTIONS, EIGHT | FIXED(0) },
	{ &pmu_intel_nehalem, 0x0f40, 3 },
	{ &pmu_intel_nehalem, 0x0143, 3 },
	{ &pmu_intel_nehalem, 0x0144, EIGHT },
	{ &pmu_intel_nehalem, 0x0151, 3 },
	{ &pmu_intel_westmere, 0x0143, EIGHT },
	{ &pmu_intel_westmere, 0x0160, 1 },
	{ &pmu_intel_westmere, 0x01b3, 1 },
	{ &pmu_intel_sandybridge, 0x0148, 4 },
	{ &pmu_intel_sandybridge, 0x02a3, 4 },
	{ &pmu_intel_sandybridge, 0x05a3, FOUR },
	{ &pmu_intel_sandybridge, 0x01c0, 2 },
	{ &pmu_intel_sandybridge, 0x01cd, 8 },
	{ &pmu_intel_sandybridge, 0x81d0, FOUR },
	{ &pmu_intel_sandybridge, 0x01d4, EIGHT },
	{ &pmu_intel_ivybridge, 0x0148, 4 },
	{ &pmu_intel_ivybridge, 0x0248, EIGHT },
	{ &pmu_intel_ivybridge, 0x019c, FOUR },
	{ &pmu_intel_ivybridge, 0x0ca3 | 12ull << 24, 4 },
	{ &pmu_intel_haswell, 0x0148, 4 },
	{ &pmu_intel_haswell, 0x08a3 | 8ull << 24, 4 },
	{ &pmu_intel_haswell, 0x05a3, EIGHT },
	{ &pmu_intel_haswell, 0x01cd, 8 },
	{ &pmu_intel_haswell, 0x04d3, FOUR },
	{ &pmu_intel_broadwell, 0x08a3, 4 },
	{ &pmu_intel_broadwell, 0x0ca3, 4 },
	{ &pmu_intel_broadwell, 0x04a3, EIGHT },
	{ &pmu_intel_broadwell, 0x01cd, FOUR },
	{ &pmu_intel_broadwell, 0x01c0, EIGHT },
	{ &pmu_intel_skylake, 0x01c0, 2 },
	{ &pmu_intel_skylake, 0x01c6, FOUR },
	{ &pmu_intel_skylake, 0x81d0, FOUR },
	{ &pmu_intel_skylake, 0x01d3, EIGHT },
	{ &pmu_intel_skylake, 0x0148, EIGHT },
	{ &pmu_intel_icelake, 0x01c0, FIXED(0) },
	{ &pmu_intel_icelake, 0x0100, FIXED(0) },
	{ &pmu_intel_icelake, 0x0203, FOUR },
	{ &pmu_intel_icelake, 0x010a, FOUR },
	{ &pmu_intel_icelake, 0x010b, EIGHT },
	{ &pmu_intel_icelake, 0x2424, FOUR },
	{ &pmu_intel_icelake, 0x4f2e, EIGHT },
	{ &pmu_intel_icelake, 0x0151, FOUR },
	{ &pmu_intel_icelake, 0x0155, EIGHT },
	{ &pmu_intel_icelake, 0x04a3 | 4ull << 24, EIGHT },
	{ &pmu_intel_icelake, 0x08a3 | 8ull << 24, FOUR },
	{ &pmu_intel_icelake, BRANCHES, EIGHT },
	{ &pmu_intel_icelake, 0x81d0, FOUR },
	{ &pmu_intel_icelake, 0x01a4, EIGHT },
	{ &pmu_intel_icelake, SLOTS, FIXED(3) },
	{ &pmu_intel_sapphirerapids, 0x0100, FIXED(0) },
	{ &pmu_intel_sapphirerapids, 0x412e, EIGHT },
	{ &pmu_intel_sapphirerapids, 0x013c, EIGHT },
	{ &pmu_intel_sapphirerapids, CYCLES, EIGHT | FIXED(1) },
	{ &pmu_intel_sapphirerapids, 0x0124, FOUR },
	{ &pmu_intel_sapphirerapids, 0x018f, FOUR },
	{ &pmu_intel_sapphirerapids, 0x0190, EIGHT },
	{ &pmu_intel_sapphirerapids, 0x04a4, 1 },
	{ &pmu_intel_sapphirerapids, 0x02a4, EIGHT },
	{ &pmu_intel_sapphirerapids, 0x02cd, 1 },
	{ &pmu_intel_sapphirerapids, 0x01cd, EIGHT },
	{ &pmu_intel_sapphirerapids, 0x01dc, FOUR },
};

TEST(each_model_has_the_counters_of_its_event_list)
{
	const uint64_t all = EIGHT | THREE_FIXED | FIXED(3);

	for (size_t i = 0; i < COUNT(lists); i++)
		ck_assert_msg(
			choices(lists[i].pmu, all, lists[i].code) == lists[i].counters,
			"row %zu, event 0x%llx: counter mask 0x%x, not 0x%x", i,
			(unsigned long long)lists[i].code,
			choices(lists[i].pmu, all, lists[i].code), lists[i].counters);
}

#define MOST 8

static struct event events[MOST];
static struct verdict verdicts[MOST];

/*
 * Assigns counters to the events @codes. @extras has the value of each event's second register.
 * @extras is NULL if no event has a second register.
 */
static void assign_refined(const struct pmu *pmu, uint64_t counters,
			   const uint64_t *codes, const uint64_t *extras, size_t count)
{
	const struct machine machine = make_machine(pmu, counters);
	const struct event *pointers[MOST];

	for (size_t i = 0; i < count; i++) {
		events[i] = (struct event){ .code = codes[i],
					    .extra = extras ? extras[i] : 0,
					    .modes = MODE_BOTH };
		pointers[i] = &events[i];
	}
	ck_assert_int_eq(constraints_assign(pointers, count, &machine, verdicts), 0);
}

static void assign(const struct pmu *pmu, uint64_t counters, const uint64_t *codes,
		   size_t count)
{
	assign_refined(pmu, counters, codes, NULL, count);
}

/*
 * pfmon stat prints a comment for each top-down event, such as "25 % retiring". pfmon offers the
 * event only on models for which pfmon stat can compute this comment.
 */
TEST(topdown_events_are_those_of_the_model)
{
	static const struct {
		const struct pmu *pmu;
		const char *name;
		uint64_t code;
		enum event_role role;
	} cases[] = {
		{ &pmu_intel_sandybridge, "topdown-slots-issued", 0x010e,
		  ROLE_SLOTS_ISSUED },
		{ &pmu_intel_haswell, "topdown-slots-retired", 0x02c2,
		  ROLE_SLOTS_RETIRED },
		{ &pmu_intel_ivybridge, "topdown-fetch-bubbles", 0x019c,
		  ROLE_SLOTS_UNFILLED },
		{ &pmu_intel_broadwell, "topdown-recovery-bubbles", 0x0100030d,
		  ROLE_RECOVERY },
		{ &pmu_intel_skylake, "topdown-recovery-bubbles", 0x010d, ROLE_RECOVERY },
		{ &pmu_intel_icelake, "topdown-total-slots", 0x01a4, ROLE_SLOTS },
		{ &pmu_intel_sapphirerapids, "topdown-backend-bubbles", 0x02a4,
		  ROLE_SLOTS_STALLED },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct common_event *event =
			pmu_common(cases[i].pmu, cases[i].name);

		ck_assert_msg(event != NULL, "no %s", cases[i].name);
		ck_assert_uint_eq(event->codes[0], cases[i].code);
		ck_assert_int_eq(event->role, cases[i].role);
	}
	ck_assert_ptr_null(pmu_common(&pmu_intel, "topdown-slots-retired"));
	ck_assert_ptr_null(pmu_common(&pmu_intel_westmere, "topdown-slots-retired"));
	ck_assert_ptr_null(pmu_common(&pmu_intel_skylake, "topdown-total-slots"));
	ck_assert_ptr_null(pmu_common(&pmu_intel_icelake, "topdown-slots-issued"));
	ck_assert_uint_eq(pmu_intel_skylake.slots_per_cycle, 4);
	ck_assert_uint_eq(pmu_intel_icelake.slots_per_cycle, 0);
}

/* With hyper-threading, models up to Skylake have only four general counters. */
TEST(topdown_events_fit_on_four_general_counters)
{
	static const struct pmu *const models[] = {
		&pmu_intel_sandybridge, &pmu_intel_ivybridge, &pmu_intel_haswell,
		&pmu_intel_broadwell,	&pmu_intel_skylake,   &pmu_intel_icelake,
	};

	for (size_t i = 0; i < COUNT(models); i++) {
		uint64_t codes[MOST] = { CYCLES };
		size_t count = 1;

		for (size_t j = 0; j < models[i]->common_count; j++)
			if (models[i]->common[j].role >= ROLE_SLOTS)
				codes[count++] = models[i]->common[j].codes[0];
		ck_assert_uint_eq(count, 5);
		assign(models[i], FOUR | THREE_FIXED, codes, count);
		for (size_t j = 0; j < count; j++)
			ck_assert_int_ne(verdicts[j].pmd, NO_COUNTER);
	}
}

TEST(counters_are_written_as_ranges)
{
	static const struct {
		uint64_t counters;
		uint64_t code;
		const char *text;
	} cases[] = {
		{ EIGHT | THREE_FIXED, INSTRUCTIONS, "0-7,16" },
		{ EIGHT | THREE_FIXED, 0x0148, "2" },
		{ EIGHT | THREE_FIXED, 0x81d0, "0-3" },
		{ EIGHT | THREE_FIXED, REF_CYCLES, "18" },
		{ EIGHT | THREE_FIXED, SLOTS, "-" },
		{ 0x8005, BRANCHES, "0,2,15" },
		{ 0xffff | FIXED(0), INSTRUCTIONS, "0-16" },
		{ 0, INSTRUCTIONS, "-" },
	};
	char text[PMU_COUNTERS_TEXT];

	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct machine machine =
			make_machine(&pmu_intel_haswell, cases[i].counters);

		pmu_counters_text(machine.pmu, &machine.info, cases[i].code, text);
		ck_assert_str_eq(text, cases[i].text);
	}
}

TEST(a_fixed_counter_is_preferred)
{
	static const uint64_t codes[] = { CYCLES, INSTRUCTIONS };

	assign(&pmu_intel, FOUR | THREE_FIXED, codes, COUNT(codes));
	ck_assert_int_eq(verdicts[0].pmd, PFM_INTEL_FIXED + 1);
	ck_assert_int_eq(verdicts[1].pmd, PFM_INTEL_FIXED + 0);
}

/* Version 1 of Intel's architectural performance monitoring has no fixed counters. */
TEST(without_fixed_counters_general_counters_are_used)
{
	static const uint64_t codes[] = { CYCLES, INSTRUCTIONS, BRANCHES };

	assign(&pmu_intel, 3, codes, COUNT(codes));
	ck_assert_int_eq(verdicts[0].pmd, 0);
	ck_assert_int_eq(verdicts[1].pmd, 1);
	ck_assert_int_eq(verdicts[2].pmd, NO_COUNTER);
}

TEST(an_event_gets_a_general_counter_if_its_fixed_counter_is_held)
{
	static const uint64_t codes[] = { INSTRUCTIONS, INSTRUCTIONS, CYCLES, CYCLES };

	assign(&pmu_intel, 3 | THREE_FIXED, codes, COUNT(codes));
	ck_assert_int_eq(verdicts[0].pmd, PFM_INTEL_FIXED);
	ck_assert_int_lt(verdicts[1].pmd, 2);
	ck_assert_int_eq(verdicts[2].pmd, PFM_INTEL_FIXED + 1);
	ck_assert_int_lt(verdicts[3].pmd, 2);
	ck_assert_int_ne(verdicts[1].pmd, verdicts[3].pmd);
}

TEST(seven_events_fit_on_four_general_and_three_fixed_counters)
{
	static const uint64_t codes[] = { 0x412e,	BRANCHES, 0xc5,	     0x013c,
					  INSTRUCTIONS, CYCLES,	  REF_CYCLES };

	assign(&pmu_intel, FOUR | THREE_FIXED, codes, COUNT(codes));
	for (size_t i = 0; i < COUNT(codes); i++)
		ck_assert_msg(verdicts[i].pmd != NO_COUNTER, "event %zu", i);
}

/* L1D_PEND_MISS.PENDING (0x0148) needs counter 2. Each other event can use any general counter. */
TEST(an_event_for_a_single_counter_gets_that_counter)
{
	static const uint64_t codes[] = { BRANCHES, 0xc5, 0x412e, 0x0148 };

	assign(&pmu_intel_haswell, FOUR | THREE_FIXED, codes, COUNT(codes));
	for (size_t i = 0; i < COUNT(codes); i++)
		ck_assert_int_ne(verdicts[i].pmd, NO_COUNTER);
	ck_assert_int_eq(verdicts[3].pmd, 2);
}

TEST(two_events_for_the_same_single_counter_do_not_fit)
{
	static const uint64_t codes[] = { 0x0148, 0x0ca3, BRANCHES };

	assign(&pmu_intel_haswell, FOUR | THREE_FIXED, codes, COUNT(codes));
	ck_assert_int_eq(verdicts[0].pmd, 2);
	ck_assert_int_eq(verdicts[1].pmd, NO_COUNTER);
	ck_assert_int_ne(verdicts[2].pmd, NO_COUNTER);
}

/*
 * One PMC selects the privilege levels of all fixed counters. Each fixed counter has its own bits
 * in this PMC.
 */
TEST(fixed_counters_count_at_different_levels)
{
	struct pmc_bits user[MAX_PMCS_PER_EVENT], kernel[MAX_PMCS_PER_EVENT];

	ck_assert_uint_eq(pmu_intel.encode(&pmu_intel, INSTRUCTIONS, MODE_USER,
					   PFM_INTEL_FIXED, user),
			  1);
	ck_assert_uint_eq(pmu_intel.encode(&pmu_intel, CYCLES, MODE_KERNEL,
					   PFM_INTEL_FIXED + 1, kernel),
			  1);
	ck_assert_uint_eq(user[0].pmc, PFM_INTEL_FIXED);
	ck_assert_uint_eq(user[0].value, 0x02);
	ck_assert_uint_eq(kernel[0].value, 0x10);
	ck_assert_uint_eq(user[0].mask & kernel[0].mask, 0);
}

/* ---- events that a second register refines -------------------------------------------------- */

TEST(the_second_register_is_that_of_the_models_event_list)
{
	static const struct {
		const struct pmu *pmu;
		uint64_t code;
		uint16_t pmc;
	} cases[] = {
		/* Westmere: two hyperthreads share this register, so perfmon does not offer it. */
		{ &pmu_intel_westmere, 0x01b7, 0 },
		{ &pmu_intel_sandybridge, 0x01b7, PFM_INTEL_OFFCORE_0 },
		{ &pmu_intel_broadwell, 0x01bb, PFM_INTEL_OFFCORE_1 },
		{ &pmu_intel_broadwell, 0x01c6, 0 },
		{ &pmu_intel_skylake, 0x01c6, PFM_INTEL_FRONTEND },
		{ &pmu_intel_skylake, 0x02b7, 0 },
		{ &pmu_intel_sandybridge, 0x01cd, PFM_INTEL_LOAD_LATENCY },
		{ &pmu_intel_skylake, 0x01cd, PFM_INTEL_LOAD_LATENCY },
		{ &pmu_intel_skylake, 0x02cd, 0 },
		{ &pmu_intel_icelake, 0x01cd, 0 },
		{ &pmu_intel_icelake, 0x01b7, PFM_INTEL_OFFCORE_0 },
		{ &pmu_intel_sapphirerapids, 0x01b7, 0 },
		{ &pmu_intel_sapphirerapids, 0x012a, PFM_INTEL_OFFCORE_0 },
		{ &pmu_intel_sapphirerapids, 0x012b, PFM_INTEL_OFFCORE_1 },
		{ &pmu_intel, 0x01b7, 0 },
	};

	for (size_t i = 0; i < COUNT(cases); i++)
		ck_assert_msg(pmu_extra_pmc(cases[i].pmu, cases[i].code) == cases[i].pmc,
			      "row %zu: the second register is PMC %u", i,
			      pmu_extra_pmc(cases[i].pmu, cases[i].code));
}

/*
 * In IA32_PEBS_ENABLE, bit n makes counter n precise. Bit 32 + n has the effect that the samples of
 * counter n contain the latency of the load (SDM).
 */
TEST(a_precise_load_asks_for_its_latency)
{
	struct pmc_bits bits[MAX_PMCS_PER_EVENT];
	const struct pmu *const pmu = &pmu_intel_skylake;

	ck_assert_uint_eq(pmu->encode(pmu, 0x01cd, MODE_USER | MODE_PRECISE, 2, bits), 2);
	ck_assert_uint_eq(bits[1].pmc, PFM_INTEL_PEBS);
	ck_assert_uint_eq(bits[1].value, 0x400000004);
	ck_assert_uint_eq(bits[1].mask, 0x400000004);
	ck_assert_uint_eq(pmu->encode(pmu, 0x00c0, MODE_USER | MODE_PRECISE, 2, bits), 2);
	ck_assert_uint_eq(bits[1].value, 0x4);
}

TEST(events_with_the_same_value_share_the_second_register)
{
	static const uint64_t codes[] = { 0x01b7, 0x01b7, 0x01bb, 0x01c6 };
	static const uint64_t extras[] = { 0x10001, 0x10001, 0x10002, 0x11 };

	assign_refined(&pmu_intel_skylake, FOUR | THREE_FIXED, codes, extras,
		       COUNT(codes));
	for (size_t i = 0; i < COUNT(codes); i++)
		ck_assert_int_ne(verdicts[i].pmd, NO_COUNTER);
}

TEST(events_with_different_values_do_not_share_the_second_register)
{
	static const uint64_t codes[] = { 0x01b7, 0x01b7, 0x01bb };
	static const uint64_t extras[] = { 0x10001, 0x10002, 0x10002 };

	assign_refined(&pmu_intel_skylake, FOUR | THREE_FIXED, codes, extras,
		       COUNT(codes));
	ck_assert_int_ne(verdicts[0].pmd, NO_COUNTER);
	ck_assert_int_eq(verdicts[1].pmd, NO_COUNTER);
	ck_assert_ptr_eq(verdicts[1].rival, &events[0]);
	ck_assert_uint_eq(verdicts[1].pmc, PFM_INTEL_OFFCORE_0);
	ck_assert_int_ne(verdicts[2].pmd, NO_COUNTER);
}

TEST(the_second_register_gets_the_value)
{
	const struct event event = { .code = 0x01bb,
				     .extra = 0x3f80010001,
				     .modes = MODE_USER };
	struct pmc_bits bits[MAX_PMCS_PER_EVENT];

	ck_assert_uint_eq(event_encode(&pmu_intel_haswell, &event, 2, bits), 2);
	ck_assert_uint_eq(bits[0].pmc, 2);
	ck_assert_uint_eq(bits[0].value, 0x101bb);
	ck_assert_uint_eq(bits[1].pmc, PFM_INTEL_OFFCORE_1);
	ck_assert_uint_eq(bits[1].value, event.extra);
}
