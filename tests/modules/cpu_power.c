// SPDX-License-Identifier: GPL-2.0-only
/*
 * Armv8: acts as if a CPU lost its power for a moment, as in a deep idle state. In fact the CPU is
 * not idle: a thread runs on it. Afterwards the PMU's registers hold arbitrary values.
 */
#include <asm/sysreg.h>
#include <linux/cpu_pm.h>
#include <linux/irqflags.h>
#include <linux/kstrtox.h>
#include <linux/module.h>

#define ANYTHING 0x12345678

static bool refuses;
module_param(refuses, bool, 0600);
MODULE_PARM_DESC(refuses, "announce a loss of power, but refuse it in the last notifier");

/* Called after all other notifiers, so the drivers have saved their registers by then. */
static int refuse(struct notifier_block *block, unsigned long event, void *unused)
{
	return refuses && event == CPU_PM_ENTER ? NOTIFY_BAD : NOTIFY_OK;
}

static struct notifier_block refusing = {
	.notifier_call = refuse,
	.priority = -1000,
};

static void forget(void)
{
	write_sysreg(~0u, pmcntenclr_el0);
	write_sysreg(~0u, pmintenclr_el1);
	write_sysreg(~0u, pmovsclr_el0);
	write_sysreg(ANYTHING, pmccntr_el0);
	write_sysreg(ANYTHING, pmevcntr0_el0);
	write_sysreg(ANYTHING, pmevcntr1_el0);
	write_sysreg(0, pmccfiltr_el0);
	write_sysreg(0, pmevtyper0_el0);
	write_sysreg(0, pmevtyper1_el0);
	isb();
}

/*
 * @text is a mask of counters. Waits until each of them has wrapped, and then lets the CPU lose its
 * power. Interrupts are disabled from the beginning of the wait until the power is back.
 */
static int lose_power(const char *text, const struct kernel_param *unused)
{
	unsigned long flags;
	u32 counters;
	int error = kstrtou32(text, 0, &counters);

	if (error)
		return error;
	local_irq_save(flags);
	while (counters & ~(u32)read_sysreg(pmovsset_el0)) {
		/* QEMU sees a wrap only when the counter is read. */
		read_sysreg(pmevcntr0_el0);
		read_sysreg(pmevcntr1_el0);
	}
	error = cpu_pm_enter();
	if (!error) {
		forget();
		cpu_pm_exit();
	}
	local_irq_restore(flags);
	return error;
}

static const struct kernel_param_ops power_ops = { .set = lose_power };
module_param_cb(lose, &power_ops, NULL, 0200);

static int __init cpu_power_init(void)
{
	return cpu_pm_register_notifier(&refusing);
}

static void __exit cpu_power_exit(void)
{
	cpu_pm_unregister_notifier(&refusing);
}

module_init(cpu_power_init);
module_exit(cpu_power_exit);

MODULE_DESCRIPTION("perfmon: CPUs that lose their power, for tests");
MODULE_LICENSE("GPL");
