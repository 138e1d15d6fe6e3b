// SPDX-License-Identifier: GPL-2.0-only
/*
 * Probes on tracepoints of the scheduler.  The kernel does not export these tracepoints: they
 * are found by name.
 */
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "hooks.h"

static struct {
	const char *name;
	void *probe;
} hooks[PFM_HOOKS] = {
	[PFM_HOOK_EXIT] = { "sched_process_exit" },
	[PFM_HOOK_EXEC] = { "sched_process_exec" },
	[PFM_HOOK_FORK] = { "sched_process_fork" },
	[PFM_HOOK_SWITCH] = { "sched_switch" },
};

void pfm_hook_set(enum pfm_hook hook, void *probe)
{
	hooks[hook].probe = probe;
}

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

static int enable(enum pfm_hook hook)
{
	struct tracepoint *tracepoint = find(hooks[hook].name);

	return tracepoint ? tracepoint_probe_register(tracepoint, hooks[hook].probe, NULL)
			  : -ENOENT;
}

static void disable(enum pfm_hook hook)
{
	struct tracepoint *tracepoint = find(hooks[hook].name);

	if (tracepoint)
		tracepoint_probe_unregister(tracepoint, hooks[hook].probe, NULL);
}

/* Disable the first @count hooks, in reverse order. */
static void disable_first(unsigned int count)
{
	while (count > 0)
		disable(--count);
}

int pfm_hooks_enable(void)
{
	unsigned int hook;
	int error;

	for (hook = 0; hook < PFM_HOOKS; hook++) {
		error = enable(hook);
		if (error) {
			disable_first(hook);
			return error;
		}
	}
	return 0;
}

void pfm_hooks_disable(void)
{
	disable_first(PFM_HOOKS);
}
