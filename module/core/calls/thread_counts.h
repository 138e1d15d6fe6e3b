/* SPDX-License-Identifier: GPL-2.0-only */
/* PFM_IOC_READ_THREAD: reads the counts of one of the threads that a context monitors. */
#ifndef PERFMON_THREAD_COUNTS_H
#define PERFMON_THREAD_COUNTS_H

#include "context.h"

struct pfm_snapshot;

/**
 * struct pfm_thread_reading - a reading of the counts of a thread
 * @counts: the argument of the ioctl; pfm_thread_counts_begin() fills in its output fields
 * @source: the context itself, or a copy; the copy is in no list while it is being read
 * @snapshot: memory for the values of a set
 */
struct pfm_thread_reading {
	struct pfm_thread_counts counts;
	struct pfm_context *source;
	struct pfm_snapshot *snapshot;
};

/*
 * Begin a reading: choose the thread, as reading->counts.which says, and fill in @reading.  The
 * caller holds the mutex during the whole reading.  Return: 0 or a negative errno; after an error
 * the caller does not call pfm_thread_counts_end().
 */
int pfm_thread_counts_begin(struct pfm_context *context,
			    struct pfm_thread_reading *reading);

/* Fill in the values of @count elements.  Return: 0 or a negative errno. */
int pfm_thread_counts_read(struct pfm_context *context,
			   const struct pfm_thread_reading *reading,
			   struct pfarg_pmr *elements, u32 count);

/*
 * End a reading.  @is_read: true if the user has received the counts.  If it is false, the counts
 * are kept for another reading.
 */
void pfm_thread_counts_end(struct pfm_context *context,
			   const struct pfm_thread_reading *reading, bool is_read);

#endif
