// SPDX-License-Identifier: GPL-2.0-only
/* Tests the registers of the emulated PMU: which bits they have, and which writes fault. */
#if defined(__x86_64__)

#include "emulator.h"

SUITE(registers, 60);

#define EVENT_SELECT	   0x186
#define COUNTER		   0xc1
#define COUNTER_FULL	   0x4c1
#define FIXED_COUNTER	   0x309
#define CAPABILITIES	   0x345
#define FIXED_CONTROL	   0x38d
#define GLOBAL_STATUS	   0x38e
#define GLOBAL_CONTROL	   0x38f
#define GLOBAL_ACKNOWLEDGE 0x390
#define GLOBAL_STATUS_SET  0x391
#define AMD_GLOBAL_STATUS  0xc0000300
#define AMD_GLOBAL_CONTROL 0xc0000301
#define K7_EVENT_SELECT	   0xc0010000
#define K7_COUNTER	   0xc0010004
#define F15H_EVENT_SELECT  0xc0010200

static void must_write(uint32_t msr, uint64_t value, bool works)
{
	int error = msr_try_write(msr, value);

	ck_assert_msg(error == (works ? 0 : EIO), "MSR %#x: a write of %#llx %s", msr,
		      (unsigned long long)value, error ? "faults" : "does not fault");
}

static void must_read(uint32_t msr, uint64_t value)
{
	uint64_t is = msr_read(msr);

	ck_assert_msg(is == value, "MSR %#x is %#llx, not %#llx", msr,
		      (unsigned long long)is, (unsigned long long)value);
}

static void intel_registers(void)
{
	const struct x86_pmu *pmu = x86_pmu();
	uint64_t all = (BIT(pmu->counters) - 1) | (BIT(pmu->fixed) - 1) << 32;

	must_write(EVENT_SELECT, BIT(32), false);
	must_write(EVENT_SELECT, BIT(21), pmu->version >= 3); /* AnyThread */
	must_write(EVENT_SELECT, 0, true);
	/* A write to MSR COUNTER copies bit 31 of the value to all higher bits of the counter. */
	must_write(COUNTER, 0x80000000, true);
	must_read(COUNTER, 0xffff80000000);
	must_write(COUNTER_FULL, 0x7fffffffffff, true);
	must_read(COUNTER, 0x7fffffffffff);
	must_write(COUNTER_FULL, BIT(48), false);
	must_write(COUNTER_FULL, 0, true);
	must_write(CAPABILITIES, 0, false);
	if (pmu->version < 2)
		return;
	must_write(FIXED_COUNTER, 0xffffffffffff, true);
	must_write(FIXED_COUNTER, BIT(48), false);
	must_write(FIXED_COUNTER, 0, true);
	must_write(FIXED_CONTROL, 0xbbb, true);
	must_write(FIXED_CONTROL, 0x4, pmu->version == 3 || pmu->version == 4);
	must_write(FIXED_CONTROL, 0xful << 4 * pmu->fixed, false);
	must_write(FIXED_CONTROL, 0, true);
	must_write(GLOBAL_STATUS, 0, false);
	must_write(GLOBAL_CONTROL, BIT(pmu->counters), false);
	must_write(GLOBAL_CONTROL, BIT(32 + pmu->fixed), false);
	must_write(GLOBAL_CONTROL, all, true);
	must_write(GLOBAL_ACKNOWLEDGE, all, true);
	must_write(GLOBAL_ACKNOWLEDGE, BIT(pmu->counters), false);
	must_write(GLOBAL_ACKNOWLEDGE, BIT(59), pmu->version >= 4);
	if (pmu->version < 4)
		return;
	must_write(GLOBAL_STATUS_SET, 1, true);
	must_read(GLOBAL_STATUS, 1);
	must_write(GLOBAL_ACKNOWLEDGE, 1, true);
	must_read(GLOBAL_STATUS, 0);
}

static void amd_registers(void)
{
	const struct x86_pmu *pmu = x86_pmu();

	must_write(K7_COUNTER, 0x7fffffffffff, true);
	must_read(K7_COUNTER, 0x7fffffffffff);
	must_write(K7_COUNTER, 0, true);
	must_write(K7_EVENT_SELECT, 0xc0, true);
	must_read(K7_EVENT_SELECT, 0xc0);
	/* If the PMU has six counters, each of these registers has a second address. */
	if (pmu->counters == 6)
		must_read(F15H_EVENT_SELECT, 0xc0);
	must_write(K7_EVENT_SELECT, 0, true);
	if (pmu->version < 2)
		return;
	must_write(AMD_GLOBAL_CONTROL, BIT(pmu->counters), false);
	must_write(AMD_GLOBAL_CONTROL, BIT(pmu->counters) - 1, true);
	must_read(AMD_GLOBAL_STATUS, 0);
}

static void have_bits_of_the_manual(void)
{
	if (x86_pmu()->is_intel)
		intel_registers();
	else
		amd_registers();
}

TEST(registers_have_the_bits_of_the_manual)
{
	with_module("perfmon_msr", have_bits_of_the_manual);
}

#endif
