// SPDX-License-Identifier: GPL-2.0-only
/*
 * Find the descendants of this process. If the parent of a descendant ends, this process becomes
 * the new parent, see others_adopt().
 */
#include <stdio.h>
#include <unistd.h>

#include "../common/array.h"
#include "../common/each_thread.h"
#include "../common/errors.h"
#include "descendants.h"

/*
 * Append the children of thread @tid. The path can begin with /proc/TID instead of /proc/PID,
 * because /proc/TID exists for each thread.
 */
static int add_children(void *data, pid_t tid)
{
	struct id_list *pids = data;
	char path[64];
	int child, *added, result = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)tid, (int)tid);
	file = fopen(path, "re");
	if (!file)
		return 0;
	while (!result && fscanf(file, "%d", &child) == 1) {
		added = array_add(&pids->ids, &pids->count, sizeof(*added));
		if (added)
			*added = child;
		else
			result = fail("no memory");
	}
	fclose(file);
	return result;
}

int descendants_find(struct id_list *pids)
{
	size_t next = pids->count;
	int result = each_thread(getpid(), add_children, pids);

	for (; !result && next < pids->count; next++)
		result = each_thread(pids->ids[next], add_children, pids);
	return result;
}
