// SPDX-License-Identifier: GPL-2.0-only
/* Make a profile of a recording. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "../common/errors.h"
#include "../common/sum.h"
#include "profile.h"

static void take_function(struct key *key, const struct location *location)
{
	key->object = location->object;
	key->is_kernel = location->is_kernel;
	key->symbol = location->symbol;
	key->has_offset = !location->symbol;
	key->offset = location->symbol ? 0 : location->offset;
}

/*
 * Returns the CPU of @sample. If the context of @sample has a CPU record, the CPU is taken from
 * this record, because samples of the format hist do not contain the CPU.
 */
static uint32_t cpu_of(const struct recording *recording, const struct sample *sample)
{
	const struct data_cpu *const *cpus = recording->cpus;

	if (sample->context < recording->cpu_count && cpus[sample->context])
		return cpus[sample->context]->cpu;
	return sample->cpu;
}

bool profile_needs_objects(const struct profile_options *options)
{
	for (unsigned int i = 0; i < options->sort_count; i++)
		if (options->sort[i] == SORT_SYMBOL || options->sort[i] == SORT_OBJECT)
			return true;
	return false;
}

/*
 * Returns the key of the entry to which @sample belongs. The fields of the key that the user does
 * not sort by are 0.
 */
static struct key entry_key(struct profile *profile, const struct sample *sample)
{
	const struct profile_options *options = profile->options;
	struct location location = { 0 };
	struct key key = { 0 };

	if (profile_needs_objects(options))
		location = symbols_find(&profile->symbols, sample, 0);
	for (unsigned int i = 0; i < options->sort_count; i++) {
		switch (options->sort[i]) {
		case SORT_SYMBOL:
			take_function(&key, &location);
			break;
		case SORT_THREAD:
			key.thread = thread_names_find(&profile->names, sample);
			break;
		case SORT_PROGRAM:
			key.program = thread_names_find(&profile->names, sample).comm;
			break;
		case SORT_CPU:
			key.cpu = cpu_of(profile->recording, sample);
			break;
		default:
			key.object = location.object;
			key.is_kernel = location.is_kernel;
		}
	}
	return key;
}

/*
 * Add the callers of @sample below @node, beginning with the innermost caller. Returns the node of
 * the outermost caller, or 0 if there is no memory.
 */
static node_number add_callers(struct profile *profile, const struct sample *sample,
			       node_number node)
{
	for (unsigned int i = 1; node && i < sample->frame_count; i++) {
		struct location location;
		struct key key = { 0 };

		if (!symbols_is_frame(&profile->symbols, sample, i))
			continue;
		location = symbols_find(&profile->symbols, sample, i);
		take_function(&key, &location);
		node = tree_child(&profile->tree, node, &key);
	}
	return node;
}

static node_number add_entry(struct profile *profile, const struct sample *sample,
			     node_number node)
{
	const struct key process = { .thread.tid = sample->tgid };
	struct key key = entry_key(profile, sample);

	node = tree_child(&profile->tree, node, &key);
	if (node && profile->options->counts_processes)
		return tree_child(&profile->tree, node, &process);
	if (profile->options->has_callers)
		node = add_callers(profile, sample, node);
	return node;
}

/*
 * Add a path of nodes below @node: the thread's name, then the functions from the outermost to the
 * innermost. If a function is not known, the node has only the object of the function, because
 * single addresses are of no use in a flame graph.
 */
static node_number add_stack(struct profile *profile, const struct sample *sample,
			     node_number node)
{
	struct key key = { .thread = thread_names_find(&profile->names, sample) };

	if (key.thread.comm)
		key.thread.tid = 0;
	node = tree_child(&profile->tree, node, &key);
	for (unsigned int i = sample->frame_count; node && i--;) {
		struct location location;

		if (!symbols_is_frame(&profile->symbols, sample, i))
			continue;
		location = symbols_find(&profile->symbols, sample, i);
		key = (struct key){ 0 };
		take_function(&key, &location);
		key.offset = 0;
		node = tree_child(&profile->tree, node, &key);
	}
	return node;
}

static int add_sample(const struct sample *sample, void *argument)
{
	struct profile *profile = argument;
	const struct key key = { .event = sample->event };
	node_number node;

	profile->samples = sum(profile->samples, sample->count);
	profile->has_chains |= sample->has_chain;
	if (!profile_wants(profile, sample->event) || !sample->count)
		return 0;
	node = tree_child(&profile->tree, 0, &key);
	if (node && profile->options->sort_count)
		node = add_entry(profile, sample, node);
	else if (node)
		node = add_stack(profile, sample, node);
	if (!node)
		return fail("no memory");
	tree_count(&profile->tree, node, sample->count, sample->period);
	return 0;
}

/* Check that the file has the event that the user named. */
static int check_event(const struct profile *profile)
{
	for (size_t i = 0; i < profile->recording->event_count; i++)
		if (profile_wants(profile, &profile->recording->events[i]))
			return 0;
	if (!profile->options->event)
		return 0;
	return fail("there is no event '%s' in the file: 'pfmon report' shows its "
		    "events",
		    profile->options->event);
}

int profile_make(struct profile *profile, const struct recording *recording,
		 const struct profile_options *options)
{
	size_t bad;

	*profile = (struct profile){ .recording = recording, .options = options };
	if (check_event(profile))
		return -1;
	if (tree_make(&profile->tree) || symbols_make(&profile->symbols, recording) ||
	    thread_names_make(&profile->names, recording))
		return fail("no memory");
	profile->symbols.demangles = options->demangles;
	if (options->earlier)
		objects_take_over(&profile->symbols.objects, recording, options->earlier);
	if (samples_each(recording, add_sample, profile, &bad))
		return -1;
	recording_warn(recording, bad, profile->samples);
	return 0;
}

void profile_free(struct profile *profile)
{
	tree_free(&profile->tree);
	symbols_free(&profile->symbols);
	thread_names_free(&profile->names);
}

bool profile_wants(const struct profile *profile, const struct recorded_event *event)
{
	return !profile->options->event || !strcmp(profile->options->event, event->name);
}

const struct node *profile_event(const struct profile *profile,
				 const struct recorded_event *event)
{
	const struct node *nodes = profile->tree.nodes;

	for (node_number i = nodes[0].first_child; i; i = nodes[i].next)
		if (nodes[i].key.event == event)
			return &nodes[i];
	return NULL;
}

double profile_percent(const struct node *event, const struct node *node)
{
	if (event->period)
		return 100.0 * (double)node->period / (double)event->period;
	return 100.0 * (double)node->samples / (double)event->samples;
}

static int compare_numbers(uint64_t a, uint64_t b)
{
	return a > b ? -1 : a < b;
}

int profile_order(const struct node *a, const struct node *b)
{
	int order = compare_numbers(a->period, b->period);
	char one[LABEL_SIZE], other[LABEL_SIZE];

	if (!order)
		order = compare_numbers(a->samples, b->samples);
	if (!order)
		order = strcmp(label_symbol(&a->key, one), label_symbol(&b->key, other));
	if (!order)
		order = strcmp(label_object(&a->key), label_object(&b->key));
	if (!order)
		order = strcmp(label_thread(&a->key, one), label_thread(&b->key, other));
	if (!order)
		order = strcmp(label_program(&a->key), label_program(&b->key));
	return order ? order : (a->key.cpu > b->key.cpu) - (a->key.cpu < b->key.cpu);
}

const char *label_symbol(const struct key *key, char text[LABEL_SIZE])
{
	if (key->symbol)
		return key->symbol->name;
	if (key->object)
		snprintf(text, LABEL_SIZE, "%s+0x%" PRIx64, key->object->name,
			 key->offset);
	else
		snprintf(text, LABEL_SIZE, "0x%" PRIx64, key->offset);
	return text;
}

const char *label_object(const struct key *key)
{
	return object_name(key->object, key->is_kernel);
}

const char *label_program(const struct key *key)
{
	return key->program ? key->program : "[unknown]";
}

const char *label_cpu(const struct key *key, char text[LABEL_SIZE])
{
	snprintf(text, LABEL_SIZE, "%" PRIu32, key->cpu);
	return text;
}

const char *label_thread(const struct key *key, char text[LABEL_SIZE])
{
	snprintf(text, LABEL_SIZE, "%s (%" PRIu32 ")",
		 key->thread.comm ? key->thread.comm : "", key->thread.tid);
	return text;
}
