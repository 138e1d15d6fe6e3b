// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests every call on a context. Each allocation of the call fails in turn: first alone, then
 * together with all later allocations. In both cases the call must fail with ENOMEM and a reason,
 * and must change nothing. When there is memory again, the call must succeed.
 */
#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/wait.h>

#include "attempts.h"
#include "samples.h"

SUITE(call_faults, 600);

/* ---- calls on a context ------------------------------------------------------------------ */

#define MANY 2000 /* number of elements of a long vector, which needs several pages */

static union {
	pfarg_pmc_t pmcs[MANY];
	pfarg_pmd_t pmds[MANY];
	pfarg_pmr_t pmrs[MANY];
	pfarg_setdesc_t sets[MANY];
	struct pfarg_setinfo infos[MANY];
} vector;

/* Fills operation->count elements of @vector, all for the first PMC or PMD, or all for set 0. */
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
	struct pfm_thread_counts counts = {
		.address = (uintptr_t)&vector,
		.count = operation->count,
		.which = PFM_THREAD_OWN,
	};

	if (operation->command == PFM_IOC_READ_THREAD)
		return to_error(pfm_read_thread(fd, &counts));
	return to_error(ioctl(fd, operation->command, &argument));
}

#define VECTOR(name_, command_, type, count_)                                            \
	.name = name_, .attempt = attempt_vector, .command = command_,                   \
	.size = sizeof(type), .count = count_, .reason = true

static void check_vectors(void)
{
	/*
	 * If the kernel cannot allocate the buffer of a long vector, it tries another kind of
	 * allocation. So a single failure does not make the call fail.
	 */
	static const struct operation operations[] = {
		{ VECTOR("write_pmcs, 1", PFM_IOC_WRITE_PMCS, pfarg_pmc_t, 1) },
		{ VECTOR("write_pmcs, 2000", PFM_IOC_WRITE_PMCS, pfarg_pmc_t, MANY) },
		{ VECTOR("write_pmds, 1", PFM_IOC_WRITE_PMDS, pfarg_pmd_t, 1) },
		{ VECTOR("write_pmds, 2000", PFM_IOC_WRITE_PMDS, pfarg_pmd_t, MANY) },
		{ VECTOR("read_pmds, 1", PFM_IOC_READ_PMDS, pfarg_pmd_t, 1) },
		{ VECTOR("read_pmds, 2000", PFM_IOC_READ_PMDS, pfarg_pmd_t, MANY) },
		{ VECTOR("read, 1", PFM_IOC_READ, pfarg_pmr_t, 1) },
		{ VECTOR("read, 2000", PFM_IOC_READ, pfarg_pmr_t, MANY) },
		{ VECTOR("read_thread, 1", PFM_IOC_READ_THREAD, pfarg_pmr_t, 1) },
		{ VECTOR("read_thread, 2000", PFM_IOC_READ_THREAD, pfarg_pmr_t, MANY) },
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

static int attempt_last_error(const struct operation *operation)
{
	struct pfm_error error;

	(void)operation;
	return to_error(pfm_get_error(fd, &error));
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

/*
 * Duplicates the descriptor. If operation->count is high, the kernel has to enlarge the table of
 * descriptors.
 */
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

static void load_self_and_start(void)
{
	load_self();
	must(fd, pfm_start(fd, NULL));
}

/*
 * Loads the context on a child and ends the child. So the context has a message about the child's
 * end.
 */
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

/*
 * Loads the context on a child that ends after 100 ms. So a read has to wait for the message about
 * the child's end.
 */
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
		{ .name = "read(), no message",
		  .attempt = attempt_read_message,
		  .normally = EAGAIN },
		{ .name = "read(), waiting for a message",
		  .attempt = attempt_read_message,
		  .undo = wait_no_more,
		  .before = wait_for_message },
		{ .name = "poll()", .attempt = attempt_poll },
		{ .name = "epoll_ctl()", .attempt = attempt_epoll, .undo = undo_epoll },
		/* perfmon calls fasync_helper(), which allocates memory */
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

/* ---- loading ------------------------------------------------------------------------------- */

static void target_self(void)
{
	load_target = thread_id();
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
		ck_assert_int_eq(
			pthread_create(&thread, NULL, wait_for_end, &load_target), 0);
		wait_until(__atomic_load_n(&load_target, __ATOMIC_ACQUIRE) != getpid());
	}
}

/*
 * Replaces the child by a new child. proc has cached files of the old child, so a load on the old
 * child would allocate less memory.
 */
static void target_process(void)
{
	if (child.pid)
		child_exit(&child);
	make_message(); /* a failed load must not remove the message */
	child = child_new();
	load_target = child.pid;
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
		/* the caller has CAP_PERFMON, so the load does not check permissions */
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
	/* The permission check opens a proc file. */
	static const struct operation operation = {
		"load, a user's process", attempt_load,	     unload,
		target_process,		  .allocates = true, .reason = true
	};

	inject_open();
	/* The tests change the level of the console, which needs CAP_SYSLOG. */
	become_with_capability(USER_ID, CAP_SYSLOG);
	fd = busy_context();
	must_survive(&operation);
	count_must_be_right(fd);
}
FAULT_TEST(loading_by_a_user)

/*
 * With PFM_FL_NOTIFY_BLOCK the monitored thread may block after an overflow. Each load allocates
 * memory for this case: see pfm_block_create().
 */
static void check_loading_to_block(void)
{
	static const struct operation operation = {
		.name = "load on a process that may block",
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

/* ---- a context that is masked ------------------------------------------------------- */

/*
 * Loads the context on this thread, which loops until a sample fills the buffer. Then monitoring is
 * masked, and there is a message.
 */
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
