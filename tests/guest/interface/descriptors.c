// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests what happens when the descriptor of a context is closed, duplicated, inherited or sent.
 */
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "status.h"

SUITE(descriptors, 120);

TEST(closing_a_loaded_context_leaves_the_target_alone)
{
	struct child child = child_new();
	int fd = busy_context_on(child.pid);
	uint64_t turns;

	child_busy(&child);
	close(fd);
	ck_assert_uint_eq(sessions(), 0);
	turns = child.page->turns;
	wait_until(child.page->turns > turns);
	child_rest(&child);
	ck_assert_uint_ge(child_call(&child, child_work, 10), 10);
	fd = busy_context_on(child.pid); /* the thread can be monitored again */
	ck_assert_uint_eq(child_exit(&child), 0);
	must_end(fd);
}

TEST(a_duplicate_keeps_the_context)
{
	int fd = busy_context_on(thread_id()), duplicate = dup(fd);

	close(fd);
	ck_assert_uint_eq(sessions(), 1);
	spin_turns(1000);
	ck_assert_uint_gt(busy_count(duplicate), 0);
	close(duplicate);
	ck_assert_uint_eq(sessions(), 0);
}

TEST(a_context_survives_exec_of_its_owner_unless_asked_otherwise)
{
	int fd = make_context();

	ck_assert_int_eq(fcntl(fd, F_GETFD) & FD_CLOEXEC, 0);
}

TEST(a_descriptor_inherited_by_fork_is_the_same_context)
{
	struct child target = child_new();
	int fd = busy_context(), status;
	pid_t pid = fork();

	if (pid == 0) {
		/* the child exits with status 0 only if both calls succeed */
		_exit(try_load(fd, target.pid) || pfm_start(fd, NULL));
	}
	waitpid(pid, &status, 0);
	ck_assert_int_eq(status, 0);
	/* the child has exited; the parent still has the context */
	must_have_status(fd, PFM_STATE_LOADED, PFM_STATUS_STARTED, target.pid);
	child_call(&target, child_work, 10);
	ck_assert_uint_ge(read_pmd(fd, PFM_PMD_MINOR_FAULTS), 10);
}

TEST(the_last_close_may_come_from_another_process)
{
	struct child target = child_new();
	int fd = busy_context_on(target.pid), gate[2];
	char byte = 0;
	pid_t pid;

	child_busy(&target);
	ck_assert_int_eq(pipe(gate), 0);
	pid = fork();
	if (pid == 0) {
		close(gate[1]);
		_exit(read(gate[0], &byte, 1) == 1 ? close(fd) : 1);
	}
	close(fd);
	ck_assert_uint_eq(sessions(), 1);
	ck_assert_int_eq(write(gate[1], &byte, 1), 1);
	waitpid(pid, NULL, 0);
	ck_assert_uint_eq(sessions(), 0);
	child_rest(&target);
}

static void send_descriptor(int socket, int fd)
{
	char byte = 0, control[CMSG_SPACE(sizeof(int))] = {};
	struct iovec data = { &byte, 1 };
	struct msghdr header = { .msg_iov = &data,
				 .msg_iovlen = 1,
				 .msg_control = control,
				 .msg_controllen = sizeof(control) };
	struct cmsghdr *rights = CMSG_FIRSTHDR(&header);

	rights->cmsg_level = SOL_SOCKET;
	rights->cmsg_type = SCM_RIGHTS;
	rights->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(rights), &fd, sizeof(fd));
	ck_assert_int_eq(sendmsg(socket, &header, 0), 1);
}

static int receive_descriptor(int socket)
{
	char byte, control[CMSG_SPACE(sizeof(int))];
	struct iovec data = { &byte, 1 };
	struct msghdr header = { .msg_iov = &data,
				 .msg_iovlen = 1,
				 .msg_control = control,
				 .msg_controllen = sizeof(control) };
	int fd;

	if (recvmsg(socket, &header, 0) != 1)
		return -1;
	memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&header)), sizeof(fd));
	return fd;
}

TEST(a_descriptor_sent_through_a_socket_is_the_same_context)
{
	struct child target = child_new();
	int sockets[2], fd, status;
	pid_t pid;

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
	pid = fork();
	if (pid == 0) {
		fd = receive_descriptor(sockets[1]);
		if (pfm_start(fd, NULL) || pfm_stop(fd) || pfm_unload_context(fd))
			_exit(1);
		_exit(0);
	}
	fd = busy_context();
	load(fd, target.pid);
	send_descriptor(sockets[0], fd);
	waitpid(pid, &status, 0);
	ck_assert_int_eq(status, 0);
	must_have_status(fd, PFM_STATE_UNLOADED, 0, 0);
	close(fd);
	ck_assert_uint_eq(sessions(), 0);
}

/* A descriptor is sent through a socket, which is closed before anybody receives the descriptor. */
TEST(a_descriptor_lost_in_a_socket_is_closed)
{
	int sockets[2], fd = busy_context_on(thread_id());

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
	send_descriptor(sockets[0], fd);
	close(fd);
	ck_assert_uint_eq(sessions(), 1);
	close(sockets[0]);
	close(sockets[1]);
	wait_until(sessions() == 0);
}

/*
 * Returns the address of a page that never becomes available. A thread that touches this page waits
 * until the thread is killed.
 */
static void *page_that_never_comes(void)
{
	const size_t size = sysconf(_SC_PAGESIZE);
	void *page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			  -1, 0);
	struct uffdio_register range = {
		.range = { .start = (uintptr_t)page, .len = size },
		.mode = UFFDIO_REGISTER_MODE_MISSING,
	};
	struct uffdio_api api = { .api = UFFD_API };
	int faults = syscall(SYS_userfaultfd, O_CLOEXEC);

	if (page == MAP_FAILED || faults == -1 || ioctl(faults, UFFDIO_API, &api) ||
	    ioctl(faults, UFFDIO_REGISTER, &range))
		_exit(1);
	return page;
}

TEST(a_call_that_waits_for_another_one_can_be_killed)
{
	int fd = make_context();
	pid_t first, second;

	first = fork();
	if (first == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pfm_write_pmds(fd, page_that_never_comes(), 1);
		_exit(1);
	}
	wait_until(thread_state(first) == 'S');
	second = fork();
	if (second == 0) {
		pfm_stop(fd);
		_exit(1);
	}
	wait_until(thread_state(second) == 'D');
	ck_assert_int_eq(kill(second, SIGKILL), 0);
	wait_until(waitpid(second, NULL, WNOHANG) == second);
	ck_assert_int_eq(thread_state(first), 'S');
	ck_assert_int_eq(kill(first, SIGKILL), 0);
	ck_assert_int_eq(waitpid(first, NULL, 0), first);
	must_fail(fd, pfm_stop(fd), EINVAL, PFM_REASON_UNLOADED, NO_INDEX);
}
