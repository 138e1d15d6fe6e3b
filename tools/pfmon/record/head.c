// SPDX-License-Identifier: GPL-2.0-only
/* Write the records that come before the samples in the file. */
#include <stdio.h>
#include <sys/utsname.h>
#include <time.h>

#include "../common/first_line.h"
#include "../data/data_write.h"
#include "../data/build_id.h"
#include "head.h"

_Static_assert(DATA_MODE_USER == MODE_USER && DATA_MODE_KERNEL == MODE_KERNEL,
	       "the modes have the same values in pfmon and in the file");

uint32_t head_number(void)
{
	struct timespec now;
	uint32_t number;

	clock_gettime(CLOCK_REALTIME, &now);
	number =
		(uint32_t)((uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000);
	return number ? number : 1;
}

static int write_machine(struct data_writer *writer, const struct machine *machine,
			 struct data_machine record)
{
	char build_id[BUILD_ID_SIZE], boot_id[64];
	struct utsname names = { 0 };
	const char *strings[DATA_MACHINE_STRINGS] = {
		[DATA_MACHINE_PFMON] = PFMON_VERSION,
		[DATA_MACHINE_ARCHITECTURE] = names.machine,
		[DATA_MACHINE_KERNEL] = names.release,
		[DATA_MACHINE_KERNEL_BUILD_ID] = build_id,
		[DATA_MACHINE_BOOT_ID] = boot_id,
		[DATA_MACHINE_PMU] = machine->info.pmu_name,
		[DATA_MACHINE_MODEL] = machine->info.pmu_model,
	};
	struct timespec now;

	uname(&names);
	clock_gettime(CLOCK_REALTIME, &now);
	record.time = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
	build_id_of_notes("/sys/kernel/notes", build_id);
	first_line("/proc/sys/kernel/random/boot_id", boot_id, sizeof(boot_id));
	return data_write_machine(writer, &record, strings);
}

int head_write(struct data_writer *writer, const struct machine *machine,
	       struct data_machine record, char *const *command,
	       const struct targets *targets, const struct event_list *events,
	       const struct rate *rates, uint64_t frequency)
{
	if (write_machine(writer, machine, record) ||
	    data_write_command(writer, command, &targets->threads, &targets->cpus,
			       &targets->processes))
		return -1;
	for (size_t i = 0; i < events->count; i++) {
		const struct event *event = &events->events[i];
		struct data_event record = {
			.code = event->code,
			.period = rates[i].period,
			.frequency = frequency,
			.random_mask = rates[i].random_mask,
			.pmd = event->pmds[0],
			.modes = (uint16_t)event->modes,
		};

		if (data_write_event(writer, &record, NULL, event->name))
			return -1;
	}
	return 0;
}
