// SPDX-License-Identifier: GPL-2.0-only
/*
 * x86: parameter "value" reads and writes a model-specific register of the current CPU. Parameter
 * "number" is the number of this register. If the access to the register faults, the access to
 * "value" fails with EIO.
 */
#include <asm/msr.h>
#include <linux/kernel.h>
#include <linux/module.h>

static unsigned int number;
module_param(number, uint, 0600);

static int get_value(char *text, const struct kernel_param *unused)
{
	u32 low, high;

	if (rdmsr_safe(number, &low, &high))
		return -EIO;
	return sprintf(text, "0x%llx\n", (u64)high << 32 | low);
}

static int set_value(const char *text, const struct kernel_param *unused)
{
	u64 value;
	int error = kstrtou64(text, 0, &value);

	if (error)
		return error;
	return wrmsr_safe(number, (u32)value, value >> 32) ? -EIO : 0;
}

static const struct kernel_param_ops value_operations = {
	.get = get_value,
	.set = set_value,
};
module_param_cb(value, &value_operations, NULL, 0600);

MODULE_DESCRIPTION("perfmon: x86's model-specific registers, for tests");
MODULE_LICENSE("GPL");
