// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests the test registers of the emulated PMU. Other tests write commands to the test registers,
 * and read from them how often the PMU's registers were accessed. tests/vm/qemu-x86-pmu describes
 * the test registers.
 */
#if defined(__x86_64__)

#include <sys/mman.h>

#include "emulator.h"

SUITE(test_registers, 120);

#define PERIOD 100000

/*
 * Opens a sampling event and enables it. As long as perf has such an event, each NMI makes perf
 * unmask the PMU's interrupt.
 */
static int enabled_event(uint64_t period)
{
	int fd = event(HARDWARE(INSTRUCTIONS),
		       &(struct wanted){ .period = period, .user = true, .group = -1 });

	group_enable(fd);
	return fd;
}

static uint64_t nmis_in_loop(uint64_t instructions)
{
	uint64_t before = interrupts("NMI:");

	loop(instructions);
	return interrupts("NMI:") - before;
}

/* Returns the number of NMIs that come when @what is written to TEST_DO. */
static uint64_t nmis_of(uint64_t what)
{
	uint64_t before = interrupts("NMI:");

	msr_write(TEST_DO, what);
	return interrupts("NMI:") - before;
}

/*
 * Halts all counters. perf does not notice this and still expects the PMU's interrupt. perf's
 * interrupt handler starts the counters again.
 */
static void halt(void)
{
	const struct x86_pmu *pmu = x86_pmu();
	unsigned int n;

	if (pmu->version >= 2)
		msr_write(pmu->is_intel ? 0x38f : 0xc0000301, 0);
	for (n = 0; n < 4 && pmu->version < 2; n++)
		msr_write((pmu->is_intel ? 0x186 : 0xc0010000) + n, 0);
}

static void check_late(void)
{
	uint64_t before;
	int fd;

	msr_write(TEST_DELAY, MILLION / 2);
	before = interrupts("NMI:");
	fd = enabled_event(MILLION);
	loop(MILLION);
	halt();
	ck_assert_uint_eq(interrupts("NMI:"), before);
	ck_assert_uint_eq(nmis_in_loop(MILLION), 1);
	group_disable(fd);
	close(fd);
}

TEST(an_interrupt_may_come_after_the_stop)
{
	with_test_registers(check_late);
}

/*
 * The first interrupt is lost. No other interrupt comes, because only perf's interrupt handler
 * would set the counter for the next period.
 */
static void check_lost(void)
{
	int fd;

	msr_write(TEST_LOSE, 1);
	fd = enabled_event(PERIOD);
	ck_assert_uint_eq(nmis_in_loop(MILLION), 0);
	ck_assert_uint_eq(msr_read(TEST_LOSE), 0);
	group_disable(fd);
	must_be_between(value_of(fd), MILLION, MILLION + 20000);
	close(fd);
	fd = enabled_event(PERIOD);
	ck_assert_uint_eq(nmis_in_loop(MILLION), 10);
	close(fd);
}

TEST(an_interrupt_may_be_lost)
{
	with_test_registers(check_lost);
}

static void check_foreign(void)
{
	reports_begin();
	ck_assert_uint_eq(nmis_of(DO_FOREIGN_NMI), 1);
	ck_assert_uint_eq(reports_end(UNKNOWN_NMI), 1);
}

TEST(an_nmi_that_nobody_handles_is_unknown)
{
	with_test_registers(check_foreign);
}

static void check_without_overflow(void)
{
	int fd = enabled_event(1000 * MILLION), i;

	reports_begin();
	for (i = 0; i < 3; i++)
		ck_assert_uint_eq(nmis_of(DO_PMI), 1);
	i = reports_end(UNKNOWN_NMI);
	/*
	 * On AMD processors, after perf has handled an NMI, it accepts every NMI for some time. So
	 * the kernel may not report these NMIs as unknown.
	 */
	if (x86_pmu()->is_intel)
		ck_assert_int_eq(i, 3);
	group_disable(fd);
	close(fd);
}

TEST(an_interrupt_may_come_without_overflow)
{
	with_test_registers(check_without_overflow);
}

/*
 * The foreign NMI makes perf unmask the PMU's interrupt. The kernel does not report this NMI as
 * unknown, because perf finds the overflow that happened while the interrupt was masked.
 */
static void check_masked(void)
{
	int fd = enabled_event(PERIOD);

	ck_assert_uint_eq(nmis_of(DO_MASK), 0);
	ck_assert_uint_eq(nmis_in_loop(MILLION), 0);
	ck_assert_uint_eq(nmis_of(DO_PMI), 0);
	ck_assert_uint_eq(nmis_of(DO_FOREIGN_NMI), 1);
	must_be_between(nmis_in_loop(MILLION), 9, 11);
	group_disable(fd);
	close(fd);
}

TEST(a_masked_interrupt_does_not_come)
{
	with_test_registers(check_masked);
}

static void check_maximum(void)
{
	const struct x86_pmu *pmu = x86_pmu();
	const uint32_t first = pmu->is_intel ? 0xc1 : 0xc0010004;
	unsigned int n;
	int fd;

	for (n = 0; n < 4; n++)
		msr_write(first + n, 0);
	msr_write(TEST_DO, DO_MAXIMUM);
	for (n = 0; n < 4; n++) {
		ck_assert_uint_eq(msr_read(first + n), BIT(48) - 1);
		msr_write(first + n, 0);
	}
	fd = enabled_event(1000 * MILLION);
	ck_assert_uint_eq(nmis_of(DO_MAXIMUM), 1);
	group_disable(fd);
	close(fd);
}

TEST(counters_may_have_their_highest_value)
{
	with_test_registers(check_maximum);
}

/* ---- accesses ------------------------------------------------------------------------------ */

struct write_of {
	uint32_t msr;
	enum access kind;
	unsigned int version; /* PMUs have the register from this version on */
	bool needs_six; /* only PMUs with six counters have the register */
};

static const struct write_of intel_writes[] = {
	{ 0x186, ACCESS_SELECT, 0, false },
	{ 0x189, ACCESS_SELECT, 0, false },
	{ 0xc1, ACCESS_COUNTER, 0, false },
	{ 0x4c4, ACCESS_COUNTER, 0, false },
	{ 0x30a, ACCESS_COUNTER, 2, false },
	{ 0x38f, ACCESS_GLOBAL_CONTROL, 2, false },
	{ 0x38d, ACCESS_FIXED_CONTROL, 2, false },
	{ 0x390, ACCESS_ACKNOWLEDGE, 2, false },
	{ 0x391, ACCESS_OTHER, 4, false },
};

static const struct write_of amd_writes[] = {
	{ 0xc0010000, ACCESS_SELECT, 0, false },
	{ 0xc0010003, ACCESS_SELECT, 0, false },
	{ 0xc0010004, ACCESS_COUNTER, 0, false },
	{ 0xc0010007, ACCESS_COUNTER, 0, false },
	{ 0xc001020a, ACCESS_SELECT, 0, true },
	{ 0xc001020b, ACCESS_COUNTER, 0, true },
	{ 0xc0000301, ACCESS_GLOBAL_CONTROL, 2, false },
	{ 0xc0000302, ACCESS_ACKNOWLEDGE, 2, false },
	{ 0xc0000303, ACCESS_OTHER, 2, false },
};

static uint64_t all_accesses(void)
{
	uint64_t sum = 0;
	unsigned int kind;

	for (kind = 0; kind < ACCESSES; kind++)
		sum += accesses(kind);
	return sum;
}

static void must_count_writes(const struct write_of *writes, size_t count)
{
	const struct x86_pmu *pmu = x86_pmu();
	size_t i;

	for (i = 0; i < count; i++) {
		if (pmu->version < writes[i].version ||
		    (writes[i].needs_six && pmu->counters < 6))
			continue;
		accesses_reset();
		msr_write(writes[i].msr, 0);
		msr_write(writes[i].msr, 0);
		ck_assert_msg(accesses(writes[i].kind) == 2 && all_accesses() == 2,
			      "MSR %#x: %ju accesses of kind %u, %ju of all kinds",
			      writes[i].msr, (uintmax_t)accesses(writes[i].kind),
			      writes[i].kind, (uintmax_t)all_accesses());
	}
}

static void check_writes(void)
{
	if (x86_pmu()->is_intel)
		must_count_writes(intel_writes, COUNT(intel_writes));
	else
		must_count_writes(amd_writes, COUNT(amd_writes));
}

TEST(writes_are_counted_by_kind)
{
	with_test_registers(check_writes);
}

/* While a program has mapped an event, it may use RDPMC, even if the event is not enabled. */
static void check_reads(void)
{
	int fd = event(HARDWARE(INSTRUCTIONS), AT_USER_LEVEL), i;
	uint32_t low, high;

	ck_assert(mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, 0) !=
		  MAP_FAILED);
	accesses_reset();
	for (i = 0; i < 3; i++)
		__asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(0));
	msr_read(x86_pmu()->is_intel ? 0x186 : 0xc0010000);
	ck_assert_uint_eq(accesses(ACCESS_RDPMC), 3);
	ck_assert_uint_eq(accesses(ACCESS_RDMSR), 1);
	ck_assert_uint_eq(all_accesses(), 4);
	close(fd);
}

TEST(reads_are_counted)
{
	with_test_registers(check_reads);
}

#endif
