// SPDX-License-Identifier: LGPL-2.1-or-later
#include "internal.h"

PFMDEV_EXPORT os_err_t pfm_start(int fd, pfarg_start_t *start)
{
	return pfmdev_call(fd, PFM_IOC_START, start);
}

PFMDEV_EXPORT os_err_t pfm_stop(int fd)
{
	return pfmdev_call(fd, PFM_IOC_STOP, NULL);
}

PFMDEV_EXPORT os_err_t pfm_restart(int fd)
{
	return pfmdev_call(fd, PFM_IOC_RESTART, NULL);
}
