// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests the creation of a context and the mapping of its buffer. Each allocation fails in turn:
 * first alone, then together with all later allocations. In both cases the call must fail with
 * ENOMEM and a reason, and must change nothing. When there is memory again, the call must succeed.
 *
 * After the tests the debug guest looks for leaks of memory. This search does not find leaked
 * pages, so the test "pages" of this suite looks for them.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>

#include "attempts.h"
#include "samples.h"

SUITE(create_faults, 600);

/* ---- opening and creating ------------------------------------------------------------ */

static int attempt_open(const struct operation *operation)
{
	(void)operation;
	opened = open(PFM_DEVICE, O_RDONLY | O_CLOEXEC);
	return to_error(opened);
}

static int attempt_library_create(const struct operation *operation)
{
	pfarg_ctx_t ctx = {};

	(void)operation;
	opened = pfm_create_context(&ctx, NULL, NULL, 0);
	return to_error(opened);
}

static int attempt_create(const struct operation *operation)
{
	static struct pfm_create create;

	(void)operation;
	return to_error(ioctl(fd, PFM_IOC_CREATE_CONTEXT, &create));
}

static void open_anew(void)
{
	close(fd);
	fd = pfm_open_device();
	ck_assert_int_ne(fd, -1);
}

/* In bytes. The kernel allocates several pages for the buffer, and an array of their addresses. */
#define BUFFER_SIZE (4 * sysconf(_SC_PAGESIZE))

static int attempt_create_with_buffer(const struct operation *operation)
{
	const pfm_dfl_smpl_arg_t argument = { .buf_size = BUFFER_SIZE };
	struct pfm_create create = { .format_name = (uintptr_t)PFM_DFL_SMPL_NAME,
				     .format_argument = (uintptr_t)&argument,
				     .format_size = sizeof(argument) };

	(void)operation;
	return to_error(ioctl(fd, PFM_IOC_CREATE_CONTEXT, &create));
}

/* Asserts that no buffer exists: an attempt that failed must have freed its buffer. */
static void no_buffer_is_left(void)
{
	ck_assert_uint_eq(read_number(SYSFS "smpl_buffer_mem_cur"), 0);
}

static void unload_pmu(void)
{
	close(fd);
	must_do(module_unload(best_pmu_module()), "unloading", best_pmu_module());
}

/* Unloads the modules and loads them again. Afterwards no scheduler hooks are installed. */
static void modules_anew(void)
{
	unload_pmu();
	must_do(module_unload("perfmon"), "unloading", "perfmon");
	must_do(module_load("perfmon", ""), "loading", "perfmon");
	must_do(module_load(best_pmu_module(), ""), "loading", best_pmu_module());
	fd = pfm_open_device();
}

/* Each attempt begins without the PMU's module, even if the previous attempt has loaded it. */
static void no_pmu(void)
{
	close(fd);
	if (module_is_loaded(best_pmu_module()))
		unload_pmu();
	fd = pfm_open_device();
}

static void must_have_no_context(int error)
{
	ck_assert_int_eq(module_users("perfmon"),
			 1 + module_is_loaded(best_pmu_module()));
	if (error)
		must_fail(fd, pfm_stop(fd), EINVAL, PFM_REASON_NO_CONTEXT, PFM_NO_INDEX);
	if (module_is_loaded(best_pmu_module()))
		ck_assert_int_eq(module_users(best_pmu_module()), error == 0);
}

static void check_creating(void)
{
	static const struct operation operations[] = {
		{ .name = "open",
		  .attempt = attempt_open,
		  .undo = close_opened,
		  .allocates = true },
		/* kvmalloc() allocates the event set; if kmalloc() fails, it tries vmalloc() */
		{ .name = "create",
		  .attempt = attempt_create,
		  .undo = open_anew,
		  .allocates = true,
		  .reason = true },
		{ .name = "create, with a buffer",
		  .attempt = attempt_create_with_buffer,
		  .undo = open_anew,
		  .before = no_buffer_is_left,
		  .allocates = true,
		  .reason = true },
		{ .name = "pfm_create_context",
		  .attempt = attempt_library_create,
		  .undo = close_opened,
		  .allocates = true },
	};
	int other;

	inject_open();
	other = make_context(); /* installs the hooks */
	fd = pfm_open_device();
	all_must_survive(operations, COUNT(operations));
	close(other);
	no_buffer_is_left();
	count_must_be_right(make_context());
}
FAULT_TEST(creating)

static void check_the_first_context(void)
{
	static const struct operation operations[] = {
		/* installs three hooks */
		{ .name = "create, the first context",
		  .attempt = attempt_create,
		  .before = modules_anew,
		  .allocates = true,
		  .reason = true },
		{ .name = "create, no PMU loaded",
		  .attempt = attempt_create,
		  .before = no_pmu,
		  .verify = must_have_no_context,
		  .allocates = true,
		  .reason = true },
		{ .name = "info, no PMU loaded",
		  .attempt = attempt_info,
		  .before = no_pmu,
		  .allocates = true,
		  .reason = true },
	};

	inject_open();
	fd = pfm_open_device();
	all_must_survive(operations, COUNT(operations));
	count_must_be_right(make_context());
}
FAULT_TEST(the_first_context)

/* ---- the sampling buffer --------------------------------------------------------------------- */

static void *mapped;

/* Maps the buffer. The kernel allocates a file for the mapping. */
static int attempt_map(const struct operation *operation)
{
	(void)operation;
	mapped = mmap(NULL, BUFFER_SIZE, PROT_READ, MAP_SHARED, fd, 0);
	return mapped == MAP_FAILED ? errno : 0;
}

static void unmap(void)
{
	ck_assert_int_eq(munmap(mapped, BUFFER_SIZE), 0);
	mapped = NULL;
}

static int attempt_unmap(const struct operation *operation)
{
	(void)operation;
	return to_error(munmap(mapped, BUFFER_SIZE));
}

/* Maps the buffer, unless it is still mapped because the last attempt to unmap it failed. */
static void map_it(void)
{
	static const struct operation unused;

	if (!mapped)
		ck_assert_int_eq(attempt_map(&unused), 0);
}

static void is_unmapped(void)
{
	mapped = NULL;
}

static void check_buffers(void)
{
	static const struct operation operations[] = {
		{ .name = "mmap()",
		  .attempt = attempt_map,
		  .undo = unmap,
		  .allocates = true },
		{ .name = "munmap()",
		  .attempt = attempt_unmap,
		  .undo = is_unmapped,
		  .before = map_it },
	};

	inject_open();
	fd = default_context(0, BUFFER_SIZE);
	use_busy_counters(fd);
	all_must_survive(operations, COUNT(operations));
	count_must_be_right(fd);
	close(fd);
	no_buffer_is_left();
}
FAULT_TEST(buffers)

/* ---- pages ------------------------------------------------------------------------------------ */

#define PAGES	 64 /* of the buffer */
#define FAILURES 4000

/*
 * Makes the @nth page allocation fail while a context with a buffer is created. Returns true if the
 * creation failed. If the page was not for the buffer, the creation may succeed.
 */
static bool create_in_vain(unsigned int nth)
{
	const pfm_dfl_smpl_arg_t argument = { .buf_size = PAGES * sysconf(_SC_PAGESIZE) };
	struct pfm_create create = { .format_name = (uintptr_t)PFM_DFL_SMPL_NAME,
				     .format_argument = (uintptr_t)&argument,
				     .format_size = sizeof(argument) };
	struct injected found;
	int error;

	fd = pfm_open_device();
	inject_arm(nth);
	error = to_error(ioctl(fd, PFM_IOC_CREATE_CONTEXT, &create));
	found = inject_disarm();
	ck_assert(found.injected);
	ck_assert_msg(!error || error == ENOMEM, "%s", strerror(error));
	close(fd);
	return error == ENOMEM;
}

static void create_in_vain_often(unsigned int failures)
{
	unsigned int failed = 0, turn;

	for (turn = 0; failed < failures; turn++) {
		failed += create_in_vain(PAGES - turn % 8);
		ck_assert_uint_le(turn, 2 * failures);
	}
}

/*
 * Compares the free memory before and after many failures, because the kernel's search for leaks
 * does not cover pages. KASAN keeps freed memory in its quarantine, up to 1/32 of all memory. The
 * failures before the comparison fill the quarantine.
 */
static void check_pages(void)
{
	const int64_t page = sysconf(_SC_PAGESIZE);
	int64_t lost;
	int other;

	inject_open();
	inject_kind(INJECT_PAGE);
	other = make_context(); /* installs the hooks */
	create_in_vain_often(FAILURES);
	lost = free_memory();
	create_in_vain_often(FAILURES);
	lost -= free_memory();
	printf("         %u failures have cost %jd kB of free memory\n", FAILURES,
	       (intmax_t)lost / 1024);
	fflush(stdout);
	ck_assert_msg(lost < FAILURES * page / 2, "the free memory fell by %jd bytes",
		      (intmax_t)lost);
	close(other);
	no_buffer_is_left();
}
FAULT_TEST(pages)
