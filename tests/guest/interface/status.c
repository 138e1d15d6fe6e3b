// SPDX-License-Identifier: GPL-2.0-only
/* Checks of a context's status. */
#include "status.h"

uint64_t busy_count(int fd)
{
	return read_pmd(fd, pmu()->pmds[0]);
}

void must_have_status(int fd, unsigned int state, unsigned int flags, pid_t target)
{
	struct pfm_status status = status_of(fd);

	ck_assert_msg(status.state == state && status.flags == flags &&
			      status.target == (uint32_t)target,
		      "state %u, flags %#x, target %u; should be %u, %#x, %d",
		      status.state, status.flags, status.target, state, flags, target);
}

void must_have_ended(int fd, uint64_t at_least_faults)
{
	uint64_t faults = read_pmd(fd, PFM_PMD_MINOR_FAULTS);

	must_have_status(fd, PFM_STATE_UNLOADED, 0, 0);
	ck_assert_msg(faults >= at_least_faults,
		      "counted %ju minor faults, but at least %ju were made",
		      (uintmax_t)faults, (uintmax_t)at_least_faults);
	ck_assert_uint_gt(busy_count(fd), 0);
}
