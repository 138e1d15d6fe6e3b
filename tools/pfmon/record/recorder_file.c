// SPDX-License-Identifier: GPL-2.0-only
/* Begin and end the files of a recording, and switch from one file to the next. */
#include <stdlib.h>

#include "../data/kernel.h"
#include "head.h"
#include "output.h"
#include "recorder_cpus.h"
#include "recorder_file.h"

uint64_t recorder_newest(const struct recorder *recorder)
{
	struct tally tally;
	uint64_t time = 0;

	for (size_t i = 0; i < recorder->buffer_count; i++) {
		drain_tally(&recorder->buffers[i]->drain, &tally);
		if (tally.newest > time)
			time = tally.newest;
	}
	return time;
}

/*
 * Returns the maximum size of the records at the end of the file. There is one END record. Each
 * buffer has at most one LOSSES record and one CPU record. Each context has at most one UNSAMPLED
 * record for each event.
 */
static uint64_t reserve(const struct recorder *recorder)
{
	const size_t head = sizeof(struct data_record);

	return head + sizeof(struct data_end) +
	       recorder->buffer_count * (head + sizeof(struct data_losses)) +
	       recorder->buffer_count * (head + sizeof(struct data_cpu)) +
	       recorder->count * recorder->events.count *
		       (head + sizeof(struct data_unsampled));
}

void recorder_reserve(struct recorder *recorder)
{
	recorder->writer.reserve = reserve(recorder);
}

int recorder_look(struct recorder *recorder)
{
	uint64_t now = recorder_newest(recorder);

	if (recorder_has_all(recorder))
		return all_processes_follow(&recorder->all_processes, now);
	if (recorder->flags & PFM_FL_INHERIT_ALL &&
	    processes_add_descendants(&recorder->processes))
		return -1;
	return processes_look(&recorder->processes, &recorder->writer, now);
}

/*
 * Write the MACHINE, COMMAND and EVENT records. If CPUs are sampled, the COMMAND record names the
 * CPUs that have a sampler at this time.
 */
static int write_head(struct recorder *recorder, struct data_writer *writer)
{
	const struct record_options *options = recorder->options;
	const struct sampler *first = &recorder->samplers[0];
	const struct data_machine record = {
		.recording = recorder->number,
		.flags = options->is_per_thread ? DATA_PER_THREAD : 0,
	};
	struct targets targets = options->targets;
	int result = 0;

	targets.cpus = (struct id_list){ 0 };
	if (recorder_has_cpus(recorder))
		result = recorder_list_cpus(recorder, &targets.cpus);
	if (!result)
		result = head_write(writer, &first->session.machine, record,
				    options->command, &targets, &recorder->events,
				    first->rates, options->frequency);
	free(targets.cpus.ids);
	return result;
}

static int create_file(struct recorder *recorder, struct data_writer *writer)
{
	const struct record_options *options = recorder->options;

	if (options->output ? data_create(writer, options->output)
			    : data_create_in_memory(writer))
		return -1;
	writer->reserve = reserve(recorder);
	return write_head(recorder, writer);
}

int recorder_begin_file(struct recorder *recorder)
{
	struct all_processes *all = &recorder->all_processes;

	recorder->rotation = recorder->options->rotation;
	recorder->number = head_number();
	all->names_only = recorder->options->names_only;
	if ((recorder->options->output && output_prepare(recorder->options->output)) ||
	    create_file(recorder, &recorder->writer))
		return -1;
	recorder->is_written = true;
	all->writer = &recorder->writer;
	if (recorder_has_all(recorder) && all_processes_scan(all, all->writer, 0))
		return -1;
	return recorder_look(recorder);
}

static int write_unsampled(struct recorder *recorder)
{
	for (size_t i = 0; i < recorder->count; i++)
		if (sampler_write_unsampled(&recorder->samplers[i], &recorder->writer))
			return -1;
	return 0;
}

/*
 * Room for the records at the end has been reserved, so they fit even if the disk is full. Only the
 * last file has UNSAMPLED records, because the numbers in these records are known only when the
 * recording ends.
 */
int recorder_end_file(struct recorder *recorder, uint32_t flags)
{
	bool is_last = !(flags & DATA_END_SWITCHED);
	struct data_end end = {
		.duration = nanoseconds_now() - recorder->begun,
		.flags = flags,
	};
	struct drain_counts counts;

	for (size_t i = 0; i < recorder->buffer_count; i++) {
		struct buffer *buffer = recorder->buffers[i];

		buffer_count_file(buffer, is_last, &counts);
		if (buffer_write_losses(buffer, &recorder->writer) ||
		    buffer_write_cpu(buffer, &counts, &recorder->writer))
			return -1;
		if (!is_last)
			buffer_begin_file(buffer, &counts);
		end.produced += counts.produced;
		end.written += counts.written;
		end.lost += counts.lost;
	}
	if (is_last && write_unsampled(recorder))
		return -1;
	return data_write_end(&recorder->writer, &end);
}

/* Write to the current file all samples that are in the buffers at this moment. */
static int take_samples(struct recorder *recorder)
{
	for (size_t i = 0; i < recorder->count; i++) {
		struct sampler *sampler = &recorder->samplers[i];

		if (!sampler->is_over && (sampler_take(sampler, &recorder->writer) ||
					  sampler_take_early(sampler, &recorder->writer)))
			return -1;
	}
	return 0;
}

/*
 * Write the kernel's mappings to the next file, while samples are still written to the current
 * file. If recorder->all_processes is used, also write the names and mappings of the processes:
 * first write to @next what /proc shows, then write the kernel's reports about processes to both
 * files. So if the kernel permits these reports, @next contains the name of every process that will
 * have samples in @next. If recorder->all_processes is not used, use_file() writes the names and
 * mappings.
 */
static int prepare_next(struct recorder *recorder, struct data_writer *next)
{
	struct all_processes *all = &recorder->all_processes;

	all->names_only = recorder->options->names_only;
	if (recorder_write_kernel(recorder, next) || recorder_look(recorder))
		return -1;
	if (!recorder_has_all(recorder))
		return take_samples(recorder);
	all->next = next;
	return all_processes_scan(all, next, 0) || take_samples(recorder) ||
			       all_processes_follow(all, recorder_newest(recorder))
		       ? -1
		       : 0;
}

int recorder_write_kernel(struct recorder *recorder, struct data_writer *writer)
{
	if (recorder->options->names_only)
		return 0;
	return kernel_write_mappings(&recorder->kernel, writer);
}

/* Make @next the current file, and write names and mappings that it does not have yet. */
static int use_file(struct recorder *recorder, const struct data_writer *next)
{
	recorder->writer = *next;
	processes_forget(&recorder->processes);
	return recorder_look(recorder);
}

int recorder_switch_file(struct recorder *recorder)
{
	struct data_writer next = { .fd = -1 }, last;
	uint64_t now = nanoseconds_now();
	int result;

	if (recorder->options->output &&
	    rotation_keep(&recorder->rotation, recorder->writer.path))
		return -1;
	result = create_file(recorder, &next) || prepare_next(recorder, &next);
	recorder->all_processes.next = NULL;
	if (result) {
		data_close(&next);
		return -1;
	}
	result = recorder_end_file(recorder, DATA_END_SWITCHED);
	last = recorder->writer;
	result |= use_file(recorder, &next);
	recorder->begun = now;
	if (!result && recorder->ended)
		result = recorder->ended(recorder->data, &last);
	result |= data_close(&last);
	rotation_remove(&recorder->rotation);
	return result;
}

uint64_t recorder_time_left(const struct recorder *recorder)
{
	uint64_t end = recorder->begun + recorder->rotation.time;
	uint64_t now = nanoseconds_now();

	if (!recorder->rotation.time)
		return UINT64_MAX;
	return end > now ? end - now : 0;
}

bool recorder_file_is_full(const struct recorder *recorder)
{
	return rotation_is_due(&recorder->rotation, recorder->writer.size,
			       nanoseconds_now() - recorder->begun);
}
