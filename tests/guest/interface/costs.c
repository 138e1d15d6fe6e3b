// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests what PFM_IOC_STATISTICS reports after known work, and who may call it.
 *
 * The tests compare the results with three things: the numbers of notifications and set switches
 * that the tests cause, the sampling format's counts, and the kernel's counts of context switches.
 */
#include <grp.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <perfmon/perfmon_nway.h>

#include "formats.h"
#include "sets.h"
#include "system_wide.h"

SUITE(costs, 120);

#define GROUP_ID 12345

static struct pfm_statistics costs_of(int fd)
{
	struct pfm_statistics statistics = { 0 };

	must(fd, pfm_get_statistics(fd, &statistics));
	return statistics;
}

static struct pfm_statistics costs_of_cpu(unsigned int cpu)
{
	struct pfm_statistics statistics = { .flags = PFM_STATISTICS_CPU, .cpu = cpu };
	int fd = pfm_open_device();

	must(fd, pfm_get_statistics(fd, &statistics));
	ck_assert_uint_eq(statistics.cpu, cpu);
	close(fd);
	return statistics;
}

/* Returns the kernel's count of a thread's context switches, voluntary or not. */
static uint64_t switches_in_proc(pid_t tid)
{
	unsigned long voluntary, other;
	const char *at;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/status", tid);
	at = strstr(read_text(path), "\nvoluntary_ctxt_switches:");
	ck_assert_ptr_ne(at, NULL);
	ck_assert_int_eq(sscanf(at,
				"\nvoluntary_ctxt_switches: %lu"
				"\nnonvoluntary_ctxt_switches: %lu",
				&voluntary, &other),
			 2);
	return voluntary + other;
}

/* ---- overflows ---------------------------------------------------------------------------- */

/*
 * Each notification masks the context until the restart, so the test knows the number of overflows.
 * A stop may find an overflow before the interrupt comes. The core has a separate count for the
 * overflows that a stop finds.
 */
TEST(overflows_and_notifications_are_counted)
{
	const unsigned int overflows = 100;
	struct pfm_statistics costs, before, after;
	uint64_t at_stops;
	unsigned int i;
	int fd;

	need_overflow_interrupts();
	pin(0);
	fd = context_with_flags(0);
	sample_busily(fd, PERIOD / 10);
	load(fd, thread_id());
	before = costs_of_cpu(0);
	at_stops = statistic("ovfl_intr_replay_count");
	must(fd, pfm_start(fd, NULL));
	for (i = 0; i < overflows; i++) {
		spin_until_message(fd);
		next_overflow(fd);
		must(fd, pfm_restart(fd));
	}
	must(fd, pfm_stop(fd));
	at_stops = statistic("ovfl_intr_replay_count") - at_stops;
	costs = costs_of(fd);
	after = costs_of_cpu(0);
	if (message_waits(fd))
		i++;
	ck_assert_uint_eq(costs.notifications, i);
	ck_assert_uint_eq(costs.interrupts, i - at_stops);
	ck_assert_uint_eq(costs.samples, 0);
	ck_assert_uint_eq(costs.lost, 0);
	ck_assert_uint_eq(costs.set_switches, 0);
	ck_assert_uint_eq(costs.spurious, 0);
	ck_assert_uint_eq(after.interrupts - before.interrupts, costs.interrupts);
	ck_assert_uint_eq(after.notifications - before.notifications,
			  costs.notifications);
	/* An unload keeps the statistics of the context. The next load sets them to 0. */
	must(fd, pfm_unload_context(fd));
	ck_assert_uint_eq(costs_of(fd).interrupts, costs.interrupts);
	load(fd, thread_id());
	ck_assert_uint_eq(costs_of(fd).interrupts, 0);
	ck_assert_uint_eq(costs_of(fd).notifications, 0);
	end_sampling(fd);
}

/* docs/interface.md 7.3: the core measures the time of one interrupt in 16. */
TEST(the_time_in_interrupts_is_measured)
{
	struct pfm_statistics costs;
	uint64_t time;
	header_t header;
	int fd;

	need_overflow_interrupts();
	fd = default_context(0, MIB);
	header = map_buffer(fd, MIB);
	sample_busily(fd, PERIOD / 10);
	load(fd, thread_id());
	time = monotonic_time();
	must(fd, pfm_start(fd, NULL));
	fill_to(header, 100);
	must(fd, pfm_stop(fd));
	time = monotonic_time() - time;
	costs = costs_of(fd);
	ck_assert_uint_eq(costs.throttled, header->hdr_throttled);
	ck_assert_uint_eq(costs.timed_interrupts, costs.interrupts / 16);
	ck_assert_uint_gt(costs.timed_ns, 0);
	ck_assert_uint_lt(costs.timed_ns, time);
	close(fd);
}

static void lose_samples(void)
{
	const struct pfm_nway_arg argument = { .region_size = 8192, .regions = 2 };
	const volatile struct pfm_nway_hdr *header;
	struct pfm_statistics costs, before = costs_of_cpu(0), after;
	int fd;

	pin(0);
	fd = format_context("nway", &argument, sizeof(argument));
	header = format_buffer(fd, 128 + 2 * 32 + 2 * 8192);
	use_counters(fd, 1);
	sample_counter(fd, 0, format_period(), 0, NULL, 0);
	load(fd, thread_id());
	must(fd, pfm_start(fd, NULL));
	while (header->lost < 10)
		spin_turns(10000);
	must(fd, pfm_stop(fd));
	costs = costs_of(fd);
	after = costs_of_cpu(0);
	ck_assert_uint_eq(costs.samples, header->produced);
	ck_assert_uint_eq(costs.lost, header->lost);
	ck_assert_uint_eq(after.samples - before.samples, header->produced);
	ck_assert_uint_eq(after.lost - before.lost, header->lost);
	close(fd);
}

TEST(samples_and_lost_ones_are_counted)
{
	need_overflow_interrupts();
	with_formats(lose_samples);
}

#define LIMIT SYSFS "max_interrupts_per_tick"

static char limit_before[32];

static void restore_limit(void)
{
	write_text(LIMIT, limit_before);
}

static void count_throttled(void)
{
	struct pfm_statistics costs;
	header_t header;
	int fd;

	write_text(LIMIT, "1");
	fd = default_context(0, MIB);
	header = map_buffer(fd, MIB);
	sample_busily(fd, PERIOD / 10);
	load_and_start(fd, thread_id());
	while (header->hdr_throttled < 3)
		spin_turns(10000);
	must(fd, pfm_stop(fd));
	costs = costs_of(fd);
	ck_assert_uint_ge(costs.throttled, 3);
	ck_assert_uint_eq(costs.throttled, header->hdr_throttled);
	/* With this limit the core measures the time of each interrupt. */
	ck_assert_uint_eq(costs.timed_interrupts, costs.interrupts);
	close(fd);
}

/* A tick is longer than two periods, so the set exceeds its limit of one interrupt per tick. */
TEST(throttled_sets_are_counted)
{
	need_overflow_interrupts();
	strncpy(limit_before, read_text(LIMIT), sizeof(limit_before) - 1);
	then_put_back(count_throttled, restore_limit);
}

/* ---- switches ------------------------------------------------------------------------------- */

TEST(set_switches_are_counted)
{
	const unsigned int sets = 3;
	unsigned int id;
	uint64_t runs;
	int fd = make_context();

	make_turns(fd, sets, MS);
	load(fd, thread_id());
	must(fd, pfm_start(fd, NULL));
	do {
		spin_turns(100000);
		for (runs = 0, id = 0; id < sets; id++)
			runs += runs_of(fd, id);
	} while (runs < 20);
	must(fd, pfm_stop(fd));
	for (runs = 0, id = 0; id < sets; id++)
		runs += runs_of(fd, id);
	/* The load began the first run of set 0, without a set switch. */
	ck_assert_uint_eq(costs_of(fd).set_switches, runs - 1);
	close(fd);
}

/*
 * Returns the kernel's count of the child's context switches during the work. The child sleeps
 * before and after the work, so the count is complete.
 */
static uint64_t switches_of_work(const struct child *child, int fd, unsigned int turns)
{
	uint64_t before;

	wait_until(thread_state(child->pid) == 'S');
	before = switches_in_proc(child->pid);
	load_and_start(fd, child->pid);
	for (unsigned int turn = 0; turn < turns; turn++) {
		child_call(child, child_work, 1);
		wait_until(thread_state(child->pid) == 'S');
	}
	return switches_in_proc(child->pid) - before;
}

TEST(switches_of_the_thread_are_counted)
{
	struct child child = child_new();
	int fd = busy_context();
	uint64_t switches = switches_of_work(&child, fd, 50);

	ck_assert_uint_ge(switches, 50);
	ck_assert_uint_eq(costs_of(fd).switches, switches);
	/* After the unload, the thread's switches are not counted. */
	must(fd, pfm_unload_context(fd));
	child_call(&child, child_work, 1);
	wait_until(thread_state(child.pid) == 'S');
	ck_assert_uint_eq(costs_of(fd).switches, switches);
	switches = switches_of_work(&child, fd, 20);
	ck_assert_uint_eq(costs_of(fd).switches, switches);
	/* A load that fails changes nothing. */
	must(fd, pfm_unload_context(fd));
	ck_assert_int_eq(try_load(fd, 0), -1);
	ck_assert_uint_eq(costs_of(fd).switches, switches);
	child_exit(&child);
	close(fd);
}

#define CHILDREN 20
#define SLEEPS	 10

/* Returns the number of switches of this process and of the children that it has waited for. */
static uint64_t switches_in_rusage(void)
{
	struct rusage self, children;

	getrusage(RUSAGE_SELF, &self);
	getrusage(RUSAGE_CHILDREN, &children);
	return self.ru_nvcsw + self.ru_nivcsw + children.ru_nvcsw + children.ru_nivcsw;
}

static void run_children(int fd)
{
	int status;

	for (int i = 0; i < CHILDREN; i++) {
		pid_t pid = check_fork();

		ck_assert_int_ne(pid, -1);
		if (!pid) {
			close(fd);
			for (int j = 0; j < SLEEPS; j++)
				usleep(100);
			_exit(0);
		}
		ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	}
}

/*
 * When a thread ends, our hook reads the thread's number of context switches. After that, the
 * thread is switched out at least once more. So the kernel's number is higher than perfmon's.
 */
TEST(copies_and_their_switches_are_counted)
{
	pfarg_ctx_t ctx = { .ctx_flags = PFM_FL_INHERIT_ALL };
	int fd = pfm_create_context(&ctx, NULL, NULL, 0);
	struct pfm_statistics costs;
	uint64_t switches;

	must(-1, fd);
	use_busy_counters(fd);
	switches = switches_in_rusage();
	load(fd, thread_id());
	must(fd, pfm_start(fd, NULL));
	run_children(fd);
	must(fd, pfm_stop(fd));
	costs = costs_of(fd);
	switches = switches_in_rusage() - switches;
	ck_assert_uint_eq(costs.copies, CHILDREN);
	ck_assert_uint_eq(costs.not_followed, 0);
	ck_assert_uint_ge(switches, CHILDREN * SLEEPS);
	ck_assert_msg(costs.switches <= switches &&
			      costs.switches + 3 * CHILDREN >= switches,
		      "%ju switches, %ju in rusage", (uintmax_t)costs.switches,
		      (uintmax_t)switches);
	must(fd, pfm_unload_context(fd));
	ck_assert_uint_eq(costs_of(fd).copies, CHILDREN);
	load(fd, thread_id());
	ck_assert_uint_eq(costs_of(fd).copies, 0);
	close(fd);
}

TEST(a_system_wide_context_has_no_switches_of_threads)
{
	struct child child = child_new();
	int fd = system_wide_context();

	use_busy_counters_of_cpu(fd);
	load(fd, 0);
	must(fd, pfm_start(fd, NULL));
	child_call(&child, child_work, 1);
	must(fd, pfm_stop(fd));
	ck_assert_uint_eq(costs_of(fd).switches, 0);
	must(fd, pfm_unload_context(fd));
	ck_assert_uint_eq(costs_of(fd).switches, 0);
	close(fd);
}

/* ---- CPUs ------------------------------------------------------------------------------------ */

TEST(the_figures_of_a_cpu_are_those_of_debugfs)
{
	struct child child = child_new();
	struct pfm_statistics costs;
	unsigned int cpu;

	busy_context_on(child.pid);
	for (int turn = 0; turn < 10; turn++)
		child_call(&child, child_work, 1);
	child_exit(&child);
	for (cpu = 0; cpu < cpus_online(); cpu++) {
		costs = costs_of_cpu(cpu);
		ck_assert_uint_eq(costs.switches, statistic_of(cpu, "ctxswout_count"));
		ck_assert_uint_eq(costs.interrupts,
				  statistic_of(cpu, "ovfl_intr_regular_count"));
		ck_assert_uint_eq(costs.spurious,
				  statistic_of(cpu, "ovfl_intr_spurious_count"));
		ck_assert_uint_eq(costs.copies, statistic_of(cpu, "copy_count"));
	}
}

TEST(wrong_arguments_are_einval)
{
	struct pfm_statistics statistics = { .flags = PFM_STATISTICS_CPU, .cpu = 65536 };
	int fd = pfm_open_device();

	must_fail(fd, pfm_get_statistics(fd, &statistics), EINVAL, PFM_REASON_NO_CPU,
		  NO_INDEX);
	statistics = (struct pfm_statistics){ .flags = 2 };
	must_fail(fd, pfm_get_statistics(fd, &statistics), EINVAL, PFM_REASON_FLAGS,
		  NO_INDEX);
	statistics = (struct pfm_statistics){ .cpu = 1 };
	must_fail(fd, pfm_get_statistics(fd, &statistics), EINVAL, PFM_REASON_RESERVED,
		  NO_INDEX);
	statistics = (struct pfm_statistics){};
	must_fail(fd, pfm_get_statistics(fd, &statistics), EINVAL, PFM_REASON_NO_CONTEXT,
		  NO_INDEX);
	close(fd);
}

/* ---- who may read the statistics ------------------------------------------------------------- */

/*
 * The following functions are called in a child, which cannot assert anything. So they return
 * whether the calls had the expected results.
 */

static int ask_as_user(int fd)
{
	struct pfm_statistics statistics = { .flags = PFM_STATISTICS_CPU };
	struct pfm_error error;

	become(USER_ID);
	return pfm_get_statistics(fd, &statistics) == -1 && errno == EPERM &&
	       !pfm_get_error(fd, &error) && error.reason == PFM_REASON_SYS_GROUP &&
	       !statistics.interrupts && !statistics.switches;
}

static int ask_as_member(int fd)
{
	struct pfm_statistics statistics = { .flags = PFM_STATISTICS_CPU };
	const gid_t group = GROUP_ID;

	if (setgroups(1, &group) || setresgid(USER_ID, USER_ID, USER_ID) ||
	    setresuid(USER_ID, USER_ID, USER_ID))
		abort();
	return !pfm_get_statistics(fd, &statistics);
}

static void let(int (*ask)(int fd), const char *name)
{
	int fd = pfm_open_device(), status;
	pid_t pid = fork();

	if (!pid)
		_exit(!ask(fd));
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_msg(status == 0, "unexpected result for %s", name);
	close(fd);
}

static void check_people(void)
{
	let(ask_as_user, "an ordinary user");
	write_text(SYSFS "sys_group", "12345");
	let(ask_as_user, "an ordinary user who is not in the group");
	let(ask_as_member, "a member of the group");
}

static void restore_group(void)
{
	write_text(SYSFS "sys_group", "-1");
}

/* A descriptor that root has opened does not give other users permission. */
TEST(only_the_privileged_and_the_group_may_ask_about_cpus)
{
	then_put_back(check_people, restore_group);
}
