/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perfmon-conformance: what any PMU module must do, tested through contexts, against
 * truths from outside of the module.
 *
 * What has to be known of a PMU is, for some of its counters, how to make them count
 * all the time that a thread runs, and how to make them stand still.
 */
#ifndef CONFORMANCE_H
#define CONFORMANCE_H

#include "measure.h"

#define MILLION		    1000000ull
#define CONFORMANCE_SECONDS 300 /* of a test; debug guests are slow */
#define SETTINGS_MAX	    4

/**
 * struct setting - value of a PMC that drives a counter
 * @value: with these of all its PMCs the counter counts while the thread runs
 * @quiet: with these it counts nothing, if the counter has any
 */
struct setting {
	unsigned int pmc;
	uint64_t value;
	uint64_t quiet;
};

/* What a counter counts, for those whose count can be told without it. */
enum truth {
	TRUTH_UNKNOWN, /* compared with itself only */
	TRUTH_INSTRUCTIONS, /* as many as loop() has */
	TRUTH_CYCLES, /* as perf_event says; under --icount one for each ns */
	TRUTH_NS, /* of CPU time */
	TRUTH_TICKS, /* of time_counter(), while the thread runs */
};

/**
 * struct counter - a counter of the PMU
 * @settings: of @setting_count PMCs
 * @has_quiet: @settings[].quiet are known
 * @truth: what it has to be compared with
 * @width: bits in hardware, from sysfs
 * @follows_work: it counts work (instructions), not time (cycles); see calibrate()
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

/* "PMD:PMC=VALUE[/QUIET][,PMC=VALUE[/QUIET]]...[@TRUTH]"; false if it cannot be that. */
bool counter_add(const char *text);
/* Parameters that the module is loaded with, for the test that loads it anew. */
extern const char *module_parameters;

/* The PMU's module, counters and description; the test fails if it has none. */
const struct pfm_info *information(void);
const char *module_of_the_pmu(void);
unsigned int counter_count(void);
const struct counter *counter_at(unsigned int i);
uint64_t mask_of(const struct counter *counter);
const char *register_file(const char *kind, unsigned int n, const char *file);
uint64_t register_number(const char *kind, unsigned int n, const char *file);
bool has(const uint64_t *map, unsigned int n);

/* Finds out @rate and @follows_work, in a process without a context. */
void calibrate(struct counter *counter);

/* For all counters, one after the other; @subject names the one. */
#define for_each_counter(counter)                                                        \
	for (unsigned int counter_i = 0;                                                 \
	     counter_i < counter_count() && (counter = subject_counter(counter_i));      \
	     counter_i++)
const struct counter *subject_counter(unsigned int i);

/*
 * Sets of counters are bits as counter_at() numbers them.  PMCs that several of them
 * share get all their values, or-ed.
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
 * @least: CPU time, ns, that it saw pass
 * @most: CPU time that the kernel accounted; if it worked all the time, time that passed
 * @instructions: of loop()
 */
struct done {
	uint64_t least;
	uint64_t most;
	uint64_t instructions;
};

void must_count(const struct counter *counter, const char *what, uint64_t count,
		const struct done *done);
/* What the counter makes of loop(@instructions), about. */
uint64_t expected(const struct counter *counter, uint64_t instructions);
/* Starts, loops, stops. */
struct done run(int fd, uint64_t instructions);
/* The counter counts right, from 0, programmed anew in a context on this thread. */
void must_count_right(int fd, const struct counter *counter);

/* A child that works, for child_begin(): what it did since. */
struct done work_begin(const struct child *child);
void work_end(const struct child *child, struct done *done);
/* Its count since PMD @counter was 0. */
void must_count_work(int fd, const struct counter *counter, const struct done *done);

#endif
