// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests the sampling format "callchain": the maximum numbers of kernel addresses and of user
 * addresses in a stack, and the addresses in the kernel's part of a stack. The tests expect
 * addresses in functions that the sampled system call always executes.
 */
#include <dirent.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "callchain.h"

SUITE(callchain_kernel, 120);

/* ---- limits -------------------------------------------------------------------------------- */

/*
 * For child_call(): reads zeros until page->stop is set. Most of the time is spent in the kernel.
 */
static NESTED uint64_t read_until_stopped(uint64_t unused)
{
	struct child_page *page = child_own_page();
	static char buffer[65536];
	int fd = open("/dev/zero", O_RDONLY);

	(void)unused;
	while (!page->stop && read(fd, buffer, sizeof(buffer)) == sizeof(buffer))
		page->turns++;
	close(fd);
	return page->turns;
}

/*
 * Like read_until_stopped(), but reads into pages that are not present. So the kernel has page
 * faults while it writes the zeros.
 */
static NESTED uint64_t read_to_new_pages(uint64_t unused)
{
	struct child_page *page = child_own_page();
	int fd = open("/dev/zero", O_RDONLY);
	void *buffer;

	(void)unused;
	while (!page->stop) {
		buffer = mmap(NULL, MIB, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (buffer == MAP_FAILED || read(fd, buffer, MIB) != MIB)
			break;
		munmap(buffer, MIB);
		page->turns++;
	}
	close(fd);
	return page->turns;
}

/* Samples the child while it reads zeros. */
static void sample_reader(const struct callchain *chain, const struct child *child,
			  uint64_t (*reader)(uint64_t))
{
	child->page->stop = child->page->turns = 0;
	child_begin(child, reader, 0);
	wait_until(child->page->turns);
	callchain_start(chain, child->pid);
	wait_for_samples(chain, 100);
	must(chain->fd, pfm_unload_context(chain->fd));
	child_rest(child);
}

static void must_be_limited(const struct child *child, uint32_t flags,
			    unsigned int max_kernel, unsigned int max_user)
{
	const struct pfm_callchain_arg argument = { .buf_size = MIB,
						    .flags = flags,
						    .max_kernel = max_kernel,
						    .max_user = max_user };
	const unsigned int most_kernel = flags & PFM_CALLCHAIN_NO_KERNEL ? 0 : max_kernel;
	const unsigned int most_user = flags & PFM_CALLCHAIN_NO_USER ? 0 : max_user;
	struct callchain chain = callchain_of(&argument);
	unsigned int deepest_kernel = 0, deepest_user = 0;
	entry_t entry;

	ck_assert_uint_eq(chain.header->hdr_buf_flags,
			  most_kernel | most_user << 16 |
				  (flags & PFM_CALLCHAIN_LINK ? 0x8000 : 0));
	sample_reader(&chain, child, read_until_stopped);
	for_each_entry(entry, &chain) {
		if (entry->kernel_count > deepest_kernel)
			deepest_kernel = entry->kernel_count;
		if (entry->user_count > deepest_user)
			deepest_user = entry->user_count;
	}
	ck_assert_uint_eq(deepest_kernel, most_kernel);
	ck_assert_uint_eq(deepest_user, most_user);
	callchain_free(&chain);
}

static void check_limits(void)
{
	struct child child = child_new();

	need_overflow_interrupts();
	must_be_limited(&child, 0, 1, 1);
	must_be_limited(&child, 0, 3, 1);
	must_be_limited(&child, PFM_CALLCHAIN_LINK, 1, 1);
	must_be_limited(&child, PFM_CALLCHAIN_LINK, 3, 2);
	must_be_limited(&child, PFM_CALLCHAIN_NO_KERNEL, 3, 1);
	must_be_limited(&child, PFM_CALLCHAIN_NO_USER, 3, 1);
	must_be_limited(&child, PFM_CALLCHAIN_NO_KERNEL | PFM_CALLCHAIN_NO_USER, 3, 1);
	child_exit(&child);
}

TEST(each_part_has_the_depth_that_was_requested)
{
	with_formats(check_limits);
}

/* ---- the kernel's part ------------------------------------------------------------------------ */

/*
 * must_be_called_by() checks that an address in @function is followed by an address in @function or
 * in @caller. It skips the first FIRST_SURE addresses. The caller of the first address may be
 * missing, because the interrupted function may not have made its frame yet. On POWER the second
 * and the third address may be values that earlier calls left on the stack.
 */
#if defined(__powerpc64__)
#define FIRST_SURE 3
#else
#define FIRST_SURE 1
#endif

static void must_be_called_by(entry_t entry, const struct function *function,
			      const struct function *caller)
{
	const uint64_t *kernel = kernel_of(entry);
	unsigned int i;

	for (i = FIRST_SURE; i + 1 < entry->kernel_count; i++)
		ck_assert_msg(!is_in(kernel[i], function) ||
				      is_in(kernel[i + 1], function) ||
				      is_in(kernel[i + 1], caller),
			      "the caller of the code at 0x%jx is at 0x%jx",
			      (uintmax_t)kernel[i], (uintmax_t)kernel[i + 1]);
}

static void check_kernel(void)
{
	struct function vfs_read, ksys_read, overflow, format;
	struct child child = child_new();
	struct callchain chain;
	uint64_t in_read = 0;
	entry_t entry;

	need_overflow_interrupts();
	chain = callchain_new(0);
	vfs_read = find_function("vfs_read");
	ksys_read = find_function("ksys_read");
	overflow = find_function("pfm_overflow");
	format = find_module("perfmon_fmt_callchain");
	sample_reader(&chain, &child, read_until_stopped);
	must_be_whole_chains(&chain, true);
	for_each_entry(entry, &chain) {
		must_be_called_by(entry, &vfs_read, &ksys_read);
		in_read += passes(entry, &vfs_read);
		/*
		 * The chain must start at the interrupted instruction, not in the interrupt
		 * handler.
		 */
		ck_assert(!passes(entry, &overflow) && !passes(entry, &format));
		ck_assert_uint_ge(entry->user_count, 1);
	}
	ck_assert_uint_ge(in_read, 5);
	child_exit(&child);
}

TEST(the_kernels_stack_shows_the_system_call)
{
	with_formats(check_kernel);
}

/* read_zero() calls a function that is written in assembler and has no frame. */
static void check_kernel_leaf(void)
{
	struct function leaf_function, caller;
	struct child child = child_new();
	struct callchain chain;
	uint64_t in_leaf = 0;
	entry_t entry;

	need_overflow_interrupts();
	chain = callchain_new(PFM_CALLCHAIN_LINK);
	leaf_function = find_function("__arch_clear_user");
	caller = find_function("read_zero");
	sample_reader(&chain, &child, read_until_stopped);
	must_be_whole_chains(&chain, true);
	for_each_entry(entry, &chain) {
		if (!entry->kernel_count)
			continue;
		ck_assert_uint_eq(entry->flags & PFM_CALLCHAIN_KERNEL_LINK,
				  PFM_CALLCHAIN_KERNEL_LINK);
		if (!is_in(kernel_of(entry)[0], &leaf_function))
			continue;
		in_leaf++;
		ck_assert_msg(is_in(kernel_of(entry)[1], &caller),
			      "the caller of the leaf function is at 0x%jx",
			      (uintmax_t)kernel_of(entry)[1]);
		/* The rest of the entry must not contain the link register a second time. */
		ck_assert_uint_gt(entry->kernel_count, 2);
		ck_assert_msg(!is_in(kernel_of(entry)[2], &caller),
			      "the caller 0x%jx appears twice",
			      (uintmax_t)kernel_of(entry)[2]);
	}
	ck_assert_uint_ge(in_leaf, 5);
	child_exit(&child);
}

TEST(the_link_register_gives_the_caller_in_the_kernel)
{
	if (HAS_LINK)
		with_formats(check_kernel_leaf);
}

/*
 * read() writes to pages that are not present yet, so the kernel takes page faults. The chain must
 * continue from the page fault to read().
 */
static void check_exception(void)
{
	struct function fault, vfs_read;
	struct child child = child_new();
	struct callchain chain;
	uint64_t faults = 0, of_read = 0;
	entry_t entry;

	need_overflow_interrupts();
	chain = callchain_new(0);
	fault = find_function("handle_mm_fault");
	vfs_read = find_function("vfs_read");
	sample_reader(&chain, &child, read_to_new_pages);
	must_be_whole_chains(&chain, true);
	for_each_entry(entry, &chain) {
		if (!passes(entry, &fault))
			continue;
		faults++;
		of_read += passes(entry, &vfs_read);
	}
	ck_assert_uint_ge(faults, 5);
	/* Only a few of the faults come from the program's own code, outside of read(). */
	must_be_between(of_read, faults * 9 / 10, faults);
	child_exit(&child);
}

TEST(the_kernels_stack_continues_beyond_an_exception)
{
	with_formats(check_exception);
}

static void check_ordinary_user(void)
{
	struct child child = child_new();
	struct callchain chain;
	entry_t entry;

	need_overflow_interrupts();
	child_call(&child, child_set_uid, USER_ID);
	become(USER_ID);
	chain = callchain_new(0);
	sample_reader(&chain, &child, read_until_stopped);
	ck_assert_uint_ge(must_be_whole_chains(&chain, false), 100);
	for_each_entry(entry, &chain) {
		ck_assert_uint_eq(entry->kernel_count, 0);
	}
	child_exit(&child);
}

TEST(an_ordinary_user_sees_nothing_of_the_kernel)
{
	with_formats(check_ordinary_user);
}

/* ---- a thread without user code --------------------------------------------------------------- */

/*
 * Creates an io_uring with a submission queue thread (IORING_SETUP_SQPOLL). This thread belongs to
 * the process but runs only in the kernel. After its first request, the thread polls for more
 * requests all the time. Returns the descriptor of the io_uring. A close of this descriptor ends
 * the thread.
 */
static int ring_with_thread(void)
{
	struct io_uring_params parameters = { .flags = IORING_SETUP_SQPOLL,
					      .sq_thread_idle = 1000000 };
	int ring = syscall(SYS_io_uring_setup, 1, &parameters);
	size_t size = parameters.sq_off.array + sizeof(uint32_t);
	char *memory;

	if (ring == -1 && errno == ENOSYS)
		skip("the kernel has no io_uring");
	ck_assert_msg(ring != -1, "io_uring_setup: %s", strerror(errno));
	memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, ring,
		      IORING_OFF_SQ_RING);
	ck_assert_ptr_ne(memory, MAP_FAILED);
	/* A request that is all zeros is IORING_OP_NOP. */
	__atomic_store_n((uint32_t *)(memory + parameters.sq_off.tail), 1,
			 __ATOMIC_RELEASE);
	munmap(memory, size);
	ck_assert_int_ne(syscall(SYS_io_uring_enter, ring, 1, 0, IORING_ENTER_SQ_WAKEUP,
				 NULL, 0),
			 -1);
	return ring;
}

/* Returns the ID of the only other thread of the calling process. */
static pid_t other_thread(void)
{
	DIR *tasks = opendir("/proc/self/task");
	const struct dirent *entry;
	pid_t tid = 0;

	ck_assert_ptr_ne(tasks, NULL);
	while ((entry = readdir(tasks)))
		if (entry->d_name[0] != '.' && atoi(entry->d_name) != thread_id())
			tid = atoi(entry->d_name);
	closedir(tasks);
	ck_assert_int_ne(tid, 0);
	return tid;
}

static void check_ring(void)
{
	struct callchain chain;
	entry_t entry;
	int ring;

	need_overflow_interrupts();
	ring = ring_with_thread();
	chain = callchain_new(0);
	callchain_start(&chain, other_thread());
	wait_for_samples(&chain, 100);
	must(chain.fd, pfm_unload_context(chain.fd));
	must_be_whole_chains(&chain, true);
	for_each_entry(entry, &chain) {
		ck_assert(is_of_kernel(entry->sample.ip));
		if (!is_in_switch(entry))
			ck_assert_uint_eq(entry->user_count, 0);
	}
	callchain_free(&chain);
	close(ring);
}

TEST(a_thread_without_user_code_has_only_the_kernels_part)
{
	with_formats(check_ring);
}

/*
 * The thread of the io_uring has the credentials of the process. For an ordinary user, most PMUs
 * count only at user level, so there are no samples of this thread. QEMU's POWER PMU counts at all
 * levels, so there are samples, but they must contain no address.
 */
static void check_ring_of_ordinary_user(void)
{
	struct callchain chain;
	entry_t entry;
	int ring;

	need_overflow_interrupts();
	become(USER_ID);
	ring = ring_with_thread();
	chain = callchain_new(0);
	callchain_start(&chain, other_thread());
	usleep(100000);
	must(chain.fd, pfm_unload_context(chain.fd));
	if (pmu_is("power") && getenv("QEMU_VERSION"))
		ck_assert_uint_gt(chain.header->hdr_count, 0);
	for_each_entry(entry, &chain) {
		ck_assert_uint_eq(entry->sample.ip, 0);
		ck_assert_uint_eq(entry->kernel_count, 0);
		ck_assert_uint_eq(entry->user_count, 0);
	}
	callchain_free(&chain);
	close(ring);
}

TEST(an_ordinary_user_sees_no_address_of_a_thread_without_user_code)
{
	with_formats(check_ring_of_ordinary_user);
}
