/* SPDX-License-Identifier: GPL-2.0-only */
/* Helpers for the suites about last branch records. */
#ifndef X86_LBR_H
#define X86_LBR_H

#include <perfmon/perfmon_dfl_smpl.h>
#include <perfmon/perfmon_intel.h>
#include <sys/mman.h>

#include "measure.h"
#include "x86_branches.h"
#include "x86_registers.h"

#define SIZE   (1ul << 20) /* of a buffer */
#define PERIOD 2000

/*
 * Calls take_known_branches(), and then executes 8,000 instructions without a branch. When a
 * counter overflows in these instructions, the branch records contain the known branches and the
 * call of take_known_branches().
 */
void branches_then_none(void);
extern const char calls_known_branches[], none_begins[], none_ends[];

static inline bool is_in_none(uint64_t ip)
{
	return ip >= (uint64_t)none_begins && ip <= (uint64_t)none_ends;
}

/*
 * Skips the test if the processor has no last branch records. If it has them, does the same as
 * with_own_counters().
 */
void with_lbr(void (*check)(void));

/* Returns a context with format "default" and a buffer of SIZE bytes. */
int sampling_context(void);
/* Returns an argument for pfm_write_pmds() that makes PMD 0 overflow every @period events. */
struct pfarg_pmd sampled_pmd(uint64_t period);
/* Makes counter 0 count instructions at @levels. Its samples contain all branch records. */
void write_sampled(int fd, unsigned int levels, uint64_t period);
/* Returns a context that samples last branch records. Its PMC 30 has the value @control. */
int lbr_context(uint64_t control, unsigned int levels, uint64_t period);

typedef const struct pfm_dfl_smpl_entry *entry_t;

const struct pfm_dfl_smpl_hdr *map_samples(int fd);

static inline entry_t next_entry(entry_t entry)
{
	return (entry_t)((const uint64_t *)(entry + 1) + 3 * LBR_MOST);
}

#define for_each_entry(entry, header)                                                    \
	for ((entry) = (entry_t)((header) + 1);                                          \
	     (const char *)(entry) < (const char *)(header) + (header)->hdr_cur_offs;    \
	     (entry) = next_entry(entry))

/* Returns record @i of a sample. Record 0 is the youngest. */
struct branch record_of(entry_t entry, unsigned int i);
unsigned int count_records(entry_t entry);

#endif
