// SPDX-License-Identifier: LGPL-2.1-or-later
#include "internal.h"

/* Clear the reserved fields, because old programs for perfmon2 leave them uninitialised. */
PFMDEV_EXPORT os_err_t pfm_start(int fd, pfarg_start_t *start)
{
	pfarg_start_t clean = { 0 };

	if (!start)
		return pfmdev_call(fd, PFM_IOC_START, NULL);
	clean.start_set = start->start_set;
	return pfmdev_call(fd, PFM_IOC_START, &clean);
}

PFMDEV_EXPORT os_err_t pfm_stop(int fd)
{
	return pfmdev_call(fd, PFM_IOC_STOP, NULL);
}

PFMDEV_EXPORT os_err_t pfm_restart(int fd)
{
	return pfmdev_call(fd, PFM_IOC_RESTART, NULL);
}

PFMDEV_EXPORT os_err_t pfm_restart_cpu(int fd, unsigned int cpu)
{
	struct pfm_restart_cpu restart = { .cpu = cpu };

	return pfmdev_call(fd, PFM_IOC_RESTART_CPU, &restart);
}
