/* SPDX-License-Identifier: GPL-2.0-only */
/* One operation of a plan, done. */
#include <fcntl.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "calls.h"

/* These may wait for ever. */
static int do_patiently(struct actor *actor, const struct operation *operation)
{
	int error;

	patience_begin(actor);
	switch (operation->call) {
	case READ:
		error = do_read(actor, operation);
		break;
	case READV:
		error = do_readv(actor, operation);
		break;
	case POLL:
		error = do_poll(actor, operation);
		break;
	default:
		error = do_select(actor, operation);
		break;
	}
	patience_end(actor);
	return error;
}

/* The errno of a call that is looked at, else 0. */
static int do_call(struct actor *actor, const struct operation *operation)
{
	int fd = descriptor(actor, operation);

	switch (operation->call) {
	case OPEN:
		return do_open(actor, operation);
	case REOPEN:
		return do_reopen(actor, operation);
	case OTHER_IOCTL:
		return do_other_ioctl(actor, operation);
	case READ:
	case READV:
	case POLL:
	case SELECT:
		return do_patiently(actor, operation);
	case WRITE:
		return do_write(actor, operation);
	case LSEEK:
		return do_lseek(actor, operation);
	case MMAP:
		return do_mmap(actor, operation);
	case SETTING:
		return do_setting(operation);
	case OPEN_OTHER:
		do_open_other(actor, operation);
		break;
	case CLOSE:
		put_in_slot(actor, operation->slot, -1);
		break;
	case DUP:
		do_dup(actor, operation);
		break;
	case FLAGS:
		/* But a mark of ours (ioctls.c) stays. */
		fcntl(fd, F_SETFL, operation->flags | (fcntl(fd, F_GETFL) & O_APPEND));
		break;
	case OWNER:
		do_owner(actor, operation);
		break;
	case SIGNAL:
		fcntl(fd, F_SETSIG, operation->count);
		break;
	case UNMAP:
		do_unmap(actor);
		break;
	case REMAP:
		do_remap(actor, operation);
		break;
	case SCAN:
		do_scan(actor);
		break;
	case SPAWN:
		do_spawn(actor, operation);
		break;
	case KILL:
		do_kill(actor, operation);
		break;
	case REAP:
		do_reap();
		break;
	case AFFINITY:
		pin(operation->count);
		break;
	case PRIORITY:
		setpriority(PRIO_PROCESS, somebody(actor, operation), operation->count);
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
		do_module(operation);
		break;
	case CANARY:
		canary(operation);
		break;
	default:
		return do_ioctl(actor, operation);
	}
	return 0;
}

/* Without room for another descriptor, if it says so. */
static int do_limited(struct actor *actor, const struct operation *operation)
{
	struct rlimit limit;
	int error;

	if (!operation->few)
		return do_call(actor, operation);
	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = 0;
	setrlimit(RLIMIT_NOFILE, &limit);
	error = do_call(actor, operation);
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
	return error;
}

static void do_and_tell(struct actor *actor, const struct operation *operation)
{
	enum kind before = kind_of_descriptor(actor, operation);
	int error = do_limited(actor, operation);
	enum kind after = kind_of_descriptor(actor, operation);

	outcome(actor, operation, error, before == after ? before : UNSURE);
}

void execute(struct actor *actor, const struct operation *operations, unsigned int count)
{
	unsigned int n;

	for (n = 0; n < count; n++) {
		if (operations[n].call == FORK)
			n += do_fork(actor, &operations[n], count - n - 1);
		else
			do_and_tell(actor, &operations[n]);
	}
}
