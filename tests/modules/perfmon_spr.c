// SPDX-License-Identifier: GPL-2.0-only
/*
 * POWER, for tests: the parameters of this module read and write the performance monitoring
 * registers of the current CPU. Programs themselves cannot read these registers while the hardware
 * is claimed.
 */
#include <asm/reg.h>
#include <linux/kernel.h>
#include <linux/module.h>

/* mmcr3, sier2 and sier3 exist only since Power ISA 3.1. */
#define REGISTERS(X)                                                                     \
	X(mmcr0, SPRN_MMCR0)                                                             \
	X(mmcr1, SPRN_MMCR1)                                                             \
	X(mmcr2, SPRN_MMCR2)                                                             \
	X(mmcra, SPRN_MMCRA)                                                             \
	X(pmc1, SPRN_PMC1)                                                               \
	X(pmc2, SPRN_PMC2)                                                               \
	X(pmc3, SPRN_PMC3)                                                               \
	X(pmc4, SPRN_PMC4)                                                               \
	X(pmc5, SPRN_PMC5)                                                               \
	X(pmc6, SPRN_PMC6)                                                               \
	X(siar, SPRN_SIAR)                                                               \
	X(sdar, SPRN_SDAR)                                                               \
	X(sier, SPRN_SIER)                                                               \
	X(mmcr3, SPRN_MMCR3)                                                             \
	X(sier2, SPRN_SIER2)                                                             \
	X(sier3, SPRN_SIER3)

#define PARAMETER(name, number)                                                          \
	static int get_##name(char *text, const struct kernel_param *unused)             \
	{                                                                                \
		return sprintf(text, "0x%lx\n", (unsigned long)mfspr(number));           \
	}                                                                                \
	static int set_##name(const char *text, const struct kernel_param *unused)       \
	{                                                                                \
		unsigned long value;                                                     \
		int error = kstrtoul(text, 0, &value);                                   \
                                                                                         \
		if (!error)                                                              \
			mtspr(number, value);                                            \
		return error;                                                            \
	}                                                                                \
	static const struct kernel_param_ops ops_##name = {                              \
		.get = get_##name,                                                       \
		.set = set_##name,                                                       \
	};                                                                               \
	module_param_cb(name, &ops_##name, NULL, 0600);

REGISTERS(PARAMETER)

MODULE_DESCRIPTION("perfmon: POWER's registers, for tests");
MODULE_LICENSE("GPL");
