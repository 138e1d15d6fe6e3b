// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon_intel: the table of errata that would make counts or samples wrong.
 *
 * The sources are Intel's specification updates of these processors, which list the errata by
 * number.  perf's driver handles the same errata: see intel_pmu_init() in
 * arch/x86/events/intel/core.c.
 */
#include <asm/cpufeature.h>
#include <asm/processor.h>
#include <linux/cpu.h>
#include <linux/cpumask.h>

#include "intel_quirks.h"
#include "x86.h"

#define FAMILY_6     6
#define ANY_STEPPING 0xff

/**
 * struct quirk - processors with an erratum
 * @model: the processors' model number; the family is always 6
 * @stepping: their stepping, or ANY_STEPPING
 * @microcode: the first revision without the erratum; 0: all revisions have the erratum
 * @no_pebs: as in struct intel_quirks
 * @needs_reset: as in struct intel_quirks
 */
struct quirk {
	u8 model;
	u8 stepping;
	u32 microcode;
	const char *no_pebs;
	bool needs_reset;
};

#define WRONG_RECORDS "errata of this processor make its records wrong"
#define OLD_MICROCODE "this processor's microcode is too old for precise sampling"

static const struct quirk quirks_of_models[] = {
	/*
	 * Core 2, 65 nm: the processor may record events at a privilege level that was not
	 * selected (AJ67), an interrupt may come one event too late (AJ68), and buffer overflows
	 * are not reported (AJ69).
	 */
	{ .model = 0x0f, .stepping = ANY_STEPPING, .no_pebs = WRONG_RECORDS },
	/* Sandy Bridge: records are wrong if the microcode is older than these revisions. */
	{ .model = 0x2a,
	  .stepping = ANY_STEPPING,
	  .microcode = 0x28,
	  .no_pebs = OLD_MICROCODE },
	{ .model = 0x2d, .stepping = 6, .microcode = 0x618, .no_pebs = OLD_MICROCODE },
	{ .model = 0x2d, .stepping = 7, .microcode = 0x70c, .no_pebs = OLD_MICROCODE },
	/*
	 * Nehalem and Westmere: after its event select has been written, a counter may count
	 * cycles, or nothing (AAK100 of model 1AH, AAP53 of model 1EH, BD53 of model 2CH).  As perf
	 * does, we reset the counters of all models of Nehalem and Westmere.
	 */
	{ .model = 0x1a, .stepping = ANY_STEPPING, .needs_reset = true },
	{ .model = 0x1e, .stepping = ANY_STEPPING, .needs_reset = true },
	{ .model = 0x1f, .stepping = ANY_STEPPING, .needs_reset = true },
	{ .model = 0x2e, .stepping = ANY_STEPPING, .needs_reset = true },
	{ .model = 0x25, .stepping = ANY_STEPPING, .needs_reset = true },
	{ .model = 0x2c, .stepping = ANY_STEPPING, .needs_reset = true },
	{ .model = 0x2f, .stepping = ANY_STEPPING, .needs_reset = true },
};

static bool applies(const struct quirk *quirk, const struct cpuinfo_x86 *cpu)
{
	return cpu->x86 == FAMILY_6 && cpu->x86_model == quirk->model &&
	       (quirk->stepping == ANY_STEPPING ||
		cpu->x86_stepping == quirk->stepping) &&
	       (!quirk->microcode || cpu->microcode < quirk->microcode);
}

static void add_quirks_of(struct intel_quirks *quirks, const struct cpuinfo_x86 *cpu)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(quirks_of_models); i++) {
		if (!applies(&quirks_of_models[i], cpu))
			continue;
		quirks->no_pebs = quirks->no_pebs ?: quirks_of_models[i].no_pebs;
		quirks->needs_reset |= quirks_of_models[i].needs_reset;
	}
}

void intel_find_quirks(struct intel_quirks *quirks)
{
	unsigned int n;

	cpus_read_lock();
	for_each_online_cpu(n)
		add_quirks_of(quirks, &cpu_data(n));
	cpus_read_unlock();
	/*
	 * A microcode update of Skylake works around the memory ordering issue of TSX (CPUID leaf
	 * 07H, EDX bit 13; Intel's paper "Performance Monitoring Impact of Intel TSX Memory
	 * Ordering Issue").  With this microcode, transactions use general counter 3, unless
	 * MSR_TSX_FORCE_ABORT makes all transactions abort.  perf sets MSR_TSX_FORCE_ABORT while a
	 * perf event uses the counter.  With shared ownership, our placeholder is such an event.
	 * With exclusive ownership, nobody sets MSR_TSX_FORCE_ABORT, so this counter is not used.
	 */
	if (boot_cpu_has(X86_FEATURE_TSX_FORCE_ABORT) &&
	    !boot_cpu_has(X86_FEATURE_RTM_ALWAYS_ABORT))
		quirks->unusable = BIT(3);
}

/*
 * The workaround for erratum AAK100: four counters run briefly, each with one event of resets[].
 * The authors of perf found that four events are needed.
 */
void intel_reset_counters(void)
{
	static const u32 resets[RESET_COUNTERS] = { 0x4300b5, 0x4300d2, 0x4300b1,
						    0x4300b1 };
	const struct x86_counter *counter;
	u64 values[RESET_COUNTERS];
	unsigned int n;

	for (n = 0; n < RESET_COUNTERS; n++) {
		counter = &x86->counters[n];
		values[n] = x86_read_counter(counter);
		x86_write(counter->select, resets[n]);
		x86_write(counter->load, 0);
	}
	x86_write(x86->global_control, BIT(RESET_COUNTERS) - 1);
	x86_write(x86->global_control, 0);
	for (n = 0; n < RESET_COUNTERS; n++) {
		counter = &x86->counters[n];
		x86_write(counter->select, 0);
		x86_write(counter->load, values[n]);
	}
}
