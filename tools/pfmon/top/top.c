// SPDX-License-Identifier: GPL-2.0-only
/*
 * pfmon top: show what the CPUs do now.  It is a recording in memory that begins another file in each
 * interval, and a report of each file.  So an interval knows nothing but itself and the processes
 * that there are, and pfmon does not grow.
 */
#include <langinfo.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../commands.h"
#include "../common/errors.h"
#include "../record/recorder.h"
#include "../run/idle.h"
#include "screen.h"
#include "top_options.h"
#include "view.h"

/**
 * struct top - a live view
 * @options: the command line
 * @recorder: the recording
 * @signals: signals that pfmon receives
 * @screen: the terminal
 * @intervals: the interval that is shown, and one that is being read
 * @shown: the one of @intervals that is shown; NULL: none yet
 * @begun: when the current interval began, ns of CLOCK_MONOTONIC
 * @idle: for how long each CPU had been idle then, in seconds
 * @names_lost: beginnings of processes that the kernel could not tell before
 * @refreshes: number of intervals that have been shown
 * @has_ended: the last table has been shown
 * @has_more_cpus: CPUs have come online that are not sampled: the recording is to begin again
 * @is_utf8: the terminal has the block characters of UTF-8
 */
struct top {
	struct top_options options;
	struct recorder recorder;
	struct signals signals;
	struct screen screen;
	struct interval intervals[2];
	struct interval *shown;
	uint64_t begun;
	double *idle;
	uint64_t names_lost;
	uint64_t refreshes;
	bool has_ended;
	bool has_more_cpus;
	bool is_utf8;
};

static const struct id_list *cpus(const struct top *top)
{
	return &top->options.record.scope.cpus;
}

static int draw(struct top *top)
{
	const struct view_style style = {
		.columns = top->screen.columns,
		.rows = top->screen.rows,
		.is_utf8 = top->is_utf8,
		.has_bars = !top->options.is_batch,
	};
	uint64_t names_lost = top->recorder.all_processes.band.lost - top->names_lost;
	char *text = NULL;
	size_t size;
	FILE *memory = open_memstream(&text, &size);
	int result = -1;

	if (memory) {
		result = view_print(memory, top->shown, names_lost, &style);
		result |= fclose(memory);
	}
	if (result)
		fail("no memory");
	else if (top->options.is_batch)
		printf("%s\n", text);
	else
		screen_show(&top->screen, text);
	fflush(stdout);
	free(text);
	return result;
}

/* Which part of the interval a CPU that was idle from @before to @after seconds was busy. */
static double busy_part(double before, double after, double seconds)
{
	double busy = 1 - (after - before) / seconds;

	if (isnan(busy))
		return NAN;
	return fmin(fmax(busy, 0), 1);
}

static int look_at_cpus(struct top *top, struct interval *interval)
{
	uint64_t now = nanoseconds_now();
	double *idle = calloc(cpus(top)->count, sizeof(*idle));

	if (!idle)
		return fail("no memory");
	idle_read(cpus(top), idle);
	interval->seconds = (double)(now - top->begun) / 1e9;
	for (size_t i = 0; i < interval->cpu_count; i++) {
		struct cpu_row *row = &interval->cpus[i];

		row->cpu = (uint32_t)cpus(top)->ids[i];
		row->is_offline = top->recorder.samplers[i].has_ended;
		row->busy = busy_part(top->idle[i], idle[i], interval->seconds);
	}
	free(top->idle);
	top->idle = idle;
	top->begun = now;
	return 0;
}

/* Are CPUs online that are not sampled?  With -C all that were named must be. */
static bool has_more_cpus(const struct top *top)
{
	size_t sampled = 0, online = 0;

	for (size_t i = 0; i < cpus(top)->count; i++) {
		sampled += !top->recorder.samplers[i].has_ended;
		online += !isnan(top->idle[i]);
	}
	if (top->options.record.scope.is_whole_machine)
		return sysconf(_SC_NPROCESSORS_ONLN) > (long)sampled;
	return sampled < online && online == cpus(top)->count;
}

/* An interval is over. */
static int on_file(void *data, const struct data_writer *file)
{
	struct top *top = data;
	struct interval none = { 0 }, *earlier = top->shown ? top->shown : &none;
	struct interval *interval = &top->intervals[earlier == &top->intervals[0]];

	if (interval_read(interval, file->fd, top->recorder.count) ||
	    look_at_cpus(top, interval) ||
	    interval_sort(interval, &top->options.profile, earlier))
		return -1;
	interval_free(earlier);
	top->shown = interval;
	if (draw(top))
		return -1;
	top->names_lost = top->recorder.all_processes.band.lost;
	top->has_more_cpus = has_more_cpus(top);
	if (++top->refreshes == top->options.refreshes)
		top->has_ended = true;
	top->recorder.watch.is_done = top->has_ended || top->has_more_cpus;
	return 0;
}

/* Change the kind of the entries. */
static int change_sort(struct top *top)
{
	static const struct {
		enum sort_key keys[2];
		unsigned int count;
	} orders[] = {
		{ { SORT_PROGRAM }, 1 },
		{ { SORT_PROGRAM, SORT_SYMBOL }, 2 },
		{ { SORT_SYMBOL }, 1 },
		{ { SORT_CPU, SORT_PROGRAM }, 2 },
	};
	const size_t count = sizeof(orders) / sizeof(orders[0]);
	struct profile_options *profile = &top->options.profile;
	size_t now = 0;

	while (now < count && (profile->sort_count != orders[now].count ||
			       memcmp(profile->sort, orders[now].keys,
				      orders[now].count * sizeof(profile->sort[0]))))
		now++;
	now = now < count ? (now + 1) % count : 0;
	memcpy(profile->sort, orders[now].keys, sizeof(orders[now].keys));
	profile->sort_count = orders[now].count;
	return top->shown ? interval_sort(top->shown, profile, top->shown) : 0;
}

static int on_key(void *data)
{
	struct top *top = data;
	char key = screen_key(&top->screen);

	if (key == SCREEN_QUIT)
		top->has_ended = top->recorder.watch.is_done = true;
	else if (key == 's' && change_sort(top))
		return -1;
	return key && key != SCREEN_QUIT && top->shown ? draw(top) : 0;
}

static int begin_view(struct top *top)
{
	setlocale(LC_CTYPE, "");
	top->is_utf8 = !strcmp(nl_langinfo(CODESET), "UTF-8");
	if (top->options.is_batch)
		return 0;
	warn_no_more();
	return screen_begin(&top->screen);
}

/* The first interval of a recording begins. */
static int begin_interval(struct top *top)
{
	free(top->idle);
	top->idle = calloc(cpus(top)->count, sizeof(*top->idle));
	if (!top->idle)
		return fail("no memory");
	idle_read(cpus(top), top->idle);
	top->begun = nanoseconds_now();
	top->names_lost = 0;
	return 0;
}

/* Show intervals until the end, or until the recording has to begin again. */
static int record(struct top *top)
{
	struct recorder *recorder = &top->recorder;
	struct outcome outcome = { 0 };

	recorder->ended = on_file;
	recorder->typed = on_key;
	recorder->data = top;
	if (recorder_prepare(recorder, &top->options.record) ||
	    recorder_begin(recorder, cpus(top)->ids) || begin_interval(top) ||
	    (!top->refreshes && begin_view(top)))
		return -1;
	recorder->input = top->screen.poll;
	if (recorder_wait(recorder, &top->signals, NULL, 0, &outcome) || outcome.failed ||
	    recorder_finish(recorder))
		return -1;
	if (outcome.ended)
		return fail("all CPUs that were sampled have gone offline");
	top->has_ended |= outcome.signal || !top->has_more_cpus;
	return 0;
}

/* CPUs have come online: sample those that are online now. */
static int list_cpus(struct targets *scope)
{
	if (!scope->is_whole_machine)
		return 0;
	targets_free(scope);
	scope->is_whole_machine = true;
	return targets_add_cpus(scope, NULL);
}

static int run(struct top *top)
{
	int result = signals_take(&top->signals);

	if (result)
		return -1;
	do {
		recorder_free(&top->recorder);
		result = record(top) || list_cpus(&top->options.record.scope);
	} while (!result && !top->has_ended);
	screen_end(&top->screen);
	signals_close(&top->signals);
	return result ? -1 : 0;
}

int command_top(int argc, char **argv)
{
	struct top top = { 0 };
	int result = top_options_parse(argc, argv, &top.options);

	/* On a terminal the user may change the kind of the entries. */
	top.options.record.names_only = top.options.is_batch &&
					!profile_needs_objects(&top.options.profile);
	if (!result)
		result = run(&top);
	interval_free(&top.intervals[0]);
	interval_free(&top.intervals[1]);
	recorder_free(&top.recorder);
	record_options_free(&top.options.record);
	free(top.idle);
	return result < 0 ? EXIT_PFMON : EXIT_SUCCESS;
}
