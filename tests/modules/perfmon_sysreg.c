// SPDX-License-Identifier: GPL-2.0-only
/* Armv8: parameters show the values of PMU registers of the current CPU. */
#include <asm/sysreg.h>
#include <linux/kernel.h>
#include <linux/module.h>

#define REGISTERS(X)                                                                     \
	X(pmcr, pmcr_el0)                                                                \
	X(pmcntenset, pmcntenset_el0)                                                    \
	X(pmintenset, pmintenset_el1)                                                    \
	X(pmovsset, pmovsset_el0)                                                        \
	X(pmuserenr, pmuserenr_el0)                                                      \
	X(pmccfiltr, pmccfiltr_el0)                                                      \
	X(pmevtyper0, pmevtyper0_el0)                                                    \
	X(pmevtyper1, pmevtyper1_el0)

#define PARAMETER(name, register)                                                        \
	static int get_##name(char *text, const struct kernel_param *unused)             \
	{                                                                                \
		return sprintf(text, "0x%lx\n", (unsigned long)read_sysreg(register));   \
	}                                                                                \
	static const struct kernel_param_ops ops_##name = { .get = get_##name };         \
	module_param_cb(name, &ops_##name, NULL, 0400);

REGISTERS(PARAMETER)

MODULE_DESCRIPTION("perfmon: Armv8's registers, for tests");
MODULE_LICENSE("GPL");
