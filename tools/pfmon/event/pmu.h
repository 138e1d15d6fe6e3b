/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pfmon's descriptions of the PMUs: the names of common events, the counters that can count an
 * event, and the PMC bits that select the event. Each kind of PMU has a file pmu_*.c and an entry
 * in the table of pmu.c.
 */
#ifndef PFMON_PMU_H
#define PFMON_PMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <perfmon/perfmon.h>

#define MODE_USER    1u
#define MODE_KERNEL  2u
#define MODE_BOTH    (MODE_USER | MODE_KERNEL)
#define MODE_PRECISE 4u /* the processor itself records the samples */

/* How the comment column of pfmon stat uses the count of an event. */
enum event_role {
	ROLE_OTHER,
	ROLE_TASK_CLOCK,
	ROLE_DURATION,
	ROLE_CYCLES,
	ROLE_INSTRUCTIONS,
	ROLE_BRANCHES,
	ROLE_BRANCH_MISSES,
	ROLE_CACHE_REFERENCES,
	ROLE_CACHE_MISSES,
	ROLE_SLOTS, /* slots of the pipeline: each slot can issue one operation */
	ROLE_SLOTS_RETIRED, /* slots used by operations that retired */
	ROLE_SLOTS_UNFILLED, /* slots left empty because no operation was fetched */
	ROLE_SLOTS_STALLED, /* slots left empty because the backend was stalled */
	ROLE_SLOTS_ISSUED, /* slots that were used */
	ROLE_RECOVERY, /* cycles without operations after a misprediction */
};

#define MAX_CODES 2

/**
 * struct common_event - an event with a well-known name
 * @name: the name
 * @alias: another name of the event, or NULL
 * @description: one line
 * @role: how the comment column of pfmon stat uses the count
 * @is_time: the event counts nanoseconds
 * @codes: codes of the event, the preferred one first; pfmon takes the first code that the
 *	CPU implements
 * @code_count: number of @codes
 */
struct common_event {
	const char *name;
	const char *alias;
	const char *description;
	enum event_role role;
	bool is_time;
	uint64_t codes[MAX_CODES];
	unsigned int code_count;
};

/**
 * struct counter_rule - which counters can count certain events
 * @code: the rule applies to each event code that equals @code in the bits of @mask
 * @upto: if it is not 0, the rule applies to each event code whose value in the bits of @mask is
 *	from @code to @upto
 * @mask: the bits of an event code that are compared; 0: the rule applies to every event
 * @first: first PMD that can count these events
 * @last: last PMD that can count these events
 * @only: later rules do not apply to these events
 *
 * Counters of earlier rules are preferred.
 */
struct counter_rule {
	uint64_t code;
	uint64_t upto;
	uint64_t mask;
	uint16_t first;
	uint16_t last;
	bool only;
};

#define MAX_PMCS_PER_EVENT 5

/**
 * struct pmc_bits - the bits of a PMC that an event needs
 * @pmc: the number of the PMC
 * @value: the values of the bits that the event needs; all other bits are 0
 * @mask: the bits that the event needs; other events may set the other bits of the PMC
 */
struct pmc_bits {
	uint16_t pmc;
	uint64_t value;
	uint64_t mask;
};

/**
 * struct pmu - a kind of PMU, or one model of it
 * @name: name of the PMU, as in pfm_info.pmu_name
 * @is_model: returns whether the description fits a CPU whose pfm_info.pmu_id is @id. NULL: the
 *	description fits every CPU
 * @model: data about the model, for @encode and @refusal
 * @is_hardware: the PMU counts the events that libpfm4 has for the CPU
 * @has_modes: the PMU can count user and kernel level separately
 * @filters_samples: the PMU always counts at both levels; the modes of an event decide only which
 *	samples the PMU module keeps
 * @has_scope: several CPUs share the PMU's registers, so only system-wide contexts can use the PMU
 * @has_precise: the PMU can record which instruction caused an event, see precise.h
 * @slots_per_cycle: number of pipeline slots per cycle, needed if no event counts slots; 0: not
 *	known
 * @code_mask: the bits of an event code that select the event
 * @common: events with well-known names
 * @common_count: number of @common
 * @rules: which counters can count which events
 * @rule_count: number of @rules
 * @encode: stores in @bits the PMC bits that let PMD @pmd count an event. Returns the number of
 *	PMCs, or 0 if the PMD cannot count the event
 * @has_code: returns whether the CPU implements the event. NULL: pfmon assumes that the CPU
 *	implements all events
 * @refusal: returns NULL if a counter of the PMU can count the event. If none can, returns the
 *	reason as a text that can follow "because". @refusal also gets raw codes, which may have
 *	bits outside @code_mask. If @refusal itself is NULL, every event can be counted
 * @extra_pmc: returns the number of the event's second PMC, or 0 if the event has none. The second
 *	PMC refines what the event counts. If @extra_pmc itself is NULL, no event has a second PMC
 * @precise_extra: number of a second PMC that only precise events can use; 0: there is no such PMC
 */
struct pmu {
	const char *name;
	bool (*is_model)(uint64_t id);
	const void *model;
	bool is_hardware;
	bool has_modes;
	bool filters_samples;
	bool has_scope;
	bool has_precise;
	unsigned int slots_per_cycle;
	uint64_t code_mask;
	const struct common_event *common;
	size_t common_count;
	const struct counter_rule *rules;
	size_t rule_count;
	unsigned int (*encode)(const struct pmu *pmu, uint64_t code, unsigned int modes,
			       uint16_t pmd, struct pmc_bits bits[MAX_PMCS_PER_EVENT]);
	bool (*has_code)(uint64_t code);
	const char *(*refusal)(const struct pmu *pmu, uint64_t code);
	uint16_t (*extra_pmc)(uint64_t code);
	uint16_t precise_extra;
};

extern const struct pmu pmu_amd_k8;
extern const struct pmu pmu_amd_15h;
extern const struct pmu pmu_amd_17h;
extern const struct pmu pmu_amd_df;
extern const struct pmu pmu_amd_ibs;
extern const struct pmu pmu_amd_l3;
extern const struct pmu pmu_armv8;
extern const struct pmu pmu_intel_core2;
extern const struct pmu pmu_intel_nehalem;
extern const struct pmu pmu_intel_westmere;
extern const struct pmu pmu_intel_sandybridge;
extern const struct pmu pmu_intel_ivybridge;
extern const struct pmu pmu_intel_haswell;
extern const struct pmu pmu_intel_broadwell;
extern const struct pmu pmu_intel_skylake;
extern const struct pmu pmu_intel_icelake;
extern const struct pmu pmu_intel_sapphirerapids;
extern const struct pmu pmu_intel;
extern const struct pmu pmu_power8;
extern const struct pmu pmu_power9;
extern const struct pmu pmu_power10;
extern const struct pmu pmu_soft;

/*
 * A function for pmu.encode: stores @code as the value of the PMC whose number is @pmd. Ignores
 * @modes.
 */
unsigned int pmu_encode_code(const struct pmu *pmu, uint64_t code, unsigned int modes,
			     uint16_t pmd, struct pmc_bits bits[MAX_PMCS_PER_EVENT]);

/*
 * Returns pfmon's description of PMU @name, or NULL if pfmon has none. @id is the CPU's
 * pfm_info.pmu_id.
 */
const struct pmu *pmu_find(const char *name, uint64_t id);

/*
 * Some PMUs, such as amd_ibs, are used only if the user names them. These PMUs are numbered from 0.
 * Returns the PMU with number @index, or NULL after the last PMU.
 */
const struct pmu *pmu_further(size_t index);

/*
 * Some PMUs are used only if the user names them (--pmu). Returns the first of these PMUs that has
 * a common event called @name, or whose name comes before "::" in @name. Returns NULL if there is
 * none.
 */
const struct pmu *pmu_to_give(const char *name);

/* If @name is "PMU::EVENT" and PMU is the name of @pmu, returns EVENT. Otherwise returns NULL. */
const char *pmu_own_event(const struct pmu *pmu, const char *name);

/* Returns whether any hardware PMU that pfmon describes has a common event called @name. */
bool pmu_names_hardware(const char *name);

/*
 * Store in @pmds the PMDs that can count @code, the preferred ones first. Leaves out a PMD if it or
 * one of its PMCs is not available. @pmds has PFM_MAX_HARDWARE elements. Returns the number of
 * PMDs.
 */
unsigned int pmu_counters(const struct pmu *pmu, const struct pfm_info *info,
			  uint64_t code, uint16_t *pmds);

/* Size of the text of pmu_counters_text(): each counter needs at most three digits and a comma. */
#define PMU_COUNTERS_TEXT (4 * PFM_MAX_HARDWARE)

/*
 * Store in @text the numbers of the available counters that can count @code, such as "0-3,16". If
 * there are none, store "-". Returns the number of counters.
 */
unsigned int pmu_counters_text(const struct pmu *pmu, const struct pfm_info *info,
			       uint64_t code, char text[PMU_COUNTERS_TEXT]);

/* Returns the common event whose name or alias is @name, or NULL. */
const struct common_event *pmu_common(const struct pmu *pmu, const char *name);

/*
 * Returns NULL if the PMU can count @code. If the PMU cannot count @code, returns the reason, as a
 * text that can follow "because".
 */
const char *pmu_refusal(const struct pmu *pmu, uint64_t code);

/* Returns the number of the second PMC of the event @code, or 0 if the event has none. */
static inline uint16_t pmu_extra_pmc(const struct pmu *pmu, uint64_t code)
{
	return pmu->extra_pmc ? pmu->extra_pmc(code) : 0;
}

/*
 * Returns whether the CPU implements one of the codes of @event. If so, stores the first such code
 * in @code.
 */
bool pmu_common_code(const struct pmu *pmu, const struct common_event *event,
		     uint64_t *code);

/* Returns the role of the common event that has @code, or ROLE_OTHER if there is no such event. */
enum event_role pmu_role(const struct pmu *pmu, uint64_t code);

static inline bool register_in(const uint64_t *set, unsigned int number)
{
	return set[number / 64] >> (number % 64) & 1;
}

#endif
