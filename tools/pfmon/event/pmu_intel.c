// SPDX-License-Identifier: GPL-2.0-only
/*
 * Intel's architectural performance monitoring, perfmon_intel.h. The event codes are from the Intel
 * SDM, volume 3B, section "Pre-defined Architectural Performance Events". Each model has events
 * that only some of its counters can count.
 */
#include <perfmon/perfmon_intel.h>

#include "common_events.h"

#define CODE                                                                             \
	(PFM_INTEL_PMC_EVENT | PFM_INTEL_PMC_UMASK | PFM_INTEL_PMC_EDGE |                \
	 PFM_INTEL_PMC_INVERT | PFM_INTEL_PMC_CMASK)

#define UNHALTED_CORE_CYCLES  0x003c
#define UNHALTED_REF_CYCLES   0x013c
#define INSTRUCTIONS_RETIRED  0x00c0
#define LLC_REFERENCES	      0x4f2e
#define LLC_MISSES	      0x412e
#define BRANCHES_RETIRED      0x00c4
#define BRANCH_MISSES_RETIRED 0x00c5

/*
 * Events that only a fixed counter can count. General counters have no event 0, so perf and libpfm4
 * use event 0 for the fixed counters. The unit mask selects the fixed counter.
 */
#define FIXED_REF_CYCLES      0x0300
#define FIXED_SLOTS	      0x0400

/* clang-format off */
/* perf(1) uses the same codes for these names. */
#define ARCHITECTURAL_EVENTS \
	COMMON_CYCLES(UNHALTED_CORE_CYCLES), \
	COMMON_INSTRUCTIONS(INSTRUCTIONS_RETIRED), \
	COMMON_BRANCHES(RETIRED_BRANCHES_TEXT, BRANCHES_RETIRED), \
	COMMON_BRANCH_MISSES(BRANCH_MISSES_RETIRED), \
	COMMON_CACHE_REFERENCES("accesses to the last-level cache", LLC_REFERENCES), \
	COMMON_CACHE_MISSES("accesses that missed the last-level cache", LLC_MISSES), \
	COMMON_EVENT("bus-cycles", ROLE_OTHER, \
		     "cycles of the reference clock, on a general counter", \
		     UNHALTED_REF_CYCLES), \
	COMMON_EVENT("ref-cycles", ROLE_OTHER, \
		     "cycles at the rate of the time-stamp counter", FIXED_REF_CYCLES)

/* Events of the top-down method; perf(1) has the same names for Sandy Bridge to Skylake. */
#define RETIRED_SLOTS \
	COMMON_EVENT("topdown-slots-retired", ROLE_SLOTS_RETIRED, \
		     "slots used by operations that retired", 0x02c2)
#define UNFILLED_SLOTS \
	COMMON_EVENT("topdown-fetch-bubbles", ROLE_SLOTS_UNFILLED, \
		     "slots left empty because nothing was fetched", 0x019c)
#define ISSUED_SLOTS \
	COMMON_EVENT("topdown-slots-issued", ROLE_SLOTS_ISSUED, \
		     "slots used to issue operations", 0x010e)
#define RECOVERY(event) \
	COMMON_EVENT("topdown-recovery-bubbles", ROLE_RECOVERY, \
		     "cycles needed to recover from a wrong prediction", event)
/* clang-format on */

static const struct common_event common[] = { ARCHITECTURAL_EVENTS };

static const struct common_event common_sandybridge[] = {
	ARCHITECTURAL_EVENTS, ISSUED_SLOTS,	    RETIRED_SLOTS,
	UNFILLED_SLOTS,	      RECOVERY(0x0100030d), /* INT_MISC.RECOVERY_CYCLES, counter mask 1 */
};

static const struct common_event common_skylake[] = {
	ARCHITECTURAL_EVENTS, ISSUED_SLOTS,	RETIRED_SLOTS,
	UNFILLED_SLOTS,	      RECOVERY(0x010d), /* INT_MISC.RECOVERY_CYCLES */
};

/*
 * Ice Lake and its successors have an event that counts slots: "Topdown" in the SDM's list of
 * architectural events.
 */
static const struct common_event common_icelake[] = {
	ARCHITECTURAL_EVENTS,
	COMMON_EVENT("topdown-total-slots", ROLE_SLOTS, "slots of the pipeline", 0x01a4),
	RETIRED_SLOTS,
	UNFILLED_SLOTS,
	COMMON_EVENT("topdown-backend-bubbles", ROLE_SLOTS_STALLED,
		     "slots left empty because the backend was stalled", 0x02a4),
};

#define FIXED(i) (PFM_INTEL_FIXED + PFM_INTEL_FIXED_##i)

/* Fixed counters are preferred, so that general counters stay available. */
#define FIXED_RULES                                                                      \
	{                                                                                \
		.code = INSTRUCTIONS_RETIRED,                                            \
		.mask = CODE,                                                            \
		.first = FIXED(INSTRUCTIONS),                                            \
		.last = FIXED(INSTRUCTIONS),                                             \
	},                                                                               \
		{                                                                        \
			.code = UNHALTED_CORE_CYCLES,                                    \
			.mask = CODE,                                                    \
			.first = FIXED(CYCLES),                                          \
			.last = FIXED(CYCLES),                                           \
		},                                                                       \
		{                                                                        \
			.code = FIXED_REF_CYCLES,                                        \
			.mask = CODE,                                                    \
			.first = FIXED(REF_CYCLES),                                      \
			.last = FIXED(REF_CYCLES),                                       \
			.only = true,                                                    \
		},                                                                       \
	{                                                                                \
		.code = FIXED_SLOTS, .mask = CODE, .first = FIXED(SLOTS),                \
		.last = FIXED(SLOTS), .only = true,                                      \
	}

#define LAST_GENERAL (PFM_INTEL_FIXED - 1)

/*
 * The last counter that can sample precisely. If the PEBS records of a model contain the address of
 * the exact instruction (see precise.c), the model's counters 0 to 3 support PEBS.
 */
#define LAST_PRECISE 3

/* The rule for events that no other rule restricts. */
#define GENERAL_RULE                                                                     \
	{                                                                                \
		.first = 0, .last = LAST_GENERAL                                         \
	}

/*
 * Rules for events on general counters. RANGE: all events from @from to @to, with any unit mask.
 * EVENT: one event, with any unit mask. UMASK: one event with one unit mask.
 */
#define RANGE(from, to, counter, end)                                                    \
	{                                                                                \
		.code = (from), .upto = (to), .mask = PFM_INTEL_PMC_EVENT,               \
		.first = (counter), .last = (end), .only = true                          \
	}
#define EVENT(event, counter, end) RANGE(event, 0, counter, end)
#define UMASK(event, counter, end)                                                       \
	{                                                                                \
		.code = (event), .mask = PFM_INTEL_PMC_EVENT | PFM_INTEL_PMC_UMASK,      \
		.first = (counter), .last = (end), .only = true                          \
	}

#define FIXED_INSTRUCTIONS(event) UMASK(event, FIXED(INSTRUCTIONS), FIXED(INSTRUCTIONS))

static const struct counter_rule rules[] = { FIXED_RULES, GENERAL_RULE };

/*
 * For each model, the events that only some of its counters can count. The kernel's perf driver has
 * the same rules. Source: the column "Counter" of Intel's event lists (Intel SDM, volume 3B,
 * chapter "Performance Monitoring Events", and perfmon-events.intel.com).
 */
/* clang-format off */
static const struct counter_rule rules_core2[] = {
	FIXED_RULES,
	EVENT(0x10, 0, 0), /* FP_COMP_OPS_EXE */
	EVENT(0x11, 1, 1), /* FP_ASSIST */
	EVENT(0x12, 1, 1), /* MUL */
	EVENT(0x13, 1, 1), /* DIV */
	EVENT(0x14, 0, 0), /* CYCLES_DIV_BUSY */
	EVENT(0x18, 0, 0), /* IDLE_DURING_DIV */
	EVENT(0x19, 1, 1), /* DELAYED_BYPASS */
	EVENT(0xa1, 0, 0), /* RS_UOPS_DISPATCHED */
	EVENT(0xc9, 0, 0), /* ITLB_MISS_RETIRED */
	EVENT(0xcb, 0, 0), /* MEM_LOAD_RETIRED */
	GENERAL_RULE,
};

static const struct counter_rule rules_nehalem[] = {
	FIXED_RULES,
	RANGE(0x40, 0x43, 0, 1), /* L1D_CACHE_LD, L1D_CACHE_ST, L1D_CACHE_LOCK, L1D_ALL_REF */
	EVENT(0x48, 0, 1), /* L1D_PEND_MISS */
	EVENT(0x4e, 0, 1), /* L1D_PREFETCH */
	EVENT(0x51, 0, 1), /* L1D */
	EVENT(0x63, 0, 1), /* CACHE_LOCK_CYCLES */
	GENERAL_RULE,
};

static const struct counter_rule rules_westmere[] = {
	FIXED_RULES,
	EVENT(0x51, 0, 1), /* L1D */
	EVENT(0x60, 0, 0), /* OFFCORE_REQUESTS_OUTSTANDING */
	EVENT(0x63, 0, 1), /* CACHE_LOCK_CYCLES */
	EVENT(0xb3, 0, 0), /* SNOOPQ_REQUESTS_OUTSTANDING */
	GENERAL_RULE,
};

/* This model and all later ones have eight general counters if hyper-threading is off. */
static const struct counter_rule rules_sandybridge[] = {
	FIXED_RULES,
	EVENT(0x48, 2, 2), /* L1D_PEND_MISS */
	UMASK(0x02a3, 2, 2), /* CYCLE_ACTIVITY.CYCLES_L1D_PENDING */
	UMASK(0x04a3, 0, 3), /* CYCLE_ACTIVITY.CYCLES_NO_DISPATCH */
	UMASK(0x05a3, 0, 3), /* CYCLE_ACTIVITY.STALLS_L2_PENDING */
	UMASK(0x06a3, 2, 2), /* CYCLE_ACTIVITY.STALLS_L1D_PENDING */
	UMASK(0x01c0, 1, 1), /* INST_RETIRED.PREC_DIST */
	EVENT(0xcd, 3, 3), /* MEM_TRANS_RETIRED */
	RANGE(0xd0, 0xd3, 0, 3), /* MEM_UOPS_RETIRED to MEM_LOAD_UOPS_LLC_MISS_RETIRED */
	GENERAL_RULE,
};

static const struct counter_rule rules_ivybridge[] = {
	FIXED_RULES,
	UMASK(0x0148, 2, 2), /* L1D_PEND_MISS.PENDING */
	UMASK(0x0279, 0, 3), /* IDQ.EMPTY */
	UMASK(0x019c, 0, 3), /* IDQ_UOPS_NOT_DELIVERED.CORE */
	UMASK(0x02a3, 0, 3), /* CYCLE_ACTIVITY.CYCLES_LDM_PENDING */
	UMASK(0x04a3, 0, 3), /* CYCLE_ACTIVITY.CYCLES_NO_EXECUTE */
	UMASK(0x05a3, 0, 3), /* CYCLE_ACTIVITY.STALLS_L2_PENDING */
	UMASK(0x06a3, 0, 3), /* CYCLE_ACTIVITY.STALLS_LDM_PENDING */
	UMASK(0x08a3, 2, 2), /* CYCLE_ACTIVITY.CYCLES_L1D_PENDING */
	UMASK(0x0ca3, 2, 2), /* CYCLE_ACTIVITY.STALLS_L1D_PENDING */
	UMASK(0x01c0, 1, 1), /* INST_RETIRED.PREC_DIST */
	RANGE(0xd0, 0xd3, 0, 3), /* MEM_UOPS_RETIRED to MEM_LOAD_UOPS_LLC_MISS_RETIRED */
	GENERAL_RULE,
};

static const struct counter_rule rules_haswell[] = {
	FIXED_RULES,
	UMASK(0x0148, 2, 2), /* L1D_PEND_MISS.PENDING */
	UMASK(0x04a3, 0, 3), /* CYCLE_ACTIVITY.CYCLES_NO_EXECUTE */
	UMASK(0x08a3, 2, 2), /* CYCLE_ACTIVITY.CYCLES_L1D_PENDING */
	UMASK(0x0ca3, 2, 2), /* CYCLE_ACTIVITY.STALLS_L1D_PENDING */
	UMASK(0x01c0, 1, 1), /* INST_RETIRED.PREC_DIST */
	EVENT(0xcd, 3, 3), /* MEM_TRANS_RETIRED */
	RANGE(0xd0, 0xd3, 0, 3), /* MEM_UOPS_RETIRED to MEM_LOAD_UOPS_L3_MISS_RETIRED */
	GENERAL_RULE,
};

static const struct counter_rule rules_broadwell[] = {
	FIXED_RULES,
	UMASK(0x0148, 2, 2), /* L1D_PEND_MISS.PENDING */
	/* CYCLE_ACTIVITY with any unit mask that contains the bit of CYCLES_L1D_MISS */
	{ .code = 0x08a3, .mask = 0x08ff, .first = 2, .last = 2, .only = true },
	EVENT(0xcd, 0, 3), /* MEM_TRANS_RETIRED */
	RANGE(0xd0, 0xd2, 0, 3), /* MEM_UOPS_RETIRED to MEM_LOAD_UOPS_L3_HIT_RETIRED */
	GENERAL_RULE,
};

static const struct counter_rule rules_skylake[] = {
	FIXED_RULES,
	UMASK(0x01c0, 1, 1), /* INST_RETIRED.PREC_DIST */
	EVENT(0xc6, 0, 3), /* FRONTEND_RETIRED */
	EVENT(0xcd, 0, 3), /* MEM_TRANS_RETIRED */
	RANGE(0xd0, 0xd2, 0, 3), /* MEM_INST_RETIRED to MEM_LOAD_L3_HIT_RETIRED */
	GENERAL_RULE,
};

/* This model and all later ones have eight general counters even if hyper-threading is on. */
static const struct counter_rule rules_icelake[] = {
	FIXED_RULES,
	FIXED_INSTRUCTIONS(0x01c0), /* INST_RETIRED.PREC_DIST */
	FIXED_INSTRUCTIONS(0x0100), /* another code of INST_RETIRED.PREC_DIST */
	RANGE(0x03, 0x0a, 0, 3),
	RANGE(0x1f, 0x28, 0, 3),
	EVENT(0x32, 0, 3), /* SW_PREFETCH_ACCESS */
	RANGE(0x48, 0x54, 0, 3),
	RANGE(0x60, 0x8b, 0, 3),
	UMASK(0x04a3, 0, LAST_GENERAL), /* CYCLE_ACTIVITY.STALLS_TOTAL */
	UMASK(0x10a3, 0, LAST_GENERAL), /* CYCLE_ACTIVITY.CYCLES_MEM_ANY */
	UMASK(0x14a3, 0, LAST_GENERAL), /* CYCLE_ACTIVITY.STALLS_MEM_ANY */
	EVENT(0xa3, 0, 3), /* CYCLE_ACTIVITY with any other unit mask */
	RANGE(0xa8, 0xb0, 0, 3),
	RANGE(0xb7, 0xbd, 0, 3),
	RANGE(0xd0, 0xe6, 0, 3),
	EVENT(0xef, 0, 3),
	RANGE(0xf0, 0xf4, 0, 3),
	GENERAL_RULE,
};

/*
 * Of the general counters, only 0 to 3 can count the events below 90H. LONGEST_LAT_CACHE and
 * CPU_CLK_UNHALTED are exceptions: all general counters can count them.
 */
static const struct counter_rule rules_sapphirerapids[] = {
	FIXED_RULES,
	FIXED_INSTRUCTIONS(0x0100), /* INST_RETIRED.PREC_DIST */
	EVENT(0x2e, 0, LAST_GENERAL), /* LONGEST_LAT_CACHE */
	EVENT(0x3c, 0, LAST_GENERAL), /* CPU_CLK_UNHALTED */
	RANGE(0x01, 0x8f, 0, 3),
	UMASK(0x01a3, 0, 3), /* CYCLE_ACTIVITY.CYCLES_L2_MISS */
	UMASK(0x02a3, 0, 3),
	UMASK(0x08a3, 0, 3), /* CYCLE_ACTIVITY.CYCLES_L1D_MISS */
	UMASK(0x04a4, 0, 0), /* TOPDOWN.BAD_SPEC_SLOTS */
	UMASK(0x08a4, 0, 0), /* TOPDOWN.BR_MISPREDICT_SLOTS */
	UMASK(0x02cd, 0, 0), /* MEM_TRANS_RETIRED.STORE_SAMPLE */
	EVENT(0xce, 0, 0), /* AMX_OPS_RETIRED */
	RANGE(0xd0, 0xdf, 0, 3),
	GENERAL_RULE,
};
/* clang-format on */

static struct pmc_bits encode_fixed(unsigned int i, unsigned int modes)
{
	const uint64_t user = PFM_INTEL_FIXED_USER(i), kernel = PFM_INTEL_FIXED_KERNEL(i);

	return (struct pmc_bits){
		.pmc = PFM_INTEL_FIXED,
		.value = (modes & MODE_USER ? user : 0) |
			 (modes & MODE_KERNEL ? kernel : 0),
		.mask = user | kernel,
	};
}

static unsigned int encode(const struct pmu *pmu, uint64_t code, unsigned int modes,
			   uint16_t pmd, struct pmc_bits bits[MAX_PMCS_PER_EVENT])
{
	uint64_t value = code & CODE;

	if (modes & MODE_PRECISE && pmd > LAST_PRECISE)
		return 0;
	if (pmd >= PFM_INTEL_FIXED) {
		bits[0] = encode_fixed(pmd - PFM_INTEL_FIXED, modes);
		return 1;
	}
	if (modes & MODE_USER)
		value |= PFM_INTEL_PMC_USER;
	if (modes & MODE_KERNEL)
		value |= PFM_INTEL_PMC_KERNEL;
	bits[0] = (struct pmc_bits){ .pmc = pmd, .value = value, .mask = ~0ull };
	if (modes & MODE_PRECISE) {
		value = 1ull << pmd;
		if (pmu_extra_pmc(pmu, code) == PFM_INTEL_LOAD_LATENCY)
			value |= value << PFM_INTEL_PEBS_LATENCY;
		bits[1] = (struct pmc_bits){ .pmc = PFM_INTEL_PEBS,
					     .value = value,
					     .mask = value };
		return 2;
	}
	return 1;
}

#define REFINED	     (PFM_INTEL_PMC_EVENT | PFM_INTEL_PMC_UMASK)
#define LOAD_LATENCY 0x01cd /* MEM_TRANS_RETIRED.LOAD_LATENCY */

/*
 * OFF_CORE_RESPONSE_0, OFF_CORE_RESPONSE_1 and FRONTEND_RETIRED need a second PMC. Returns the
 * number of this PMC, or 0 if @code is none of these events. The codes of these events are the same
 * from Sandy Bridge to Rocket Lake.
 */
static uint16_t extra_icelake(uint64_t code)
{
	switch (code & REFINED) {
	case 0x01b7:
		return PFM_INTEL_OFFCORE_0;
	case 0x01bb:
		return PFM_INTEL_OFFCORE_1;
	case 0x01c6:
		return PFM_INTEL_FRONTEND;
	default:
		return 0;
	}
}

/*
 * Up to Comet Lake, IA32_PEBS_ENABLE has bits that enable the measurement of load latencies. On
 * these models, LOAD_LATENCY needs a second PMC, like the events of extra_icelake().
 */
static uint16_t extra_skylake(uint64_t code)
{
	return (code & REFINED) == LOAD_LATENCY ? PFM_INTEL_LOAD_LATENCY
						: extra_icelake(code);
}

/* Broadwell and its predecessors have no register for FRONTEND_RETIRED. */
static uint16_t extra_sandybridge(uint64_t code)
{
	const uint16_t pmc = extra_skylake(code);

	return pmc == PFM_INTEL_FRONTEND ? 0 : pmc;
}

/* On Sapphire Rapids and its successors, OFF_CORE_RESPONSE_0 and _1 have other codes. */
static uint16_t extra_sapphirerapids(uint64_t code)
{
	switch (code & REFINED) {
	case 0x012a:
		return PFM_INTEL_OFFCORE_0;
	case 0x012b:
		return PFM_INTEL_OFFCORE_1;
	case 0x01c6:
		return PFM_INTEL_FRONTEND;
	default:
		return 0;
	}
}

#define ANY_THREAD    (1ull << 21)
#define FAMILY_6      6
#define END_OF_MODELS 0

/*
 * Returns whether @id belongs to a CPU of family 6 whose model is in @models. @id is EAX of CPUID
 * leaf 1; its bits 19 to 16 are the high digit of the model.
 */
static bool has_model(uint64_t id, const uint8_t *models)
{
	const unsigned int model = (id >> 4 & 0xf) | (id >> 12 & 0xf0);

	if ((id >> 8 & 0xf) != FAMILY_6)
		return false;
	for (; *models != END_OF_MODELS; models++)
		if (*models == model)
			return true;
	return false;
}

/*
 * If @code has the bit "any thread", returns the reason why the event cannot be counted. Otherwise
 * returns NULL. Version 5 of architectural performance monitoring does not have this bit any more.
 */
static const char *refuse_any_thread(const struct pmu *pmu, uint64_t code)
{
	(void)pmu;
	if (!(code & ANY_THREAD))
		return NULL;
	return "perfmon does not count for both threads of a core: bit 21 (any thread) is "
	       "reserved";
}

#define INTEL(table, events, slots)                                                      \
	.name = "intel", .is_hardware = true, .has_modes = true, .has_precise = true,    \
	.code_mask = CODE, .slots_per_cycle = (slots), .common = (events),               \
	.common_count = sizeof(events) / sizeof((events)[0]), .rules = (table),          \
	.rule_count = sizeof(table) / sizeof((table)[0]), .encode = encode,              \
	.refusal = refuse_any_thread, .precise_extra = PFM_INTEL_LOAD_LATENCY

/*
 * Define a struct pmu for some CPU models. The last arguments are the numbers of these models;
 * @extra becomes pmu.extra_pmc.
 */
#define MODELS(model, events, slots, extra, ...)                                         \
	static bool is_##model(uint64_t id)                                              \
	{                                                                                \
		static const uint8_t models[] = { __VA_ARGS__, END_OF_MODELS };          \
                                                                                         \
		return has_model(id, models);                                            \
	}                                                                                \
	const struct pmu pmu_intel_##model = {                                           \
		INTEL(rules_##model, events, slots),                                     \
		.is_model = is_##model,                                                  \
		.extra_pmc = (extra),                                                    \
	}

/*
 * The numbers of the models are from the Intel SDM, volume 4, table "CPUID Signature Values of
 * DisplayFamily_DisplayModel".
 */
MODELS(core2, common, 0, NULL, 0x0f, 0x16, 0x17, 0x1d);
MODELS(nehalem, common, 0, NULL, 0x1a, 0x1e, 0x1f, 0x2e);
MODELS(westmere, common, 0, NULL, 0x25, 0x2c, 0x2f);
MODELS(sandybridge, common_sandybridge, 4, extra_sandybridge, 0x2a, 0x2d);
MODELS(ivybridge, common_sandybridge, 4, extra_sandybridge, 0x3a, 0x3e);
MODELS(haswell, common_sandybridge, 4, extra_sandybridge, 0x3c, 0x3f, 0x45, 0x46);
MODELS(broadwell, common_sandybridge, 4, extra_sandybridge, 0x3d, 0x47, 0x4f, 0x56);
MODELS(skylake, common_skylake, 4, extra_skylake, 0x4e, 0x55, 0x5e, 0x8e, 0x9e, 0xa5,
       0xa6);
MODELS(icelake, common_icelake, 0, extra_icelake, 0x6a, 0x6c, 0x7d, 0x7e, 0x8c, 0x8d,
       0xa7);
MODELS(sapphirerapids, common_icelake, 0, extra_sapphirerapids, 0x8f, 0xad, 0xae, 0xcf);

/*
 * This description is for models that have no separate rules, and for models that are newer than
 * this pfmon.
 */
const struct pmu pmu_intel = { INTEL(rules, common, 0) };
