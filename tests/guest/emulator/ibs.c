// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests the emulated IBS of AMD. The kernel's driver must find IBS, and there must be one sample
 * per period.
 */
#if defined(__x86_64__)

#include <cpuid.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "emulator.h"

SUITE(ibs, 120);

#define DEVICES	    "/sys/bus/event_source/devices/"
#define PAGES	    64
#define PERIOD	    100000
#define LOOP	    (10 * MILLION)

#define FETCH_CTL   0xc0011030
#define OP_CTL	    0xc0011033
#define IBS_CTL	    0xc001103a
#define OP_EN	    BIT(17)
#define COUNT_OPS   BIT(19)
#define OP_COUNT(c) ((c) >> 32 & 0x7ffffff)

static bool has_ibs(void)
{
	unsigned int eax = 0, ebx = 0, ecx = 0, edx = 0;

	__get_cpuid(0x80000001, &eax, &ebx, &ecx, &edx);
	return !x86_pmu()->is_intel && ecx & BIT(10);
}

static void need_ibs(void)
{
	if (!has_ibs())
		skip("no IBS");
}

/* ---- perf ---------------------------------------------------------------------------------- */

/* Opens a perf event on CPU 0, but does not enable it. */
static int perf_ibs(const char *unit, uint64_t config)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.config = config,
		.sample_period = PERIOD,
		.sample_type = PERF_SAMPLE_IP,
		.disabled = 1,
	};
	char path[96];
	int fd;

	snprintf(path, sizeof(path), DEVICES "%s/type", unit);
	attr.type = read_number(path);
	fd = syscall(SYS_perf_event_open, &attr, -1, 0, -1, 0);
	ck_assert_msg(fd != -1, "%s: %s", unit, strerror(errno));
	return fd;
}

/* Returns whether @ip is in loop(), or a few bytes after the end of loop(). */
static bool is_near_loop(uint64_t ip)
{
	return ip >= (uintptr_t)loop && ip < (uintptr_t)loop + 64;
}

/*
 * Samples CPU 0 with @unit while loop() runs there. There must be a sample and an NMI in each
 * period, no matter which program runs on the CPU. Nearly all samples must be in the loop.
 */
static void must_sample(const char *unit, uint64_t config)
{
	const size_t size = sysconf(_SC_PAGESIZE) * (PAGES + 1);
	const int fd = perf_ibs(unit, config);
	const struct perf_event_mmap_page *page =
		mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	const struct perf_event_header *header;
	uint64_t at, executed, nmis, samples = 0, inside = 0;

	ck_assert_ptr_ne(page, MAP_FAILED);
	nmis = interrupts("NMI:");
	executed = instruction_time();
	perf_enable(fd);
	loop(LOOP);
	perf_disable(fd);
	executed = instruction_time() - executed;
	nmis = interrupts("NMI:") - nmis;
	for (at = 0; at < page->data_head; at += header->size) {
		header = (const void *)((const char *)page + page->data_offset + at);
		ck_assert_uint_eq(header->type, PERF_RECORD_SAMPLE);
		samples++;
		inside += is_near_loop(*(const uint64_t *)(header + 1));
	}
	must_be_between(samples, LOOP / PERIOD, executed / PERIOD);
	ck_assert_uint_eq(nmis, samples);
	ck_assert_uint_ge(inside, samples * 9 / 10);
	close(fd);
}

/*
 * Raises NMIs with an event that does not use IBS. After a stop of IBS, perf's handler claims the
 * next NMI, whatever its source is. Without this function, the handler might claim an NMI that
 * another test expects to be unknown.
 */
static void raise_nmi(void)
{
	int fd = event(RAW(RAW_INSTRUCTIONS),
		       &(struct wanted){ .period = 100000, .user = true, .group = -1 });

	counted_in_loop(fd, MILLION);
	close(fd);
}

TEST(perf_gets_a_sample_per_period)
{
	need_ibs();
	must_sample("ibs_op", COUNT_OPS);
	must_sample("ibs_op", 0);
	must_sample("ibs_fetch", 0);
	raise_nmi();
}

/* ---- registers ----------------------------------------------------------------------------- */

static void check_registers(void)
{
	uint64_t executed, before, after;

	ck_assert_uint_eq(msr_read(IBS_CTL) & BIT(8), BIT(8));
	ck_assert_int_eq(msr_try_write(IBS_CTL, 0), EIO);
	/* The current count can be written, and does not change while the unit is off. */
	msr_write(OP_CTL, 0x1234 | 1000ull << 32);
	ck_assert_uint_eq(msr_read(OP_CTL), 0x1234 | 1000ull << 32);
	/* The counter begins at the written value, and counts every instruction. */
	executed = instruction_time();
	msr_write(OP_CTL, 0xffff | OP_EN | COUNT_OPS | 1000ull << 32);
	before = OP_COUNT(msr_read(OP_CTL));
	loop(MILLION / 2);
	after = OP_COUNT(msr_read(OP_CTL));
	msr_write(OP_CTL, 0);
	executed = instruction_time() - executed;
	ck_assert_uint_gt(before, 1000);
	must_be_between(after - before, MILLION / 2, executed);
	ck_assert_uint_lt(after, 1000 + executed);
	/* The fetch counter counts in steps of 16. Bits 31 to 16 hold the number of steps. */
	executed = instruction_time();
	msr_write(FETCH_CTL, 0xffff | BIT(48));
	loop(MILLION / 2);
	after = (msr_read(FETCH_CTL) >> 16 & 0xffff) * 16;
	msr_write(FETCH_CTL, 0);
	executed = instruction_time() - executed;
	must_be_between(after, MILLION / 2, executed);
}

TEST(the_registers_count_instructions)
{
	need_ibs();
	with_test_registers(check_registers);
}

#endif
