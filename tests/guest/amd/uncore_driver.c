// SPDX-License-Identifier: GPL-2.0-only
/*
 * perf's driver amd_uncore would write to the counters of the caches and of the data fabric without
 * asking perfmon. These tests load a module with the name of this driver while perfmon_amd_uncore
 * is loaded.
 */
#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "measure.h"
#include "system_wide.h"
#include "uncore.h"

SUITE(uncore_driver, 120);

#define DRIVER "amd_uncore"

static void need_no_driver(void)
{
	if (path_exists(PERF_DF))
		skip("perf has a driver for the counters");
}

static void check_refused(void)
{
	int fd = df_context(0);

	must(fd, pfm_start(fd, NULL));
	ck_assert_int_eq(module_load(DRIVER, ""), EBUSY);
	access_memory(0, 5);
	ck_assert_uint_eq(read_pmd(fd, 0), 5);
	close(fd);
	/* perfmon releases the registers within a second. */
	wait_until(module_load(DRIVER, "") == 0);
	ck_assert_int_eq(module_unload(DRIVER), 0);
}

TEST(the_driver_cannot_be_loaded_while_a_context_has_the_registers)
{
	need_no_driver();
	with_uncore(check_refused);
}

/*
 * The module's folder in /sys/module appears after the module notifiers were called with
 * MODULE_STATE_COMING.
 */
static bool is_being_initialized(void)
{
	char state[16];

	return !try_read_text("/sys/module/" DRIVER "/initstate", state, sizeof(state)) &&
	       !strcmp(state, "coming\n");
}

static void check_arriving(void)
{
	int fd = system_wide_context_of("amd_df"), status;
	struct pfm_error error;
	pid_t child;

	use(fd, 0, DF_DRAM, 0);
	child = fork();
	ck_assert_int_ne(child, -1);
	if (!child)
		_exit(module_load(DRIVER, "init_waits=1"));
	wait_until(is_being_initialized());
	must_fail(fd, try_load(fd, 0), EBUSY, PFM_REASON_PMU_HELD, PFM_NO_INDEX);
	must(fd, pfm_get_error(fd, &error));
	ck_assert_str_eq(error.holder, DRIVER);
	ck_assert_int_eq(kill(child, SIGUSR1), 0); /* ends the wait and kills the child */
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert(WIFSIGNALED(status));
	ck_assert(module_is_loaded(DRIVER));
	/* This driver registers no PMU with perf, so the registers are available. */
	load(fd, 0);
	must(fd, pfm_start(fd, NULL));
	access_memory(0, 7);
	ck_assert_uint_eq(read_pmd(fd, 0), 7);
	close(fd);
	ck_assert_int_eq(module_unload(DRIVER), 0);
}

TEST(the_registers_are_held_while_the_driver_is_being_loaded)
{
	need_no_driver();
	with_uncore(check_arriving);
}
