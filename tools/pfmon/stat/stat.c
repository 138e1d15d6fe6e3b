// SPDX-License-Identifier: GPL-2.0-only
/* pfmon stat: count events while a command runs. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../event/assignment.h"
#include "../commands.h"
#include "../common/errors.h"
#include "../event/packing.h"
#include "../event/sets_file.h"
#include "../run/child.h"
#include "../run/session.h"
#include "../run/wait.h"
#include "increments.h"
#include "stat_csv.h"
#include "stat_json.h"
#include "stat_options.h"
#include "stat_table.h"
#include "switch_cost.h"

/* All that a measurement needs. */
struct measurement {
	struct session session;
	struct event_list events;
	struct increments increments;
	struct switch_cost cost;
	struct results results;
	struct signals signals;
	const char *path;
	bool ran_elsewhere;
	bool ended_early;
	bool was_closed;
	struct others others;
	struct unfollowed unfollowed;
	int status;
};

static FILE *open_output(const char *name)
{
	FILE *file;

	if (!name)
		return stderr;
	if (!strcmp(name, "-"))
		return stdout;
	file = fopen(name, "we");
	if (!file)
		fail("cannot write '%s': %s", name, strerror(errno));
	return file;
}

/* main() flushes standard output. */
static int close_output(FILE *file, const char *name)
{
	bool is_bad;

	if (file == stdout)
		return 0;
	is_bad = fflush(file) || ferror(file);
	if (file != stderr)
		is_bad |= fclose(file) != 0;
	if (is_bad)
		return fail("cannot write '%s': %s", name ? name : "standard error",
			    strerror(errno));
	return 0;
}

static int choose_events(struct event_list *events, const struct machine *machine,
			 const struct stat_options *options)
{
	bool is_default = !options->events.count;

	if (options->sets)
		return sets_file_read(events, options->sets, machine);
	if (is_default && events_default(events, machine))
		return -1;
	for (unsigned int i = 0; i < options->events.count; i++)
		if (events_parse(events, options->events.texts[i], machine))
			return -1;
	if (!options->is_multiplexed)
		return 0;
	return pack_into_sets(events, machine, options->interval, is_default);
}

static int prepare_events(struct measurement *measurement,
			  const struct stat_options *options)
{
	const struct machine *machine = &measurement->session.machine;
	struct event_list *events = &measurement->events;
	bool is_default = !options->events.count && !options->sets;

	if (choose_events(events, machine, options) ||
	    events_assign(events, machine, is_default) ||
	    increments_prepare(&measurement->increments, events))
		return -1;
	if (events_take_turns(events) &&
	    switch_cost_measure(&measurement->cost, machine, events))
		return -1;
	return session_program(&measurement->session, events);
}

static double seconds(const struct timeval *time)
{
	return (double)time->tv_sec + (double)time->tv_usec / 1e6;
}

static int read_increments(void *data)
{
	struct measurement *measurement = data;

	return increments_take(&measurement->increments, &measurement->session);
}

/* Estimate the errors that set switches may have caused in the counts. */
static void find_biases(const struct measurement *measurement, struct run *run)
{
	const struct event_list *events = &measurement->events;
	double switches = 0, time = 0;

	for (size_t i = 0; i < events->set_count; i++) {
		switches += (double)run->sets[i].runs;
		time += (double)run->sets[i].duration;
	}
	for (size_t i = 0; i < events->count; i++) {
		size_t set = events->events[i].set;
		double value = (double)run->values[i];

		if (set != EVERY_SET && run->sets[set].duration)
			value *= time / (double)run->sets[set].duration;
		run->biases[i] = switch_cost_part(&measurement->cost, events, i, value,
						  switches, time);
	}
}

/* Read the counters after the run. */
static int read_run(struct measurement *measurement, struct run *run)
{
	struct increments *increments = &measurement->increments;
	const struct event_list *events = &measurement->events;

	if (read_increments(measurement))
		return -1;
	memcpy(run->values, increments->last_values,
	       events->count * sizeof(*run->values));
	for (size_t i = 0; i < events->count; i++)
		run->errors[i] = increments_error(increments, i);
	run->runtime = increments_runtime(increments);
	if (!events->set_count)
		return 0;
	if (session_read_activities(&measurement->session, run->sets))
		return -1;
	if (events_take_turns(events))
		find_biases(measurement, run);
	return 0;
}

/*
 * If a command has executed a program that the user may not monitor, its counts contain
 * little except pfmon's own part, so they are not shown.  With -t, the counts of the
 * thread are shown: they go up to that moment.
 */
static int check_closed(struct measurement *measurement)
{
	const struct results *results = &measurement->results;

	if (!session_was_closed(&measurement->session))
		return 0;
	measurement->was_closed = true;
	if (results->tid)
		return 0;
	return fail("'%s' was not counted to its end: it executed a program that you may "
		    "not monitor, because the program changes its rights or cannot be "
		    "read; root and users with CAP_PERFMON may monitor it",
		    results->command[0]);
}

/* Wait, detach and read; the first command that fails determines the exit status. */
static int finish_run(struct measurement *measurement, pid_t pid, uint64_t begin,
		      struct outcome *outcome)
{
	struct session *session = &measurement->session;
	struct results *results = &measurement->results;
	struct run *run = results_add_run(results);
	struct watch watch = {
		.signals = &measurement->signals,
		.contexts = &session->fd,
		.context_count = 1,
		.pid = pid,
		.tick = read_increments,
		.interval = results->is_scaled ? increments_interval(&measurement->events)
					       : 0,
		.data = measurement,
	};
	uint64_t end;

	if (!run)
		return fail("no memory");
	if (wait_for_end(&watch, outcome))
		return -1;
	end = nanoseconds_now();
	if (outcome->failed || session_detach(session) || read_run(measurement, run) ||
	    check_closed(measurement))
		return -1;
	run->elapsed = (double)(end - begin) / 1e9;
	run->user = seconds(&outcome->usage.ru_utime);
	run->system = seconds(&outcome->usage.ru_stime);
	measurement->ran_elsewhere |= session_ran_elsewhere(session);
	measurement->ended_early |= outcome->ended_early;
	others_add(&measurement->others, &outcome->others);
	session_add_unfollowed(session, &measurement->unfollowed);
	if (pid && !results->exit_status) {
		results->exit_status = child_exit_status(outcome->status);
		measurement->status = outcome->status;
	}
	return 0;
}

/* Attach to @tid and start counting. */
static int begin_run(struct measurement *measurement, int tid)
{
	increments_begin(&measurement->increments);
	if (session_attach(&measurement->session, tid))
		return -1;
	return session_start(&measurement->session);
}

/* Run the command once.  Returns 0, or the status to exit with. */
static int run_command(struct measurement *measurement,
		       const struct stat_options *options, struct outcome *outcome)
{
	struct child child;
	uint64_t begin;
	int result;

	if (child_prepare(&child, measurement->path, options->command,
			  &measurement->signals))
		return EXIT_PFMON;
	if (!options->tid)
		child_to_exec(&child);
	if (begin_run(measurement, options->tid ? options->tid : child.pid)) {
		child_cancel(&child);
		return EXIT_PFMON;
	}
	begin = nanoseconds_now();
	result = child_release(&child, options->command[0], NULL);
	if (result)
		return result;
	outcome->others = child.others;
	if (finish_run(measurement, child.pid, begin, outcome))
		return EXIT_PFMON;
	return 0;
}

/* Count a thread without a command. */
static int run_alone(struct measurement *measurement, int tid, struct outcome *outcome)
{
	if (begin_run(measurement, tid) ||
	    finish_run(measurement, 0, nanoseconds_now(), outcome))
		return EXIT_PFMON;
	return 0;
}

static int run_all(struct measurement *measurement, const struct stat_options *options)
{
	struct outcome outcome = { 0 };
	int result = 0;

	if (signals_take(&measurement->signals))
		return EXIT_PFMON;
	for (unsigned int i = 0; i < options->runs; i++) {
		if (options->command)
			result = run_command(measurement, options, &outcome);
		else
			result = run_alone(measurement, options->tid, &outcome);
		if (result || outcome.signal)
			break;
	}
	signals_close(&measurement->signals);
	return result;
}

/* Warn of sets that were never active, or were active less often than others. */
static void warn_of_turns(const struct results *results)
{
	const struct event_list *events = results->events;
	uint64_t least, most;
	size_t missed;

	results_turns(results, &least, &most, &missed);
	if (missed)
		warn_user("%zu of %zu event sets were never active, and their events "
			  "not counted%s",
			  missed, events->set_count,
			  events_have_named_sets(events)
				  ? ""
				  : ": count longer, or with a shorter --mux-interval");
	else if (most - least > 1)
		warn_user("event sets were not active equally often: %llu to %llu times",
			  (unsigned long long)least, (unsigned long long)most);
}

static void warn_about(const struct measurement *measurement,
		       const struct stat_options *options)
{
	if (measurement->ran_elsewhere)
		warn_user("part of the run was on CPUs with another PMU and was not "
			  "counted: see 'taskset' to keep it on one kind of CPU");
	if (measurement->was_closed)
		warn_user("thread %d executed a program that you may not monitor: the "
			  "counts go up to that moment",
			  options->tid);
	else if (measurement->ended_early && options->tid)
		warn_user("thread %d ended before the command did", options->tid);
	else if (measurement->ended_early && !measurement->session.is_inherited)
		warn_user("the command's first thread ended before the command did: the "
			  "counts go up to that moment");
	unfollowed_warn(&measurement->unfollowed, "counted");
	if (!options->tid && measurement->session.is_inherited)
		others_warn_running(&measurement->others, "counted any further");
	else if (!options->tid)
		others_warn(&measurement->others, "counted");
	if (measurement->events.set_count)
		warn_of_turns(&measurement->results);
	child_warn_killed(measurement->status);
}

static int print(const struct results *results, const struct stat_options *options,
		 FILE *file)
{
	if (options->is_json)
		return stat_json(file, results);
	if (options->separator)
		stat_csv(file, results, options->separator);
	else
		stat_table(file, results);
	return 0;
}

/*
 * Print with one write(2), so that output of other processes to the same file is not
 * mixed in.
 */
static int report(const struct results *results, const struct stat_options *options,
		  FILE *file)
{
	char *text = NULL;
	size_t size = 0;
	FILE *memory = open_memstream(&text, &size);
	bool is_bad;

	if (!memory)
		return fail("no memory");
	is_bad = print(results, options, memory) != 0;
	is_bad |= fclose(memory) != 0;
	if (!is_bad)
		fwrite(text, 1, size, file);
	free(text);
	return is_bad ? fail("no memory") : 0;
}

/* Returns the status to exit with. */
static int run_and_report(struct measurement *measurement,
			  const struct stat_options *options, FILE *file)
{
	int result = run_all(measurement, options);

	if (result)
		return result;
	warn_about(measurement, options);
	if (report(&measurement->results, options, file))
		return EXIT_PFMON;
	return measurement->results.exit_status;
}

static uint32_t context_flags(const struct stat_options *options)
{
	return options->is_inherited && !options->tid ? PFM_FL_INHERIT_ALL : 0;
}

static int measure(struct measurement *measurement, const struct stat_options *options)
{
	struct results *results = &measurement->results;
	FILE *file;
	int result;

	if (session_open(&measurement->session, options->pmu, context_flags(options)) ||
	    prepare_events(measurement, options))
		return EXIT_PFMON;
	results->machine = &measurement->session.machine;
	results->events = &measurement->events;
	results->command = options->command;
	results->tid = options->tid;
	results->has_usage = !options->tid;
	results->is_scaled = events_take_turns(&measurement->events);

	/*
	 * Opening the file empties it, so everything that can be checked was checked
	 * before.
	 */
	file = open_output(options->output);
	if (!file)
		return EXIT_PFMON;
	result = run_and_report(measurement, options, file);
	return close_output(file, options->output) ? EXIT_PFMON : result;
}

int command_stat(int argc, char **argv)
{
	struct measurement measurement = { .session.fd = -1 };
	struct stat_options options;
	char *path = NULL;
	int result;

	result = stat_options_parse(argc, argv, &options);
	if (result)
		return result > 0 ? EXIT_SUCCESS : EXIT_PFMON;
	if (options.command) {
		result = child_find(options.command[0], &path);
		if (result)
			return result;
	}
	measurement.path = path;
	result = measure(&measurement, &options);
	results_free(&measurement.results);
	increments_free(&measurement.increments);
	switch_cost_free(&measurement.cost);
	events_free(&measurement.events);
	session_close(&measurement.session);
	free(path);
	return result;
}
