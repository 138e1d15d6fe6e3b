// SPDX-License-Identifier: GPL-2.0-only
/*
 * pfmon top: show what the CPUs do now.  pfmon makes a recording in memory, with a new file for
 * each interval, and shows a report of each file.  A file contains only the samples of its
 * interval.  It has no records of processes that ended before the interval, so the memory that
 * pfmon uses does not grow.
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
#include "../record/recorder_cpus.h"
#include "../report/report_table.h"
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
 * @intervals: the interval on the screen, and the one that is being read
 * @shown: the interval on the screen; NULL: none yet
 * @begun: when the current interval began, in ns of CLOCK_MONOTONIC
 * @cpus: the CPUs that are sampled
 * @idle: total idle time of each of @cpus at @begun, in seconds
 * @names_lost: number of the kernel's reports about processes, such as new names, that were lost
 *	before the current interval
 * @refreshes: number of intervals that have been shown
 * @has_ended: the last table has been shown, or the user has ended pfmon top
 * @is_utf8: the terminal can show the block characters of UTF-8
 */
struct top {
	struct top_options options;
	struct recorder recorder;
	struct signals signals;
	struct screen screen;
	struct interval intervals[2];
	struct interval *shown;
	uint64_t begun;
	struct id_list cpus;
	double *idle;
	uint64_t names_lost;
	uint64_t refreshes;
	bool has_ended;
	bool is_utf8;
};

static int draw(struct top *top)
{
	const struct view_style style = {
		.columns = top->options.is_batch ? DEFAULT_COLUMNS : top->screen.columns,
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
	free(text);
	return finish_stdout(0) ? -1 : result;
}

/*
 * Returns the fraction of an interval during which a CPU was busy. @before and @after are the CPU's
 * total idle times at the beginning and at the end of the interval. @seconds is the length of the
 * interval. All times are in seconds.
 */
static double busy_part(double before, double after, double seconds)
{
	double busy = 1 - (after - before) / seconds;

	if (isnan(busy))
		return NAN;
	return fmin(fmax(busy, 0), 1);
}

/* Begin an interval.  List the sampled CPUs again, because CPUs may have been added. */
static int begin_interval(struct top *top)
{
	double *idle;

	top->cpus.count = 0;
	if (recorder_list_cpus(&top->recorder, &top->cpus))
		return -1;
	idle = reallocarray(top->idle, top->cpus.count, sizeof(*idle));
	if (!idle)
		return fail("no memory");
	top->idle = idle;
	idle_read(&top->cpus, idle);
	top->begun = nanoseconds_now();
	return 0;
}

/*
 * Fill in what the CPUs did in @interval, which is over, and begin the next interval. If a CPU was
 * added or came online during @interval, the CPU's idle time at the beginning of @interval is not
 * known.
 */
static int look_at_cpus(struct top *top, struct interval *interval)
{
	const size_t before = top->cpus.count;
	const uint64_t begun = top->begun;
	double *idle = calloc(before, sizeof(*idle));

	if (!idle)
		return fail("no memory");
	memcpy(idle, top->idle, before * sizeof(*idle));
	if (begin_interval(top)) {
		free(idle);
		return -1;
	}
	interval->seconds = (double)(top->begun - begun) / 1e9;
	for (size_t i = 0; i < interval->cpu_count; i++) {
		struct sampler *sampler = &top->recorder.samplers[i];
		struct cpu_row *row = &interval->cpus[i];
		bool was_online = i < before && !sampler->session.was_offline;

		row->cpu = (uint32_t)sampler->target;
		row->is_offline = !session_is_attached(&sampler->session);
		row->busy = busy_part(was_online ? idle[i] : NAN, top->idle[i],
				      interval->seconds);
		sampler->session.was_offline = false;
	}
	free(idle);
	return 0;
}

/* An interval is over: read its file and show it. */
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
	if (++top->refreshes == top->options.refreshes)
		top->has_ended = true;
	top->recorder.watch.is_done = top->has_ended;
	return 0;
}

/* Choose the next kind of entries, such as functions, and sort the shown interval again. */
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

/* Show intervals until the last table has been shown, or until the user ends pfmon top. */
static int record(struct top *top)
{
	struct recorder *recorder = &top->recorder;
	struct outcome outcome = { 0 };

	recorder->ended = on_file;
	recorder->typed = on_key;
	recorder->data = top;
	if (recorder_prepare(recorder, &top->options.record) ||
	    recorder_begin(recorder, NULL) || begin_interval(top) || begin_view(top))
		return -1;
	recorder->input = top->screen.poll;
	return recorder_wait(recorder, &top->signals, NULL, 0, &outcome) ||
			       outcome.failed || recorder_finish(recorder)
		       ? -1
		       : 0;
}

static int run(struct top *top)
{
	int result = signals_take(&top->signals);

	if (result)
		return -1;
	result = record(top);
	screen_end(&top->screen);
	signals_close(&top->signals);
	return result ? -1 : 0;
}

int command_top(int argc, char **argv)
{
	struct top top = { 0 };
	int result = top_options_parse(argc, argv, &top.options);

	/*
	 * pfmon can find the function of a sample only if it has recorded the mappings of the
	 * process. On a terminal the user may ask for functions at any time, so pfmon then always
	 * records the mappings.
	 */
	top.options.record.names_only = top.options.is_batch &&
					!profile_needs_objects(&top.options.profile);
	if (!result)
		result = run(&top);
	interval_free(&top.intervals[0]);
	interval_free(&top.intervals[1]);
	recorder_free(&top.recorder);
	record_options_free(&top.options.record);
	free(top.cpus.ids);
	free(top.idle);
	return result < 0 ? EXIT_PFMON : EXIT_SUCCESS;
}
