// SPDX-License-Identifier: GPL-2.0-only
/* Walk through the threads of a process. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "each_thread.h"

int each_thread(pid_t pid, int (*function)(void *data, pid_t tid), void *data)
{
	const struct dirent *entry;
	char path[32];
	int result = 0;
	DIR *tasks;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	tasks = opendir(path);
	if (!tasks)
		return 0;
	while (!result && (entry = readdir(tasks)))
		if (atoi(entry->d_name))
			result = function(data, atoi(entry->d_name));
	closedir(tasks);
	return result;
}
