// SPDX-License-Identifier: GPL-2.0-only
/*
 * POWER8, POWER9 and POWER10, perfmon_power.h.
 *
 * An event code has the layout of perf_event_attr.config. libpfm4's event tables use the same
 * layout. The fields of a code and their places in the registers are from
 * arch/powerpc/perf/isa207-common.c and power{8,9,10}-pmu.c. The registers are described in the
 * Power ISA, Book III, "Performance Monitor Facility", and in the processors' user manuals. POWER
 * calls its counters PMC1 to PMC6; PMCn is perfmon's PMD n. Shifts are counted from the least
 * significant bit.
 */
#include <perfmon/perfmon_power.h>

#include "common_events.h"

#define COUNT(array)	   (sizeof(array) / sizeof((array)[0]))

/* The counters PMC5 and PMC6 count one event each. */
#define RUN_INSTRUCTIONS   0x500fa
#define RUN_CYCLES	   0x600f4
/* With these codes, PMC1 to PMC4 count the same as PMC5 or PMC6, see SAME_INSTRUCTIONS. */
#define INSTRUCTIONS	   0x00002
#define CYCLES		   0x0001e
#define RUN_INSTRUCTIONS_4 0x400fa
#define RUN_CYCLES_2	   0x200f4

#define PMC_SHIFT	   16
#define PMC_MASK	   0xf0000ull
#define MARKED		   0x100ull
#define COMBINE_207	   0x800ull
#define RADIX_SCOPE_31	   0x200ull

#define UNIT_L2		   6 /* on POWER10, codes have a separate field for this unit's events */
#define UNIT_L3_LAST	   9 /* units 6 to 9 are the L2 and L3 caches */

#define EVENT_BASED	   (1ull << 63) /* event-based branches */
#define BRANCH_HISTORY	   (7ull << 60)

/* MMCRA */
#define SAMPLE_ENABLE	   1ull
#define SDAR_MODE_SHIFT	   42

/* The bits that an event code can have with each version of the Power ISA. */
#define VALID_207	   0x0003fffffffff9ffull
#define VALID_300	   0x000fffffff3ffdffull
#define VALID_31	   0x0fffffffffffffffull

enum architecture {
	ISA_207,
	ISA_300,
	ISA_31
};

#define MAX_SAME 8

/**
 * struct power_model - a processor
 * @architecture: the version of the Power ISA that defines its registers
 * @valid: the bits that its event codes can have
 * @invalid: the reason that is reported if a code has a bit that is not in @valid
 * @same: lists of codes. All codes in a list select the same event, but on different counters. If
 *	the user's code does not work on a PMD, pfmon takes the first code in the list that works
 *	on this PMD. A list with fewer than MAX_SAME codes ends with 0
 * @same_count: number of lists
 */
struct power_model {
	enum architecture architecture;
	uint64_t valid;
	const char *invalid;
	const uint32_t (*same)[MAX_SAME];
	size_t same_count;
};

/* The bits that an event needs in each of perfmon's PMCs: MMCR0 to MMCR3 and MMCRA. */
struct needs {
	uint64_t value[PFM_POWER_PMCS];
	uint64_t mask[PFM_POWER_PMCS];
};

static unsigned int field(uint64_t code, unsigned int shift, unsigned int width)
{
	return (unsigned int)(code >> shift & ((1ull << width) - 1));
}

static unsigned int pmc_of(uint64_t code)
{
	return field(code, PMC_SHIFT, 4);
}

static unsigned int unit_of(uint64_t code)
{
	return field(code, 12, 4);
}

static bool is_cache_unit(uint64_t code)
{
	return unit_of(code) >= UNIT_L2 && unit_of(code) <= UNIT_L3_LAST;
}

static void need(struct needs *needs, unsigned int pmc, unsigned int shift,
		 unsigned int width, uint64_t value)
{
	needs->value[pmc] |= value << shift;
	needs->mask[pmc] |= ((1ull << width) - 1) << shift;
}

/* Returns whether @code works on counter PMCn. */
static bool names_counter(uint64_t code, unsigned int n)
{
	return pmc_of(code) ? pmc_of(code) == n : n < PFM_POWER_PMC5;
}

static const uint32_t *same_event(const struct power_model *model, uint64_t code)
{
	for (size_t i = 0; i < model->same_count; i++)
		for (unsigned int j = 0; j < MAX_SAME; j++)
			if (code && model->same[i][j] == code)
				return model->same[i];
	return NULL;
}

/*
 * If @code does not work on counter PMCn, replace it by a code of the same event that works there.
 * Returns false if the event has no such code.
 */
static bool code_on(const struct power_model *model, uint64_t *code, unsigned int n)
{
	const uint32_t *same;

	if (names_counter(*code, n))
		return true;
	same = same_event(model, *code);
	for (unsigned int i = 0; same && i < MAX_SAME && same[i]; i++) {
		if (names_counter(same[i], n)) {
			*code = same[i];
			return true;
		}
	}
	return false;
}

/*
 * Add the bits of MMCR2 that stop PMCn at the levels that are not counted. The hypervisor belongs
 * neither to user level nor to kernel level, so it is never counted: FCH, the bit that stops PMCn
 * in hypervisor state, is always set here. On bare metal, the kernel runs in hypervisor state.
 * There perfmon_power ignores this value of FCH, and sets FCH to the value of FCS.
 */
static void need_modes(struct needs *needs, unsigned int modes, unsigned int n)
{
	uint64_t *value = &needs->value[PFM_POWER_MMCR2];

	needs->mask[PFM_POWER_MMCR2] |= PFM_POWER_MMCR2_FCS(n) | PFM_POWER_MMCR2_FCP(n) |
					PFM_POWER_MMCR2_FCH(n);
	*value |= PFM_POWER_MMCR2_FCH(n);
	if (!(modes & MODE_KERNEL))
		*value |= PFM_POWER_MMCR2_FCS(n);
	if (!(modes & MODE_USER))
		*value |= PFM_POWER_MMCR2_FCP(n);
}

static void need_selection(struct needs *needs, const struct power_model *model,
			   uint64_t code, unsigned int n)
{
	need(needs, PFM_POWER_MMCR1, PFM_POWER_MMCR1_UNIT_SHIFT(n), 4, unit_of(code));
	need(needs, PFM_POWER_MMCR1, PFM_POWER_MMCR1_SELECT_SHIFT(n), 8,
	     field(code, 0, 8));
	if (model->architecture == ISA_207)
		need(needs, PFM_POWER_MMCR1, 36 - n, 1, field(code, 11, 1));
	else
		need(needs, PFM_POWER_MMCR1, 40 - 2 * n, 2, field(code, 10, 2));
	if (model->architecture == ISA_31)
		need(needs, PFM_POWER_MMCR3, 64 - 15 * n, 15, field(code, 45, 15));
}

/*
 * Add the fields that select three kinds of events: L1 events, translations, and events of the L2
 * and L3 caches. The registers have only one field for each kind, and all counters share these
 * fields. On POWER9, the L2 and L3 events form banks. Each bank has one event for each of the
 * counters PMC1 to PMC4. PMC4's fields in MMCR1 select the bank for all four counters.
 */
static void need_caches(struct needs *needs, const struct power_model *model,
			uint64_t code)
{
	bool is_cache = is_cache_unit(code);

	if (model->architecture == ISA_31)
		need(needs, PFM_POWER_MMCR1, 45, 1, field(code, 9, 1));
	if (model->architecture == ISA_31 && unit_of(code) == UNIT_L2)
		need(needs, PFM_POWER_MMCR2, 3, 5, field(code, 40, 5));
	if (model->architecture == ISA_300 && is_cache) {
		need(needs, PFM_POWER_MMCR1, PFM_POWER_MMCR1_UNIT_SHIFT(4), 4,
		     unit_of(code));
		need(needs, PFM_POWER_MMCR1, PFM_POWER_MMCR1_SELECT_SHIFT(4), 8,
		     field(code, 0, 8));
	}
	if (is_cache)
		return;
	/* On POWER8, bit 22 of @code is set for L1 events. */
	if (model->architecture != ISA_207 || field(code, 22, 1))
		need(needs, PFM_POWER_MMCR1, 46, 2, field(code, 20, 2));
}

static unsigned int sdar_mode(const struct power_model *model, uint64_t code)
{
	switch (model->architecture) {
	case ISA_300:
		return field(code, 50, 2);
	case ISA_31:
		return field(code, 22, 2);
	default:
		return 0;
	}
}

/*
 * Add the sampling fields of MMCRA. A marked event is caused by an instruction that the processor
 * has selected for sampling. The SDAR mode (the source of a sample's address) does not affect
 * counting. So if an event is not marked, and its code does not set the SDAR mode, the event works
 * with every SDAR mode.
 */
static void need_sampling(struct needs *needs, const struct power_model *model,
			  uint64_t code)
{
	if (code & MARKED) {
		need(needs, PFM_POWER_MMCRA, 0, 1, SAMPLE_ENABLE);
		need(needs, PFM_POWER_MMCRA, 1, 2, field(code, 24, 2));
		need(needs, PFM_POWER_MMCRA, 4, 3, field(code, 26, 3));
		if (model->architecture != ISA_207)
			need(needs, PFM_POWER_MMCRA, SDAR_MODE_SHIFT, 2, 0);
	} else if (sdar_mode(model, code)) {
		need(needs, PFM_POWER_MMCRA, SDAR_MODE_SHIFT, 2, sdar_mode(model, code));
	}
}

/*
 * Returns whether @code is PM_MRK_FAB_RSP_MATCH or PM_MRK_FAB_RSP_MATCH_CYC. Bit 0 (count edges)
 * and bit 8 (marked event) of @code do not matter.
 */
static bool matches_response(const struct power_model *model, uint64_t code)
{
	code &= 0xff0fe;
	return model->architecture == ISA_207 && (code == 0x30056 || code == 0x4f052);
}

/*
 * There is one threshold for all counters. On POWER8, an event that does not use the threshold
 * needs it to be off. PM_MRK_FAB_RSP_MATCH and PM_MRK_FAB_RSP_MATCH_CYC match a certain response of
 * the fabric; their codes contain this response in place of a threshold.
 */
static void need_threshold(struct needs *needs, const struct power_model *model,
			   uint64_t code)
{
	unsigned int select = field(code, 29, 3), control = field(code, 32, 8);

	if (matches_response(model, code)) {
		need(needs, PFM_POWER_MMCR1, 36, 8, control);
		return;
	}
	if (model->architecture != ISA_207 && !select)
		return;
	need(needs, PFM_POWER_MMCRA, 8, 8, control);
	need(needs, PFM_POWER_MMCRA, 16, 3, select);
	switch (model->architecture) {
	case ISA_207:
		need(needs, PFM_POWER_MMCRA, 32, 10, field(code, 40, 10));
		break;
	case ISA_300:
		need(needs, PFM_POWER_MMCRA, 45, 10, field(code, 40, 10));
		break;
	case ISA_31: /* event codes have no field for the compare value */
		need(needs, PFM_POWER_MMCRA, 45, 11, 0);
		break;
	}
}

static unsigned int encode(const struct pmu *pmu, uint64_t code, unsigned int modes,
			   uint16_t pmd, struct pmc_bits bits[MAX_PMCS_PER_EVENT])
{
	const struct power_model *model = pmu->model;
	struct needs needs = { 0 };
	unsigned int count = 0;

	if (!code_on(model, &code, pmd))
		return 0;
	need_modes(&needs, modes, pmd);
	if (pmd < PFM_POWER_PMC5) {
		need_selection(&needs, model, code, pmd);
		need_caches(&needs, model, code);
		need_sampling(&needs, model, code);
		need_threshold(&needs, model, code);
	} else {
		/*
		 * Let PMC5 and PMC6 also count while the run latch is off, as PMC1 to PMC4 do.
		 */
		needs.value[PFM_POWER_MMCR0] |= PFM_POWER_MMCR0_CC56RUN;
		needs.mask[PFM_POWER_MMCR0] |= PFM_POWER_MMCR0_CC56RUN;
	}
	for (uint16_t pmc = 0; pmc < PFM_POWER_PMCS; pmc++)
		if (needs.mask[pmc])
			bits[count++] = (struct pmc_bits){ .pmc = pmc,
							   .value = needs.value[pmc],
							   .mask = needs.mask[pmc] };
	return count;
}

/*
 * Returns whether the compare value in @code is invalid: its exponent is not 0, but the upper two
 * bits of its mantissa are 0.
 */
static bool is_bad_compare(uint64_t code)
{
	return field(code, 47, 3) && !field(code, 45, 2);
}

/*
 * Returns whether the sampling mode in @code is reserved. On POWER8, no mode is reserved. On
 * POWER9 and POWER10, the modes in reserved[] and all modes whose lower two bits are 3 are
 * reserved. In addition, mode 0x0c is reserved on POWER9, and mode 0x10 on POWER10.
 */
static bool is_bad_sampling(const struct power_model *model, uint64_t code)
{
	static const uint8_t reserved[] = { 0x05, 0x09, 0x0d, 0x19, 0x1d, 0x1a, 0x1e };
	unsigned int sampling = field(code, 24, 5);

	if (model->architecture == ISA_207)
		return false;
	for (size_t i = 0; i < sizeof(reserved); i++)
		if (sampling == reserved[i])
			return true;
	return (sampling & 3) == 3 ||
	       sampling == (model->architecture == ISA_300 ? 0x0c : 0x10);
}

static const char *threshold_refusal(const struct power_model *model, uint64_t code)
{
	if (model->architecture == ISA_207) {
		if (!matches_response(model, code) && is_bad_compare(code))
			return "the compare value of its threshold is invalid";
		return NULL;
	}
	if (field(code, 32, 4) == 0xf || field(code, 36, 4) == 0xf)
		return "the start or end of its threshold is reserved";
	if (!field(code, 29, 3)) {
		if (field(code, 32, model->architecture == ISA_300 ? 18 : 8))
			return "it has a threshold but does not select what is compared";
		return NULL;
	}
	if (model->architecture == ISA_300 && is_bad_compare(code))
		return "the compare value of its threshold is invalid";
	return NULL;
}

static const char *cache_refusal(const struct power_model *model, uint64_t code)
{
	if (model->architecture == ISA_207 && is_cache_unit(code) && field(code, 20, 3))
		return "only a hypervisor can select this event of the L2 and L3 caches";
	if (model->architecture == ISA_31 && unit_of(code) != UNIT_L2 &&
	    field(code, 40, 5))
		return "it selects an event of the L2 cache but names another unit";
	return NULL;
}

static const char *refusal(const struct pmu *pmu, uint64_t code)
{
	const struct power_model *model = pmu->model;
	const char *reason;

	if (code & EVENT_BASED)
		return "pfmon does not support event-based branches (bit 63)";
	if (code & BRANCH_HISTORY)
		return "pfmon does not use the branch history buffer (bits 60 to 62)";
	if (code & ~model->valid)
		return model->invalid;
	if (pmc_of(code) > PFM_POWER_PMC6)
		return "there is no counter above PMC6 (bits 16 to 19)";
	if (pmc_of(code) == 5 && code != RUN_INSTRUCTIONS)
		return "PMC5 counts no other event than r500fa";
	if (pmc_of(code) == 6 && code != RUN_CYCLES)
		return "PMC6 counts no other event than r600f4";
	if (pmc_of(code) >= PFM_POWER_PMC5)
		return NULL;
	if (!(code & MARKED) && field(code, 24, 5))
		return "it has a sampling mode but is not a marked event (bit 8)";
	if (is_bad_sampling(model, code))
		return "its sampling mode is reserved";
	reason = cache_refusal(model, code);
	return reason ? reason : threshold_refusal(model, code);
}

/*
 * For instructions and cycles, PMC5 and PMC6 are preferred, so that the other counters stay
 * available. For any other event, the counter whose number is in the event's code is preferred.
 */
#define RULE_PMC(n)                                                                      \
	{                                                                                \
		.code = (n) << PMC_SHIFT, .mask = PMC_MASK, .first = (n), .last = (n)    \
	}

#define RULE_EVENT(event, n)                                                             \
	{                                                                                \
		.code = (event), .mask = ~0ull, .first = (n), .last = (n)                \
	}

static const struct counter_rule rules[] = {
	RULE_EVENT(INSTRUCTIONS, 5),
	RULE_EVENT(RUN_INSTRUCTIONS_4, 5),
	RULE_EVENT(CYCLES, 6),
	RULE_EVENT(RUN_CYCLES_2, 6),
	RULE_PMC(1),
	RULE_PMC(2),
	RULE_PMC(3),
	RULE_PMC(4),
	RULE_PMC(5),
	RULE_PMC(6),
	{ .first = PFM_POWER_PMC1, .last = PFM_POWER_PMC6 },
};

/*
 * PM_RUN_INST_CMPL and PM_RUN_CYC count only while the run latch is on. Linux sets the latch in all
 * threads except idle threads. So for a thread, PM_RUN_INST_CMPL counts the same as PM_INST_CMPL,
 * and PM_RUN_CYC the same as PM_CYC; perf assumes this, too. The Power ISA defines one more code
 * for each of these events: 0x100fe for PM_INST_CMPL, 0x400fa for PM_RUN_INST_CMPL, 0x100f0 for
 * PM_CYC and 0x200f4 for PM_RUN_CYC. Each of these codes works on one counter only.
 */
#define SAME_INSTRUCTIONS                                                                \
	{                                                                                \
		RUN_INSTRUCTIONS, INSTRUCTIONS, RUN_INSTRUCTIONS_4, 0x100fe, 0x10002,    \
			0x20002, 0x30002, 0x40002                                        \
	}
#define SAME_CYCLES                                                                      \
	{                                                                                \
		RUN_CYCLES, CYCLES, RUN_CYCLES_2, 0x100f0, 0x1001e, 0x2001e, 0x3001e,    \
			0x4001e                                                          \
	}

/*
 * The tables below have the codes that perf(1) uses for the same names, so pfmon and perf count the
 * same events.
 */
#define CACHE_REFERENCES_TEXT "loads from the first-level data cache"
#define CACHE_MISSES_TEXT     "loads that missed the first-level data cache"
#define FRONTEND_TEXT	      "cycles without an instruction to complete"
#define BACKEND_TEXT	      "cycles in which no instruction could be completed"

static const struct common_event common_8[] = {
	COMMON_CYCLES(CYCLES),
	COMMON_INSTRUCTIONS(INSTRUCTIONS),
	COMMON_BRANCHES("branches that were executed", 0x10068),
	COMMON_BRANCH_MISSES(0x400f6),
	COMMON_CACHE_REFERENCES(CACHE_REFERENCES_TEXT, 0x100ee),
	COMMON_CACHE_MISSES(CACHE_MISSES_TEXT, 0x3e054),
	COMMON_FRONTEND_STALLS(FRONTEND_TEXT, 0x100f8),
	COMMON_BACKEND_STALLS(BACKEND_TEXT, 0x4000a),
};

static const struct common_event common_9[] = {
	COMMON_CYCLES(CYCLES),
	COMMON_INSTRUCTIONS(INSTRUCTIONS),
	COMMON_BRANCHES(RETIRED_BRANCHES_TEXT, 0x4d05e),
	COMMON_BRANCH_MISSES(0x400f6),
	COMMON_CACHE_REFERENCES(CACHE_REFERENCES_TEXT, 0x100fc),
	COMMON_CACHE_MISSES(CACHE_MISSES_TEXT, 0x2c04e),
	COMMON_FRONTEND_STALLS(FRONTEND_TEXT, 0x100f8),
	COMMON_BACKEND_STALLS(BACKEND_TEXT, 0x1e054),
};

static const struct common_event common_10[] = {
	COMMON_CYCLES(RUN_CYCLES),
	COMMON_INSTRUCTIONS(RUN_INSTRUCTIONS),
	COMMON_BRANCHES("branches that were executed", 0x2f04a),
	COMMON_BRANCH_MISSES(0x3e098),
	COMMON_CACHE_REFERENCES(CACHE_REFERENCES_TEXT, 0x100fc),
	COMMON_CACHE_MISSES(CACHE_MISSES_TEXT, 0x400f0),
};

static const uint32_t same_8[][MAX_SAME] = {
	SAME_INSTRUCTIONS,    SAME_CYCLES,	    { 0x10134, 0x301e2 },
	{ 0x10138, 0x40138 }, { 0x18082, 0x3e05e }, { 0x1d14e, 0x401e8 },
	{ 0x1e054, 0x4000a }, { 0x20036, 0x40036 }, { 0x200f2, 0x300f2 },
	{ 0x2013c, 0x3012e }, { 0x3e054, 0x400f0 },
};

static const uint32_t same_9[][MAX_SAME] = {
	SAME_INSTRUCTIONS,    SAME_CYCLES,	    { 0x20036, 0x40036 },
	{ 0x200f2, 0x300f2 }, { 0x3e054, 0x400f0 },
};

static const uint32_t same_10[][MAX_SAME] = { SAME_INSTRUCTIONS, SAME_CYCLES };

static const struct power_model model_8 = {
	.architecture = ISA_207,
	.valid = VALID_207,
	.invalid = "it has bits that event codes of POWER8 do not have",
	.same = same_8,
	.same_count = COUNT(same_8),
};

static const struct power_model model_9 = {
	.architecture = ISA_300,
	.valid = VALID_300,
	.invalid = "it has bits that event codes of POWER9 do not have",
	.same = same_9,
	.same_count = COUNT(same_9),
};

static const struct power_model model_10 = {
	.architecture = ISA_31,
	.valid = VALID_31,
	.invalid = "it has bits that event codes of POWER10 do not have",
	.same = same_10,
	.same_count = COUNT(same_10),
};

/* The upper half of the processor version register identifies the processor. */
static bool is_power8(uint64_t id)
{
	return id >> 16 == 0x4b || id >> 16 == 0x4c || id >> 16 == 0x4d;
}

static bool is_power9(uint64_t id)
{
	return id >> 16 == 0x4e;
}

/* POWER11 has the PMU of POWER10. */
static bool is_power10(uint64_t id)
{
	return id >> 16 == 0x80 || id >> 16 == 0x82;
}

#define POWER(n)                                                                         \
	const struct pmu pmu_power##n = {                                                \
		.name = "power",                                                         \
		.is_model = is_power##n,                                                 \
		.model = &model_##n,                                                     \
		.is_hardware = true,                                                     \
		.has_modes = true,                                                       \
		.code_mask = ~0ull,                                                      \
		.common = common_##n,                                                    \
		.common_count = COUNT(common_##n),                                       \
		.rules = rules,                                                          \
		.rule_count = COUNT(rules),                                              \
		.encode = encode,                                                        \
		.refusal = refusal,                                                      \
	}

POWER(8);
POWER(9);
POWER(10);
