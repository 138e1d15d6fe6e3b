/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Declarations for all files of the library.  Names that the library does not export begin with
 * pfmdev_.  So they do not collide with names of libpfm4, or of a program that is linked with the
 * static library.
 */
#ifndef PFMDEV_INTERNAL_H
#define PFMDEV_INTERNAL_H

#include <perfmon/perfmon.h>

#define PFMDEV_EXPORT __attribute__((visibility("default")))

/*
 * Like ioctl(2), but fails with EBADF if @fd does not belong to perfmon.  So ENOTTY always
 * means that the module is too old to have the call.
 */
int pfmdev_call(int fd, unsigned long command, void *argument);

/* pfmdev_call() with a vector of @count elements at @address */
int pfmdev_vector_call(int fd, unsigned long command, void *address, int count);

/**
 * struct pfmdev_failure - the thread's last failure to make a descriptor
 * @opening: 1 if the device could not be opened; then error.error is the errno of open(2)
 * @error: errno and reason of the failure; error.error is 0 if nothing has failed
 *
 * To ask the kernel for the reason of a failure, a program needs a descriptor. If a call cannot
 * return a descriptor, the library stores the reason of this failure, for each thread separately.
 * The library has no other state.
 */
struct pfmdev_failure {
	int opening;
	struct pfm_error error;
};

extern __thread struct pfmdev_failure pfmdev_failure;

/* Store a failure that has only an errno, and no reason. */
void pfmdev_keep_failure(int opening, int error);

/* Write a sentence about the failure to @buffer, which has @size bytes.  @size is at least 1. */
void pfmdev_describe_error(const struct pfm_error *error, char *buffer, size_t size);
void pfmdev_describe_open(int error, char *buffer, size_t size);
void pfmdev_describe_descriptor(int fd, int error, char *buffer, size_t size);

#endif
