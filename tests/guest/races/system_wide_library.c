// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests the library's functions pfm_cpus_*(). With them, one thread handles contexts on several
 * CPUs.
 */
#include <stdio.h>

#include "samples.h"
#include "system_wide.h"

SUITE(system_wide_library, 180);

#define CPUS 2

static struct pfm_cpu_context contexts[CPUS];

static void must_all(int result)
{
	char text[PFM_LAST_ERROR_SIZE];
	int i;

	for (i = 0; result == -1 && i < CPUS; i++)
		if (contexts[i].error)
			ck_abort_msg("CPU %d: %s", contexts[i].cpu,
				     pfm_last_error(contexts[i].fd, text, sizeof(text)));
	ck_assert_int_ge(result, 0);
}

/* Loads contexts that measure the time from their start to their stop. */
static int load_clocks(void)
{
	pfarg_pmd_t pmd = { .reg_num = PFM_PMD_TASK_CLOCK };

	return pfm_cpus_load(contexts, CPUS, NULL, NULL, 0, &pmd, 1);
}

static const pfarg_pmr_t registers[] = { { .reg_num = PFM_PMD_TASK_CLOCK } };

TEST(one_thread_measures_all_cpus)
{
	uint64_t values[CPUS], least, most;
	unsigned int i;

	need_cpus(CPUS);
	ck_assert_int_eq(pfm_cpus_parse(NULL, contexts, CPUS), CPUS);
	must_all(load_clocks());
	most = monotonic_time();
	must_all(pfm_cpus_start(contexts, CPUS));
	least = monotonic_time();
	ck_assert_int_eq(pfm_cpus_wait(contexts, CPUS, 50), 0);
	least = monotonic_time() - least;
	must_all(pfm_cpus_stop(contexts, CPUS));
	most = monotonic_time() - most;
	must_all(pfm_cpus_read(contexts, CPUS, registers, 1, values));
	for (i = 0; i < CPUS; i++) {
		ck_assert_uint_eq(status_of(contexts[i].fd).target, i);
		must_be_between(values[i], least - least / 100, most);
	}
	pfm_cpus_close(contexts, CPUS);
	for (i = 0; i < CPUS; i++)
		ck_assert_int_eq(contexts[i].fd, -1);
	ck_assert_uint_eq(read_number(SYSFS "sys_sessions_count"), 0);
}

/*
 * If the load fails on a CPU, pfm_get_error() with the descriptor of that CPU returns the reason.
 * The contexts of the other CPUs are loaded.
 */
TEST(a_load_that_fails_on_one_cpu_succeeds_on_the_others)
{
	int other = system_wide_context();
	struct pfm_error error;

	need_cpus(CPUS);
	load(other, 0);
	ck_assert_int_eq(pfm_cpus_parse("0,1", contexts, CPUS), CPUS);
	ck_assert_int_eq(load_clocks(), -1);
	ck_assert_int_eq(errno, EEXIST);
	ck_assert_int_eq(contexts[0].error, EEXIST);
	ck_assert_int_eq(contexts[1].error, 0);
	ck_assert_int_eq(pfm_get_error(contexts[0].fd, &error), 0);
	ck_assert_uint_eq(error.reason, PFM_REASON_CPU_TAKEN);
	ck_assert_uint_eq(status_of(contexts[1].fd).state, PFM_STATE_LOADED);
	pfm_cpus_close(contexts, CPUS);
	ck_assert_int_eq(pfm_cpus_parse("0,60000", contexts, CPUS), CPUS);
	close(other);
	ck_assert_int_eq(load_clocks(), -1);
	ck_assert_int_eq(contexts[0].error, 0);
	ck_assert_int_eq(contexts[1].error, EINVAL);
	pfm_cpus_close(contexts, CPUS);
}

static void check_offline(void)
{
	uint64_t values[CPUS], before;

	pin(0);
	ck_assert_int_eq(pfm_cpus_parse("0-1", contexts, CPUS), CPUS);
	must_all(load_clocks());
	must_all(pfm_cpus_start(contexts, CPUS));
	must_all(pfm_cpus_read(contexts, CPUS, registers, 1, values));
	before = values[0];
	cpu_online(1, false);
	ck_assert_int_eq(pfm_cpus_wait(contexts, CPUS, -1), 1);
	ck_assert_int_eq(contexts[0].has_message, 0);
	ck_assert_int_eq(contexts[1].has_message, 1);
	ck_assert_int_eq(contexts[1].message.type, PFM_MSG_END);
	ck_assert_int_eq(pfm_cpus_wait(contexts, CPUS, 0), 0);
	must_all(pfm_cpus_stop(contexts, CPUS));
	must_all(pfm_cpus_read(contexts, CPUS, registers, 1, values));
	ck_assert_uint_gt(values[0], before);
	ck_assert_uint_gt(values[1], 0);
	ck_assert_int_eq(pfm_cpus_start(contexts, CPUS), -1);
	ck_assert_int_eq(contexts[0].error, 0);
	ck_assert_int_eq(contexts[1].error, EINVAL);
	pfm_cpus_close(contexts, CPUS);
}

TEST(a_cpu_that_goes_offline_is_told_and_the_other_counts_on)
{
	need_cpus(CPUS);
	if (!path_exists("/sys/devices/system/cpu/cpu1/online"))
		skip("CPU 1 cannot be taken offline");
	with_all_cpus_back(check_offline);
}

/*
 * pfm_cpus_wait() returns when one of the CPUs has an overflow, and sets has_message in the context
 * of that CPU.
 */
TEST(a_wait_returns_the_overflow_of_a_cpu)
{
	struct child child;
	int i;

	need_cpus(CPUS);
	need_overflow_interrupts();
	ck_assert_int_eq(pfm_cpus_parse("0-1", contexts, CPUS), CPUS);
	for (i = 0; i < CPUS; i++)
		contexts[i].fd = -1;
	child = child_new();
	child_call(&child, child_pin, 1);
	contexts[1].fd = system_wide_context();
	sample_busily(contexts[1].fd, PERIOD);
	load(contexts[1].fd, 1);
	must_all(pfm_cpus_start(contexts, CPUS));
	loop_begin(&child);
	ck_assert_int_eq(pfm_cpus_wait(contexts, CPUS, -1), 1);
	ck_assert_int_eq(contexts[1].has_message, 1);
	ck_assert_int_eq(contexts[1].message.type, PFM_MSG_OVFL);
	ck_assert_uint_eq(contexts[1].message.pfm_ovfl_msg.msg_ovfl_cpu, 1);
	loop_end(&child);
	child_exit(&child);
	pfm_cpus_close(contexts, CPUS);
}
