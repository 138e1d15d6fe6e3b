/* SPDX-License-Identifier: GPL-2.0-only */
/* The machine around the rounds: as it was, and what must be true of it. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "execute.h"
#include "system.h"

/* Files whose contents rounds change. */
static struct setting {
	const char *path;
	char before[64];
} settings[] = {
	{ "/proc/sys/kernel/modprobe", "" },
	{ "/proc/sys/fs/file-max", "" },
	{ "/sys/devices/system/cpu/cpu1/online", "" },
	{ "/sys/kernel/perfmon/task_group", "" },
	{ "/sys/kernel/perfmon/sys_group", "" },
	{ "/sys/kernel/perfmon/arg_mem_max", "" },
	{ "/sys/kernel/perfmon/debug", "" },
	{ "/sys/kernel/perfmon/smpl_buffer_mem_max", "" },
	{ "/sys/kernel/perfmon/max_interrupts_per_tick", "" },
	{ "/sys/kernel/perfmon/max_sets", "" },
	{ "/sys/kernel/perfmon/set_mem_max", "" },
	{ "/sys/kernel/perfmon/min_switch_timeout", "" },
};

static int users_before;

/* Users of the core, as /proc/modules has it; -1 if it is not loaded. */
static int module_users(void)
{
	static char text[65536];
	const char *line = text;
	int users;

	if (read_file("/proc/modules", text, sizeof(text)))
		return -1;
	for (; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (sscanf(line, "perfmon %*u %d", &users) == 1)
			return users;
	}
	return -1;
}

static int number_in(const char *path)
{
	char text[32];

	return read_file(path, text, sizeof(text)) ? -1 : atoi(text);
}

static int sessions(void)
{
	return number_in("/sys/kernel/perfmon/task_sessions_count");
}

static int buffer_bytes(void)
{
	return number_in("/sys/kernel/perfmon/smpl_buffer_mem_cur");
}

static int set_bytes(void)
{
	return number_in("/sys/kernel/perfmon/set_mem_cur");
}

void system_begin(void)
{
	unsigned int n;

	for (n = 0; n < COUNT(settings); n++)
		if (read_file(settings[n].path, settings[n].before,
			      sizeof(settings[n].before)))
			printf("no %s\n", settings[n].path);
	users_before = module_users();
	machine_prepare();
}

/* What the kernel undoes a little later counts as undone. */
static bool soon(int (*value)(void), int wanted)
{
	unsigned int turn;

	for (turn = 0; turn < 1000 && value() != wanted; turn++)
		usleep(10000);
	return value() == wanted;
}

void system_restore(void)
{
	unsigned int n;

	write_file(settings[0].path, settings[0].before);
	module_load("perfmon");
	module_load(PMU_MODULE);
	for (n = 0; n < COUNT(settings); n++)
		write_file(settings[n].path, settings[n].before);
	chmod(PFM_DEVICE, 0666);
}

void system_check(void)
{
	static const struct operation check = { .call = CANARY, .count = 16, .flags = 1 };

	system_restore();
	if (!soon(sessions, 0))
		wrong("%d sessions are left", sessions());
	if (!soon(buffer_bytes, 0))
		wrong("%d bytes of buffers are left", buffer_bytes());
	if (!soon(set_bytes, 0))
		wrong("%d bytes of event sets are left", set_bytes());
	formats_unload();
	if (!soon(module_users, users_before))
		wrong("perfmon has %d users, had %d", module_users(), users_before);
	canary(&check);
}
