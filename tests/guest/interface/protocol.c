// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests calls that take no vector, calls on event sets, and invalid calls. Each argument is made
 * invalid in turn. The call must fail with the errno of docs/interface.md and the right reason.
 * After that, the context must still count correctly.
 */
#include <fcntl.h>
#include <limits.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "arguments.h"

SUITE(protocol, 60);

/* ---- a second context ------------------------------------------------------------ */

TEST(a_second_context_on_a_descriptor_is_ebusy)
{
	struct pfm_create create = {};
	int fd = make_context();

	must_fail(fd, ioctl(fd, PFM_IOC_CREATE_CONTEXT, &create), EBUSY,
		  PFM_REASON_HAS_CONTEXT, NO_INDEX);
	count_must_be_right(fd);
}

/* ---- create ------------------------------------------------------------------------ */

/* The create must fail. After that, the descriptor can be used for another create. */
static void must_refuse_create(int fd, struct pfm_create create, int error,
			       unsigned int reason)
{
	must_fail(fd, ioctl(fd, PFM_IOC_CREATE_CONTEXT, &create), error, reason,
		  NO_INDEX);
}

static void must_create_after_all(int fd)
{
	struct pfm_create create = {};

	must(fd, ioctl(fd, PFM_IOC_CREATE_CONTEXT, &create));
	count_must_be_right(fd);
}

TEST(create_with_an_unknown_flag_is_einval)
{
	const uint32_t known = PFM_FL_NOTIFY_BLOCK | PFM_FL_SYSTEM_WIDE |
			       PFM_FL_MAP_SETS | PFM_FL_OVFL_NO_MSG |
			       PFM_FL_INHERIT_THREADS | PFM_FL_INHERIT_ALL;
	int fd = pfm_open_device();
	unsigned int bit;

	for (bit = 0; bit < 32; bit++)
		if (!(known >> bit & 1))
			must_refuse_create(
				fd, (struct pfm_create){ .context.ctx_flags = 1u << bit },
				EINVAL, PFM_REASON_FLAGS);
	must_create_after_all(fd);
}

TEST(create_with_notify_block_and_system_wide_is_einval)
{
	int fd = pfm_open_device();

	must_refuse_create(fd,
			   (struct pfm_create){ .context.ctx_flags = PFM_FL_NOTIFY_BLOCK |
								     PFM_FL_SYSTEM_WIDE },
			   EINVAL, PFM_REASON_FLAGS);
	must_create_after_all(fd);
}

TEST(create_with_flags_not_offered_yet_is_eopnotsupp)
{
	int fd = pfm_open_device();

	must_refuse_create(fd,
			   (struct pfm_create){ .context.ctx_flags = PFM_FL_MAP_SETS },
			   EOPNOTSUPP, PFM_REASON_UNSUPPORTED);
	must_create_after_all(fd);
}

TEST(create_from_a_bad_address_is_efault)
{
	int fd = pfm_open_device();
	size_t i;

	for (i = 0; i < COUNT(bad_addresses); i++)
		must_fail(fd, ioctl(fd, PFM_IOC_CREATE_CONTEXT, bad_addresses[i]), EFAULT,
			  PFM_REASON_FAULT, NO_INDEX);
	must_fail(fd,
		  ioctl(fd, PFM_IOC_CREATE_CONTEXT,
			memory_end() - sizeof(struct pfm_create) + 1),
		  EFAULT, PFM_REASON_FAULT, NO_INDEX);
	must_create_after_all(fd);
}

/* ---- load, start, stop, restart ---------------------------------------------------- */

TEST(load_of_an_unknown_set_is_einval)
{
	pfarg_load_t load = { .load_pid = thread_id(), .load_set = 1 };
	int fd = make_context();

	must_fail(fd, pfm_load_context(fd, &load), EINVAL, PFM_REASON_NO_SET, NO_INDEX);
	ck_assert_uint_eq(sessions(), 0);
	count_must_be_right(fd);
}

TEST(load_on_no_thread_is_esrch)
{
	/* 0 is never the ID of a thread, and the other numbers are above pid_max */
	static const uint32_t tids[] = { 0, 0x7ffffffe, 0x80000000, 0xffffffff };
	int fd = make_context();
	size_t i;

	for (i = 0; i < COUNT(tids); i++)
		must_fail(fd, try_load(fd, tids[i]), ESRCH, PFM_REASON_NO_THREAD,
			  NO_INDEX);
	count_must_be_right(fd);
}

TEST(load_from_a_bad_address_is_efault)
{
	int fd = make_context();
	size_t i;

	for (i = 0; i < COUNT(bad_addresses); i++)
		must_fail(fd, ioctl(fd, PFM_IOC_LOAD, bad_addresses[i]), EFAULT,
			  PFM_REASON_FAULT, NO_INDEX);
	count_must_be_right(fd);
}

TEST(start_and_stop_of_an_unloaded_context_are_einval)
{
	int fd = make_context();

	must_fail(fd, pfm_start(fd, NULL), EINVAL, PFM_REASON_UNLOADED, NO_INDEX);
	must_fail(fd, pfm_start(fd, &(pfarg_start_t){}), EINVAL, PFM_REASON_UNLOADED,
		  NO_INDEX);
	must_fail(fd, pfm_stop(fd), EINVAL, PFM_REASON_UNLOADED, NO_INDEX);
	count_must_be_right(fd);
}

TEST(start_of_an_unknown_set_is_einval_and_starts_nothing)
{
	int fd = busy_context();

	load(fd, thread_id());
	must_fail(fd, pfm_start(fd, &(pfarg_start_t){ .start_set = 1 }), EINVAL,
		  PFM_REASON_NO_SET, NO_INDEX);
	ck_assert_uint_eq(status_of(fd).flags & PFM_STATUS_STARTED, 0);
	count_must_be_right(fd);
}

TEST(start_from_a_bad_address_is_efault)
{
	int fd = busy_context();
	size_t i;

	load(fd, thread_id());
	for (i = 1; i < COUNT(bad_addresses); i++) /* NULL is valid: no argument */
		must_fail(fd, ioctl(fd, PFM_IOC_START, bad_addresses[i]), EFAULT,
			  PFM_REASON_FAULT, NO_INDEX);
	ck_assert_uint_eq(status_of(fd).flags & PFM_STATUS_STARTED, 0);
	count_must_be_right(fd);
}

TEST(restart_without_notification_is_ebusy_in_every_state)
{
	int fd = busy_context();

	must_fail(fd, pfm_restart(fd), EBUSY, PFM_REASON_UNLOADED, NO_INDEX);
	load(fd, thread_id());
	must_fail(fd, pfm_restart(fd), EBUSY, PFM_REASON_NOTHING_TO_RESTART, NO_INDEX);
	must(fd, pfm_start(fd, NULL));
	must_fail(fd, pfm_restart(fd), EBUSY, PFM_REASON_NOTHING_TO_RESTART, NO_INDEX);
	count_must_be_right(fd);
}

/* ---- event sets ------------------------------------------------------------------------ */

static int create_one_set(int fd, pfarg_setdesc_t set)
{
	return pfm_create_evtsets(fd, &set, 1);
}

static int delete_one_set(int fd, unsigned int id)
{
	pfarg_setdesc_t set = { .set_id = id };

	return pfm_delete_evtsets(fd, &set, 1);
}

TEST(a_set_with_an_unknown_flag_is_einval)
{
	int fd = make_context();
	unsigned int bit;

	for (bit = 2; bit < 32; bit++)
		must_fail(fd,
			  create_one_set(fd, (pfarg_setdesc_t){ .set_flags = 1u << bit }),
			  EINVAL, PFM_REASON_FLAGS, 0);
	count_must_be_right(fd);
}

TEST(a_set_with_both_switches_is_einval)
{
	pfarg_setdesc_t set = { .set_flags = PFM_SETFL_OVFL_SWITCH |
					     PFM_SETFL_TIME_SWITCH,
				.set_timeout = 1000000 };
	int fd = make_context();

	must_fail(fd, create_one_set(fd, set), EINVAL, PFM_REASON_FLAGS, 0);
	count_must_be_right(fd);
}

TEST(a_switch_after_no_time_is_einval)
{
	pfarg_setdesc_t set = { .set_flags = PFM_SETFL_TIME_SWITCH };
	int fd = make_context();

	must_fail(fd, create_one_set(fd, set), EINVAL, PFM_REASON_TIMEOUT, 0);
	count_must_be_right(fd);
}

TEST(set_zero_cannot_be_deleted)
{
	int fd = make_context();

	must_fail(fd, delete_one_set(fd, 0), EINVAL, PFM_REASON_SET_ZERO, 0);
	count_must_be_right(fd);
}

TEST(an_unknown_set_is_einval)
{
	pfarg_setinfo_t info = { .set_id = 1 };
	int fd = make_context();

	must_fail(fd, delete_one_set(fd, 1), EINVAL, PFM_REASON_NO_SET, 0);
	must_fail(fd, pfm_getinfo_evtsets(fd, &info, 1), EINVAL, PFM_REASON_NO_SET, 0);
	info.set_id = 65535;
	must_fail(fd, pfm_getinfo_evtsets(fd, &info, 1), EINVAL, PFM_REASON_NO_SET, 0);
	count_must_be_right(fd);
}

TEST(sets_of_a_loaded_context_cannot_be_changed)
{
	int fd = busy_context();

	load(fd, thread_id());
	must_fail(fd, create_one_set(fd, (pfarg_setdesc_t){}), EBUSY, PFM_REASON_LOADED,
		  NO_INDEX);
	must_fail(fd, delete_one_set(fd, 0), EBUSY, PFM_REASON_LOADED, NO_INDEX);
	must(fd, pfm_start(fd, NULL));
	must_fail(fd, create_one_set(fd, (pfarg_setdesc_t){}), EBUSY, PFM_REASON_LOADED,
		  NO_INDEX);
	count_must_be_right(fd);
}

/* ---- information ------------------------------------------------------------------- */

TEST(info_and_status_to_a_bad_address_are_efault)
{
	int fd = make_context();
	size_t i;

	for (i = 0; i < COUNT(bad_addresses); i++) {
		must_fail(fd, ioctl(fd, PFM_IOC_INFO, bad_addresses[i]), EFAULT,
			  PFM_REASON_FAULT, NO_INDEX);
		must_fail(fd, ioctl(fd, PFM_IOC_STATUS, bad_addresses[i]), EFAULT,
			  PFM_REASON_FAULT, NO_INDEX);
		must_fail(fd, ioctl(fd, PFM_IOC_STATISTICS, bad_addresses[i]), EFAULT,
			  PFM_REASON_FAULT, NO_INDEX);
	}
	count_must_be_right(fd);
}

/* ---- invalid calls --------------------------------------------------------------------------- */

/*
 * An ioctl whose type is not PFM_IOC_TYPE has no effect. growth.c tests ioctls with a longer or a
 * shorter structure.
 */
TEST(an_ioctl_of_another_type_is_enotty)
{
	const unsigned long unknown[] = {
		_IOW(PFM_IOC_TYPE + 1, 1, struct pfm_vector),
		_IOW(PFM_IOC_TYPE - 1, 1, struct pfm_vector),
		_IO(PFM_IOC_TYPE + 1, 200),
		0,
		~0u,
	};
	char memory[256] = {};
	struct pfm_error error;
	int fd = make_context();
	size_t i;

	for (i = 0; i < COUNT(unknown); i++)
		must_fail_errno(ioctl(fd, unknown[i], memory), ENOTTY);
	must(fd, pfm_get_error(fd, &error));
	ck_assert_int_eq(error.error, 0);
	count_must_be_right(fd);
}

/* If the library makes a call that an older module does not know, the message names this call. */
TEST(an_unknown_call_is_enotty_and_the_message_names_it)
{
	const unsigned long unknown[] = {
		_IO(PFM_IOC_TYPE, 19),
		_IO(PFM_IOC_TYPE, 200),
		_IO(PFM_IOC_TYPE, 255),
		_IOWR(PFM_IOC_TYPE, 200, struct pfm_vector),
	};
	char memory[256] = {};
	struct pfm_error error;
	int fd = make_context();
	size_t i;

	for (i = 0; i < COUNT(unknown); i++) {
		must_fail(fd, ioctl(fd, unknown[i], memory), ENOTTY,
			  PFM_REASON_UNSUPPORTED, NO_INDEX);
		must(fd, pfm_get_error(fd, &error));
		ck_assert_uint_eq(error.operation, _IOC_NR(unknown[i]));
	}
	ck_assert_ptr_ne(strstr(sentence(fd), "does not support the call"), NULL);
	count_must_be_right(fd);
}

TEST(a_context_cannot_be_written_sought_or_mapped)
{
	char byte = 0;
	int fd = open(PFM_DEVICE, O_RDWR);

	ck_assert_int_ne(fd, -1);
	must_create_after_all(fd);
	must_fail_errno(write(fd, &byte, 1), EINVAL);
	must_fail_errno(lseek(fd, 0, SEEK_SET), ESPIPE);
	must_fail_errno((long)mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0), EINVAL);
	count_must_be_right(fd);
}

/* Makes calls of the library on @fd, which is not a context. Each of them must fail. */
static void must_be_ebadf(int fd)
{
	pfarg_pmc_t pmc = {};
	pfarg_pmd_t pmd = {};
	pfarg_pmr_t pmr = {};
	pfarg_load_t load = {};
	pfarg_start_t start = {};
	pfarg_setdesc_t set = {};
	pfarg_setinfo_t set_info = {};
	struct pfm_info info;
	struct pfm_status status;
	struct pfm_error error;

	must_fail_errno(pfm_write_pmcs(fd, &pmc, 1), EBADF);
	must_fail_errno(pfm_write_pmds(fd, &pmd, 1), EBADF);
	must_fail_errno(pfm_read_pmds(fd, &pmd, 1), EBADF);
	must_fail_errno(pfm_read(fd, 0, PFM_RW_PMD, &pmr, sizeof(pmr)), EBADF);
	must_fail_errno(pfm_load_context(fd, &load), EBADF);
	must_fail_errno(pfm_start(fd, NULL), EBADF);
	must_fail_errno(pfm_start(fd, &start), EBADF);
	must_fail_errno(pfm_stop(fd), EBADF);
	must_fail_errno(pfm_restart(fd), EBADF);
	must_fail_errno(pfm_create_evtsets(fd, &set, 1), EBADF);
	must_fail_errno(pfm_getinfo_evtsets(fd, &set_info, 1), EBADF);
	must_fail_errno(pfm_delete_evtsets(fd, &set, 1), EBADF);
	must_fail_errno(pfm_unload_context(fd), EBADF);
	must_fail_errno(pfm_get_info(fd, &info), EBADF);
	must_fail_errno(pfm_get_status(fd, &status), EBADF);
	if (fd != -1) /* for -1, pfm_get_error() returns the error of a failed create */
		must_fail_errno(pfm_get_error(fd, &error), EBADF);
}

TEST(a_closed_descriptor_is_ebadf)
{
	int fd = make_context();

	close(fd);
	must_be_ebadf(fd);
	must_be_ebadf(-1);
	must_be_ebadf(INT_MAX);
	ck_assert_ptr_ne(strstr(sentence(fd), "is not open"), NULL);
}

TEST(a_foreign_descriptor_is_ebadf)
{
	static const char *const paths[] = { "/dev/null", "/dev/zero", "/proc/self/stat",
					     "/", "/etc/passwd" };
	int fds[2], fd;
	size_t i;

	for (i = 0; i < COUNT(paths); i++) {
		subject = paths[i];
		fd = open(paths[i], O_RDONLY);
		ck_assert_int_ne(fd, -1);
		must_be_ebadf(fd);
		close(fd);
	}
	subject = "a pipe, ";
	ck_assert_int_eq(pipe(fds), 0);
	must_be_ebadf(fds[0]);
	must_be_ebadf(fds[1]);
	ck_assert_ptr_ne(strstr(sentence(fds[0]), "does not belong to perfmon"), NULL);
}

TEST(the_library_refuses_missing_arguments)
{
	int fd = make_context();

	must_fail_errno(pfm_create_context(NULL, NULL, NULL, 0), EFAULT);
	must_fail_errno(pfm_load_context(fd, NULL), EFAULT);
	must_fail_errno(pfm_write_pmcs(fd, NULL, 1), EFAULT);
	must_fail_errno(pfm_get_info(fd, NULL), EFAULT);
	must_fail_errno(pfm_get_status(fd, NULL), EFAULT);
	must_fail_errno(pfm_get_error(fd, NULL), EFAULT);
	count_must_be_right(fd);
}

/* Returns a pseudo-random number. The numbers are the same in each run. */
static uint32_t random_number(void)
{
	static uint64_t state = 1;

	state = state * 6364136223846793005u + 1442695040888963407u;
	return state >> 33;
}

/*
 * Overwrites the random values in the registers, because these values may halt a counter or make it
 * overflow immediately.
 */
static void forget_values(int fd)
{
	unsigned int n;

	must(fd, pfm_unload_context(fd));
	for (n = 0; n < 64; n++) {
		if (pmu()->info.available_pmcs[0] >> n & 1)
			write_pmc(fd, n, 0);
		if ((pmu()->info.available_pmds[0] & pmu()->info.counter_pmds[0]) >> n &
		    1)
			write_pmd(fd, n, 0);
	}
}

TEST(random_arguments_do_no_harm)
{
	static const unsigned long commands[] = {
		PFM_IOC_WRITE_PMCS,	PFM_IOC_WRITE_PMDS,	PFM_IOC_READ_PMDS,
		PFM_IOC_START,		PFM_IOC_CREATE_EVTSETS, PFM_IOC_GETINFO_EVTSETS,
		PFM_IOC_DELETE_EVTSETS, PFM_IOC_CREATE_CONTEXT, PFM_IOC_STATUS,
		PFM_IOC_STOP,		PFM_IOC_RESTART,	PFM_IOC_UNLOAD,
		PFM_IOC_READ,		PFM_IOC_STATISTICS,
	};
	uint32_t memory[1024];
	int fd = make_context(), turn;
	size_t i;

	for (turn = 0; turn < 20000; turn++) {
		struct pfm_vector vector = { (uintptr_t)memory, random_number() % 24, 0 };
		unsigned long command = commands[random_number() % COUNT(commands)];
		bool is_vector = _IOC_SIZE(command) == sizeof(vector);

		/*
		 * Most numbers are small, because small numbers pass the core's first checks more
		 * often.
		 */
		for (i = 0; i < COUNT(memory); i++)
			memory[i] = random_number() % 4
					    ? 0
					    : random_number() >> random_number() % 32;
		if (random_number() % 8 == 0)
			try_load(fd, thread_id());
		ioctl(fd, command, is_vector ? (void *)&vector : (void *)memory);
	}
	forget_values(fd);
	count_must_be_right(fd);
}
