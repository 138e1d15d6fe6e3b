/* SPDX-License-Identifier: GPL-2.0-only */
/* Helpers for the suites about overflow interrupts that come late or do not come. */
#ifndef X86_OVERFLOWS_H
#define X86_OVERFLOWS_H

#include "measure.h"
#include "x86_registers.h"

/*
 * A counter has 46 or 30 bits in hardware. 2^46 is a multiple of 2^30, so both kinds of counter
 * wrap when their PMD reaches WRAP.
 */
#define WRAP BIT(46)
#define LOOP 10000ull

/**
 * struct seen - numbers of interrupts and overflows; several members may count the same NMI
 * @nmis: NMIs of all kinds
 * @unknown: NMIs that the kernel reported as unknown
 * @late: NMIs that found no overflow, but that the module accepted as its own
 * @spurious: NMIs that found no overflow although a set was counting
 * @regular: NMIs that found an overflow
 * @replayed: overflows that were found when the counters were halted
 */
struct seen {
	uint64_t nmis;
	uint64_t unknown;
	uint64_t late;
	uint64_t spurious;
	uint64_t regular;
	uint64_t replayed;
};

/*
 * With shared counters, the interrupts go to perf's handler, which accepts some interrupts that our
 * handler would not accept. So if this variable is true, must_see() compares only @unknown and the
 * sum of @regular and @replayed.
 */
extern bool interrupts_are_shared;

void look(void);
/* Returns how many interrupts and overflows there were since the last call of look(). */
struct seen seen(void);
/* Checks that the interrupts and overflows since the last call of look() are those in @wanted. */
void must_see(struct seen wanted);

/* Lets counter @n wrap after @distance events. */
void set_distance(int fd, unsigned int n, uint64_t distance);
/*
 * Returns a context that is loaded on the caller. Its counter 0 wraps after @distance instructions
 * at @levels. Its counter 1 counts the same events, beginning at 0.
 */
int context_near_wrap(uint64_t distance, unsigned int levels);
/* Counts a loop of LOOP instructions. */
void run_loop(int fd);
void run_and_see(int fd, struct seen wanted);
/*
 * Checks that counter 0 lost no count when it wrapped. It began @distance events before the wrap.
 */
void must_agree(int fd, uint64_t distance);

/**
 * struct found - numbers of overflows near a stop, by the way in which they were found
 * @regular: the interrupt found the overflow before the stop
 * @left: the interrupt came during the stop and did not handle the overflow; the stop found it
 * @late: the stop found the overflow, and the interrupt came later
 */
struct found {
	unsigned int regular;
	unsigned int left;
	unsigned int late;
};

/*
 * Checks that the context had one overflow and one interrupt since the last call of look(). The
 * overflow must have come CLOSE_TO_THE_END instructions after the start. Increments the member of
 * @found that says how the overflow was found. The message of a failure contains @turn.
 */
void must_be_found(int fd, struct found *found, unsigned int turn);
/* Checks that no member of @found is 0. */
void must_have_all(const struct found *found);

/*
 * With this distance the counter wraps near the end of the loop, so a delayed interrupt comes after
 * the stop.
 */
#define CLOSE_TO_THE_END (LOOP - 100)

#endif
