/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Saves the machine's state before the rounds. After each round, restores the state and checks that
 * the round has left nothing behind.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "execute.h"
#include "system.h"

/* Files whose contents a round may change. */
static struct setting {
	const char *path;
	char before[64];
} settings[] = {
	{ "/proc/sys/kernel/modprobe", "" },
	{ "/proc/sys/fs/file-max", "" },
	{ "/sys/kernel/perfmon/policy", "" },
	{ "/sys/devices/system/cpu/cpu1/online", "" },
	{ "/sys/kernel/perfmon/task_group", "" },
	{ "/sys/kernel/perfmon/sys_group", "" },
	{ "/sys/kernel/perfmon/arg_mem_max", "" },
	{ "/sys/kernel/perfmon/debug", "" },
	{ "/sys/kernel/perfmon/smpl_buffer_mem_max", "" },
	{ "/sys/kernel/perfmon/max_interrupts_per_tick", "" },
	{ "/sys/kernel/perfmon/max_sets", "" },
	{ "/sys/kernel/perfmon/max_copies", "" },
	{ "/sys/kernel/perfmon/set_mem_max", "" },
	{ "/sys/kernel/perfmon/set_user_max", "" },
	{ "/sys/kernel/perfmon/min_switch_timeout", "" },
};

static int users_before;

const char *setting_before(const char *path)
{
	unsigned int n;

	for (n = 0; n < COUNT(settings); n++)
		if (!strcmp(settings[n].path, path))
			return settings[n].before;
	return "";
}

static int number_in(const char *path)
{
	char text[32];

	return read_file(path, text, sizeof(text)) ? -1 : atoi(text);
}

/* Number of users of a module, or -1 if it is not loaded. */
static int users_of(const char *module)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/module/%s/refcnt", module);
	return number_in(path);
}

/* Number of users of the core, not counting the loaded formats. */
static int core_users(void)
{
	int users = users_of("perfmon");
	unsigned int n;

	for (n = 0; n < FORMATS; n++)
		users -= users_of(format_modules[n]) >= 0;
	return users;
}

/* Number of contexts that use formats. */
static int format_users(void)
{
	int users, all = 0;
	unsigned int n;

	for (n = 0; n < FORMATS; n++) {
		users = users_of(format_modules[n]);
		all += users > 0 ? users : 0;
	}
	return all;
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

static void restore_modules(void)
{
	unsigned int n;

	if (users_of("perfmon") < 0)
		module_load("perfmon");
	if (users_of(pmu_module()) < 0)
		module_load(pmu_module());
	/*
	 * The core loads this module if it cannot load the PMU's module, for example because a
	 * worker is unloading the PMU's module at the same time.
	 */
	if (strcmp(pmu_module(), "perfmon_soft"))
		module_unload("perfmon_soft");
	/*
	 * Load the formats now. Otherwise the kernel would have to run modprobe in a round, and
	 * this takes as long as 100 calls.
	 */
	for (n = 0; n < FORMATS; n++)
		if (users_of(format_modules[n]) < 0)
			module_load(format_modules[n]);
}

void system_restore(void)
{
	unsigned int n;

	write_file(settings[0].path, settings[0].before);
	restore_modules();
	for (n = 0; n < COUNT(settings); n++)
		write_file(settings[n].path, settings[n].before);
	chmod(PFM_DEVICE, 0666);
}

void system_begin(void)
{
	unsigned int n;

	for (n = 0; n < COUNT(settings); n++)
		if (read_file(settings[n].path, settings[n].before,
			      sizeof(settings[n].before)))
			printf("cannot read %s\n", settings[n].path);
	/* Allow workers without privileges to count at user level and at kernel level. */
	write_file("/proc/sys/kernel/perf_event_paranoid", "1");
	users_before = core_users();
	machine_prepare();
	expectations_begin();
	system_restore();
}

/*
 * Waits for up to ten seconds until @value() returns @wanted, because the kernel frees some memory
 * a little after the close of a context. Returns false if @value() still returns another value.
 */
static bool soon(int (*value)(void), int wanted)
{
	unsigned int turn;

	for (turn = 0; turn < 10000 && value() != wanted; turn++)
		usleep(1000);
	return value() == wanted;
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
	if (!soon(format_users, 0))
		wrong("%d contexts still use formats", format_users());
	if (!soon(core_users, users_before))
		wrong("module perfmon has %d users, had %d before", core_users(),
		      users_before);
	canary(&check);
}
