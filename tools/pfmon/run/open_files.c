// SPDX-License-Identifier: GPL-2.0-only
/* The limit on open files. Each context is an open file. */
#include <stdbool.h>
#include <sys/resource.h>
#include <unistd.h>

#include "../common/errors.h"
#include "open_files.h"

static struct rlimit before;
static bool is_raised;

void open_files_raise(void)
{
	struct rlimit limit;

	if (is_raised || getrlimit(RLIMIT_NOFILE, &limit))
		return;
	before = limit;
	limit.rlim_cur = limit.rlim_max;
	is_raised = !setrlimit(RLIMIT_NOFILE, &limit);
}

void open_files_restore(void)
{
	if (is_raised)
		setrlimit(RLIMIT_NOFILE, &before);
}

int open_files_fail(void)
{
	struct rlimit limit = { 0 };

	getrlimit(RLIMIT_NOFILE, &limit);
	return fail(
		"each thread or CPU needs an open file, and pfmon may open only %llu: "
		"raise the hard limit, 'ulimit -Hn'%s",
		(unsigned long long)limit.rlim_cur, geteuid() ? ", as root" : "");
}
