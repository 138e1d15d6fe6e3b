/* SPDX-License-Identifier: GPL-2.0-only */
/* Helpers for the suites about stacks: contexts with format "callchain", and its entries. */
#ifndef CALLCHAIN_H
#define CALLCHAIN_H

#include <perfmon/perfmon_armv8.h>
#include <perfmon/perfmon_callchain.h>

#include "formats.h"

#define MIB	(1ul << 20)
#define DEEPEST PFM_CALLCHAIN_MAX_DEPTH

/*
 * True if PFM_CALLCHAIN_LINK adds the link register to each recorded stack. On POWER, a recorded
 * stack contains the link register only if no frame contains the same address.
 */
#if defined(__aarch64__)
#define HAS_LINK true
#else
#define HAS_LINK false
#endif

/*
 * A NESTED function that calls other functions has a frame, so its caller is in the recorded
 * stacks.
 */
#define NESTED __attribute__((noipa, optimize("no-omit-frame-pointer")))

typedef const struct pfm_callchain_entry *entry_t;

struct callchain {
	int fd;
	const volatile struct pfm_dfl_smpl_hdr *header;
};

/*
 * Lets a counter count whenever the thread runs. Returns an argument for pfm_write_pmds() that
 * gives this counter random periods. With --icount, the guest's clock counts instructions. So if
 * all periods were equal, all samples could be at the same instruction of a loop, and none in a
 * function that the loop calls.
 */
struct pfarg_pmd callchain_pmd(int fd);
/* Creates a context with format "callchain" that samples the counter of callchain_pmd(). */
struct callchain callchain_of(const struct pfm_callchain_arg *argument);
struct callchain callchain_new(uint32_t flags); /* buffer of 1 MiB */
void callchain_free(struct callchain *chain);
void callchain_start(const struct callchain *chain, pid_t tid);
/* Sleeps until there are @samples entries. */
void wait_for_samples(const struct callchain *chain, uint64_t samples);

/*
 * Checks all entries in the buffer. Must be called while no CPU writes entries, for example after a
 * stop. @is_root: true if the loader may see kernel addresses. Returns the number of entries.
 */
uint64_t must_be_whole_chains(const struct callchain *chain, bool is_root);

static inline const uint64_t *values_of(entry_t entry)
{
	return (const uint64_t *)(entry + 1);
}

static inline const uint64_t *kernel_of(entry_t entry)
{
	return values_of(entry) + entry->value_count;
}

static inline const uint64_t *user_of(entry_t entry)
{
	return kernel_of(entry) + entry->kernel_count;
}

static inline entry_t entry_after(entry_t entry)
{
	return (entry_t)(user_of(entry) + entry->user_count);
}

static inline entry_t end_of(const struct callchain *chain)
{
	return (entry_t)((const char *)chain->header + chain->header->hdr_cur_offs);
}

#define for_each_entry(entry, chain)                                                     \
	for ((entry) = (entry_t)((chain)->header + 1); (entry) < end_of(chain);          \
	     (entry) = entry_after(entry))

/*
 * Returns whether the interrupt came after the counters were started, but before the kernel had
 * switched to the thread. In this case, the sampled stack belongs to another thread. This happens
 * with the NMIs of x86 PMUs. It also happens on POWER if the interrupt acts like an NMI.
 */
static inline bool is_in_switch(entry_t entry)
{
	return (pmu_is("power") || pmu_is("intel") || pmu_is("amd")) &&
	       entry->kernel_count == 1 && entry->user_count == 1;
}

static inline bool is_of_kernel(uint64_t address)
{
	return address >> 63;
}

/* Start and end of a kernel function. */
struct function {
	uint64_t begin;
	uint64_t end;
};

struct function find_function(const char *name);
/* Returns the start and end of a whole module. */
struct function find_module(const char *name);
static inline bool is_in(uint64_t address, const struct function *function)
{
	return address >= function->begin && address < function->end;
}

/* Returns whether an address in the kernel's part of the entry is in @function. */
bool passes(entry_t entry, const struct function *function);

#endif
