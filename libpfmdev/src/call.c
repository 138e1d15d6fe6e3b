// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>

#include "internal.h"

/*
 * Return: whether @fd belongs to perfmon.  To find out, call PFM_IOC_LAST_ERROR: this call needs no
 * context, and every version of the module has it.
 */
static int is_perfmon(int fd)
{
	struct pfm_error error;

	return ioctl(fd, PFM_IOC_LAST_ERROR, &error) == 0;
}

/*
 * Call ioctl(2), which fails with ENOTTY if the module does not know @command, or if the file
 * does not belong to perfmon.  In the second case this function changes ENOTTY to EBADF.
 */
int pfmdev_call(int fd, unsigned long command, void *argument)
{
	int result = ioctl(fd, command, argument);

	if (result == -1 && errno == ENOTTY)
		errno = is_perfmon(fd) ? ENOTTY : EBADF;
	return result;
}

int pfmdev_vector_call(int fd, unsigned long command, void *address, int count)
{
	struct pfm_vector vector = { (uintptr_t)address, count, 0 };

	return pfmdev_call(fd, command, &vector);
}
