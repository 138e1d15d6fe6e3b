// SPDX-License-Identifier: GPL-2.0-only
/* The software PMU, perfmon_soft.h: PMC n selects what PMD n counts. */
#include <perfmon/perfmon_soft.h>

#include "pmu.h"

/*
 * An event with "soft::" in its name needs a counter of this PMU. Without "soft::", the same name
 * means a virtual PMD, which every PMU has (software.c). Only time-counter has no virtual PMD.
 */
static const struct common_event common[] = {
	{
		.name = "time-counter",
		.alias = "soft::time-counter",
		.description = "ticks of the CPU's time counter while the thread runs",
		.codes = { PFM_SOFT_TIME_COUNTER },
		.code_count = 1,
	},
	{
		.name = "soft::task-clock",
		.description = "CPU time of the thread; takes a counter",
		.role = ROLE_TASK_CLOCK,
		.is_time = true,
		.codes = { PFM_SOFT_TASK_CLOCK },
		.code_count = 1,
	},
	{
		.name = "soft::context-switches",
		.alias = "soft::cs",
		.description = "how often the thread was switched out; takes a counter",
		.codes = { PFM_SOFT_CONTEXT_SWITCHES },
		.code_count = 1,
	},
	{
		.name = "soft::cpu-migrations",
		.alias = "soft::migrations",
		.description =
			"how often the thread went to another CPU; takes a counter",
		.codes = { PFM_SOFT_CPU_MIGRATIONS },
		.code_count = 1,
	},
	{
		.name = "soft::minor-faults",
		.description = "page faults without I/O; takes a counter",
		.codes = { PFM_SOFT_MINOR_FAULTS },
		.code_count = 1,
	},
	{
		.name = "soft::major-faults",
		.description = "page faults that waited for I/O; takes a counter",
		.codes = { PFM_SOFT_MAJOR_FAULTS },
		.code_count = 1,
	},
};

static const struct counter_rule rules[] = {
	{ .first = 0, .last = PFM_SOFT_COUNTERS - 1 },
};

const struct pmu pmu_soft = {
	.name = "soft",
	.code_mask = ~0ull,
	.common = common,
	.common_count = sizeof(common) / sizeof(common[0]),
	.rules = rules,
	.rule_count = sizeof(rules) / sizeof(rules[0]),
	.encode = pmu_encode_code,
};
