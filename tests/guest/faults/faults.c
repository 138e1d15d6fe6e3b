// SPDX-License-Identifier: GPL-2.0-only
/*
 * Every allocation in every call fails in turn, and then it and all that follow:
 * the call says ENOMEM and why, nothing has changed, and the same call works when
 * there is memory again.
 *
 * What leaks is found by the debug guest's search for it, after the tests.
 */
#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "samples.h"
#include "survive.h"

SUITE(faults, 600);

static pid_t target;

/* ---- opening and creating ------------------------------------------------------------ */

static int opened;

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

static void close_opened(void)
{
	close(opened);
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

/* Several pages, and an array of them. */
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

/* Not even of an attempt that failed. */
static void no_buffer_is_left(void)
{
	ck_assert_uint_eq(read_number(SYSFS "smpl_buffer_mem_cur"), 0);
}

static void unload_pmu(void)
{
	close(fd);
	must_do(module_unload(best_pmu_module()), "unloading", best_pmu_module());
}

/* The hooks of the scheduler are not in place, nor is there a context. */
static void modules_anew(void)
{
	unload_pmu();
	must_do(module_unload("perfmon"), "unloading", "perfmon");
	must_do(module_load("perfmon", ""), "loading", "perfmon");
	must_do(module_load(best_pmu_module(), ""), "loading", best_pmu_module());
	fd = pfm_open_device();
}

/* Every attempt begins without PMU, whatever the one before has loaded. */
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

static int attempt_info(const struct operation *operation)
{
	static struct pfm_info info;
	int error;

	(void)operation;
	error = to_error(ioctl(fd, PFM_IOC_INFO, &info));
	/* Success has to bring the PMU. */
	return error ?: info.pmu_name[0] ? 0 : ENOSYS;
}

static void check_creating(void)
{
	static const struct operation operations[] = {
		{ .name = "open",
		  .attempt = attempt_open,
		  .undo = close_opened,
		  .allocates = true },
		/* the event set: kvmalloc() has a fallback of its own */
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
	other = make_context(); /* the hooks are in place */
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
		/* three hooks */
		{ .name = "create, the first one",
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

/* ---- calls on a context ------------------------------------------------------------------ */

#define MANY 2000 /* elements: several pages */

static union {
	pfarg_pmc_t pmcs[MANY];
	pfarg_pmd_t pmds[MANY];
	pfarg_pmr_t pmrs[MANY];
	pfarg_setdesc_t sets[MANY];
	struct pfarg_setinfo infos[MANY];
} vector;

/* The first @count elements name the first PMC or PMD; of sets it is set 0. */
static void fill_vector(const struct operation *operation)
{
	int i;

	memset(&vector, 0, sizeof(vector));
	for (i = 0; i < operation->count; i++) {
		if (operation->command == PFM_IOC_WRITE_PMCS)
			vector.pmcs[i].reg_value = pmu()->busy[0];
		if (operation->command != PFM_IOC_CREATE_EVTSETS &&
		    operation->command != PFM_IOC_DELETE_EVTSETS &&
		    operation->command != PFM_IOC_GETINFO_EVTSETS)
			*(uint16_t *)((char *)&vector + i * operation->size) =
				pmu()->pmcs[0];
	}
}

static int attempt_vector(const struct operation *operation)
{
	struct pfm_vector argument = { (uintptr_t)&vector, operation->count, 0 };

	return to_error(ioctl(fd, operation->command, &argument));
}

#define VECTOR(name_, command_, type, count_)                                            \
	.name = name_, .attempt = attempt_vector, .command = command_,                   \
	.size = sizeof(type), .count = count_, .reason = true

static void check_vectors(void)
{
	/* The buffer of a long vector has a fallback: only the rest makes it fail. */
	static const struct operation operations[] = {
		{ VECTOR("write_pmcs, 1", PFM_IOC_WRITE_PMCS, pfarg_pmc_t, 1) },
		{ VECTOR("write_pmcs, 2000", PFM_IOC_WRITE_PMCS, pfarg_pmc_t, MANY) },
		{ VECTOR("write_pmds, 1", PFM_IOC_WRITE_PMDS, pfarg_pmd_t, 1) },
		{ VECTOR("write_pmds, 2000", PFM_IOC_WRITE_PMDS, pfarg_pmd_t, MANY) },
		{ VECTOR("read_pmds, 1", PFM_IOC_READ_PMDS, pfarg_pmd_t, 1) },
		{ VECTOR("read_pmds, 2000", PFM_IOC_READ_PMDS, pfarg_pmd_t, MANY) },
		{ VECTOR("read, 1", PFM_IOC_READ, pfarg_pmr_t, 1) },
		{ VECTOR("read, 2000", PFM_IOC_READ, pfarg_pmr_t, MANY) },
		{ VECTOR("create_evtsets, 1", PFM_IOC_CREATE_EVTSETS, pfarg_setdesc_t,
			 1) },
		{ VECTOR("create_evtsets, 2000", PFM_IOC_CREATE_EVTSETS, pfarg_setdesc_t,
			 MANY) },
		{ VECTOR("getinfo_evtsets, 1", PFM_IOC_GETINFO_EVTSETS,
			 struct pfarg_setinfo, 1) },
		{ VECTOR("getinfo_evtsets, 2000", PFM_IOC_GETINFO_EVTSETS,
			 struct pfarg_setinfo, MANY) },
		/* set 0 cannot be deleted */
		{ VECTOR("delete_evtsets, 1", PFM_IOC_DELETE_EVTSETS, pfarg_setdesc_t, 1),
		  .normally = EINVAL },
		{ VECTOR("delete_evtsets, 2000", PFM_IOC_DELETE_EVTSETS, pfarg_setdesc_t,
			 MANY),
		  .normally = EINVAL },
	};
	size_t i;

	inject_open();
	write_text(SYSFS "arg_mem_max", "1000000\n");
	fd = busy_context();
	for (i = 0; i < COUNT(operations); i++) {
		fill_vector(&operations[i]);
		must_survive(&operations[i]);
	}
	count_must_be_right(fd);
}
FAULT_TEST(vectors)

static int attempt_start(const struct operation *operation)
{
	(void)operation;
	return to_error(pfm_start(fd, NULL));
}

static int attempt_stop(const struct operation *operation)
{
	(void)operation;
	return to_error(pfm_stop(fd));
}

static int attempt_restart(const struct operation *operation)
{
	(void)operation;
	return to_error(pfm_restart(fd));
}

static int attempt_unload(const struct operation *operation)
{
	(void)operation;
	return to_error(pfm_unload_context(fd));
}

static int attempt_last_error(const struct operation *operation)
{
	struct pfm_error error;

	(void)operation;
	return to_error(pfm_get_error(fd, &error));
}

static int attempt_status(const struct operation *operation)
{
	struct pfm_status status;

	(void)operation;
	return to_error(pfm_get_status(fd, &status));
}

static int attempt_read_message(const struct operation *operation)
{
	struct pfarg_ovfl_msg message;

	(void)operation;
	return to_error(read(fd, &message, sizeof(message)));
}

static int attempt_poll(const struct operation *operation)
{
	struct pollfd pollfd = { .fd = fd, .events = POLLIN };

	(void)operation;
	return to_error(poll(&pollfd, 1, 0));
}

static int attempt_close(const struct operation *operation)
{
	(void)operation;
	return to_error(close(fd));
}

static void context_anew(void)
{
	fd = busy_context();
}

static int epoll_fd;

static int attempt_epoll(const struct operation *operation)
{
	struct epoll_event event = { .events = EPOLLIN };

	(void)operation;
	return to_error(epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &event));
}

static void undo_epoll(void)
{
	ck_assert_int_eq(epoll_ctl(epoll_fd, EPOLL_CTL_DEL, fd, NULL), 0);
}

static int set_flags(int flags)
{
	return to_error(fcntl(fd, F_SETFL, flags));
}

static int attempt_async(const struct operation *operation)
{
	(void)operation;
	return set_flags(O_NONBLOCK | O_ASYNC);
}

static void undo_async(void)
{
	ck_assert_int_eq(set_flags(O_NONBLOCK), 0);
}

/* A number whose table of descriptors is longer than what there is. */
static int attempt_dup(const struct operation *operation)
{
	(void)operation;
	opened = fcntl(fd, F_DUPFD_CLOEXEC, operation->count);
	return to_error(opened);
}

static void load_self(void)
{
	load(fd, thread_id());
}

static void unload(void)
{
	must(fd, pfm_unload_context(fd));
}

static void load_self_and_start(void)
{
	load_self();
	must(fd, pfm_start(fd, NULL));
}

/* The END of a child is the message that waits. */
static void make_message(void)
{
	struct child ended = child_new();

	load(fd, ended.pid);
	child_exit(&ended);
}

static uint64_t end_soon(uint64_t unused)
{
	(void)unused;
	usleep(100000);
	_exit(EXIT_SUCCESS);
}

/* The reader waits for the message: it comes when he sleeps. */
static void wait_for_message(void)
{
	ck_assert_int_eq(fcntl(fd, F_SETFL, 0), 0);
	child = child_new();
	load(fd, child.pid);
	child_begin(&child, end_soon, 0);
}

static void wait_no_more(void)
{
	ck_assert_int_eq(waitpid(child.pid, NULL, 0), child.pid);
	close(child.commands);
	close(child.results);
	ck_assert_int_eq(fcntl(fd, F_SETFL, O_NONBLOCK), 0);
}

static void check_calls(void)
{
	static const struct operation operations[] = {
		{ .name = "start",
		  .attempt = attempt_start,
		  .undo = unload,
		  .before = load_self },
		{ .name = "stop",
		  .attempt = attempt_stop,
		  .undo = unload,
		  .before = load_self_and_start },
		{ .name = "restart", .attempt = attempt_restart, .normally = EBUSY },
		{ .name = "unload",
		  .attempt = attempt_unload,
		  .before = load_self_and_start },
		{ .name = "info", .attempt = attempt_info },
		{ .name = "last_error", .attempt = attempt_last_error },
		{ .name = "status", .attempt = attempt_status },
		{ .name = "read(), a message",
		  .attempt = attempt_read_message,
		  .before = make_message },
		{ .name = "read(), none",
		  .attempt = attempt_read_message,
		  .normally = EAGAIN },
		{ .name = "read(), waiting for a message",
		  .attempt = attempt_read_message,
		  .undo = wait_no_more,
		  .before = wait_for_message },
		{ .name = "poll()", .attempt = attempt_poll },
		{ .name = "epoll_ctl()", .attempt = attempt_epoll, .undo = undo_epoll },
		/* of fcntl(): fasync_alloc(), called by our fasync_helper() */
		{ .name = "O_ASYNC",
		  .attempt = attempt_async,
		  .undo = undo_async,
		  .allocates = true },
		{ .name = "dup()",
		  .attempt = attempt_dup,
		  .undo = close_opened,
		  .count = 0 },
		{ .name = "dup(), a high number",
		  .attempt = attempt_dup,
		  .undo = close_opened,
		  .count = 900 },
		{ .name = "close(), unloaded",
		  .attempt = attempt_close,
		  .undo = context_anew },
		{ .name = "close(), loaded",
		  .attempt = attempt_close,
		  .undo = context_anew,
		  .before = load_self_and_start },
	};

	inject_open();
	fd = busy_context();
	ck_assert_int_eq(set_flags(O_NONBLOCK), 0);
	epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	all_must_survive(operations, COUNT(operations));
	count_must_be_right(fd);
}
FAULT_TEST(calls)

/* ---- attaching ----------------------------------------------------------------------------- */

static int attempt_load(const struct operation *operation)
{
	(void)operation;
	return to_error(try_load(fd, target));
}

static void target_self(void)
{
	target = thread_id();
}

static void *wait_for_end(void *argument)
{
	__atomic_store_n((pid_t *)argument, thread_id(), __ATOMIC_RELEASE);
	pause();
	return NULL;
}

static void target_thread(void)
{
	static pthread_t thread;

	if (!thread) {
		ck_assert_int_eq(pthread_create(&thread, NULL, wait_for_end, &target), 0);
		wait_until(__atomic_load_n(&target, __ATOMIC_ACQUIRE) != getpid());
	}
}

/* A fresh one: of the old one proc has files in its cache. */
static void target_process(void)
{
	if (child.pid)
		child_exit(&child);
	make_message(); /* must survive a load that fails */
	child = child_new();
	target = child.pid;
}

static void check_loading(void)
{
	static const struct operation operations[] = {
		{ .name = "load, self",
		  .attempt = attempt_load,
		  .undo = unload,
		  .before = target_self,
		  .reason = true },
		{ .name = "load, a thread",
		  .attempt = attempt_load,
		  .undo = unload,
		  .before = target_thread,
		  .reason = true },
		/* by CAP_PERFMON: nobody is asked */
		{ .name = "load, a process",
		  .attempt = attempt_load,
		  .undo = unload,
		  .before = target_process,
		  .reason = true },
	};

	inject_open();
	fd = busy_context();
	all_must_survive(operations, COUNT(operations));
	count_must_be_right(fd);
}
FAULT_TEST(loading)

static void check_loading_by_a_user(void)
{
	/* The permission check opens a file of proc. */
	static const struct operation operation = {
		"load, a user's process", attempt_load,	     unload,
		target_process,		  .allocates = true, .reason = true
	};

	inject_open();
	/* To speak with the console, as the tests do. */
	become_with_capability(USER_ID, CAP_SYSLOG);
	fd = busy_context();
	must_survive(&operation);
	count_must_be_right(fd);
}
FAULT_TEST(loading_by_a_user)

/* By the thread that it may make wait: it has something for each loading. */
static void check_loading_to_block(void)
{
	static const struct operation operation = {
		.name = "load, a process that may have to wait",
		.attempt = attempt_load,
		.undo = unload,
		.before = target_process,
		.allocates = true,
		.reason = true,
	};

	inject_open();
	fd = context_with_flags(PFM_FL_NOTIFY_BLOCK);
	use_busy_counters(fd);
	must_survive(&operation);
	child_exit(&child);
	close(fd);
	count_must_be_right(make_context());
}
FAULT_TEST(loading_to_block)

/* ---- the sampling buffer --------------------------------------------------------------------- */

static void *mapped;

/* The mapping has a file of its own. */
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

/* One sample fills it, which masks and leaves a message. */
static void overflow_self(void)
{
	write_one(fd, sampling(0, PERIOD));
	load_and_start(fd, thread_id());
	spin_until_masked(fd);
}

static void end_overflow(void)
{
	end_sampling(fd);
}

static int attempt_unmap(const struct operation *operation)
{
	(void)operation;
	return to_error(munmap(mapped, BUFFER_SIZE));
}

/* It still is if the unmapping has failed. */
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

static void check_restarting(void)
{
	static const struct operation operations[] = {
		{ .name = "restart, masked",
		  .attempt = attempt_restart,
		  .undo = end_overflow,
		  .before = overflow_self },
		{ .name = "read(), an overflow",
		  .attempt = attempt_read_message,
		  .undo = end_overflow,
		  .before = overflow_self },
		{ .name = "unload, masked",
		  .attempt = attempt_unload,
		  .undo = end_overflow,
		  .before = overflow_self },
	};

	need_overflow_interrupts();
	inject_open();
	fd = default_context(0, least_size());
	use_busy_counters(fd);
	ck_assert_int_eq(set_flags(O_NONBLOCK), 0);
	all_must_survive(operations, COUNT(operations));
	count_must_be_right(fd);
}
FAULT_TEST(restarting)

/* ---- pages ------------------------------------------------------------------------------------ */

#define PAGES	 64 /* of the buffer */
#define FAILURES 4000

/* One of the last pages of the buffer cannot be had; false if it was another's page. */
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
 * The kernel's search for leaks does not know pages.  KASAN keeps what is freed until
 * that is a 32nd of memory: the first ones fill it.
 */
static void check_pages(void)
{
	const int64_t page = sysconf(_SC_PAGESIZE);
	int64_t lost;
	int other;

	inject_open();
	inject_kind(INJECT_PAGE);
	other = make_context(); /* the hooks are in place */
	create_in_vain_often(FAILURES);
	lost = free_memory();
	create_in_vain_often(FAILURES);
	lost -= free_memory();
	printf("         %u failures have cost %jd kB of free memory\n", FAILURES,
	       (intmax_t)lost / 1024);
	fflush(stdout);
	ck_assert_msg(lost < FAILURES * page / 2, "%jd bytes fewer are free",
		      (intmax_t)lost);
	close(other);
	no_buffer_is_left();
}
FAULT_TEST(pages)
