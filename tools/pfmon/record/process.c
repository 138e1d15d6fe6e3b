// SPDX-License-Identifier: GPL-2.0-only
/* A process whose threads are recorded. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../data/data_write.h"
#include "../common/array.h"
#include "../common/errors.h"
#include "../data/build_id.h"
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

/* Returns false if the thread has ended. */
static bool read_name(pid_t pid, pid_t tid, char *name, size_t size)
{
	char path[64];
	FILE *file;
	bool is_there;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/comm", (int)pid, (int)tid);
	file = fopen(path, "re");
	if (!file)
		return false;
	is_there = fgets(name, (int)size, file);
	fclose(file);
	if (is_there)
		name[strcspn(name, "\n")] = '\0';
	return is_there;
}

/*
 * Write the thread names that have changed or, after an exec, the names of all threads.
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

		if (!read_name(process->pid, thread->tid, name, sizeof(name)) ||
		    (!flags && process->is_known && !strcmp(name, thread->name)))
			continue;
		strcpy(thread->name, name);
		if (data_write_thread(writer, &record, name))
			return -1;
	}
	return 0;
}

/*
 * Store in @text the build-id of the mapped file, or "" if the path of @map now names
 * another file.  The path is first looked up below the process's root directory.
 */
static void find_build_id(pid_t pid, const struct map *map, char *text)
{
	char path[PATH_MAX + 32];
	struct stat status;

	*text = '\0';
	/* Programs of the other width (32 or 64 bits) have another vdso. */
	if (!strcmp(map->path, "[vdso]") &&
	    (map->start > UINT32_MAX) == (sizeof(void *) > 4))
		build_id_of_vdso(text);
	if (*map->path != '/')
		return;
	snprintf(path, sizeof(path), "/proc/%d/root%s", (int)pid, map->path);
	if (stat(path, &status))
		snprintf(path, sizeof(path), "%s", map->path);
	if (!stat(path, &status) && S_ISREG(status.st_mode) &&
	    status.st_ino == map->inode)
		build_id_of_file(path, text);
}

static int write_mapping(const struct process *process, struct data_writer *writer,
			 const struct map *map, uint64_t time)
{
	struct data_mapping record = {
		.time = time,
		.start = map->start,
		.end = map->end,
		.offset = map->offset,
		.inode = map->inode,
		.device_major = map->device_major,
		.device_minor = map->device_minor,
		.tgid = (uint32_t)process->pid,
	};
	char build_id[BUILD_ID_SIZE];

	find_build_id(process->pid, map, build_id);
	return data_write_mapping(writer, &record, map->path, build_id);
}

/*
 * Write the new mappings.  A process that has ended has no mappings any more: the known
 * ones are kept.
 */
static int write_mappings(struct process *process, struct data_writer *writer,
			  uint64_t time)
{
	struct maps maps;
	int result = maps_read(&maps, process->pid);

	for (size_t i = 0; !result && i < maps.count; i++)
		if (!maps_have(&process->maps, &maps.list[i]))
			result = write_mapping(process, writer, &maps.list[i], time);
	if (!maps.count)
		return result;
	maps_free(&process->maps);
	process->maps = maps;
	return result;
}

/* Does @process execute another file than at the last look? */
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

/* Write new names and mappings, which are valid from @time on. */
static int write_changes(struct process *process, struct data_writer *writer,
			 uint64_t time, bool is_exec)
{
	if (is_exec)
		maps_free(&process->maps);
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

void process_free(struct process *process)
{
	free(process->threads);
	maps_free(&process->maps);
	*process = (struct process){ 0 };
}
