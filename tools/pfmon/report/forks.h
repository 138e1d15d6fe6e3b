/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The times at which threads began. After a thread has ended, the kernel may give its number to a
 * new thread, so one number may have several such times.
 */
#ifndef PFMON_FORKS_H
#define PFMON_FORKS_H

#include "recording.h"

/**
 * struct forks - the FORK records of a recording, sorted for searching
 * @list: the records, ascending by thread number and time
 * @count: number of records in @list
 */
struct forks {
	const struct data_fork **list;
	size_t count;
};

/* Returns -1 if there is no memory, else 0; the caller calls forks_free() in any case. */
int forks_make(struct forks *forks, const struct recording *recording);
void forks_free(struct forks *forks);

/*
 * Thread @tid existed at @time. Returns the index in @forks->list of the FORK record that tells
 * when this thread was created, or -1 if there is no such record.
 */
long forks_find(const struct forks *forks, uint32_t tid, uint64_t time);

#endif
