/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the suites about the sampling formats share: modules that are loaded for a test
 * and gone after it, contexts, buffers as bytes.
 */
#ifndef FORMATS_H
#define FORMATS_H

#include "measure.h"

/* Runs @check apart; then no module of a format is loaded, and none was in use. */
void with_formats(void (*check)(void));

/* On an open descriptor; @size of the argument. */
int try_format(int fd, const char *name, const void *argument, size_t size);
/* These must succeed. */
int format_context(const char *name, const void *argument, size_t size);
const void *format_buffer(int fd, size_t size);

/* An argument that a format refuses, and why. */
struct refusal {
	const char *what;
	const void *argument;
	size_t size;
	unsigned int reason;
};

/* All of them are EINVAL; @argument is not, on the same descriptor. */
void must_refuse(const char *name, const struct refusal *refusals, size_t count,
		 const void *argument, size_t size);

/* Events of a busy counter between two samples: ns, about. */
uint64_t format_period(void);
/*
 * The first @counters are busy, one of them, @i, is sampled with this period, flags and
 * PMDs to be recorded.
 */
void sample_counter(int fd, unsigned int i, uint64_t period, uint32_t flags,
		    const unsigned int *recorded, size_t count);
void use_counters(int fd, unsigned int counters);

/* Samples given to formats since then, which only the core counts. */
uint64_t samples_taken(void);
/* PMDs that can be recorded with a sample. */
unsigned int pmds_in_all(void);
/* Of a struct pfm_dfl_smpl_entry with so many values. */
size_t entry_bytes(unsigned int values);

/* The number of so many bytes there, as it stands in memory. */
uint64_t number_at(const void *memory, size_t offset, size_t bytes);
void must_be_zero(const void *memory, size_t offset, size_t bytes);

/* What another CPU is writing: what it published before is to be seen. */
#define published(pointer) __atomic_load_n(pointer, __ATOMIC_ACQUIRE)

#endif
