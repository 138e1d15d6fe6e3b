// SPDX-License-Identifier: GPL-2.0-only
/* Load the contexts of a recording, and find out which programs their threads execute. */
#include <stdlib.h>
#include <string.h>

#include "../common/array.h"
#include "../common/errors.h"
#include "recorder_attach.h"
#include "recorder_cpus.h"

/**
 * struct attaching - state while contexts are loaded on the threads of processes
 * @recorder: the recording
 * @count: number of samplers of @recorder whose contexts have been loaded
 */
struct attaching {
	struct recorder *recorder;
	size_t count;
};

/*
 * A function for struct attacher: load the next context on thread @tid. @flags are not used,
 * because all contexts have the flags of the recording.
 */
static int attach_next(void *data, int tid, uint32_t flags, struct session **session)
{
	struct attaching *attaching = data;
	struct recorder *recorder = attaching->recorder;
	struct sampler *sampler;
	int error;

	(void)flags;
	if (attaching->count == recorder->count && recorder_add_sampler(recorder))
		return -1;
	sampler = &recorder->samplers[attaching->count];
	*session = &sampler->session;
	error = sampler_try_attach(sampler, tid);
	if (!error)
		attaching->count++;
	return error;
}

void recorder_drop_samplers(struct recorder *recorder, size_t count)
{
	while (recorder->count > count)
		sampler_close(&recorder->samplers[--recorder->count]);
}

static int attach_processes(struct recorder *recorder)
{
	struct attaching attaching = { .recorder = recorder };
	const struct attacher attacher = { attach_next, &attaching };

	if (targets_attach_threads(&recorder->options->targets,
				   recorder_follows(recorder), &attacher,
				   &recorder->ends))
		return -1;
	/* Close the samplers that are left over because threads ended before they got a context. */
	recorder_drop_samplers(recorder, attaching.count);
	return recorder->count ? 0
			       : fail("the threads ended before they could be monitored");
}

static int attach_threads(struct recorder *recorder, const int *targets)
{
	for (size_t i = 0; i < recorder->count; i++)
		if (sampler_attach(&recorder->samplers[i], targets[i]))
			return -1;
	return 0;
}

/*
 * Append the buffers of a sampler to recorder->buffers. The index of a buffer is its number in the
 * file.
 */
static int list_buffers(struct recorder *recorder, struct sampler *sampler)
{
	for (size_t i = 0; i < sampler->buffer_count; i++) {
		struct buffer **added;

		if (recorder->buffer_count == DATA_MAX_CONTEXTS)
			return fail("there are too many threads and CPUs: sample fewer "
				    "threads, or use --no-inherit");
		added = array_add(&recorder->buffers, &recorder->buffer_count,
				  sizeof(*added));
		if (!added)
			return fail("no memory");
		*added = &sampler->buffers[i];
		(*added)->drain.context = (uint32_t)recorder->buffer_count - 1;
	}
	return 0;
}

int recorder_list_sampler(struct recorder *recorder, struct sampler *sampler)
{
	int *context = array_add(&recorder->contexts, &recorder->context_count,
				 sizeof(*context));

	if (!context)
		return fail("no memory");
	*context = sampler->session.fd;
	return list_buffers(recorder, sampler);
}

static int attach_all(struct recorder *recorder, const int *targets)
{
	if (recorder_has_cpus(recorder))
		return recorder_attach_cpus(recorder);
	if (recorder->options->targets.processes.count)
		return attach_processes(recorder);
	return attach_threads(recorder, targets);
}

int recorder_attach(struct recorder *recorder, const int *targets)
{
	if (attach_all(recorder, targets))
		return -1;
	for (size_t i = 0; i < recorder->count; i++)
		if (recorder_list_sampler(recorder, &recorder->samplers[i]))
			return -1;
	return 0;
}

static int watch_machine(struct recorder *recorder)
{
	struct all_processes *all = &recorder->all_processes;

	if (all_processes_begin(all, -1))
		return -1;
	if (!all->has_band && !recorder->options->is_quiet)
		warn_user(
			"the kernel does not report new processes to you (%s): processes "
			"that live less than half a second may be missing; run as root or "
			"with CAP_PERFMON to get the reports",
			strerror(all->refusal));
	return 0;
}

static int watch_command(struct recorder *recorder, pid_t pid)
{
	struct all_processes *all = &recorder->all_processes;

	if (all_processes_begin(all, pid))
		return -1;
	return all->has_band ? 0 : processes_add(&recorder->processes, pid);
}

int recorder_watch_processes(struct recorder *recorder, const int *targets)
{
	const struct id_list *pids = &recorder->options->targets.processes;

	if (recorder_has_cpus(recorder))
		return watch_machine(recorder);
	for (size_t i = 0; i < pids->count; i++)
		if (processes_add(&recorder->processes, pids->ids[i]))
			return -1;
	if (pids->count)
		return 0;
	if (recorder_follows(recorder))
		return watch_command(recorder, targets[0]);
	for (size_t i = 0; i < recorder->count; i++)
		if (processes_add_thread(&recorder->processes, targets[i], (uint32_t)i))
			return -1;
	return 0;
}
