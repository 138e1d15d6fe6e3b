/* SPDX-License-Identifier: GPL-2.0-only */
/* Helpers for the suites about the units of AMD's instruction based sampling, PMU "amd_ibs". */
#ifndef IBS_H
#define IBS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <perfmon/perfmon_amd.h>

#include "samples.h"

#define DEVICES	   "/sys/bus/event_source/devices/"
#define BOTH	   (PFM_AMD_IBS_USER | PFM_AMD_IBS_KERNEL)
#define OPS	   PFM_AMD_IBS_COUNT_OPS
#define FETCH_MOST 0xffff /* bits of IBS_FETCH_CTL: the period / 16 */
#define FETCH_LAST BIT(50) /* bit of IBS_FETCH_CTL: the fetch was completed */

/*
 * PMDs that a sample of an op or of a fetch contains, in the order of their values in the sample.
 */
static const unsigned int of_op[] = { PFM_AMD_IBS_OP_RIP, PFM_AMD_IBS_OP_DATA3,
				      PFM_AMD_IBS_DC_LINEAR, PFM_AMD_IBS_DC_PHYSICAL };
static const unsigned int of_fetch[] = { PFM_AMD_IBS_FETCH_LINEAR,
					 PFM_AMD_IBS_FETCH_PHYSICAL,
					 PFM_AMD_IBS_FETCH_DATA };

static inline const uint64_t *ibs_values(entry_t entry)
{
	return (const uint64_t *)(entry + 1);
}

/* Skips the test if the processor has no IBS. */
void need_ibs(void);

/* ---- work ---------------------------------------------------------------------------------- */

extern const char ibs_loop[], ibs_loop_end[];
extern uint64_t ibs_word;

/*
 * Executes a loop of @instructions instructions. @instructions must be a multiple of 10: a turn of
 * the loop has ten instructions. The first of them loads from ibs_word.
 */
void load_loop(uint64_t instructions);

/* Returns whether address @ip is in the loop of load_loop(). */
static inline bool is_in_load_loop(uint64_t ip)
{
	return ip >= (uintptr_t)ibs_loop && ip < (uintptr_t)ibs_loop_end;
}

/* ---- contexts ------------------------------------------------------------------------------ */

/* Returns a context of PMU "amd_ibs". */
int ibs_context(const char *format, const void *argument, size_t size);
/* Returns a context with format "default" and a buffer of 1 MiB. */
int ibs_buffer_context(void);

/*
 * Writes @config to PMC @pmc, and gives PMD @n the sampling period @period. A sample contains the
 * @count PMDs in @recorded.
 */
void sample_unit(int fd, unsigned int pmc, uint64_t config, unsigned int n,
		 uint64_t period, const unsigned int *recorded, size_t count);

/*
 * A sample of an op contains the PMDs in of_op. A sample of a fetch contains the PMDs in of_fetch.
 */
static inline void sample_ops(int fd, uint64_t levels, uint64_t period)
{
	sample_unit(fd, PFM_AMD_IBS_PMC_OP, OPS | levels, PFM_AMD_IBS_OP, period, of_op,
		    COUNT(of_op));
}

static inline void sample_fetches(int fd, uint64_t levels, uint64_t period)
{
	sample_unit(fd, PFM_AMD_IBS_PMC_FETCH, levels, PFM_AMD_IBS_FETCH, period,
		    of_fetch, COUNT(of_fetch));
}

/* Maps the context's buffer, and returns its address. */
const void *ibs_map(int fd, size_t size);

/* Numbers of instructions and samples in a run of the loop. */
struct ibs_run {
	uint64_t instructions; /* counted by perf at all levels */
	uint64_t samples;
};

/*
 * Loads the context on this thread, and samples load_loop(@instructions). The kernel must report no
 * unknown NMI.
 */
struct ibs_run ibs_sample_loop(int fd, uint64_t instructions);

/*
 * Opens an event of perf that counts instructions at all levels, but does not enable it. This may
 * take a second if another suite has used the counters of PMU "amd", because perfmon may keep
 * exclusive counters for a second after the last unload.
 */
int open_instructions(void);

#endif
