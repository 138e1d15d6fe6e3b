// SPDX-License-Identifier: GPL-2.0-only
/*
 * Registers the description of a PMU or of a sampling format. Parameter "what" selects this
 * description, which is correct or has one mistake (perfmon_wrong.h). Of the registered functions,
 * only the PMU's claim() and release() do anything. If parameter "watches_cpus" is set, these two
 * functions watch for 200 ms whether a CPU goes offline or online. Parameter "name" replaces the
 * name of the PMU, for example by the name of another PMU.
 */
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/string.h>
#include "perfmon_format.h"
#include "perfmon_pmu.h"
#include "perfmon_wrong.h"

static unsigned int what;
module_param(what, uint, 0);
static char *name;
module_param(name, charp, 0);
static bool watches_cpus;
module_param(watches_cpus, bool, 0);
/* How often watch_cpus() found another number of online CPUs than when it began. */
static unsigned int cpus_changed;
module_param(cpus_changed, uint, 0444);
static unsigned int releases;
module_param(releases, uint, 0444);

#define MAKE(name, change)                                                               \
	case name:                                                                       \
		change;                                                                  \
		break;

/* ---- a PMU ---------------------------------------------------------------------------- */

static void write_pmcs(const struct pfm_registers *registers,
		       const struct pfm_registers *programmed)
{
}

static void write_pmds(struct pfm_registers *registers, u64 pmds)
{
}

static void start(struct pfm_registers *registers)
{
}

static u64 stop(struct pfm_registers *registers)
{
	return 0;
}

static u64 read(struct pfm_registers *registers, u64 *values)
{
	return 0;
}

static void sample(const struct pfm_registers *registers, const u64 *pmds, u64 *values)
{
}

static void acknowledge(struct pfm_registers *registers, u64 counters)
{
}

static void watch_cpus(void)
{
	unsigned int online = num_online_cpus(), n;

	for (n = 0; watches_cpus && n < 20; n++) {
		msleep(10);
		if (num_online_cpus() != online)
			cpus_changed++;
	}
}

static int claim(struct pfm_pmu *unused, const u64 *pmds)
{
	watch_cpus();
	return 0;
}

static void release(struct pfm_pmu *unused, const u64 *pmds)
{
	watch_cpus();
	releases++;
}

static u64 read_virtual(const struct task_struct *task)
{
	return 0;
}

static struct pfm_pmu_operations operations = {
	.claim = claim,
	.release = release,
	.write_pmcs = write_pmcs,
	.write_pmds = write_pmds,
	.start = start,
	.stop = stop,
	.read = read,
	.acknowledge = acknowledge,
};

/*
 * Each array has one more element than is permitted. The core must not read the surplus elements.
 */
static struct pfm_register pmcs[PFM_MAX_HARDWARE + 1] = {
	[0] = { .name = "RIGHT", .type = PFM_REG_NO_EMUL64, .counters = BIT(0) },
	[1] = { .name = "LEVELS", .user_set = BIT(0), .counters = BIT(0) },
	[2] = { .name = "NO_LEVELS",
		.type = PFM_REG_NO_LEVELS,
		.counters = BIT_ULL(PFM_MAX_COUNTERS - 1) },
	[PFM_MAX_HARDWARE] = { .name = "BEYOND", .type = ~0 },
};
static struct pfm_register pmds[PFM_MAX_HARDWARE + 1] = {
	[0] = { .name = "NARROW", .type = PFM_REG_COUNTER, .width = 1 },
	[PFM_MAX_COUNTERS - 1] = { .name = "WIDE", .type = PFM_REG_COUNTER, .width = 64 },
	[PFM_MAX_COUNTERS] = { .name = "FAR", .type = PFM_REG_READ_ONLY, .width = 64 },
	[PFM_MAX_HARDWARE] = { .name = "BEYOND", .type = PFM_REG_COUNTER, .width = 0 },
};
static struct pfm_virtual_pmd virtuals[PFM_MAX_PMU_VIRTUAL + 1];

static struct pfm_pmu pmu = {
	.interface = PFM_PMU_INTERFACE,
	.name = "wrong",
	.model = "never used",
	.operations = &operations,
	.pmcs = pmcs,
	.pmds = pmds,
	.pmc_count = PFM_MAX_HARDWARE,
	.pmd_count = PFM_MAX_HARDWARE,
	.virtuals = virtuals,
	.virtual_count = PFM_MAX_PMU_VIRTUAL,
};

static void __init make_pmu_of(u32 interface)
{
	memset(&pmu, 0x5a, sizeof(pmu));
	pmu.interface = interface;
}

static int __init register_pmu(void)
{
	unsigned int n;

	if (name)
		pmu.name = name;
	for (n = 0; n < ARRAY_SIZE(virtuals); n++)
		virtuals[n] = (struct pfm_virtual_pmd){ "VIRTUAL", .read = read_virtual };
	switch (what) {
		WRONG_PMUS(MAKE)
		PMUS_OF_OTHERS(MAKE)
	}
	return pfm_pmu_register(&pmu);
}

/* ---- a sampling format ------------------------------------------------------------------ */

static u32 handler(struct pfm_format_instance *instance, const struct pfm_sample *sample)
{
	return PFM_CONTROL_RESET;
}

static struct pfm_format format = {
	.interface = PFM_FORMAT_INTERFACE,
	.name = "Right_-_x_39_characters_as_is_the_limit",
	.uuid = "0f9e4c5d-7a21-4b3e-8c60-d5b1f2a7e834",
	.argument_size = 4096,
	.flags = PFM_FORMAT_CONTINUOUS,
	.handler = handler,
};

static void __init make_format_of(u32 interface)
{
	memset(&format, 0x5a, sizeof(format));
	format.interface = interface;
}

static int __init register_format(void)
{
	switch (what) {
		WRONG_FORMATS(MAKE)
		TAKEN_FORMATS(MAKE)
		FORMATS_OF_OTHERS(MAKE)
	}
	return pfm_format_register(&format);
}

static int __init wrong_init(void)
{
	return what < RIGHT_FORMAT ? register_pmu() : register_format();
}
module_init(wrong_init);

static void __exit wrong_exit(void)
{
	if (what < RIGHT_FORMAT)
		pfm_pmu_unregister(&pmu);
	else
		pfm_format_unregister(&format);
}
module_exit(wrong_exit);

MODULE_DESCRIPTION("perfmon: descriptions with mistakes, for tests");
MODULE_LICENSE("GPL");
