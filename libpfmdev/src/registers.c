// SPDX-License-Identifier: LGPL-2.1-or-later
#include "internal.h"

PFMDEV_EXPORT os_err_t pfm_write_pmcs(int fd, pfarg_pmc_t *pmcs, int count)
{
	return pfmdev_vector_call(fd, PFM_IOC_WRITE_PMCS, pmcs, count);
}

PFMDEV_EXPORT os_err_t pfm_write_pmds(int fd, pfarg_pmd_t *pmds, int count)
{
	return pfmdev_vector_call(fd, PFM_IOC_WRITE_PMDS, pmds, count);
}

PFMDEV_EXPORT os_err_t pfm_read_pmds(int fd, pfarg_pmd_t *pmds, int count)
{
	return pfmdev_vector_call(fd, PFM_IOC_READ_PMDS, pmds, count);
}
