// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests the life of an instance of a sampling format, from init to exit. Format "script"
 * (tests/modules) reports the calls of init and exit. The test samples itself or a child.
 */
#include <sys/mman.h>

#include "perfmon_fmt_script.h"
#include "formats.h"
#include "samples.h"

SUITE(format_life, 60);

#define MODULE	      "perfmon_fmt_script"
/* Value from perfmon_format.h, which only kernel code can include. */
#define CONTROL_RESET 0x2

static const struct script_argument resetting = {
	.handler = { CONTROL_RESET, CONTROL_RESET, CONTROL_RESET, CONTROL_RESET },
};

static uint64_t tells(const char *parameter)
{
	return module_parameter(MODULE, parameter);
}

/*
 * Checks how many instances have begun and ended since the module was loaded, and that no callback
 * came after the exit of its instance.
 */
static void must_have_begun_and_ended(uint64_t begun, uint64_t ended)
{
	ck_assert_uint_eq(tells("begun"), begun);
	ck_assert_uint_eq(tells("ended"), ended);
	ck_assert_uint_eq(tells("late"), 0);
}

/* ---- init ------------------------------------------------------------------------------- */

static void must_fail_to_begin(int fd, int error, unsigned int reason)
{
	struct script_argument argument = { .init = -error };

	must_fail(fd, try_format(fd, "script", &argument, sizeof(argument)), error,
		  reason, PFM_NO_INDEX);
	must_fail(fd, pfm_stop(fd), EINVAL, PFM_REASON_NO_CONTEXT, PFM_NO_INDEX);
	ck_assert_uint_eq(read_number(MEM_CUR), 0);
	ck_assert_int_eq(module_users(MODULE), 0);
	must_have_begun_and_ended(0, 0);
}

static void check_errors_of_init(void)
{
	int fd = pfm_open_device();

	must_fail_to_begin(fd, EINVAL, PFM_REASON_FORMAT_ARGUMENT);
	must_fail_to_begin(fd, ENOMEM, PFM_REASON_MEMORY);
	must_fail_to_begin(fd, ENODEV, PFM_REASON_FORMAT);
	must_fail_to_begin(fd, EPERM, PFM_REASON_FORMAT);
	must(fd, try_format(fd, "script", &resetting, sizeof(resetting)));
	count_must_be_right(fd);
	close(fd);
	must_have_begun_and_ended(1, 1);
}

TEST(the_errno_of_init_is_returned)
{
	with_formats(check_errors_of_init);
}

/* ---- exit ------------------------------------------------------------------------------- */

static int sampling_on(pid_t tid, const struct script_argument *argument)
{
	int fd = format_context("script", argument, sizeof(*argument));

	sample_busily(fd, PERIOD);
	load_and_start(fd, tid);
	return fd;
}

static void check_exits(void)
{
	struct child child = child_new();
	const volatile struct script_buffer *buffer;
	int fd;

	/* never loaded */
	close(format_context("script", &resetting, sizeof(resetting)));
	must_have_begun_and_ended(1, 1);

	/* unloaded by pfm_unload_context() */
	fd = sampling_on(thread_id(), &resetting);
	sampled_loop(3 * PERIOD);
	must(fd, pfm_unload_context(fd));
	must_have_begun_and_ended(2, 1);
	close(fd);
	must_have_begun_and_ended(2, 2);

	/* closed while the child is sampled */
	fd = sampling_on(child.pid, &resetting);
	buffer = format_buffer(fd, page_size());
	child_busy(&child);
	wait_until(buffer->samples > 3);
	close(fd);
	must_have_begun_and_ended(3, 3);
	ck_assert_uint_eq(buffer->samples, tells("last_samples"));
	child_rest(&child);

	/* closed after its thread has ended */
	fd = sampling_on(child.pid, &resetting);
	child_exit(&child);
	must_end(fd);
	must_have_begun_and_ended(4, 3);
	close(fd);
	must_have_begun_and_ended(4, 4);
	munmap((void *)buffer, page_size());
}

TEST(exit_comes_once_and_no_handler_after_it)
{
	need_overflow_interrupts();
	with_formats(check_exits);
}

/* ---- versions of the argument -------------------------------------------------------------- */

#define FIRST_SIZE offsetof(struct script_argument, without_buffer)
#define SIZE	   sizeof(struct script_argument)

static int make_sized(const void *argument, size_t size)
{
	int fd = pfm_open_device(), result = try_format(fd, "script", argument, size);
	int error = errno;

	close(fd);
	return result ? error : 0;
}

static void check_sizes(void)
{
	struct {
		struct script_argument argument;
		char rest[100];
	} later = { .argument = resetting };
	struct pfm_error error;
	size_t i;
	int fd;

	/*
	 * The test passes the size of the first version of the argument. So the format must ignore
	 * the data after the fields of the first version.
	 */
	later.argument.without_buffer = ~0u;
	fd = format_context("script", &later, FIRST_SIZE);
	format_buffer(fd, page_size());
	close(fd);
	/*
	 * A size between the sizes of the first and the second version is accepted. The size of the
	 * second version is also accepted.
	 */
	ck_assert_int_eq(make_sized(&later, FIRST_SIZE + 1), 0);
	later.argument.without_buffer = 0;
	ck_assert_int_eq(make_sized(&later, SIZE), 0);
	/* The argument of a later version is accepted if its unknown part is zero. */
	ck_assert_int_eq(make_sized(&later, sizeof(later)), 0);
	for (i = 0; i < sizeof(later.rest); i++) {
		fd = pfm_open_device();
		later.rest[i] = 1;
		must_fail(fd, try_format(fd, "script", &later, sizeof(later)), E2BIG,
			  PFM_REASON_TAIL, PFM_NO_INDEX);
		must(fd, pfm_get_error(fd, &error));
		ck_assert_uint_eq(error.value, SIZE);
		later.rest[i] = 0;
		close(fd);
	}
	/*
	 * An argument that is smaller than the first version is refused. A missing argument is also
	 * refused.
	 */
	ck_assert_int_eq(make_sized(&later, FIRST_SIZE - 1), EINVAL);
	ck_assert_int_eq(make_sized(NULL, FIRST_SIZE), EINVAL);
}

TEST(a_formats_argument_grows_as_all_structures_do)
{
	with_formats(check_sizes);
}

/* ---- without a buffer -------------------------------------------------------------------- */

static void check_private_memory(void)
{
	struct script_argument argument = resetting;
	uint64_t taken = samples_taken();
	int fd;

	argument.without_buffer = 1;
	fd = sampling_on(thread_id(), &argument);
	ck_assert_ptr_eq(mmap(NULL, page_size(), PROT_READ, MAP_SHARED, fd, 0),
			 MAP_FAILED);
	ck_assert_uint_eq(read_number(MEM_CUR), 0);
	while (samples_taken() < taken + 5)
		sampled_loop(PERIOD / 2);
	must(fd, pfm_stop(fd));
	taken = samples_taken() - taken;
	close(fd);
	ck_assert_uint_eq(tells("last_samples"), taken);
	must_have_begun_and_ended(1, 1);
}

TEST(a_format_may_use_private_memory_only)
{
	need_overflow_interrupts();
	with_formats(check_private_memory);
}
