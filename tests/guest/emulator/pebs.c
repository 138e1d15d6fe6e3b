// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests that the emulated PMU records precise events. A record contains the instruction and the
 * registers of the first event after an overflow. As on hardware, perf decodes the records.
 */
#if defined(__x86_64__)

#include <asm/perf_regs.h>
#include <cpuid.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "emulator.h"
#include "precise_loop.h"

SUITE(pebs, 120);

#define PAGES	     512
#define LENGTH	     MILLION
#define NO_OF_AX     BIT(PERF_REG_X86_AX)
#define DTES64	     BIT(2) /* CPUID 1 ECX */
#define CAPABILITIES 0x345
#define PEBS_ENABLE  0x3f1
#define DATA_CFG     0x3f2
#define DS_AREA	     0x600

static bool has_pebs(void)
{
	unsigned int eax, ebx, ecx, edx;

	__cpuid(1, eax, ebx, ecx, edx);
	return x86_pmu()->is_intel && ecx & DTES64;
}

/*
 * For a model that perf does not know ("generic"), perf offers precise events only if all events
 * can be precise. All events can be precise from PEBS format 4 on. Of the emulated PMUs with PEBS,
 * those from version 5 on have this format.
 */
static bool perf_has_pebs(void)
{
	return has_pebs() && x86_pmu()->version >= 5;
}

/* Opens a precise event that samples the caller's thread at user level. */
static int precise_event(uint32_t type, uint64_t config, uint64_t period, int group,
			 bool single)
{
	struct perf_event_attr attr = {
		.type = type,
		.size = sizeof(attr),
		.config = config,
		.sample_period = period,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_REGS_INTR,
		.sample_regs_intr = NO_OF_AX,
		.precise_ip = 2,
		.disabled = group == -1,
		.exclude_kernel = 1,
	};

	/*
	 * If samples have call chains, perf requests an interrupt for each sample. If they have
	 * none, one interrupt reports many samples, which the PMU has collected in a buffer.
	 */
	if (single)
		attr.sample_type |= PERF_SAMPLE_CALLCHAIN;
	return syscall(SYS_perf_event_open, &attr, 0, -1, group, PERF_FLAG_FD_CLOEXEC);
}

struct precise_sample {
	struct perf_event_header header;
	uint64_t ip;
	uint64_t rest[];
};

static uint64_t ax_of(const struct precise_sample *sample, bool single)
{
	const uint64_t *at = sample->rest;

	if (single)
		at += 1 + at[0];
	ck_assert_uint_eq(at[0], PERF_SAMPLE_REGS_ABI_64);
	return at[1];
}

/* The samples must be @distance instructions apart. Returns the number of samples. */
static unsigned int must_be_apart(struct perf_event_mmap_page *page, uint64_t distance,
				  bool single)
{
	const char *data = (const char *)page + page->data_offset;
	const struct precise_sample *sample;
	uint64_t at, number, last = 0;
	unsigned int count = 0;

	for (at = page->data_tail; at < page->data_head; at += sample->header.size) {
		sample = (const void *)(data + at);
		ck_assert_uint_eq(sample->header.type, PERF_RECORD_SAMPLE);
		ck_assert(sample->header.misc & PERF_RECORD_MISC_EXACT_IP);
		number = precise_number(LENGTH, sample->ip, ax_of(sample, single));
		ck_assert_uint_ne(number, PRECISE_NOWHERE);
		if (count++)
			ck_assert_uint_eq(number - last, distance);
		last = number;
	}
	return count;
}

/*
 * Samples precise_loop() with precise events. The event after the overflow is recorded, and the
 * next period begins after that event. So the distance between two samples is the period plus one
 * instruction.
 */
static void must_be_precise(uint32_t type, uint64_t config, uint64_t period, bool single)
{
	size_t size = sysconf(_SC_PAGESIZE) * (PAGES + 1);
	int fd = precise_event(type, config, period, -1, single);
	struct perf_event_mmap_page *page;
	uint64_t pmis;

	ck_assert_msg(fd != -1, "precise event: %s", strerror(errno));
	page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	ck_assert_ptr_ne(page, MAP_FAILED);
	pmis = interrupts("NMI:");
	group_enable(fd);
	precise_loop(LENGTH);
	group_disable(fd);
	pmis = interrupts("NMI:") - pmis;
	ck_assert_uint_eq(must_be_apart(page, period + 1, single), LENGTH / (period + 1));
	if (single)
		ck_assert_uint_eq(pmis, LENGTH / (period + 1));
	else
		ck_assert_uint_lt(pmis, LENGTH / (period + 1) / 10);
	munmap(page, size);
	close(fd);
}

static void check_precise(uint32_t type, uint64_t config)
{
	must_be_precise(type, config, 9999, true);
	must_be_precise(type, config, 10006, true);
	must_be_precise(type, config, 10006, false);
}

/* Tests the fixed counters of instructions and cycles, and a general counter. */
TEST(samples_have_the_instruction_and_the_registers_of_the_event)
{
	if (!perf_has_pebs()) {
		ck_assert_int_eq(precise_event(HARDWARE(INSTRUCTIONS), 9999, -1, true),
				 -1);
		return;
	}
	check_precise(HARDWARE(INSTRUCTIONS));
	check_precise(HARDWARE(CPU_CYCLES));
	/* Only general counters can count an event with a counter mask. */
	check_precise(RAW(RAW_INSTRUCTIONS | 1 << 24));
}

static void check_late(void)
{
	if (!perf_has_pebs()) {
		ck_assert_int_eq(precise_event(HARDWARE(INSTRUCTIONS), 9999, -1, true),
				 -1);
		return;
	}
	/* The PMU loads the reset value long before the interrupt comes. */
	msr_write(TEST_DELAY, 3000);
	must_be_precise(HARDWARE(INSTRUCTIONS), 10006, true);
}

TEST(a_late_interrupt_changes_nothing)
{
	with_test_registers(check_late);
}

static void must_write(uint32_t msr, uint64_t value, bool works)
{
	int error = msr_try_write(msr, value);

	ck_assert_msg(error == (works ? 0 : EIO), "MSR %#x: a write of %#llx %s", msr,
		      (unsigned long long)value, error ? "faults" : "does not fault");
}

/*
 * QEMU ignores writes to registers that the PMU does not have. If the PMU has a register, a write
 * of a reserved bit to this register must fault.
 */
static void check_registers(void)
{
	unsigned int format;

	if (!has_pebs()) {
		msr_try_write(PEBS_ENABLE, 1);
		ck_assert_uint_eq(msr_read(PEBS_ENABLE), 0);
		return;
	}
	format = msr_read(CAPABILITIES) >> 8 & 0xf;
	must_write(PEBS_ENABLE, 0xf, true);
	ck_assert_uint_eq(msr_read(PEBS_ENABLE), 0xf);
	must_write(PEBS_ENABLE, 0, true);
	must_write(PEBS_ENABLE, BIT(4), format >= 4);
	must_write(PEBS_ENABLE, BIT(32), format >= 4);
	must_write(PEBS_ENABLE, 0, true);
	must_write(DS_AREA, BIT(60), false);
	must_write(DS_AREA, 0xffff888000000000, true);
	must_write(DS_AREA, 0, true);
	if (format >= 4) {
		must_write(DATA_CFG, 3, true);
		must_write(DATA_CFG, 4, false);
		must_write(DATA_CFG, 0, true);
	}
}

TEST(the_registers_of_precise_events_have_the_bits_of_the_manual)
{
	with_test_registers(check_registers);
}

#endif
