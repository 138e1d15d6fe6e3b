/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Shared by the files of the library.  Names of its own begin with pfmdev_: the
 * static library must not clash with its users, nor with libpfm4.
 */
#ifndef PFMDEV_INTERNAL_H
#define PFMDEV_INTERNAL_H

#include <perfmon/perfmon.h>

#define PFMDEV_EXPORT __attribute__((visibility("default")))

/* ioctl(2), with EBADF where @fd is not one of perfmon; ENOTTY: the module is older */
int pfmdev_call(int fd, unsigned long command, void *argument);

/* the same with a vector of @count elements at @address */
int pfmdev_vector_call(int fd, unsigned long command, void *address, int count);

/**
 * struct pfmdev_failure - why this thread got no descriptor last
 * @opening: the device could not be opened; error.error says why, as open(2)
 *	put it
 * @error: what PFM_IOC_LAST_ERROR said; error.error is 0 if nothing has failed
 *
 * The one thing that lives outside a descriptor, since here there is none that
 * could be asked.  Kept for each thread, like errno.
 */
struct pfmdev_failure {
	int opening;
	struct pfm_error error;
};

extern __thread struct pfmdev_failure pfmdev_failure;

/* Note a failure of which no more is known than its errno. */
void pfmdev_keep_failure(int opening, int error);

/* Put the failure in words, in @buffer of @size > 0 bytes. */
void pfmdev_describe_error(const struct pfm_error *error, char *buffer, size_t size);
void pfmdev_describe_open(int error, char *buffer, size_t size);
void pfmdev_describe_descriptor(int fd, int error, char *buffer, size_t size);

#endif
