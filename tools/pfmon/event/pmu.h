/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What pfmon knows of a kind of PMU: the names of common events, which counters
 * can take an event, and how it is written into PMCs.  One pmu_*.c per PMU,
 * entered in the table of pmu.c.
 */
#ifndef PFMON_PMU_H
#define PFMON_PMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <perfmon/perfmon.h>

#define MODE_USER   1u
#define MODE_KERNEL 2u
#define MODE_BOTH   (MODE_USER | MODE_KERNEL)

/* What an event means to the comment column. */
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
};

#define MAX_CODES 2

/**
 * struct common_event - a name that people know, and its code on a PMU
 * @name: the name
 * @alias: another name for it, or NULL
 * @description: one line
 * @role: what it means
 * @is_time: it counts nanoseconds
 * @codes: codes by preference; the first that the CPU has is taken
 * @code_count: how many there are
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
 * struct counter_rule - counters that may take an event
 * @code: the rule is for events with @code in the bits of @mask
 * @mask: 0: the rule is for every event
 * @first: first PMD that may count them
 * @last: last PMD
 * @only: later rules do not apply to these events
 *
 * The order of the rules is the order of preference.
 */
struct counter_rule {
	uint64_t code;
	uint64_t mask;
	uint16_t first;
	uint16_t last;
	bool only;
};

#define MAX_PMCS_PER_EVENT 5

/**
 * struct pmc_bits - what an event needs in a PMC
 * @pmc: the number of the PMC
 * @value: the bits
 * @mask: which of them the event needs to be as they are in @value; the others
 *	are for other events to choose, and 0 in @value
 */
struct pmc_bits {
	uint16_t pmc;
	uint64_t value;
	uint64_t mask;
};

/**
 * struct pmu - a kind of PMU, or one model of it
 * @name: pfm_info.pmu_name
 * @is_model: is it for a CPU with that pfm_info.pmu_id?  NULL: for all
 * @model: what the operations know of the model, their own affair
 * @is_hardware: it counts the events that libpfm4 has for the CPU
 * @has_modes: it can tell user from kernel
 * @code_mask: the bits of a code that choose the event
 * @common: events with names known everywhere
 * @common_count: how many there are
 * @rules: which counters take which event
 * @rule_count: how many there are
 * @encode: fill in what PMCs need to be for PMD @pmd to count an event, and
 *	return how many they are; 0 if that PMD cannot count it
 * @has_code: does the CPU implement the event?  NULL: all are taken to be
 * @refusal: why no counter can count an event whatever the CPU implements, what
 *	follows "because", or NULL if one can; NULL: one always can
 */
struct pmu {
	const char *name;
	bool (*is_model)(uint64_t id);
	const void *model;
	bool is_hardware;
	bool has_modes;
	uint64_t code_mask;
	const struct common_event *common;
	size_t common_count;
	const struct counter_rule *rules;
	size_t rule_count;
	unsigned int (*encode)(const struct pmu *pmu, uint64_t code, unsigned int modes,
			       uint16_t pmd, struct pmc_bits bits[MAX_PMCS_PER_EVENT]);
	bool (*has_code)(uint64_t code);
	const char *(*refusal)(const struct pmu *pmu, uint64_t code);
};

extern const struct pmu pmu_armv8;
extern const struct pmu pmu_power8;
extern const struct pmu pmu_power9;
extern const struct pmu pmu_power10;
extern const struct pmu pmu_soft;

/* The PMU of that name on a CPU of that id, or NULL if pfmon does not know it. */
const struct pmu *pmu_find(const char *name, uint64_t id);

/* Has a PMU of hardware, of this machine or not, a common event of that name? */
bool pmu_names_hardware(const char *name);

/*
 * The PMDs that can count @code, by preference, with all registers they need
 * available, into @pmds (PFM_MAX_HARDWARE elements).  Returns how many.
 */
unsigned int pmu_counters(const struct pmu *pmu, const struct pfm_info *info,
			  uint64_t code, uint16_t *pmds);

/* The common event of that name or alias, or NULL. */
const struct common_event *pmu_common(const struct pmu *pmu, const char *name);

/* Why the PMU cannot count @code, what follows "because"; NULL if it can. */
const char *pmu_refusal(const struct pmu *pmu, uint64_t code);

/* Does the CPU implement a code of @event?  That code into @code. */
bool pmu_common_code(const struct pmu *pmu, const struct common_event *event,
		     uint64_t *code);

/* What an event code means, ROLE_OTHER if it is not that of a common event. */
enum event_role pmu_role(const struct pmu *pmu, uint64_t code);

static inline bool register_in(const uint64_t *set, unsigned int number)
{
	return set[number / 64] >> (number % 64) & 1;
}

#endif
