// SPDX-License-Identifier: GPL-2.0-only
/* The contents of a recording, without the samples. */
#include <stdlib.h>
#include <string.h>

#include "../data/unsampled.h"
#include "../common/array.h"
#include "../common/errors.h"
#include "../common/text.h"
#include "../common/sum.h"
#include "join.h"
#include "recording.h"

/* Result of reading a record. */
enum outcome {
	TAKEN,
	BAD,
	NO_MEMORY,
};

static enum outcome take_machine(struct recording *recording, struct data_body *body)
{
	const char *strings[DATA_MACHINE_STRINGS];
	const struct data_machine *machine = data_take(body, sizeof(*machine));

	if (!machine || recording->machine)
		return BAD;
	for (size_t i = 0; i < DATA_MACHINE_STRINGS; i++) {
		strings[i] = data_take_string(body);
		if (!strings[i])
			return BAD;
	}
	recording->machine = machine;
	memcpy(recording->strings, strings, sizeof(strings));
	return TAKEN;
}

static enum outcome take_command(struct recording *recording, struct data_body *body)
{
	const struct data_command *command = data_take(body, sizeof(*command));
	const char *strings = body->next;

	if (!command || recording->command.command)
		return BAD;
	for (uint32_t i = 0; i < command->count; i++)
		if (body->next == body->end || !data_take_string(body))
			return BAD;
	recording->command.command = command;
	recording->command.strings = strings;
	recording->command.threads = data_take_string(body);
	recording->command.cpus = data_take_string(body);
	recording->command.processes = data_take_string(body);
	return TAKEN;
}

static enum outcome take_event(struct recording *recording, struct data_body *body)
{
	const struct data_event *event = data_take(body, sizeof(*event));
	struct recorded_event *added;
	const char *name;

	if (!event || !data_take(body, event->value_count * sizeof(uint16_t)) ||
	    recording->event_count == DATA_MAX_EVENTS ||
	    recording_event(recording, event->set, event->pmd))
		return BAD;
	name = data_take_string(body);
	if (!name)
		return BAD;
	added = array_add(&recording->events, &recording->event_count, sizeof(*added));
	if (!added)
		return NO_MEMORY;
	*added = (struct recorded_event){ event, name };
	return TAKEN;
}

static enum outcome take_thread(struct recording *recording, struct data_body *body)
{
	const struct data_thread *thread = data_take(body, sizeof(*thread));
	const char *comm = thread ? data_take_string(body) : NULL;
	struct recorded_thread *added;

	if (!comm)
		return BAD;
	added = array_add(&recording->threads, &recording->thread_count, sizeof(*added));
	if (!added)
		return NO_MEMORY;
	*added = (struct recorded_thread){ thread, comm };
	return TAKEN;
}

static enum outcome take_fork(struct recording *recording, struct data_body *body)
{
	const struct data_fork *fork = data_take(body, sizeof(*fork));
	const struct data_fork **added;

	if (!fork)
		return BAD;
	added = array_add(&recording->forks, &recording->fork_count, sizeof(*added));
	if (!added)
		return NO_MEMORY;
	*added = fork;
	return TAKEN;
}

static enum outcome take_mapping(struct recording *recording, struct data_body *body)
{
	const struct data_mapping *mapping = data_take(body, sizeof(*mapping));
	const char *path = mapping ? data_take_string(body) : NULL;
	const char *build_id = path ? data_take_string(body) : NULL;
	struct recorded_mapping *added;

	if (!build_id || mapping->start >= mapping->end)
		return BAD;
	added = array_add(&recording->mappings, &recording->mapping_count,
			  sizeof(*added));
	if (!added)
		return NO_MEMORY;
	*added = (struct recorded_mapping){ mapping, path, build_id };
	return TAKEN;
}

static enum outcome take_samples(struct recording *recording, struct data_body *body)
{
	const struct data_samples *samples = data_take(body, sizeof(*samples));
	struct recorded_samples *added;

	if (!samples || samples->context >= DATA_MAX_CONTEXTS)
		return BAD;
	added = array_add(&recording->samples, &recording->samples_count, sizeof(*added));
	if (!added)
		return NO_MEMORY;
	*added = (struct recorded_samples){ samples, body->next,
					    (size_t)(body->end - body->next) };
	return TAKEN;
}

static enum outcome take_losses(struct recording *recording, struct data_body *body)
{
	const struct data_losses *losses = data_take(body, sizeof(*losses));
	const struct data_losses **element;

	if (!losses || losses->context >= DATA_MAX_CONTEXTS)
		return BAD;
	element = array_reach(&recording->losses, &recording->losses_count,
			      losses->context, sizeof(*element));
	if (!element)
		return NO_MEMORY;
	*element = losses;
	return TAKEN;
}

static enum outcome take_unsampled(struct recording *recording, struct data_body *body)
{
	const struct data_unsampled *unsampled = data_take(body, sizeof(*unsampled));
	const struct data_unsampled **added;

	if (!unsampled || !recording_event(recording, unsampled->set, unsampled->pmd))
		return BAD;
	added = array_add(&recording->unsampled, &recording->unsampled_count,
			  sizeof(*added));
	if (!added)
		return NO_MEMORY;
	*added = unsampled;
	return TAKEN;
}

static enum outcome take_cpu(struct recording *recording, struct data_body *body)
{
	const struct data_cpu *cpu = data_take(body, sizeof(*cpu));
	const struct data_cpu **element;

	if (!cpu || cpu->context >= DATA_MAX_CONTEXTS)
		return BAD;
	element = array_reach(&recording->cpus, &recording->cpu_count, cpu->context,
			      sizeof(*element));
	if (!element)
		return NO_MEMORY;
	*element = cpu;
	return TAKEN;
}

static enum outcome take_end(struct recording *recording, struct data_body *body)
{
	const struct data_end *end = data_take(body, DATA_END_LEAST);
	const uint32_t *flags = data_take(body, sizeof(*flags));

	if (!end)
		return BAD;
	recording->end = end;
	recording->has_failed = flags && *flags & DATA_END_FAILED;
	return TAKEN;
}

static enum outcome take(struct recording *recording, const struct data_record *record)
{
	static enum outcome (*const takers[])(struct recording *, struct data_body *) = {
		[DATA_MACHINE] = take_machine,
		[DATA_COMMAND] = take_command,
		[DATA_EVENT] = take_event,
		[DATA_THREAD] = take_thread,
		[DATA_MAPPING] = take_mapping,
		[DATA_SAMPLES] = take_samples,
		[DATA_LOSSES] = take_losses,
		[DATA_END] = take_end,
		[DATA_UNSAMPLED] = take_unsampled,
		[DATA_FORK] = take_fork,
		[DATA_CPU] = take_cpu,
	};
	struct data_body body = data_body(record);

	if (record->type >= sizeof(takers) / sizeof(takers[0]) || !takers[record->type])
		return TAKEN;
	return takers[record->type](recording, &body);
}

int recording_read(struct recording *recording)
{
	const struct data_record *record;

	for (size_t i = 0; i < DATA_MACHINE_STRINGS; i++)
		recording->strings[i] = "";
	while ((record = data_next(&recording->file))) {
		enum outcome outcome = take(recording, record);

		if (outcome == NO_MEMORY)
			return fail("no memory");
		recording->bad_records += outcome == BAD;
	}
	return 0;
}

int recording_open(struct recording *recording, const char *path)
{
	*recording = (struct recording){ 0 };
	if (data_open(&recording->file, path))
		return -1;
	return recording_read(recording);
}

int recording_open_files(struct recording *recording, const char *const *paths,
			 size_t count)
{
	if (count == 1)
		return recording_open(recording, *paths);
	*recording = (struct recording){ 0 };
	if (join_files(&recording->file, paths, count))
		return -1;
	return recording_read(recording);
}

static void warn_of_cpus(const struct recording *recording)
{
	for (size_t i = 0; i < recording->cpu_count; i++) {
		const struct data_cpu *cpu = recording->cpus[i];

		if (cpu && cpu->produced != sum(cpu->written, cpu->lost))
			warn_user("the kernel took %llu %s on CPU %u, but %llu %s "
				  "written and %llu lost",
				  (unsigned long long)cpu->produced,
				  plural(cpu->produced, "sample", "samples"), cpu->cpu,
				  (unsigned long long)cpu->written,
				  plural(cpu->written, "was", "were"),
				  (unsigned long long)cpu->lost);
	}
}

void recording_warn(const struct recording *recording, size_t bad_samples,
		    uint64_t samples)
{
	const struct data_file *file = &recording->file;

	if (file->is_damaged)
		warn_user("the file is damaged at byte %zu: the rest is left out",
			  file->next);
	else if (!recording->end)
		warn_user("the file was cut short: there may have been more samples");
	else if (recording->has_failed)
		warn_user("the recording ended before the command did, because the file "
			  "could not be written any more");
	if (recording->bad_records)
		warn_user("%zu invalid %s left out", recording->bad_records,
			  plural(recording->bad_records, "record of the file is",
				 "records of the file are"));
	if (bad_samples)
		warn_user("%zu %s could not be read to %s end", bad_samples,
			  plural(bad_samples, "record of samples", "records of samples"),
			  plural(bad_samples, "its", "their"));
	if (recording->end && recording->end->written != samples)
		warn_user("%llu %s written to the file, %llu %s in it",
			  (unsigned long long)recording->end->written,
			  plural(recording->end->written, "sample was", "samples were"),
			  (unsigned long long)samples, plural(samples, "is", "are"));
	warn_of_cpus(recording);
}

void recording_warn_losses(const struct recording *recording)
{
	uint64_t throttled = recording_throttled(recording);
	uint64_t undelivered = recording_undelivered(recording);
	uint64_t lost = recording_lost(recording);

	if (lost)
		warn_user("%llu %s lost", (unsigned long long)lost,
			  plural(lost, "sample was", "samples were"));
	if (undelivered)
		warn_user("%llu %s not delivered by the PMU",
			  (unsigned long long)undelivered,
			  plural(undelivered, "sample was", "samples were"));
	if (throttled)
		warn_user("monitoring was throttled %llu %s: there are no samples from "
			  "%s",
			  (unsigned long long)throttled,
			  plural(throttled, "time", "times"),
			  plural(throttled, "that time", "these times"));
}

void recording_free(struct recording *recording)
{
	free(recording->events);
	free(recording->threads);
	free(recording->forks);
	free(recording->mappings);
	free(recording->samples);
	free(recording->losses);
	free(recording->unsampled);
	free(recording->cpus);
	data_close_file(&recording->file);
	*recording = (struct recording){ 0 };
}

const struct recorded_event *recording_event(const struct recording *recording,
					     unsigned int set, unsigned int pmd)
{
	for (size_t i = 0; i < recording->event_count; i++) {
		const struct data_event *event = recording->events[i].event;

		if (event->set == set && event->pmd == pmd)
			return &recording->events[i];
	}
	return NULL;
}

char *recording_command(const struct recording *recording)
{
	const struct data_command *command = recording->command.command;
	const char *end = recording->command.strings;
	char *text;
	size_t size;

	if (!command || !command->count)
		return strdup("");
	for (uint32_t i = 0; i < command->count; i++)
		end += strlen(end) + 1;
	size = (size_t)(end - recording->command.strings);
	text = malloc(size);
	if (!text)
		return NULL;
	memcpy(text, recording->command.strings, size);
	for (size_t i = 0; i < size - 1; i++)
		if (!text[i])
			text[i] = ' ';
	return text;
}

uint64_t recording_lost(const struct recording *recording)
{
	uint64_t lost = 0;

	if (recording->end)
		return recording->end->lost;
	for (size_t i = 0; i < recording->losses_count; i++)
		if (recording->losses[i])
			lost = sum(lost, recording->losses[i]->lost);
	return lost;
}

struct data_unsampled recording_unsampled(const struct recording *recording,
					  const struct data_event *event)
{
	struct data_unsampled all = { .set = event->set, .pmd = event->pmd };

	for (size_t i = 0; i < recording->unsampled_count; i++)
		if (recording->unsampled[i]->set == event->set &&
		    recording->unsampled[i]->pmd == event->pmd)
			unsampled_add(&all, recording->unsampled[i]);
	if (!unsampled_matters(&all))
		all.samples = 0;
	return all;
}

uint64_t recording_undelivered(const struct recording *recording)
{
	uint64_t samples = 0;

	for (size_t i = 0; i < recording->event_count; i++)
		samples = sum(samples,
			      recording_unsampled(recording, recording->events[i].event)
				      .samples);
	return samples;
}

uint64_t recording_throttled(const struct recording *recording)
{
	uint64_t throttled = 0;

	for (size_t i = 0; i < recording->losses_count; i++)
		if (recording->losses[i])
			throttled = sum(throttled, recording->losses[i]->throttled);
	return throttled;
}
