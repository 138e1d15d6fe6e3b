// SPDX-License-Identifier: GPL-2.0-only
/* Init and exit of perfmon.ko. */
#include <linux/module.h>
#include <linux/tracepoint.h>

#include "attachment/bound.h"
#include "attachment/exit_exec.h"
#include "attachment/permission.h"
#include "base/block.h"
#include "base/limits.h"
#include "base/threads.h"
#include "calls/device.h"
#include "claims/claim.h"
#include "counting/cpu.h"
#include "counting/set_switch.h"
#include "counting/statistics.h"
#include "counting/switch.h"
#include "counting/throttle.h"
#include "registry/format.h"
#include "registry/machine.h"
#include "registry/sysfs.h"
#include "copies.h"

static int __init perfmon_init(void)
{
	int error;

	pfm_limits_init();
	pfm_machine_init();
	error = pfm_cpu_init();
	if (error)
		return error;
	pfm_switch_init();
	pfm_exit_exec_init();
	pfm_set_timer_init(&pfm_cpu);
	pfm_set_timer_init(pfm_cpu_bound);
	pfm_throttle_init(&pfm_cpu);
	pfm_throttle_init(pfm_cpu_bound);
	error = pfm_threads_init();
	if (error)
		goto no_threads;
	error = pfm_bound_init();
	if (error)
		goto no_bound;
	error = pfm_permission_init();
	if (error)
		goto no_permission;
	error = pfm_sysfs_init();
	if (error)
		goto no_sysfs;
	pfm_statistics_init();
	error = pfm_format_default_init();
	if (error)
		goto no_format;
	error = pfm_device_init();
	if (error)
		goto no_device;
	return 0;

no_device:
	pfm_format_default_exit();
no_format:
	pfm_statistics_exit();
	pfm_sysfs_exit();
no_sysfs:
	pfm_permission_exit();
no_permission:
	pfm_bound_exit();
no_bound:
	pfm_threads_exit();
no_threads:
	pfm_cpu_exit();
	return error;
}

/*
 * The kernel unloads this module only if no file of /dev/perfmon is open and no other module has
 * registered a PMU or a format.
 */
static void __exit perfmon_exit(void)
{
	pfm_device_exit();
	pfm_format_default_exit();
	pfm_statistics_exit();
	pfm_sysfs_exit();
	pfm_permission_exit();
	pfm_bound_exit();
	pfm_claims_exit();
	pfm_throttle_exit(pfm_cpu_bound);
	pfm_throttle_exit(&pfm_cpu);
	pfm_set_timer_exit(pfm_cpu_bound);
	pfm_set_timer_exit(&pfm_cpu);
	pfm_block_exit();
	tracepoint_synchronize_unregister(); /* wait until the last probes return */
	pfm_threads_exit();
	pfm_copies_exit();
	pfm_cpu_exit();
}

module_init(perfmon_init);
module_exit(perfmon_exit);

MODULE_DESCRIPTION("Hardware performance monitoring");
MODULE_LICENSE("GPL");
