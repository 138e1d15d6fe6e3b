// SPDX-License-Identifier: GPL-2.0-only
/* x86: tests that a PMU module finds no hardware on a processor of another maker or family. */
#include <errno.h>

#include "measure.h"

SUITE(other_makers, 60);

static void must_find_no_hardware(const char *module)
{
	ck_assert_msg(module_load(module, "") == ENODEV, "%s", module);
	ck_assert(!module_is_loaded(module));
}

TEST(a_module_finds_no_hardware_on_another_makers_processor)
{
	must_find_no_hardware(strcmp(need_x86(), "perfmon_intel") ? "perfmon_intel"
								  : "perfmon_amd");
}

/*
 * Of the emulated processors, only the one of family 17h has counters of the L3 and the data
 * fabric. This suite does not run on that processor.
 */
TEST(before_family_17h_there_are_no_counters_of_the_l3_and_the_data_fabric)
{
	need_x86();
	must_find_no_hardware("perfmon_amd_uncore");
}
