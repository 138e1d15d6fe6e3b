// SPDX-License-Identifier: GPL-2.0-only
/* Print a profile as JSON: one object on one line. */
#include <stdlib.h>
#include <string.h>

#include "../common/json_value.h"
#include "report_json.h"

static void add_string(json_t *object, const char *name, const char *value)
{
	if (*value)
		json_object_set_new(object, name, json_text(value));
}

/*
 * Add the function of @key, and its program or library, to the JSON object @object. If the function
 * is not known, add the offset in the program or library. If the program or library is not known
 * either, add the address.
 */
static void add_function(json_t *object, const struct key *key)
{
	if (key->symbol)
		json_object_set_new(object, "symbol", json_text(key->symbol->name));
	if (key->object && *key->object->path)
		json_object_set_new(object, "object", json_text(key->object->path));
	else
		json_object_set_new(object, "object", json_text(label_object(key)));
	if (key->has_offset)
		json_object_set_new(object, key->object ? "offset" : "address",
				    json_number(key->offset));
}

static void add_thread(json_t *object, const struct named_thread *thread)
{
	json_object_set_new(object, "thread", json_number(thread->tid));
	add_string(object, "name", thread->comm ? thread->comm : "");
}

static void add_counts(json_t *object, const struct node *event, const struct node *node)
{
	json_object_set_new(object, "percent", json_real(profile_percent(event, node)));
	json_object_set_new(object, "samples", json_number(node->samples));
	json_object_set_new(object, "events", json_number(node->period));
}

static json_t *parts(const struct profile *profile, const struct node *event,
		     const struct node *node, double limit);

/*
 * Convert @node to JSON. @node is an entry of the profile or a caller. Returns NULL if there is no
 * memory.
 */
static json_t *part(const struct profile *profile, const struct node *event,
		    const struct node *node, double limit)
{
	const struct profile_options *options = profile->options;
	bool is_caller = node->parent != tree_number(&profile->tree, event);
	json_t *object = json_object(), *callers;

	for (unsigned int i = 0; !is_caller && i < options->sort_count; i++)
		if (options->sort[i] == SORT_THREAD)
			add_thread(object, &node->key.thread);
		else if (options->sort[i] == SORT_PROGRAM)
			add_string(object, "program", label_program(&node->key));
		else if (options->sort[i] == SORT_CPU)
			json_object_set_new(object, "cpu", json_number(node->key.cpu));
		else
			add_function(object, &node->key);
	if (is_caller)
		add_function(object, &node->key);
	add_counts(object, event, node);
	if (!options->has_callers)
		return object;
	callers = parts(profile, event, node, limit);
	if (json_object_set_new(object, "callers", callers)) {
		json_decref(object);
		return NULL;
	}
	return object;
}

/*
 * Convert the children of @node to a JSON array. Each child of @event is an entry of the profile.
 * Each child of another node is a caller. Returns NULL if there is no memory.
 */
static json_t *parts(const struct profile *profile, const struct node *event,
		     const struct node *node, double limit)
{
	const struct node **children = tree_children(
		&profile->tree, tree_number(&profile->tree, node), profile_order);
	json_t *array = json_array();

	for (size_t i = 0; array && children && i < node->child_count; i++) {
		if (profile_percent(event, children[i]) < limit)
			break;
		if (json_array_append_new(array,
					  part(profile, event, children[i], limit))) {
			json_decref(array);
			array = NULL;
		}
	}
	if (!children) {
		json_decref(array);
		array = NULL;
	}
	free(children);
	return array;
}

/* Returns an event and its profile as JSON, or NULL if there is no memory. */
static json_t *event_object(const struct profile *profile,
			    const struct recorded_event *recorded, double limit)
{
	const struct node *node = profile_event(profile, recorded);
	const struct data_event *event = recorded->event;
	json_t *object = json_object();
	json_t *entries = node ? parts(profile, node, node, limit) : json_array();

	json_object_set_new(object, "event", json_text(recorded->name));
	if (event->frequency)
		json_object_set_new(object, "frequency", json_number(event->frequency));
	else
		json_object_set_new(object, "period", json_number(event->period));
	json_object_set_new(object, "samples", json_number(node ? node->samples : 0));
	json_object_set_new(object, "events", json_number(node ? node->period : 0));
	if (json_object_set_new(object, "profile", entries)) {
		json_decref(object);
		return NULL;
	}
	return object;
}

static json_t *command_array(const struct recording *recording)
{
	const struct data_command *command = recording->command.command;
	const char *next = recording->command.strings;
	json_t *array = json_array();

	for (uint32_t i = 0; command && i < command->count; i++) {
		json_array_append_new(array, json_text(next));
		next += strlen(next) + 1;
	}
	return array;
}

/*
 * @next contains numbers that are separated by commas. Add an array of these numbers to @object. If
 * there are no numbers, add nothing.
 */
static void add_numbers(json_t *object, const char *name, const char *next)
{
	json_t *array;
	char *end;

	if (!next || !*next)
		return;
	array = json_array();
	for (;; next = end + 1) {
		json_array_append_new(array, json_number(strtoull(next, &end, 10)));
		if (*end != ',')
			break;
	}
	json_object_set_new(object, name, array);
}

static void add_machine(json_t *object, const struct recording *recording)
{
	static const char *const names[DATA_MACHINE_STRINGS] = {
		[DATA_MACHINE_PFMON] = "pfmon",
		[DATA_MACHINE_ARCHITECTURE] = "architecture",
		[DATA_MACHINE_KERNEL] = "kernel",
		[DATA_MACHINE_KERNEL_BUILD_ID] = "kernel-build-id",
		[DATA_MACHINE_BOOT_ID] = "boot-id",
		[DATA_MACHINE_PMU] = "pmu",
		[DATA_MACHINE_MODEL] = "model",
	};

	for (size_t i = 0; i < DATA_MACHINE_STRINGS; i++)
		add_string(object, names[i], recording->strings[i]);
	if (recording->machine)
		json_object_set_new(object, "time-ns",
				    json_number(recording->machine->time));
}

static void add_state(json_t *object, const struct profile *profile)
{
	const struct recording *recording = profile->recording;
	const struct data_end *end = recording->end;

	json_object_set_new(object, "complete", json_boolean(end));
	if (end) {
		json_object_set_new(object, "duration-ns", json_number(end->duration));
		json_object_set_new(object, "produced", json_number(end->produced));
	}
	json_object_set_new(object, "samples", json_number(profile->samples));
	json_object_set_new(object, "lost", json_number(recording_lost(recording)));
	json_object_set_new(object, "undelivered",
			    json_number(recording_undelivered(recording)));
	json_object_set_new(object, "throttled",
			    json_number(recording_throttled(recording)));
}

int report_json(FILE *file, const struct profile *profile, double limit)
{
	const struct recording *recording = profile->recording;
	const struct data_command *command = recording->command.command;
	json_t *object = json_object(), *events = json_array();

	if (command && command->tid)
		json_object_set_new(object, "thread", json_number(command->tid));
	add_numbers(object, "cpus", recording->command.cpus);
	add_numbers(object, "processes", recording->command.processes);
	json_object_set_new(object, "command", command_array(recording));
	add_machine(object, recording);
	add_state(object, profile);
	for (size_t i = 0; i < recording->event_count; i++) {
		const struct recorded_event *event = &recording->events[i];

		if (profile_wants(profile, event) &&
		    json_array_append_new(events, event_object(profile, event, limit))) {
			json_decref(events);
			json_decref(object);
			return -1;
		}
	}
	json_object_set_new(object, "events", events);
	return json_print(file, object);
}
