// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests PMUs with registers that several CPUs share. The tests use PMU "fake" (tests/modules). In
 * all tests except one, two CPUs share the registers of this PMU. When the registers need a new
 * owner, the PMU module chooses the online CPU with the higher number. This CPU stays the owner
 * until it goes offline.
 */
#include <grp.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/wait.h>

#include "measure.h"
#include "perfmon_fake.h"
#include "system_wide.h"

SUITE(shared_pmu, 120);

#define NO_INDEX PFM_NO_INDEX
#define PMU	 SYSFS "pmus/fake/"
#define GROUP_ID 12345

static void with_fake(void (*check)(void))
{
	need_cpus(2);
	with_parameters("perfmon_fake", "scope=2", check);
}

static void with_fake_of_each_cpu(void (*check)(void))
{
	need_cpus(2);
	with_parameters("perfmon_fake", "scope=1", check);
}

/* Creates a context that uses the fake counter, which counts ticks of a timer. */
static int fake_context(void)
{
	int fd = system_wide_context_of("fake");

	use(fd, 0, 1, 0);
	return fd;
}

static uint32_t cpu_of(int fd)
{
	return status_of(fd).target;
}

static void must_count(int fd)
{
	const uint64_t before = read_pmd(fd, 0);

	must(fd, pfm_start(fd, NULL));
	wait_until(read_pmd(fd, 0) > before + 10);
	must(fd, pfm_stop(fd));
}

/* ---- who may use such a PMU --------------------------------------------------------------- */

static void check_thread(void)
{
	struct pfm_create create = { .pmu_name = (uintptr_t) "fake" };
	int fd = pfm_open_device();

	must_fail(fd, ioctl(fd, PFM_IOC_CREATE_CONTEXT, &create), EINVAL,
		  PFM_REASON_SHARED_PMU, NO_INDEX);
	/* After the failed create, the descriptor can be used for another create. */
	must(fd, try_system_wide(fd, "fake"));
	close(fd);
}

TEST(only_system_wide_contexts_can_use_it)
{
	with_fake(check_thread);
}

/*
 * Returns true if the kernel refuses a context to a member of group GROUP_ID. Must be called in a
 * child, because it changes the user of the calling process.
 */
static bool is_refused_to_member(void)
{
	const gid_t group = GROUP_ID;
	int fd = pfm_open_device();
	struct pfm_error error;

	if (setgroups(1, &group) || setresgid(USER_ID, USER_ID, USER_ID) ||
	    setresuid(USER_ID, USER_ID, USER_ID))
		abort();
	return try_system_wide(fd, "fake") == -1 && errno == EPERM &&
	       !pfm_get_error(fd, &error) && error.reason == PFM_REASON_NO_LEVELS;
}

static char paranoid_before[16];

static void restore_settings(void)
{
	write_text(SYSFS "sys_group", "-1");
	write_text(PARANOID, paranoid_before);
}

static void check_member(void)
{
	pid_t pid;
	int status;

	write_text(PARANOID, "2");
	write_text(SYSFS "sys_group", "12345");
	pid = fork();
	if (!pid)
		_exit(!is_refused_to_member());
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
}

static void check_levels(void)
{
	strncpy(paranoid_before, read_text(PARANOID), sizeof(paranoid_before) - 1);
	then_put_back(check_member, restore_settings);
}

TEST(who_may_count_at_user_level_only_is_refused)
{
	with_fake(check_levels);
}

static void check_default(void)
{
	struct pfm_info info;
	int fd = pfm_open_device();

	must(fd, pfm_get_info(fd, &info));
	ck_assert_str_ne(info.pmu_name, "fake");
	close(fd);
}

TEST(it_is_not_the_default)
{
	with_fake(check_default);
}

/* ---- one context for the CPUs that share registers ------------------------------------------ */

static void check_owner(void)
{
	int first = fake_context(), second = fake_context();
	struct pfm_error error;

	load(first, 0);
	ck_assert_uint_eq(cpu_of(first), 1);
	must_fail(second, try_load(second, 0), EEXIST, PFM_REASON_CPU_TAKEN, NO_INDEX);
	must_fail(second, try_load(second, 1), EEXIST, PFM_REASON_CPU_TAKEN, NO_INDEX);
	must(second, pfm_get_error(second, &error));
	ck_assert_uint_eq(error.value, getpid());
	must_count(first);
	must(first, pfm_unload_context(first));
	load(second, 1);
	ck_assert_uint_eq(cpu_of(second), 1);
	must_count(second);
	close(second);
	close(first);
}

TEST(cpus_that_share_registers_have_one_context)
{
	with_fake(check_owner);
}

static void check_two_owners(void)
{
	int first = fake_context(), second = fake_context();

	load(first, 0);
	load(second, 1);
	ck_assert_uint_eq(cpu_of(first), 0);
	ck_assert_uint_eq(cpu_of(second), 1);
	must_count(first);
	must_count(second);
	close(first);
	close(second);
}

TEST(each_owner_has_a_context)
{
	with_fake_of_each_cpu(check_two_owners);
}

static void check_others(void)
{
	int fake = fake_context(), soft = system_wide_context_of("soft");

	use(soft, 0, PFM_SOFT_TASK_CLOCK, 0);
	load(soft, 1);
	load(fake, 1);
	must_count(fake);
	must(soft, pfm_start(soft, NULL));
	must_count(fake);
	wait_until(read_pmd(soft, 0) > 0);
	ck_assert_uint_eq(read_number(SYSFS "sys_sessions_count"), 2);
	close(fake);
	must(soft, pfm_stop(soft));
	close(soft);
	ck_assert_uint_eq(read_number(SYSFS "sys_sessions_count"), 0);
}

static void unload_soft(void)
{
	if (strcmp(best_pmu_module(), "perfmon_soft"))
		module_unload("perfmon_soft");
}

static void check_beside_others(void)
{
	then_put_back(check_others, unload_soft);
}

TEST(the_owner_may_have_another_pmus_context_too)
{
	with_fake(check_beside_others);
}

static void check_files(void)
{
	ck_assert_str_eq(read_text(PMU "scope"), "group\n");
	ck_assert_int_eq(strncmp(read_text(PMU "owner_cpus"), "1", 1), 0);
	if (cpus_online() == 2)
		ck_assert_str_eq(read_text(PMU "owner_cpus"), "1\n");
}

TEST(sysfs_names_scope_and_owners)
{
	with_fake(check_files);
}

static void check_per_cpu(void)
{
	char path[96], all[16];

	snprintf(path, sizeof(path), SYSFS "pmus/%s/scope", pmu()->info.pmu_name);
	ck_assert_str_eq(read_text(path), "cpu\n");
	snprintf(path, sizeof(path), SYSFS "pmus/%s/owner_cpus", pmu()->info.pmu_name);
	snprintf(all, sizeof(all), "0-%u\n", cpus_online() - 1);
	ck_assert_str_eq(read_text(path), all);
}

TEST(other_pmus_have_scope_cpu)
{
	need_cpus(2);
	check_per_cpu();
}

/* ---- timers and overflows ------------------------------------------------------------------- */

static void check_switches(void)
{
	int fd = system_wide_context_of("fake");
	pfarg_setdesc_t sets[2] = {
		{ .set_id = 0,
		  .set_flags = PFM_SETFL_TIME_SWITCH,
		  .set_timeout = 1000000 },
		{ .set_id = 1,
		  .set_flags = PFM_SETFL_TIME_SWITCH,
		  .set_timeout = 1000000 },
	};
	pfarg_pmd_t runs[2] = { { .reg_num = PFM_PMD_SET_RUNS },
				{ .reg_num = PFM_PMD_SET_RUNS, .reg_set = 1 } };

	must(fd, pfm_create_evtsets(fd, sets, 2));
	must(fd, pfm_write_pmds(fd, runs, 2));
	load(fd, 0);
	must(fd, pfm_start(fd, NULL));
	do {
		must(fd, pfm_read_pmds(fd, runs, 2));
	} while (runs[0].reg_value < 10 || runs[1].reg_value < 10);
	close(fd);
}

TEST(sets_are_switched_by_time)
{
	with_fake(check_switches);
}

static void check_overflow(void)
{
	int fd = system_wide_context_of("fake");
	pfarg_pmd_t pmd = { .reg_value = -5ull,
			    .reg_long_reset = -5ull,
			    .reg_flags = PFM_REGFL_OVFL_NOTIFY };
	pfarg_msg_t message;
	int i;

	write_pmc(fd, 0, 1);
	must(fd, pfm_write_pmds(fd, &pmd, 1));
	load(fd, 0);
	must(fd, pfm_start(fd, NULL));
	for (i = 0; i < 3; i++) {
		ck_assert_int_eq(read(fd, &message, sizeof(message)), sizeof(message));
		ck_assert_uint_eq(message.type, PFM_MSG_OVFL);
		ck_assert_uint_eq(message.pfm_ovfl_msg.msg_ovfl_cpu, 1);
		must(fd, pfm_restart(fd));
	}
	close(fd);
}

TEST(overflows_are_told)
{
	with_fake(check_overflow);
}

/* ---- the owner goes offline ------------------------------------------------------------------ */

static void check_offline(void)
{
	int fd = fake_context();
	uint64_t count;

	load(fd, 0);
	must_count(fd);
	must(fd, pfm_start(fd, NULL));
	cpu_online(1, false);
	must_end(fd);
	count = read_pmd(fd, 0);
	ck_assert_uint_gt(count, 10);
	ck_assert_uint_eq(read_pmd(fd, 0), count);
	must_fail(fd, try_load(fd, 1), ENODEV, PFM_REASON_CPU_OFFLINE, NO_INDEX);

	/* CPU 0 is the owner now, and stays the owner when CPU 1 is online again. */
	load(fd, 0);
	ck_assert_uint_eq(cpu_of(fd), 0);
	must_count(fd);
	ck_assert_uint_gt(read_pmd(fd, 0), count + 10);
	cpu_online(1, true);
	must_count(fd);
	must(fd, pfm_unload_context(fd));
	load(fd, 1);
	ck_assert_uint_eq(cpu_of(fd), 0);
	must_count(fd);
	close(fd);
}

static void check_hotplug(void)
{
	with_all_cpus_back(check_offline);
}

TEST(when_the_owner_goes_offline_the_context_ends_and_another_cpu_owns)
{
	if (!path_exists("/sys/devices/system/cpu/cpu1/online"))
		skip("CPU 1 cannot be taken offline");
	with_fake(check_hotplug);
}
