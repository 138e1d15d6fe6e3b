// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests event codes of POWER, and the register values that pfmon computes for them. The expected
 * values were computed by hand from the positions of the fields in the Power ISA and in the
 * kernel's isa207-common.h.
 */
#include <string.h>

#include "power.h"

SUITE(power_codes, 120);

/* The PMC bits that an event needs. Each element of bits[] that is not used has a mask of 0. */
struct encoding {
	const struct pmu *pmu;
	uint64_t code;
	unsigned int modes;
	uint16_t pmd;
	struct pmc_bits bits[MAX_PMCS_PER_EVENT];
};

static void check_encoding(const struct encoding *wanted)
{
	struct pmc_bits bits[MAX_PMCS_PER_EVENT];
	unsigned int count, expected = 0;

	count = wanted->pmu->encode(wanted->pmu, wanted->code, wanted->modes, wanted->pmd,
				    bits);
	while (expected < MAX_PMCS_PER_EVENT && wanted->bits[expected].mask)
		expected++;
	ck_assert_msg(count == expected, "r%llx on PMD %u needs %u PMCs, not %u",
		      (unsigned long long)wanted->code, wanted->pmd, count, expected);
	for (unsigned int i = 0; i < count; i++) {
		const struct pmc_bits *own = &wanted->bits[i];

		ck_assert_msg(bits[i].pmc == own->pmc && bits[i].value == own->value &&
				      bits[i].mask == own->mask,
			      "r%llx on PMD %u: PMC %u has value %#llx with mask %#llx; "
			      "expected: PMC %u, value %#llx, mask %#llx",
			      (unsigned long long)wanted->code, wanted->pmd, bits[i].pmc,
			      (unsigned long long)bits[i].value,
			      (unsigned long long)bits[i].mask, own->pmc,
			      (unsigned long long)own->value,
			      (unsigned long long)own->mask);
	}
}

static void check_encodings(const struct encoding *encodings, size_t count)
{
	for (size_t i = 0; i < count; i++)
		check_encoding(&encodings[i]);
}

TEST(POWER8_codes_become_register_fields)
{
	static const struct encoding encodings[] = {
		/* PM_LD_MISS_L1: unit 14, select 0x54 */
		{ &pmu_power8,
		  0x3e054,
		  MODE_USER,
		  3,
		  { { MMCR1, 0x00e0000000005400, 0x00f000020000ff00 },
		    { MMCRA, 0, 0x000003ff0007ff00 },
		    { MMCR2, 0x0000208000000000, 0x0000308000000000 } } },
		/* PM_BR_PRED_BR_CMPL: unit 4, combined, any counter */
		{ &pmu_power8,
		  0x489c,
		  MODE_BOTH,
		  1,
		  { { MMCR1, 0x400000089c000000, 0xf0000008ff000000 },
		    { MMCRA, 0, 0x000003ff0007ff00 },
		    { MMCR2, 0x0200000000000000, 0xc200000000000000 } } },
		/* PM_L1MISS_LAT_EXC_1024: marked, threshold select 1, start event 6, end event 7 */
		{ &pmu_power8,
		  0x67200301ea,
		  MODE_BOTH,
		  3,
		  { { MMCR1, 0x000000000000ea00, 0x00f000020000ff00 },
		    { MMCRA, 0x0000000000016701, 0x000003ff0007ff77 },
		    { MMCR2, 0x0000008000000000, 0x0000308000000000 } } },
		/* the same event with a threshold compare value of 0x155 */
		{ &pmu_power8,
		  0x15567200301ea,
		  MODE_BOTH,
		  3,
		  { { MMCR1, 0x000000000000ea00, 0x00f000020000ff00 },
		    { MMCRA, 0x0000015500016701, 0x000003ff0007ff77 },
		    { MMCR2, 0x0000008000000000, 0x0000308000000000 } } },
		/* PM_MRK_FAB_RSP_MATCH: its code has the response 0xa5 in place of a threshold */
		{ &pmu_power8,
		  0xa500030156,
		  MODE_BOTH,
		  3,
		  { { MMCR1, 0x00000a5000005600, 0x00f00ff20000ff00 },
		    { MMCRA, 0x0000000000000001, 0x0000000000000077 },
		    { MMCR2, 0x0000008000000000, 0x0000308000000000 } } },
		/* PM_ALL_CHIP_PUMP_CPRED: cache selector 6, qualifier 2 */
		{ &pmu_power8,
		  0x610050,
		  MODE_BOTH,
		  1,
		  { { MMCR1, 0x0000800050000000, 0xf000c008ff000000 },
		    { MMCRA, 0, 0x000003ff0007ff00 },
		    { MMCR2, 0x0200000000000000, 0xc200000000000000 } } },
	};

	check_encodings(encodings, COUNT(encodings));
}

TEST(POWER9_codes_become_register_fields)
{
	static const struct encoding encodings[] = {
		/* PM_LD_MISS_L1_FIN: unit 12, select 0x4e */
		{ &pmu_power9,
		  0x2c04e,
		  MODE_BOTH,
		  2,
		  { { MMCR1, 0x0c000000004e0000, 0x0f00c03000ff0000 },
		    { MMCR2, 0x0001000000000000, 0x0061000000000000 } } },
		/* PM_L2_ST_MISS: unit 6, combine 2; PMC4's fields in MMCR1 select the bank */
		{ &pmu_power9,
		  0x26880,
		  MODE_BOTH,
		  2,
		  { { MMCR1, 0x0606002000800080, 0x0f0f003000ff00ff },
		    { MMCR2, 0x0001000000000000, 0x0061000000000000 } } },
		/* mem-loads: marked, eligibility 5, threshold select 1, start event 3, end 4 */
		{ &pmu_power9,
		  0x34340401e0,
		  MODE_BOTH,
		  4,
		  { { MMCR1, 0x00000000000000e0, 0x000fc003000000ff },
		    { MMCRA, 0x0000000000013451, 0x007fec000007ff77 },
		    { MMCR2, 0x0000000040000000, 0x0000001840000000 } } },
		/* the same event with a threshold compare value of 0x155 */
		{ &pmu_power9,
		  0x15534340401e0,
		  MODE_BOTH,
		  4,
		  { { MMCR1, 0x00000000000000e0, 0x000fc003000000ff },
		    { MMCRA, 0x002aa00000013451, 0x007fec000007ff77 },
		    { MMCR2, 0x0000000040000000, 0x0000001840000000 } } },
		/* PM_LD_REF_L1 with SDAR mode 2 and cache selector 1 */
		{ &pmu_power9,
		  0x00080000001100fc,
		  MODE_BOTH,
		  1,
		  { { MMCR1, 0x00004000fc000000, 0xf000c0c0ff000000 },
		    { MMCRA, 0x0000080000000000, 0x00000c0000000000 },
		    { MMCR2, 0x0200000000000000, 0xc200000000000000 } } },
	};

	check_encodings(encodings, COUNT(encodings));
}

TEST(POWER10_codes_become_register_fields)
{
	static const struct encoding encodings[] = {
		/* PM_DATA_FROM_L3: unit 12, select 0x40, source 0x9a */
		{ &pmu_power10,
		  0x1340000001c040,
		  MODE_BOTH,
		  1,
		  { { MMCR1, 0xc000000040000000, 0xf000e0c0ff000000 },
		    { MMCR2, 0x0200000000000000, 0xc200000000000000 },
		    { MMCR3, 0x0134000000000000, 0xfffe000000000000 } } },
		/* PM_L2_DC_INV: unit 6, combine 2, select 0x80, L2 selector 1 */
		{ &pmu_power10,
		  0x10000026880,
		  MODE_BOTH,
		  2,
		  { { MMCR1, 0x0600002000800000, 0x0f00203000ff0000 },
		    { MMCR2, 0x0001000000000008, 0x00610000000000f8 },
		    { MMCR3, 0, 0x0001fffc00000000 } } },
		/* PM_BR_CMPL with radix scope: unit 13 */
		{ &pmu_power10,
		  0x4d25e,
		  MODE_KERNEL,
		  4,
		  { { MMCR1, 0x000d20000000005e, 0x000fe003000000ff },
		    { MMCR2, 0x0000000840000000, 0x0000001840000000 },
		    { MMCR3, 0, 0x000000000007fff0 } } },
		/* mem-loads: marked, eligibility 5, threshold select 1, start event 3, end 5 */
		{ &pmu_power10,
		  0x35340401e0,
		  MODE_BOTH,
		  4,
		  { { MMCR1, 0x00000000000000e0, 0x000fe003000000ff },
		    { MMCRA, 0x0000000000013551, 0x00ffec000007ff77 },
		    { MMCR2, 0x0000000040000000, 0x0000001840000000 },
		    { MMCR3, 0, 0x000000000007fff0 } } },
		/* the largest value of the field for the data source, on PMC3 */
		{ &pmu_power10,
		  0x0fffe0000003c040,
		  MODE_BOTH,
		  3,
		  { { MMCR1, 0x00c0000000004000, 0x00f0e00c0000ff00 },
		    { MMCR2, 0x0000008000000000, 0x0000308000000000 },
		    { MMCR3, 0x00000003fff80000, 0x00000003fff80000 } } },
	};

	check_encodings(encodings, COUNT(encodings));
}

TEST(instructions_and_cycles_have_counters_of_their_own)
{
	static const struct encoding encodings[] = {
		{ &pmu_power8,
		  0x1e,
		  MODE_USER,
		  6,
		  { { MMCR0, 0x100, 0x100 }, { MMCR2, 0x41000, 0x61000 } } },
		{ &pmu_power9,
		  0x02,
		  MODE_KERNEL,
		  5,
		  { { MMCR0, 0x100, 0x100 }, { MMCR2, 0x4200000, 0xc200000 } } },
		{ &pmu_power10,
		  0x600f4,
		  MODE_BOTH,
		  6,
		  { { MMCR0, 0x100, 0x100 }, { MMCR2, 0x1000, 0x61000 } } },
		/* the events that PMC5 and PMC6 count: PMC1 to PMC4 can count these events, too */
		{ &pmu_power9,
		  0x500fa,
		  MODE_BOTH,
		  4,
		  { { MMCR1, 0x02, 0x000fc003000000ff },
		    { MMCR2, 0x0000000040000000, 0x0000001840000000 } } },
		{ &pmu_power10,
		  0x600f4,
		  MODE_BOTH,
		  2,
		  { { MMCR1, 0x1e0000, 0x0f00e03000ff0000 },
		    { MMCR2, 0x0001000000000000, 0x0061000000000000 },
		    { MMCR3, 0, 0x0001fffc00000000 } } },
		/* PMC5 and PMC6 can each count only one event */
		{ &pmu_power8, 0x489c, MODE_BOTH, 5, { { 0 } } },
		{ &pmu_power8, 0x10068, MODE_BOTH, 6, { { 0 } } },
		{ &pmu_power9, 0x1e, MODE_BOTH, 5, { { 0 } } },
		{ &pmu_power10, 0x500fa, MODE_BOTH, 6, { { 0 } } },
		/* the time base cannot count events */
		{ &pmu_power9, 0x489c, MODE_BOTH, 7, { { 0 } } },
	};

	check_encodings(encodings, COUNT(encodings));
}

TEST(a_code_can_use_each_counter_that_has_its_event)
{
	static const struct {
		const struct pmu *pmu;
		uint64_t code;
		uint16_t pmds[6];
	} cases[] = {
		{ &pmu_power8, 0x1e, { 6, 1, 2, 3, 4 } },
		{ &pmu_power9, 0x02, { 5, 1, 2, 3, 4 } },
		{ &pmu_power10, 0x600f4, { 6, 1, 2, 3, 4 } },
		{ &pmu_power10, 0x500fa, { 5, 1, 2, 3, 4 } },
		/* the codes that libpfm4 has for PM_RUN_CYC and PM_INST_CMPL of POWER9 */
		{ &pmu_power9, 0x200f4, { 6, 2, 1, 3, 4 } },
		{ &pmu_power9, 0x10002, { 1, 2, 3, 4, 5 } },
		{ &pmu_power8, 0x489c, { 1, 2, 3, 4 } },
		{ &pmu_power9, 0x400f6, { 4 } },
		/*
		 * If a counter is missing from a row, the event has another code on that counter,
		 * or that counter cannot count the event.
		 */
		{ &pmu_power8, 0x3e054, { 3, 4 } },
		{ &pmu_power8, 0x400f0, { 4, 3 } },
		{ &pmu_power10, 0x3e054, { 3 } },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		uint16_t pmds[PFM_MAX_HARDWARE];
		unsigned int count, wanted = 0;
		struct machine machine;

		make_machine(&machine, cases[i].pmu);
		count = pmu_counters(machine.pmu, &machine.info, cases[i].code, pmds);
		while (wanted < 6 && cases[i].pmds[wanted])
			wanted++;
		ck_assert_msg(count == wanted, "r%llx can use %u counters, not %u",
			      (unsigned long long)cases[i].code, count, wanted);
		for (unsigned int j = 0; j < count; j++)
			ck_assert_msg(
				pmds[j] == cases[i].pmds[j],
				"r%llx: element %u of the list is PMD %u, not PMD %u",
				(unsigned long long)cases[i].code, j, pmds[j],
				cases[i].pmds[j]);
	}
}

TEST(the_processor_version_tells_the_model)
{
	ck_assert_ptr_eq(pmu_find("power", 0x004b0201), &pmu_power8);
	ck_assert_ptr_eq(pmu_find("power", 0x004c0100), &pmu_power8);
	ck_assert_ptr_eq(pmu_find("power", 0x004d0200), &pmu_power8);
	ck_assert_ptr_eq(pmu_find("power", 0x004e1202), &pmu_power9);
	ck_assert_ptr_eq(pmu_find("power", 0x00800200), &pmu_power10);
	ck_assert_ptr_eq(pmu_find("power", 0x00821200), &pmu_power10);
	/* POWER7, and a future processor */
	ck_assert_ptr_null(pmu_find("power", 0x003f0201));
	ck_assert_ptr_null(pmu_find("power", 0x00830100));
	ck_assert_ptr_eq(pmu_find("armv8", 0x004d0200), &pmu_armv8);
	ck_assert_ptr_null(pmu_find("none", 0x004d0200));
}

TEST(codes_that_cannot_be_encoded_are_refused)
{
	static const struct {
		const struct pmu *pmu;
		uint64_t code;
		const char *words; /* NULL if the event can be counted */
	} cases[] = {
		{ &pmu_power8, 0x80000000000489c, "POWER8" },
		{ &pmu_power8, 0x2f24a, "POWER8" }, /* bit 9 */
		{ &pmu_power8, 0x0004000000010068, "POWER8" }, /* SDAR mode */
		{ &pmu_power8, 0x01340000001c040, "POWER8" }, /* a code of POWER10 */
		{ &pmu_power9, 0x01340000001c040, "POWER9" },
		{ &pmu_power9, 0x4d25e, "POWER9" },
		{ &pmu_power9, 0x4100fc, "POWER9" }, /* cache selector 4 */
		{ &pmu_power10, 0x01340000001c040, NULL },
		{ &pmu_power8, 0x8000000000010068, "event-based branches" },
		{ &pmu_power10, 0x8000000000010068, "event-based branches" },
		{ &pmu_power9, 0x4000000000010068, "branch history" },
		{ &pmu_power9, 0x1000000000010068, "branch history" },
		{ &pmu_power8, 0x70068, "above PMC6" },
		{ &pmu_power10, 0xf0068, "above PMC6" },
		{ &pmu_power8, 0x500f4, "PMC5" },
		{ &pmu_power8, 0x600fa, "PMC6" },
		{ &pmu_power9, 0x501fa, "PMC5" },
		{ &pmu_power9, 0x500fa, NULL },
		{ &pmu_power10, 0x600f4, NULL },
		/*
		 * Events of the L2 and L3 caches: if a code has a cache selector, only a hypervisor
		 * can select the event (in MMCRC), so pfmon refuses the code. pfmon accepts codes
		 * that select a bank of the L3 cache.
		 */
		{ &pmu_power8, 0x617082, "hypervisor" },
		{ &pmu_power8, 0x817082, NULL },
		{ &pmu_power8, 0x17082, NULL },
		{ &pmu_power8, 0x610050, NULL },
		{ &pmu_power10, 0x100000100fc, "unit" },
		/* compare values with exponent 1: mantissa 0x1f is invalid, 0x20 is valid */
		{ &pmu_power8, 0x09f67200301ea, "threshold" },
		{ &pmu_power8, 0x0a067200301ea, NULL },
		{ &pmu_power9, 0x09f34340401e0, "threshold" },
		{ &pmu_power9, 0x0a034340401e0, NULL },
		{ &pmu_power9, 0x3f340401e0, "reserved" },
		{ &pmu_power10, 0xf5340401e0, "reserved" },
		{ &pmu_power9, 0x34140401e0, "threshold" }, /* threshold select 0 */
		/* sampling */
		{ &pmu_power9, 0x34340400e0, "marked" },
		{ &pmu_power9, 0x30401e0, "sampling mode" },
		{ &pmu_power9, 0xc0401e0, "sampling mode" },
		{ &pmu_power10, 0xc0401e0, NULL },
		{ &pmu_power10, 0x100401e0, "sampling mode" },
		{ &pmu_power9, 0x100401e0, NULL },
		{ &pmu_power10, 0x1e0401e0, "sampling mode" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		const char *reason = pmu_refusal(cases[i].pmu, cases[i].code);

		ck_assert_msg(!reason == !cases[i].words &&
				      (!reason || strstr(reason, cases[i].words)),
			      "r%llx: the reason is '%s', not '%s'",
			      (unsigned long long)cases[i].code, reason ? reason : "",
			      cases[i].words ? cases[i].words : "");
	}
}

static void check_common(const struct pmu *pmu, const char *name, uint64_t wanted)
{
	const struct common_event *event = pmu_common(pmu, name);
	uint64_t code;

	if (!wanted) {
		ck_assert_ptr_null(event);
		return;
	}
	ck_assert_ptr_nonnull(event);
	ck_assert(pmu_common_code(pmu, event, &code));
	ck_assert_msg(code == wanted, "%s has code r%llx, not r%llx", name,
		      (unsigned long long)code, (unsigned long long)wanted);
	ck_assert_ptr_null(pmu_refusal(pmu, code));
}

TEST(common_events_are_those_of_perf)
{
	static const struct {
		const char *name;
		uint64_t power8, power9, power10;
	} cases[] = {
		{ "cycles", 0x1e, 0x1e, 0x600f4 },
		{ "cpu-cycles", 0x1e, 0x1e, 0x600f4 },
		{ "instructions", 0x02, 0x02, 0x500fa },
		{ "branches", 0x10068, 0x4d05e, 0x2f04a },
		{ "branch-instructions", 0x10068, 0x4d05e, 0x2f04a },
		{ "branch-misses", 0x400f6, 0x400f6, 0x3e098 },
		{ "cache-references", 0x100ee, 0x100fc, 0x100fc },
		{ "cache-misses", 0x3e054, 0x2c04e, 0x400f0 },
		{ "stalled-cycles-frontend", 0x100f8, 0x100f8, 0 },
		{ "stalled-cycles-backend", 0x4000a, 0x1e054, 0 },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		check_common(&pmu_power8, cases[i].name, cases[i].power8);
		check_common(&pmu_power9, cases[i].name, cases[i].power9);
		check_common(&pmu_power10, cases[i].name, cases[i].power10);
	}
}
