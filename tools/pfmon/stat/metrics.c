// SPDX-License-Identifier: GPL-2.0-only
/* Compute the comment column, in the words of perf stat. */
#include "metrics.h"

static const struct metric nothing = { 0, 0, NULL };

/* Does event @index have @role and the same @modes as @event, in set @set? */
static bool is_partner(const struct results *results, size_t index,
		       const struct event *event, enum event_role role, size_t set)
{
	const struct event *other = &results->events->events[index];

	return other->role == role && other->modes == event->modes && other->set == set &&
	       !other->switch_after && results_state(results, index) == EVENT_COUNTED;
}

/*
 * The mean count of an event that has @role and the modes of @event; 0 if there is none.
 * The modes must be the same, because a ratio of kernel instructions to user cycles means
 * nothing.  An event of the same set is preferred.  One of another set is used only if
 * counts are scaled to the same time.
 */
static double value_of(const struct results *results, enum event_role role,
		       const struct event *event)
{
	const struct event_list *events = results->events;

	for (size_t i = 0; i < events->count; i++)
		if (is_partner(results, i, event, role, event->set))
			return results_value(results, i).mean;
	for (size_t i = 0; results->is_scaled && i < events->count; i++)
		if (is_partner(results, i, event, role, events->events[i].set))
			return results_value(results, i).mean;
	return 0;
}

/* CPU time in ns during which the value of @event was counted. */
static double time_of(const struct results *results, const struct event *event)
{
	if (!results->events->set_count || results->is_scaled || event->set == EVERY_SET)
		return results_runtime(results).mean;
	return results_set_duration(results, event->set).mean;
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
	double runtime = time_of(results, event);
	struct metric metric = nothing;

	if (results_state(results, index) != EVENT_COUNTED)
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
		metric = ratio(value, value_of(results, ROLE_CYCLES, event), 2,
			       "insn per cycle");
		break;
	case ROLE_BRANCH_MISSES:
		metric = ratio(100 * value, value_of(results, ROLE_BRANCHES, event), 2,
			       "% of all branches");
		break;
	case ROLE_CACHE_MISSES:
		metric = ratio(100 * value,
			       value_of(results, ROLE_CACHE_REFERENCES, event), 2,
			       "% of all cache refs");
		break;
	default:
		break;
	}
	return metric.unit ? metric : rate(value, runtime);
}
