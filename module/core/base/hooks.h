/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PERFMON_CORE_HOOKS_H
#define PERFMON_CORE_HOOKS_H

/* The hooks in the order in which they are enabled: the hook for sched_switch is enabled last. */
enum pfm_hook {
	PFM_HOOK_EXIT,
	PFM_HOOK_EXEC,
	PFM_HOOK_FORK,
	PFM_HOOK_SWITCH,
	PFM_HOOKS,
};

/*
 * Set the probe of a hook.  Called once for each hook, when the module is loaded.  @probe has the
 * prototype of the tracepoint.
 */
void pfm_hook_set(enum pfm_hook hook, void *probe);

/*
 * Process context, may sleep.  A probe may still be running when pfm_hooks_disable() returns;
 * see tracepoint_synchronize_unregister().
 */
int pfm_hooks_enable(void);
void pfm_hooks_disable(void);

#endif
