// SPDX-License-Identifier: GPL-2.0-only
/*
 * The process that runs COMMAND. pfmon searches PATH before it creates the process. The process
 * waits in a read() and then calls execve() directly. The context is loaded and started while the
 * process waits. If pfmon may trace the process, child_to_exec() lets the process enter execve(),
 * and stops it there. Then only the execve() and COMMAND are counted. If pfmon may not trace the
 * process, the process stays in the read(), and the counts also contain the instructions between
 * the read() and the execve().
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../common/errors.h"
#include "child.h"
#include "open_files.h"

extern char **environ;

static int refuse(const char *command, int error)
{
	if (error == ENOENT || error == ENOTDIR) {
		fail("command '%s' not found", command);
		return EXIT_NOT_FOUND;
	}
	fail("command '%s' cannot be executed: %s", command, strerror(error));
	return EXIT_NOT_EXECUTABLE;
}

/* Returns 0 if @path is a file that can be executed, else an errno. */
static int check_file(const char *path)
{
	struct stat status;

	if (stat(path, &status))
		return errno;
	if (S_ISDIR(status.st_mode))
		return EISDIR;
	return access(path, X_OK) ? EACCES : 0;
}

int child_find(const char *command, char **path)
{
	const char *next = getenv("PATH");
	int error = ENOENT;

	*path = NULL;
	if (strchr(command, '/')) {
		error = check_file(command);
		if (error)
			return refuse(command, error);
		*path = strdup(command);
		return *path ? 0 : refuse(command, ENOMEM);
	}
	if (!next)
		next = "/bin:/usr/bin";
	while (*command) {
		int length = (int)strcspn(next, ":");
		int result;

		if (asprintf(path, "%.*s%s%s", length, next, length ? "/" : "./",
			     command) < 0)
			return refuse(command, ENOMEM);
		result = check_file(*path);
		if (!result)
			return 0;
		if (result == EACCES)
			error = EACCES;
		free(*path);
		*path = NULL;
		if (!next[length])
			break;
		next += length + 1;
	}
	return refuse(command, error);
}

/*
 * Returns the arguments of execve() for a script without "#!": "/bin/sh PATH ARGUMENTS". The caller
 * frees the array. Returns NULL if there is no memory.
 */
static char **script_arguments(const char *path, char **arguments)
{
	char **script;
	size_t count = 0;

	while (arguments[count])
		count++;
	script = calloc(count + 2, sizeof(*script));
	if (!script)
		return NULL;
	script[0] = (char *)"/bin/sh";
	script[1] = (char *)path;
	for (size_t i = 1; i < count; i++)
		script[i + 1] = arguments[i];
	return script;
}

static void run(int go, int failure, const char *path, char **arguments, char **script)
{
	ssize_t length;
	int error = 0;
	char byte;

	length = write(failure, &error, sizeof(error));
	if (length == sizeof(error) && read(go, &byte, 1) == 1) {
		execve(path, arguments, environ);
		if (errno == ENOEXEC)
			execve(script[0], script, environ);
		error = errno;
		length = write(failure, &error, sizeof(error));
	}
	_exit(EXIT_NOT_FOUND);
}

/* Returns the state of the process, a letter as in proc(5); 'X' if there is no such process. */
static char state_of(pid_t pid)
{
	char path[64], line[512], state = 'X', *name_end;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	file = fopen(path, "re");
	if (!file)
		return state;
	if (fgets(line, sizeof(line), file)) {
		name_end = strrchr(line, ')');
		if (name_end && name_end[1])
			state = name_end[2];
	}
	fclose(file);
	return state;
}

#define PATIENCE 1000
#define PAUSE_US 100

/*
 * Wait until the child sleeps in its read(). After the child has reported that it is ready, this
 * read() is the only place where it sleeps. If the child still does not sleep after 0.1 s, or if
 * /proc cannot be read, the counts may include a few instructions that the child executes before
 * the read().
 */
static void settle(const struct child *child)
{
	int error;

	if (read(child->failure, &error, sizeof(error)) != sizeof(error))
		return;
	for (int i = 0; i < PATIENCE && state_of(child->pid) == 'R'; i++)
		usleep(PAUSE_US);
}

static int make_pipes(int go[2], int failure[2])
{
	if (pipe2(go, O_CLOEXEC))
		return fail("cannot make a pipe: %s", strerror(errno));
	if (pipe2(failure, O_CLOEXEC)) {
		fail("cannot make a pipe: %s", strerror(errno));
		close(go[0]);
		close(go[1]);
		return -1;
	}
	return 0;
}

int child_prepare(struct child *child, const char *path, char **arguments,
		  const struct signals *signals)
{
	char **script = script_arguments(path, arguments);
	int go[2], failure[2];

	if (!script)
		return fail("no memory");
	if (make_pipes(go, failure)) {
		free(script);
		return -1;
	}
	fflush(NULL);
	others_adopt();
	others_before(&child->others);
	child->pid = fork();
	if (!child->pid) {
		close(go[1]);
		close(failure[0]);
		signals_restore(signals);
		open_files_restore();
		run(go[0], failure[1], path, arguments, script);
	}
	free(script);
	close(go[0]);
	close(failure[1]);
	child->at_exec = false;
	child->go = go[1];
	child->failure = failure[0];
	if (child->pid == -1) {
		close(child->go);
		close(child->failure);
		return fail("cannot make a process: %s", strerror(errno));
	}
	others_made(&child->others);
	settle(child);
	return 0;
}

/*
 * Wait until a traced child has become COMMAND or has ended.  A child that has ended is
 * not reaped here.
 */
static void follow_to_exec(const struct child *child, const struct tracer *tracer)
{
	siginfo_t info;
	int stop;

	for (;;) {
		if (waitid(P_PID, (id_t)child->pid, &info,
			   WEXITED | WSTOPPED | WNOWAIT)) {
			if (errno == EINTR)
				continue;
			return;
		}
		if (info.si_code != CLD_TRAPPED)
			return;
		stop = trace_take_stop(child->pid);
		if (stop == -1)
			continue;
		trace_stopped(tracer, child->pid, stop);
		if (trace_is_exec(stop))
			return;
	}
}

/*
 * Let the child's read() return. If a signal has already ended the child, write() fails. This
 * failure is ignored: the end of the child is handled like the end of COMMAND.
 */
static void let_go(struct child *child)
{
	void (*before)(int) = signal(SIGPIPE, SIG_IGN);
	ssize_t length = write(child->go, "", 1);

	(void)length;
	signal(SIGPIPE, before);
	close(child->go);
}

void child_to_exec(struct child *child)
{
	if (trace_stop(child->pid))
		return;
	let_go(child);
	child->at_exec = true;
	trace_to_exec(child->pid);
}

int child_release(struct child *child, const char *command, const struct tracer *tracer)
{
	ssize_t length;
	int error;

	if (child->at_exec)
		trace_end(child->pid);
	else
		let_go(child);
	if (tracer)
		follow_to_exec(child, tracer);
	do {
		length = read(child->failure, &error, sizeof(error));
	} while (length == -1 && errno == EINTR);
	close(child->failure);
	if (length != sizeof(error))
		return 0;
	waitpid(child->pid, NULL, 0);
	if (error != ENOENT)
		return refuse(command, error);
	/* child_find() has found the file, so ENOENT means that its interpreter is missing. */
	fail("command '%s' cannot be executed: its interpreter is missing", command);
	return EXIT_NOT_EXECUTABLE;
}

void child_cancel(struct child *child)
{
	if (child->at_exec)
		kill(child->pid, SIGKILL);
	else
		close(child->go);
	close(child->failure);
	waitpid(child->pid, NULL, 0);
}

int child_exit_status(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

void child_warn_killed(int status)
{
	if (WIFSIGNALED(status) && WTERMSIG(status) != SIGINT)
		warn_user("the command was ended by a signal: %s",
			  strsignal(WTERMSIG(status)));
}
