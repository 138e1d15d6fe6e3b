// SPDX-License-Identifier: GPL-2.0-only
/* What can be counted on this machine. */
#include <errno.h>
#include <unistd.h>

#include "device_errors.h"
#include "../common/errors.h"
#include "machine.h"

int machine_ask(struct machine *machine, int fd)
{
	struct pfm_status status;

	if (pfm_get_info(fd, &machine->info))
		return fail_call(fd, "read what the PMU offers", errno);
	/*
	 * If @fd is the device instead of a context, pfm_get_status() fails, and is_user_level
	 * becomes false.
	 */
	machine->is_user_level = !pfm_get_status(fd, &status) &&
				 status.flags & PFM_STATUS_USER_LEVEL;
	machine->pmu = pmu_find(machine->info.pmu_name, machine->info.pmu_id);
	scope_find(machine->info.pmu_name, machine->scope);
	return 0;
}

/* Open a context of @pmu. If several CPUs share the PMU, the context is system-wide. */
static int open_context(const char *pmu)
{
	struct pfm_create create = { .pmu_name = (uintptr_t)pmu };
	struct pfm_error last;
	int fd = pfm_create(&create), error = errno;

	if (fd != -1 || pfm_get_error(-1, &last) ||
	    last.reason != PFM_REASON_SHARED_PMU) {
		errno = error;
		return fd;
	}
	create.context.ctx_flags = PFM_FL_SYSTEM_WIDE;
	return pfm_create(&create);
}

/*
 * Anybody may query the default PMU. To query a PMU by its name, pfmon must create a context, and
 * this requires the permission to count.
 */
int machine_look(struct machine *machine, const char *pmu)
{
	int fd = pmu ? open_context(pmu) : pfm_open_device(), result;

	if (fd == -1)
		return fail_open(errno, pmu);
	result = machine_ask(machine, fd);
	close(fd);
	return result;
}
