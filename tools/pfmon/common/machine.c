// SPDX-License-Identifier: GPL-2.0-only
/* What can be counted on this machine. */
#include <errno.h>
#include <unistd.h>

#include "errors.h"
#include "machine.h"

int machine_ask(struct machine *machine, int fd)
{
	if (pfm_get_info(fd, &machine->info))
		return fail_call(fd, "ask what the PMU offers", errno);
	machine->pmu = pmu_find(machine->info.pmu_name, machine->info.pmu_id);
	return 0;
}

int machine_look(struct machine *machine)
{
	int fd = pfm_open_device(), result;

	if (fd == -1)
		return fail_open(errno);
	result = machine_ask(machine, fd);
	close(fd);
	return result;
}
