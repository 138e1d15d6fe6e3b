// SPDX-License-Identifier: GPL-2.0-only
#include <sys/ioctl.h>

#include "measure.h"
#include "system_wide.h"

int try_system_wide(int fd, const char *pmu)
{
	struct pfm_create create = {
		.context.ctx_flags = PFM_FL_SYSTEM_WIDE,
		.pmu_name = (uintptr_t)pmu,
	};

	return ioctl(fd, PFM_IOC_CREATE_CONTEXT, &create);
}

int system_wide_context_of(const char *pmu)
{
	int fd = pfm_open_device();

	ck_assert_int_ne(fd, -1);
	must(fd, try_system_wide(fd, pmu));
	return fd;
}

int system_wide_context(void)
{
	return system_wide_context_of(NULL);
}

void use_busy_counters_of_cpu(int fd)
{
	program_busy_counter(fd, pmu()->pmds[0]);
	write_pmd(fd, pmu()->pmds[0], 0);
	write_pmd(fd, PFM_PMD_TASK_CLOCK, 0);
}
