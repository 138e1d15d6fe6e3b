// SPDX-License-Identifier: GPL-2.0-only
/*
 * Load contexts on running threads and processes, or on CPUs.
 *
 * A process may create threads while pfmon looks for its threads in /proc.  If a thread already
 * has a context when it creates a new thread, a copy of this context counts the new thread from its
 * first instruction (PFM_FL_INHERIT_THREADS).  If the creating thread has no context yet, pfmon
 * finds the new thread when pfmon reads /proc again.  So /proc is read until it shows only threads
 * that have a context.  If threads end during a reading, this reading may miss threads that still
 * exist.  Therefore two readings in a row must show only threads that have a context.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <unistd.h>

#include "../common/array.h"
#include "../common/each_thread.h"
#include "../common/errors.h"
#include "../event/device_errors.h"
#include "cpus.h"
#include "open_files.h"
#include "targets.h"

/* Number of readings of /proc in a row that must show only threads that have a context. */
#define QUIET_READINGS 2

/**
 * struct attaching - state while contexts are loaded
 * @attacher: provides the contexts
 * @ends: receives the descriptors that show the ends of threads and processes
 * @flags: PFM_FL_* of a context on a thread of targets->processes
 * @known: bit N is set if thread N has a context of this pfmon process, or has ended
 * @known_size: size of @known in bytes
 */
struct attaching {
	const struct attacher *attacher;
	struct target_ends *ends;
	uint32_t flags;
	unsigned char *known;
	size_t known_size;
};

void targets_free(struct targets *targets)
{
	free(targets->threads.ids);
	free(targets->processes.ids);
	free(targets->cpus.ids);
	*targets = (struct targets){ 0 };
}

void target_ends_free(struct target_ends *ends)
{
	for (size_t i = 0; i < ends->process_count; i++)
		close(ends->processes[i]);
	free(ends->processes);
	free(ends->contexts);
	*ends = (struct target_ends){ 0 };
}

uint32_t targets_flags(const struct targets *targets, bool follows)
{
	if (targets->cpus.count)
		return PFM_FL_SYSTEM_WIDE;
	if (!follows || !targets->processes.count)
		return 0;
	return PFM_FL_INHERIT_THREADS | (targets->is_per_thread ? PFM_FL_KEEP_COUNTS : 0);
}

static bool has_cpu(const struct id_list *cpus, int cpu)
{
	for (size_t i = 0; i < cpus->count; i++)
		if (cpus->ids[i] == cpu)
			return true;
	return false;
}

static int add_cpu(struct id_list *cpus, int cpu)
{
	int *id;

	if (has_cpu(cpus, cpu))
		return fail("CPU %d is given twice", cpu);
	id = array_add(&cpus->ids, &cpus->count, sizeof(*id));
	if (!id)
		return fail("no memory");
	*id = cpu;
	return 0;
}

static int fail_cpus(const char *list, int error)
{
	if (list && error == EINVAL)
		return fail("'%s' is not a list of CPUs: give one such as 0,2-3", list);
	return fail("cannot find the CPUs: %s", strerror(error));
}

/* Fails if a number in @list is higher than the number of the last CPU of the machine. */
static int check_numbers(const char *list)
{
	const int highest = cpus_highest();
	size_t length;

	if (list[strspn(list, "0123456789,-")])
		return 0;
	for (; *list; list += length + (list[length] != '\0')) {
		length = strspn(list, "0123456789");
		if (length && strtoull(list, NULL, 10) > (unsigned int)highest)
			return fail("there is no CPU %.*s: the last one is CPU %d",
				    (int)length, list, highest);
	}
	return 0;
}

int targets_add_cpus(struct targets *targets, const char *list)
{
	struct pfm_cpu_context *found;
	int count, result;

	if (list && check_numbers(list))
		return -1;
	found = calloc(PFM_CPU_MOST + 1, sizeof(*found));
	count = found ? pfm_cpus_parse(list, found, PFM_CPU_MOST + 1) : -1;
	result = count < 0 ? fail_cpus(list, errno) : 0;
	for (int i = 0; !result && i < count; i++)
		result = add_cpu(&targets->cpus, found[i].cpu);
	free(found);
	return result;
}

int take_cpus(const char *argument, void *field)
{
	return targets_add_cpus(field, argument);
}

int take_pids(const char *argument, void *field)
{
	return options_ids(argument, "process id", field);
}

/* Append @descriptor to an array. */
static int keep(int **array, size_t *count, int descriptor)
{
	int *added = array_add(array, count, sizeof(*added));

	if (!added)
		return fail("no memory");
	*added = descriptor;
	return 0;
}

static bool is_known(const struct attaching *attaching, int tid)
{
	size_t byte = (size_t)tid / 8;

	return byte < attaching->known_size && attaching->known[byte] & 1 << tid % 8;
}

static int make_known(struct attaching *attaching, int tid)
{
	size_t byte = (size_t)tid / 8, size = attaching->known_size;
	unsigned char *known;

	if (byte >= size) {
		known = realloc(attaching->known, 2 * byte + 4096);
		if (!known)
			return fail("no memory");
		memset(known + size, 0, 2 * byte + 4096 - size);
		attaching->known = known;
		attaching->known_size = 2 * byte + 4096;
	}
	attaching->known[byte] |= (unsigned char)(1 << tid % 8);
	return 0;
}

static int attach(const struct attaching *attaching, int tid, uint32_t flags,
		  struct session **session)
{
	const struct attacher *attacher = attaching->attacher;

	return attacher->attach(attacher->data, tid, flags, session);
}

/*
 * Load a context on a thread that /proc shows. Returns 1 if the context was loaded, 0 if the thread
 * already has a context of this pfmon process or has ended, and -1 after an error.
 */
static int attach_found(struct attaching *attaching, int tid)
{
	struct session *session;
	int error = attach(attaching, tid, attaching->flags, &session);

	if (error < 0 || make_known(attaching, tid))
		return -1;
	if (!error)
		return 1;
	if (session_thread_is_gone(session, error) || session_has_thread(session, error))
		return 0;
	return fail_load(session->fd, tid, error);
}

/*
 * Load contexts on those threads in @tasks that have none. Returns the number of contexts that were
 * loaded, or -1 after an error.
 */
static int attach_listed(struct attaching *attaching, DIR *tasks)
{
	const struct dirent *entry;
	int count = 0, result, tid;

	while ((entry = readdir(tasks))) {
		tid = atoi(entry->d_name);
		if (!tid || is_known(attaching, tid))
			continue;
		result = attach_found(attaching, tid);
		if (result < 0)
			return -1;
		count += result;
	}
	return count;
}

/*
 * Load contexts on those threads of process @pid that have none. Returns the number of contexts
 * that were loaded, or -1 after an error.
 */
static int attach_threads(struct attaching *attaching, int pid)
{
	char path[32];
	DIR *tasks;
	int count;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	tasks = opendir(path);
	if (!tasks && errno == EMFILE)
		return open_files_fail();
	if (!tasks && errno == ENOENT)
		return 0;
	if (!tasks)
		return fail("cannot read %s: %s", path, strerror(errno));
	count = attach_listed(attaching, tasks);
	closedir(tasks);
	return count;
}

static int fail_process(int pid, int error)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d", pid);
	if (error == EMFILE)
		return open_files_fail();
	if (!access(path, F_OK))
		return fail("%d is a thread, not a process: give it with -t", pid);
	return fail("there is no process %d: 'ps -e' shows the processes", pid);
}

static int attach_process(struct attaching *attaching, int pid)
{
	struct target_ends *ends = attaching->ends;
	int end = pidfd_open(pid, 0), quiet = 0, count;

	if (end == -1)
		return fail_process(pid, errno);
	if (keep(&ends->processes, &ends->process_count, end)) {
		close(end);
		return -1;
	}
	while (quiet < QUIET_READINGS) {
		count = attach_threads(attaching, pid);
		if (count < 0)
			return -1;
		quiet = count ? 0 : quiet + 1;
	}
	return 0;
}

static int attach_thread(struct attaching *attaching, int tid)
{
	struct target_ends *ends = attaching->ends;
	struct session *session;
	int error;

	if (is_known(attaching, tid))
		return 0;
	error = attach(attaching, tid, 0, &session);
	if (error < 0 || make_known(attaching, tid))
		return -1;
	if (!error)
		return keep(&ends->contexts, &ends->context_count, session->fd);
	/* If the thread belongs to a process in targets->processes, it is monitored already. */
	if (session_has_thread(session, error))
		return 0;
	return fail_load(session->fd, tid, error);
}

static int count_thread(void *data, pid_t tid)
{
	size_t *count = data;

	(void)tid;
	++*count;
	return 0;
}

size_t targets_count_threads(const struct targets *targets)
{
	size_t count = 0;

	for (size_t i = 0; i < targets->processes.count; i++)
		each_thread(targets->processes.ids[i], count_thread, &count);
	return count ? count : 1;
}

int targets_attach_threads(const struct targets *targets, bool follows,
			   const struct attacher *attacher, struct target_ends *ends)
{
	struct attaching attaching = {
		.attacher = attacher,
		.ends = ends,
		.flags = targets_flags(targets, follows),
	};
	int result = 0;

	open_files_raise();
	for (size_t i = 0; !result && i < targets->processes.count; i++)
		result = attach_process(&attaching, targets->processes.ids[i]);
	for (size_t i = 0; !result && i < targets->threads.count; i++)
		result = attach_thread(&attaching, targets->threads.ids[i]);
	free(attaching.known);
	return result;
}

static int attach_group(void *data, int tid, uint32_t flags, struct session **session)
{
	struct group *group = data;
	int error = group_attach(group, tid, flags);

	if (error >= 0)
		*session = error ? group_failed(group)
				 : group_session(group, group->attached - 1);
	return error;
}

int targets_attach(const struct targets *targets, bool follows, struct group *group,
		   struct target_ends *ends)
{
	const struct attacher attacher = { attach_group, group };

	open_files_raise();
	group->attached = 0;
	group->earlier = (struct costs){ 0 };
	if (targets->cpus.count && cpus_attach(targets, group))
		return -1;
	return targets_attach_threads(targets, follows, &attacher, ends);
}
