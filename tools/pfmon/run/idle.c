// SPDX-License-Identifier: GPL-2.0-only
/*
 * /proc/stat shows the idle time of each CPU in units of 0.01 s. If tasks wait for I/O while a CPU
 * is idle, this idle time is counted in another field. This file adds up both fields.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../common/errors.h"
#include "idle.h"

static void take_line(const char *line, const struct id_list *cpus, double *seconds)
{
	unsigned long long idle, waiting;
	int cpu;

	if (sscanf(line, "cpu%d %*u %*u %*u %llu %llu", &cpu, &idle, &waiting) != 3)
		return;
	for (size_t i = 0; i < cpus->count; i++)
		if (cpus->ids[i] == cpu)
			seconds[i] =
				(double)(idle + waiting) / (double)sysconf(_SC_CLK_TCK);
}

/* CPUs that are offline have no line in /proc/stat. */
void idle_read(const struct id_list *cpus, double *seconds)
{
	FILE *file = fopen("/proc/stat", "re");
	char *line = NULL;
	size_t size = 0;

	for (size_t i = 0; i < cpus->count; i++)
		seconds[i] = NAN;
	if (!file)
		return;
	while (getline(&line, &size, file) > 0)
		take_line(line, cpus, seconds);
	free(line);
	fclose(file);
}

/* Returns the idle times of the contexts' CPUs, or NULL if there is no memory. */
static double *read_all(const struct group *group)
{
	struct id_list cpus = { .count = group->attached };
	double *seconds = calloc(group->attached + 1, sizeof(*seconds));

	cpus.ids = calloc(group->attached + 1, sizeof(*cpus.ids));
	for (size_t i = 0; cpus.ids && i < group->attached; i++)
		cpus.ids[i] = group_session(group, i)->cpu;
	if (cpus.ids && seconds) {
		idle_read(&cpus, seconds);
	} else {
		free(seconds);
		seconds = NULL;
	}
	free(cpus.ids);
	return seconds;
}

int idle_begin(struct idle *idle, const struct group *group)
{
	idle_free(idle);
	idle->begin = read_all(group);
	idle->count = group->attached;
	return idle->begin ? 0 : fail("no memory");
}

/*
 * Returns whether the CPU of @session was online all the time. Only then is its idle time known,
 * because the idle time in /proc/stat may begin at 0 when a CPU comes online again.
 */
static bool was_online(const struct session *session)
{
	return session_is_attached(session) && !session->was_offline;
}

int idle_end(struct idle *idle, const struct group *group, double *sum)
{
	free(idle->seconds);
	idle->seconds = read_all(group);
	if (!idle->seconds)
		return fail("no memory");
	*sum = 0;
	for (size_t i = 0; i < group->attached; i++) {
		if (i < idle->count && was_online(group_session(group, i)))
			idle->seconds[i] -= idle->begin[i];
		else
			idle->seconds[i] = NAN;
		*sum += idle->seconds[i];
	}
	return 0;
}

void idle_free(struct idle *idle)
{
	free(idle->begin);
	free(idle->seconds);
	*idle = (struct idle){ 0 };
}
