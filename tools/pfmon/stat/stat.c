// SPDX-License-Identifier: GPL-2.0-only
/* pfmon stat: count the events of a command, of processes, of threads or of CPUs. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../commands.h"
#include "../common/errors.h"
#include "../common/text.h"
#include "../run/child.h"
#include "../run/cpus.h"
#include "../run/idle.h"
#include "../run/session.h"
#include "../run/uevents.h"
#include "../run/wait.h"
#include "increments.h"
#include "intervals.h"
#include "per_cpu.h"
#include "per_thread.h"
#include "stat_events.h"
#include "stat_options.h"
#include "stat_print.h"
#include "switch_cost.h"

/* All that a measurement needs. */
struct measurement {
	const struct stat_options *options;
	struct targets targets; /* as in @options, but with the CPUs of @group's contexts */
	struct session session;
	struct group group;
	struct target_ends ends;
	struct event_list events;
	struct increments increments;
	struct intervals intervals;
	struct per_thread threads;
	struct watch watch;
	struct switch_cost cost;
	struct results results;
	struct signals signals;
	const char *path;
	bool ended_early;
	struct others others;
	struct group_losses losses;
	struct costs costs;
	struct idle idle;
	struct cpu_changes changes;
	int uevents; /* socket for the kernel's uevents about CPUs; -1: none */
	int status;
};

static int prepare_events(struct measurement *measurement,
			  const struct stat_options *options)
{
	const struct machine *machine = &measurement->session.machine;
	struct event_list *events = &measurement->events;

	if (stat_events_choose(events, machine, options) ||
	    increments_prepare(&measurement->increments, events) ||
	    group_prepare(&measurement->group, &measurement->session, events))
		return -1;
	if (events_take_turns(events) &&
	    switch_cost_measure(&measurement->cost, machine, events))
		return -1;
	if (session_program(&measurement->session, events))
		return -1;
	return options->targets.is_per_thread ? per_thread_check(&measurement->session)
					      : 0;
}

static double seconds(const struct timeval *time)
{
	return (double)time->tv_sec + (double)time->tv_usec / 1e6;
}

static int read_increments(struct measurement *measurement)
{
	return increments_take(&measurement->increments, &measurement->group);
}

static int print_interval(struct measurement *measurement)
{
	return intervals_print(&measurement->intervals, &measurement->increments,
			       &measurement->group);
}

/* Called when a CPU may have come online or gone offline. */
static int follow_cpus(struct measurement *measurement)
{
	if (cpus_follow(&measurement->options->targets, &measurement->group))
		return -1;
	return cpus_list(&measurement->group, &measurement->targets.cpus);
}

static int on_uevent(void *data)
{
	struct measurement *measurement = data;

	return uevents_take(measurement->uevents) ? follow_cpus(measurement) : 0;
}

/* Without uevents, pfmon checks at this interval, in ms, which CPUs are online. */
#define LOOK_INTERVAL 1000

static bool has_to_look(const struct measurement *measurement)
{
	return measurement->options->targets.cpus.count && measurement->uevents == -1;
}

/*
 * Reading many contexts takes long, so the interval between readings is multiplied by 1 + n / MANY,
 * where n is the number of contexts.
 */
#define MANY	      64

/*
 * The counts of ended threads occupy memory of the kernel until pfmon reads them.  So pfmon reads
 * them at this interval, in ms.
 */
#define TAKE_INTERVAL 250

static bool takes_threads(const struct measurement *measurement)
{
	return measurement->options->targets.is_per_thread &&
	       measurement->session.is_inherited;
}

/* Returns the shorter of two intervals; 0 stands for no interval. */
static unsigned int shorter(unsigned int a, unsigned int b)
{
	return a && (!b || a < b) ? a : b;
}

/* Returns the time in ms until the next call of on_tick(); 0: no call is needed. */
static unsigned int until_reading(const struct measurement *measurement)
{
	const unsigned int factor = 1 + (unsigned int)measurement->group.attached / MANY;
	unsigned int interval = 0;

	if (measurement->results.is_scaled)
		interval = increments_interval(&measurement->events) * factor;
	if (takes_threads(measurement))
		interval = shorter(interval, TAKE_INTERVAL * factor);
	if (has_to_look(measurement))
		interval = shorter(interval, LOOK_INTERVAL);
	if (measurement->options->print_interval)
		interval = shorter(interval, intervals_left(&measurement->intervals));
	return interval;
}

static int on_tick(void *data)
{
	struct measurement *measurement = data;
	bool is_due = measurement->options->print_interval &&
		      intervals_are_due(&measurement->intervals);

	if (has_to_look(measurement) && follow_cpus(measurement))
		return -1;
	if (takes_threads(measurement) &&
	    per_thread_take(&measurement->threads, &measurement->group,
			    &measurement->events))
		return -1;
	if ((measurement->results.is_scaled || is_due) && read_increments(measurement))
		return -1;
	if (is_due && print_interval(measurement))
		return -1;
	measurement->watch.interval = until_reading(measurement);
	return 0;
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

	if (read_increments(measurement) ||
	    (measurement->options->print_interval && print_interval(measurement)))
		return -1;
	memcpy(run->values, increments->last_values,
	       events->count * sizeof(*run->values));
	for (size_t i = 0; i < events->count; i++)
		run->errors[i] = increments_error(increments, i);
	run->runtime = increments_runtime(increments);
	if (!events->set_count)
		return 0;
	if (group_read_activities(&measurement->group, run->sets))
		return -1;
	if (events_take_turns(events))
		find_biases(measurement, run);
	return 0;
}

/*
 * Monitoring of a thread ends when the thread executes a program that the user may not monitor. If
 * this happened to the command's first thread, pfmon fails and shows no counts: the program may be
 * COMMAND itself, and if so, monitoring ended before COMMAND began. With -p and -t, pfmon shows the
 * counts up to the moment at which the thread executed the program.
 */
static int check_closed(struct measurement *measurement)
{
	const struct results *results = &measurement->results;

	if (results->targets || !session_was_closed(&measurement->session))
		return 0;
	return fail("'%s' was not counted to its end: it executed a program that you may "
		    "not monitor, because the program changes its rights or cannot be "
		    "read; root and users with CAP_PERFMON may monitor it",
		    results->command[0]);
}

/* @pid: process of the command, 0 if there is none. The measurement ends when this process ends. */
static void prepare_watch(struct measurement *measurement, pid_t pid)
{
	const struct target_ends *ends = &measurement->ends;
	bool is_target = measurement->results.targets;
	bool has_uevents = measurement->uevents != -1;

	measurement->watch = (struct watch){
		.signals = &measurement->signals,
		.contexts = is_target ? ends->contexts : &measurement->session.fd,
		.context_count = is_target ? (unsigned int)ends->context_count : 1,
		.processes = ends->processes,
		.process_count = (unsigned int)ends->process_count,
		.more = { { measurement->uevents, on_uevent } },
		.more_count = has_uevents,
		.pid = pid,
		.timeout = measurement->options->timeout,
		.tick = on_tick,
		.interval = until_reading(measurement),
		.data = measurement,
	};
}

/*
 * If CPUs share a PMU, a context on one of them counts the events of all, so pfmon does not show
 * the idle time of this one CPU.
 */
static bool has_idle_time(const struct measurement *measurement)
{
	return measurement->options->targets.cpus.count &&
	       !measurement->session.machine.scope[0];
}

/*
 * Wait for the end of the run, unload the contexts and read the counts. If the command fails in
 * several runs, the first of these runs determines the exit status.
 */
static int finish_run(struct measurement *measurement, pid_t pid, uint64_t begin,
		      struct outcome *outcome)
{
	struct group *group = &measurement->group;
	struct results *results = &measurement->results;
	struct run *run = results_add_run(results);
	uint64_t end;

	if (!run)
		return fail("no memory");
	prepare_watch(measurement, pid);
	if (wait_for_end(&measurement->watch, outcome))
		return -1;
	end = nanoseconds_now();
	if (measurement->options->targets.cpus.count)
		cpus_add_changes(group, &measurement->changes);
	if (has_idle_time(measurement) && idle_end(&measurement->idle, group, &run->idle))
		return -1;
	if (outcome->failed || group_detach(group) || read_run(measurement, run) ||
	    check_closed(measurement))
		return -1;
	if (measurement->options->targets.is_per_thread &&
	    per_thread_finish(&measurement->threads, group, &measurement->events))
		return -1;
	run->elapsed = (double)(end - begin) / 1e9;
	run->user = seconds(&outcome->usage.ru_utime);
	run->system = seconds(&outcome->usage.ru_stime);
	measurement->ended_early |= outcome->ended_early;
	others_add(&measurement->others, &outcome->others);
	group_add_losses(group, &measurement->losses);
	if (measurement->options->is_verbose)
		group_add_costs(group, &measurement->costs);
	if (pid && !results->exit_status) {
		results->exit_status = child_exit_status(outcome->status);
		measurement->status = outcome->status;
	}
	return 0;
}

/* Load contexts on the targets or, if there are none, on the command, and start counting. */
static int begin_run(struct measurement *measurement, pid_t command)
{
	const struct stat_options *options = measurement->options;
	struct group *group = &measurement->group;
	int error;

	if (options->targets.cpus.count && measurement->uevents == -1)
		measurement->uevents = uevents_open();
	increments_begin(&measurement->increments);
	if (!measurement->results.targets) {
		group->attached = 0;
		error = group_attach(group, command, 0);
		if (error)
			return error < 0 ? -1 : group_fail_attach(group, command, error);
	} else {
		target_ends_free(&measurement->ends);
		if (targets_attach(&options->targets, measurement->session.is_inherited,
				   group, &measurement->ends))
			return -1;
	}
	if (options->targets.cpus.count && cpus_list(group, &measurement->targets.cpus))
		return -1;
	if (has_idle_time(measurement) && idle_begin(&measurement->idle, group))
		return -1;
	if (group_start(group))
		return -1;
	if (options->print_interval)
		intervals_begin(&measurement->intervals);
	return 0;
}

/* Run the command once.  Returns 0, or the status to exit with. */
static int run_command(struct measurement *measurement, struct outcome *outcome)
{
	const struct stat_options *options = measurement->options;
	struct child child;
	uint64_t begin;
	int result;

	if (child_prepare(&child, measurement->path, options->command,
			  &measurement->signals))
		return EXIT_PFMON;
	if (!measurement->results.targets)
		child_to_exec(&child);
	if (begin_run(measurement, child.pid)) {
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

/* Count the events of the targets. There is no command. */
static int run_alone(struct measurement *measurement, struct outcome *outcome)
{
	if (begin_run(measurement, 0) ||
	    finish_run(measurement, 0, nanoseconds_now(), outcome))
		return EXIT_PFMON;
	return 0;
}

static int run_all(struct measurement *measurement)
{
	const struct stat_options *options = measurement->options;
	struct outcome outcome = { 0 };
	int result = 0;

	if (signals_take(&measurement->signals))
		return EXIT_PFMON;
	for (unsigned int i = 0; i < options->runs; i++) {
		if (options->command)
			result = run_command(measurement, &outcome);
		else
			result = run_alone(measurement, &outcome);
		if (result || outcome.signal)
			break;
	}
	signals_close(&measurement->signals);
	return result;
}

/*
 * Warn of sets that were never active.  If there was a single context, also warn if some sets were
 * active less often than others. With several contexts such a difference is normal, because each
 * context begins with the first set.
 */
static void warn_of_turns(const struct results *results, bool is_alone)
{
	const struct event_list *events = results->events;
	uint64_t least, most;
	size_t missed;

	results_turns(results, &least, &most, &missed);
	if (missed)
		warn_user("%zu of %zu event sets %s never active, and %s events "
			  "not counted%s",
			  missed, events->set_count, plural(missed, "was", "were"),
			  plural(missed, "its", "their"),
			  events_have_named_sets(events)
				  ? ""
				  : ": count longer, or with a shorter --mux-interval");
	else if (most - least > 1 && is_alone)
		warn_user("event sets were not active equally often: %llu to %llu times",
			  (unsigned long long)least, (unsigned long long)most);
}

static uint32_t context_flags(const struct stat_options *options)
{
	if (targets_are_given(&options->targets))
		return targets_flags(&options->targets, options->is_inherited);
	if (!options->is_inherited)
		return 0;
	return PFM_FL_INHERIT_ALL |
	       (options->targets.is_per_thread ? PFM_FL_KEEP_COUNTS : 0);
}

/* Returns whether it is certain that there was only one context, without copies. */
static bool is_alone(const struct measurement *measurement)
{
	if (!measurement->session.is_inherited)
		return measurement->group.attached == 1;
	return !measurement->results.targets && !measurement->others.made;
}

static void warn_about(const struct measurement *measurement,
		       const struct stat_options *options)
{
	bool is_target = measurement->results.targets;
	bool is_followed = measurement->session.is_inherited;

	if (is_target && !is_followed &&
	    context_flags(options) & (PFM_FL_INHERIT_THREADS | PFM_FL_INHERIT_ALL))
		warn_user("this PMU does not count threads that are made later");
	cpus_warn(&measurement->changes, "counts");
	if (measurement->losses.ran_elsewhere)
		warn_user(
			"part of the run was on CPUs with another PMU and was not "
			"counted: use 'taskset' to keep the program on one kind of CPU");
	if (is_target && measurement->losses.closed)
		warn_user("%llu of the threads executed %s that you may not monitor: "
			  "the counts of %s end at that moment",
			  (unsigned long long)measurement->losses.closed,
			  plural(measurement->losses.closed, "a program", "programs"),
			  plural(measurement->losses.closed, "that thread",
				 "those threads"));
	else if (measurement->ended_early && is_target)
		warn_user("the counted threads ended before the command did");
	else if (measurement->ended_early && !is_followed)
		warn_user("the command's first thread ended before the command did: the "
			  "counts end at that moment");
	unfollowed_warn(&measurement->losses.unfollowed, "counted");
	per_thread_warn(&measurement->threads);
	if (!is_target && is_followed)
		others_warn_running(&measurement->others, "counted any further");
	else if (!is_target)
		others_warn(&measurement->others, "counted");
	if (measurement->events.set_count)
		warn_of_turns(&measurement->results, is_alone(measurement));
	child_warn_killed(measurement->status);
}

/* Print the counts of each CPU or of each thread, if an option asks for them. */
static int print_parts(struct measurement *measurement,
		       const struct stat_options *options, FILE *file)
{
	struct results *results = &measurement->results;
	bool is_per_thread = options->targets.is_per_thread;

	/*
	 * In CSV all lines must have the same fields. A line with the count of a CPU, a thread or
	 * an interval begins with a stamp, a text such as "CPU3". So the lines of the sums get a
	 * stamp, too: "summary".
	 */
	if (options->separator &&
	    (options->print_interval || options->is_per_cpu || is_per_thread))
		results->stamp = "summary";
	if (is_per_thread)
		return per_thread_print(&measurement->threads, results, options, file);
	if (options->is_per_cpu)
		return per_cpu_print(results, &measurement->group, &measurement->idle,
				     options, file);
	return 0;
}

/* Returns the status to exit with. */
static int run_and_report(struct measurement *measurement,
			  const struct stat_options *options, FILE *file)
{
	struct results *results = &measurement->results;
	int result = 0;

	if (options->print_interval)
		result = intervals_prepare(&measurement->intervals, results, options,
					   file);
	result = result ? EXIT_PFMON : run_all(measurement);
	if (result)
		return result;
	warn_about(measurement, options);
	if (print_parts(measurement, options, file) || stat_print(results, options, file))
		return EXIT_PFMON;
	return measurement->results.exit_status;
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
	if (targets_are_given(&options->targets))
		results->targets = &measurement->targets;
	results->has_usage = !results->targets;
	results->is_scaled = events_take_turns(&measurement->events);
	if (options->is_verbose)
		results->costs = &measurement->costs;

	/* Opening the file empties it, so pfmon checks all that it can before it opens the file. */
	file = stat_print_open(options->output);
	if (!file)
		return EXIT_PFMON;
	result = run_and_report(measurement, options, file);
	return stat_print_close(file, options->output) ? EXIT_PFMON : result;
}

int command_stat(int argc, char **argv)
{
	struct measurement measurement = { .session.fd = -1, .uevents = -1 };
	struct stat_options options;
	char *path = NULL;
	int result;

	result = stat_options_parse(argc, argv, &options);
	if (result) {
		stat_options_free(&options);
		return result > 0 ? EXIT_SUCCESS : EXIT_PFMON;
	}
	if (options.command) {
		result = child_find(options.command[0], &path);
		if (result) {
			stat_options_free(&options);
			return result;
		}
	}
	measurement.path = path;
	measurement.options = &options;
	measurement.targets = options.targets;
	measurement.targets.cpus = (struct id_list){ 0 };
	result = measure(&measurement, &options);
	results_free(&measurement.results);
	intervals_free(&measurement.intervals);
	per_thread_free(&measurement.threads);
	target_ends_free(&measurement.ends);
	group_close(&measurement.group);
	increments_free(&measurement.increments);
	idle_free(&measurement.idle);
	free(measurement.targets.cpus.ids);
	if (measurement.uevents != -1)
		close(measurement.uevents);
	switch_cost_free(&measurement.cost);
	events_free(&measurement.events);
	session_close(&measurement.session);
	stat_options_free(&options);
	free(path);
	return result;
}
