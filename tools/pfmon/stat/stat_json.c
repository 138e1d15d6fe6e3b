// SPDX-License-Identifier: GPL-2.0-only
/* Print results as JSON: one object on one line. */
#include "../common/json_value.h"
#include "metrics.h"
#include "stat_json.h"

static json_t *values_of(const struct results *results, size_t index)
{
	json_t *values = json_array();

	for (size_t i = 0; i < results->run_count; i++)
		json_array_append_new(values,
				      json_number(results->runs[i].values[index]));
	return values;
}

/*
 * Add the members that exist only with event sets: the set, the count before scaling, the fraction
 * of the time during which the event was counted, and the error.
 */
static void add_share(json_t *object, const struct results *results, size_t index)
{
	const struct event *event = &results->events->events[index];
	double error = results_error(results, index);

	if (event->set != EVERY_SET)
		json_object_set_new(object, "set", json_integer((json_int_t)event->set));
	json_object_set_new(object, "counted",
			    json_number(results_counted(results, index)));
	json_object_set_new(object, "time-fraction",
			    json_real(results_fraction(results, index)));
	if (results->is_scaled && event->set != EVERY_SET && error >= 0)
		json_object_set_new(object, "error", json_real(error));
}

static void add_counts(json_t *object, const struct results *results, size_t index)
{
	struct figure figure = results_value(results, index);
	struct metric metric = results_metric(results, index);

	if (results->run_count == 1)
		json_object_set_new(object, "value",
				    json_number(results_count(results, index)));
	else
		json_object_set_new(object, "value", json_real(figure.mean));
	json_object_set_new(object, "spread", json_real(figure_spread(&figure)));
	json_object_set_new(object, "values", values_of(results, index));
	if (results->events->set_count)
		add_share(object, results, index);
	if (metric.unit) {
		json_object_set_new(object, "metric-value", json_real(metric.value));
		json_object_set_new(object, "metric-unit", json_string(metric.unit));
	}
}

static json_t *event_object(const struct results *results, size_t index)
{
	static const char *const states[] = {
		[EVENT_COUNTED] = "counted",
		[EVENT_NOT_SUPPORTED] = "not supported",
		[EVENT_NOT_COUNTED] = "not counted",
	};
	const struct event *event = &results->events->events[index];
	enum event_state state = results_state(results, index);
	json_t *object = json_object();

	json_object_set_new(object, "event", json_string(event->name));
	json_object_set_new(object, "state", json_string(states[state]));
	json_object_set_new(object, "unit", json_string(event->is_time ? "ns" : ""));
	if (state == EVENT_COUNTED)
		add_counts(object, results, index);
	return object;
}

static json_t *events_array(const struct results *results)
{
	json_t *array = json_array();

	for (size_t i = 0; i < results->events->count; i++)
		if (!results->events->events[i].switch_after)
			json_array_append_new(array, event_object(results, i));
	return array;
}

static json_t *set_object(const struct results *results, size_t index)
{
	const struct event_set *set = &results->events->sets[index];
	json_t *object = json_object();

	if (set->name)
		json_object_set_new(object, "name", json_text(set->name));
	/* For a single thread, it is not known how often a set became active. */
	if (results->part.kind != PART_THREAD)
		json_object_set_new(object, "times",
				    json_real(results_set_runs(results, index).mean));
	json_object_set_new(object, "duration-ns",
			    json_real(results_set_duration(results, index).mean));
	if (set->flags & PFM_SETFL_TIME_SWITCH)
		json_object_set_new(object, "interval-ns", json_number(set->timeout));
	return object;
}

static json_t *sets_array(const struct results *results)
{
	json_t *array = json_array();

	for (size_t i = 0; i < results->events->set_count; i++)
		json_array_append_new(array, set_object(results, i));
	return array;
}

static json_t *command_array(const struct results *results)
{
	json_t *array = json_array();

	for (size_t i = 0; results->command && results->command[i]; i++)
		json_array_append_new(array, json_text(results->command[i]));
	return array;
}

static void add_times(json_t *object, const struct results *results)
{
	struct figure elapsed = results_elapsed(results);

	json_object_set_new(object, "runtime-ns",
			    json_number((uint64_t)results_runtime(results).mean));
	if (results_idle(results).runs) {
		json_object_set_new(object, "idle-seconds",
				    json_real(results_idle(results).mean));
		json_object_set_new(object, "idle-percent",
				    json_real(results_idle_part(results)));
	}
	json_object_set_new(object, "elapsed-seconds", json_real(elapsed.mean));
	json_object_set_new(object, "elapsed-spread", json_real(figure_spread(&elapsed)));
	if (!results->has_usage)
		return;
	json_object_set_new(object, "user-seconds",
			    json_real(results_user(results).mean));
	json_object_set_new(object, "system-seconds",
			    json_real(results_system(results).mean));
}

static void add_ids(json_t *object, const char *name, const struct id_list *list)
{
	json_t *array;

	if (!list->count)
		return;
	array = json_array();
	for (size_t i = 0; i < list->count; i++)
		json_array_append_new(array, json_integer(list->ids[i]));
	json_object_set_new(object, name, array);
}

static void add_part(json_t *object, const struct part *part)
{
	if (part->kind == PART_CPU) {
		json_object_set_new(object, "cpu", json_integer(part->cpu));
	} else if (part->kind == PART_INTERVAL) {
		json_object_set_new(object, "interval", json_real(part->time));
	} else if (part->dropped) {
		json_object_set_new(object, "dropped-threads",
				    json_number(part->dropped));
	} else {
		json_object_set_new(object, "thread", json_integer(part->tid));
		json_object_set_new(object, "process", json_integer(part->tgid));
		json_object_set_new(object, "name", json_text(part->name));
	}
}

static int part_json(FILE *file, const struct results *results)
{
	json_t *object = json_object();

	add_part(object, &results->part);
	json_object_set_new(object, "events", events_array(results));
	if (results->events->set_count)
		json_object_set_new(object, "sets", sets_array(results));
	add_times(object, results);
	return json_print(file, object);
}

static json_t *costs_object(const struct costs *costs)
{
	struct cost list[COST_COUNT];
	json_t *object = json_object();

	costs_list(&costs->sum, list);
	for (size_t i = 0; i < COST_COUNT; i++)
		json_object_set_new(object, list[i].name, json_number(list[i].value));
	if (costs->sum.timed_interrupts)
		json_object_set_new(object, "ns-per-interrupt",
				    json_real(costs_interrupt_time(&costs->sum)));
	return object;
}

int stat_json(FILE *file, const struct results *results)
{
	json_t *object;

	if (results->part.kind != PART_WHOLE)
		return part_json(file, results);
	object = json_object();
	if (results->targets) {
		add_ids(object, "processes", &results->targets->processes);
		add_ids(object, "threads", &results->targets->threads);
		add_ids(object, "cpus", &results->targets->cpus);
	}
	json_object_set_new(object, "command", command_array(results));
	json_object_set_new(object, "pmu", json_string(results->machine->info.pmu_name));
	json_object_set_new(object, "runs", json_integer(results->run_count));
	json_object_set_new(object, "exit-status", json_integer(results->exit_status));
	json_object_set_new(object, "events", events_array(results));
	if (results->events->set_count) {
		json_object_set_new(object, "sets", sets_array(results));
		json_object_set_new(object, "scaled", json_boolean(results->is_scaled));
	}
	if (results->costs && results->costs->is_known)
		json_object_set_new(object, "statistics", costs_object(results->costs));
	add_times(object, results);
	return json_print(file, object);
}
