// SPDX-License-Identifier: GPL-2.0-only
/* pfmon record: sample a program, for pfmon report. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../common/text.h"
#include "../commands.h"
#include "../common/errors.h"
#include "../run/child.h"
#include "recorder.h"
#include "sampling_format.h"

/**
 * struct run - a recording, its options and its command
 * @recorder: the recording
 * @options: the command line
 * @signals: signals that pfmon receives during the recording
 * @outcome: how the recording ended
 * @path: path of the command
 * @is_traced: the command is traced with ptrace
 */
struct run {
	struct recorder recorder;
	struct record_options options;
	struct signals signals;
	struct outcome outcome;
	const char *path;
	bool is_traced;
};

/* Returns the threads that the user named, or @command if the user named no threads. */
static const int *targets(const struct record_options *options, const pid_t *command)
{
	return options->targets.threads.count ? options->targets.threads.ids : command;
}

/*
 * Returns whether the command itself is recorded. It is not recorded if the user named processes,
 * threads or CPUs.
 */
static bool is_own(const struct record_options *options)
{
	return options->command && !targets_are_given(&options->targets);
}

/*
 * Trace the command if it is recorded and the kernel does not report its mappings. Do not trace the
 * command if the user has forbidden tracing, or if tracing would change the command's behaviour.
 * Returns whether the command is traced.
 */
static bool begin_to_trace(const struct run *run, pid_t pid)
{
	if (!run->options.is_traced || !is_own(&run->options) ||
	    run->recorder.all_processes.has_band || !trace_is_harmless(run->path))
		return false;
	return !trace_begin(pid);
}

/* Returns 0, or the status to exit with. */
static int run_command(struct run *run)
{
	struct recorder *recorder = &run->recorder;
	const struct tracer tracer = { recorder_at_exec, recorder_at_exit, recorder };
	const struct record_options *options = &run->options;
	const struct tracer *follow = NULL;
	struct child child;
	int result;

	if (child_prepare(&child, run->path, options->command, &run->signals))
		return EXIT_PFMON;
	if (recorder_begin(recorder, targets(options, &child.pid))) {
		child_cancel(&child);
		return EXIT_PFMON;
	}
	run->is_traced = begin_to_trace(run, child.pid);
	if (run->is_traced)
		follow = &tracer;
	result = child_release(&child, options->command[0], follow);
	run->outcome.others = child.others;
	if (!result &&
	    recorder_wait(recorder, &run->signals, follow, child.pid, &run->outcome))
		result = EXIT_PFMON;
	return result;
}

/* Record threads or CPUs, without a command. */
static int run_alone(struct run *run)
{
	struct recorder *recorder = &run->recorder;

	if (recorder_begin(recorder, targets(&run->options, NULL)) ||
	    recorder_wait(recorder, &run->signals, NULL, 0, &run->outcome))
		return EXIT_PFMON;
	return 0;
}

static int sample(struct run *run)
{
	int result;

	if (signals_take(&run->signals))
		return EXIT_PFMON;
	result = run->options.command ? run_command(run) : run_alone(run);
	signals_close(&run->signals);
	return result;
}

static bool ran_elsewhere(const struct recorder *recorder)
{
	for (size_t i = 0; i < recorder->count; i++)
		if (session_ran_elsewhere(&recorder->samplers[i].session))
			return true;
	return false;
}

static bool was_closed(const struct recorder *recorder)
{
	for (size_t i = 0; i < recorder->count; i++)
		if (session_was_closed(&recorder->samplers[i].session))
			return true;
	return false;
}

/*
 * Returns whether monitoring ended before the command ended. outcome.ended_early is only an
 * estimate. If the command is traced, also check recorder.ended_before, which is exact.
 */
static bool ended_early(const struct run *run)
{
	return run->outcome.ended_early &&
	       !(run->is_traced && !run->recorder.ended_before);
}

/* Warn if names or mappings of sampled processes are missing. */
static void warn_of_processes(const struct run *run)
{
	const struct all_processes *all = &run->recorder.all_processes;

	if (all->band.lost)
		warn_user("%llu reports of new processes and mappings were lost, because "
			  "there were too many in a short time: the programs of some "
			  "samples are not known",
			  (unsigned long long)all->band.lost);
	if (recorder_follows(&run->recorder) && all->refusal &&
	    run->outcome.others.has_children)
		warn_user(
			"the kernel does not report new processes to you (%s): processes "
			"that lived for less than half a second have no names; 'sysctl "
			"kernel.perf_event_paranoid=2' permits the reports",
			strerror(all->refusal));
}

/* Warn about threads and processes that were sampled only in part, or not at all. */
static void warn_of_others(const struct run *run)
{
	const struct recorder *recorder = &run->recorder;
	struct unfollowed unfollowed = { 0 };

	if (!recorder_follows(recorder)) {
		if (is_own(&run->options))
			others_warn(&run->outcome.others, "sampled");
		return;
	}
	for (size_t i = 0; i < recorder->count; i++)
		session_add_unfollowed(&recorder->samplers[i].session, &unfollowed);
	unfollowed_warn(&unfollowed, "sampled");
	if (is_own(&run->options))
		others_warn_running(&run->outcome.others, "sampled any further");
}

static void warn_of_end(const struct run *run)
{
	bool own = is_own(&run->options);

	if (was_closed(&run->recorder))
		warn_user(
			"%s executed a program that you may not monitor, because the "
			"program changes its rights or cannot be read: the samples end "
			"at that moment; root and users with CAP_PERFMON may monitor it",
			own ? "the command" : "a thread");
	else if (ended_early(run) && !own)
		warn_user("the sampled threads ended before the command did");
	else if (ended_early(run) && !recorder_follows(&run->recorder))
		warn_user("the command's first thread ended before the command did: the "
			  "samples end at that moment");
}

static void warn_of_run(const struct run *run)
{
	const struct record_options *options = &run->options;
	warn_of_processes(run);
	if (recorder_has_cpus(&run->recorder)) {
		cpus_warn(&run->recorder.changes, "samples");
		return;
	}
	if (ran_elsewhere(&run->recorder))
		warn_user(
			"part of the run was on CPUs with another PMU and was not "
			"sampled: use 'taskset' to keep the program on one kind of CPU");
	warn_of_end(run);
	warn_of_others(run);
	if (options->command)
		child_warn_killed(run->outcome.status);
}

/*
 * If a thread ends in the middle of a period, the events of this period are in no sample. MANY_CUT
 * is the maximum fraction of all events that may be missing for this reason without a warning.
 */
#define MANY_CUT 0.1

static void warn_of_cut(const struct recorder *recorder)
{
	for (size_t i = 0; i < recorder->events.count; i++) {
		uint64_t counted, cut = recorder_cut(recorder, i, &counted);

		if ((double)cut > MANY_CUT * (double)counted)
			warn_user(
				"%.1f %% of the events '%s' are in no sample, because threads "
				"and processes ended before a period was over: take a "
				"smaller -c",
				100 * (double)cut / (double)counted,
				recorder->events.events[i].name);
	}
}

static void warn_of_losses(const struct run *run, const struct drain_counts *counts)
{
	const char *shorter = run->options.period ? "a larger -c" : "a smaller -F";

	if (counts->lost && run->recorder.is_written)
		warn_user("%.1f %% of the samples were lost, because there was no room "
			  "for them: take a larger --buffer or %s",
			  100 * (double)counts->lost / (double)counts->produced, shorter);
	if (counts->throttled)
		warn_user("monitoring was throttled %llu %s because of too many "
			  "interrupts: take %s",
			  (unsigned long long)counts->throttled,
			  plural(counts->throttled, "time", "times"), shorter);
	for (size_t i = 0; i < run->recorder.events.count; i++) {
		struct data_unsampled some = recorder_unsampled(&run->recorder, i);

		if (some.samples)
			warn_user("%.1f %% of the events '%s' are in no sample, because "
				  "the PMU reported overflows too late: take a larger -c",
				  100 * (double)some.events / (double)some.counted,
				  run->recorder.events.events[i].name);
	}
	warn_of_cut(&run->recorder);
	if (counts->produced != counts->written + counts->lost)
		warn_user("the kernel took %llu samples, but the number of written and "
			  "lost samples is different: this is a mistake in perfmon",
			  (unsigned long long)counts->produced);
}

/*
 * Print how many samples the kernel took, how many were written, and how many were lost. Also print
 * whether these numbers add up. @what is the text that is printed for the CPU, or for all CPUs
 * together.
 */
static void print_sum(const char *what, const struct drain_counts *counts)
{
	fprintf(stderr, "pfmon: %s: %llu produced %s %llu written + %llu lost\n", what,
		(unsigned long long)counts->produced,
		counts->produced == counts->written + counts->lost ? "=" : "is not",
		(unsigned long long)counts->written, (unsigned long long)counts->lost);
}

/*
 * Add up the counts of all buffers that belong to the same CPU as buffer number @first. With -p
 * there may be several such buffers, because each thread has a buffer for each CPU. If a buffer
 * before number @first belongs to the same CPU, the caller has already counted this CPU. In this
 * case, returns false and adds up nothing.
 */
static bool count_cpu(const struct recorder *recorder, size_t first,
		      struct drain_counts *sum)
{
	struct drain_counts own;

	*sum = (struct drain_counts){ 0 };
	for (size_t i = 0; i < recorder->buffer_count; i++) {
		if (recorder->buffers[i]->cpu != recorder->buffers[first]->cpu)
			continue;
		if (i < first)
			return false;
		buffer_count(recorder->buffers[i], &own);
		drain_counts_add(sum, &own);
	}
	return true;
}

static void print_cpus(const struct run *run, const struct drain_counts *counts)
{
	const struct recorder *recorder = &run->recorder;
	struct drain_counts own;
	char what[32];
	size_t cpus = 0;

	for (size_t i = 0; i < recorder->buffer_count; i++) {
		if (!count_cpu(recorder, i, &own))
			continue;
		cpus++;
		snprintf(what, sizeof(what), "CPU %d", recorder->buffers[i]->cpu);
		if (run->options.is_verbose)
			print_sum(what, &own);
	}
	snprintf(what, sizeof(what), "%zu %s", cpus, plural(cpus, "CPU", "CPUs"));
	print_sum(what, counts);
}

static void print_details(const struct run *run, const struct drain_counts *counts)
{
	const struct recorder *recorder = &run->recorder;
	const struct sampler *first = &recorder->samplers[0];

	fprintf(stderr, "pfmon: format %s, buffer %zu bytes%s, %.3f s\n",
		sampling_format_name(recorder->format), first->buffers->size,
		recorder->buffer < RECORD_BUFFER && !run->options.buffer ? " (limited)"
									 : "",
		(double)recorder->duration / 1e9);
	for (size_t i = 0; i < recorder->events.count; i++)
		fprintf(stderr, "pfmon: %s: period %llu at the end\n",
			recorder->events.events[i].name,
			(unsigned long long)first->rates[i].period);
	if (counts->full)
		fprintf(stderr,
			"pfmon: buffers were full %llu times: nothing was sampled into a full "
			"buffer until pfmon had written it to the file\n",
			(unsigned long long)counts->full);
	if (is_own(&run->options) && !recorder_has_all(recorder) && !run->is_traced)
		fprintf(stderr, "pfmon: the command was not followed with ptrace: "
				"libraries that it loaded late may be missing\n");
}

#define LOSSES_TEXT 128

/*
 * Returns the losses as text. "0 lost" is left out if samples are missing for another reason:
 * monitoring was throttled, or the PMU did not deliver samples.
 */
static const char *losses_text(const struct run *run, const struct drain_counts *counts,
			       char *text)
{
	const struct recorder *recorder = &run->recorder;
	uint64_t undelivered = 0;
	const char *comma = "";
	FILE *memory = fmemopen(text, LOSSES_TEXT, "w");

	if (!memory)
		return "";
	for (size_t i = 0; i < recorder->events.count; i++)
		undelivered += recorder_unsampled(recorder, i).samples;
	if (counts->lost || (!counts->throttled && !undelivered)) {
		fprintf(memory, "%llu lost", (unsigned long long)counts->lost);
		comma = ", ";
	}
	if (undelivered) {
		fprintf(memory, "%s%llu not delivered by the PMU", comma,
			(unsigned long long)undelivered);
		comma = ", ";
	}
	if (counts->throttled)
		fprintf(memory, "%sthrottled %llu time%s", comma,
			(unsigned long long)counts->throttled,
			counts->throttled == 1 ? "" : "s");
	fclose(memory);
	return text;
}

static void print_summary(const struct run *run, const struct drain_counts *counts)
{
	const struct recorder *recorder = &run->recorder;
	const char *path = recorder->writer.path;
	char size[SIZE_TEXT], losses[LOSSES_TEXT];

	if (recorder_has_cpus(recorder) ||
	    (recorder_follows(recorder) && run->options.is_verbose))
		print_cpus(run, counts);
	fprintf(stderr, "pfmon: %llu %s (%s) in %s, %s\n",
		(unsigned long long)counts->written,
		plural(counts->written, "sample", "samples"),
		losses_text(run, counts, losses),
		strcmp(path, "-") ? path : "standard output",
		size_text(recorder->writer.size, size));
	if (recorder->rotation.ended)
		fprintf(stderr, "pfmon: %zu earlier %s, of which %zu %s kept: %s.*\n",
			recorder->rotation.ended,
			plural(recorder->rotation.ended, "file", "files"),
			recorder->rotation.count,
			plural(recorder->rotation.count, "was", "were"), path);
	if (run->options.is_verbose)
		print_details(run, counts);
}

/* Returns the status to exit with. */
static int sample_and_report(struct run *run)
{
	struct recorder *recorder = &run->recorder;
	struct drain_counts counts;
	int result = sample(run);

	if (!recorder->begin)
		return result;
	if (recorder_finish(recorder) && !result)
		result = EXIT_PFMON;
	recorder_count(recorder, &counts);
	if (result && result != EXIT_PFMON)
		return result;
	warn_of_run(run);
	warn_of_losses(run, &counts);
	if (!run->options.is_quiet)
		print_summary(run, &counts);
	if (result || !run->options.command)
		return result;
	if (is_own(&run->options) && was_closed(recorder))
		return EXIT_PFMON;
	return child_exit_status(run->outcome.status);
}

int command_record(int argc, char **argv)
{
	struct run run = { 0 };
	char *path = NULL;
	int result;

	result = record_options_parse(argc, argv, &run.options);
	if (result) {
		record_options_free(&run.options);
		return result > 0 ? EXIT_SUCCESS : EXIT_PFMON;
	}
	if (run.options.command)
		result = child_find(run.options.command[0], &path);
	run.path = path;
	if (!result)
		result = recorder_prepare(&run.recorder, &run.options)
				 ? EXIT_PFMON
				 : sample_and_report(&run);
	recorder_free(&run.recorder);
	record_options_free(&run.options);
	free(path);
	return result;
}
