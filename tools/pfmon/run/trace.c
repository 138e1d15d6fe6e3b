// SPDX-License-Identifier: GPL-2.0-only
/* Trace a child with ptrace(2). */
#include <errno.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <sys/xattr.h>

#include "trace.h"

/*
 * @stop is si_status of waitid(): the lower 8 bits are the signal, and the higher bits are the
 * ptrace event.
 */
static int event_of(int stop)
{
	return stop >> 8;
}

static int signal_of(int stop)
{
	return stop & 0xff;
}

bool trace_is_harmless(const char *path)
{
	struct stat status;

	if (stat(path, &status) || status.st_mode & (S_ISUID | S_ISGID))
		return false;
	return getxattr(path, "security.capability", NULL, 0) == -1;
}

int trace_begin(pid_t pid)
{
	return ptrace(PTRACE_SEIZE, pid, NULL,
		      (void *)(PTRACE_O_TRACEEXEC | PTRACE_O_TRACEEXIT)) == -1
		       ? -1
		       : 0;
}

int trace_take_stop(pid_t pid)
{
	siginfo_t info = { 0 };

	if (waitid(P_PID, (id_t)pid, &info, WSTOPPED | WNOHANG) || !info.si_pid)
		return -1;
	return info.si_status;
}

/* Wait until the child stops. Returns si_status, or -1 if the child has ended. */
static int next_stop(pid_t pid)
{
	siginfo_t info;
	int stop;

	for (;;) {
		if (waitid(P_PID, (id_t)pid, &info, WEXITED | WSTOPPED | WNOWAIT)) {
			if (errno == EINTR)
				continue;
			return -1;
		}
		if (info.si_code != CLD_TRAPPED && info.si_code != CLD_STOPPED)
			return -1;
		stop = trace_take_stop(pid);
		if (stop != -1)
			return stop;
	}
}

int trace_stop(pid_t pid)
{
	if (ptrace(PTRACE_SEIZE, pid, NULL, (void *)PTRACE_O_TRACESYSGOOD) == -1)
		return -1;
	ptrace(PTRACE_INTERRUPT, pid, NULL, NULL);
	next_stop(pid);
	return 0;
}

/* With PTRACE_O_TRACESYSGOOD a stop at a system call has this signal, see ptrace(2). */
#define SYSTEM_CALL (SIGTRAP | 0x80)

static bool enters_exec(pid_t pid, int stop)
{
	struct __ptrace_syscall_info info;

	return stop == SYSTEM_CALL &&
	       ptrace(PTRACE_GET_SYSCALL_INFO, pid, (void *)sizeof(info), &info) > 0 &&
	       info.op == PTRACE_SYSCALL_INFO_ENTRY && info.entry.nr == SYS_execve;
}

int trace_to_exec(pid_t pid)
{
	long number = 0;
	int stop;

	do {
		ptrace(PTRACE_SYSCALL, pid, NULL, (void *)number);
		stop = next_stop(pid);
		if (stop == -1)
			return -1;
		number = stop == SYSTEM_CALL || event_of(stop) ? 0 : signal_of(stop);
	} while (!enters_exec(pid, stop));
	return 0;
}

void trace_end(pid_t pid)
{
	ptrace(PTRACE_DETACH, pid, NULL, NULL);
}

bool trace_is_exec(int stop)
{
	return event_of(stop) == PTRACE_EVENT_EXEC;
}

/* A child stopped by job control must stay stopped: see ptrace(2), section "Group-stop". */
static bool is_group_stop(int stop)
{
	return event_of(stop) == PTRACE_EVENT_STOP && signal_of(stop) != SIGTRAP;
}

void trace_stopped(const struct tracer *tracer, pid_t pid, int stop)
{
	long number = 0;

	if (is_group_stop(stop)) {
		ptrace(PTRACE_LISTEN, pid, NULL, NULL);
		return;
	}
	if (event_of(stop) == PTRACE_EVENT_EXEC)
		tracer->exec(tracer->data);
	else if (event_of(stop) == PTRACE_EVENT_EXIT)
		tracer->exit(tracer->data);
	else if (!event_of(stop))
		number = signal_of(stop);
	/* This call fails if SIGKILL has ended the child. Then waitpid() will report the end. */
	ptrace(PTRACE_CONT, pid, NULL, (void *)number);
}
