// SPDX-License-Identifier: GPL-2.0-only
/* The CPU's events as the kernel lists them in sysfs. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cpu_events.h"

#define DEVICES	   "/sys/bus/event_source/devices"
#define MAX_EVENTS 512

static struct cpu_event events[MAX_EVENTS];
static size_t event_count;
static bool is_read;

static int by_name(const void *a, const void *b)
{
	const struct cpu_event *first = a, *second = b;

	return strcmp(first->name, second->name);
}

/*
 * Add event @name of @directory to the list. The event's file contains its code, as in
 * "event=0x11"; other fields may follow.
 */
static void read_event(const char *directory, const char *name)
{
	char path[600], line[128];
	unsigned long long code;
	FILE *file;

	if (event_count == MAX_EVENTS || cpu_events_find(name))
		return;
	snprintf(path, sizeof(path), "%s/%s", directory, name);
	file = fopen(path, "re");
	if (!file)
		return;
	if (fgets(line, sizeof(line), file) && sscanf(line, "event=%llx", &code) == 1) {
		events[event_count].name = strdup(name);
		events[event_count].code = code;
		if (events[event_count].name)
			event_count++;
	}
	fclose(file);
}

static void read_device(const char *device)
{
	char path[300];
	struct dirent *entry;
	DIR *directory;

	snprintf(path, sizeof(path), DEVICES "/%.200s/events", device);
	directory = opendir(path);
	if (!directory)
		return;
	while ((entry = readdir(directory)))
		if (entry->d_name[0] != '.')
			read_event(path, entry->d_name);
	closedir(directory);
}

/*
 * Read the events of all Arm CPUs, on the first call only. A machine with two kinds of core has two
 * devices, one for each kind. The lists of the devices are joined, so pfmon accepts an event that
 * only one kind of core has.
 */
static void read_all(void)
{
	struct dirent *entry;
	DIR *directory;

	if (is_read)
		return;
	is_read = true;
	directory = opendir(DEVICES);
	if (!directory)
		return;
	while ((entry = readdir(directory)))
		if (!strncmp(entry->d_name, "armv8_", 6) ||
		    !strncmp(entry->d_name, "armv9_", 6))
			read_device(entry->d_name);
	closedir(directory);
	qsort(events, event_count, sizeof(events[0]), by_name);
}

bool cpu_events_known(void)
{
	read_all();
	return event_count > 0;
}

bool cpu_events_have(uint64_t code)
{
	read_all();
	for (size_t i = 0; i < event_count; i++)
		if (events[i].code == code)
			return true;
	return false;
}

const struct cpu_event *cpu_events_find(const char *name)
{
	read_all();
	for (size_t i = 0; i < event_count; i++)
		if (!strcasecmp(events[i].name, name))
			return &events[i];
	return NULL;
}

const struct cpu_event *cpu_events_list(size_t *count)
{
	read_all();
	*count = event_count;
	return events;
}
