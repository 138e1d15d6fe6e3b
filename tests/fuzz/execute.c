/* SPDX-License-Identifier: GPL-2.0-only */
/* Executes the operations of a plan. */
#include <fcntl.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "calls.h"

/* Makes a call that may block for ever. If it blocks, a timer ends it. */
static int do_with_timeout(struct executor *executor, const struct operation *operation)
{
	int error;

	timeout_begin(executor);
	switch (operation->call) {
	case READ:
		error = do_read(executor, operation);
		break;
	case READV:
		error = do_readv(executor, operation);
		break;
	case POLL:
		error = do_poll(executor, operation);
		break;
	default:
		error = do_select(executor, operation);
		break;
	}
	timeout_end(executor);
	return error;
}

/*
 * Executes an operation. Returns its errno if it failed, and 0 if it succeeded. Always returns 0
 * for operations whose errno is not checked (see plan.h).
 */
static int do_call(struct executor *executor, const struct operation *operation)
{
	int fd = descriptor(executor, operation);

	switch (operation->call) {
	case OPEN:
		return do_open(executor, operation);
	case REOPEN:
		return do_reopen(executor, operation);
	case OTHER_IOCTL:
		return do_other_ioctl(executor, operation);
	case READ:
	case READV:
	case POLL:
	case SELECT:
		return do_with_timeout(executor, operation);
	case WRITE:
		return do_write(executor, operation);
	case LSEEK:
		return do_lseek(executor, operation);
	case MMAP:
		return do_mmap(executor, operation);
	case SETTING:
		return do_setting(operation);
	case OPEN_OTHER:
		do_open_other(executor, operation);
		break;
	case CLOSE:
		put_in_slot(executor, operation->slot, -1, CLOSED);
		break;
	case DUP:
		do_dup(executor, operation);
		break;
	case FLAGS:
		/*
		 * ioctls.c marks descriptors with O_APPEND and O_NOATIME, so FLAGS keeps these two
		 * flags.
		 */
		fcntl(fd, F_SETFL,
		      operation->flags | (fcntl(fd, F_GETFL) & (O_APPEND | O_NOATIME)));
		break;
	case OWNER:
		do_owner(executor, operation);
		break;
	case SIGNAL:
		fcntl(fd, F_SETSIG, operation->count);
		break;
	case UNMAP:
		do_unmap(executor);
		break;
	case REMAP:
		do_remap(executor, operation);
		break;
	case SCAN:
		do_scan(executor);
		break;
	case SPAWN:
		do_spawn(executor, operation);
		break;
	case KILL:
		do_kill(executor, operation);
		break;
	case REAP:
		do_reap();
		break;
	case AFFINITY:
		pin(operation->count);
		break;
	case PRIORITY:
		setpriority(PRIO_PROCESS, pid_of(executor, operation), operation->count);
		break;
	case YIELD:
		sched_yield();
		break;
	case SLEEP:
		usleep(operation->count);
		break;
	case WORK:
		do_work(operation);
		break;
	case LOOK:
		do_look(operation);
		break;
	case FILE_TABLE:
		do_file_table();
		break;
	case DEVICE_MODE:
		chmod(PFM_DEVICE, operation->flags);
		break;
	case PROCESSOR:
		write_file("/sys/devices/system/cpu/cpu1/online",
			   operation->value ? "1" : "0");
		break;
	case MODULE:
		do_module(executor, operation);
		break;
	case CANARY:
		canary(operation);
		break;
	default:
		return do_ioctl(executor, operation);
	}
	return 0;
}

/*
 * Executes an operation. If operation->few is set, the process cannot open files during the
 * operation.
 */
static int do_limited(struct executor *executor, const struct operation *operation)
{
	struct rlimit limit;
	int error;

	if (!operation->few)
		return do_call(executor, operation);
	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = 0;
	setrlimit(RLIMIT_NOFILE, &limit);
	error = do_call(executor, operation);
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
	return error;
}

static void do_and_check(struct executor *executor, const struct operation *operation)
{
	struct slot before = slot_now(executor, operation->slot), after;
	const char *why = must_fail(executor, operation, before.kind);
	int error = do_limited(executor, operation);
	bool same;

	after = slot_now(executor, operation->slot);
	same = slots_equal(before, after);
	/*
	 * The slot may have changed after must_fail() looked at it. Then the call may have used
	 * another descriptor, and its success is allowed. OPEN itself changes the slot each time it
	 * succeeds, so OPEN is always checked.
	 */
	if (why && !error && (same || operation->call == OPEN))
		wrong("%s succeeded, though %s (worker %u, slot %u)",
		      call_name(operation->call), why, executor->number, operation->slot);
	remember(executor, operation, error);
	outcome(executor, operation, error, same ? before.kind : UNSURE);
}

void execute(struct executor *executor, const struct operation *operations,
	     unsigned int count)
{
	unsigned int n;

	for (n = 0; n < count; n++) {
		if (operations[n].call == FORK)
			n += do_fork(executor, &operations[n], count - n - 1);
		else
			do_and_check(executor, &operations[n]);
	}
}
