/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the suites about right numbers share: work of a known size, truths from
 * outside of perfmon, and tests with another PMU module.
 */
#ifndef MEASURE_H
#define MEASURE_H

#include <linux/perf_event.h>
#include <perfmon/perfmon_armv8.h>
#include <perfmon/perfmon_soft.h>

#include "guest.h"

/* PMU events of PMUv3; QEMU has instructions only under -icount. */
#define CPU_CYCLES     0x11
#define INSTRUCTIONS   0x08
#define USER	       PFM_ARMV8_PMC_EXCLUDE_KERNEL
#define KERNEL	       PFM_ARMV8_PMC_EXCLUDE_USER
#define EVENT_COUNTERS 6 /* those of the guest's CPU */

#define BIT(n)	       (1ull << (n))
#define MILLION	       1000000ull
#define MS	       1000000ull /* in ns */

/* Exactly so many instructions, a multiple of 10 and not 0, and a few around them. */
void loop(uint64_t instructions);

/* The guest's clock counts instructions, 1 ns each, on one CPU (run --icount). */
bool is_deterministic(void);

/* Ends the test unless known instructions can be counted by hardware. */
void need_exact_counts(void);
void need_armv8(void);
void need_power(void);
/* QEMU's POWER raises none before version 10. */
void need_overflow_interrupts(void);
void need_cpus(unsigned int count);
/*
 * A busy counter is sampled each @period, one whose interrupts come in time under --icount:
 * of QEMU's Armv8 only the cycle counter's do, the others' wait for the next tick.  Returns
 * its PMD.
 */
unsigned int sample_promptly(int fd, uint64_t period, uint32_t flags);

/* wanted - tolerance <= value <= wanted + tolerance */
#define must_be_near(value, wanted, tolerance)                                           \
	do {                                                                             \
		uint64_t near_value = (value), near_wanted = (wanted);                   \
		uint64_t near_by = (tolerance);                                          \
		ck_assert_msg(near_value + near_by >= near_wanted &&                     \
				      near_value <= near_wanted + near_by,               \
			      "%s is %llu, not %llu within %llu", #value,                \
			      (unsigned long long)near_value,                            \
			      (unsigned long long)near_wanted,                           \
			      (unsigned long long)near_by);                              \
	} while (0)

#define must_be_between(value, least, most)                                              \
	do {                                                                             \
		uint64_t between_value = (value);                                        \
		uint64_t between_least = (least), between_most = (most);                 \
		ck_assert_msg(between_value >= between_least &&                          \
				      between_value <= between_most,                     \
			      "%s is %llu, not %llu to %llu", #value,                    \
			      (unsigned long long)between_value,                         \
			      (unsigned long long)between_least,                         \
			      (unsigned long long)between_most);                         \
	} while (0)

/* ---- truths of the caller's thread, or of another one ---------------------------- */

uint64_t monotonic_time(void); /* ns */
/* The machine's counter of time, as a program reads it without the kernel. */
uint64_t time_counter(void);
/* The same in ns; only if is_deterministic(): instructions of all that ran. */
uint64_t instruction_time(void);
/* That one where it is exact, else monotonic_time(): what passes for all. */
uint64_t elapsed_time(void);
uint64_t switches(pid_t tid); /* voluntary and not, /proc/TID/status */
uint64_t migrations(pid_t tid); /* /proc/TID/sched */
uint64_t major_faults(void);
uint64_t cpu_time_of(pid_t pid); /* ns, of a process of one thread */

/*
 * Bounds of a clock of a thread (cycles in QEMU are ns of the guest's clock, which
 * all CPUs share, so that a busy counter is a clock, too):
 *
 * @least: CPU time that the thread saw pass in work().
 * @most: all CPU time that the kernel accounts.  It begins when the thread is woken,
 * our count when it is switched in: if the CPU was idle the host has to run that
 * one first, which can take ms.  It ends when the scheduler is entered, our count
 * some us later.
 *
 * Under --icount there is no host.  What is left is the rounding of clocks, 20 us, and some
 * us of each switch, between the scheduler's look at its clock and our hook: up to 1 % and
 * 1 ms of @most.  In a kernel that checks itself these are also 0.2 % of @least.
 * Elsewhere 1 % of @least and 2 % of @most for two clocks that are not read at once, and
 * 20 ms for a host that was elsewhere in between.  So @most is taken before the count
 * begins and after it ends: the thread may run in between, for as long as the host likes.
 */
void must_be_cpu_time(const char *what, uint64_t count, uint64_t least, uint64_t most);
/*
 * The most that interrupts and switches take there, ns: 1 % and 1 ms; ten times that in a
 * kernel that checks itself.
 */
uint64_t interrupts_within(uint64_t time);

/* Loops; returns the CPU time it took, 0 if the thread was moved meanwhile. */
uint64_t work(uint64_t instructions);
/* For child_call(): works till page->stop, counts page->turns, returns its time. */
uint64_t work_until_stopped(uint64_t unused);

/* ---- contexts --------------------------------------------------------------------- */

/* A context with PMD @n in use from 0, driven by PMC @n with this value. */
int context_of(unsigned int n, uint64_t pmc);
void use(int fd, unsigned int n, uint64_t pmc, uint64_t value);
/* A context that uses these PMDs below 64, one bit each, all PMCs at their defaults. */
int context_using(uint64_t pmds);
/* All of them by one call, so that they belong together as well as they can. */
void read_pmds(int fd, const unsigned int *numbers, uint64_t *values, int count);
/*
 * As write_pmc(), write_pmd() and read_pmd(), but an error aborts: few instructions,
 * always the same, where an assertion of libcheck writes to a pipe even if it
 * holds.
 */
void poke_pmc(int fd, unsigned int n, uint64_t value);
void poke_pmd(int fd, unsigned int n, uint64_t value);
uint64_t peek_pmd(int fd, unsigned int n);
/* Starts, loops, stops; returns what PMD @n counted more. */
uint64_t count_loop(int fd, unsigned int n, uint64_t instructions);
/* Pinned to a CPU. */
void pin_thread(pid_t tid, unsigned int cpu);

/* A statistic of perfmon, summed up over all CPUs. */
uint64_t statistic(const char *name);
uint64_t statistic_of(unsigned int cpu, const char *name);

/* ---- competitors -------------------------------------------------------------------- */

/* Processes that use all they get of the caller's CPUs, until competitors_end(). */
void competitors_begin(unsigned int count);
void competitors_end(void);

void cpu_online(unsigned int cpu, bool online);

/*
 * Runs @check with that PMU module loaded with these parameters and puts back
 * what was loaded before, whatever became of @check.
 */
void with_pmu(const char *module, const char *parameters, void (*check)(void));
/* The same with CPUs, which @check may take offline, brought back. */
void with_all_cpus_back(void (*check)(void));
void all_cpus_back(void);
/* The same with a module that has no parameters, unloaded after it. */
void with_module(const char *name, void (*check)(void));
/* The same with whatever @put_back puts back. */
void then_put_back(void (*check)(void), void (*put_back)(void));

/* ---- perf ----------------------------------------------------------------------------- */

/* perf_event_open of a raw hardware event, not yet enabled; -1 and errno. */
int perf_open(uint64_t event, bool user_only, pid_t tid, int cpu, int group);
/* Enabled at once: it counts whenever the thread runs, or is in error for good. */
int perf_open_pinned(uint64_t event, pid_t tid);
int perf_open_sampling(uint64_t event, uint64_t period, pid_t tid, int cpu);
void perf_enable(int fd);
void perf_disable(int fd);

struct perf_count {
	uint64_t value;
	uint64_t enabled; /* ns */
	uint64_t running; /* ns */
};

struct perf_count perf_read(int fd);

#endif
