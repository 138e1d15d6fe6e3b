// SPDX-License-Identifier: GPL-2.0-only
/* pfmon stat: count events while a command runs. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "common/child.h"
#include "common/errors.h"
#include "common/format.h"
#include "common/options.h"
#include "common/session.h"
#include "common/wait.h"

static const char usage[] =
	"Usage: pfmon stat [OPTIONS] [--] COMMAND [ARGUMENTS]\n"
	"       pfmon stat [OPTIONS] -t TID [[--] COMMAND [ARGUMENTS]]\n"
	"\n"
	"Count events of the thread that runs COMMAND, from its start to its end, or\n"
	"of a thread that runs already.\n"
	"\n"
	"Options:\n"
	"  -e, --event EVENT[,EVENT]...\n"
	"                       what to count; may be given several times; a modifier\n"
	"                       :u counts in user mode only, :k in the kernel only.\n"
	"                       'pfmon list' shows the events\n"
	"  -r, --repeat RUNS    run COMMAND that often: means, and how far they spread\n"
	"  -t, --tid TID        count thread TID: until it ends, or while COMMAND runs,\n"
	"                       or until Ctrl-C\n"
	"  -x, --field-separator SEPARATOR\n"
	"                       a line for each event, its fields separated by that;\n"
	"                       \\t is a tab\n"
	"  -j, --json           a JSON object\n"
	"  -o, --output FILE    write there instead of to standard error; - is\n"
	"                       standard output\n"
	"  -h, --help           show this and exit\n"
	"\n"
	"Counted is one thread: not the processes that COMMAND starts, and not further\n"
	"threads of its own.\n"
	"\n"
	"Exit status: that of COMMAND; 128 + N if signal N ended it; 127 if it was not\n"
	"found, 126 if it could not be executed; 125 if pfmon itself failed.\n"
	"\n"
	"Examples:\n"
	"  pfmon stat ./app\n"
	"  pfmon stat -e instructions:u -x, -o counts.csv -- ./app --fast\n"
	"  pfmon stat -t 4711 -e cycles,page-faults sleep 10\n";

/**
 * struct options - the command line
 * @events: what to count
 * @runs: of the command
 * @tid: thread to count, 0 for the command
 * @separator: of CSV, NULL for no CSV
 * @is_json: JSON is wanted
 * @output: file, NULL for standard error
 * @command: NULL-terminated, or NULL
 */
struct options {
	struct event_options events;
	unsigned int runs;
	int tid;
	const char *separator;
	bool is_json;
	const char *output;
	char **command;
};

/* All that one measurement needs. */
struct measurement {
	struct session session;
	struct event_list events;
	struct results results;
	struct signals signals;
	const char *path;
	bool ran_elsewhere;
	bool ended_early;
	int status;
};

static int parse_option(int option, struct options *options)
{
	uint64_t number;

	switch (option) {
	case 'e':
		return options_add_event(&options->events, optarg);
	case 'r':
		if (options_number(optarg, "number of runs", INT_MAX, &number))
			return -1;
		options->runs = (unsigned int)number;
		return 0;
	case 't':
		if (options_number(optarg, "thread id", INT_MAX, &number))
			return -1;
		options->tid = (int)number;
		return 0;
	case 'x':
		if (!*optarg)
			return fail("the separator of -x is empty: give a character");
		options->separator = strcmp(optarg, "\\t") ? optarg : "\t";
		return 0;
	case 'j':
		options->is_json = true;
		return 0;
	default:
		options->output = optarg;
		return 0;
	}
}

static int check_options(const struct options *options)
{
	if (!options->command && !options->tid)
		return fail("no command to count: see 'pfmon stat --help'");
	if (!options->command && options->runs > 1)
		return fail("-r needs a command to run");
	if (options->separator && options->is_json)
		return fail("-x and -j exclude each other");
	return 0;
}

/* Returns 1 if help was asked for and given, -1 if something is wrong. */
static int parse_options(int argc, char **argv, struct options *options)
{
	static const struct option names[] = {
		{ "event", required_argument, NULL, 'e' },
		{ "repeat", required_argument, NULL, 'r' },
		{ "tid", required_argument, NULL, 't' },
		{ "field-separator", required_argument, NULL, 'x' },
		{ "json", no_argument, NULL, 'j' },
		{ "output", required_argument, NULL, 'o' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	int option;

	memset(options, 0, sizeof(*options));
	options->runs = 1;
	while ((option = options_next(argc, argv, "+:e:r:t:x:jo:h", names)) != -1) {
		if (option == 'h') {
			fputs(usage, stdout);
			return 1;
		}
		if (option == '?' || option == ':')
			return options_fail(option, argv, names);
		if (parse_option(option, options))
			return -1;
	}
	if (optind < argc)
		options->command = argv + optind;
	return check_options(options);
}

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

/* Of standard output main() takes care. */
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

static int prepare_events(struct measurement *measurement, const struct options *options)
{
	const struct machine *machine = &measurement->session.machine;
	struct event_list *events = &measurement->events;
	bool is_default = !options->events.count;

	if (is_default && events_default(events, machine))
		return -1;
	for (unsigned int i = 0; i < options->events.count; i++)
		if (events_parse(events, options->events.texts[i], machine))
			return -1;
	if (events_assign(events, machine, is_default))
		return -1;
	return session_program(&measurement->session, events);
}

static double seconds(const struct timeval *time)
{
	return (double)time->tv_sec + (double)time->tv_usec / 1e6;
}

/* Wait, detach and read; the first command that fails gives the exit status. */
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
	};
	uint64_t end;

	if (!run)
		return fail("no memory");
	if (wait_for_end(&watch, outcome))
		return -1;
	end = nanoseconds_now();
	if (session_detach(session) ||
	    session_read(session, results->events, run->values, &run->runtime))
		return -1;
	run->elapsed = (double)(end - begin) / 1e9;
	run->user = seconds(&outcome->usage.ru_utime);
	run->system = seconds(&outcome->usage.ru_stime);
	measurement->ran_elsewhere |= session_ran_elsewhere(session);
	measurement->ended_early |= outcome->ended_early;
	if (pid && !results->exit_status) {
		results->exit_status = child_exit_status(outcome->status);
		measurement->status = outcome->status;
	}
	return 0;
}

/* Attach to @tid and let the counters run. */
static int begin_run(struct measurement *measurement, int tid)
{
	if (session_attach(&measurement->session, tid))
		return -1;
	return session_start(&measurement->session);
}

/* Run the command once.  Returns 0, or the status to exit with. */
static int run_command(struct measurement *measurement, const struct options *options,
		       struct outcome *outcome)
{
	struct child child;
	uint64_t begin;
	int result;

	if (child_prepare(&child, measurement->path, options->command,
			  &measurement->signals))
		return EXIT_PFMON;
	if (begin_run(measurement, options->tid ? options->tid : child.pid)) {
		child_cancel(&child);
		return EXIT_PFMON;
	}
	begin = nanoseconds_now();
	result = child_release(&child, options->command[0], NULL);
	if (result)
		return result;
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

static int run_all(struct measurement *measurement, const struct options *options)
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

static void warn_about(const struct measurement *measurement,
		       const struct options *options)
{
	if (measurement->ran_elsewhere)
		warn_user("part of the run was on CPUs with another PMU and was not "
			  "counted: see 'taskset' to keep it on one kind of CPU");
	if (measurement->ended_early && options->tid)
		warn_user("thread %d ended before the command did", options->tid);
	else if (measurement->ended_early)
		warn_user("the command's first thread ended, or may no longer be "
			  "monitored, before the command ended: the counts go up "
			  "to then");
	child_warn_killed(measurement->status);
}

static int format(const struct results *results, const struct options *options,
		  FILE *file)
{
	if (options->is_json)
		return format_json(file, results);
	if (options->separator)
		format_csv(file, results, options->separator);
	else
		format_table(file, results);
	return 0;
}

/* In one write(2), so that what others write to the same place is not between. */
static int report(const struct results *results, const struct options *options,
		  FILE *file)
{
	char *text = NULL;
	size_t size = 0;
	FILE *memory = open_memstream(&text, &size);
	bool is_bad;

	if (!memory)
		return fail("no memory");
	is_bad = format(results, options, memory) != 0;
	is_bad |= fclose(memory) != 0;
	if (!is_bad)
		fwrite(text, 1, size, file);
	free(text);
	return is_bad ? fail("no memory") : 0;
}

/* Returns the status to exit with. */
static int run_and_report(struct measurement *measurement, const struct options *options,
			  FILE *file)
{
	int result = run_all(measurement, options);

	if (result)
		return result;
	warn_about(measurement, options);
	if (report(&measurement->results, options, file))
		return EXIT_PFMON;
	return measurement->results.exit_status;
}

static int measure(struct measurement *measurement, const struct options *options)
{
	struct results *results = &measurement->results;
	FILE *file;
	int result;

	if (session_open(&measurement->session) || prepare_events(measurement, options))
		return EXIT_PFMON;
	results->machine = &measurement->session.machine;
	results->events = &measurement->events;
	results->command = options->command;
	results->tid = options->tid;
	results->has_usage = !options->tid;

	/* What it held is lost from here on: all that can be checked has been. */
	file = open_output(options->output);
	if (!file)
		return EXIT_PFMON;
	result = run_and_report(measurement, options, file);
	return close_output(file, options->output) ? EXIT_PFMON : result;
}

int command_stat(int argc, char **argv)
{
	struct measurement measurement = { .session.fd = -1 };
	struct options options;
	char *path = NULL;
	int result;

	result = parse_options(argc, argv, &options);
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
	events_free(&measurement.events);
	session_close(&measurement.session);
	free(path);
	return result;
}
