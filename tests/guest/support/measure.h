/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Helpers for the suites about counts: work of a known size, reference values from outside of
 * perfmon, and tests with another PMU module.
 */
#ifndef MEASURE_H
#define MEASURE_H

#include <perfmon/perfmon_soft.h>

#include "events.h"
#include "perf.h"

#define MILLION 1000000ull
#define MS	1000000ull /* in ns */

/*
 * Executes @instructions instructions, and a few more before and after them. @instructions must be
 * a multiple of 10, and not 0.
 */
void loop(uint64_t instructions);

/*
 * Returns true if the guest runs with --icount. Then each instruction takes 1 ns of the guest's
 * clock.
 */
bool is_deterministic(void);

/* ---- what a test needs ------------------------------------------------------------------- */

/* events.h declares more functions that skip a test. */
void need_cpus(unsigned int count);

/* wanted - tolerance <= value <= wanted + tolerance */
#define must_be_near(value, wanted, tolerance)                                           \
	do {                                                                             \
		uint64_t near_value = (value), near_wanted = (wanted);                   \
		uint64_t near_by = (tolerance);                                          \
		ck_assert_msg(near_value + near_by >= near_wanted &&                     \
				      near_value <= near_wanted + near_by,               \
			      "%s is %llu, not %llu +- %llu", #value,                    \
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

/* ---- reference values of the caller's thread, or of another thread --------------- */

uint64_t monotonic_time(void); /* ns */
/*
 * Returns the value of the machine's time counter, which a program can read without a system call.
 */
uint64_t time_counter(void);
/*
 * Returns the time counter in ns. May be called only if is_deterministic(). Then the result grows
 * by 1 for each instruction that the guest executes.
 */
uint64_t instruction_time(void);
/*
 * Returns the elapsed time in ns: instruction_time() if is_deterministic(), monotonic_time() if
 * not.
 */
uint64_t elapsed_time(void);
uint64_t switches(pid_t tid); /* voluntary and involuntary, from /proc/TID/status */
uint64_t migrations(pid_t tid); /* /proc/TID/sched */
uint64_t major_faults(void);
/*
 * These functions return the number of minor page faults of all threads of a process, from
 * /proc/PID/stat. minor_faults_of_family() adds the faults of the children that the process has
 * waited for.
 */
uint64_t minor_faults_of(pid_t pid);
uint64_t minor_faults_of_family(pid_t pid);
uint64_t cpu_time_of(pid_t pid); /* CPU time of a process with one thread, ns */

/*
 * The longest time in ns for which the host may stop running the guest's CPUs. If the host's
 * processes have a quota of CPU time, a pause takes up to one period of the quota, 100 ms by
 * default. At a switch the scheduler and perfmon's hook read their clocks one after the other. If
 * the host pauses the guest between the two reads, the kernel and perfmon account this pause to
 * different threads.
 */
#define HOST_PAUSE (120 * MS)

/*
 * Checks that @count is between @least and @most, with some tolerance. @count is in ns. It is the
 * value of a clock that runs while the thread runs. In QEMU, a counter that counts cycles whenever
 * the thread runs can serve as this clock: a cycle takes one nanosecond of the guest's clock, which
 * all CPUs share.
 *
 * @least: CPU time that the thread itself measured, for example with work().
 * @most: CPU time that the kernel accounts. The kernel's time begins when the thread is woken. Our
 * count begins when the thread is switched in. If the CPU was idle, the host must run that CPU
 * first, which can take milliseconds. The kernel's time ends when the scheduler is entered. Our
 * count ends some microseconds later.
 *
 * Under --icount the host has no influence on these times. The count may be below @least by 20 us,
 * because clocks are rounded, and by another 0.01 % of @least (0.2 % in a debug kernel). The count
 * may also be greater than @most, by up to interrupts_within(@most). The reason is that at each
 * switch our hook reads its clock some microseconds after the scheduler has read its own.
 *
 * Without --icount the tolerances are 1 % of @least and 2 % of @most, because the clocks are not
 * read at the same moment. HOST_PAUSE is added to both tolerances, because the host may pause the
 * guest between any two readings. For the same reason, the caller must begin the measurement of
 * @most before the count begins, and end it after the count ends.
 */
void must_be_cpu_time(const char *what, uint64_t count, uint64_t least, uint64_t most);
/*
 * The kernel may account more CPU time at a switch than we count. Returns @least minus the largest
 * difference that @switches switches can cause.
 */
uint64_t less_switches(uint64_t least, uint64_t switches);
/*
 * Returns the longest time in ns that interrupts and switches can take within @time ns, under
 * --icount. This is 1 % of @time plus 1 ms, or ten times as much in a debug kernel.
 */
uint64_t interrupts_within(uint64_t time);

/* Calls loop(). Returns its CPU time in ns, or 0 if the thread migrated during loop(). */
uint64_t work(uint64_t instructions);
/*
 * For child_call(): calls work() until page->stop is set. Increments page->turns after each call.
 * Returns the sum of the CPU times.
 */
uint64_t work_until_stopped(uint64_t unused);

/* ---- contexts --------------------------------------------------------------------- */

/*
 * Returns a bitmap of the PMDs below 64 that are available now. pmu()->info shows which PMDs were
 * available when the process first called pmu().
 */
uint64_t available_pmds(void);
/*
 * Creates a context in which PMD @n is in use and begins at 0. PMC @n drives the PMD and gets the
 * value @pmc.
 */
int context_of(unsigned int n, uint64_t pmc);
void use(int fd, unsigned int n, uint64_t pmc, uint64_t value);
/* Creates a context that uses @pmds, a bitmap of PMDs below 64. All PMCs have their defaults. */
int context_using(uint64_t pmds);
/*
 * Reads the @count PMDs in @numbers with one call, so that the readings are as close together as
 * possible.
 */
void read_pmds(int fd, const unsigned int *numbers, uint64_t *values, int count);
/*
 * Like write_pmc(), write_pmd() and read_pmd(), but an error aborts the test. Each call of such a
 * function must execute the same small number of instructions. So these functions use no assertions
 * of libcheck: even a successful assertion writes to a file.
 */
void poke_pmc(int fd, unsigned int n, uint64_t value);
void poke_pmd(int fd, unsigned int n, uint64_t value);
uint64_t peek_pmd(int fd, unsigned int n);
/* Starts the context, calls loop() and stops the context. Returns by how much PMD @n grew. */
uint64_t count_loop(int fd, unsigned int n, uint64_t instructions);
/* Pins a thread to a CPU. */
void pin_thread(pid_t tid, unsigned int cpu);

/* Returns a statistic of perfmon, summed over all CPUs. */
uint64_t statistic(const char *name);
uint64_t statistic_of(unsigned int cpu, const char *name);

/* ---- competing processes ------------------------------------------------------------ */

/* Starts @count processes that compete with the caller for its CPUs until competitors_end(). */
void competitors_begin(unsigned int count);
void competitors_end(void);

void cpu_online(unsigned int cpu, bool online);

/*
 * Loads PMU module @module with @parameters, and runs @check. Then loads the previous module again,
 * even if @check fails.
 */
void with_pmu(const char *module, const char *parameters, void (*check)(void));
/*
 * Like with_pmu(), but reloads the module of the loaded PMU, with @ownership as its parameter
 * "ownership". Skips the test unless the PMU is Intel's or AMD's and the guest counts instructions
 * exactly.
 */
void with_ownership(const char *ownership, void (*check)(void));
/*
 * Runs @check. Afterwards, the limits on event sets, on their memory, on copies of contexts and on
 * arguments are as before, even if @check fails.
 */
void with_limits_back(void (*check)(void));
/* Runs @check. CPUs that @check takes offline are brought online again, even if @check fails. */
void with_all_cpus_back(void (*check)(void));
void all_cpus_back(void);
/* Loads a module, runs @check and unloads the module again, even if @check fails. */
void with_module(const char *name, void (*check)(void));
void with_parameters(const char *name, const char *parameters, void (*check)(void));
/* Runs @check. Calls @put_back afterwards, even if @check fails. */
void then_put_back(void (*check)(void), void (*put_back)(void));

#endif
