// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include <perfmon/perfmon_dfl_smpl.h>

#include "internal.h"

static int refuse_no_argument(void)
{
	pfmdev_keep_failure(0, EFAULT);
	pfmdev_failure.error.reason = PFM_REASON_FAULT;
	errno = EFAULT;
	return -1;
}

/* Store the kernel's reason for the failure, then close @fd.  Return: -1. */
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

/*
 * Clear the reserved fields in the argument of format "default": old programs for perfmon2 use this
 * format, and leave these fields uninitialised.
 */
static void *clean_argument(const char *name, void *argument, size_t size,
			    struct pfm_dfl_smpl_arg *clean)
{
	if (!argument || size != sizeof(*clean) ||
	    (strcmp(name, PFM_DFL_SMPL_NAME) && strcasecmp(name, PFM_DFL_SMPL_UUID)))
		return argument;
	memcpy(clean, argument, size);
	clean->reserved1 = 0;
	memset(clean->reserved, 0, sizeof(clean->reserved));
	return clean;
}

/*
 * Pass @create to the kernel as it is. perfmon2 did not have struct pfm_create, so only new
 * programs use it. These programs clear the reserved fields themselves.
 */
PFMDEV_EXPORT int pfm_create(const struct pfm_create *create)
{
	int fd;

	if (!create)
		return refuse_no_argument();
	fd = pfm_open_device();
	if (fd == -1)
		return -1;
	if (pfmdev_call(fd, PFM_IOC_CREATE_CONTEXT, (void *)create) == -1)
		return give_up(fd);
	return fd;
}

/* As in perfmon2, the format's argument is ignored if @fmt_name is NULL. */
PFMDEV_EXPORT os_err_t pfm_create_context(pfarg_ctx_t *ctx, char *fmt_name, void *fmt_arg,
					  size_t fmt_size)
{
	struct pfm_create create = { .format_name = (uintptr_t)fmt_name };
	struct pfm_dfl_smpl_arg clean;

	if (!ctx)
		return refuse_no_argument();
	create.context = *ctx;
	if (fmt_name) {
		create.format_argument =
			(uintptr_t)clean_argument(fmt_name, fmt_arg, fmt_size, &clean);
		create.format_size = fmt_size;
	}
	return pfm_create(&create);
}

/* Clear the reserved fields, because old programs for perfmon2 leave them uninitialised. */
PFMDEV_EXPORT os_err_t pfm_load_context(int fd, pfarg_load_t *load)
{
	pfarg_load_t clean = { 0 };

	if (!load)
		return pfmdev_call(fd, PFM_IOC_LOAD, NULL);
	clean.load_pid = load->load_pid;
	clean.load_set = load->load_set;
	return pfmdev_call(fd, PFM_IOC_LOAD, &clean);
}

PFMDEV_EXPORT os_err_t pfm_unload_context(int fd)
{
	return pfmdev_call(fd, PFM_IOC_UNLOAD, NULL);
}
