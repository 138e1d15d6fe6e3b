// SPDX-License-Identifier: GPL-2.0-only
/* Events that every machine has: the virtual PMDs of perfmon.h. */
#include <string.h>

#include "software.h"

const struct software_event software_events[] = {
	{
		.name = "task-clock",
		.description = "CPU time of the thread",
		.role = ROLE_TASK_CLOCK,
		.is_time = true,
		.pmds = { PFM_PMD_TASK_CLOCK },
		.pmd_count = 1,
	},
	{
		.name = "context-switches",
		.aliases = { "cs" },
		.description = "how often the thread was switched out",
		.pmds = { PFM_PMD_CONTEXT_SWITCHES },
		.pmd_count = 1,
	},
	{
		.name = "cpu-migrations",
		.aliases = { "migrations" },
		.description = "how often the thread went to another CPU",
		.pmds = { PFM_PMD_CPU_MIGRATIONS },
		.pmd_count = 1,
	},
	{
		.name = "page-faults",
		.aliases = { "faults" },
		.description = "page faults, minor and major",
		.pmds = { PFM_PMD_MINOR_FAULTS, PFM_PMD_MAJOR_FAULTS },
		.pmd_count = 2,
	},
	{
		.name = "minor-faults",
		.description = "page faults without I/O",
		.pmds = { PFM_PMD_MINOR_FAULTS },
		.pmd_count = 1,
	},
	{
		.name = "major-faults",
		.description = "page faults that waited for I/O",
		.pmds = { PFM_PMD_MAJOR_FAULTS },
		.pmd_count = 1,
	},
	{
		.name = "monotonic-time",
		.aliases = { "duration", "duration_time" },
		.description = "time between start and stop",
		.role = ROLE_DURATION,
		.is_time = true,
		.pmds = { PFM_PMD_MONOTONIC_TIME },
		.pmd_count = 1,
	},
};

const size_t software_event_count = sizeof(software_events) / sizeof(software_events[0]);

static bool is_named(const struct software_event *event, const char *name)
{
	if (!strcmp(event->name, name))
		return true;
	for (size_t i = 0; i < 2 && event->aliases[i]; i++)
		if (!strcmp(event->aliases[i], name))
			return true;
	return false;
}

const struct software_event *software_find(const char *name)
{
	for (size_t i = 0; i < software_event_count; i++)
		if (is_named(&software_events[i], name))
			return &software_events[i];
	return NULL;
}
