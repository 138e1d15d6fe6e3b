// SPDX-License-Identifier: GPL-2.0-only
/* Find out what a command did in threads other than its first one, and in child processes. */
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "../common/errors.h"
#include "others.h"

#define NS_PER_MSEC 1e6
#define ATTEMPTS    1000

static uint64_t nanoseconds(const struct timeval *time)
{
	return (uint64_t)time->tv_sec * 1000000000 + (uint64_t)time->tv_usec * 1000;
}

static uint64_t total(const struct rusage *usage)
{
	return nanoseconds(&usage->ru_utime) + nanoseconds(&usage->ru_stime);
}

static uint64_t difference(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

/* Returns the number of threads and processes created since boot, or 0 if it is not known. */
static uint64_t tasks_made(void)
{
	FILE *file = fopen("/proc/stat", "re");
	uint64_t tasks = 0;
	char word[32];

	if (!file)
		return 0;
	while (fscanf(file, "%31s", word) == 1)
		if (!strcmp(word, "processes")) {
			if (fscanf(file, "%" SCNu64, &tasks) != 1)
				tasks = 0;
			break;
		}
	fclose(file);
	return tasks;
}

static unsigned int count_children(void)
{
	FILE *file = fopen("/proc/thread-self/children", "re");
	unsigned int count = 0;
	int pid;

	if (!file)
		return 0;
	while (fscanf(file, "%d", &pid) == 1)
		count++;
	fclose(file);
	return count;
}

void others_adopt(void)
{
	prctl(PR_SET_CHILD_SUBREAPER, 1);
}

void others_before(struct others *others)
{
	*others = (struct others){ .children_before = count_children() };
}

void others_made(struct others *others)
{
	others->tasks_before = tasks_made();
}

/* Store the CPU time in ns of all threads of a process, including those that have ended. */
static bool process_time(pid_t pid, uint64_t *ns)
{
	struct timespec time;
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &time))
		return false;
	*ns = (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
	return true;
}

/* Store the CPU time in ns of the first thread of a process. */
static bool first_time(pid_t pid, uint64_t *ns)
{
	char path[64];
	FILE *file;
	bool is_read;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/schedstat", (int)pid, (int)pid);
	file = fopen(path, "re");
	if (!file)
		return false;
	is_read = fscanf(file, "%" SCNu64, ns) == 1;
	fclose(file);
	return is_read;
}

/*
 * Read the CPU time of the process and the CPU time of its first thread. A thread that exits
 * continues to run for a moment. During this moment the CPU time of the process grows steadily, but
 * /proc updates the CPU time of the thread only at ticks. So wait until the CPU time of the process
 * has stopped growing.
 */
static bool read_times(pid_t pid, uint64_t *process, uint64_t *first)
{
	uint64_t before;

	for (int i = 0; i < ATTEMPTS; i++) {
		if (!process_time(pid, &before) || !first_time(pid, first) ||
		    !process_time(pid, process))
			return false;
		if (*process == before)
			return true;
		sched_yield();
	}
	return false;
}

/*
 * Returns whether the process has waited for children. If it has, /proc/PID/stat shows the page
 * faults and the CPU time of these children, see proc(5).
 */
static bool has_waited_for_children(pid_t pid)
{
	unsigned long minor = 0, major = 0, user = 0, system = 0;
	char path[64], line[1024], *rest = NULL;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	file = fopen(path, "re");
	if (!file)
		return false;
	if (fgets(line, sizeof(line), file))
		rest = strrchr(line, ')');
	fclose(file);
	if (!rest || sscanf(rest + 1,
			    " %*c %*d %*d %*d %*d %*d %*u %*u %lu %*u %lu %*u %*u %lu "
			    "%lu",
			    &minor, &major, &user, &system) != 4)
		return false;
	return minor || major || user || system;
}

void others_at_end(struct others *others, pid_t pid)
{
	uint64_t first;

	if (read_times(pid, &others->process, &first))
		others->threads = difference(others->process, first);
	others->has_children |= has_waited_for_children(pid);
}

void others_orphan(struct others *others, const struct rusage *usage)
{
	others->has_children = true;
	others->children += total(usage);
}

void others_finish(struct others *others, const struct rusage *usage)
{
	uint64_t tasks = tasks_made();
	unsigned int children = count_children();

	if (others->has_children && others->process)
		others->children += difference(total(usage), others->process);
	if (children > others->children_before)
		others->running = children - others->children_before;
	if (tasks && others->tasks_before)
		others->made = difference(tasks, others->tasks_before);
}

void others_add(struct others *sum, const struct others *others)
{
	sum->threads += others->threads;
	sum->has_children |= others->has_children;
	sum->children += others->children;
	sum->running += others->running;
	sum->made += others->made;
}

/* Size of a text such as " (59.94 ms of CPU time)". */
#define USED_TEXT 48

static const char *used_text(uint64_t ns, char text[USED_TEXT])
{
	snprintf(text, USED_TEXT, " (%.2f ms of CPU time)", (double)ns / NS_PER_MSEC);
	return text;
}

static void warn_of_ended(const struct others *others, const char *done)
{
	char threads[USED_TEXT] = "", children[USED_TEXT] = "", most[48] = "";
	bool both = others->threads && others->has_children;

	if (others->threads)
		used_text(others->threads, threads);
	if (others->has_children)
		used_text(others->children, children);
	if (others->made)
		snprintf(most, sizeof(most), "; there were %" PRIu64 " at most",
			 others->made);
	warn_user("%s%s%s%s%s were not %s%s",
		  others->threads ? "other threads of the command" : "", threads,
		  both ? " and " : "",
		  others->has_children ? "processes that the command started" : "",
		  children, done, most);
}

void others_warn_running(const struct others *others, const char *done)
{
	if (others->running == 1)
		warn_user(
			"a process that the command started continues after the command's end, and is not %s",
			done);
	else if (others->running)
		warn_user(
			"%u processes that the command started continue after the command's end, and are not %s",
			others->running, done);
}

void others_warn(const struct others *others, const char *done)
{
	if (others->threads || others->has_children)
		warn_of_ended(others, done);
	others_warn_running(others, done);
}
