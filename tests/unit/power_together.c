// SPDX-License-Identifier: GPL-2.0-only
/* Tests which events pfmon counts at the same time on POWER, and which counters they get. */
#include <stdbool.h>
#include <string.h>

#include "power.h"

SUITE(power_together, 120);

#define MAX_EVENTS 7

/* Events that are counted at user and kernel level, and the counters that they get. */
struct together {
	struct machine machine;
	struct event events[MAX_EVENTS];
	const struct event *pointers[MAX_EVENTS];
	struct verdict verdicts[MAX_EVENTS];
};

static void count_together(struct together *together, const struct pmu *pmu,
			   const uint64_t *codes, size_t count)
{
	memset(together, 0, sizeof(*together));
	make_machine(&together->machine, pmu);
	for (size_t i = 0; i < count; i++) {
		together->events[i].code = codes[i];
		together->events[i].modes = MODE_BOTH;
		together->pointers[i] = &together->events[i];
	}
	ck_assert_int_eq(constraints_assign(together->pointers, count, &together->machine,
					    together->verdicts),
			 0);
}

static void check_together(const struct pmu *pmu, const uint64_t *codes, const int *pmds,
			   size_t count)
{
	struct together together;

	count_together(&together, pmu, codes, count);
	for (size_t i = 0; i < count; i++)
		ck_assert_msg(together.verdicts[i].pmd == pmds[i],
			      "event %zu, r%llx, got PMD %d, not PMD %d", i,
			      (unsigned long long)codes[i], together.verdicts[i].pmd,
			      pmds[i]);
}

#define CHECK_TOGETHER(pmu, codes, pmds) check_together(pmu, codes, pmds, COUNT(codes))

TEST(six_events_have_six_counters)
{
	static const uint64_t codes[] = { 0x489c, 0x02, 0x10068, 0x1e, 0x1e, 0x400f6 };
	static const int pmds[] = { 2, 5, 1, 6, 3, 4 };

	CHECK_TOGETHER(&pmu_power8, codes, pmds);
}

TEST(instructions_and_cycles_leave_counters_to_events_without_a_choice)
{
	static const uint64_t codes[] = { 0x02, 0x500fa, 0x1e, 0x600f4, 0x10068, 0x20036 };
	struct together together;

	/* PMC5 and PMC6 count two of these events. The other four events need PMC1 to PMC4. */
	count_together(&together, &pmu_power9, codes, COUNT(codes));
	for (size_t i = 0; i < COUNT(codes); i++)
		ck_assert_int_ne(together.verdicts[i].pmd, NO_COUNTER);
	ck_assert_int_eq(together.verdicts[4].pmd, 1);
}

TEST(a_second_event_for_the_same_counter_gets_none)
{
	static const uint64_t codes[] = { 0x10068, 0x100ee, 0x02 };
	struct together together;

	count_together(&together, &pmu_power8, codes, COUNT(codes));
	ck_assert_int_eq(together.verdicts[0].pmd, 1);
	ck_assert_int_eq(together.verdicts[1].pmd, NO_COUNTER);
	ck_assert_ptr_null(together.verdicts[1].rival);
	ck_assert_int_eq(together.verdicts[2].pmd, 5);
}

TEST(events_that_need_different_bits_of_a_register_conflict)
{
	static const struct {
		const struct pmu *pmu;
		uint64_t first, second;
		uint16_t pmc;
	} cases[] = {
		/* thresholds */
		{ &pmu_power8, 0x67200301ea, 0x10068, MMCRA },
		{ &pmu_power8, 0x67200301ea, 0xde200401ec, MMCRA },
		{ &pmu_power9, 0x34340401e0, 0x35340301e0, MMCRA },
		{ &pmu_power10, 0x35340401e0, 0x35540301e0, MMCRA },
		/* eligibility for sampling */
		{ &pmu_power9, 0x40401e0, 0x80301e2, MMCRA },
		/* qualifiers of the L1 caches */
		{ &pmu_power8, 0x610050, 0x520050, MMCR1 },
		{ &pmu_power9, 0x1100fc, 0x400f6, MMCR1 },
		/* banks of the L2 and L3 caches */
		{ &pmu_power9, 0x160a0, 0x26880, MMCR1 },
		{ &pmu_power9, 0x160a0, 0x400f6, MMCR1 },
		{ &pmu_power10, 0x10000016080, 0x60000026880, MMCR2 },
		/* translations */
		{ &pmu_power10, 0x1c240, 0x400f0, MMCR1 },
		/* responses */
		{ &pmu_power8, 0xa500030156, 0x5a0004f152, MMCR1 },
	};
	struct together together;

	for (size_t i = 0; i < COUNT(cases); i++) {
		uint64_t codes[] = { 0x02, cases[i].first, cases[i].second, 0x1e };

		count_together(&together, cases[i].pmu, codes, COUNT(codes));
		ck_assert_msg(together.verdicts[1].pmd != NO_COUNTER &&
				      together.verdicts[2].pmd == NO_COUNTER,
			      "case %zu: the events got PMD %d and PMD %d", i,
			      together.verdicts[1].pmd, together.verdicts[2].pmd);
		ck_assert_ptr_eq(together.verdicts[2].rival, &together.events[1]);
		ck_assert_uint_eq(together.verdicts[2].pmc, cases[i].pmc);
		/* PMC5 and PMC6 count the first and the last event. */
		ck_assert_int_eq(together.verdicts[0].pmd, 5);
		ck_assert_int_eq(together.verdicts[3].pmd, 6);
	}
}

TEST(events_that_need_the_same_bits_share_a_register)
{
	static const uint64_t threshold[] = { 0x67200301ea, 0x67200101e8, 0x1e };
	static const int threshold_pmds[] = { 3, 1, 6 };
	static const uint64_t plain[] = { 0x34340401e0, 0x2c04e, 0x100fc };
	static const int plain_pmds[] = { 4, 2, 1 };
	static const uint64_t bank[] = { 0x160a0, 0x260a0, 0x360a0, 0x460a0 };
	static const int bank_pmds[] = { 1, 2, 3, 4 };

	CHECK_TOGETHER(&pmu_power8, threshold, threshold_pmds);
	CHECK_TOGETHER(&pmu_power9, plain, plain_pmds);
	CHECK_TOGETHER(&pmu_power9, bank, bank_pmds);
}

TEST(an_event_avoids_the_counter_that_selects_the_bank_of_another_event)
{
	static const uint64_t codes[] = { 0x40bc, 0x48bc, 0x160a0, 0x5080 };
	struct together together;

	count_together(&together, &pmu_power9, codes, COUNT(codes));
	ck_assert_int_eq(together.verdicts[0].pmd + together.verdicts[1].pmd, 2 + 3);
	ck_assert_int_eq(together.verdicts[2].pmd, 1);
	ck_assert_int_eq(together.verdicts[3].pmd, NO_COUNTER);
}

static bool clash(const struct pmu *pmu, uint64_t code, uint16_t pmd, uint64_t other,
		  uint16_t other_pmd)
{
	struct pmc_bits mine[MAX_PMCS_PER_EVENT], others[MAX_PMCS_PER_EVENT];
	unsigned int count = pmu->encode(pmu, code, MODE_BOTH, pmd, mine);
	unsigned int other_count = pmu->encode(pmu, other, MODE_BOTH, other_pmd, others);

	for (unsigned int i = 0; i < count; i++)
		for (unsigned int j = 0; j < other_count; j++)
			if (mine[i].pmc == others[j].pmc &&
			    (mine[i].value ^ others[j].value) & mine[i].mask &
				    others[j].mask)
				return true;
	return false;
}

/*
 * Returns whether all events from @next on can get counters. The events before @next keep their
 * counters.
 */
static bool can_all(const struct pmu *pmu, const uint64_t *codes, uint16_t *pmds,
		    size_t next, size_t count)
{
	struct pmc_bits bits[MAX_PMCS_PER_EVENT];

	if (next == count)
		return true;
	for (uint16_t pmd = 1; pmd <= 6; pmd++) {
		bool is_free = pmu->encode(pmu, codes[next], MODE_BOTH, pmd, bits) > 0;

		for (size_t i = 0; i < next && is_free; i++)
			is_free = pmds[i] != pmd &&
				  !clash(pmu, codes[next], pmd, codes[i], pmds[i]);
		pmds[next] = pmd;
		if (is_free && can_all(pmu, codes, pmds, next + 1, count))
			return true;
	}
	return false;
}

static void check_against_all(const struct pmu *pmu, const uint64_t *codes, size_t count)
{
	uint64_t placed[MAX_EVENTS];
	uint16_t pmds[MAX_EVENTS];
	struct together together;
	size_t placed_count = 0;

	count_together(&together, pmu, codes, count);
	for (size_t i = 0; i < count; i++) {
		int pmd = together.verdicts[i].pmd;
		bool can;

		placed[placed_count] = codes[i];
		can = can_all(pmu, placed, pmds, 0, placed_count + 1);
		ck_assert_msg(can == (pmd != NO_COUNTER),
			      "event %zu, r%llx: PMD %d is not what the search expects",
			      i, (unsigned long long)codes[i], pmd);
		placed_count += can;
		for (size_t j = 0; j < i && can; j++) {
			int other = together.verdicts[j].pmd;

			if (other == NO_COUNTER)
				continue;
			ck_assert_int_ne(pmd, other);
			ck_assert(!clash(pmu, codes[i], (uint16_t)pmd, codes[j],
					 (uint16_t)other));
		}
	}
}

TEST(as_many_compatible_events_as_possible_get_counters_earlier_ones_first)
{
	static const uint64_t power8[] = {
		0x02,	      0x1e,	0x489c,	  0x10068, 0x3e054, 0x67200301ea,
		0x67200101e8, 0x610050, 0x520050, 0x500fa, 0x600f4, 0x20036
	};
	static const uint64_t power9[] = { 0x02,    0x1e,     0x40bc,  0x160a0,
					   0x26880, 0x460a0,  0x36880, 0x400f6,
					   0x2c04e, 0x1040bc, 0x200f4, 0x10002 };
	uint64_t codes[MAX_EVENTS];
	uint32_t state = 1;

	for (int round = 0; round < 4000; round++) {
		bool is_power8 = round % 2;
		size_t count;

		state = state * 1664525 + 1013904223;
		count = 1 + (state >> 16) % MAX_EVENTS;
		for (size_t i = 0; i < count; i++) {
			state = state * 1664525 + 1013904223;
			codes[i] = (is_power8 ? power8 : power9)[(state >> 16) % 12];
		}
		check_against_all(is_power8 ? &pmu_power8 : &pmu_power9, codes, count);
	}
}
