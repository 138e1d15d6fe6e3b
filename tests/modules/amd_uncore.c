// SPDX-License-Identifier: GPL-2.0-only
/*
 * This module has the name of perf's driver for the counters of AMD's caches and data fabric. Later
 * kernels have the driver as a module; the kernels that the tests use have it built in, or lack it.
 * This module registers no PMU with perf. Its init function may wait for a signal.
 */
#include <linux/delay.h>
#include <linux/module.h>

static bool init_waits;
module_param(init_waits, bool, 0);
MODULE_PARM_DESC(init_waits, "the init function waits for a signal, at most a minute");

static int __init amd_uncore_init(void)
{
	if (init_waits)
		msleep_interruptible(60 * MSEC_PER_SEC);
	return 0;
}
module_init(amd_uncore_init);

static void __exit amd_uncore_exit(void)
{
}
module_exit(amd_uncore_exit);

MODULE_DESCRIPTION("perfmon test: takes the name of perf's driver amd_uncore");
MODULE_LICENSE("GPL");
