// SPDX-License-Identifier: GPL-2.0-only
/* What the comment column says of a count, in perf stat's words. */
#include "results.h"

static const struct metric nothing = { 0, 0, NULL };

/*
 * The mean of the event with @role that was counted in the same @modes: cycles
 * of the user say nothing of instructions of the kernel.
 */
static double value_of(const struct results *results, enum event_role role,
		       unsigned int modes)
{
	for (size_t i = 0; i < results->events->count; i++) {
		const struct event *event = &results->events->events[i];

		if (event->role == role && event->modes == modes &&
		    event->state == EVENT_COUNTED)
			return results_value(results, i).mean;
	}
	return 0;
}

static struct metric ratio(double value, double base, int decimals, const char *unit)
{
	return base > 0 ? (struct metric){ value / base, decimals, unit } : nothing;
}

/* Counts per second of CPU time. */
static struct metric rate(double value, double runtime)
{
	double per_second;

	if (runtime <= 0)
		return nothing;
	per_second = value / runtime * 1e9;
	if (per_second >= 1e9)
		return (struct metric){ per_second / 1e9, 3, "G/sec" };
	if (per_second >= 1e6)
		return (struct metric){ per_second / 1e6, 3, "M/sec" };
	if (per_second >= 1e3)
		return (struct metric){ per_second / 1e3, 3, "K/sec" };
	return (struct metric){ per_second, 3, "/sec" };
}

struct metric results_metric(const struct results *results, size_t index)
{
	const struct event *event = &results->events->events[index];
	double value = results_value(results, index).mean;
	double runtime = results_runtime(results).mean;
	struct metric metric = nothing;

	if (event->state != EVENT_COUNTED)
		return nothing;
	switch (event->role) {
	case ROLE_TASK_CLOCK:
		return ratio(value / 1e9, results_elapsed(results).mean, 3,
			     "CPUs utilized");
	case ROLE_DURATION:
		return nothing;
	case ROLE_CYCLES:
		metric = ratio(value, runtime, 3, "GHz");
		break;
	case ROLE_INSTRUCTIONS:
		metric = ratio(value, value_of(results, ROLE_CYCLES, event->modes), 2,
			       "insn per cycle");
		break;
	case ROLE_BRANCH_MISSES:
		metric = ratio(100 * value,
			       value_of(results, ROLE_BRANCHES, event->modes), 2,
			       "% of all branches");
		break;
	case ROLE_CACHE_MISSES:
		metric = ratio(100 * value,
			       value_of(results, ROLE_CACHE_REFERENCES, event->modes), 2,
			       "% of all cache refs");
		break;
	default:
		break;
	}
	return metric.unit ? metric : rate(value, runtime);
}
