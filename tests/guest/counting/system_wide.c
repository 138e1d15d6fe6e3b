// SPDX-License-Identifier: GPL-2.0-only
/* Tests what system-wide contexts count on their CPU, and which users may not load them. */
#include <grp.h>
#include <stdio.h>
#include <sys/wait.h>

#include "measure.h"
#include "system_wide.h"

SUITE(system_wide, 180);

#define GROUP_ID 12345

/* ---- counts ------------------------------------------------------------------------------- */

enum {
	PROGRAMS = 3,
	ROUNDS = 5
};

/* Lets the children work in turn. Each child executes a different number of instructions. */
static void let_all_work(const struct child *children)
{
	int round, i;

	for (round = 0; round < ROUNDS; round++)
		for (i = 0; i < PROGRAMS; i++)
			child_call(&children[i], work, (i + 1) * MILLION);
}

/*
 * Returns the number of instructions that thread @pid executes at user level while all programs
 * work.
 */
static uint64_t measure_one(const struct child *children, pid_t pid)
{
	int fd = context_of(0, instructions(AT_USER));
	uint64_t count;

	load(fd, pid);
	must(fd, pfm_start(fd, NULL));
	let_all_work(children);
	must(fd, pfm_stop(fd));
	count = read_pmd(fd, 0);
	close(fd);
	return count;
}

/*
 * The programs do the same work several times. Each time, the test monitors one thread: first
 * itself, then each of the programs. The reference value is the sum of these counts. It is valid
 * because each program executes the same number of instructions each time.
 */
TEST(a_cpu_counts_the_sum_of_its_programs)
{
	struct child children[PROGRAMS];
	uint64_t sum, count, all;
	int fd, i;

	need_known_instructions();
	pin(0);
	for (i = 0; i < PROGRAMS; i++)
		children[i] = child_new();
	let_all_work(children);
	sum = measure_one(children, thread_id());
	for (i = 0; i < PROGRAMS; i++)
		sum += measure_one(children, children[i].pid);

	fd = system_wide_context();
	use(fd, 0, instructions(AT_USER), 0);
	use(fd, 1, instructions(AT_BOTH), 0);
	load(fd, 0);
	must(fd, pfm_start(fd, NULL));
	let_all_work(children);
	must(fd, pfm_stop(fd));
	count = read_pmd(fd, 0);
	all = read_pmd(fd, 1);
	printf("         sum of programs %ju, system-wide %ju, including the kernel %ju\n",
	       (uintmax_t)sum, (uintmax_t)count, (uintmax_t)all);
	must_be_near(count, sum, sum / 1000);
	ck_assert_uint_gt(all, count);
	ck_assert_uint_ge(count, ROUNDS * (1 + 2 + 3) * MILLION);
	for (i = 0; i < PROGRAMS; i++)
		child_exit(&children[i]);
	close(fd);
}

/*
 * The clocks of a system-wide context run while its CPU is idle, unlike those of a
 * context on a thread.
 */
TEST(the_clocks_of_a_cpu_run_while_it_is_idle)
{
	int fd = system_wide_context();
	uint64_t least, most;

	write_pmd(fd, PFM_PMD_TASK_CLOCK, 0);
	write_pmd(fd, PFM_PMD_MONOTONIC_TIME, 0);
	write_pmd(fd, PFM_PMD_CPU, 0);
	load(fd, cpus_online() - 1);
	most = monotonic_time();
	must(fd, pfm_start(fd, NULL));
	least = monotonic_time();
	usleep(300000);
	least = monotonic_time() - least;
	must(fd, pfm_stop(fd));
	most = monotonic_time() - most;
	must_be_between(read_pmd(fd, PFM_PMD_TASK_CLOCK), least - least / 100, most);
	must_be_between(read_pmd(fd, PFM_PMD_MONOTONIC_TIME), least - least / 100, most);
	ck_assert_uint_eq(read_pmd(fd, PFM_PMD_CPU), cpus_online() - 1);
	close(fd);
}

/* ---- one context per CPU ------------------------------------------------------------------ */

TEST(a_cpu_has_one_context)
{
	int first = system_wide_context(), second = system_wide_context();
	struct pfm_error error;

	load(first, 0);
	must_fail(second, try_load(second, 0), EEXIST, PFM_REASON_CPU_TAKEN, NO_INDEX);
	must(second, pfm_get_error(second, &error));
	ck_assert_uint_eq(error.value, getpid());
	must_fail(first, try_load(first, 0), EBUSY, PFM_REASON_LOADED, NO_INDEX);
	must(first, pfm_unload_context(first));
	load(second, 0);
	close(second);
	load(first, 0);
	close(first);
}

TEST(the_sessions_on_cpus_are_counted)
{
	int fd = system_wide_context();

	ck_assert_uint_eq(read_number(SYSFS "sys_sessions_count"), 0);
	load(fd, 0);
	ck_assert_uint_eq(read_number(SYSFS "sys_sessions_count"), 1);
	ck_assert_uint_eq(read_number(SYSFS "task_sessions_count"), 0);
	close(fd);
	ck_assert_uint_eq(read_number(SYSFS "sys_sessions_count"), 0);
}

TEST(load_on_no_cpu_is_einval)
{
	static const uint32_t numbers[] = { 1 << 16, 0x7fffffff, 0x80000000, 0xffffffff };
	int fd = system_wide_context();
	size_t i;

	for (i = 0; i < COUNT(numbers); i++)
		must_fail(fd, try_load(fd, numbers[i]), EINVAL, PFM_REASON_NO_CPU,
			  NO_INDEX);
	load(fd, 0);
	close(fd);
}

TEST(start_and_stop_without_a_load_are_einval)
{
	int fd = system_wide_context();

	must_fail(fd, pfm_start(fd, NULL), EINVAL, PFM_REASON_UNLOADED, NO_INDEX);
	must_fail(fd, pfm_stop(fd), EINVAL, PFM_REASON_UNLOADED, NO_INDEX);
	must(fd, pfm_unload_context(fd));
	close(fd);
}

/* ---- registers of threads ----------------------------------------------------------------- */

TEST(registers_of_threads_are_refused)
{
	static const unsigned int numbers[] = { PFM_PMD_CONTEXT_SWITCHES,
						PFM_PMD_CPU_MIGRATIONS,
						PFM_PMD_MINOR_FAULTS,
						PFM_PMD_MAJOR_FAULTS };
	int fd = system_wide_context();
	size_t i;

	for (i = 0; i < COUNT(numbers); i++) {
		pfarg_pmd_t pmd = { .reg_num = numbers[i] };

		must_fail(fd, pfm_write_pmds(fd, &pmd, 1), EINVAL, PFM_REASON_OF_THREAD,
			  0);
		pmd = (pfarg_pmd_t){ .reg_num = pmu()->pmds[0] };
		pmd.reg_smpl_pmds[numbers[i] / 64] = BIT(numbers[i] % 64);
		must_fail(fd, pfm_write_pmds(fd, &pmd, 1), EINVAL, PFM_REASON_SMPL_PMDS,
			  0);
	}
	close(fd);
}

static void check_soft(void)
{
	static const uint64_t of_threads[] = { PFM_SOFT_CONTEXT_SWITCHES,
					       PFM_SOFT_CPU_MIGRATIONS,
					       PFM_SOFT_MINOR_FAULTS,
					       PFM_SOFT_MAJOR_FAULTS };
	int fd = system_wide_context();
	uint64_t least, most;
	size_t i;

	for (i = 0; i < COUNT(of_threads); i++) {
		pfarg_pmc_t pmc = { .reg_value = of_threads[i] };

		must_fail(fd, pfm_write_pmcs(fd, &pmc, 1), EINVAL, PFM_REASON_OF_THREAD,
			  0);
	}
	use(fd, 0, PFM_SOFT_TASK_CLOCK, 0);
	load(fd, 0);
	most = monotonic_time();
	must(fd, pfm_start(fd, NULL));
	least = monotonic_time();
	usleep(100000);
	least = monotonic_time() - least;
	must(fd, pfm_stop(fd));
	most = monotonic_time() - most;
	must_be_between(read_pmd(fd, 0), least - least / 100, most);
	close(fd);
}

TEST(the_software_pmu_counts_time_on_a_cpu)
{
	with_pmu("perfmon_soft", "", check_soft);
}

/* ---- beside contexts on threads ------------------------------------------------------------ */

/*
 * A system-wide context counts the CPU's clock with the software PMU, while a context on a thread
 * counts with the hardware.
 */
static void check_both(void)
{
	int fd = context_of(0, instructions(AT_USER)), cpu;
	uint64_t before, alone, beside, clock;

	pin(0);
	load(fd, thread_id());
	cpu = system_wide_context_of("soft");
	use(cpu, 0, PFM_SOFT_TASK_CLOCK, 0);
	count_loop(fd, 0, 10 * MILLION);
	alone = count_loop(fd, 0, 10 * MILLION);
	load(cpu, 0);
	before = monotonic_time();
	must(cpu, pfm_start(cpu, NULL));
	beside = count_loop(fd, 0, 10 * MILLION);
	clock = read_pmd(cpu, 0);
	before = monotonic_time() - before;
	close(cpu);
	close(fd);
	printf("         %ju instructions alone, %ju beside a context on the CPU\n",
	       (uintmax_t)alone, (uintmax_t)beside);
	ck_assert_uint_eq(beside, alone);
	must_be_between(clock, 1, before);
}

static void unload_soft(void)
{
	if (strcmp(best_pmu_module(), "perfmon_soft"))
		module_unload("perfmon_soft");
}

TEST(different_pmus_work_for_a_thread_and_its_cpu)
{
	need_known_instructions();
	then_put_back(check_both, unload_soft);
}

/* Values that one context left in the registers must not be counted for the other context. */
TEST(threads_and_cpus_take_turns_with_a_pmu)
{
	int thread, cpu, round;

	need_known_instructions();
	pin(0);
	thread = context_of(0, instructions(AT_USER));
	cpu = system_wide_context();
	use(cpu, 0, instructions(AT_USER), 0);
	for (round = 1; round <= 5; round++) {
		load(thread, thread_id());
		count_loop(thread, 0, MILLION);
		must(thread, pfm_unload_context(thread));
		load(cpu, 0);
		count_loop(cpu, 0, 2 * MILLION);
		must(cpu, pfm_unload_context(cpu));
		must_be_near(read_pmd(thread, 0), round * MILLION, round * MILLION / 100);
		ck_assert_uint_ge(read_pmd(cpu, 0), round * 2 * MILLION);
	}
	close(thread);
	close(cpu);
}

/* ---- permissions --------------------------------------------------------------------------- */

/*
 * The following functions are called in a child, which cannot assert anything. So they return
 * whether the calls had the expected results.
 */

static bool is_refused(int fd, int result)
{
	struct pfm_error error;

	return result == -1 && errno == EPERM && !pfm_get_error(fd, &error) &&
	       error.reason == PFM_REASON_SYS_GROUP;
}

static uint64_t try_as_user(uint64_t fd)
{
	become(USER_ID);
	return is_refused(fd, try_system_wide(fd, NULL));
}

/* A descriptor that root has opened does not let an ordinary user monitor a CPU. */
static uint64_t try_to_load(uint64_t fd)
{
	become(USER_ID);
	return is_refused(fd, try_load(fd, 0));
}

static uint64_t try_as_holder(uint64_t fd)
{
	become_with_capability(USER_ID, CAP_PERFMON);
	return !try_system_wide(fd, NULL) && !try_load(fd, 0) && !pfm_start(fd, NULL);
}

/*
 * A member of the group sys_group may monitor CPUs, but perf_event_paranoid still restricts the
 * context to user level.
 */
static uint64_t try_as_member(uint64_t fd)
{
	const gid_t group = GROUP_ID;
	struct pfm_status status;

	if (setgroups(1, &group) || setresgid(USER_ID, USER_ID, USER_ID) ||
	    setresuid(USER_ID, USER_ID, USER_ID))
		abort();
	return !try_system_wide(fd, NULL) && !try_load(fd, 0) && !pfm_start(fd, NULL) &&
	       !pfm_get_status(fd, &status) && status.flags & PFM_STATUS_USER_LEVEL;
}

#define let(function, fd) let_child(function, #function, fd)

static void let_child(child_function function, const char *name, int fd)
{
	const pid_t pid = fork();
	int status;

	if (!pid)
		_exit(!function(fd));
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_msg(status == 0, "%s fails", name);
	close(fd);
}

static char paranoid_before[16];

static void restore_settings(void)
{
	write_text(SYSFS "sys_group", "-1");
	write_text(PARANOID, paranoid_before);
}

static void check_people(void)
{
	write_text(PARANOID, "2");
	let(try_as_user, pfm_open_device());
	let(try_to_load, system_wide_context());
	let(try_as_holder, pfm_open_device());
	write_text(SYSFS "sys_group", "12345");
	let(try_as_user, pfm_open_device());
	let(try_as_member, pfm_open_device());
}

TEST(only_the_privileged_and_the_group_may_monitor_cpus)
{
	strncpy(paranoid_before, read_text(PARANOID), sizeof(paranoid_before) - 1);
	then_put_back(check_people, restore_settings);
}
