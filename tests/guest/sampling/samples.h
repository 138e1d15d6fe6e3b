/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the suites about sampling share: contexts that take samples, what is in their
 * buffers, and work of which exactly so much is counted.
 */
#ifndef SAMPLES_H
#define SAMPLES_H

#include <perfmon/perfmon_dfl_smpl.h>

#include "measure.h"

#define NOTIFY PFM_REGFL_OVFL_NOTIFY

/* Of a busy counter, ns: a slow guest gets on in between, too. */
#define PERIOD (2 * MS)

/* ---- contexts ------------------------------------------------------------------------ */

/* With format "default"; -1 and errno. */
int try_default(uint32_t flags, uint64_t size);
int default_context(uint32_t flags, uint64_t size);
/* Without a format. */
int context_with_flags(uint32_t flags);
void load_and_start(int fd, pid_t tid);

/* The first @count counters are busy when they are in use. */
void program_busy(int fd, unsigned int count);
/* pmu()->pmds[@i], always @period below an overflow, with NOTIFY. */
struct pfarg_pmd sampling(unsigned int i, uint64_t period);
void add_to(uint64_t *map, unsigned int pmd);
void write_one(int fd, struct pfarg_pmd pmd);
/* The first counter is busy and sampled, nothing else. */
void sample_busily(int fd, uint64_t period);
/* Counter 0 is busy, counters 1 and 2 stand still. */
void program_quietly(int fd);
/* All that a read tells of it. */
struct pfarg_pmd read_back(int fd, unsigned int n);
/* Without a format; watches the caller himself, busily. */
int busy_self(uint32_t flags);
/* Of the first counter. */
uint64_t sampled_value(int fd);
/* Unloaded, and no PMD of pmu()->pmds is sampled any more. */
void end_sampling(int fd);

/* ---- messages ------------------------------------------------------------------------- */

bool message_waits(int fd);
/* The next one, which has to be of an overflow; may wait for it. */
struct pfarg_ovfl_msg next_overflow(int fd);
/* The caller watches himself: spins until there is one, or it is masked. */
void spin_until_message(int fd);
void spin_until_masked(int fd);
unsigned int state_of(int fd);
/* EBUSY, nothing to restart. */
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
/* Of the format's: header and one entry with all PMDs. */
uint64_t largest_entry(void);
uint64_t least_size(void);
/* Entries with @values each until a buffer of @size is full. */
uint64_t entries_until_full(uint64_t size, unsigned int values);
/* The caller watches himself: until there are so many. */
void fill_to(header_t header, uint64_t entries);
/* Count and offset agree, if each entry has so many values. */
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

/* ---- work of which exactly so much is counted --------------------------------------------- */

/*
 * Page faults with the software PMU; cycles with others under --icount, where the
 * counters of a context count the same to the last.
 */
void need_exact_work(void);
void program_exact(int fd, unsigned int count);
/* About so many events, rather more. */
void exact_work(uint64_t events);
/* So many that a sample costs less than they do. */
uint64_t exact_period(void);
/* For child_call(): until page->stop; counts page->turns. */
uint64_t exact_work_until_stopped(uint64_t unused);

/* So many instructions (a multiple of 10), but for a few inside of a known place. */
void sampled_loop(uint64_t instructions);
bool is_in_loop(uint64_t ip);
/* For child_call(): that, until page->stop; counts page->turns. */
uint64_t loop_until_stopped(uint64_t unused);

/* A child does, until loop_end(). */
void loop_begin(const struct child *child);
void loop_end(const struct child *child);

/**
 * struct chain - samples of a PMD beside a counter of the same event that nobody resets
 *
 * Both stand still together, so each sample must tell of as many events between it and
 * the one before as the PMD's own value says: none is lost, doubled or made up.
 *
 * @pmd: the one
 * @other: the other one; each sample has the values of both, and @pmd < @other
 * @period: with which @pmd began
 * @last: value of @other then
 * @samples: found
 * @residue: value of @pmd in the last sample: events between its overflow and it
 * @skid: all of these together
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

/* Counter @i sampled beside counter @other, both from now on; not loaded. */
struct chain chain_begin(int fd, unsigned int i, unsigned int other, uint64_t period);
/* Those of its entries that are the chain's; each entry has the two values. */
void chain_follow(struct chain *chain, header_t header);
/* And what has been counted since the last sample: stopped, unloaded or masked. */
void chain_end(struct chain *chain, int fd);

#endif
