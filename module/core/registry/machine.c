// SPDX-License-Identifier: GPL-2.0-only
/* Describes the processor of this machine by a module alias. */
#include <linux/cpumask.h>
#include <linux/kernel.h>
#include <linux/smp.h>
#if defined(CONFIG_ARM64)
#include <asm/cputype.h>
#elif defined(CONFIG_PPC64)
#include <asm/reg.h>
#elif defined(CONFIG_X86)
#include <asm/processor.h>
#endif

#include "machine.h"
#include "perfmon_pmu.h"

/* The module alias.  request_module() accepts at most 56 bytes, including the terminating zero. */
static char alias[56];

#if defined(CONFIG_ARM64)
static void describe(void *unused)
{
	snprintf(alias, sizeof(alias), PFM_PMU_ALIAS("arm64:midr%08x"), read_cpuid_id());
}
#elif defined(CONFIG_PPC64)
static void describe(void *unused)
{
	snprintf(alias, sizeof(alias), PFM_PMU_ALIAS("powerpc:pvr%08lx"),
		 mfspr(SPRN_PVR));
}
#elif defined(CONFIG_X86)
static void describe(void *unused)
{
	snprintf(alias, sizeof(alias), PFM_PMU_ALIAS("x86:ven%04xfam%04xmod%04x"),
		 boot_cpu_data.x86_vendor, boot_cpu_data.x86, boot_cpu_data.x86_model);
}
#endif

/*
 * The CPUs of a machine may differ.  The alias describes the first online CPU or, on x86, the boot
 * CPU.
 */
void pfm_machine_init(void)
{
	smp_call_function_any(cpumask_of(cpumask_first(cpu_online_mask)), describe, NULL,
			      true);
}

const char *pfm_machine_alias(void)
{
	return alias;
}
