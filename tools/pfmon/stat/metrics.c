// SPDX-License-Identifier: GPL-2.0-only
/* Compute the comment on an event, such as "2.00 insn per cycle", in the words of perf stat. */
#include "metrics.h"

static const struct metric nothing = { 0, 0, NULL };

/*
 * Returns whether event @index has @role and the same modes as @event, belongs to @set, and was
 * counted. Returns false for an event that ends the turn of its set.
 */
static bool is_partner(const struct results *results, size_t index,
		       const struct event *event, enum event_role role, size_t set)
{
	const struct event *other = &results->events->events[index];

	return other->role == role && other->modes == event->modes && other->set == set &&
	       !other->switch_after && results_state(results, index) == EVENT_COUNTED;
}

/*
 * Find an event that has @role and the same modes as @event, and store its mean count in @value.
 * Returns false if there is no such event.  The modes must be the same, because a ratio of kernel
 * instructions to user cycles means nothing.  An event of the same set is preferred.  An event of
 * another set is used only if all counts are scaled to the whole time.
 */
static bool find_value(const struct results *results, enum event_role role,
		       const struct event *event, double *value)
{
	const struct event_list *events = results->events;
	size_t count = events->count, found = count;

	for (size_t i = 0; found == count && i < count; i++)
		if (is_partner(results, i, event, role, event->set))
			found = i;
	for (size_t i = 0; results->is_scaled && found == count && i < count; i++)
		if (is_partner(results, i, event, role, events->events[i].set))
			found = i;
	if (found == count)
		return false;
	*value = results_value(results, found).mean;
	return true;
}

/* Returns the value that find_value() finds, or 0 if it finds none. */
static double value_of(const struct results *results, enum event_role role,
		       const struct event *event)
{
	double value;

	return find_value(results, role, event, &value) ? value : 0;
}

/*
 * Returns the CPU time in ns that belongs to the value of @event: the whole time if the value is
 * scaled, else the time during which the event was counted.
 */
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

/* Returns @value per second of CPU time. @runtime is in ns. */
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

/* Returns the number of pipeline slots, counted or computed from cycles; 0 if it is not known. */
static double all_slots(const struct results *results, const struct event *event)
{
	const struct pmu *pmu = results->machine->pmu;
	double slots = value_of(results, ROLE_SLOTS, event);

	if (slots > 0 || !pmu)
		return slots;
	return pmu->slots_per_cycle * value_of(results, ROLE_CYCLES, event);
}

/*
 * For models that do not count stalled slots: store in @wasted the number of slots that were lost
 * to bad speculation. These are the slots of operations that were issued but did not retire, and
 * all slots of the cycles in which the processor recovered from a misprediction. Returns false if
 * the events for this computation are missing.
 */
static bool find_wasted(const struct results *results, const struct event *event,
			double *wasted)
{
	double issued, retired, recovery;

	if (!results->machine->pmu ||
	    !find_value(results, ROLE_SLOTS_ISSUED, event, &issued) ||
	    !find_value(results, ROLE_SLOTS_RETIRED, event, &retired) ||
	    !find_value(results, ROLE_RECOVERY, event, &recovery))
		return false;
	*wasted = issued - retired + results->machine->pmu->slots_per_cycle * recovery;
	return true;
}

/* Returns @slots minus the retired slots, the unfilled slots and @other, in percent of @slots. */
static struct metric rest_of(const struct results *results, const struct event *event,
			     double slots, double other, const char *unit)
{
	double retired, unfilled;

	if (!find_value(results, ROLE_SLOTS_RETIRED, event, &retired) ||
	    !find_value(results, ROLE_SLOTS_UNFILLED, event, &unfilled))
		return nothing;
	return ratio(100 * (slots - retired - unfilled - other), slots, 2, unit);
}

/*
 * Level 1 of the top-down method: each slot was used by an operation that retired, was lost to bad
 * speculation, or was empty because of the frontend or the backend.  See Intel 64 and IA-32
 * Architectures Optimization Reference Manual, appendix "Using Performance Monitoring Events",
 * section "Top-down Analysis Method".
 */
static struct metric topdown(const struct results *results, const struct event *event,
			     double value)
{
	double slots = all_slots(results, event), other;

	switch (event->role) {
	case ROLE_SLOTS_RETIRED:
		return ratio(100 * value, slots, 2, "% retiring");
	case ROLE_SLOTS_UNFILLED:
		return ratio(100 * value, slots, 2, "% frontend bound");
	case ROLE_SLOTS_STALLED:
		return ratio(100 * value, slots, 2, "% backend bound");
	case ROLE_SLOTS:
		if (find_value(results, ROLE_SLOTS_STALLED, event, &other))
			return rest_of(results, event, slots, other, "% bad speculation");
		return nothing;
	case ROLE_RECOVERY:
		if (find_wasted(results, event, &other))
			return ratio(100 * other, slots, 2, "% bad speculation");
		return nothing;
	case ROLE_SLOTS_ISSUED:
		if (find_wasted(results, event, &other))
			return rest_of(results, event, slots, other, "% backend bound");
		return nothing;
	default:
		return nothing;
	}
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
		metric = topdown(results, event, value);
		break;
	}
	return metric.unit ? metric : rate(value, runtime);
}
