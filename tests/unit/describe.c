// SPDX-License-Identifier: GPL-2.0-only
/* The sentences of libpfmdev/src/describe.c. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "../../libpfmdev/src/internal.h"
#include "main.h"

static char text[PFM_LAST_ERROR_SIZE];

static const char *describe(struct pfm_error error)
{
	pfmdev_describe_error(&error, text, sizeof(text));
	return text;
}

#define SENTENCE(expected, ...)                                                          \
	ck_assert_str_eq(                                                                \
		describe((struct pfm_error){ .index = PFM_NO_INDEX, __VA_ARGS__ }),      \
		expected)

START_TEST(every_reason_gives_its_sentence)
{
#define CHECK(name, sentence)                                                            \
	describe((struct pfm_error){ .operation = 5,                                     \
				     .error = EINVAL,                                    \
				     .index = PFM_NO_INDEX,                              \
				     .reason = PFM_REASON_##name,                        \
				     .value = 12 });                                     \
	if (PFM_REASON_##name != PFM_REASON_NONE)                                        \
		ck_assert_msg(strstr(text, ": " sentence), #name ": \"%s\"", text);
	PFM_REASONS(CHECK)
#undef CHECK
}
END_TEST

START_TEST(every_call_is_named)
{
	static const char *const names[] = {
		"pfm_create_context", "pfm_write_pmcs",
		"pfm_write_pmds",     "pfm_read_pmds",
		"pfm_load_context",   "pfm_start",
		"pfm_stop",	      "pfm_restart",
		"pfm_create_evtsets", "pfm_getinfo_evtsets",
		"pfm_delete_evtsets", "pfm_unload_context",
		"pfm_get_info",	      "pfm_get_error",
		"pfm_get_status",     "pfm_read",
	};
	char expected[100];

	for (unsigned int i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(expected, sizeof(expected), "%s: no memory", names[i]);
		SENTENCE(expected, .operation = i, .error = ENOMEM,
			 .reason = PFM_REASON_MEMORY);
	}
}
END_TEST

START_TEST(no_failure_is_no_sentence_about_a_call)
{
	SENTENCE("no call has failed on this descriptor", .reason = PFM_REASON_NONE);
}
END_TEST

START_TEST(values_are_written_as_what_they_are)
{
	SENTENCE("pfm_write_pmcs: element 0: the PMU has no such PMC: PMC 77",
		 .operation = 1, .error = EINVAL, .reason = PFM_REASON_NO_PMC, .index = 0,
		 .value = 77);
	SENTENCE(
		"pfm_read_pmds: element 3: the PMD was never written in this set: PMD 259",
		.operation = 3, .error = EINVAL, .reason = PFM_REASON_PMD_UNUSED,
		.index = 3, .value = 259);
	SENTENCE(
		"pfm_write_pmcs: element 1: the PMU does not accept the value of the PMC: "
		"value 0xffffffff00000001",
		.operation = 1, .error = EINVAL, .reason = PFM_REASON_PMC_VALUE,
		.index = 1, .value = 0xffffffff00000001ull);
	SENTENCE("pfm_create_context: an unknown flag is set: flags 0x40", .operation = 0,
		 .error = EINVAL, .reason = PFM_REASON_FLAGS, .value = 0x40);
	SENTENCE("pfm_load_context: there is no such thread: thread 4711", .operation = 4,
		 .error = ESRCH, .reason = PFM_REASON_NO_THREAD, .value = 4711);
	SENTENCE("pfm_start: the event set does not exist: set 9", .operation = 5,
		 .error = EINVAL, .reason = PFM_REASON_NO_SET, .value = 9);
	SENTENCE(
		"pfm_write_pmds: the number of elements is negative or too large: -1 elements",
		.operation = 2, .error = EINVAL, .reason = PFM_REASON_COUNT,
		.value = (uint64_t)-1);
	SENTENCE(
		"pfm_write_pmds: the number of elements is negative or too large: -2 elements",
		.operation = 2, .error = EINVAL, .reason = PFM_REASON_COUNT,
		.value = 0xfffffffeu);
	SENTENCE(
		"pfm_read_pmds: the vector is longer than /sys/kernel/perfmon/arg_mem_max: 4224 bytes",
		.operation = 3, .error = E2BIG, .reason = PFM_REASON_TOO_LONG,
		.value = 4224);
}
END_TEST

START_TEST(reasons_without_value_say_none)
{
	SENTENCE("pfm_load_context: the thread has a context already", .operation = 4,
		 .error = EEXIST, .reason = PFM_REASON_THREAD_TAKEN);
	SENTENCE("pfm_stop: the context is not attached", .operation = 6, .error = EINVAL,
		 .reason = PFM_REASON_UNLOADED, .value = 5);
}
END_TEST

START_TEST(holders_are_named)
{
	SENTENCE("pfm_create_context: the PMU is held by another user: perf_event",
		 .operation = 0, .error = EBUSY, .reason = PFM_REASON_PMU_HELD,
		 .holder = "perf_event");
	SENTENCE(
		"pfm_write_pmcs: element 4: the PMC is held by another user of the PMU: PMC 31, NMI watchdog",
		.operation = 1, .error = EINVAL, .reason = PFM_REASON_PMC_HELD,
		.index = 4, .value = 31, .holder = "NMI watchdog");
}
END_TEST

START_TEST(holder_without_end_is_cut)
{
	struct pfm_error error = { .error = EBUSY,
				   .reason = PFM_REASON_PMU_HELD,
				   .index = PFM_NO_INDEX };

	memset(error.holder, 'h', sizeof(error.holder));
	describe(error);
	ck_assert_uint_eq(strspn(strchr(text, '\0') - sizeof(error.holder), "h"),
			  sizeof(error.holder));
}
END_TEST

START_TEST(what_is_not_known_is_said_by_errno)
{
	SENTENCE("pfm_stop: Invalid argument", .operation = 6, .error = EINVAL);
	SENTENCE("pfm_stop: Invalid argument", .operation = 6, .error = EINVAL,
		 .reason = 5000);
	SENTENCE("pfm_stop: element 1: Invalid argument: X", .operation = 6,
		 .error = EINVAL, .reason = 5000, .index = 1, .holder = "X");
	SENTENCE("operation 77: Invalid argument", .operation = 77, .error = EINVAL);
	describe((struct pfm_error){ .error = 98765, .index = PFM_NO_INDEX });
	ck_assert_ptr_nonnull(strstr(text, "98765"));
}
END_TEST

START_TEST(every_sentence_has_room_and_one_line)
{
	struct pfm_error error = { .operation = UINT_MAX,
				   .error = INT_MIN,
				   .index = UINT_MAX - 1,
				   .value = ~0ull };

	memset(error.holder, 'h', sizeof(error.holder));
	for (error.reason = 0; error.reason <= PFM_REASON_COUNT_OF_REASONS;
	     error.reason++) {
		describe(error);
		ck_assert_uint_lt(strlen(text), sizeof(text) - 100);
		ck_assert_ptr_null(strchr(text, '\n'));
	}
}
END_TEST

TESTS("describe", every_reason_gives_its_sentence, every_call_is_named,
      no_failure_is_no_sentence_about_a_call, values_are_written_as_what_they_are,
      reasons_without_value_say_none, holders_are_named, holder_without_end_is_cut,
      what_is_not_known_is_said_by_errno, every_sentence_has_room_and_one_line)
