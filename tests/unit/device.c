// SPDX-License-Identifier: GPL-2.0-only
#include <stdarg.h>

#include "device.h"
#include "suites.h"

int __wrap_ioctl(int fd, unsigned long request, ...);
int __wrap_ioctl(int fd, unsigned long request, ...)
{
	va_list arguments;
	void *argument;

	va_start(arguments, request);
	argument = va_arg(arguments, void *);
	va_end(arguments);
	ck_assert_int_eq(fd, DEVICE_FD);
	return device_answer(request, argument);
}
