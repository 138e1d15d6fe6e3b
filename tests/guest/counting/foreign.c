// SPDX-License-Identifier: GPL-2.0-only
/*
 * big.LITTLE: a thread migrates to a CPU with another PMU. All CPUs of the guest have the same PMU,
 * but a parameter restricts perfmon_armv8 to some of the CPUs. For the core, the excluded CPUs are
 * like CPUs with another PMU.
 */
#include <stdio.h>

#include "measure.h"

SUITE(foreign, 60);

#define MILLION 1000000ull

static void must_be_foreign(int fd, uint64_t least_runs, bool is)
{
	struct pfm_status status = status_of(fd);

	ck_assert_msg(!(status.flags & PFM_STATUS_FOREIGN_CPU) == !is,
		      "flags 0x%x after %ju foreign runs", status.flags,
		      (uintmax_t)status.foreign_runs);
	ck_assert_msg(is ? status.foreign_runs >= least_runs : status.foreign_runs == 0,
		      "%ju foreign runs, expected %ju", (uintmax_t)status.foreign_runs,
		      (uintmax_t)least_runs);
	ck_assert(status.flags & PFM_STATUS_STARTED);
}

static void check_other_thread(void)
{
	struct child child = child_new();
	uint64_t runs, foreign, count, clock, worked;
	int fd = context_of(0, CPU_CYCLES), i;

	write_pmd(fd, PFM_PMD_TASK_CLOCK, 0);
	child_call(&child, child_pin, 0);
	load(fd, child.pid);
	must(fd, pfm_start(fd, NULL));
	child_call(&child, work, MILLION);
	must_be_foreign(fd, 0, false);

	for (i = 1; i <= 3; i++) {
		child_call(&child, child_pin, 1);
		runs = status_of(fd).foreign_runs;
		foreign = statistic_of(1, "foreign_cpu_count");
		count = read_pmd(fd, 0);
		clock = read_pmd(fd, PFM_PMD_TASK_CLOCK);
		worked = child_call(&child, work, 500 * MILLION);
		must_be_foreign(fd, i, true);
		/* CPU 1 is foreign, so each wakeup of the thread there increments foreign_runs. */
		ck_assert_uint_gt(status_of(fd).foreign_runs, runs);
		ck_assert_uint_gt(statistic_of(1, "foreign_cpu_count"), foreign);
		ck_assert_uint_eq(read_pmd(fd, 0), count);
		clock = read_pmd(fd, PFM_PMD_TASK_CLOCK) - clock;
		ck_assert_msg(clock + HOST_PAUSE >= worked - worked / 20,
			      "the task clock is %ju ns, but the thread worked %ju ns",
			      (uintmax_t)clock, (uintmax_t)worked);

		child_call(&child, child_pin, 0);
		runs = status_of(fd).foreign_runs;
		clock = cpu_time_of(child.pid);
		count = read_pmd(fd, 0);
		worked = child_call(&child, work, 500 * MILLION);
		count = read_pmd(fd, 0) - count;
		clock = cpu_time_of(child.pid) - clock;
		must_be_cpu_time("cycles", count, worked, clock);
		ck_assert_uint_eq(status_of(fd).foreign_runs, runs);
	}
	ck_assert_uint_eq(statistic_of(0, "foreign_cpu_count"), 0);

	/* The next load sets foreign_runs to 0. */
	must(fd, pfm_unload_context(fd));
	load(fd, child.pid);
	must(fd, pfm_start(fd, NULL));
	must_be_foreign(fd, 0, false);
	child_exit(&child);
	close(fd);
}

TEST(a_thread_on_another_pmus_cpu_counts_nothing)
{
	need_armv8();
	need_cpus(2);
	with_pmu("perfmon_armv8", "cpus=0", check_other_thread);
}

/*
 * On a CPU with another PMU, start, stop, writes and reads succeed, but the counters do not count.
 */
static void check_own_thread(void)
{
	int fd = context_of(3, CPU_CYCLES);
	uint64_t count;

	write_pmd(fd, PFM_PMD_MINOR_FAULTS, 0);
	pin(1);
	load(fd, thread_id());
	ck_assert_uint_eq(count_loop(fd, 3, MILLION), 0);
	must(fd, pfm_start(fd, NULL));
	write_pmd(fd, 3, 12345);
	loop(MILLION);
	ck_assert_uint_eq(read_pmd(fd, 3), 12345);
	touch_pages(10);
	must_be_foreign(fd, 2, true);
	ck_assert_uint_ge(read_pmd(fd, PFM_PMD_MINOR_FAULTS), 10);

	pin(0); /* now the counter begins to count from 12345 */
	loop(20 * MILLION);
	count = read_pmd(fd, 3);
	ck_assert_uint_gt(count, 12345 + MILLION);
	pin(1);
	count = read_pmd(fd, 3);
	loop(MILLION);
	ck_assert_uint_eq(read_pmd(fd, 3), count);
	must(fd, pfm_stop(fd));
	ck_assert_uint_eq(read_pmd(fd, 3), count);
	close(fd);
}

TEST(calls_on_another_pmus_cpu_succeed_and_count_nothing)
{
	need_armv8();
	need_cpus(2);
	with_pmu("perfmon_armv8", "cpus=0", check_own_thread);
}

static void work_on(int cpu)
{
	pin(cpu);
	loop(MILLION);
}

static uint64_t fork_to(uint64_t cpu)
{
	must_exit_well(fork_child(work_on, cpu));
	return 0;
}

/* Only a child of the monitored thread runs on the CPU with another PMU. */
static void check_child(void)
{
	pfarg_ctx_t ctx = { .ctx_flags = PFM_FL_INHERIT_ALL };
	int fd = pfm_create_context(&ctx, NULL, NULL, 0);
	struct child child = child_new();

	use(fd, 0, CPU_CYCLES, 0);
	child_call(&child, child_pin, 0);
	load(fd, child.pid);
	must(fd, pfm_start(fd, NULL));
	child_call(&child, work, MILLION);
	must_be_foreign(fd, 0, false);
	child_call(&child, fork_to, 1);
	must_be_foreign(fd, 1, true);
	must(fd, pfm_stop(fd));
	ck_assert_uint_eq(status_of(fd).flags, PFM_STATUS_FOREIGN_CPU);
	child_exit(&child);
	close(fd);
}

TEST(a_child_on_another_pmus_cpu_is_reported)
{
	need_armv8();
	need_cpus(2);
	with_pmu("perfmon_armv8", "cpus=0", check_child);
}

/* A context that uses only virtual PMDs counts on all CPUs, even on a foreign CPU. */
static void check_virtual_only(void)
{
	int fd = make_context();
	uint64_t least, most;

	write_pmd(fd, PFM_PMD_TASK_CLOCK, 0);
	pin(1);
	load(fd, thread_id());
	most = cpu_time();
	must(fd, pfm_start(fd, NULL));
	least = work(500 * MILLION);
	must(fd, pfm_stop(fd));
	most = cpu_time() - most;
	must_be_cpu_time("task clock", read_pmd(fd, PFM_PMD_TASK_CLOCK), least, most);
	ck_assert_uint_eq(status_of(fd).foreign_runs, 0);
	close(fd);
}

TEST(virtual_pmds_count_on_every_cpu)
{
	need_armv8();
	need_cpus(2);
	with_pmu("perfmon_armv8", "cpus=0", check_virtual_only);
}

/* On a CPU that perfmon_armv8 does not use, all counters belong to perf. */
static void check_perf_elsewhere(void)
{
	int fd = context_using((BIT(EVENT_COUNTERS) - 1) | BIT(PFM_ARMV8_CYCLE_COUNTER));
	int here, there;

	load(fd, thread_id());
	here = perf_open(CPU_CYCLES, false, -1, 0, -1);
	there = perf_open(CPU_CYCLES, false, -1, 1, -1);
	ck_assert(here != -1 && there != -1);
	perf_enable(here);
	perf_enable(there);
	usleep(20000);
	ck_assert_uint_eq(perf_read(here).running, 0);
	ck_assert_uint_gt(perf_read(there).running, 0);
	close(here);
	close(there);
	close(fd);
}

TEST(perf_keeps_the_counters_of_other_cpus)
{
	need_armv8();
	need_cpus(2);
	with_pmu("perfmon_armv8", "cpus=0 leave_to_perf=0", check_perf_elsewhere);
}

/*
 * Sets whether perf's driver supports CPU 1. With ACPI, the driver does not support a CPU that was
 * never online.
 */
static void perf_knows_cpu_1(const char *whether)
{
	write_text("/sys/module/arm_perf/parameters/knows_cpu_1", whether);
}

static void check_late_cpu(void)
{
	struct child child = child_new();
	int early, late;

	/*
	 * One context has a counter before the CPU comes online. Another context claims a counter
	 * afterwards.
	 */
	early = context_of(0, CPU_CYCLES);
	load(early, child.pid);
	must(early, pfm_start(early, NULL));
	perf_knows_cpu_1("1");
	cpu_online(1, true);
	child_call(&child, child_pin, 1);
	child_call(&child, work, 100 * MILLION);
	must_be_foreign(early, 0, false);
	ck_assert_uint_gt(read_pmd(early, 0), MILLION);
	close(early);
	late = context_of(1, CPU_CYCLES);
	load(late, child.pid);
	must(late, pfm_start(late, NULL));
	child_call(&child, work, 100 * MILLION);
	must_be_foreign(late, 0, false);
	ck_assert_uint_gt(read_pmd(late, 1), MILLION);
	child_exit(&child);
	close(late);
}

static void load_without_cpu_1(void)
{
	cpu_online(1, false);
	perf_knows_cpu_1("0");
	with_pmu("perfmon_armv8", "", check_late_cpu);
}

static void bring_cpu_1_back(void)
{
	perf_knows_cpu_1("1");
	all_cpus_back();
}

static void check_late_cpus(void)
{
	then_put_back(load_without_cpu_1, bring_cpu_1_back);
}

TEST(a_cpu_that_comes_up_later_is_one_of_ours)
{
	need_armv8();
	need_cpus(2);
	with_module("arm_perf", check_late_cpus);
}

/*
 * While no counter is claimed, perf's driver begins to support CPU 1. From the next claim on, the
 * module uses CPU 1, too.
 */
static void check_supported_later(void)
{
	int fd;

	perf_knows_cpu_1("1");
	fd = context_of(0, CPU_CYCLES);
	pin(1);
	load(fd, thread_id());
	must(fd, pfm_start(fd, NULL));
	loop(MILLION);
	must_be_foreign(fd, 0, false);
	ck_assert_uint_gt(read_pmd(fd, 0), 0);
	close(fd);
}

static void load_before_perf_knows(void)
{
	perf_knows_cpu_1("0");
	with_pmu("perfmon_armv8", "", check_supported_later);
}

static void check_cpu_without_driver(void)
{
	then_put_back(load_before_perf_knows, bring_cpu_1_back);
}

TEST(a_cpu_that_perf_supports_later_is_one_of_ours)
{
	need_armv8();
	need_cpus(2);
	with_module("arm_perf", check_cpu_without_driver);
}

/* The module refuses an empty list of CPUs, and a text that is not a list of CPUs. */
static void check_no_cpu(void)
{
	ck_assert_int_eq(module_load("perfmon_armv8", "cpus="), ENODEV);
	ck_assert_int_eq(module_load("perfmon_armv8", "cpus=first"), EINVAL);
}

TEST(a_pmu_without_cpus_is_refused)
{
	need_armv8();
	with_pmu("perfmon_soft", "", check_no_cpu);
}
