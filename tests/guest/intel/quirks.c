// SPDX-License-Identifier: GPL-2.0-only
/*
 * Intel: tests how the module handles errata. The emulated processors do not have these errata, but
 * they have the model numbers of processors with the errata. The tests check what the module
 * refuses, and which registers it writes.
 */
#include <errno.h>
#include <stdio.h>
#include <perfmon/perfmon_intel.h>

#include "measure.h"
#include "samples.h"
#include "x86_registers.h"

SUITE(quirks, 120);

#define CORE2	       15
#define NEHALEM	       26
#define SANDY_BRIDGE   42

#define RESET_COUNTERS 4

static unsigned int model(void)
{
	const char *line = strstr(read_text("/proc/cpuinfo"), "model\t\t: ");
	unsigned int number;

	ck_assert_ptr_nonnull(line);
	ck_assert_int_eq(sscanf(line, "model\t\t: %u", &number), 1);
	return number;
}

static void need_model(unsigned int wanted)
{
	if (!pmu_is("intel") || model() != wanted)
		skip("another model");
}

static void must_refuse_precise(const char *reason)
{
	const char *text = read_text("/sys/module/perfmon_intel/parameters/pebs");

	ck_assert_msg(strstr(text, reason), "%s", text);
	ck_assert_uint_eq(pmu()->info.implemented_pmcs[0] & BIT(PFM_INTEL_PEBS), 0);
}

TEST(core_2_has_no_precise_sampling)
{
	need_model(CORE2);
	must_refuse_precise("no: errata");
}

/* The emulator's microcode has revision 1. */
TEST(sandy_bridge_needs_microcode_for_precise_sampling)
{
	need_model(SANDY_BRIDGE);
	must_refuse_precise("no: this processor's microcode is too old");
}

static void must_be_exclusive(void)
{
	ck_assert_str_eq(read_text("/sys/module/perfmon_intel/parameters/ownership_now"),
			 "exclusive\n");
}

/*
 * Because of an erratum, the general counters must be reset before an event select is written. perf
 * does not reset counters that it lends to perfmon, so the module refuses shared ownership.
 */
TEST(nehalem_is_exclusive_only)
{
	int event, error;

	need_model(NEHALEM);
	wait_until((event = perf_open(0xc0, true, 0, -1, -1)) != -1);
	with_pmu("perfmon_intel", "ownership=auto", must_be_exclusive);
	close(event);
	ck_assert_int_eq(module_unload("perfmon_intel"), 0);
	error = module_load("perfmon_intel", "ownership=shared");
	ck_assert_int_eq(module_load("perfmon_intel", ""), 0);
	ck_assert_int_eq(error, EINVAL);
}

/* Returns the number of writes to event selects during one run of the loop. */
static uint64_t selects_written(int fd, uint64_t *count)
{
	const uint64_t before = read_pmd(fd, 1);

	accesses_reset();
	must(fd, pfm_start(fd, NULL));
	loop(10000);
	must(fd, pfm_stop(fd));
	*count = read_pmd(fd, 1) - before;
	return accesses(ACCESS_SELECT);
}

/*
 * When the event of counter 0 changes, the module resets the counters: it writes each of the four
 * event selects twice. After the reset, the module writes the event selects of the two counters in
 * use. Counter 1 continues from its value.
 */
static void check_resets(void)
{
	int fd = context_of(0, instructions(AT_USER));
	uint64_t first, second, third;

	use(fd, 1, instructions(AT_USER), 0);
	load(fd, thread_id());
	selects_written(fd, &first);
	ck_assert_uint_eq(selects_written(fd, &second), 0);
	write_pmc(fd, 0, cycles(AT_USER));
	ck_assert_uint_eq(selects_written(fd, &third), 2 * RESET_COUNTERS + 2);
	ck_assert_uint_eq(second, first);
	ck_assert_uint_eq(third, first);
	close(fd);
}

TEST(nehalem_resets_its_event_selects_before_it_writes_them)
{
	need_model(NEHALEM);
	with_own_counters(check_resets);
}

/*
 * The erratum requires that no counter is armed for precise sampling during the reset. So the
 * module writes IA32_PEBS_ENABLE twice: 0 before the reset, and the former value afterwards.
 */
static void check_armed(void)
{
	int fd = context_of(0, instructions(AT_USER));

	use(fd, 1, instructions(AT_USER), 0);
	write_pmc(fd, PFM_INTEL_PEBS, BIT(0));
	write_one(fd, (struct pfarg_pmd){ .reg_num = 0, .reg_flags = NOTIFY });
	load(fd, thread_id());
	must(fd, pfm_start(fd, NULL));
	must(fd, pfm_stop(fd));
	accesses_reset();
	must(fd, pfm_start(fd, NULL));
	must(fd, pfm_stop(fd));
	ck_assert_uint_eq(accesses(ACCESS_OTHER), 0);
	write_pmc(fd, 1, cycles(AT_USER));
	must(fd, pfm_start(fd, NULL));
	must(fd, pfm_stop(fd));
	ck_assert_uint_eq(accesses(ACCESS_OTHER), 2);
	close(fd);
}

TEST(nehalem_disarms_its_counters_before_it_resets_them)
{
	need_model(NEHALEM);
	with_own_counters(check_armed);
}
