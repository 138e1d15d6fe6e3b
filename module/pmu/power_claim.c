// SPDX-License-Identifier: GPL-2.0-only
/*
 * POWER: take the hardware from the kernel, and return it.
 *
 * The PMU is exclusive.  The kernel's driver and this module reserve the hardware with the same
 * function.  While the hardware is ours and nothing counts, MMCR0 of each CPU has the value
 * power_machine.frozen_mmcr0.
 */
#include <asm/pmc.h>
#include <asm/reg.h>
#include <asm/synch.h>
#include <linux/cpuhotplug.h>
#include <linux/mm_types.h>
#include <linux/module.h>

#include "perfmon_pmu.h"
#include "power.h"

/*
 * With the hash MMU, an overflow interrupt can crash the machine if it comes while the kernel has
 * interrupts off, see docs/sharing-with-perf.md.
 */
static bool hash;
module_param(hash, bool, 0644);
MODULE_PARM_DESC(hash,
		 "count with the hash MMU too, at the risk of a crash (default: 0)");

static enum cpuhp_state hotplug_state;

bool power_may_count(void)
{
	return radix_enabled() || READ_ONCE(hash);
}

/* Clear all registers, including the addresses of sampled instructions and data. */
static void clear_registers(unsigned long mmcr0)
{
	WARN_ON_ONCE(!irqs_disabled());
	mtspr(SPRN_MMCR0, mmcr0);
	isync();
	mtspr(SPRN_MMCRA, power_machine.idle_mmcra);
	mtspr(SPRN_MMCR1, 0);
	mtspr(SPRN_MMCR2, 0);
	if (power_machine.has_mmcr3)
		mtspr(SPRN_MMCR3, 0);
#define CLEAR_COUNTER(n) mtspr(SPRN_PMC##n, 0);
	FOR_EACH_COUNTER(CLEAR_COUNTER)
	mtspr(SPRN_SIAR, 0);
	mtspr(SPRN_SDAR, 0);
	mtspr(SPRN_SIER, 0);
	if (power_machine.has_mmcr3) {
		mtspr(SPRN_SIER2, 0);
		mtspr(SPRN_SIER3, 0);
	}
}

/*
 * Called on every CPU when the hardware is claimed, and on CPUs that come online later,
 * before ordinary threads run there. After ppc_enable_pmcs() a hypervisor saves the registers when
 * it preempts the CPU.
 */
static int begin_here(unsigned int cpu)
{
	unsigned long flags;

	local_irq_save(flags);
	ppc_enable_pmcs();
	clear_registers(power_machine.frozen_mmcr0);
	pfm_registers_lost();
	local_irq_restore(flags);
	return 0;
}

/*
 * Undo begin_here().  Called on every CPU when the hardware is released, and on a CPU that goes
 * offline.  No monitored thread runs on the CPU then.
 */
static int end_here(unsigned int cpu)
{
	unsigned long flags;

	pfm_cpu_goes_offline();
	local_irq_save(flags);
	clear_registers(power_machine.idle_mmcr0);
	ppc_set_pmu_inuse(0);
	local_irq_restore(flags);
	return 0;
}

/* The PMU is exclusive: as long as one PMD is claimed, the whole PMU is claimed. */
static u64 claimed; /* claimed PMDs; all are below 64 */

int power_claim(struct pfm_pmu *pmu, const u64 *pmds)
{
	int state;

	if (claimed)
		goto done;
	if (!power_may_count()) {
		pfm_pmu_blame("hash MMU, see perfmon_power.hash", PFM_WHOLE_PMU);
		return -EBUSY;
	}
	/* Reserve the hardware and its interrupt.  perf uses the same function. */
	if (reserve_pmc_hardware(power_interrupt)) {
		pfm_pmu_blame("perf", PFM_WHOLE_PMU);
		return -EBUSY;
	}
	state = cpuhp_setup_state_cpuslocked(CPUHP_AP_ONLINE_DYN, "perfmon/power:online",
					     begin_here, end_here);
	if (state < 0) {
		release_pmc_hardware();
		return state;
	}
	hotplug_state = state;
done:
	claimed |= pmds[0];
	return 0;
}

/*
 * end_here() runs in a thread on each CPU.  When it has run on a CPU, the handlers of all earlier
 * overflow interrupts have returned there, and no further overflow interrupt can come there.
 */
void power_release(struct pfm_pmu *pmu, const u64 *pmds)
{
	claimed &= ~pmds[0];
	if (claimed)
		return;
	__cpuhp_remove_state_cpuslocked(hotplug_state, true);
	release_pmc_hardware();
}
