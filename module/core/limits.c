// SPDX-License-Identifier: GPL-2.0-only
/* Who may do how much. */
#include <linux/mm.h>
#include <linux/time64.h>

#include "limits.h"

struct pfm_limits pfm_limits = {
	.arg_mem_max = PAGE_SIZE,
	.sys_group = -1,
	.task_group = -1,
	.smpl_buffer_mem_max = ULONG_MAX,
	/* 100,000 a second, as perf_event has it. */
	.max_interrupts_per_tick = DIV_ROUND_UP(100000, HZ),
	.max_sets = 4096,
	/* Ten thousand switches a second. */
	.min_switch_timeout = 100 * NSEC_PER_USEC,
};

atomic_t pfm_task_sessions = ATOMIC_INIT(0);

/* What depends on the machine. */
void pfm_limits_init(void)
{
	pfm_limits.set_mem_max = (totalram_pages() / 16) << PAGE_SHIFT;
}
