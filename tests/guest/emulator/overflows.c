// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests that the emulated PMU raises an interrupt at each overflow, after the instruction
 * that caused the overflow.
 */
#if defined(__x86_64__)

#include <sys/mman.h>

#include "emulator.h"

SUITE(overflows, 120);

#define PAGES	    512
#define SAMPLES_MAX 4096

/* A loop of ten instructions: eight nops, dec and jnz. */
extern const char nops[], nops_end[];

__attribute__((noinline)) static void nop_loop(uint64_t instructions)
{
	uint64_t tens = instructions / 10;

	__asm__ volatile(
		".globl nops, nops_end\n"
		"nops: nop; nop; nop; nop; nop; nop; nop; nop; dec %0; jnz nops\n"
		"nops_end:"
		: "+r"(tens)
		:
		: "cc");
}

/* Returns the index of the loop's instruction at @ip, or 10 if @ip is not in the loop. */
static unsigned int place(uint64_t ip)
{
	uint64_t at = ip - (uintptr_t)nops;

	if (at >= (uintptr_t)(nops_end - nops))
		return 10;
	return at <= 8 ? at : 9; /* dec has 3 bytes */
}

struct samples {
	uint64_t counted;
	uint64_t nmis;
	uint64_t pmis;
	unsigned int count;
	uint64_t ips[SAMPLES_MAX];
};

static void collect(struct perf_event_mmap_page *page, struct samples *samples)
{
	const char *data = (const char *)page + page->data_offset;
	const struct perf_event_header *header;
	uint64_t at;

	for (at = page->data_tail; at < page->data_head; at += header->size) {
		header = (const void *)(data + at % page->data_size);
		ck_assert_uint_eq(header->type, PERF_RECORD_SAMPLE);
		ck_assert_uint_lt(samples->count, SAMPLES_MAX);
		samples->ips[samples->count++] = *(const uint64_t *)(header + 1);
	}
}

static struct samples sampled_loop(uint32_t type, uint64_t config, uint64_t period,
				   bool kernel, uint64_t instructions)
{
	static struct samples samples;
	int fd = event(type, config, &(struct wanted){ period, true, kernel, -1 });
	size_t size = sysconf(_SC_PAGESIZE) * (PAGES + 1);
	struct perf_event_mmap_page *page;

	page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	ck_assert_ptr_ne(page, MAP_FAILED);
	samples = (struct samples){ .nmis = interrupts("NMI:"),
				    .pmis = interrupts("PMI:") };
	group_enable(fd);
	nop_loop(instructions);
	group_disable(fd);
	samples.nmis = interrupts("NMI:") - samples.nmis;
	samples.pmis = interrupts("PMI:") - samples.pmis;
	samples.counted = value_of(fd);
	collect(page, &samples);
	munmap(page, size);
	close(fd);
	return samples;
}

static void must_sample(uint32_t type, uint64_t config, uint64_t period, bool kernel)
{
	struct samples samples = sampled_loop(type, config, period, kernel, 10 * MILLION);

	ck_assert_uint_gt(samples.count, 90);
	ck_assert_uint_eq(samples.count, samples.counted / period);
	ck_assert_uint_eq(samples.nmis, samples.count);
	ck_assert_uint_eq(samples.pmis, samples.count);
}

TEST(each_overflow_is_an_interrupt)
{
	must_sample(HARDWARE(INSTRUCTIONS), 100000, false);
	must_sample(HARDWARE(INSTRUCTIONS), 99991, false);
	must_sample(HARDWARE(INSTRUCTIONS), 10007, false);
	must_sample(HARDWARE(CPU_CYCLES), 100000, false);
	must_sample(HARDWARE(BRANCH_INSTRUCTIONS), 10007, false);
	must_sample(RAW(RAW_INSTRUCTIONS), 10007, false);
	must_sample(HARDWARE(INSTRUCTIONS), 100000, true);
}

/*
 * The period is one instruction longer than 1000 rounds of the loop. So each sample is one
 * instruction further in the loop than the sample before.
 */
TEST(the_interrupt_comes_after_the_instruction_that_overflowed)
{
	struct samples samples =
		sampled_loop(HARDWARE(INSTRUCTIONS), 10001, false, 10 * MILLION);
	unsigned int i;

	ck_assert_uint_eq(samples.count, 999);
	for (i = 1; i < samples.count; i++)
		ck_assert_uint_eq(place(samples.ips[i]),
				  (place(samples.ips[i - 1]) + 1) % 10);
}

/* With a skid of n, each sample is n instructions further in the loop than it is without a skid. */
static void check_skid(void)
{
	struct samples exact, late;
	unsigned int i;

	exact = sampled_loop(HARDWARE(INSTRUCTIONS), 10001, false, MILLION);
	msr_write(TEST_DELAY, 3);
	late = sampled_loop(HARDWARE(INSTRUCTIONS), 10001, false, MILLION);
	ck_assert_uint_eq(exact.count, 99);
	ck_assert_uint_eq(late.count, 99);
	/* perf's period begins at the overflow, not at the interrupt. */
	for (i = 0; i < late.count; i++)
		ck_assert_uint_eq(place(late.ips[i]), (place(exact.ips[i]) + 3) % 10);
}

TEST(a_delayed_interrupt_comes_the_given_number_of_instructions_later)
{
	with_test_registers(check_skid);
}

/* Two counters with the same period overflow at the same time and raise one interrupt. */
TEST(two_overflows_may_be_one_interrupt)
{
	const struct wanted first = { 100000, true, false, -1 };
	struct wanted second = first;
	uint64_t nmis;
	int fds[2];

	second.group = fds[0] = event(RAW(RAW_INSTRUCTIONS), &first);
	fds[1] = event(RAW(RAW_INSTRUCTIONS), &second);
	nmis = interrupts("NMI:");
	counted_in_loop(fds[0], 10 * MILLION);
	ck_assert_uint_eq(interrupts("NMI:") - nmis, 100);
	ck_assert_uint_eq(value_of(fds[0]), value_of(fds[1]));
}

#endif
