/* SPDX-License-Identifier: GPL-2.0-only */
/* Executes operations that change processes, signals, CPUs, modules and limits. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "calls.h"

#define MOST_PAGES 8 /* touch_pages() writes to at most this many pages */

void do_open_other(struct executor *executor, const struct operation *operation)
{
	int fd = -1, pair[2];

	switch (operation->count) {
	case 0:
		fd = open("/dev/null", O_RDWR);
		break;
	case 1:
		if (!pipe(pair)) {
			fd = pair[0];
			close(pair[1]);
		}
		break;
	case 2:
		fd = eventfd(1, EFD_NONBLOCK);
		break;
	case 3:
		fd = epoll_create(1);
		break;
	case 4:
		fd = open(PFM_DEVICE, O_PATH);
		break;
	}
	if (fd != -1)
		put_in_slot(executor, operation->slot, fd, kind_of_descriptor(fd));
}

void do_dup(struct executor *executor, const struct operation *operation)
{
	int fd = fcntl(descriptor(executor, operation), operation->flags, 0);

	if (fd != -1)
		put_in_slot(executor, operation->value % SLOTS, fd,
			    kind_of_descriptor(fd));
}

void do_owner(struct executor *executor, const struct operation *operation)
{
	struct f_owner_ex owner = { operation->count, pid_of(executor, operation) };

	fcntl(descriptor(executor, operation), F_SETOWN_EX, &owner);
}

void spin(unsigned int turns)
{
	volatile unsigned int turn;

	for (turn = 0; turn < turns; turn++)
		;
}

/* Writes to pages that are not mapped yet, so each write causes a page fault. */
void touch_pages(unsigned int pages)
{
	static __thread volatile char *memory;
	unsigned int n;

	if (!memory)
		memory = map(MOST_PAGES * page_size(), PROT_READ | PROT_WRITE);
	for (n = 0; n < pages && n < MOST_PAGES; n++)
		memory[n * page_size()] = 1;
	madvise((void *)memory, MOST_PAGES * page_size(), MADV_DONTNEED);
}

void pin(unsigned int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu % 2, &set);
	if (cpu == 2)
		CPU_SET(1, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

/*
 * Reports a process that was killed by SIGSEGV or SIGBUS. No worker sends these signals. So the
 * cause may be that perfmon has changed memory or registers of the process.
 */
void crash_is_wrong(int status)
{
	if (WIFSIGNALED(status) &&
	    (WTERMSIG(status) == SIGSEGV || WTERMSIG(status) == SIGBUS))
		wrong("a process was killed by signal %d", WTERMSIG(status));
}

void do_reap(void)
{
	int status;

	while (waitpid(-1, &status, WNOHANG) > 0)
		crash_is_wrong(status);
}

/* Sends the signal operation->count. A plan never sends a worker a signal that would kill it. */
void do_kill(struct executor *executor, const struct operation *operation)
{
	pid_t tid = pid_of(executor, operation);

	if (tid > 1)
		syscall(SYS_tkill, tid, operation->count);
}

void do_work(const struct operation *operation)
{
	spin(operation->count);
	if (operation->value)
		touch_pages(operation->value);
}

/* Reads one of perfmon's files in sysfs or debugfs. operation->count selects the file. */
void do_look(const struct operation *operation)
{
	static const char *const files[] = {
		"/sys/kernel/perfmon/task_sessions_count",
		"/sys/kernel/perfmon/sys_sessions_count",
		"/sys/kernel/perfmon/version",
		"/sys/kernel/perfmon/pmu_desc/model",
		"/sys/kernel/perfmon/pmu_desc/pmc0/rsvd_msk",
		"/sys/kernel/perfmon/pmu_desc/pmd0/width",
		"/sys/kernel/perfmon/pmu_desc/pmd261/name",
		"/sys/kernel/debug/perfmon/cpu0/ctxswin_count",
		"/sys/kernel/debug/perfmon/cpu1/ovfl_intr_all_count",
		"/sys/kernel/perfmon/smpl_buffer_mem_cur",
		"/sys/kernel/perfmon/formats/default/uuid",
		"/sys/kernel/perfmon/formats/nway/version",
		"/sys/kernel/perfmon/set_mem_cur",
	};
	char text[256];

	read_file(files[operation->count % COUNT(files)], text, sizeof(text));
}

/* Lowers the machine's limit of open files for a moment, so that only root can open files. */
void do_file_table(void)
{
	char before[64];

	if (read_file("/proc/sys/fs/file-max", before, sizeof(before)) ||
	    !strcmp(before, "1\n"))
		return;
	write_file("/proc/sys/fs/file-max", "1\n");
	usleep(3000);
	write_file("/proc/sys/fs/file-max", before);
}

/*
 * @count: number of a format, counted from 1; 0: the core or the PMU's module, see bit 1 of @value
 * @value: a bitmap:
 * bit 0: 1 loads the module, 0 unloads it
 * bit 1: if it is 1, an unload first unloads all formats. If @count is 0, bit 1 also selects the
 *	module: 1 is the core, 0 is the PMU's module
 * bit 2: if it is 1, an unload first empties /proc/sys/kernel/modprobe, so that the kernel cannot
 *	load a module on demand, and a load first restores this file
 */
void do_module(struct executor *executor, const struct operation *operation)
{
	const char *name = operation->value & 2 ? "perfmon" : pmu_module();

	if (operation->count)
		name = format_modules[(operation->count - 1) % FORMATS];
	else
		executor->table->pmu_changes = true;
	if (operation->value & 4)
		write_file("/proc/sys/kernel/modprobe",
			   operation->value & 1 ? "/sbin/modprobe\n" : "\n");
	if (operation->value & 1) {
		module_load(name);
		return;
	}
	if (operation->value & 2)
		formats_unload();
	module_unload(name);
}

/* Forks. The child executes the next operation->count operations. The parent skips them. */
unsigned int do_fork(struct executor *executor, const struct operation *operation,
		     unsigned int left)
{
	unsigned int count = operation->count;
	pid_t child;

	if (count > left)
		count = left;
	child = fork_when_possible();
	if (child == 0) {
		executor->alone = false;
		shared_slots_check();
		areas_separate(executor);
		executor->fail_nth = executor->fail_all = -1;
		executor->timer =
			timeout_new(); /* the parent's timer does not work in the child */
		execute(executor, operation + 1, count);
		if (operation->flags)
			become_program("/bin/sleep");
		_exit(0);
	}
	/* The child has the same files open, so their states are no longer certain. */
	forget_files(executor);
	if (child > 0)
		executor->child = child;
	return child == -1 ? 0 : count;
}
