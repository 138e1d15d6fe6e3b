// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <limits.h>

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

PFMDEV_EXPORT os_err_t pfm_read(int fd, int flags, int type, void *ptr, size_t size)
{
	if (flags || type != PFM_RW_PMD || !size || size % sizeof(pfarg_pmr_t)) {
		errno = EINVAL;
		return -1;
	}
	if (size > INT_MAX) {
		errno = E2BIG;
		return -1;
	}
	return pfmdev_vector_call(fd, PFM_IOC_READ, ptr, size / sizeof(pfarg_pmr_t));
}
