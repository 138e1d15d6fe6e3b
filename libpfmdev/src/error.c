// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <stdio.h>

#include "internal.h"

static int no_descriptor(struct pfm_error *error)
{
	if (!error) {
		errno = EFAULT;
		return -1;
	}
	*error = pfmdev_failure.error;
	return 0;
}

PFMDEV_EXPORT int pfm_get_error(int fd, struct pfm_error *error)
{
	return fd == -1 ? no_descriptor(error)
			: pfmdev_call(fd, PFM_IOC_LAST_ERROR, error);
}

static void describe(int fd, char *buffer, size_t size)
{
	struct pfm_error error;

	if (fd == -1 && pfmdev_failure.opening)
		pfmdev_describe_open(pfmdev_failure.error.error, buffer, size);
	else if (fd == -1 && !pfmdev_failure.error.error)
		snprintf(buffer, size,
			 "no call that returns a descriptor has failed in this thread");
	else if (pfm_get_error(fd, &error) == -1)
		pfmdev_describe_descriptor(fd, errno, buffer, size);
	else
		pfmdev_describe_error(&error, buffer, size);
}

PFMDEV_EXPORT const char *pfm_last_error(int fd, char *buffer, size_t size)
{
	int error = errno;

	if (!buffer || !size)
		return "pfm_last_error: the buffer has no room for a sentence";
	describe(fd, buffer, size);
	errno = error;
	return buffer;
}
