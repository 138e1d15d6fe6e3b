// SPDX-License-Identifier: GPL-2.0-only
/*
 * Find the processes that this process has made.  Those whose parent has ended are children of this
 * process, see others_adopt().
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../common/array.h"
#include "../common/errors.h"
#include "descendants.h"

/* Append the children of a thread. */
static int add_children(struct id_list *pids, pid_t pid, const char *tid)
{
	char path[64];
	int child, *place, result = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/task/%.16s/children", (int)pid, tid);
	file = fopen(path, "re");
	if (!file)
		return 0;
	while (!result && fscanf(file, "%d", &child) == 1) {
		place = array_add(&pids->ids, &pids->count, sizeof(*place));
		if (place)
			*place = child;
		else
			result = fail("no memory");
	}
	fclose(file);
	return result;
}

static int add_children_of_process(struct id_list *pids, pid_t pid)
{
	const struct dirent *entry;
	char path[32];
	int result = 0;
	DIR *tasks;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	tasks = opendir(path);
	while (tasks && !result && (entry = readdir(tasks)))
		if (atoi(entry->d_name))
			result = add_children(pids, pid, entry->d_name);
	if (tasks)
		closedir(tasks);
	return result;
}

int descendants_find(struct id_list *pids)
{
	size_t next = pids->count;
	int result = add_children_of_process(pids, getpid());

	for (; !result && next < pids->count; next++)
		result = add_children_of_process(pids, pids->ids[next]);
	return result;
}
