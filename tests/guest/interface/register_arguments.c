// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests calls with registers that cannot be written or read. Each call must fail with the errno of
 * docs/interface.md, the right reason and the index of the bad element. After that, the context
 * must still count correctly.
 */
#include <stdio.h>

#include "arguments.h"

SUITE(register_arguments, 60);

/* ---- registers ---------------------------------------------------------------------- */

static int write_one_pmc(int fd, pfarg_pmc_t pmc)
{
	return pfm_write_pmcs(fd, &pmc, 1);
}

static int read_one_pmd(int fd, pfarg_pmd_t pmd)
{
	return pfm_read_pmds(fd, &pmd, 1);
}

static int read_one_pmr(int fd, unsigned int number, unsigned int set)
{
	pfarg_pmr_t pmr = { .reg_num = number, .reg_set = set };

	return pfm_read(fd, 0, PFM_RW_PMD, &pmr, sizeof(pmr));
}

TEST(an_unknown_pmc_is_einval)
{
	const unsigned int numbers[] = { pmu()->missing_pmc, 255, 256, 319, 320, 65535 };
	int fd = make_context();
	size_t i;

	for (i = 0; i < COUNT(numbers); i++)
		must_fail(fd, write_one_pmc(fd, (pfarg_pmc_t){ .reg_num = numbers[i] }),
			  EINVAL, PFM_REASON_NO_PMC, 0);
	count_must_be_right(fd);
}

TEST(an_unknown_pmd_is_einval)
{
	const unsigned int numbers[] = {
		pmu()->missing_pmd, 255, PFM_PMD_CPU + 1, 319, 320, 65535
	};
	int fd = make_context();
	size_t i;

	for (i = 0; i < COUNT(numbers); i++) {
		pfarg_pmd_t pmd = { .reg_num = numbers[i] };

		must_fail(fd, write_one_pmd(fd, pmd), EINVAL, PFM_REASON_NO_PMD, 0);
		must_fail(fd, read_one_pmd(fd, pmd), EINVAL, PFM_REASON_NO_PMD, 0);
		must_fail(fd, read_one_pmr(fd, pmd.reg_num, 0), EINVAL, PFM_REASON_NO_PMD,
			  0);
	}
	count_must_be_right(fd);
}

TEST(reading_a_pmd_never_written_is_einval)
{
	int fd = make_context();

	must_fail(fd, read_one_pmd(fd, (pfarg_pmd_t){ .reg_num = pmu()->pmds[0] }),
		  EINVAL, PFM_REASON_PMD_UNUSED, 0);
	must_fail(fd, read_one_pmd(fd, (pfarg_pmd_t){ .reg_num = PFM_PMD_TASK_CLOCK }),
		  EINVAL, PFM_REASON_PMD_UNUSED, 0);
	must_fail(fd, read_one_pmr(fd, pmu()->pmds[0], 0), EINVAL, PFM_REASON_PMD_UNUSED,
		  0);
	count_must_be_right(fd);
}

TEST(an_unknown_pmc_flag_is_einval)
{
	int fd = make_context();
	unsigned int bit;

	for (bit = 0; bit < 32; bit++) {
		pfarg_pmc_t pmc = { .reg_num = pmu()->pmcs[0], .reg_flags = 1u << bit };

		if (pmc.reg_flags != PFM_REGFL_NO_EMUL64)
			must_fail(fd, write_one_pmc(fd, pmc), EINVAL, PFM_REASON_FLAGS,
				  0);
	}
	count_must_be_right(fd);
}

TEST(a_counter_that_cannot_be_narrowed_is_einval)
{
	pfarg_pmc_t pmc = { .reg_num = pmu()->pmcs[0], .reg_flags = PFM_REGFL_NO_EMUL64 };
	int fd = make_context();

	if (pmu()->can_narrow)
		skip("all counters of %s can be narrowed", pmu()->info.pmu_name);
	must_fail(fd, write_one_pmc(fd, pmc), EINVAL, PFM_REASON_NOT_A_COUNTER, 0);
	count_must_be_right(fd);
}

TEST(an_unknown_pmd_flag_is_einval)
{
	int fd = make_context();
	unsigned int bit;

	for (bit = 2; bit < 32; bit++)
		must_fail(fd,
			  write_one_pmd(fd, (pfarg_pmd_t){ .reg_num = pmu()->pmds[0],
							   .reg_flags = 1u << bit }),
			  EINVAL, PFM_REASON_FLAGS, 0);
	count_must_be_right(fd);
}

TEST(a_register_of_an_unknown_set_is_einval)
{
	static const unsigned int sets[] = { 1, 65535 };
	int fd = busy_context();
	size_t i;

	for (i = 0; i < COUNT(sets); i++) {
		pfarg_pmc_t pmc = { .reg_num = pmu()->pmcs[0], .reg_set = sets[i] };
		pfarg_pmd_t pmd = { .reg_num = pmu()->pmds[0], .reg_set = sets[i] };

		must_fail(fd, write_one_pmc(fd, pmc), EINVAL, PFM_REASON_NO_SET, 0);
		must_fail(fd, write_one_pmd(fd, pmd), EINVAL, PFM_REASON_NO_SET, 0);
		must_fail(fd, read_one_pmd(fd, pmd), EINVAL, PFM_REASON_NO_SET, 0);
		must_fail(fd, read_one_pmr(fd, pmd.reg_num, pmd.reg_set), EINVAL,
			  PFM_REASON_NO_SET, 0);
	}
	count_must_be_right(fd);
}

TEST(a_value_that_the_pmu_refuses_is_einval)
{
	int fd = make_context();

	if (!pmu()->has_bad_value)
		skip("%s accepts every value", pmu()->info.pmu_model);
	must_fail(fd,
		  write_one_pmc(fd, (pfarg_pmc_t){ .reg_num = pmu()->pmcs[0],
						   .reg_value = pmu()->bad_value }),
		  EINVAL, PFM_REASON_PMC_VALUE, 0);
	count_must_be_right(fd);
}

TEST(a_register_left_to_perf_is_ebusy_when_it_is_claimed)
{
	pfarg_pmc_t pmc = { .reg_num = pmu()->pmcs[2] };
	pfarg_pmd_t pmd = { .reg_num = pmu()->pmds[2] };
	uint64_t before, available;
	struct pfm_error error = {};
	int fd, written;

	if (!pmu_is("armv8"))
		skip("%s cannot leave registers to perf", pmu()->info.pmu_name);
	/*
	 * The core releases counters of earlier contexts at most once per second. So wait until it
	 * has released all of them.
	 */
	sleep(2);
	before = module_parameter("perfmon_armv8", "leave_to_perf");
	fd = make_context();
	must(fd, write_one_pmc(fd, pmc));
	set_module_parameter("perfmon_armv8", "leave_to_perf", 1u << pmd.reg_num);
	available = set_of(fd, 0).set_avail_pmds[0];
	load(fd, thread_id());
	written = write_one_pmd(fd, pmd);
	pfm_get_error(fd, &error);
	set_module_parameter("perfmon_armv8", "leave_to_perf", before);
	ck_assert_int_eq(written, -1);
	ck_assert_int_eq(error.error, EBUSY);
	ck_assert_uint_eq(error.reason, PFM_REASON_PMD_HELD);
	ck_assert_uint_eq(error.value, pmd.reg_num);
	ck_assert_uint_eq(available >> pmd.reg_num & 1, 0);
	count_must_be_right(fd);
}

/* ---- the elements before a bad one ---------------------------------------------------- */

TEST(elements_before_a_bad_one_stay_written)
{
	const unsigned int *numbers = pmu()->pmds;
	pfarg_pmd_t pmds[] = {
		{ .reg_num = numbers[0], .reg_value = 111 },
		{ .reg_num = numbers[1], .reg_value = 222 },
		{ .reg_num = pmu()->missing_pmd },
		{ .reg_num = numbers[2], .reg_value = 333 },
	};
	int fd = make_context();

	must_fail(fd, pfm_write_pmds(fd, pmds, COUNT(pmds)), EINVAL, PFM_REASON_NO_PMD,
		  2);
	ck_assert_uint_eq(read_pmd(fd, numbers[0]), 111);
	ck_assert_uint_eq(read_pmd(fd, numbers[1]), 222);
	must_fail(fd, read_one_pmd(fd, (pfarg_pmd_t){ .reg_num = numbers[2] }), EINVAL,
		  PFM_REASON_PMD_UNUSED, 0);
	count_must_be_right(fd);
}

TEST(pmcs_before_a_bad_one_stay_written_and_those_after_are_not)
{
	pfarg_pmc_t pmcs[] = {
		{ .reg_num = pmu()->pmcs[0], .reg_value = pmu()->busy[0] },
		{ .reg_num = pmu()->missing_pmc },
		{ .reg_num = pmu()->pmcs[1], .reg_value = pmu()->busy[1] },
	};
	int fd = make_context();

	write_pmd(fd, pmu()->pmds[0], 0);
	write_pmd(fd, pmu()->pmds[1], 0);
	must_fail(fd, pfm_write_pmcs(fd, pmcs, COUNT(pmcs)), EINVAL, PFM_REASON_NO_PMC,
		  1);
	load(fd, thread_id());
	must(fd, pfm_start(fd, NULL));
	spin_turns(10000);
	must(fd, pfm_stop(fd));
	ck_assert_uint_gt(read_pmd(fd, pmu()->pmds[0]), 0);
	ck_assert_uint_eq(read_pmd(fd, pmu()->pmds[1]), 0);
	count_must_be_right(fd);
}

TEST(elements_before_a_bad_one_are_read)
{
	const unsigned int *numbers = pmu()->pmds;
	pfarg_pmd_t pmds[] = {
		{ .reg_num = numbers[0], .reg_value = 7 },
		{ .reg_num = numbers[1], .reg_value = 7 },
		{ .reg_num = numbers[2], .reg_value = 7 },
	};
	int fd = make_context();

	write_pmd(fd, numbers[0], 111);
	write_pmd(fd, numbers[2], 333);
	must_fail(fd, pfm_read_pmds(fd, pmds, COUNT(pmds)), EINVAL, PFM_REASON_PMD_UNUSED,
		  1);
	ck_assert_uint_eq(pmds[0].reg_value, 111);
	ck_assert_uint_eq(pmds[1].reg_value, 7);
	ck_assert_uint_eq(pmds[2].reg_value, 7);
	count_must_be_right(fd);
}

TEST(read_and_read_pmds_agree_in_long_vectors)
{
	enum {
		ELEMENTS = 20
	}; /* each of the three PMDs is read several times */
	pfarg_pmr_t pmrs[ELEMENTS];
	pfarg_pmd_t pmds[ELEMENTS];
	int fd = make_context(), i;

	for (i = 0; i < 3; i++)
		write_pmd(fd, pmu()->pmds[i], 1000 + i);
	for (i = 0; i < ELEMENTS; i++) {
		pmrs[i] = (pfarg_pmr_t){ .reg_num = pmu()->pmds[i % 3] };
		pmds[i] = (pfarg_pmd_t){ .reg_num = pmu()->pmds[i % 3] };
	}
	must(fd, pfm_read(fd, 0, PFM_RW_PMD, pmrs, sizeof(pmrs)));
	must(fd, pfm_read_pmds(fd, pmds, ELEMENTS));
	for (i = 0; i < ELEMENTS; i++) {
		ck_assert_uint_eq(pmrs[i].reg_value, 1000 + i % 3);
		ck_assert_uint_eq(pmds[i].reg_value, 1000 + i % 3);
	}
	/* elements before a bad element are read, and elements after it are not */
	pmrs[18].reg_num = pmu()->missing_pmd;
	pmrs[17].reg_value = pmrs[19].reg_value = 7;
	must_fail(fd, pfm_read(fd, 0, PFM_RW_PMD, pmrs, sizeof(pmrs)), EINVAL,
		  PFM_REASON_NO_PMD, 18);
	ck_assert_uint_eq(pmrs[17].reg_value, 1000 + 17 % 3);
	ck_assert_uint_eq(pmrs[19].reg_value, 7);
	count_must_be_right(fd);
}

TEST(pfm_read_refuses_flags_types_and_sizes)
{
	pfarg_pmr_t pmr = { .reg_num = pmu()->pmds[0] };
	int fd = make_context();

	write_pmd(fd, pmu()->pmds[0], 0);
	must_fail_errno(pfm_read(fd, 1, PFM_RW_PMD, &pmr, sizeof(pmr)), EINVAL);
	must_fail_errno(pfm_read(fd, 0, 0, &pmr, sizeof(pmr)), EINVAL);
	must_fail_errno(pfm_read(fd, 0, 2, &pmr, sizeof(pmr)), EINVAL);
	must_fail_errno(pfm_read(fd, 0, PFM_RW_PMD, &pmr, 0), EINVAL);
	must_fail_errno(pfm_read(fd, 0, PFM_RW_PMD, &pmr, sizeof(pmr) + 1), EINVAL);
	must_fail_errno(pfm_read(fd, 0, PFM_RW_PMD, NULL, sizeof(pmr)), EFAULT);
	count_must_be_right(fd);
}

TEST(the_index_is_that_of_the_first_bad_element_of_many)
{
	const unsigned int count = 70, bad = 65;
	pfarg_pmc_t pmcs[70];
	pfarg_setinfo_t infos[3] = { { .set_id = 0 }, { .set_id = 9 }, { .set_id = 8 } };
	int fd = make_context();
	unsigned int i;

	for (i = 0; i < count; i++)
		pmcs[i] = (pfarg_pmc_t){ .reg_num = i < bad ? pmu()->pmcs[0]
							    : pmu()->missing_pmc };
	must_fail(fd, pfm_write_pmcs(fd, pmcs, count), EINVAL, PFM_REASON_NO_PMC, bad);
	must_fail(fd, pfm_getinfo_evtsets(fd, infos, 3), EINVAL, PFM_REASON_NO_SET, 1);
	count_must_be_right(fd);
}
