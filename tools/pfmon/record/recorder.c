// SPDX-License-Identifier: GPL-2.0-only
/* Make a recording. */
#include <errno.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../data/unsampled.h"
#include "../event/assignment.h"
#include "../data/data_write.h"
#include "../event/device_errors.h"
#include "../common/array.h"
#include "../common/errors.h"
#include "../run/open_files.h"
#include "../run/uevents.h"
#include "recorder.h"
#include "recorder_attach.h"
#include "recorder_cpus.h"
#include "recorder_file.h"
#include "sampling_format.h"

/*
 * After each interval pfmon adapts the periods, reads the mappings and writes the samples, even if
 * no buffer is full. The intervals grow from FIRST_TICK ms to LAST_TICK ms, each time by the factor
 * TICK_STEP. The first ones are short, because the first rates are only estimates.
 */
#define FIRST_TICK 10
#define LAST_TICK  500
#define TICK_STEP  7

/* Returns whether this process may see kernel addresses in samples. */
static bool may_see_kernel(void)
{
	struct __user_cap_header_struct header = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct data[2] = { 0 };

	if (syscall(SYS_capget, &header, data))
		return false;
	return data[CAP_PERFMON / 32].effective & 1u << CAP_PERFMON % 32 ||
	       data[CAP_SYS_ADMIN / 32].effective & 1u << CAP_SYS_ADMIN % 32;
}

static void close_samplers(struct recorder *recorder)
{
	for (size_t i = 0; i < recorder->count; i++)
		sampler_close(&recorder->samplers[i]);
}

/* Returns the buffer size to try first. */
static uint64_t first_buffer(const struct record_options *options)
{
	return options->buffer ? options->buffer : RECORD_BUFFER;
}

static uint32_t context_flags(const struct record_options *options)
{
	if (options->targets.cpus.count)
		return PFM_FL_SYSTEM_WIDE;
	if (!options->is_inherited || options->targets.threads.count)
		return 0;
	return options->targets.processes.count ? PFM_FL_INHERIT_THREADS
						: PFM_FL_INHERIT_ALL;
}

static int create_sampler(const struct recorder *recorder, struct sampler *sampler)
{
	return sampler_create(sampler, recorder->options->pmu, recorder->flags,
			      recorder->format, recorder->buffer,
			      recorder->options->has_recorded);
}

/* Create all samplers, or none. Returns 0, or -1 with errno and without a message. */
static int create_samplers(struct recorder *recorder)
{
	for (size_t i = 0; i < recorder->count; i++) {
		if (create_sampler(recorder, &recorder->samplers[i])) {
			const int error = errno;

			close_samplers(recorder);
			errno = error;
			return -1;
		}
	}
	return 0;
}

static int fail_create(const struct recorder *recorder, int error, unsigned int reason)
{
	const char *name = sampling_format_name(recorder->format);
	const char *what = recorder->flags ? "CPU" : "thread";
	unsigned long long size = recorder->buffer;

	switch (reason) {
	case PFM_REASON_NO_FORMAT:
		return fail("there is no format '%s': 'modprobe perfmon_fmt_%s' says why "
			    "its module cannot be loaded",
			    name, name);
	case PFM_REASON_FORMAT_ARGUMENT:
		return fail("a buffer of %llu bytes is too small for a sample of format "
			    "'%s' on this PMU: take a larger --buffer",
			    size, name);
	case PFM_REASON_BUFFER_MEMLOCK:
		return fail("your buffers, %llu bytes for each %s, are over the limit of "
			    "locked memory ('ulimit -l'): take a smaller --buffer, or "
			    "raise the limit",
			    size, what);
	case PFM_REASON_BUFFER_LIMIT:
		return fail("a buffer of %llu bytes for each %s is over the limit in "
			    "/sys/kernel/perfmon/smpl_buffer_mem_max: take a smaller "
			    "--buffer, or raise the limit",
			    size, what);
	default:
		if (error == EMFILE)
			return open_files_fail();
		return fail_open(error, recorder->options->pmu);
	}
}

/*
 * Do not record new threads and child processes. If the user named processes, warn of this now. If
 * the user named a command, others_warn() warns when the command has ended.
 */
static bool do_not_follow(struct recorder *recorder, const char *why)
{
	if (recorder->flags & PFM_FL_INHERIT_THREADS)
		warn_user("threads that are made later are not sampled: %s", why);
	recorder->flags = 0;
	recorder->buffer = first_buffer(recorder->options);
	return true;
}

/*
 * The kernel has refused to create a context, and @reason says why. Ask for less in the next
 * attempt: half the buffer size, format "default" instead of "nway", or a recording without new
 * threads and child processes. Do not change a size or a format that the user chose. Returns false
 * if the next attempt cannot ask for less.
 */
static bool do_with_less(struct recorder *recorder, unsigned int reason)
{
	const struct record_options *options = recorder->options;

	if (reason == PFM_REASON_UNSUPPORTED && recorder_follows(recorder))
		return do_not_follow(recorder, "this PMU cannot follow them");
	if (reason == PFM_REASON_NO_FORMAT && !options->format &&
	    recorder->format == DATA_FORMAT_NWAY) {
		recorder->format = DATA_FORMAT_DEFAULT;
		if (!options->is_quiet)
			warn_user("there is no format 'nway' here: pfmon uses 'default', "
				  "which samples nothing while a full buffer is written");
		return true;
	}
	if ((reason == PFM_REASON_BUFFER_MEMLOCK || reason == PFM_REASON_BUFFER_LIMIT) &&
	    !options->buffer && recorder->buffer > RECORD_BUFFER_LEAST) {
		recorder->buffer /= 2;
		return true;
	}
	if ((reason == PFM_REASON_BUFFER_MEMLOCK || reason == PFM_REASON_BUFFER_LIMIT) &&
	    recorder->flags & PFM_FL_INHERIT_THREADS)
		return do_not_follow(recorder,
				     "each thread would need a buffer for each CPU, and "
				     "the limits leave no room for them");
	return false;
}

/* Returns why the creation of a context failed with @error; PFM_REASON_NONE if it is not known. */
static unsigned int reason_of(int error)
{
	struct pfm_error last;

	return pfm_get_error(-1, &last) || last.error != error ? PFM_REASON_NONE
							       : last.reason;
}

static int open_samplers(struct recorder *recorder)
{
	unsigned int reason;
	int error;

	open_files_raise();
	while (create_samplers(recorder)) {
		error = errno;
		reason = reason_of(error);
		if (!do_with_less(recorder, reason))
			return fail_create(recorder, error, reason);
	}
	for (size_t i = 0; i < recorder->count; i++) {
		struct session *session = &recorder->samplers[i].session;

		if (session_ask(session, recorder->flags))
			return -1;
	}
	return 0;
}

static int choose_events(struct recorder *recorder)
{
	const struct machine *machine = &recorder->samplers[0].session.machine;
	const struct event_options *asked = &recorder->options->events;
	struct event_list *events = &recorder->events;

	/*
	 * If several CPUs share a counter, a timer finds its overflows. The timer may run on a CPU
	 * that did not cause the overflow, so a sample would name the wrong program.
	 */
	if (machine->scope[0])
		return fail("PMU %s cannot be sampled, because several CPUs share its "
			    "counters: count its events with 'pfmon stat -a'",
			    machine->info.pmu_name);
	if (!asked->count && events_default_sampled(events, machine, may_see_kernel()))
		return -1;
	for (unsigned int i = 0; i < asked->count; i++)
		if (events_parse(events, asked->texts[i], machine))
			return -1;
	if (events_take_counters(events, machine))
		return -1;
	if (events_assign(events, machine, false))
		return -1;
	return witness_add(&recorder->all, events, machine);
}

/* Returns the number of threads or CPUs to sample. */
static size_t target_count(const struct record_options *options)
{
	if (options->targets.cpus.count)
		return options->targets.cpus.count;
	if (options->targets.processes.count)
		return targets_count_threads(&options->targets);
	return options->targets.threads.count ? options->targets.threads.count : 1;
}

static int program(struct recorder *recorder, struct sampler *sampler)
{
	const struct record_options *options = recorder->options;

	return sampler_program(sampler, &recorder->all, recorder->events.count,
			       options->period, options->frequency, options->random_mask);
}

int recorder_prepare(struct recorder *recorder, const struct record_options *options)
{
	recorder->options = options;
	recorder->format = options->format ? options->format : DATA_FORMAT_NWAY;
	recorder->flags = context_flags(options);
	recorder->buffer = first_buffer(options);
	recorder->count = target_count(options);
	recorder->samplers = calloc(recorder->count, sizeof(*recorder->samplers));
	if (!recorder->samplers)
		return fail("no memory");
	for (size_t i = 0; i < recorder->count; i++)
		recorder->samplers[i].session.fd = -1;
	if (open_samplers(recorder) || choose_events(recorder))
		return -1;
	for (size_t i = 0; i < recorder->count; i++)
		if (program(recorder, &recorder->samplers[i]))
			return -1;
	return 0;
}

int recorder_try_add_sampler(struct recorder *recorder)
{
	struct sampler *samplers =
		reallocarray(recorder->samplers, recorder->count + 1, sizeof(*samplers));
	struct sampler *sampler;

	if (!samplers)
		return fail("no memory");
	recorder->samplers = samplers;
	sampler = &samplers[recorder->count];
	if (create_sampler(recorder, sampler))
		return errno;
	recorder->count++;
	return session_ask(&sampler->session, recorder->flags) ||
			       program(recorder, sampler)
		       ? -1
		       : 0;
}

int recorder_add_sampler(struct recorder *recorder)
{
	int error = recorder_try_add_sampler(recorder);

	return error > 0 ? fail_create(recorder, error, reason_of(error)) : error;
}

/*
 * Start monitoring. Threads that have ended are left out; if all threads have ended, this is an
 * error.
 */
static int start(struct recorder *recorder)
{
	size_t ended = 0;

	for (size_t i = 0; i < recorder->count; i++) {
		int result = session_try_start(&recorder->samplers[i].session);

		if (result < 0)
			return -1;
		ended += (size_t)result;
	}
	return ended < recorder->count
		       ? 0
		       : fail("each thread ended before it could be monitored");
}

/*
 * The kernel begins to report new processes before /proc is read. So the reports also include the
 * processes that begin while /proc is read.
 */
int recorder_begin(struct recorder *recorder, const int *targets)
{
	if (recorder_has_cpus(recorder))
		recorder->uevents = uevents_open();
	if (recorder_attach(recorder, targets) ||
	    recorder_watch_processes(recorder, targets) || recorder_begin_file(recorder))
		return -1;
	recorder->begin = recorder->begun = nanoseconds_now();
	if (start(recorder))
		return -1;
	/*
	 * It takes long to find the kernel's mappings. Write them after the start, so that sampling
	 * begins early: threads that end before the start are not sampled.
	 */
	return recorder_write_kernel(recorder, &recorder->writer);
}

/* Returns the file for the samples, or NULL after an error has ended the recording. */
static struct data_writer *destination(struct recorder *recorder)
{
	return recorder->is_written ? &recorder->writer : NULL;
}

static int finish_samplers(struct recorder *recorder)
{
	int result = 0;

	for (size_t i = 0; i < recorder->count; i++) {
		if (!sampler_finish(&recorder->samplers[i], destination(recorder)))
			continue;
		recorder->is_written = false;
		result = -1;
	}
	return result;
}

/* End all samplers after an error. Their remaining samples are lost. Returns -1. */
static int give_up(struct recorder *recorder)
{
	progress_end(&recorder->progress);
	recorder->is_written = false;
	finish_samplers(recorder);
	return -1;
}

static void show_progress(struct recorder *recorder)
{
	struct drain_counts counts;

	if (!progress_is_due(&recorder->progress))
		return;
	recorder_count(recorder, &counts);
	progress_show(&recorder->progress, counts.written + counts.waiting, counts.lost,
		      recorder->writer.size);
}

static int on_message(void *data, unsigned int index, const union pfarg_msg *message)
{
	struct recorder *recorder = data;
	struct sampler *sampler = &recorder->samplers[index];
	int result;

	if (!recorder->is_written)
		return -1;
	if (message->type == PFM_MSG_END) {
		recorder->ended_before |= !recorder->is_exiting;
		sampler->has_ended = !sampler->is_cpu;
	}
	/* After the context's thread has ended, copies of the context may still monitor threads. */
	if (sampler->has_ended && !sampler->session.is_inherited)
		result = sampler_finish(sampler, &recorder->writer);
	else
		result = sampler_take(sampler, &recorder->writer);
	/*
	 * A process that the user named may have many threads. Reading their names for each message
	 * would take too long, so on_tick() reads names and mappings later.
	 */
	if (result ||
	    (!recorder->options->targets.processes.count && recorder_look(recorder)))
		return give_up(recorder);
	show_progress(recorder);
	return 0;
}

/* Called when many of the kernel's reports about processes (side_band.h) are unread. */
static int on_processes(void *data)
{
	struct recorder *recorder = data;

	if (!recorder->is_written)
		return -1;
	return recorder_look(recorder) ? give_up(recorder) : 0;
}

/*
 * Called when the kernel has sent uevents. If a CPU has come online, recorder_look() opens a perf
 * event there, which reports processes. This must happen before recorder_follow_cpus() begins to
 * sample the CPU.
 */
static int on_uevent(void *data)
{
	struct recorder *recorder = data;

	if (!recorder->is_written)
		return -1;
	if (!uevents_take(recorder->uevents))
		return 0;
	return recorder_look(recorder) || recorder_follow_cpus(recorder)
		       ? give_up(recorder)
		       : 0;
}

static int on_input(void *data)
{
	struct recorder *recorder = data;

	return recorder->typed(recorder->data) ? give_up(recorder) : 0;
}

static int on_tick(void *data)
{
	struct recorder *recorder = data;
	struct watch *watch = &recorder->watch;
	uint64_t left;

	if (!recorder->is_written)
		return -1;
	for (size_t i = 0; i < recorder->count; i++)
		if (!recorder->samplers[i].is_over &&
		    (sampler_take_early(&recorder->samplers[i], &recorder->writer) ||
		     sampler_follow(&recorder->samplers[i])))
			return give_up(recorder);
	if (recorder_look(recorder) ||
	    (recorder->uevents == -1 && recorder_follow_cpus(recorder)) ||
	    (recorder_file_is_full(recorder) && recorder_switch_file(recorder)))
		return give_up(recorder);
	show_progress(recorder);
	recorder->tick *= TICK_STEP;
	if (recorder->tick > LAST_TICK)
		recorder->tick = LAST_TICK;
	watch->interval = recorder->tick;
	left = recorder_time_left(recorder) / 1000000 + 1;
	if (left < watch->interval)
		watch->interval = (unsigned int)left;
	return 0;
}

void recorder_at_exec(void *data)
{
	struct recorder *recorder = data;

	if (recorder->is_written && recorder->processes.count &&
	    process_look_at_exec(&recorder->processes.list[0], &recorder->writer,
				 recorder_newest(recorder)))
		give_up(recorder);
}

void recorder_at_exit(void *data)
{
	struct recorder *recorder = data;

	recorder->is_exiting = true;
	if (recorder->is_written && recorder_look(recorder))
		give_up(recorder);
}

static void watch_also(struct recorder *recorder, int fd, int (*ready)(void *data))
{
	struct watch *watch = &recorder->watch;

	watch->more[watch->more_count++] = (struct watched){ fd, ready };
}

int recorder_wait(struct recorder *recorder, const struct signals *signals,
		  const struct tracer *tracer, pid_t pid, struct outcome *outcome)
{
	recorder->tick = FIRST_TICK;
	recorder->watch = (struct watch){
		.signals = signals,
		.contexts = recorder->contexts,
		.context_count = (unsigned int)recorder->context_count,
		.have_copies = recorder_follows(recorder),
		.may_return = recorder_has_cpus(recorder),
		.processes = recorder->ends.processes,
		.process_count = (unsigned int)recorder->ends.process_count,
		.pid = pid,
		.tracer = tracer,
		.message = on_message,
		.tick = on_tick,
		.interval = recorder->tick,
		.timeout = recorder->options->timeout,
		.data = recorder,
	};
	if (recorder->all_processes.has_band)
		watch_also(recorder, recorder->all_processes.band.poll, on_processes);
	if (recorder->uevents > 0)
		watch_also(recorder, recorder->uevents, on_uevent);
	if (recorder->input)
		watch_also(recorder, recorder->input, on_input);
	progress_begin(&recorder->progress, recorder->options->is_quiet);
	return wait_for_end(&recorder->watch, outcome);
}

/*
 * Add to recorder->changes the CPUs that were not online all the time. Do not call this function
 * after give_up(), which unloads all contexts: all CPUs would then count as offline.
 */
static void add_changes(struct recorder *recorder)
{
	for (size_t i = 0; i < recorder->count; i++)
		cpus_add_change(&recorder->samplers[i].session, &recorder->changes);
}

int recorder_finish(struct recorder *recorder)
{
	int result;

	progress_end(&recorder->progress);
	if (recorder->is_written && recorder_has_cpus(recorder))
		add_changes(recorder);
	recorder->duration = nanoseconds_now() - recorder->begin;
	if (recorder->is_written && recorder_look(recorder))
		recorder->is_written = false;
	result = finish_samplers(recorder);
	if (!recorder->is_written)
		result = -1;
	if (recorder->writer.path && !recorder->writer.is_torn)
		result |= recorder_end_file(recorder,
					    recorder->is_written ? 0 : DATA_END_FAILED);
	if (recorder->writer.path)
		result |= data_close(&recorder->writer);
	return result;
}

void recorder_count(const struct recorder *recorder, struct drain_counts *counts)
{
	struct drain_counts own;

	*counts = (struct drain_counts){ 0 };
	for (size_t i = 0; i < recorder->buffer_count; i++) {
		buffer_count(recorder->buffers[i], &own);
		drain_counts_add(counts, &own);
	}
}

struct data_unsampled recorder_unsampled(const struct recorder *recorder, size_t index)
{
	struct data_unsampled all = { 0 };

	for (size_t i = 0; i < recorder->count; i++) {
		if (recorder->samplers[i].buffer_count)
			unsampled_add(&all, &recorder->samplers[i].unsampled[index]);
	}
	if (!unsampled_matters(&all))
		all.samples = 0;
	return all;
}

uint64_t recorder_cut(const struct recorder *recorder, size_t index, uint64_t *counted)
{
	uint64_t cut = 0;

	*counted = 0;
	for (size_t i = 0; i < recorder->count; i++) {
		cut += recorder->samplers[i].cut[index];
		*counted += recorder->samplers[i].unsampled[index].counted;
	}
	return cut;
}

void recorder_free(struct recorder *recorder)
{
	if (recorder->samplers)
		close_samplers(recorder);
	if (recorder->writer.path)
		data_close(&recorder->writer);
	processes_free(&recorder->processes);
	all_processes_free(&recorder->all_processes);
	free(recorder->samplers);
	target_ends_free(&recorder->ends);
	if (recorder->uevents > 0)
		close(recorder->uevents);
	free(recorder->contexts);
	free(recorder->buffers);
	kernel_free(&recorder->kernel);
	witness_free(&recorder->all);
	rotation_free(&recorder->rotation);
	events_free(&recorder->events);
	*recorder = (struct recorder){ 0 };
}
