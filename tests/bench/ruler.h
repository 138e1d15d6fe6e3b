/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The ruler is a clock of the guest. Under QEMU's -icount shift=0, the clock advances by one
 * nanosecond with each instruction that the guest executes, at user and kernel level.
 */
#ifndef BENCH_RULER_H
#define BENCH_RULER_H

#include <stdint.h>

#if defined(__aarch64__)

static inline uint64_t ruler_now(void)
{
	uint64_t now;

	asm volatile("mrs %0, cntvct_el0" : "=r"(now) : : "memory");
	return now;
}

static inline uint64_t ruler_frequency(void)
{
	uint64_t frequency;

	asm("mrs %0, cntfrq_el0" : "=r"(frequency));
	return frequency;
}

/* Executes a known number of instructions. Returns this number. */
static inline uint64_t ruler_known_work(uint64_t rounds)
{
	uint64_t left = rounds;

	asm volatile("1: subs %0, %0, #1\n\tb.ne 1b" : "+r"(left) : : "cc");
	return 2 * rounds;
}

#elif defined(__powerpc64__)

#include <sys/platform/ppc.h>

static inline uint64_t ruler_now(void)
{
	uint64_t now;

	asm volatile("mftb %0" : "=r"(now) : : "memory");
	return now;
}

/* The frequency is 512 MHz, so one tick is 1.95 instructions. */
static inline uint64_t ruler_frequency(void)
{
	return __ppc_get_timebase_freq();
}

static inline uint64_t ruler_known_work(uint64_t rounds)
{
	asm volatile("mtctr %0\n1: bdnz 1b" : : "r"(rounds) : "ctr");
	return rounds;
}

#elif defined(__x86_64__)

static inline uint64_t ruler_now(void)
{
	uint32_t low, high;

	asm volatile("rdtsc" : "=a"(low), "=d"(high) : : "memory");
	return (uint64_t)high << 32 | low;
}

/* The frequency of QEMU's TSC under icount. */
static inline uint64_t ruler_frequency(void)
{
	return 1000000000;
}

static inline uint64_t ruler_known_work(uint64_t rounds)
{
	uint64_t left = rounds;

	asm volatile("1: dec %0\n\tjnz 1b" : "+r"(left) : : "cc");
	return 2 * rounds;
}

#else
#error "no ruler for this architecture"
#endif

#endif
