// SPDX-License-Identifier: GPL-2.0-only
/*
 * Intel: registers that refine what an event counts.  The event OFFCORE_RESPONSE counts the
 * requests and responses that MSR_OFFCORE_RSP_0 or _1 selects.  The event FRONTEND_RETIRED counts
 * what MSR_PEBS_FRONTEND selects.  Precise sampling of the event LOAD_LATENCY records only loads
 * that took more cycles than the value of MSR_PEBS_LD_LAT_THRESHOLD.
 *
 * No CPUID leaf describes the bits of these registers, so this file has a list of models.  The
 * SDM describes the bits in volume 3B, sections "Off-core Response Performance Monitoring",
 * "Frontend" and "Load Latency" of each microarchitecture.  The masks in models[] have the bits
 * that the kernel's perf driver allows.
 *
 * Nehalem and Westmere are left out: the two hardware threads of a core share the registers, so a
 * context on one hardware thread could change the registers for the other hardware thread.
 */
#include <asm/msr-index.h>
#include <asm/processor.h>
#include <linux/irqflags.h>

#include "intel_extra.h"
#include <perfmon/perfmon_intel.h>

#define FAMILY_6       6

#define PROBE_OFFCORE  0x10001 /* demand data reads, any response */
#define PROBE_FRONTEND 0x11
#define PROBE_LATENCY  0x40

/**
 * struct model - processors whose registers have the same bits
 * @models: model numbers of family 6; the first 0 ends the list
 * @offcore: bits of MSR_OFFCORE_RSP_0 and _1
 * @frontend: bits of MSR_PEBS_FRONTEND; 0 if the PMU description does not offer this register
 * @latency: bits of MSR_PEBS_LD_LAT_THRESHOLD;
 *	0 if IA32_PEBS_ENABLE has no bits that add latencies to records
 */
struct model {
	u8 models[12];
	u64 offcore;
	u64 frontend;
	u64 latency;
};

static const struct model models[] = {
	/* client models of Sandy Bridge and Ivy Bridge */
	{ { 0x2a, 0x3a }, 0x3f807f8fff, 0, 0xffff },
	/* server models of Sandy Bridge and Ivy Bridge; Haswell, Broadwell */
	{ { 0x2d, 0x3e, 0x3c, 0x3f, 0x45, 0x46, 0x3d, 0x47, 0x4f, 0x56 },
	  0x3fffff8fff,
	  0,
	  0xffff },
	/* Skylake to Comet Lake */
	{ { 0x4e, 0x55, 0x5e, 0x8e, 0x9e, 0xa5, 0xa6 }, 0x3fffff8fff, 0x7fff17, 0xffff },
	/* Ice Lake to Rocket Lake */
	{ { 0x6a, 0x6c, 0x7d, 0x7e, 0x8c, 0x8d, 0xa7 }, 0x3fffffbfff, 0x7fff17, 0 },
	/* Sapphire Rapids, Emerald Rapids */
	{ { 0x8f, 0xcf }, 0x3fffffffff, 0x7fff1f, 0 },
	/*
	 * Granite Rapids: MSR_PEBS_FRONTEND is left out, because its valid bits depend on the
	 * event.
	 */
	{ { 0xad, 0xae }, 0x3fffffffff, 0, 0 },
};

static const struct model *find_model(void)
{
	const struct model *model;
	const u8 *number;

	if (boot_cpu_data.x86 != FAMILY_6)
		return NULL;
	for (model = models; model < models + ARRAY_SIZE(models); model++)
		for (number = model->models; *number; number++)
			if (*number == boot_cpu_data.x86_model)
				return model;
	return NULL;
}

/*
 * Return: whether the register keeps what is written to it.  A hypervisor may not offer the
 * register, or may ignore what is written to it.  perf may be using the register at this moment, so
 * its old value is restored immediately.
 * @probe: bits that every model with the register has
 */
static bool exists(u32 msr, u32 probe)
{
	u32 low, high, old = 0;
	unsigned long flags;
	bool kept = false;

	local_irq_save(flags);
	if (!rdmsr_safe(msr, &old, &high) && !wrmsr_safe(msr, old ^ probe, high)) {
		kept = !rdmsr_safe(msr, &low, &high) && low == (old ^ probe);
		wrmsr_safe(msr, old, high);
	}
	local_irq_restore(flags);
	return kept;
}

static void describe(struct x86_pmu *pmu, struct pfm_register *pmcs, const char *name,
		     u32 probe, struct x86_extra extra)
{
	u64 general = 0;
	unsigned int n;

	if (!extra.valid || !exists(extra.msr, probe))
		return;
	for (n = 0; n < X86_FIXED; n++)
		if (pmcs[n].name)
			general |= BIT_ULL(n);
	pmcs[extra.pmc] = (struct pfm_register){
		.name = name,
		.address = extra.msr,
		.counters = general,
	};
	pmu->extras[pmu->extra_count++] = extra;
}

/*
 * IA32_PEBS_ENABLE has one latency bit for each counter.  The bit adds the latency to the records
 * of that counter.
 */
static void describe_latency(struct x86_pmu *pmu, struct pfm_register *pmcs, u64 valid)
{
	struct pfm_register *enable = &pmcs[PFM_INTEL_PEBS];

	describe(pmu, pmcs, "MSR_PEBS_LD_LAT_THRESHOLD", PROBE_LATENCY,
		 (struct x86_extra){ PFM_INTEL_LOAD_LATENCY, MSR_PEBS_LD_LAT_THRESHOLD,
				     valid });
	if (pmcs[PFM_INTEL_LOAD_LATENCY].name)
		enable->reserved &= ~(enable->counters << PFM_INTEL_PEBS_LATENCY);
}

void intel_extra_describe(struct x86_pmu *pmu, struct pfm_register *pmcs)
{
	const struct model *model = find_model();

	if (!model || !pmu->global_control)
		return;
	describe(pmu, pmcs, "MSR_OFFCORE_RSP_0", PROBE_OFFCORE,
		 (struct x86_extra){ PFM_INTEL_OFFCORE_0, MSR_OFFCORE_RSP_0,
				     model->offcore });
	describe(pmu, pmcs, "MSR_OFFCORE_RSP_1", PROBE_OFFCORE,
		 (struct x86_extra){ PFM_INTEL_OFFCORE_1, MSR_OFFCORE_RSP_1,
				     model->offcore });
	describe(pmu, pmcs, "MSR_PEBS_FRONTEND", PROBE_FRONTEND,
		 (struct x86_extra){ PFM_INTEL_FRONTEND, MSR_PEBS_FRONTEND,
				     model->frontend });
	if (pmu->pebs)
		describe_latency(pmu, pmcs, model->latency);
}

bool intel_extra_accepts(const struct x86_pmu *pmu, unsigned int n, u64 value)
{
	unsigned int i;

	for (i = 0; i < pmu->extra_count; i++)
		if (pmu->extras[i].pmc == n)
			return !(value & ~pmu->extras[i].valid);
	return true;
}
