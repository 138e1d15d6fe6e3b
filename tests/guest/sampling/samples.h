/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Helpers for the suites about sampling: contexts that take samples, the contents of their buffers,
 * and work that causes an exact number of events.
 */
#ifndef SAMPLES_H
#define SAMPLES_H

#include <perfmon/perfmon_dfl_smpl.h>

#include "measure.h"

#define NOTIFY PFM_REGFL_OVFL_NOTIFY

/*
 * Sampling period in ns of a counter that counts whenever the thread runs. It is so long that even
 * a slow guest makes progress.
 */
#define PERIOD MS

/* ---- contexts ------------------------------------------------------------------------ */

/* Creates a context with format "default". Returns -1 and sets errno on failure. */
int try_default(uint32_t flags, uint64_t size);
int default_context(uint32_t flags, uint64_t size);
/* Creates a context without a format. */
int context_with_flags(uint32_t flags);
void load_and_start(int fd, pid_t tid);

/*
 * Writes PMCs so that the first @count counters count whenever the thread runs. Does not bring
 * these counters into use.
 */
void program_busy(int fd, unsigned int count);
/*
 * Returns an argument for pfm_write_pmds(). It sets the value and both reset values of
 * pmu()->pmds[@i] to -@period, and contains the flag NOTIFY.
 */
struct pfarg_pmd sampling(unsigned int i, uint64_t period);
void add_to(uint64_t *map, unsigned int pmd);
void write_one(int fd, struct pfarg_pmd pmd);
/*
 * Sets up the first counter so that it counts whenever the thread runs, and is sampled with
 * @period. Brings no other counter into use.
 */
void sample_busily(int fd, uint64_t period);
/*
 * Writes PMCs so that counter 0 counts whenever the thread runs, and counters 1 and 2 count
 * nothing.
 */
void program_quietly(int fd);
/* Reads PMD @n, and returns all fields that the read has filled in. */
struct pfarg_pmd read_back(int fd, unsigned int n);
/*
 * Creates a context without a format, calls sample_busily() with PERIOD, and starts the context on
 * the caller's thread.
 */
int busy_self(uint32_t flags);
/* Returns the value of the first counter. */
uint64_t sampled_value(int fd);
/*
 * Unloads the context. Then sets the PMDs pmu()->pmds and their reset values to 0, so that their
 * overflows cause no more samples.
 */
void end_sampling(int fd);

/* ---- messages ------------------------------------------------------------------------- */

bool message_waits(int fd);
/* Returns the next message, which must be about an overflow. Waits if there is none yet. */
struct pfarg_ovfl_msg next_overflow(int fd);
/*
 * For a caller that monitors itself. spin_until_message() spins until there is a message.
 * spin_until_masked() spins until the context is masked.
 */
void spin_until_message(int fd);
void spin_until_masked(int fd);
unsigned int state_of(int fd);
/* Calls pfm_restart(), which must fail with EBUSY because there is nothing to restart. */
void must_not_restart(int fd);

/* ---- buffers ---------------------------------------------------------------------------- */

typedef const volatile struct pfm_dfl_smpl_hdr *header_t;
typedef const struct pfm_dfl_smpl_entry *entry_t;

#define MIB	(1ul << 20)
#define MEM_CUR SYSFS "smpl_buffer_mem_cur"
#define MEM_MAX SYSFS "smpl_buffer_mem_max"

static inline size_t page_size(void)
{
	return sysconf(_SC_PAGESIZE);
}

header_t map_buffer(int fd, size_t size);
/* Returns the size of an entry with all PMDs. least_size() adds the size of the format's header. */
uint64_t largest_entry(void);
uint64_t least_size(void);
/* Returns how many entries fill a buffer of @size bytes if each entry has @values values. */
uint64_t entries_until_full(uint64_t size, unsigned int values);
/* For a caller that monitors itself: calls sampled_loop() until the buffer has @entries samples. */
void fill_to(header_t header, uint64_t entries);
/*
 * Checks that hdr_count and hdr_cur_offs of the header agree. Each entry must have @values values.
 */
void must_be_whole(header_t header, unsigned int values);

static inline entry_t first_entry(header_t header)
{
	return (entry_t)((uintptr_t)header + sizeof(*header));
}

static inline const uint64_t *values_of(entry_t entry)
{
	return (const uint64_t *)(entry + 1);
}

static inline entry_t entry_after(entry_t entry, unsigned int values)
{
	return (entry_t)(values_of(entry) + values);
}

static inline entry_t end_of(header_t header)
{
	return (entry_t)((uintptr_t)header + header->hdr_cur_offs);
}

#define for_each_entry(entry, header, values)                                            \
	for ((entry) = first_entry(header); (entry) < end_of(header);                    \
	     (entry) = entry_after(entry, values))

static inline bool is_kernel_address(uint64_t ip)
{
	return ip >> 63;
}

/* ---- work with an exact count ------------------------------------------------------------- */

/*
 * Skips the test unless all counters of a context can count exactly the same number of events.
 * Counters of the software PMU can always do so, because they count page faults. Counters of the
 * other PMUs count cycles, and agree exactly only with --icount.
 */
void need_exact_work(void);
/*
 * Returns the value for pmu()->pmcs[@i] that makes pmu()->pmds[@i] count the events that
 * exact_work() causes.
 */
uint64_t exact_event(unsigned int i);
void program_exact(int fd, unsigned int count);
/* Causes at least @events events, and not many more. */
void exact_work(uint64_t events);
/* Returns a sampling period so long that each overflow is noticed before the next one. */
uint64_t exact_period(void);
/*
 * For child_call(): calls exact_work() until page->stop is set. Increments page->turns after each
 * call.
 */
uint64_t exact_work_until_stopped(uint64_t unused);

/*
 * Executes @instructions instructions in a loop, and a few more before and after the loop.
 * is_in_loop() recognizes the addresses of the loop. @instructions must be a multiple of 10.
 */
void sampled_loop(uint64_t instructions);
bool is_in_loop(uint64_t ip);
/*
 * For child_call(): calls sampled_loop() until page->stop is set. Increments page->turns after each
 * call.
 */
uint64_t loop_until_stopped(uint64_t unused);

/* The child runs sampled_loop() until loop_end(). */
void loop_begin(const struct child *child);
void loop_end(const struct child *child);

/**
 * struct chain - a sampled counter, and a counter of the same event that is never reset
 *
 * The two counters stop together, so both must give the same number of events between two samples.
 * If they do, no event was lost, counted twice or invented.
 *
 * @pmd: the counter whose overflows are sampled
 * @other: the counter that is never reset. Its number must be higher than @pmd. Each sample
 *	contains the values of both counters
 * @period: sampling period of @pmd
 * @last: value of @other in the last sample
 * @samples: number of samples of @pmd so far
 * @residue: value of @pmd in the last sample, which is the number of events from the overflow to
 *	the sample
 * @skid: sum of all residues
 */
struct chain {
	unsigned int pmd;
	unsigned int other;
	uint64_t period;
	uint64_t last;
	uint64_t samples;
	uint64_t residue;
	uint64_t skid;
};

/* Sets up counter @i, which is sampled, and counter @other. Does not load the context. */
struct chain chain_begin(int fd, unsigned int i, unsigned int other, uint64_t period);
/*
 * Checks the entries that are samples of chain->pmd. All entries in the buffer must have two
 * values.
 */
void chain_follow(struct chain *chain, header_t header);
/* Checks the number of events since the last sample. The counters must have stopped. */
void chain_end(struct chain *chain, int fd);

#define INTERRUPT_LIMIT SYSFS "max_interrupts_per_tick"
/* Runs @check. Afterwards, the limit on interrupts per tick is as before, even if @check fails. */
void with_interrupt_limit(void (*check)(void));
/* Returns jiffies, the number of ticks, from /proc/timer_list. */
uint64_t ticks(void);

#endif
