// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "internal.h"

__thread struct pfmdev_failure pfmdev_failure;

void pfmdev_keep_failure(int opening, int error)
{
	memset(&pfmdev_failure, 0, sizeof(pfmdev_failure));
	pfmdev_failure.opening = opening;
	pfmdev_failure.error.error = error;
	pfmdev_failure.error.index = PFM_NO_INDEX;
}

static int no_such_device(int error)
{
	return error == ENOENT || error == ENODEV || error == ENXIO;
}

/* As in perfmon2, the descriptor is read-only and stays open across execve(). */
PFMDEV_EXPORT int pfm_open_device(void)
{
	int fd = open(PFM_DEVICE, O_RDONLY);

	if (fd == -1) {
		pfmdev_keep_failure(1, errno);
		if (no_such_device(errno))
			errno = ENOSYS;
	}
	return fd;
}
