/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events and counters of the hardware PMUs, and functions that skip a test if the PMU lacks
 * something that the test needs.
 */
#ifndef EVENTS_H
#define EVENTS_H

#include <perfmon/perfmon_armv8.h>

#include "guest.h"

/* Events of PMUv3. QEMU implements INSTRUCTIONS only under --icount. */
#define CPU_CYCLES     0x11
#define INSTRUCTIONS   0x08
#define USER	       PFM_ARMV8_PMC_EXCLUDE_KERNEL
#define KERNEL	       PFM_ARMV8_PMC_EXCLUDE_USER
#define EVENT_COUNTERS 6 /* number of event counters of the guest's CPU */

#define BIT(n)	       (1ull << (n))

#define AT_USER	       1u
#define AT_KERNEL      2u
#define AT_BOTH	       (AT_USER | AT_KERNEL)
#define MOST_COUNTERS  32

/* ---- PMUs whose PMCs select an event and levels: need_levels() ------------------------------ */

bool selects_levels(void);
/*
 * These functions return the PMC value that lets a counter count instructions, or cycles, at
 * @levels. If @levels is 0, the counter counts nothing.
 */
uint64_t instructions(unsigned int levels);
uint64_t cycles(unsigned int levels);
/*
 * Returns the number of counters that can count every event. They begin with PMD 0 and end before
 * the first PMD that is not available.
 */
unsigned int event_counters(void);
/*
 * Returns the number of a PMD that can count cycles. Its PMC has the same number. Under --icount,
 * this counter interrupts exactly at the event that makes it overflow. On Armv8, only the cycle
 * counter does so. On x86, all counters do so, and this function returns the last one,
 * event_counters() - 1.
 */
unsigned int prompt_counter(void);
/* Returns the PMC value that makes prompt_counter() count cycles at @levels. */
uint64_t prompt_cycles(unsigned int levels);
/* Returns the number of counters that can count every event and are not prompt_counter(). */
unsigned int other_counters(void);
/* Returns the number of events after which counter @n wraps in hardware. */
uint64_t wrap_of(unsigned int n);
/*
 * Makes each available counter count instructions or cycles at user level. Under --icount each
 * instruction takes one cycle, so both events have the same count. Stores the numbers of these
 * counters in @numbers (MOST_COUNTERS elements), and returns how many counters there are.
 */
unsigned int use_all_counters(int fd, unsigned int *numbers);
/*
 * Returns whether the PMU has a register that starts and stops all counters at the same time. On
 * x86, perfmon does not use this register if it shares the counters with perf.
 */
bool starts_at_once(void);
/*
 * Returns whether this is an x86 PMU that shares its counters with perf. Such counters are started
 * and stopped one by one.
 */
bool counters_are_shared(void);
/*
 * Returns true if an operation on a counter never affects another counter. Then contexts on threads
 * and contexts on CPUs can use counters of the PMU at the same time.
 */
bool counters_are_independent(void);

/* ---- any PMU -------------------------------------------------------------------------------- */

/* Writes a PMC so that PMD @n counts at all levels, whenever the thread runs. */
void program_busy_counter(int fd, unsigned int n);
/*
 * Sets up a counter that counts whenever the thread runs, and samples it with @period. Chooses a
 * counter whose interrupts come without delay under --icount. Returns the number of its PMD.
 */
unsigned int sample_promptly(int fd, uint64_t period, uint32_t flags);

/* ---- what a test needs ---------------------------------------------------------------------- */

/*
 * Skips the test unless selects_levels(). On such a PMU, the PMC that drives an event counter has
 * the number of this counter.
 */
void need_levels(void);
/* Like need_levels(), but also skips the test unless the guest counts instructions exactly. */
void need_known_instructions(void);
/* Skips the test unless counters_are_independent(), and the guest counts instructions exactly. */
void need_independent_counters(void);
/* Skips the test unless the guest counts user-level instructions exactly. */
void need_user_instructions(void);
/* Skips the test unless the PMU is Armv8's and the guest counts instructions exactly. */
void need_exact_counts(void);
void need_armv8(void);
void need_power(void);
/* Skips the test unless the PMU is Intel's or AMD's. Returns the name of the PMU's module. */
const char *need_x86(void);
/*
 * QEMU before version 10 raises no overflow interrupts on POWER. In such a guest, skips the test.
 */
void need_overflow_interrupts(void);

#endif
