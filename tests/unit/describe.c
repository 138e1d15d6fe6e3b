// SPDX-License-Identifier: GPL-2.0-only
/* Tests the sentences of libpfmdev/src/describe.c. */
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "../../libpfmdev/src/internal.h"
#include "suites.h"

SUITE(describe, 120);

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

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

/*
 * All reasons in the order of their numbers. The number of a reason never changes. The test sets
 * @value of struct pfm_error to 12; pfm_get_error(3) explains this field. If the field is a process
 * ID, the test sets it to NO_PROCESS instead. No process has this ID, so the sentence does not name
 * a program.
 */
#define NO_PROCESS 4194305 /* more than PID_MAX_LIMIT */
static const struct {
	enum pfm_reason reason;
	const char *sentence;
} sentences[] = {
	{ PFM_REASON_FAULT, "an address is not readable or not writable" },
	{ PFM_REASON_MEMORY, "no memory" },
	{ PFM_REASON_NO_CONTEXT, "the descriptor has no context yet: create one first" },
	{ PFM_REASON_HAS_CONTEXT, "the descriptor has a context already" },
	{ PFM_REASON_COUNT,
	  "the number of elements is negative or too large: 12 elements" },
	{ PFM_REASON_TOO_LONG,
	  "the vector is longer than /sys/kernel/perfmon/arg_mem_max: 12 bytes" },
	{ PFM_REASON_RESERVED, "a reserved field is not zero: 0xc" },
	{ PFM_REASON_FLAGS,
	  "a flag is unknown or does not fit the other flags: flags 0xc" },
	{ PFM_REASON_UNSUPPORTED,
	  "this version of perfmon does not support the call, at least not "
	  "with these flags or this PMU" },
	{ PFM_REASON_NO_PMU, "no PMU description is loaded and none fits this machine" },
	{ PFM_REASON_PMU_HELD, "the PMU is held by another user" },
	{ PFM_REASON_GROUP,
	  "only the group of /sys/kernel/perfmon/task_group may do this" },
	{ PFM_REASON_NO_PMC, "the PMU has no such PMC: PMC 12" },
	{ PFM_REASON_NO_PMD, "the PMU has no such PMD: PMD 12" },
	{ PFM_REASON_PMD_HELD, "the PMD is held by another user of the PMU: PMD 12" },
	{ PFM_REASON_PMC_VALUE,
	  "the PMU does not accept the value of the PMC: value 0xc" },
	{ PFM_REASON_NOT_A_COUNTER,
	  "the PMC does not accept flag PFM_REGFL_NO_EMUL64: PMC 12" },
	{ PFM_REASON_PMD_UNUSED, "the PMD is not in use in this set: PMD 12" },
	{ PFM_REASON_NO_SET, "the event set does not exist: set 12" },
	{ PFM_REASON_SET_ZERO, "event set 0 cannot be deleted" },
	{ PFM_REASON_LOADED, "the context is loaded already" },
	{ PFM_REASON_UNLOADED, "the context is not loaded" },
	{ PFM_REASON_NO_THREAD, "there is no such thread: thread 12" },
	{ PFM_REASON_THREAD_ENDED, "the thread has ended or is ending: thread 12" },
	{ PFM_REASON_KERNEL_THREAD, "kernel threads cannot be monitored: thread 12" },
	{ PFM_REASON_PERMISSION, "the caller may not monitor that thread: thread 12" },
	{ PFM_REASON_THREAD_TAKEN, "the thread has a context already: process 4194305" },
	{ PFM_REASON_NOTHING_TO_RESTART, "no notification is waiting for a restart" },
	{ PFM_REASON_TIMEOUT, "the event set needs a timeout" },
	{ PFM_REASON_NO_FORMAT, "there is no such sampling format" },
	{ PFM_REASON_FORMAT_SIZE,
	  "the argument of the sampling format has the wrong size" },
	{ PFM_REASON_FORMAT_ARGUMENT,
	  "the sampling format does not accept its argument" },
	{ PFM_REASON_BUFFER_LIMIT,
	  "sampling buffers have reached the limit /sys/kernel/perfmon/smpl_buffer_mem_max, which root can raise" },
	{ PFM_REASON_BUFFER_MEMLOCK,
	  "the user's sampling buffers have reached the limit of locked memory, 'ulimit -l'" },
	{ PFM_REASON_BLOCK_SELF, "a thread cannot block itself" },
	{ PFM_REASON_SMPL_PMDS,
	  "a PMD in reg_smpl_pmds does not exist or cannot be used in this context" },
	{ PFM_REASON_RESET_PMDS,
	  "a PMD in reg_reset_pmds does not exist, is read-only or cannot be used in this context" },
	{ PFM_REASON_SET_LIMIT,
	  "the context has as many event sets as /sys/kernel/perfmon/max_sets allows; root can raise it" },
	{ PFM_REASON_SET_MEMORY,
	  "event sets have reached the limit /sys/kernel/perfmon/set_mem_max, which root can raise" },
	{ PFM_REASON_SWITCH_COUNT, "reg_ovfl_switch_cnt is only for a counter" },
	{ PFM_REASON_FORMAT, "the sampling format cannot be set up" },
	{ PFM_REASON_SIZE,
	  "a structure is shorter than its first version: it has only 12 bytes" },
	{ PFM_REASON_TAIL,
	  "a structure has fields that this version of perfmon does not have: perfmon's structure has 12 bytes" },
	{ PFM_REASON_FORMAT_NAME, "a sampling format has an argument, but no name" },
	{ PFM_REASON_ONLY_SAMPLED, "the PMD can only be recorded in samples: PMD 12" },
	{ PFM_REASON_PMU_REFUSES, "the PMU does not accept this context" },
	{ PFM_REASON_PARANOID,
	  "kernel.perf_event_paranoid is above 2: run 'sysctl "
	  "kernel.perf_event_paranoid=2' or 'echo user >/sys/kernel/perfmon/policy' as "
	  "root, or join the group of /sys/kernel/perfmon/task_group" },
	{ PFM_REASON_MAY_NOT_BLOCK,
	  "the caller may not block that thread: this needs the permission to attach "
	  "with ptrace, and is never allowed for process 1: thread 12" },
	{ PFM_REASON_SET_SHARE,
	  "the user's event sets have reached the limit /sys/kernel/perfmon/set_user_max, which root can raise" },
	{ PFM_REASON_SYS_GROUP, "monitoring CPUs needs CAP_PERFMON, or the group of "
				"/sys/kernel/perfmon/sys_group" },
	{ PFM_REASON_NO_CPU, "there is no CPU with that number: CPU 12" },
	{ PFM_REASON_FOREIGN_CPU, "that CPU does not have the context's PMU: CPU 12" },
	{ PFM_REASON_CPU_OFFLINE, "that CPU is offline: CPU 12" },
	{ PFM_REASON_CPU_TAKEN,
	  "that CPU has a system-wide context already: process 4194305" },
	{ PFM_REASON_OF_THREAD,
	  "the register counts events of threads, not events of CPUs: register 12" },
	{ PFM_REASON_COPIES,
	  "other threads have copies of the context: unload the context first" },
	{ PFM_REASON_COPIED_SETS,
	  "a context that threads and children inherit may have at most 64 event sets" },
	{ PFM_REASON_SHARED_PMU,
	  "CPUs share this PMU: only system-wide contexts can use it" },
	{ PFM_REASON_NO_LEVELS,
	  "the PMU counts at all levels, and the caller may count at user level only" },
	{ PFM_REASON_NO_BUFFER,
	  "the context has no sampling buffer for that CPU: CPU 12" },
	{ PFM_REASON_KEEPS_NO_COUNTS,
	  "the context does not keep the counts of threads: it is system-wide, or was "
	  "made without PFM_FL_KEEP_COUNTS" },
	{ PFM_REASON_NO_COUNTS, "there are no unread counts of ended threads" },
};

static bool names_process(unsigned int reason)
{
	return reason == PFM_REASON_THREAD_TAKEN || reason == PFM_REASON_CPU_TAKEN;
}

TEST(every_reason_gives_its_sentence)
{
	char expected[PFM_LAST_ERROR_SIZE];

	for (unsigned int i = 0; i < COUNT(sentences); i++) {
		ck_assert_uint_eq(sentences[i].reason, i + 1);
		snprintf(expected, sizeof(expected), "pfm_start: %s",
			 sentences[i].sentence);
		SENTENCE(expected, .operation = 5, .error = EINVAL, .reason = i + 1,
			 .value = names_process(i + 1) ? NO_PROCESS : 12);
	}
	ck_assert_uint_eq(PFM_REASON_COUNT_OF_REASONS, COUNT(sentences) + 1);
}

/* Each reason must have a sentence, even a new reason that is not yet in the table above. */
TEST(every_reason_has_a_sentence)
{
	for (unsigned int i = 0; i < PFM_REASON_COUNT_OF_REASONS; i++)
		ck_assert_msg(pfm_strreason(i) && *pfm_strreason(i),
			      "reason %u has no sentence", i);
	ck_assert_ptr_null(pfm_strreason(PFM_REASON_COUNT_OF_REASONS));
	ck_assert_ptr_null(pfm_strreason(UINT_MAX));
}

TEST(every_call_is_named)
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
		"pfm_get_statistics", "pfm_restart_cpu",
		"pfm_read_thread",
	};
	char expected[100];

	for (unsigned int i = 0; i < COUNT(names); i++) {
		snprintf(expected, sizeof(expected), "%s: no memory", names[i]);
		SENTENCE(expected, .operation = i, .error = ENOMEM,
			 .reason = PFM_REASON_MEMORY);
	}
}

TEST(without_a_failure_the_sentence_names_no_call)
{
	SENTENCE("no call has failed on this descriptor", .reason = PFM_REASON_NONE);
}

TEST(values_are_written_in_their_format)
{
	SENTENCE("pfm_write_pmcs: element 0: the PMU has no such PMC: PMC 77",
		 .operation = 1, .error = EINVAL, .reason = PFM_REASON_NO_PMC, .index = 0,
		 .value = 77);
	SENTENCE("pfm_read_pmds: element 3: the PMD is not in use in this set: PMD 259",
		 .operation = 3, .error = EINVAL, .reason = PFM_REASON_PMD_UNUSED,
		 .index = 3, .value = 259);
	SENTENCE(
		"pfm_write_pmcs: element 1: the PMU does not accept the value of the PMC: "
		"value 0xffffffff00000001",
		.operation = 1, .error = EINVAL, .reason = PFM_REASON_PMC_VALUE,
		.index = 1, .value = 0xffffffff00000001ull);
	SENTENCE(
		"pfm_create_context: a flag is unknown or does not fit the other flags: flags 0x40",
		.operation = 0, .error = EINVAL, .reason = PFM_REASON_FLAGS,
		.value = 0x40);
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

TEST(reasons_without_a_value_print_no_value)
{
	SENTENCE("pfm_load_context: the thread has a context already", .operation = 4,
		 .error = EEXIST, .reason = PFM_REASON_THREAD_TAKEN);
	SENTENCE("pfm_stop: the context is not loaded", .operation = 6, .error = EINVAL,
		 .reason = PFM_REASON_UNLOADED, .value = 5);
}

TEST(holders_are_named)
{
	SENTENCE("pfm_create_context: the PMU is held by another user: perf_event",
		 .operation = 0, .error = EBUSY, .reason = PFM_REASON_PMU_HELD,
		 .holder = "perf_event");
	SENTENCE(
		"pfm_write_pmds: element 4: the PMD is held by another user of the PMU: PMD 31, NMI watchdog",
		.operation = 2, .error = EBUSY, .reason = PFM_REASON_PMD_HELD, .index = 4,
		.value = 31, .holder = "NMI watchdog");
}

TEST(the_program_of_a_threads_holder_is_named)
{
	char expected[PFM_LAST_ERROR_SIZE];

	ck_assert_int_eq(prctl(PR_SET_NAME, "a\nprogram\t"), 0);
	snprintf(expected, sizeof(expected),
		 "pfm_load_context: the thread has a context already: process %d, "
		 "a?program?",
		 (int)getpid());
	SENTENCE(expected, .operation = 4, .error = EEXIST,
		 .reason = PFM_REASON_THREAD_TAKEN, .value = (uint64_t)getpid());
}

TEST(holder_without_a_zero_byte_is_truncated)
{
	struct pfm_error error = { .error = EBUSY,
				   .reason = PFM_REASON_PMU_HELD,
				   .index = PFM_NO_INDEX };

	memset(error.holder, 'h', sizeof(error.holder));
	describe(error);
	ck_assert_uint_eq(strspn(strchr(text, '\0') - sizeof(error.holder), "h"),
			  sizeof(error.holder));
}

TEST(without_a_known_reason_the_errno_is_described)
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

TEST(every_sentence_fits_and_has_one_line)
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
