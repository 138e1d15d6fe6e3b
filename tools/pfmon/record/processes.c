// SPDX-License-Identifier: GPL-2.0-only
/* The processes whose threads are recorded. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../common/array.h"
#include "../common/errors.h"
#include "descendants.h"
#include "processes.h"

static struct process *find(struct processes *processes, pid_t pid)
{
	struct process *process;

	for (size_t i = 0; i < processes->count; i++)
		if (processes->list[i].pid == pid)
			return &processes->list[i];
	process = array_add(&processes->list, &processes->count, sizeof(*process));
	if (process)
		*process = (struct process){ .pid = pid };
	else
		fail("no memory");
	return process;
}

int processes_add_thread(struct processes *processes, pid_t tid, uint32_t context)
{
	pid_t pid = process_of(tid);
	struct process *process = pid ? find(processes, pid) : NULL;

	if (!pid)
		return 0;
	return process ? process_add_thread(process, tid, context) : -1;
}

int processes_add(struct processes *processes, pid_t pid)
{
	struct process *process = find(processes, pid);

	if (!process)
		return -1;
	process->has_all_threads = true;
	return 0;
}

static bool has_ended(pid_t pid)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	return access(path, F_OK);
}

static void remove_ended(struct processes *processes)
{
	size_t kept = 0;

	for (size_t i = 0; i < processes->count; i++)
		if (has_ended(processes->list[i].pid))
			process_free(&processes->list[i]);
		else
			processes->list[kept++] = processes->list[i];
	processes->count = kept;
}

int processes_add_descendants(struct processes *processes)
{
	struct id_list pids = { 0 };
	int result = descendants_find(&pids);

	remove_ended(processes);
	for (size_t i = 0; !result && i < pids.count; i++)
		result = processes_add(processes, pids.ids[i]);
	free(pids.ids);
	return result;
}

int processes_look(struct processes *processes, struct data_writer *writer, uint64_t now)
{
	for (size_t i = 0; i < processes->count; i++)
		if (process_look(&processes->list[i], writer, now))
			return -1;
	return 0;
}

void processes_forget(struct processes *processes)
{
	for (size_t i = 0; i < processes->count; i++)
		process_forget(&processes->list[i]);
}

void processes_free(struct processes *processes)
{
	for (size_t i = 0; i < processes->count; i++)
		process_free(&processes->list[i]);
	free(processes->list);
	*processes = (struct processes){ 0 };
}
