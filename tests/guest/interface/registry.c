// SPDX-License-Identifier: GPL-2.0-only
/* Tests what PFM_IOC_INFO and /sys/kernel/perfmon/pmu_desc report about the PMU. */
#include <stdio.h>

#include "guest.h"

SUITE(registry, 60);

TEST(information_agrees_with_sysfs)
{
	const struct pfm_info *info = &pmu()->info;
	char model[sizeof(info->pmu_model) + 1];

	ck_assert_uint_eq(info->version, PFM_VERSION);
	ck_assert_uint_eq(info->arg_mem_max, read_number(SYSFS "arg_mem_max"));
	snprintf(model, sizeof(model), "%s\n", info->pmu_model);
	ck_assert_str_eq(read_text(SYSFS "pmu_desc/model"), model);
	ck_assert_uint_eq(info->features & (PFM_FEATURE_PER_THREAD | PFM_FEATURE_EMUL64 |
					    PFM_FEATURE_VIRTUAL),
			  PFM_FEATURE_PER_THREAD | PFM_FEATURE_EMUL64 |
				  PFM_FEATURE_VIRTUAL);
	ck_assert_uint_ge(info->message_queue_depth, 8);
	ck_assert_uint_eq(info->max_sets, read_number(SYSFS "max_sets"));
}

static bool has(const uint64_t *map, unsigned int n)
{
	return map[n / 64] >> (n % 64) & 1;
}

TEST(available_registers_and_counters_are_implemented)
{
	const struct pfm_info *info = &pmu()->info;
	unsigned int n;

	for (n = 0; n < PFM_MAX_PMDS; n++) {
		if (has(info->available_pmcs, n))
			ck_assert_msg(has(info->implemented_pmcs, n), "PMC %u", n);
		if (has(info->available_pmds, n) || has(info->counter_pmds, n))
			ck_assert_msg(has(info->implemented_pmds, n), "PMD %u", n);
	}
	for (n = PFM_PMD_TASK_CLOCK; n <= PFM_PMD_CPU; n++)
		ck_assert_msg(has(info->available_pmds, n), "PMD %u", n);
}

static bool is_described(const char *kind, unsigned int n)
{
	char path[128];

	snprintf(path, sizeof(path), SYSFS "pmu_desc/%s%u", kind, n);
	return path_exists(path);
}

/* Suite sysfs checks the files in the directory of each register. */
TEST(each_register_and_nothing_else_has_a_description)
{
	const struct pfm_info *info = &pmu()->info;
	unsigned int n;

	for (n = 0; n < PFM_MAX_PMDS; n++) {
		ck_assert_msg(is_described("pmc", n) == has(info->implemented_pmcs, n),
			      "pmc%u", n);
		ck_assert_msg(is_described("pmd", n) == has(info->implemented_pmds, n),
			      "pmd%u", n);
	}
}
