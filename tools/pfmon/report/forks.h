/* SPDX-License-Identifier: GPL-2.0-only */
/* When threads began. The kernel may use the number of a thread that has ended for a new thread. */
#ifndef PFMON_FORKS_H
#define PFMON_FORKS_H

#include "recording.h"

/**
 * struct forks - when threads began, sorted for searching
 * @list: ascending by thread and time
 * @count: number of @list
 */
struct forks {
	const struct data_fork **list;
	size_t count;
};

/* Returns -1 if there is no memory, else 0; the caller calls forks_free() in any case. */
int forks_make(struct forks *forks, const struct recording *recording);
void forks_free(struct forks *forks);

/*
 * Thread @tid existed at @time. Returns the index in @list of the fork that created this thread, or
 * -1 if the fork is not known.
 */
long forks_find(const struct forks *forks, uint32_t tid, uint64_t time);

#endif
