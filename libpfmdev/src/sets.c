// SPDX-License-Identifier: LGPL-2.1-or-later
#include "internal.h"

PFMDEV_EXPORT os_err_t pfm_create_evtsets(int fd, pfarg_setdesc_t *sets, int count)
{
	return pfmdev_vector_call(fd, PFM_IOC_CREATE_EVTSETS, sets, count);
}

PFMDEV_EXPORT os_err_t pfm_getinfo_evtsets(int fd, pfarg_setinfo_t *info, int count)
{
	return pfmdev_vector_call(fd, PFM_IOC_GETINFO_EVTSETS, info, count);
}

PFMDEV_EXPORT os_err_t pfm_delete_evtsets(int fd, pfarg_setdesc_t *sets, int count)
{
	return pfmdev_vector_call(fd, PFM_IOC_DELETE_EVTSETS, sets, count);
}
