// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests the names, addresses, bits and widths of the registers that sysfs reports. The tables below
 * are from the manuals of the processors, except for the bits that only the modules use. Some bits
 * are reserved although the manual defines them, because a program must not set them. These bits
 * enable a counter or its interrupt, or make a counter count on the core's other threads, too.
 */
#include <perfmon/perfmon_amd.h>

#include "measure.h"
#include "registers.h"

SUITE(register_rows, 60);

/* clang-format off */

/*
 * Intel SDM, volume 4, table 2-2: IA32_PERFEVTSELx, IA32_PMCx, IA32_FIXED_CTRx and so on. A PMD has
 * only 46 of the 48 bits of the hardware's counter, because the module needs two bits to handle
 * overflows: see X86_SPARE_BITS in module/pmu/x86.h.
 */
static const struct register_row intel[] = {
	/* With CPUID leaf 23H (second row), a PMC also has unit mask 2 and the equal flag. */
	{ "pmc", 0, 8, .name = "IA32_PERFEVTSEL%u", .address = 0x186, .step = 1,
	  .reserved = ~0xff87ffffull, .width = 64 },
	{ "pmc", 0, 8, .name = "IA32_PERFEVTSEL%u", .address = 0x186, .step = 1,
	  .reserved = ~0xff10ff87ffffull, .width = 64 },
	{ "pmc", 16, 1, .name = "IA32_FIXED_CTR_CTRL", .address = 0x38d,
	  .reserved = ~0x333ull, .width = 64 },
	/*
	 * Three rows for one register, for CPUs with PEBS on counters 0 to 7, on counters 0 to 3,
	 * and on counters 0 to 3 with load latency.
	 */
	{ "pmc", 17, 1, .name = "IA32_PEBS_ENABLE", .address = 0x3f1,
	  .reserved = ~0xffull, .width = 64 },
	{ "pmc", 17, 1, .name = "IA32_PEBS_ENABLE", .address = 0x3f1,
	  .reserved = ~0xfull, .width = 64 },
	{ "pmc", 17, 1, .name = "IA32_PEBS_ENABLE", .address = 0x3f1,
	  .reserved = ~0xf0000000full, .width = 64 },
	{ "pmc", 18, 1, .name = "MSR_PEBS_LD_LAT_THRESHOLD", .address = 0x3f6, .width = 64 },
	{ "pmc", 19, 1, .name = "MSR_OFFCORE_RSP_0", .address = 0x1a6, .width = 64 },
	{ "pmc", 30, 1, .name = "IA32_LBR_CTL", .address = 0x14ce,
	  .reserved = ~0x7f000eull, .width = 64 },
	{ "pmc", 31, 1, .name = "MSR_OFFCORE_RSP_1", .address = 0x1a7, .width = 64 },
	{ "pmc", 32, 1, .name = "MSR_PEBS_FRONTEND", .address = 0x3f7, .width = 64 },
	{ "pmd", 0, 8, .name = "IA32_PMC%u", .address = 0xc1, .step = 1, .width = 46 },
	{ "pmd", 16, 3, .name = "IA32_FIXED_CTR%u", .address = 0x309, .step = 1, .width = 46 },
	{ "pmd", 32, 32, 2, "IA32_LBR_%u_FROM_IP", .address = 0x1500, .step = 1, .width = 64 },
	{ "pmd", 33, 32, 2, "IA32_LBR_%u_TO_IP", .address = 0x1600, .step = 1, .width = 64 },
	{ "pmd", 96, 32, 1, "IA32_LBR_%u_INFO", .address = 0x1200, .step = 1, .width = 64 },
};

/* AMD64 Architecture Programmer's Manual, volume 2, appendix A: the addresses of MSRs. */
static const struct register_row amd[] = {
	/* Two rows for CPUs with the feature PerfCtrExtCore, then two rows for CPUs without it. */
	{ "pmc", 0, 6, .name = "PERF_CTL%u", .address = 0xc0010200, .step = 2,
	  .reserved = ~0xfff87ffffull, .width = 64 },
	{ "pmd", 0, 6, .name = "PERF_CTR%u", .address = 0xc0010201, .step = 2, .width = 46 },
	{ "pmc", 0, 4, .name = "PERF_CTL%u", .address = 0xc0010000, .step = 1,
	  .reserved = ~0xfff87ffffull, .width = 64 },
	{ "pmd", 0, 4, .name = "PERF_CTR%u", .address = 0xc0010004, .step = 1, .width = 46 },
};

/* The same manual. For the PMC bits that select the event and the levels, see perfmon_amd.h. */
static const struct register_row amd_ibs[] = {
	{ "pmc", 4, 1, .name = "IBS_FETCH_CTL", .address = 0xc0011030,
	  .reserved = ~(PFM_AMD_IBS_RANDOM | PFM_AMD_IBS_USER | PFM_AMD_IBS_KERNEL),
	  .width = 64 },
	{ "pmc", 5, 1, .name = "IBS_OP_CTL", .address = 0xc0011033,
	  .reserved = ~(PFM_AMD_IBS_COUNT_OPS | PFM_AMD_IBS_USER | PFM_AMD_IBS_KERNEL),
	  .width = 64 },
	{ "pmd", 4, 1, .name = "IBS_FETCHES", .address = 0xc0011030, .width = 64 },
	{ "pmd", 5, 1, .name = "IBS_FETCH_LINADDR", .address = 0xc0011031, .width = 64 },
	{ "pmd", 6, 1, .name = "IBS_FETCH_PHYSADDR", .address = 0xc0011032, .width = 64 },
	{ "pmd", 7, 1, .name = "IBS_OPS", .address = 0xc0011033, .width = 64 },
	{ "pmd", 8, 1, .name = "IBS_OP_RIP", .address = 0xc0011034, .width = 64 },
	{ "pmd", 9, 1, .name = "IBS_OP_DATA", .address = 0xc0011035, .width = 64 },
	{ "pmd", 10, 1, .name = "IBS_OP_DATA2", .address = 0xc0011036, .width = 64 },
	{ "pmd", 11, 1, .name = "IBS_OP_DATA3", .address = 0xc0011037, .width = 64 },
	{ "pmd", 12, 1, .name = "IBS_DC_LINADDR", .address = 0xc0011038, .width = 64 },
	{ "pmd", 13, 1, .name = "IBS_DC_PHYSADDR", .address = 0xc0011039, .width = 64 },
	{ "pmd", 14, 1, .name = "IBS_BR_TARGET", .address = 0xc001103b, .width = 64 },
	{ "pmd", 15, 1, .name = "IBS_FETCH_CTL", .address = 0xc0011030, .width = 64 },
};

/*
 * Arm Architecture Reference Manual for A-profile, System registers. The address contains the
 * operands op0 to op2 of MRS, as the instruction encodes them (bits 19 to 5). A counter has 64 bits
 * with FEAT_PMUv3p5. A program may set the event (16 bits), P, U and NSH.
 */
static const struct register_row armv8[] = {
	{ "pmc", 0, 31, .name = "PMEVTYPER%u_EL0", .address = 0x1bec00, .step = 0x20,
	  .reserved = ~0xc800ffffull, .width = 64 },
	{ "pmc", 31, 1, .name = "PMCCFILTR_EL0", .address = 0x1befe0,
	  .reserved = ~0xc8000000ull, .width = 64 },
	{ "pmd", 0, 31, .name = "PMEVCNTR%u_EL0", .address = 0x1be800, .step = 0x20, .width = 32 },
	{ "pmd", 0, 31, .name = "PMEVCNTR%u_EL0", .address = 0x1be800, .step = 0x20, .width = 64 },
	{ "pmd", 31, 1, .name = "PMCCNTR_EL0", .address = 0x1b9d00, .width = 64 },
};

/*
 * Power ISA, book III, chapter 9 "Performance Monitor Facility": numbers of the SPRs and bits of
 * MMCR0, MMCRA, MMCR2 and MMCR3. MMCRA differs between ISA 2.07 (POWER8), 3.0 and 3.1.
 */
static const struct register_row power[] = {
	{ "pmc", 0, 1, .name = "MMCR0", .address = 795, .reserved = ~0x60000131ull,
	  .initial = 0x80000000, .width = 64 },
	{ "pmc", 1, 1, .name = "MMCR1", .address = 798, .width = 64 },
	{ "pmc", 2, 1, .name = "MMCRA", .address = 786, .reserved = ~0x00000fff0007ff7full,
	  .width = 64 },
	{ "pmc", 2, 1, .name = "MMCRA", .address = 786, .reserved = ~0x007fec000007ff7full,
	  .width = 64 },
	{ "pmc", 2, 1, .name = "MMCRA", .address = 786, .reserved = ~0x00ffec000007ff7full,
	  .initial = 1ull << 37 /* BHRBRD */, .width = 64 },
	{ "pmc", 3, 1, .name = "MMCR2", .address = 785, .reserved = 0x3ff, .width = 64 },
	{ "pmc", 3, 1, .name = "MMCR2", .address = 785, .reserved = 0x307, .width = 64 },
	{ "pmc", 4, 1, .name = "MMCR3", .address = 754, .reserved = 0xf, .width = 64 },
	{ "pmd", 0, 1, .name = "TB", .address = 268, .width = 64 },
	{ "pmd", 1, 1, .name = "PMC1", .address = 787, .width = 31 },
	{ "pmd", 2, 1, .name = "PMC2", .address = 788, .width = 31 },
	{ "pmd", 3, 1, .name = "PMC3", .address = 789, .width = 31 },
	{ "pmd", 4, 1, .name = "PMC4", .address = 790, .width = 31 },
	{ "pmd", 5, 1, .name = "PMC5", .address = 791, .width = 31 },
	{ "pmd", 6, 1, .name = "PMC6", .address = 792, .width = 31 },
};

static const struct register_row soft[] = {
	{ "pmc", 0, 8, .name = "SELECT%u", .step = 1, .width = 64 },
	{ "pmd", 0, 8, .name = "COUNTER%u", .step = 1, .width = 64 },
};
/* clang-format on */

static const struct {
	const char *pmu;
	const struct register_row *rows;
	size_t count;
} tables[] = {
	{ "intel", intel, COUNT(intel) },	{ "amd", amd, COUNT(amd) },
	{ "amd_ibs", amd_ibs, COUNT(amd_ibs) }, { "armv8", armv8, COUNT(armv8) },
	{ "power", power, COUNT(power) },	{ "soft", soft, COUNT(soft) },
};

TEST(registers_are_as_in_the_manual)
{
	bool has_default = false;
	size_t i;

	for (i = 0; i < COUNT(tables); i++) {
		if (!pmu_is_registered(tables[i].pmu))
			continue;
		registers_must_be(tables[i].pmu, tables[i].rows, tables[i].count);
		has_default |= pmu_is(tables[i].pmu);
	}
	ck_assert_msg(has_default, "there is no table for PMU \"%s\"",
		      pmu()->info.pmu_name);
}
