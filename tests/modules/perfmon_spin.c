// SPDX-License-Identifier: GPL-2.0-only
/*
 * If a number is written to the parameter "milliseconds", the CPU spins for this time with
 * interrupts off, so that the hard lockup detector reports the CPU.
 */
#include <linux/delay.h>
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/module.h>

static int spin(const char *text, const struct kernel_param *unused)
{
	unsigned int milliseconds;
	unsigned long flags;
	int error = kstrtouint(text, 0, &milliseconds);

	if (error)
		return error;
	local_irq_save(flags);
	mdelay(milliseconds);
	local_irq_restore(flags);
	return 0;
}

static const struct kernel_param_ops spin_operations = { .set = spin };
module_param_cb(milliseconds, &spin_operations, NULL, 0200);

MODULE_DESCRIPTION("perfmon: a CPU that spins with interrupts off, for tests");
MODULE_LICENSE("GPL");
