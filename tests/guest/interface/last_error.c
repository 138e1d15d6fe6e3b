// SPDX-License-Identifier: GPL-2.0-only
/* Tests what PFM_IOC_LAST_ERROR and pfm_last_error() report about a call that failed. */
#include <sys/ioctl.h>

#include "arguments.h"

SUITE(last_error, 60);

TEST(reading_the_error_to_a_bad_address_keeps_it)
{
	int fd = make_context();
	struct pfm_error error;

	must_fail(fd, pfm_stop(fd), EINVAL, PFM_REASON_UNLOADED, NO_INDEX);
	must_fail_errno(ioctl(fd, PFM_IOC_LAST_ERROR, NULL), EFAULT);
	must(fd, pfm_get_error(fd, &error));
	ck_assert_uint_eq(error.reason, PFM_REASON_UNLOADED);
	count_must_be_right(fd);
}

TEST(the_error_is_none_before_a_call_has_failed)
{
	struct pfm_error error;
	int fd = make_context();

	must(fd, pfm_get_error(fd, &error));
	ck_assert_int_eq(error.error, 0);
	ck_assert_uint_eq(error.reason, PFM_REASON_NONE);
	ck_assert_uint_eq(error.index, PFM_NO_INDEX);
	ck_assert_str_eq(error.holder, "");
}

TEST(the_error_has_call_and_value_and_outlives_success)
{
	struct pfm_error error;
	int fd = make_context();

	must_fail(fd, write_one_pmd(fd, (pfarg_pmd_t){ .reg_num = 65535 }), EINVAL,
		  PFM_REASON_NO_PMD, 0);
	write_pmd(fd, pmu()->pmds[0], 0);
	must(fd, pfm_get_error(fd, &error));
	ck_assert_uint_eq(error.operation, _IOC_NR(PFM_IOC_WRITE_PMDS));
	ck_assert_uint_eq(error.value, 65535);
	ck_assert_uint_eq(error.reason, PFM_REASON_NO_PMD);
}

TEST(the_error_belongs_to_its_descriptor)
{
	struct pfm_error error;
	int fd = make_context(), other = make_context();

	must_fail(fd, pfm_stop(fd), EINVAL, PFM_REASON_UNLOADED, NO_INDEX);
	must(other, pfm_get_error(other, &error));
	ck_assert_int_eq(error.error, 0);
}

TEST(the_sentence_names_call_element_reason_and_value)
{
	pfarg_pmd_t pmds[2] = { { .reg_num = pmu()->pmds[0] }, { .reg_num = 65535 } };
	int fd = make_context();

	ck_assert_str_eq(sentence(fd), "no call has failed on this descriptor");
	must_fail_errno(pfm_write_pmds(fd, pmds, 2), EINVAL);
	ck_assert_str_eq(sentence(fd),
			 "pfm_write_pmds: element 1: the PMU has no such PMD: PMD 65535");
	must_fail_errno(pfm_start(fd, NULL), EINVAL);
	ck_assert_str_eq(sentence(fd), "pfm_start: the context is not loaded");
	must_fail_errno(try_load(fd, 0x7ffffffe), ESRCH);
	ck_assert_str_eq(sentence(fd),
			 "pfm_load_context: there is no such thread: thread 2147483646");
}

TEST(the_sentence_of_a_failed_create_is_kept)
{
	pfarg_ctx_t ctx = { .ctx_flags = 0x8 };

	must_fail_errno(pfm_create_context(&ctx, NULL, NULL, 0), EINVAL);
	ck_assert_str_eq(
		sentence(-1),
		"pfm_create_context: a flag is unknown or does not fit the other flags: flags 0x8");
}
