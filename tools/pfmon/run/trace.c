// SPDX-License-Identifier: GPL-2.0-only
/* Trace a child with ptrace(2). */
#include <errno.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include "trace.h"

/* si_status of waitid(): the signal, and the ptrace event in the upper bits. */
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

bool trace_is_exec(int stop)
{
	return event_of(stop) == PTRACE_EVENT_EXEC;
}

/* ptrace(2), "Group-stop": a child stopped by job control must stay stopped. */
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
	/* If SIGKILL came first, the child is gone: waitpid() will report that. */
	ptrace(PTRACE_CONT, pid, NULL, (void *)number);
}
