// SPDX-License-Identifier: GPL-2.0-only
/*
 * CPUs that come: whatever their registers held is gone.
 *
 * A CPU that goes needs nothing: its threads are switched out first, and the
 * interrupts that pfm_context_call() sends to it fail and are sent again to
 * where the thread went.
 */
#include <linux/cpuhotplug.h>
#include <linux/irqflags.h>

#include "hotplug.h"
#include "switch.h"

static int state;

/* On the CPU that comes, before it takes ordinary threads. */
static int online(unsigned int cpu)
{
	unsigned long flags;

	local_irq_save(flags);
	pfm_registers_lost();
	local_irq_restore(flags);
	return 0;
}

int pfm_hotplug_init(void)
{
	state = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "perfmon:online", online,
					  NULL);
	return state < 0 ? state : 0;
}

void pfm_hotplug_exit(void)
{
	cpuhp_remove_state_nocalls(state);
}
