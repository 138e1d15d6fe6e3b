// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <unistd.h>

#include "internal.h"

static int refuse_no_argument(void)
{
	pfmdev_keep_failure(0, EFAULT);
	pfmdev_failure.error.reason = PFM_REASON_FAULT;
	errno = EFAULT;
	return -1;
}

/* Keep what the kernel knows of the failure while there is a @fd to ask. */
static int give_up(int fd)
{
	struct pfm_error error;
	int cause = errno;

	pfmdev_keep_failure(0, cause);
	if (pfmdev_call(fd, PFM_IOC_LAST_ERROR, &error) == 0 && error.error == cause)
		pfmdev_failure.error = error;
	close(fd);
	errno = cause;
	return -1;
}

PFMDEV_EXPORT os_err_t pfm_create_context(pfarg_ctx_t *ctx, char *fmt_name, void *fmt_arg,
					  size_t fmt_size)
{
	struct pfm_create create = {
		.format_name = (uintptr_t)fmt_name,
		.format_argument = (uintptr_t)fmt_arg,
		.format_size = fmt_size,
	};
	int fd;

	if (!ctx)
		return refuse_no_argument();
	create.context = *ctx;
	fd = pfm_open_device();
	if (fd == -1)
		return -1;
	return pfmdev_call(fd, PFM_IOC_CREATE_CONTEXT, &create) == -1 ? give_up(fd) : fd;
}

PFMDEV_EXPORT os_err_t pfm_load_context(int fd, pfarg_load_t *load)
{
	return pfmdev_call(fd, PFM_IOC_LOAD, load);
}

PFMDEV_EXPORT os_err_t pfm_unload_context(int fd)
{
	return pfmdev_call(fd, PFM_IOC_UNLOAD, NULL);
}
