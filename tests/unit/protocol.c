// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests what libpfmdev passes to the kernel. The linker replaces open, ioctl and close with the
 * functions below (--wrap). They stand for the module: they record the calls and return what the
 * test has chosen.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <perfmon/perfmon.h>
#include <perfmon/perfmon_dfl_smpl.h>

#include "suites.h"

SUITE(protocol, 120);

#define DESCRIPTOR 1000

static struct {
	/* answers */
	int open_errno;
	int ioctl_errno;
	int last_error_errno;
	struct pfm_error last_error;
	/* what was asked */
	char path[64];
	int flags;
	int opened;
	int closed;
	int calls;
	int fd;
	unsigned long command;
	void *argument;
	struct pfm_vector vector;
	struct pfm_create create;
	struct pfarg_load load;
	struct pfarg_start start;
	struct pfm_restart_cpu restart_cpu;
	struct pfm_dfl_smpl_arg format_argument;
} module;

int __wrap_open(const char *path, int flags, ...);
int __wrap_close(int fd);
int __wrap_ioctl(int fd, unsigned long command, ...);

int __wrap_open(const char *path, int flags, ...)
{
	if (module.open_errno) {
		errno = module.open_errno;
		return -1;
	}
	strncpy(module.path, path, sizeof(module.path) - 1);
	module.flags = flags;
	module.opened++;
	return DESCRIPTOR;
}

/* Changes errno, as the real close() may do. */
int __wrap_close(int fd)
{
	if (fd == DESCRIPTOR)
		module.closed++;
	errno = EINTR;
	return 0;
}

static int answer_last_error(struct pfm_error *error)
{
	if (module.last_error_errno) {
		errno = module.last_error_errno;
		return -1;
	}
	*error = module.last_error;
	return 0;
}

int __wrap_ioctl(int fd, unsigned long command, ...)
{
	va_list arguments;
	void *argument;

	va_start(arguments, command);
	argument = va_arg(arguments, void *);
	va_end(arguments);
	if (command == PFM_IOC_LAST_ERROR)
		return answer_last_error(argument);
	module.calls++;
	module.fd = fd;
	module.command = command;
	module.argument = argument;
	if (_IOC_SIZE(command) == sizeof(module.vector))
		memcpy(&module.vector, argument, sizeof(module.vector));
	if (command == PFM_IOC_CREATE_CONTEXT)
		memcpy(&module.create, argument, sizeof(module.create));
	if (module.create.format_size == sizeof(module.format_argument))
		memcpy(&module.format_argument,
		       (void *)(uintptr_t)module.create.format_argument,
		       sizeof(module.format_argument));
	if (command == PFM_IOC_LOAD && argument)
		memcpy(&module.load, argument, sizeof(module.load));
	if (command == PFM_IOC_START && argument)
		memcpy(&module.start, argument, sizeof(module.start));
	if (command == PFM_IOC_RESTART_CPU && argument)
		memcpy(&module.restart_cpu, argument, sizeof(module.restart_cpu));
	if (module.ioctl_errno) {
		errno = module.ioctl_errno;
		return -1;
	}
	return 0;
}

/* Checks that there was one call, with this command and argument, and that it succeeded. */
static void asked(int result, unsigned long command, const void *argument)
{
	ck_assert_int_eq(result, 0);
	ck_assert_int_eq(module.calls, 1);
	ck_assert_int_eq(module.fd, 7);
	ck_assert_uint_eq(module.command, command);
	ck_assert_ptr_eq(module.argument, argument);
	module.calls = 0;
}

static void asked_vector(int result, unsigned long command, const void *address,
			 int count)
{
	asked(result, command, module.argument);
	ck_assert_uint_eq(module.vector.address, (uintptr_t)address);
	ck_assert_int_eq(module.vector.count, count);
	ck_assert_uint_eq(module.vector.element_size, 0);
}

TEST(calls_without_vector_pass_their_argument)
{
	struct pfm_info info;
	struct pfm_status status;
	struct pfm_statistics statistics;
	struct pfm_thread_counts counts;

	asked(pfm_load_context(7, NULL), PFM_IOC_LOAD, NULL);
	asked(pfm_start(7, NULL), PFM_IOC_START, NULL);
	asked(pfm_stop(7), PFM_IOC_STOP, NULL);
	asked(pfm_restart(7), PFM_IOC_RESTART, NULL);
	asked(pfm_unload_context(7), PFM_IOC_UNLOAD, NULL);
	asked(pfm_get_info(7, &info), PFM_IOC_INFO, &info);
	asked(pfm_get_status(7, &status), PFM_IOC_STATUS, &status);
	asked(pfm_get_statistics(7, &statistics), PFM_IOC_STATISTICS, &statistics);
	asked(pfm_read_thread(7, &counts), PFM_IOC_READ_THREAD, &counts);
}

TEST(the_restart_of_a_cpu_names_the_cpu)
{
	static const struct pfm_restart_cpu clean = { .cpu = 0x12345678 };

	int result = pfm_restart_cpu(7, 0x12345678);

	asked(result, PFM_IOC_RESTART_CPU, module.argument);
	ck_assert_mem_eq(&module.restart_cpu, &clean, sizeof(clean));
}

/*
 * Programs for perfmon2 leave parts of structures uninitialised, but the module refuses reserved
 * fields that are not 0.
 */
TEST(the_library_clears_reserved_fields)
{
	static const pfarg_load_t clean_load = { .load_pid = 0x89abcdef,
						 .load_set = 0x4567 };
	static const pfarg_start_t clean_start = { .start_set = 0x4567 };
	pfarg_load_t load;
	pfarg_start_t start;
	int result;

	memset(&load, 0xa5, sizeof(load));
	load.load_pid = 0x89abcdef;
	load.load_set = 0x4567;
	result = pfm_load_context(7, &load);
	asked(result, PFM_IOC_LOAD, module.argument);
	ck_assert_mem_eq(&module.load, &clean_load, sizeof(clean_load));
	ck_assert_uint_eq(load.load_reserved1, 0xa5a5);
	memset(&start, 0xa5, sizeof(start));
	start.start_set = 0x4567;
	result = pfm_start(7, &start);
	asked(result, PFM_IOC_START, module.argument);
	ck_assert_mem_eq(&module.start, &clean_start, sizeof(clean_start));
	ck_assert_uint_eq(start.start_reserved1, 0xa5a5);
}

TEST(the_library_clears_reserved_fields_of_the_default_formats_argument)
{
	static const struct pfm_dfl_smpl_arg clean = { .buf_size = 4096,
						       .buf_flags = 0xa5a5a5a5 };
	static char *const names[] = { PFM_DFL_SMPL_NAME, PFM_DFL_SMPL_UUID,
				       "D139B29E-62E8-40E4-B402-73078792E937" };
	struct pfm_dfl_smpl_arg argument;
	pfarg_ctx_t ctx = { 0 };

	memset(&argument, 0xa5, sizeof(argument));
	argument.buf_size = 4096;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		ck_assert_int_eq(pfm_create_context(&ctx, names[i], &argument,
						    sizeof(argument)),
				 DESCRIPTOR);
		ck_assert_mem_eq(&module.format_argument, &clean, sizeof(clean));
	}
	/*
	 * The library does not change arguments of other formats, or arguments with another size.
	 */
	pfm_create_context(&ctx, "nway", &argument, sizeof(argument));
	ck_assert_mem_eq(&module.format_argument, &argument, sizeof(argument));
	pfm_create_context(&ctx, names[0], &argument, sizeof(argument) - 1);
	ck_assert_uint_eq(module.create.format_argument, (uintptr_t)&argument);
	ck_assert_uint_eq(module.create.format_size, sizeof(argument) - 1);
}

/*
 * If the program names no format, the library ignores the format's argument, as in perfmon2. The
 * module would refuse the argument.
 */
TEST(a_formats_argument_without_its_name_is_ignored)
{
	pfarg_ctx_t ctx = { 0 };
	uint64_t argument[2];

	ck_assert_int_eq(pfm_create_context(&ctx, NULL, argument, sizeof(argument)),
			 DESCRIPTOR);
	ck_assert_uint_eq(module.create.format_name, 0);
	ck_assert_uint_eq(module.create.format_argument, 0);
	ck_assert_uint_eq(module.create.format_size, 0);
}

TEST(vector_calls_pass_address_and_count)
{
	pfarg_pmc_t pmcs[3];
	pfarg_pmd_t pmds[3];
	pfarg_setdesc_t sets[3];
	pfarg_setinfo_t info[3];
	pfarg_pmr_t pmrs[3];

	asked_vector(pfm_write_pmcs(7, pmcs, 3), PFM_IOC_WRITE_PMCS, pmcs, 3);
	asked_vector(pfm_write_pmds(7, pmds, 2), PFM_IOC_WRITE_PMDS, pmds, 2);
	asked_vector(pfm_read_pmds(7, pmds, 1), PFM_IOC_READ_PMDS, pmds, 1);
	asked_vector(pfm_create_evtsets(7, sets, 3), PFM_IOC_CREATE_EVTSETS, sets, 3);
	asked_vector(pfm_getinfo_evtsets(7, info, 2), PFM_IOC_GETINFO_EVTSETS, info, 2);
	asked_vector(pfm_delete_evtsets(7, sets, 1), PFM_IOC_DELETE_EVTSETS, sets, 1);
	asked_vector(pfm_read(7, 0, PFM_RW_PMD, pmrs, sizeof(pmrs)), PFM_IOC_READ, pmrs,
		     3);
}

TEST(the_kernel_checks_invalid_vectors)
{
	asked_vector(pfm_write_pmcs(7, NULL, 0), PFM_IOC_WRITE_PMCS, NULL, 0);
	asked_vector(pfm_write_pmcs(7, NULL, -1), PFM_IOC_WRITE_PMCS, NULL, -1);
	asked_vector(pfm_read_pmds(7, NULL, INT_MAX), PFM_IOC_READ_PMDS, NULL, INT_MAX);
	asked_vector(pfm_read_pmds(7, NULL, INT_MIN), PFM_IOC_READ_PMDS, NULL, INT_MIN);
}

/*
 * pfm_read() refuses a size of 0, as in perfmon v3. The other vector calls accept a count of 0.
 */
TEST(read_accepts_only_whole_elements_of_its_type)
{
	static const struct {
		int flags, type;
		size_t size;
		int error;
	} wrong[] = {
		{ 1, PFM_RW_PMD, sizeof(pfarg_pmr_t), EINVAL },
		{ 0, 0, sizeof(pfarg_pmr_t), EINVAL },
		{ 0, 2, sizeof(pfarg_pmr_t), EINVAL },
		{ 0, PFM_RW_PMD, 0, EINVAL },
		{ 0, PFM_RW_PMD, sizeof(pfarg_pmr_t) + 1, EINVAL },
		{ 0, PFM_RW_PMD, (size_t)INT_MAX + 1, E2BIG },
	};
	pfarg_pmr_t pmr;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		ck_assert_int_eq(pfm_read(7, wrong[i].flags, wrong[i].type, &pmr,
					  wrong[i].size),
				 -1);
		ck_assert_int_eq(errno, wrong[i].error);
	}
}

TEST(errno_is_passed_on)
{
	static const int errors[] = { EINVAL, EBUSY,  ESRCH,  EPERM,
				      E2BIG,  EFAULT, ENOMEM, EEXIST };

	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		module.ioctl_errno = errors[i];
		ck_assert_int_eq(pfm_stop(7), -1);
		ck_assert_int_eq(errno, errors[i]);
	}
}

/*
 * An ioctl of perfmon on a file that does not belong to perfmon fails with ENOTTY. The library
 * changes this error to EBADF. But if PFM_IOC_LAST_ERROR succeeds, the file belongs to perfmon, and
 * the module lacks the call. Then the error remains ENOTTY.
 */
TEST(enotty_becomes_ebadf_unless_the_module_lacks_the_call)
{
	module.ioctl_errno = ENOTTY;
	module.last_error_errno = ENOTTY;
	ck_assert_int_eq(pfm_stop(7), -1);
	ck_assert_int_eq(errno, EBADF);
	module.last_error_errno = 0;
	ck_assert_int_eq(pfm_stop(7), -1);
	ck_assert_int_eq(errno, ENOTTY);
}

TEST(create_opens_the_device_as_perfmon2_did)
{
	pfarg_ctx_t ctx = { .ctx_flags = PFM_FL_OVFL_NO_MSG };
	char name[] = "default";
	uint64_t argument[2];

	ck_assert_int_eq(pfm_create_context(&ctx, name, argument, sizeof(argument)),
			 DESCRIPTOR);
	ck_assert_str_eq(module.path, "/dev/perfmon");
	ck_assert_int_eq(module.flags, O_RDONLY);
	ck_assert_int_eq(module.closed, 0);
	ck_assert_int_eq(module.fd, DESCRIPTOR);
	ck_assert_uint_eq(module.command, PFM_IOC_CREATE_CONTEXT);
	ck_assert_mem_eq(&module.create.context, &ctx, sizeof(ctx));
	ck_assert_uint_eq(module.create.format_name, (uintptr_t)name);
	ck_assert_uint_eq(module.create.format_argument, (uintptr_t)argument);
	ck_assert_uint_eq(module.create.format_size, sizeof(argument));
	ck_assert_uint_eq(module.create.pmu_name, 0);
}

TEST(create_passes_on_the_callers_arguments)
{
	const struct pfm_create create = {
		.context.ctx_flags = PFM_FL_OVFL_NO_MSG,
		.pmu_name = (uintptr_t) "soft",
	};
	char text[PFM_LAST_ERROR_SIZE];

	ck_assert_int_eq(pfm_create(&create), DESCRIPTOR);
	ck_assert_str_eq(module.path, "/dev/perfmon");
	ck_assert_uint_eq(module.command, PFM_IOC_CREATE_CONTEXT);
	ck_assert_mem_eq(&module.create, &create, sizeof(create));
	ck_assert_int_eq(module.closed, 0);
	module.ioctl_errno = EBUSY;
	ck_assert_int_eq(pfm_create(&create), -1);
	ck_assert_int_eq(errno, EBUSY);
	ck_assert_int_eq(module.closed, 1);
	ck_assert_int_eq(pfm_create(NULL), -1);
	ck_assert_int_eq(errno, EFAULT);
	pfm_last_error(-1, text, sizeof(text));
	ck_assert_ptr_nonnull(strstr(text, "an address is not readable"));
}

TEST(failed_create_closes_and_keeps_errno)
{
	pfarg_ctx_t ctx = { 0 };

	module.ioctl_errno = EBUSY;
	ck_assert_int_eq(pfm_create_context(&ctx, NULL, NULL, 0), -1);
	ck_assert_int_eq(errno, EBUSY);
	ck_assert_int_eq(module.opened, 1);
	ck_assert_int_eq(module.closed, 1);
}

static const struct pfm_error pmu_held = {
	.operation = 0,
	.error = EBUSY,
	.reason = PFM_REASON_PMU_HELD,
	.index = PFM_NO_INDEX,
	.holder = "perf_event",
};

TEST(failed_create_keeps_the_reason)
{
	pfarg_ctx_t ctx = { 0 };
	struct pfm_error error;
	char text[PFM_LAST_ERROR_SIZE];

	module.ioctl_errno = EBUSY;
	module.last_error = pmu_held;
	ck_assert_int_eq(pfm_create_context(&ctx, NULL, NULL, 0), -1);
	ck_assert_str_eq(
		pfm_last_error(-1, text, sizeof(text)),
		"pfm_create_context: the PMU is held by another user: perf_event");
	ck_assert_int_eq(pfm_get_error(-1, &error), 0);
	ck_assert_mem_eq(&error, &pmu_held, sizeof(error));
}

TEST(failed_create_without_a_reason_describes_the_errno)
{
	pfarg_ctx_t ctx = { 0 };
	char text[PFM_LAST_ERROR_SIZE];

	module.ioctl_errno = ENOMEM;
	module.last_error_errno = ENOTTY;
	ck_assert_int_eq(pfm_create_context(&ctx, NULL, NULL, 0), -1);
	ck_assert_int_eq(errno, ENOMEM);
	ck_assert_str_eq(pfm_last_error(-1, text, sizeof(text)),
			 "pfm_create_context: Cannot allocate memory");
}

TEST(create_without_argument_is_efault)
{
	char text[PFM_LAST_ERROR_SIZE];

	ck_assert_int_eq(pfm_create_context(NULL, NULL, NULL, 0), -1);
	ck_assert_int_eq(errno, EFAULT);
	ck_assert_int_eq(module.opened, 0);
	ck_assert_str_eq(
		pfm_last_error(-1, text, sizeof(text)),
		"pfm_create_context: an address is not readable or not writable");
}

TEST(missing_module_is_enosys)
{
	static const int errors[] = { ENOENT, ENODEV, ENXIO };
	pfarg_ctx_t ctx = { 0 };
	char text[PFM_LAST_ERROR_SIZE];

	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		module.open_errno = errors[i];
		ck_assert_int_eq(pfm_create_context(&ctx, NULL, NULL, 0), -1);
		ck_assert_int_eq(errno, ENOSYS);
		ck_assert_int_eq(pfm_open_device(), -1);
		ck_assert_int_eq(errno, ENOSYS);
		ck_assert_ptr_nonnull(strstr(pfm_last_error(-1, text, sizeof(text)),
					     "modprobe perfmon"));
	}
	module.open_errno = ENOENT;
	pfm_open_device();
	ck_assert_str_eq(
		pfm_last_error(-1, text, sizeof(text)),
		"cannot open /dev/perfmon: No such file or directory: the kernel module is "
		"not loaded; run \"modprobe perfmon\" as root: it loads the module or says why not");
}

TEST(an_error_of_open_is_described)
{
	pfarg_ctx_t ctx = { 0 };
	char text[PFM_LAST_ERROR_SIZE];

	module.open_errno = EACCES;
	ck_assert_int_eq(pfm_create_context(&ctx, NULL, NULL, 0), -1);
	ck_assert_int_eq(errno, EACCES);
	ck_assert_str_eq(
		pfm_last_error(-1, text, sizeof(text)),
		"cannot open /dev/perfmon: Permission denied: the caller may not read it; "
		"\"ls -l /dev/perfmon\" shows who may");
	module.open_errno = EMFILE;
	ck_assert_int_eq(pfm_create_context(&ctx, NULL, NULL, 0), -1);
	ck_assert_str_eq(pfm_last_error(-1, text, sizeof(text)),
			 "cannot open /dev/perfmon: Too many open files");
}

static void *nothing_failed_here(void *unused)
{
	static char text[PFM_LAST_ERROR_SIZE];

	(void)unused;
	return (void *)pfm_last_error(-1, text, sizeof(text));
}

TEST(failures_belong_to_their_thread)
{
	pfarg_ctx_t ctx = { 0 };
	pthread_t thread;
	void *text;

	module.open_errno = ENOENT;
	pfm_create_context(&ctx, NULL, NULL, 0);
	pthread_create(&thread, NULL, nothing_failed_here, NULL);
	pthread_join(thread, &text);
	ck_assert_str_eq(text,
			 "no call that returns a descriptor has failed in this thread");
}

TEST(last_error_asks_the_descriptor)
{
	char text[PFM_LAST_ERROR_SIZE];

	module.last_error = (struct pfm_error){
		.operation = 1,
		.error = EINVAL,
		.reason = PFM_REASON_NO_PMC,
		.index = 2,
		.value = 77,
	};
	errno = E2BIG;
	ck_assert_str_eq(pfm_last_error(7, text, sizeof(text)),
			 "pfm_write_pmcs: element 2: the PMU has no such PMC: PMC 77");
	ck_assert_int_eq(errno, E2BIG);
}

TEST(last_error_is_never_null_or_too_long)
{
	char text[16];

	module.last_error = pmu_held;
	ck_assert_ptr_nonnull(pfm_last_error(7, NULL, 100));
	ck_assert_ptr_nonnull(pfm_last_error(7, text, 0));
	memset(text, 'x', sizeof(text));
	ck_assert_str_eq(pfm_last_error(7, text, 8), "pfm_cre");
	ck_assert_int_eq(text[8], 'x');
	ck_assert_str_eq(pfm_last_error(7, text, 1), "");
}

TEST(get_error_needs_an_address)
{
	ck_assert_int_eq(pfm_get_error(-1, NULL), -1);
	ck_assert_int_eq(errno, EFAULT);
}
