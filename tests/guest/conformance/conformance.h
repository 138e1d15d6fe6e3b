/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perfmon-conformance: tests what every PMU module must do. The tests count with contexts, and
 * compare the counts with reference values that do not come from the module.
 *
 * For each PMC that controls a counter, the tests use a first value and, if there is one, a second
 * value. While all PMCs of a counter contain their first values, the counter counts whenever the
 * thread runs. While they contain their second values, the counter counts nothing. If only some of
 * a counter's PMCs have a second value, the other PMCs keep their first value. If none of its PMCs
 * has a second value, some tests leave the counter out.
 */
#ifndef CONFORMANCE_H
#define CONFORMANCE_H

#include "measure.h"

#define MILLION		    1000000ull
#define CONFORMANCE_SECONDS 300 /* per test, because debug guests are slow */
#define SETTINGS_MAX	    4

/**
 * struct setting - a PMC that controls a counter, and two values for this PMC
 * @value: if all PMCs of the counter have their @value, it counts while the thread runs
 * @quiet: if all PMCs of the counter have their @quiet, it counts nothing; valid only if has_quiet
 *	of the counter is true
 */
struct setting {
	unsigned int pmc;
	uint64_t value;
	uint64_t quiet;
};

/* The quantity that a counter counts, if this quantity can also be measured without the counter. */
enum truth {
	TRUTH_UNKNOWN, /* unknown: the tests measure it with the counter itself */
	TRUTH_INSTRUCTIONS, /* the instructions of loop() */
	TRUTH_CYCLES, /* cycles, as perf_event counts them; under --icount a cycle takes 1 ns */
	TRUTH_NS, /* nanoseconds of CPU time */
	TRUTH_TICKS, /* ticks of time_counter() while the thread runs */
};

/**
 * struct counter - a counter of the PMU
 * @settings: values of @setting_count PMCs
 * @has_quiet: true if every element of @settings has a valid quiet value
 * @truth: the quantity that the counter counts; the reference values are measurements of this
 *	quantity
 * @width: number of bits of the counter's hardware register, as sysfs shows it
 * @follows_work: true if counts are proportional to instructions, false if they are proportional to
 *	time; see calibrate()
 * @rate: counts per ns of CPU time, or per instruction of loop()
 */
struct counter {
	unsigned int pmd;
	struct setting settings[SETTINGS_MAX];
	unsigned int setting_count;
	bool has_quiet;
	enum truth truth;
	unsigned int width;
	bool follows_work;
	double rate;
};

/* Parses "PMD:PMC=VALUE[/QUIET][,PMC=VALUE[/QUIET]]...[@TRUTH]". Returns whether @text is valid. */
bool counter_add(const char *text);
/* Module parameters for the test that loads the module again. */
extern const char *module_parameters;

/*
 * The next four functions return the PMU's description, the name of its module, the number of its
 * counters, and one of its counters. The test fails if no PMU module is loaded.
 */
const struct pfm_info *information(void);
const char *module_of_the_pmu(void);
unsigned int counter_count(void);
const struct counter *counter_at(unsigned int i);
uint64_t mask_of(const struct counter *counter);
const char *register_file(const char *kind, unsigned int n, const char *file);
uint64_t register_number(const char *kind, unsigned int n, const char *file);
bool has(const uint64_t *map, unsigned int n);

/* Sets @counter->rate and @counter->follows_work. The caller's process must not have a context. */
void calibrate(struct counter *counter);
/* Calibrates all counters, in another process, because the caller's thread may have a context. */
void must_be_calibrated(void);

/*
 * Sets @counter to each counter in turn. The variable subject then contains the name of this
 * counter. Messages about failures in the loop begin with this name.
 */
#define for_each_counter(counter)                                                        \
	for (unsigned int counter_i = 0;                                                 \
	     counter_i < counter_count() && (counter = subject_counter(counter_i));      \
	     counter_i++)
const struct counter *subject_counter(unsigned int i);

/*
 * In @busy and @quiet, bit i stands for counter_at(i). For each counter in @busy, program() writes
 * the values of its settings to its PMCs. For each counter in @quiet, it writes the quiet values.
 * The PMDs of all these counters get 0. If some of these counters share a PMC, this PMC gets the OR
 * of their values. context_with() does this for a new context. context_on() also loads the new
 * context on @tid, and starts it.
 */
#define ALL_COUNTERS (~0ull)
void program(int fd, uint64_t busy, uint64_t quiet);
int context_with(uint64_t busy, uint64_t quiet);
int context_on(pid_t tid, uint64_t busy, uint64_t quiet);
static inline uint64_t set_of_counter(const struct counter *counter)
{
	for (unsigned int i = 0;; i++)
		if (counter_at(i) == counter)
			return BIT(i);
}

/**
 * struct done - what a thread did while a counter ran
 * @least: lower bound of the thread's time in ns; the thread itself measured it while the counter
 *	ran
 * @most: upper bound of the thread's time in ns: the CPU time that the kernel accounted or, if the
 *	thread never slept, the larger of its CPU time and the elapsed time
 * @instructions: number of instructions that loop() executed
 * @switched: false if the thread was never switched out
 */
struct done {
	uint64_t least;
	uint64_t most;
	uint64_t instructions;
	bool switched;
};

/* Adds to @sum what the thread did in one more part of a test. */
void add_part(struct done *sum, const struct done *part);

void must_count(const struct counter *counter, const char *what, uint64_t count,
		const struct done *done);
/* Returns the approximate count for loop(@instructions). */
uint64_t expected(const struct counter *counter, uint64_t instructions);
/* Starts the context, executes loop(@instructions), and stops the context. */
struct done run(int fd, uint64_t instructions);
/*
 * Programs @counter in the context, loads the context on this thread, and checks that the counter
 * counts correctly from 0.
 */
void must_count_right(int fd, const struct counter *counter);

/* work_begin() lets the child work. work_end() ends this work, and describes the work in @done. */
struct done work_begin(const struct child *child);
void work_end(const struct child *child, struct done *done);
/* Checks the count of @counter, which was 0 before the work that @done describes. */
void must_count_work(int fd, const struct counter *counter, const struct done *done);

#endif
