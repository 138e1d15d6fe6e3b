// SPDX-License-Identifier: GPL-2.0-only
/*
 * Find out who holds counters, and tell the user how to free them. The kernel does not show which
 * event holds a counter. So this file looks for the NMI watchdog, which holds a counter on every
 * CPU, and for processes that have perf events open.
 */
#include <ctype.h>
#include <dirent.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../common/first_line.h"
#include "../common/text.h"
#include "holders.h"

#define PATH_SIZE  512
#define MAX_NAMED  4

/* In /proc/PID/fd, the link for a perf event has this target. */
#define PERF_EVENT "anon_inode:[perf_event]"

static bool is_watchdog_on(const char *proc)
{
	char path[PATH_SIZE], word[8];

	snprintf(path, sizeof(path), "%s/sys/kernel/nmi_watchdog", proc);
	return first_line(path, word, sizeof(word)) && !strcmp(word, "1");
}

/*
 * Returns whether a process has a perf event open. @directory is the directory of the process in
 * /proc.
 */
static bool has_perf_event(const char *directory)
{
	char path[PATH_SIZE], target[sizeof(PERF_EVENT)];
	bool has = false;
	struct dirent *entry;
	DIR *descriptors;

	snprintf(path, sizeof(path), "%s/fd", directory);
	descriptors = opendir(path);
	if (!descriptors)
		return false;
	while (!has && (entry = readdir(descriptors))) {
		ssize_t length = readlinkat(dirfd(descriptors), entry->d_name, target,
					    sizeof(target));

		has = length == sizeof(PERF_EVENT) - 1 &&
		      !memcmp(target, PERF_EVENT, sizeof(PERF_EVENT) - 1);
	}
	closedir(descriptors);
	return has;
}

static void add(char text[ADVICE_TEXT], const char *separator, const char *added)
{
	size_t length = strlen(text);

	snprintf(text + length, ADVICE_TEXT - length, "%s%s", separator, added);
}

const char *holders_process(const char *proc, uint64_t pid, char text[PROCESS_TEXT])
{
	char path[PATH_SIZE], name[32];

	snprintf(path, sizeof(path), "%s/%" PRIu64 "/comm", proc, pid);
	if (!first_line(path, name, sizeof(name)))
		strcpy(name, "?");
	text_defuse(name);
	snprintf(text, PROCESS_TEXT, "%s (process %" PRIu64 ")", name, pid);
	return text;
}

static int is_process(const struct dirent *entry)
{
	return isdigit((unsigned char)entry->d_name[0]);
}

/*
 * Append the names of up to MAX_NAMED processes that have perf events open. Some of these events
 * may be software events, which hold no counter.
 */
static void add_processes(const char *proc, char text[ADVICE_TEXT])
{
	struct dirent **entries;
	char directory[PATH_SIZE - 16], process[PROCESS_TEXT];
	unsigned int found = 0;
	int count = scandir(proc, &entries, is_process, versionsort);

	for (int i = 0; i < count; i++) {
		snprintf(directory, sizeof(directory), "%s/%.20s", proc,
			 entries[i]->d_name);
		if (has_perf_event(directory)) {
			if (found < MAX_NAMED)
				add(text, found ? ", " : "; perf events are open in ",
				    holders_process(
					    proc, strtoull(entries[i]->d_name, NULL, 10),
					    process));
			found++;
		}
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
	if (found > MAX_NAMED)
		add(text, " ", "and others");
}

const char *holders_advice(const char *proc, char text[ADVICE_TEXT])
{
	*text = '\0';
	if (is_watchdog_on(proc))
		add(text, "; ",
		    geteuid()
			    ? "'sysctl kernel.nmi_watchdog=0', run as root, frees the "
			      "counters of the NMI watchdog"
			    : "'sysctl kernel.nmi_watchdog=0' frees the counters of the NMI "
			      "watchdog");
	add_processes(proc, text);
	return text;
}
