/* SPDX-License-Identifier: GPL-2.0-only */
/* The values of parameter "what" of perfmon_wrong. They select what the module registers. */
#ifndef PERFMON_WRONG_H
#define PERFMON_WRONG_H

/* Mistakes in the description of a PMU. X(NAME, CODE): CODE makes the mistake NAME. */
#define WRONG_PMUS(X)                                                                    \
	X(NO_NAME, pmu.name = NULL)                                                      \
	X(NO_MODEL, pmu.model = NULL)                                                    \
	X(NO_OPERATIONS, pmu.operations = NULL)                                          \
	X(NO_WRITE_PMCS, operations.write_pmcs = NULL)                                   \
	X(NO_WRITE_PMDS, operations.write_pmds = NULL)                                   \
	X(NO_START, operations.start = NULL)                                             \
	X(NO_STOP, operations.stop = NULL)                                               \
	X(NO_READ, operations.read = NULL)                                               \
	X(NO_ACKNOWLEDGE, operations.acknowledge = NULL)                                 \
	X(CLAIM_WITHOUT_RELEASE, operations.release = NULL)                              \
	X(RELEASE_WITHOUT_CLAIM, operations.claim = NULL)                                \
	X(TOO_MANY_PMCS, pmu.pmc_count++)                                                \
	X(TOO_MANY_PMDS, pmu.pmd_count++)                                                \
	X(TOO_MANY_VIRTUALS, pmu.virtual_count++)                                        \
	X(VIRTUAL_WITHOUT_NAME, virtuals[PFM_MAX_PMU_VIRTUAL - 1].name = NULL)           \
	X(VIRTUAL_WITHOUT_READ, virtuals[PFM_MAX_PMU_VIRTUAL - 1].read = NULL)           \
	X(PMC_LIKE_A_COUNTER, pmcs[0].type |= PFM_REG_COUNTER)                           \
	X(PMC_OF_NO_PMD, pmcs[0].counters = BIT(1))                                      \
	X(PMC_OF_A_PMD_TOO_FAR,                                                          \
	  (pmcs[0].counters = BIT(1), pmcs[2].counters = 0, pmu.pmd_count = 1))          \
	X(LEVELS_LEFT_OPEN, pmcs[1].user_set = 0)                                        \
	X(LEVELS_OF_NO_PMC, pmcs[2].name = NULL)                                         \
	X(LEVEL_SET_AND_CLEARED, pmcs[1].user_clear = BIT(0))                            \
	X(LEVEL_RESERVED, pmcs[1].reserved = BIT(0))                                     \
	X(PMC_OF_NO_COUNTER, pmds[0].type = PFM_REG_READ_ONLY)                           \
	X(PMD_OF_UNKNOWN_TYPE, pmds[0].type |= BIT(5))                                   \
	X(NO_WIDTH, pmds[0].width = 0)                                                   \
	X(TOO_WIDE, pmds[PFM_MAX_COUNTERS - 1].width = 65)                               \
	X(COUNTER_TOO_FAR, pmds[PFM_MAX_COUNTERS].type |= PFM_REG_COUNTER)               \
	X(WRITABLE_TOO_FAR, pmds[PFM_MAX_COUNTERS].type = 0)                             \
	X(SAMPLED_COUNTER,                                                               \
	  (operations.sample = sample, pmds[0].type |= PFM_REG_SAMPLED))                 \
	X(SAMPLED_WITHOUT_OPERATION, pmds[PFM_MAX_COUNTERS].type = PFM_REG_SAMPLED)

/*
 * Descriptions for another version of the interface. Only the interface number has a meaning; all
 * other bytes are garbage.
 */
#define PMUS_OF_OTHERS(X)                                                                \
	X(PMU_OF_A_LATER_INTERFACE, make_pmu_of(PFM_PMU_INTERFACE + 1))                  \
	X(PMU_OF_NO_INTERFACE, make_pmu_of(0))
#define FORMATS_OF_OTHERS(X)                                                             \
	X(FORMAT_OF_A_LATER_INTERFACE, make_format_of(PFM_FORMAT_INTERFACE + 1))         \
	X(FORMAT_OF_NO_INTERFACE, make_format_of(0))

/* Mistakes in the description of a sampling format. */
#define WRONG_FORMATS(X)                                                                 \
	X(FORMAT_WITHOUT_NAME, format.name = NULL)                                       \
	X(EMPTY_NAME, format.name = "")                                                  \
	X(NAME_WITH_SPACE, format.name = "a b")                                          \
	X(NAME_AFTER_SPACE, format.name = " b")                                          \
	X(NAME_TOO_LONG, format.name = "wrong_-_x_40_characters_are_one_too_many")       \
	X(NO_UUID, format.uuid = NULL)                                                   \
	X(UUID_WITH_SPACE, format.uuid = "0f9e4c5d-7a21-4b3e-8c60 d5b1f2a7e834")         \
	X(UUID_TOO_SHORT, format.uuid = "0f9e4c5d-7a21-4b3e-8c60-d5b1f2a7e83")           \
	X(UUID_TOO_LONG, format.uuid = "0f9e4c5d-7a21-4b3e-8c60-d5b1f2a7e8345")          \
	X(NO_HANDLER, format.handler = NULL)                                             \
	X(ARGUMENT_TOO_LARGE, format.argument_size++)                                    \
	X(FIRST_ARGUMENT_LARGER, format.argument_first_size = PAGE_SIZE + 1)             \
	X(UNKNOWN_FLAG, format.flags = ~PFM_FORMAT_CONTINUOUS)

/* Sampling formats with a name or a UUID that another format already has. */
#define TAKEN_FORMATS(X)                                                                 \
	X(NAME_OF_ANOTHER, format.name = "default")                                      \
	X(UUID_OF_ANOTHER, format.uuid = "D139B29E-62E8-40E4-B402-73078792E937")

#define WRONG_NUMBER(name, change) name,
enum {
	/* A PMU without a mistake. It has as many PMCs, PMDs and virtual PMDs as permitted. */
	RIGHT_PMU,
	WRONG_PMUS(WRONG_NUMBER) /* no comma here: WRONG_NUMBER() ends with one */
	PMUS_OF_OTHERS(WRONG_NUMBER) RIGHT_FORMAT,
	WRONG_FORMATS(WRONG_NUMBER)
	TAKEN_FORMATS(WRONG_NUMBER) FORMATS_OF_OTHERS(WRONG_NUMBER)
};
#undef WRONG_NUMBER

#endif
