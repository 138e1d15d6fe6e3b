/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Helpers for the suites about sampling formats. with_formats() runs a test that loads formats. The
 * other helpers create contexts, or read bytes of a buffer.
 */
#ifndef FORMATS_H
#define FORMATS_H

#include "measure.h"

/* Runs @check in another process, and then unloads the modules of all formats. */
void with_formats(void (*check)(void));

/* Creates a context on an open descriptor. @size is the size of @argument in bytes. */
int try_format(int fd, const char *name, const void *argument, size_t size);
/*
 * format_context() opens the device and creates a context. format_buffer() maps the buffer. The
 * test fails if one of these calls fails.
 */
int format_context(const char *name, const void *argument, size_t size);
const void *format_buffer(int fd, size_t size);

/* An argument that a format refuses, and the reason. */
struct refusal {
	const char *what;
	const void *argument;
	size_t size;
	unsigned int reason;
};

/*
 * Creating a context must fail with EINVAL for each of @refusals. Afterwards, creating a context
 * with @argument must succeed on the same descriptor.
 */
void must_refuse(const char *name, const struct refusal *refusals, size_t count,
		 const void *argument, size_t size);

/*
 * Returns a sampling period, in events, for a counter that counts whenever the thread runs. A
 * period of n events takes about n ns.
 */
uint64_t format_period(void);
/*
 * use_counters() writes PMCs so that the first @counters counters count whenever the thread runs.
 * sample_counter() samples the overflows of counter @i, with @period and @flags. Each sample has
 * the values of the PMDs in @recorded.
 */
void sample_counter(int fd, unsigned int i, uint64_t period, uint32_t flags,
		    const unsigned int *recorded, size_t count);
void use_counters(int fd, unsigned int counters);

/* Returns the core's count of the samples that formats have received so far. */
uint64_t samples_taken(void);
/* Returns the number of PMDs that can be recorded with a sample. */
unsigned int pmds_in_all(void);
/* Returns the size of a struct pfm_dfl_smpl_entry with @values values. */
size_t entry_bytes(unsigned int values);

/* Reads an integer of @bytes bytes at @memory + @offset, in the machine's byte order. */
uint64_t number_at(const void *memory, size_t offset, size_t bytes);
void must_be_zero(const void *memory, size_t offset, size_t bytes);

/*
 * Reads a value that another CPU publishes. After that, the reader sees everything that the other
 * CPU wrote before it published the value.
 */
#define published(pointer) __atomic_load_n(pointer, __ATOMIC_ACQUIRE)

#endif
