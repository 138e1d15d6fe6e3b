// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>

#include "internal.h"

int pfmdev_call(int fd, unsigned long command, void *argument)
{
	int result = ioctl(fd, command, argument);

	if (result == -1 && errno == ENOTTY)
		errno = EBADF;
	return result;
}

int pfmdev_vector_call(int fd, unsigned long command, void *address, int count)
{
	struct pfm_vector vector = { (uintptr_t)address, count, 0 };

	return pfmdev_call(fd, command, &vector);
}
