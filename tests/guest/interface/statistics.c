// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests the statistics of each CPU in debugfs, and the log messages and measurements that
 * /sys/kernel/perfmon/debug enables. costs.c tests PFM_IOC_STATISTICS.
 */
#include <dirent.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include "sets.h"

SUITE(statistics, 60);

/* The statistics that docs/interface.md 7.3 names, and those that this implementation adds. */
static const char *const names[] = {
	"ovfl_intr_all_count",
	"ovfl_intr_regular_count",
	"ovfl_intr_spurious_count",
	"ovfl_intr_nmi_count",
	"ovfl_intr_ns",
	"ovfl_intr_timed_count",
	"ovfl_intr_timed_ns",
	"ovfl_intr_replay_count",
	"ovfl_notify_count",
	"ovfl_throttle_count",
	"reset_pmds_count",
	"pfm_restart_count",
	"fmt_handler_calls",
	"fmt_handler_ns",
	"fmt_lost_count",
	"ctxswin_count",
	"ctxswin_ns",
	"ctxswout_count",
	"ctxswout_ns",
	"set_switch_count",
	"set_switch_ns",
	"foreign_cpu_count",
	"copy_count",
	"not_followed_count",
};

static bool is_named(const char *file)
{
	size_t i;

	for (i = 0; i < COUNT(names); i++)
		if (!strcmp(file, names[i]))
			return true;
	return false;
}

TEST(each_cpu_has_the_named_statistics_only)
{
	unsigned int cpu;
	size_t i;

	for (cpu = 0; cpu < cpus_online(); cpu++) {
		char path[128];
		struct dirent *entry;
		struct stat status;
		DIR *directory;

		for (i = 0; i < COUNT(names); i++)
			statistic_of(cpu, names[i]);
		snprintf(path, sizeof(path), DEBUGFS "cpu%u", cpu);
		directory = opendir(path);
		ck_assert_ptr_ne(directory, NULL);
		while ((entry = readdir(directory))) {
			if (entry->d_name[0] == '.')
				continue;
			ck_assert_msg(is_named(entry->d_name), "%s/%s", path,
				      entry->d_name);
			ck_assert_int_eq(
				fstatat(dirfd(directory), entry->d_name, &status, 0), 0);
			ck_assert_uint_eq(status.st_mode, S_IFREG | 0444);
		}
		closedir(directory);
	}
}
TEST(switches_of_monitored_threads_are_counted_on_their_cpu)
{
	const unsigned int cpu = cpus_online() - 1, turns = 20;
	struct child child = child_new();
	uint64_t in, out;
	unsigned int turn;

	child_call(&child, child_pin, cpu);
	busy_context_on(child.pid);
	in = statistic_of(cpu, "ctxswin_count");
	out = statistic_of(cpu, "ctxswout_count");
	for (turn = 0; turn < turns; turn++) {
		child_call(&child, child_work, 1); /* the child wakes and sleeps again */
		wait_until(thread_state(child.pid) == 'S');
	}
	in = statistic_of(cpu, "ctxswin_count") - in;
	out = statistic_of(cpu, "ctxswout_count") - out;
	ck_assert_msg(in >= turns && out >= turns,
		      "switches of the child: %ju in, %ju out", (uintmax_t)in,
		      (uintmax_t)out);
}

TEST(switches_of_other_threads_are_not_counted)
{
	struct child child = child_new(), idle = child_new();
	unsigned int cpu, turn;
	uint64_t before[64] = {}, all = 0;

	wait_until(thread_state(idle.pid) == 'S');
	busy_context_on(idle.pid);
	for (cpu = 0; cpu < cpus_online(); cpu++)
		before[cpu] = statistic_of(cpu, "ctxswin_count");
	for (turn = 0; turn < 50; turn++)
		child_call(&child, child_work, 1);
	for (cpu = 0; cpu < cpus_online(); cpu++)
		all += statistic_of(cpu, "ctxswin_count") - before[cpu];
	ck_assert_uint_eq(all, 0);
}

TEST(reset_stats_resets_statistics)
{
	const unsigned int cpu = 0;
	struct child child = child_new();

	child_call(&child, child_pin, cpu);
	busy_context_on(child.pid);
	child_call(&child, child_work, 1);
	wait_until(thread_state(child.pid) == 'S');
	ck_assert_uint_gt(statistic_of(cpu, "ctxswin_count"), 0);
	write_text(SYSFS "reset_stats", "0\n");
	ck_assert_uint_eq(statistic_of(cpu, "ctxswin_count"), 0);
	ck_assert_uint_eq(statistic_of(cpu, "ctxswout_count"), 0);
}

#define CALLS_ARE_LOGGED 1
#define TIME_IS_MEASURED 4

static void set_debug(int bits)
{
	char text[16];

	snprintf(text, sizeof(text), "%d\n", bits);
	write_text(SYSFS "debug", text);
	ck_assert_str_eq(read_text(SYSFS "debug"), text);
}

/* pfm_start() and pfm_stop() fail because the context is not loaded. */
TEST(failing_calls_are_logged_if_enabled)
{
	int fd = make_context();
	char start[128], stop[128];

	snprintf(start, sizeof(start), "[%d]: call %u: error %d,", thread_id(),
		 (unsigned int)_IOC_NR(PFM_IOC_START), -EINVAL);
	snprintf(stop, sizeof(stop), "[%d]: call %u: error %d,", thread_id(),
		 (unsigned int)_IOC_NR(PFM_IOC_STOP), -EINVAL);
	must_fail_errno(pfm_start(fd, NULL), EINVAL);
	ck_assert_msg(!strstr(kernel_log(), start), "logged although logging was off");
	set_debug(CALLS_ARE_LOGGED);
	must_fail_errno(pfm_start(fd, NULL), EINVAL);
	set_debug(0);
	ck_assert_msg(strstr(kernel_log(), start), "no \"%s\"", start);
	must_fail_errno(pfm_stop(fd), EINVAL);
	ck_assert_msg(!strstr(kernel_log(), stop), "still logged");
}

TEST(time_is_measured_if_enabled)
{
	const unsigned int cpu = 0;
	struct child child = child_new();
	uint64_t in, out, all;

	child_call(&child, child_pin, cpu);
	busy_context_on(child.pid);
	write_text(SYSFS "reset_stats", "0\n");
	child_call(&child, child_work, 1);
	wait_until(thread_state(child.pid) == 'S');
	ck_assert_uint_gt(statistic_of(cpu, "ctxswin_count"), 0);
	ck_assert_uint_eq(statistic_of(cpu, "ctxswin_ns"), 0);
	set_debug(CALLS_ARE_LOGGED);
	child_call(&child, child_work, 1);
	wait_until(thread_state(child.pid) == 'S');
	ck_assert_uint_eq(statistic_of(cpu, "ctxswin_ns"), 0);
	all = monotonic_time();
	set_debug(TIME_IS_MEASURED);
	child_call(&child, child_work, 1);
	wait_until((in = statistic_of(cpu, "ctxswin_ns")) > 0 &&
		   (out = statistic_of(cpu, "ctxswout_ns")) > 0);
	all = monotonic_time() - all;
	ck_assert_msg(in < all && out < all,
		      "switches in: %ju ns, switches out: %ju ns; %ju ns passed",
		      (uintmax_t)in, (uintmax_t)out, (uintmax_t)all);
	/* Writing 0 to "debug" ends the measurement and resets the statistics. */
	wait_until(thread_state(child.pid) == 'S');
	set_debug(0);
	ck_assert_uint_eq(statistic_of(cpu, "ctxswin_count"), 0);
	ck_assert_uint_eq(statistic_of(cpu, "ctxswin_ns"), 0);
	child_call(&child, child_work, 1);
	wait_until(thread_state(child.pid) == 'S');
	ck_assert_uint_gt(statistic_of(cpu, "ctxswin_count"), 0);
	ck_assert_uint_eq(statistic_of(cpu, "ctxswin_ns"), 0);
}

/*
 * The measured times of overflows, of samples and of set switches must each be more than 0 and less
 * than the elapsed time.
 */
TEST(time_of_overflows_formats_and_set_switches_is_measured)
{
	static const char *const times[] = { "ovfl_intr_ns", "fmt_handler_ns",
					     "set_switch_ns" };
	uint64_t all, values[COUNT(times)];
	header_t header;
	size_t i;
	int fd;

	need_overflow_interrupts();
	fd = default_context(0, MIB);
	header = map_buffer(fd, MIB);
	make_set(fd, 0, BY_TIME, 2 * MS);
	make_set(fd, 1, BY_TIME, 2 * MS);
	sample_busily(fd, MS / 2);
	load(fd, thread_id());
	write_text(SYSFS "reset_stats", "0\n");
	all = monotonic_time();
	set_debug(TIME_IS_MEASURED);
	must(fd, pfm_start(fd, NULL));
	fill_to(header, 8);
	must(fd, pfm_stop(fd));
	all = monotonic_time() - all;
	for (i = 0; i < COUNT(times); i++)
		values[i] = statistic(times[i]);
	set_debug(0);
	for (i = 0; i < COUNT(times); i++)
		ck_assert_msg(values[i] > 0 && values[i] < all,
			      "%s is %ju; %ju ns passed", times[i], (uintmax_t)values[i],
			      (uintmax_t)all);
}
