// SPDX-License-Identifier: GPL-2.0-only
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "tracepoint.h"

struct search {
	const char *name;
	struct tracepoint *found;
};

static void compare(struct tracepoint *tracepoint, void *argument)
{
	struct search *search = argument;

	if (!strcmp(tracepoint->name, search->name))
		search->found = tracepoint;
}

static struct tracepoint *find(const char *name)
{
	struct search search = { .name = name };

	for_each_kernel_tracepoint(compare, &search);
	return search.found;
}

int pfm_tracepoint_register(const char *name, void *probe)
{
	struct tracepoint *tracepoint = find(name);

	return tracepoint ? tracepoint_probe_register(tracepoint, probe, NULL) : -ENOENT;
}

void pfm_tracepoint_unregister(const char *name, void *probe)
{
	struct tracepoint *tracepoint = find(name);

	if (tracepoint)
		tracepoint_probe_unregister(tracepoint, probe, NULL);
}
