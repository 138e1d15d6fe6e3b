// SPDX-License-Identifier: LGPL-2.1-or-later
#include "internal.h"

PFMDEV_EXPORT int pfm_get_info(int fd, struct pfm_info *info)
{
	return pfmdev_call(fd, PFM_IOC_INFO, info);
}

PFMDEV_EXPORT int pfm_get_status(int fd, struct pfm_status *status)
{
	return pfmdev_call(fd, PFM_IOC_STATUS, status);
}

PFMDEV_EXPORT int pfm_get_statistics(int fd, struct pfm_statistics *statistics)
{
	return pfmdev_call(fd, PFM_IOC_STATISTICS, statistics);
}

PFMDEV_EXPORT int pfm_read_thread(int fd, struct pfm_thread_counts *counts)
{
	return pfmdev_call(fd, PFM_IOC_READ_THREAD, counts);
}
