// SPDX-License-Identifier: GPL-2.0-only
/*
 * A module with the name of perf's driver for AMD's counters of caches and of the data fabric.
 * Later kernels have this driver as a module; the kernels that the tests use have it built in, or
 * lack it. This module registers no PMU with perf. Its init function may take a while.
 */
#include <linux/delay.h>
#include <linux/module.h>

static unsigned int init_ms;
module_param(init_ms, uint, 0);
MODULE_PARM_DESC(init_ms, "milliseconds that the init function takes");

static int __init amd_uncore_init(void)
{
	msleep(init_ms);
	return 0;
}
module_init(amd_uncore_init);

static void __exit amd_uncore_exit(void)
{
}
module_exit(amd_uncore_exit);

MODULE_DESCRIPTION("perfmon test: takes the name of perf's driver amd_uncore");
MODULE_LICENSE("GPL");
