// SPDX-License-Identifier: GPL-2.0-only
/* A process whose threads are recorded. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../data/data_write.h"
#include "../common/array.h"
#include "../common/each_thread.h"
#include "../common/errors.h"
#include "../common/first_line.h"
#include "mapped_files.h"
#include "process.h"

pid_t process_of(pid_t tid)
{
	char name[64], line[256];
	int pid = 0;
	FILE *file;

	snprintf(name, sizeof(name), "/proc/%d/status", (int)tid);
	file = fopen(name, "re");
	if (!file)
		return 0;
	while (fgets(line, sizeof(line), file) && sscanf(line, "Tgid: %d", &pid) != 1)
		;
	fclose(file);
	return pid;
}

int process_add_thread(struct process *process, pid_t tid, uint32_t context)
{
	struct thread *thread =
		array_add(&process->threads, &process->thread_count, sizeof(*thread));

	if (!thread)
		return fail("no memory");
	thread->tid = tid;
	thread->context = context;
	return 0;
}

bool process_thread_name(pid_t pid, pid_t tid, char *name, size_t size)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/comm", (int)pid, (int)tid);
	return first_line(path, name, size);
}

/*
 * Write the thread names that have changed. If @flags is DATA_THREAD_EXEC, write the names of all
 * threads.
 */
static int write_names(struct process *process, struct data_writer *writer, uint64_t time,
		       uint32_t flags)
{
	for (size_t i = 0; i < process->thread_count; i++) {
		struct thread *thread = &process->threads[i];
		struct data_thread record = {
			.time = time,
			.tid = (uint32_t)thread->tid,
			.tgid = (uint32_t)process->pid,
			.context = thread->context,
			.flags = flags,
		};
		char name[sizeof(thread->name)];

		if (!process_thread_name(process->pid, thread->tid, name, sizeof(name)) ||
		    (!flags && process->is_known && !strcmp(name, thread->name)))
			continue;
		strcpy(thread->name, name);
		if (data_write_thread(writer, &record, name))
			return -1;
	}
	return 0;
}

/*
 * Write the new mappings. A process that has ended has no mappings any more; @process then keeps
 * the mappings that were read before.
 */
static int write_mappings(struct process *process, struct data_writer *writer,
			  uint64_t time)
{
	struct maps maps;
	int result = maps_read(&maps, process->pid);

	for (size_t i = 0; !result && i < maps.count; i++)
		if (!maps_have(&process->maps, &maps.list[i]))
			result = mapped_files_write(NULL, writer, process->pid,
						    &maps.list[i], time);
	if (!maps.count)
		return result;
	maps_free(&process->maps);
	process->maps = maps;
	return result;
}

/* Returns whether @process has executed a different program file since the last call. */
static bool is_other_program(struct process *process)
{
	char path[64];
	struct stat status;
	bool is_other;

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)process->pid);
	if (stat(path, &status))
		return false;
	is_other = process->is_known &&
		   (status.st_dev != process->device || status.st_ino != process->inode);
	process->device = status.st_dev;
	process->inode = status.st_ino;
	return is_other;
}

static int compare_tids(const void *one, const void *other)
{
	const struct thread *a = one, *b = other;

	return (a->tid > b->tid) - (a->tid < b->tid);
}

/**
 * struct thread_list - the threads that a process has now
 * @process: the process; @process->threads is still the list of the last process_look()
 * @list: the threads
 * @count: number of elements in @list
 */
struct thread_list {
	const struct process *process;
	struct thread *list;
	size_t count;
};

/* Add thread @tid. If the last process_look() already found it, keep the name that was stored. */
static int list_thread(void *data, pid_t tid)
{
	struct thread_list *threads = data;
	const struct process *process = threads->process;
	const struct thread now = { .tid = tid, .context = DATA_NO_CONTEXT };
	const struct thread *known = NULL;
	struct thread *added = array_add(&threads->list, &threads->count, sizeof(*added));

	if (!added)
		return fail("no memory");
	if (process->thread_count)
		known = bsearch(&now, process->threads, process->thread_count,
				sizeof(now), compare_tids);
	*added = known ? *known : now;
	return 0;
}

/*
 * Set the list of threads to those that the process has now. A process that has ended keeps its
 * last list.
 */
static int find_threads(struct process *process)
{
	struct thread_list threads = { .process = process };
	int result = each_thread(process->pid, list_thread, &threads);

	if (!threads.count)
		return result;
	qsort(threads.list, threads.count, sizeof(*threads.list), compare_tids);
	free(process->threads);
	process->threads = threads.list;
	process->thread_count = threads.count;
	return result;
}

/* Write new names and mappings, which are valid from @time on. */
static int write_changes(struct process *process, struct data_writer *writer,
			 uint64_t time, bool is_exec)
{
	if (is_exec)
		maps_free(&process->maps);
	if (process->has_all_threads && find_threads(process))
		return -1;
	if (write_names(process, writer, time, is_exec ? DATA_THREAD_EXEC : 0) ||
	    write_mappings(process, writer, time))
		return -1;
	process->is_known = true;
	return 0;
}

int process_look(struct process *process, struct data_writer *writer, uint64_t now)
{
	uint64_t time = process->is_known ? process->looked_at + 1 : 0;

	process->looked_at = now;
	return write_changes(process, writer, time, is_other_program(process));
}

int process_look_at_exec(struct process *process, struct data_writer *writer,
			 uint64_t now)
{
	is_other_program(process);
	process->looked_at = now;
	return write_changes(process, writer, now + 1, true);
}

void process_forget(struct process *process)
{
	maps_free(&process->maps);
	process->is_known = false;
}

void process_free(struct process *process)
{
	free(process->threads);
	maps_free(&process->maps);
	*process = (struct process){ 0 };
}
