/* SPDX-License-Identifier: GPL-2.0-only */
/* Helpers for the suites about event sets: registers of a set, and turns of sets. */
#ifndef SETS_H
#define SETS_H

#include "samples.h"

#define BY_TIME	    PFM_SETFL_TIME_SWITCH
#define BY_OVERFLOW PFM_SETFL_OVFL_SWITCH

/* ---- one set ------------------------------------------------------------------------- */

int try_set(int fd, unsigned int id, uint32_t flags, uint64_t timeout);
int try_delete(int fd, unsigned int id);
int try_load_set(int fd, pid_t tid, unsigned int id);
int try_start_set(int fd, unsigned int id);
/* The test fails if one of these four calls fails. */
void make_set(int fd, unsigned int id, uint32_t flags, uint64_t timeout);
void delete_set(int fd, unsigned int id);
void load_set(int fd, pid_t tid, unsigned int id);
void start_set(int fd, unsigned int id);
unsigned int active_set(int fd);
uint64_t runs_of(int fd, unsigned int id);
/*
 * Returns the timeout that a set gets if a program requests @timeout. The kernel rounds @timeout up
 * to a multiple of the resolution of its timers.
 */
uint64_t effective(uint64_t timeout);
/* pfm_getinfo_evtsets() must report that the set does not exist. */
void must_have_no_set(int fd, unsigned int id);

/* ---- registers of a set ---------------------------------------------------------------- */

void write_pmc_of(int fd, unsigned int id, unsigned int pmc, uint64_t value);
void write_pmd_of(int fd, unsigned int id, unsigned int pmd, uint64_t value);
uint64_t read_pmd_of(int fd, unsigned int id, unsigned int pmd);
/* Reads PMD @pmd of set @id, and returns all fields that the read has filled in. */
struct pfarg_pmd read_back_of(int fd, unsigned int id, unsigned int pmd);
/* Writes @pmc to PMC @n and @value to PMD @n of set @id. PMC @n of the PMU must drive PMD @n. */
void use_of(int fd, unsigned int id, unsigned int n, uint64_t pmc, uint64_t value);
/* Like program_busy() and program_exact(), but for set @id. */
void program_busy_of(int fd, unsigned int id, unsigned int count);
void program_exact_of(int fd, unsigned int id, unsigned int count);
/*
 * Writes a PMC so that the first counter of set @id counts whenever the thread runs. Brings this
 * counter and the PMDs for task clock and minor faults into use.
 */
void use_busy_counters_of(int fd, unsigned int id);

/* The longest time in ns by which a turn may be shorter than the timeout */
#define EARLY 5000

/* ---- sets that take turns --------------------------------------------------------------- */

/*
 * Makes event sets 0 to @count - 1, which take turns by time. Calls use_busy_counters_of() for each
 * set.
 */
void make_turns(int fd, unsigned int count, uint64_t timeout);

/**
 * struct turns - sums of the counts of all sets that took turns
 * @runs: sum of the runs of all sets
 * @duration: sum of the durations of all sets, ns
 * @faults: sum of PFM_PMD_MINOR_FAULTS, if this PMD is in use in the sets
 * @clock: sum of PFM_PMD_TASK_CLOCK, if this PMD is in use in the sets
 */
struct turns {
	uint64_t runs;
	uint64_t duration;
	uint64_t faults;
	uint64_t clock;
};

/*
 * Checks that the sets have taken turns in the order of @ids. No set may have more runs than the
 * set before it, and the numbers of runs may differ by at most 1. Returns the sums.
 */
struct turns fair_turns(int fd, const unsigned int *ids, unsigned int count);
/* Like fair_turns(), for sets 0 to @count - 1. */
struct turns fair_turns_of(int fd, unsigned int count);
/*
 * Checks that @switches is the right number of set switches for @duration ns of the thread's time:
 * each turn must last about as long as @timeout. The definition of this function explains the
 * tolerances.
 */
void switches_must_fit(uint64_t switches, uint64_t duration, uint64_t timeout);

/**
 * struct watch - CPU time that the kernel reports for a monitored thread other than the caller
 * @pid: process of the monitored thread. The process has no other thread
 * @outer: CPU time in ns, measured from before the start until after the stop
 * @inner: CPU time in ns, measured from after the start until before the stop
 * @switches: context switches of the thread, from before the start until after the stop
 */
struct watch {
	pid_t pid;
	uint64_t outer;
	uint64_t inner;
	uint64_t switches;
};

/* Starts the context; watch_end() stops it. */
struct watch watch_begin(int fd, pid_t pid);
void watch_end(int fd, struct watch *watch);
/* Checks that the durations in @turns agree with the CPU times in @watch. */
void must_be_watched(const struct turns *turns, const struct watch *watch);

/*
 * Moves the child between two CPUs while it works. Returns the CPU time in ns of all work during
 * which the child was not moved. On a busy host, that may be only a part of the child's CPU time.
 */
uint64_t work_on_two_cpus(const struct child *child);

/*
 * Unloads the context and clears the flags of set 0, so that this set stays active. Then checks
 * that the counts of set 0 are right.
 */
void set_zero_must_be_right(int fd);

#endif
