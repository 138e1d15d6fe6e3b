// SPDX-License-Identifier: GPL-2.0-only
/* Write the names and mappings of all processes. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../common/array.h"
#include "../common/each_thread.h"
#include "../common/errors.h"
#include "all_processes.h"
#include "descendants.h"
#include "process.h"

#define NAME_SIZE 64

/*
 * In the file, every idle task has this name. The kernel's own names of idle tasks also contain the
 * number of the CPU, as in "swapper/0".
 */
#define IDLE_NAME "swapper"

/**
 * struct seen_process - a process that pfmon found when it read /proc
 * @pid: the process
 * @name: its name when /proc was read
 */
struct seen_process {
	pid_t pid;
	char name[NAME_SIZE];
};

int all_processes_begin(struct all_processes *all, pid_t tid)
{
	int error;

	*all = (struct all_processes){
		.tid = tid,
		.files = calloc(1, sizeof(*all->files)),
	};
	if (!all->files)
		return fail("no memory");
	error = side_band_open(&all->band, tid);
	if (error < 0)
		return -1;
	all->has_band = !error;
	all->refusal = error;
	/*
	 * If side_band_open() failed for some of the CPUs, pfmon could still get the reports of the
	 * other CPUs. It does not use them, because processes may run on any CPU.
	 */
	if (error)
		side_band_close(&all->band);
	return 0;
}

void all_processes_free(struct all_processes *all)
{
	side_band_close(&all->band);
	free(all->files);
	free(all->seen);
	*all = (struct all_processes){ .band.poll = -1 };
}

/* ---- what the kernel reports --------------------------------------------------------------- */

static int write_event(struct all_processes *all, struct data_writer *writer,
		       const struct side_event *event)
{
	const struct data_fork fork = {
		.time = event->time,
		.tid = event->tid,
		.tgid = event->tgid,
		.parent_tid = event->parent_tid,
		.parent_tgid = event->parent_tgid,
	};
	const struct data_thread thread = {
		.time = event->time,
		.tid = event->tid,
		.tgid = event->tgid,
		.context = DATA_NO_CONTEXT,
		.flags = event->kind == SIDE_EXEC ? DATA_THREAD_EXEC : 0,
	};

	switch (event->kind) {
	case SIDE_FORK:
		return data_write_fork(writer, &fork);
	case SIDE_MAPPING:
		if (all->names_only)
			return 0;
		return mapped_files_write(all->files, writer, (pid_t)event->tgid,
					  &event->map, event->time);
	default:
		return data_write_thread(writer, &thread, event->name);
	}
}

static int on_event(void *data, const struct side_event *event)
{
	struct all_processes *all = data;

	if (write_event(all, all->writer, event))
		return -1;
	return all->next ? write_event(all, all->next, event) : 0;
}

/* ---- what /proc shows ---------------------------------------------------------------------- */

/**
 * struct written_process - a process whose thread names are being written
 * @pid: the process
 * @writer: the file
 * @time: the names of the threads are valid from this time on
 */
struct written_process {
	pid_t pid;
	struct data_writer *writer;
	uint64_t time;
};

static int write_thread(void *data, pid_t tid)
{
	const struct written_process *process = data;
	const bool is_exec = process->time && tid == process->pid;
	const struct data_thread thread = {
		.time = process->time,
		.tid = (uint32_t)tid,
		.tgid = (uint32_t)process->pid,
		.context = DATA_NO_CONTEXT,
		.flags = is_exec ? DATA_THREAD_EXEC : 0,
	};
	char name[NAME_SIZE];

	if (!process_thread_name(process->pid, tid, name, sizeof(name)))
		return 0;
	return data_write_thread(process->writer, &thread, name);
}

/*
 * Write the thread names and the mappings of a process, as /proc shows them. If the process ends
 * during this call, some or all names and mappings are missing.
 */
static int write_process(struct all_processes *all, struct data_writer *writer, pid_t pid,
			 uint64_t time)
{
	struct written_process process = { pid, writer, time };
	struct maps maps;
	int result = each_thread(pid, write_thread, &process);

	if (result || all->names_only)
		return result;
	if (maps_read(&maps, pid))
		return -1;
	for (size_t i = 0; !result && i < maps.count; i++)
		result = mapped_files_write(all->files, writer, pid, &maps.list[i], time);
	maps_free(&maps);
	return result;
}

static int compare_pids(const void *one, const void *other)
{
	const struct seen_process *a = one, *b = other;

	return (a->pid > b->pid) - (a->pid < b->pid);
}

/* Returns whether the previous reading found a process with the same pid and name as @now. */
static bool is_seen(const struct all_processes *all, const struct seen_process *now)
{
	const struct seen_process *before = NULL;

	if (all->seen_count)
		before = bsearch(now, all->seen, all->seen_count, sizeof(*now),
				 compare_pids);
	return before && !strcmp(before->name, now->name);
}

/**
 * struct reading - one reading of /proc: it finds processes and writes their names and mappings
 * @all: what is known about processes
 * @writer: the file
 * @next: a second file that gets the same names and mappings as @writer; NULL: there is none
 * @time: the names and mappings in /proc are valid from this time on
 * @seen: the processes that this reading has found; NULL with @all->has_band
 * @count: number of @seen
 */
struct reading {
	struct all_processes *all;
	struct data_writer *writer;
	struct data_writer *next;
	uint64_t time;
	struct seen_process *seen;
	size_t count;
};

/*
 * Write the names and mappings of process @pid, unless the previous reading of /proc found this
 * process with the same name.
 */
static int read_process(struct reading *reading, pid_t pid)
{
	struct all_processes *all = reading->all;
	struct seen_process now = { .pid = pid };
	struct seen_process *added;

	if (!process_thread_name(pid, pid, now.name, sizeof(now.name)))
		return 0;
	if (!is_seen(all, &now) &&
	    (write_process(all, reading->writer, pid, reading->time) ||
	     (reading->next && write_process(all, reading->next, pid, reading->time))))
		return -1;
	if (all->has_band)
		return 0;
	added = array_add(&reading->seen, &reading->count, sizeof(*added));
	if (!added)
		return fail("no memory");
	*added = now;
	return 0;
}

static int read_all(struct reading *reading)
{
	const struct dirent *entry;
	DIR *proc = opendir("/proc");
	int result = 0;

	if (!proc)
		return fail("cannot read /proc: %s", strerror(errno));
	while (!result && (entry = readdir(proc)))
		if (atoi(entry->d_name))
			result = read_process(reading, atoi(entry->d_name));
	closedir(proc);
	return result;
}

static int read_descendants(struct reading *reading)
{
	struct id_list pids = { 0 };
	int result = descendants_find(&pids);

	for (size_t i = 0; !result && i < pids.count; i++)
		result = read_process(reading, pids.ids[i]);
	free(pids.ids);
	return result;
}

static bool is_whole_machine(const struct all_processes *all)
{
	return all->tid == -1;
}

static int read_proc(struct reading *reading)
{
	struct all_processes *all = reading->all;
	int result = is_whole_machine(all) ? read_all(reading)
					   : read_descendants(reading);

	if (reading->count)
		qsort(reading->seen, reading->count, sizeof(*reading->seen),
		      compare_pids);
	free(all->seen);
	all->seen = reading->seen;
	all->seen_count = reading->count;
	return result;
}

/*
 * Write the names and mappings of all processes of the machine or, if only descendants of pfmon are
 * recorded, of all descendants. This includes processes that the previous reading of /proc found.
 */
static int scan(struct reading *reading)
{
	const struct data_thread idle = { .context = DATA_NO_CONTEXT };

	reading->all->seen_count = 0;
	if (is_whole_machine(reading->all) &&
	    data_write_thread(reading->writer, &idle, IDLE_NAME))
		return -1;
	return read_proc(reading);
}

int all_processes_scan(struct all_processes *all, struct data_writer *writer,
		       uint64_t time)
{
	struct reading reading = { .all = all, .writer = writer, .time = time };

	return scan(&reading);
}

int all_processes_follow(struct all_processes *all, uint64_t now)
{
	struct reading reading = {
		.all = all,
		.writer = all->writer,
		.next = all->next,
		.time = all->looked_at + 1,
	};

	all->looked_at = now;
	if (!all->has_band)
		return read_proc(&reading);
	if (side_band_read(&all->band, on_event, all))
		return -1;
	if (all->band.gaps == all->gaps)
		return 0;
	all->gaps = all->band.gaps;
	reading.time = now + 1;
	return scan(&reading);
}
