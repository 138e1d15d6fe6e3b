// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests two things that profilers need: there is one sample per period, and each sample has the
 * right instruction.
 *
 * Under --icount, the interrupts of Armv8's cycle counter and of all x86 counters come exactly at
 * the overflow. These counters can be restricted to user level. On POWER, the tests sample PMC6
 * (cycles) and PMC5 (instructions), which count at all levels.
 */
#include <stdio.h>
#include <perfmon/perfmon_power.h>

#include "samples.h"

SUITE(profile, 120);

#define MILLION		    1000000ull
#define MIB		    (1ul << 20)

#define INSTRUCTIONS_1_TO_4 0x02ull /* PM_INST_CMPL of POWER */

struct exact_run {
	unsigned int pmd;
	unsigned int other; /* counts the same event, but is not sampled */
	uint64_t event,
		other_event; /* PMC values for @pmd and @other, used if selects_levels() */
	uint64_t period;
	uint64_t length; /* number of instructions that the loop executes */
};

static int exact_context(const struct exact_run *run, uint32_t flags, uint64_t size)
{
	int fd = default_context(flags, size);
	struct pfarg_pmd pmd = { .reg_num = run->pmd,
				 .reg_flags = NOTIFY,
				 .reg_value = -run->period,
				 .reg_short_reset = -run->period,
				 .reg_long_reset = -run->period };

	if (selects_levels()) {
		write_pmc(fd, run->pmd, run->event);
		write_pmc(fd, run->other, run->other_event);
	} else {
		program_busy(fd, run->other);
	}
	write_pmd(fd, run->other, 0);
	write_one(fd, pmd);
	return fd;
}

struct exact_count {
	uint64_t samples;
	uint64_t elsewhere; /* samples at user level, outside of the loop */
	uint64_t in_kernel;
};

static void count_entries(header_t header, struct exact_count *count)
{
	entry_t entry;

	must_be_whole(header, 0);
	for_each_entry(entry, header, 0) {
		count->samples++;
		if (is_kernel_address(entry->ip))
			count->in_kernel++;
		else if (!is_in_loop(entry->ip))
			count->elsewhere++;
	}
}

static struct exact_run exact_run(void)
{
	need_exact_work();
	if (selects_levels())
		return (struct exact_run){ .pmd = prompt_counter(),
					   .other = 0,
					   .event = prompt_cycles(AT_USER),
					   .other_event = cycles(AT_USER),
					   .period = 10000,
					   .length = 200 * MILLION };
	if (pmu_is("power"))
		return (struct exact_run){ .pmd = PFM_POWER_PMC6,
					   .other = PFM_POWER_PMC1,
					   .period = 100000,
					   .length = 1000 * MILLION };
	skip("the software PMU counts no cycles");
}

static void must_be_exact(int fd, const struct exact_run *run,
			  const struct exact_count *count)
{
	uint64_t events = read_pmd(fd, run->other);

	printf("         %ju events, %ju samples with period %ju: %ju in the kernel, "
	       "%ju elsewhere\n",
	       (uintmax_t)events, (uintmax_t)count->samples, (uintmax_t)run->period,
	       (uintmax_t)count->in_kernel, (uintmax_t)count->elsewhere);
	fflush(stdout);
	ck_assert_uint_ge(events, run->length);
	ck_assert_uint_eq(count->samples, events / run->period);
	ck_assert_uint_le(count->elsewhere, 2);
	if (selects_levels())
		ck_assert_uint_eq(count->in_kernel, 0);
	else
		ck_assert_uint_le(count->in_kernel, count->samples / 20);
}

static void sample_a_loop(const struct exact_run *run)
{
	struct exact_count count = {};
	int fd = exact_context(run, 0, MIB);
	header_t header = map_buffer(fd, MIB);
	int started, stopped;

	load(fd, thread_id());
	started = pfm_start(fd, NULL);
	sampled_loop(run->length);
	stopped = pfm_stop(fd);
	must(fd, started);
	must(fd, stopped);
	ck_assert_uint_eq(header->hdr_lost, 0);
	ck_assert_uint_eq(header->hdr_throttled, 0);
	count_entries(header, &count);
	must_be_exact(fd, run, &count);
}

TEST(a_loop_has_one_sample_per_period_of_cycles)
{
	const struct exact_run run = exact_run();

	sample_a_loop(&run);
}

/*
 * Skips the test unless the PMU has an instruction counter whose interrupt comes exactly at the
 * overflow. In QEMU, the interrupts of Armv8's event counters come later.
 */
static void need_prompt_instructions(void)
{
	if (!pmu_is("power") && !pmu_is("intel") && !pmu_is("amd"))
		skip("no instruction counter raises its interrupt exactly at the overflow");
	need_exact_work();
}

static uint64_t child_loop(uint64_t instructions)
{
	sampled_loop(instructions);
	return 0;
}

/*
 * The buffer is one page. When it is full, the thread blocks until the test has counted the samples
 * in it, so no sample is lost.
 */
TEST(a_thread_that_waits_for_its_reader_loses_no_sample)
{
	const struct exact_run run = exact_run();
	struct exact_count count = {};
	struct child child = child_new();
	int fd = exact_context(&run, PFM_FL_NOTIFY_BLOCK, 4096);
	header_t header = map_buffer(fd, 4096);
	struct pfarg_ovfl_msg message;

	load_and_start(fd, child.pid);
	child_begin(&child, child_loop, run.length);
	close(child.commands); /* the child ends after the loop */
	for (;;) {
		ck_assert_int_eq(read(fd, &message, sizeof(message)), sizeof(message));
		count_entries(header, &count);
		if (message.msg_type == PFM_MSG_END)
			break;
		must(fd, pfm_restart(fd));
	}
	ck_assert_uint_eq(header->hdr_lost, 0);
	ck_assert_uint_eq(header->hdr_throttled, 0);
	must_be_exact(fd, &run, &count);
}

/*
 * Each translation block of QEMU has fewer instructions than this, both in the loop and in the
 * kernel.
 */
#define BLOCK 128

/*
 * Compares the samples of PMC5 with PMC1, which counts the same event. QEMU has a bug: it updates
 * PMC5 only at the end of a translation block. If PMC5 has overflowed, QEMU sets it to 0x80000000.
 * So PMC5 misses the instructions that the block executes after the overflow. perf's samples have
 * the same error. PMC1 does not overflow, so it misses no instructions. Between two samples, PMC1
 * grows by the period plus the number of instructions that PMC5 missed.
 */
static void follow_instructions(header_t header, uint64_t period, uint64_t counted)
{
	uint64_t last = 0, rest, skipped = 0, elsewhere = 0, in_kernel = 0;
	entry_t entry;

	must_be_whole(header, 1);
	for_each_entry(entry, header, 1) {
		rest = *values_of(entry) - last - period;
		ck_assert_uint_lt(rest, BLOCK);
		skipped += rest;
		last = *values_of(entry);
		if (is_kernel_address(entry->ip))
			in_kernel++;
		else if (!is_in_loop(entry->ip))
			elsewhere++;
	}
	printf("         %ju instructions, %ju samples with period %ju: %ju in the kernel, "
	       "%ju elsewhere; QEMU skipped %ju\n",
	       (uintmax_t)counted, (uintmax_t)header->hdr_count, (uintmax_t)period,
	       (uintmax_t)in_kernel, (uintmax_t)elsewhere, (uintmax_t)skipped);
	fflush(stdout);
	ck_assert_uint_eq(header->hdr_count, (counted - skipped) / period);
	ck_assert_uint_le(elsewhere, 2);
	ck_assert_uint_le(in_kernel, header->hdr_count / 20);
}

static void sample_on_power(void)
{
	const uint64_t period = 100000, length = 200 * MILLION;
	struct pfarg_pmd pmd = { .reg_num = PFM_POWER_PMC5,
				 .reg_flags = NOTIFY,
				 .reg_value = -period,
				 .reg_short_reset = -period,
				 .reg_long_reset = -period };
	header_t header;
	int fd;

	fd = default_context(0, MIB);
	header = map_buffer(fd, MIB);
	write_pmc(fd, PFM_POWER_MMCR1,
		  INSTRUCTIONS_1_TO_4 << PFM_POWER_MMCR1_SELECT_SHIFT(1));
	write_pmd(fd, PFM_POWER_PMC1, 0);
	add_to(pmd.reg_smpl_pmds, PFM_POWER_PMC1);
	write_one(fd, pmd);
	load_and_start(fd, thread_id());
	sampled_loop(length);
	must(fd, pfm_stop(fd));
	ck_assert_uint_eq(header->hdr_lost, 0);
	ck_assert_uint_eq(header->hdr_throttled, 0);
	ck_assert_uint_ge(header->hdr_count, length / period);
	follow_instructions(header, period, read_pmd(fd, PFM_POWER_PMC1));
}

TEST(a_loop_has_one_sample_per_period_of_instructions)
{
	struct exact_run run;

	need_prompt_instructions();
	if (pmu_is("power")) {
		sample_on_power();
		return;
	}
	run = exact_run();
	run.event = run.other_event = instructions(AT_USER);
	sample_a_loop(&run);
}
