/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Helpers for the suites about sampling with inheritance: contexts that have a buffer for each CPU,
 * and children that are sampled.
 */
#ifndef INHERIT_SAMPLING_H
#define INHERIT_SAMPLING_H

#include <perfmon/perfmon_nway.h>

#include "formats.h"
#include "samples.h"

#define MOST_CPUS 16
#define REGIONS	  8u
/*
 * Number of sampling periods for which a child of fork_worker() works. Each period has
 * exact_period() events.
 */
#define PERIODS	  20

/* A context with a buffer for each CPU. */
struct family {
	int fd;
	unsigned int cpus;
	const void *buffers[MOST_CPUS];
};

/* These functions create a context and map its buffers. */
struct family family_of(uint32_t flags, const char *format, const void *argument,
			size_t size);
struct family nway_family(uint32_t flags);
/* Like family_of(), with format "default". Each buffer is full after one sample. */
struct family default_family(uint32_t flags);
/* Like default_family(), but also samples a counter that counts whenever the thread runs. */
struct family busy_family(uint64_t period);

const volatile struct pfm_nway_hdr *nway_of(const struct family *family,
					    unsigned int cpu);
header_t linear_of(const struct family *family, unsigned int cpu);

/*
 * Returns whether the interrupt of prompt_counter() comes exactly at its overflow, so that each
 * period has a sample. If the interrupt comes later, the sampled counter may count many events
 * between an overflow and its sample.
 */
bool overflows_are_prompt(void);

/* Forks a child that works on @cpu for PERIODS periods and exits. */
pid_t fork_worker(const struct family *family, unsigned int cpu);

/*
 * Forks a child that loops on @cpu until end_looper(). The child has closed its copy of the
 * context's descriptor.
 */
pid_t fork_looper(const struct family *family, unsigned int cpu);
void end_looper(pid_t pid);

#endif
