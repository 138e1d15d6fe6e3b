// SPDX-License-Identifier: GPL-2.0-only
/*
 * x86: tests AMD's instruction based sampling, whose two units sample ops and fetches. A test runs
 * a loop many times. In each run, a sample of one unit, or its interrupt, comes a little later than
 * in the run before. So, over all runs, it comes at many different points during pfm_stop(), or
 * during the handling of the other unit's interrupt. No sample and no count may be lost. perf's
 * handler is also called for each NMI, and must not handle a sample of ours. The kernel must report
 * no NMI as unknown.
 */
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>

#include "ibs.h"
#include "x86_registers.h"

SUITE(ibs_interrupts, 200);

#define LOOP   10000ull
#define FAR    BIT(40) /* a number of ops or fetches that no run reaches */
/*
 * In the first run, the sample or its NMI comes WINDOW instructions before the stop halts the unit.
 * In a debug kernel, it comes 10 * WINDOW instructions before the halt.
 */
#define WINDOW 600
/*
 * The number of ops from the start to the halt differs from run to run. LATER is the largest
 * difference. In a debug kernel, this difference is 20 times as large.
 */
#define LATER  60

/* Returns a context that samples ops and has a buffer. */
static int ops_context(void)
{
	int fd = ibs_buffer_context();

	write_pmc(fd, PFM_AMD_IBS_PMC_OP, OPS | BOTH);
	write_pmd(fd, PFM_AMD_IBS_OP, 0);
	return fd;
}

/**
 * struct seen - what happened in a run
 * @nmis: NMIs of all kinds
 * @samples: samples that the format got
 * @replayed: stops that found a sample
 * @pmd: value of PFM_AMD_IBS_OP after the stop; negative if the sample has not come yet
 */
struct seen {
	uint64_t nmis;
	uint64_t samples;
	uint64_t replayed;
	int64_t pmd;
};

static long preemptions(void)
{
	struct rusage usage;

	ck_assert_int_eq(getrusage(RUSAGE_SELF, &usage), 0);
	return usage.ru_nivcsw;
}

static struct seen run_once(int fd, uint64_t ops, uint64_t fetches)
{
	struct seen seen;

	write_pmd(fd, PFM_AMD_IBS_OP, -ops);
	if (fetches)
		write_pmd(fd, PFM_AMD_IBS_FETCH, -fetches);
	seen.nmis = interrupts("NMI:");
	seen.samples = statistic("fmt_handler_calls");
	seen.replayed = statistic("ovfl_intr_replay_count");
	must(fd, pfm_start(fd, NULL));
	loop(LOOP);
	must(fd, pfm_stop(fd));
	loop(LOOP);
	seen.nmis = interrupts("NMI:") - seen.nmis;
	seen.samples = statistic("fmt_handler_calls") - seen.samples;
	seen.replayed = statistic("ovfl_intr_replay_count") - seen.replayed;
	seen.pmd = read_pmd(fd, PFM_AMD_IBS_OP);
	return seen;
}

/*
 * Runs the loop. A sample is due after @ops ops. Unless @fetches is 0, another sample is due after
 * @fetches fetches. The module still expects an NMI for 100 ms after a stop, so each run first
 * waits until this time is over. If another thread is switched in during the run, the units are
 * halted more than once. This may change the result, so this function runs the loop again. For
 * example, the first halt may come just when the sample is due. Then an NMI comes without the
 * sample, and the sample comes later, with a second NMI.
 */
static struct seen run(int fd, uint64_t ops, uint64_t fetches)
{
	const struct timespec longer = { .tv_nsec = 120 * MS };
	struct seen seen;
	long before;

	do {
		nanosleep(&longer, NULL);
		before = preemptions();
		seen = run_once(fd, ops, fetches);
	} while (preemptions() != before);
	return seen;
}

static uint64_t ops_until_the_halt(int fd)
{
	return run(fd, FAR, 0).pmd + FAR;
}

/* The sample is taken in the loop, and its NMI comes later, around the stop. */
static void check_interrupts(void)
{
	const unsigned int scale = is_debug_kernel() ? 10 : 1;
	const uint64_t distance = LOOP - 100;
	unsigned int regular = 0, replayed = 0;
	int fd = ops_context();
	struct seen seen;
	uint64_t halt, delay;

	load(fd, thread_id());
	halt = ops_until_the_halt(fd) - distance;
	reports_begin();
	for (delay = halt - WINDOW * scale; delay < halt + WINDOW * scale;
	     delay += 2 * scale) {
		msr_write(TEST_DELAY, delay);
		seen = run(fd, distance, 0);
		ck_assert_uint_eq(seen.nmis, 1);
		ck_assert_msg(seen.samples == 1, "delay %ju: %ju samples, PMD %jd",
			      (uintmax_t)delay, (uintmax_t)seen.samples,
			      (intmax_t)seen.pmd);
		replayed += seen.replayed;
		regular += !seen.replayed;
	}
	ck_assert_uint_eq(reports_end(UNKNOWN_NMI), 0);
	ck_assert_uint_gt(regular, 0);
	ck_assert_uint_gt(replayed, 0);
	close(fd);
}

TEST(an_interrupt_around_the_stop_is_ours)
{
	need_ibs();
	with_test_registers(check_interrupts);
}

/* The fetch unit takes one sample, after @distance fetches. */
static void sample_one_fetch(int fd, uint64_t distance)
{
	struct pfarg_pmd pmd = {
		.reg_num = PFM_AMD_IBS_FETCH,
		.reg_value = -distance,
		.reg_short_reset = -FAR,
		.reg_long_reset = -FAR,
	};
	size_t i;

	for (i = 0; i < COUNT(of_fetch); i++)
		add_to(pmd.reg_smpl_pmds, of_fetch[i]);
	must(fd, pfm_write_pmds(fd, &pmd, 1));
}

/*
 * Like check_interrupts(), but with a sample of the fetch unit. If the NMI of this sample comes
 * while the stop writes the control register, the sample must contain the value that this register
 * had before the NMI.
 */
static void check_fetches(void)
{
	const unsigned int scale = is_debug_kernel() ? 10 : 1;
	const uint64_t distance = LOOP - 400;
	int fd = ibs_buffer_context();
	header_t header = ibs_map(fd, MIB);
	entry_t entry = first_entry(header);
	uint64_t halt, delay, replayed, count = 0;

	write_pmc(fd, PFM_AMD_IBS_PMC_FETCH, BOTH);
	sample_one_fetch(fd, FAR);
	load(fd, thread_id());
	must(fd, pfm_start(fd, NULL));
	loop(LOOP);
	must(fd, pfm_stop(fd));
	halt = read_pmd(fd, PFM_AMD_IBS_FETCH) + FAR - distance;
	replayed = statistic("ovfl_intr_replay_count");
	for (delay = halt - WINDOW * scale; delay < halt + WINDOW * scale;
	     delay += scale) {
		msr_write(TEST_DELAY, delay);
		sample_one_fetch(fd, distance);
		must(fd, pfm_start(fd, NULL));
		loop(LOOP);
		must(fd, pfm_stop(fd));
		loop(LOOP);
		ck_assert_uint_eq(header->hdr_count, ++count);
		ck_assert_msg(ibs_values(entry)[2] & FETCH_LAST,
			      "delay %ju, halt after about %ju: IBS_FETCH_CTL is 0x%jx",
			      (uintmax_t)delay, (uintmax_t)halt,
			      (uintmax_t)ibs_values(entry)[2]);
		entry = entry_after(entry, COUNT(of_fetch));
	}
	/* In some runs the NMI came before the stop; in other runs the stop found the sample. */
	must_be_between(statistic("ovfl_intr_replay_count") - replayed, 1, count - 1);
	munmap((void *)header, MIB);
	close(fd);
}

TEST(a_fetch_around_the_stop_is_recorded)
{
	need_ibs();
	with_test_registers(check_fetches);
}

/*
 * The sample of the op unit is due around the stop. If the stop comes first, no sample is taken,
 * and the PMD is still negative. The fetch unit takes no sample. Its count must include the loop.
 * It may also include the stop and the handling of the op unit's sample.
 */
static void check_samples(void)
{
	const unsigned int scale = is_debug_kernel() ? 10 : 1;
	const int later = is_debug_kernel() ? 20 * LATER : LATER;
	unsigned int sampled = 0, not_yet = 0;
	int fd = ops_context();
	uint64_t halt, distance;
	struct seen seen;

	write_pmc(fd, PFM_AMD_IBS_PMC_FETCH, BOTH);
	write_pmd(fd, PFM_AMD_IBS_FETCH, -FAR);
	load(fd, thread_id());
	halt = ops_until_the_halt(fd);
	reports_begin();
	for (distance = halt - WINDOW * scale; distance < halt + 2 * later;
	     distance += scale) {
		seen = run(fd, distance, FAR);
		must_be_between(read_pmd(fd, PFM_AMD_IBS_FETCH) + FAR, LOOP,
				(is_debug_kernel() ? 6 : 4) * halt);
		ck_assert_uint_le(seen.nmis, 1);
		if (seen.samples) {
			ck_assert_uint_eq(seen.samples, 1);
			sampled++;
			continue;
		}
		ck_assert_msg(seen.pmd < 0 && seen.pmd >= -3 * later,
			      "sample due after %ju ops, halt after %ju: the PMD is %jd",
			      (uintmax_t)distance, (uintmax_t)halt, (intmax_t)seen.pmd);
		not_yet++;
	}
	ck_assert_uint_eq(reports_end(UNKNOWN_NMI), 0);
	ck_assert_uint_gt(sampled, 0);
	ck_assert_uint_gt(not_yet, 0);
	close(fd);
}

TEST(a_sample_around_the_stop_is_ours)
{
	need_ibs();
	with_test_registers(check_samples);
}

/*
 * The fetch unit takes its sample while the sample of the op unit is handled, or just afterwards.
 */
static void check_two_units(void)
{
	const uint64_t distance = LOOP / 2;
	int fd = ops_context();
	struct seen seen;
	uint64_t later;

	write_pmc(fd, PFM_AMD_IBS_PMC_FETCH, BOTH);
	write_pmd(fd, PFM_AMD_IBS_FETCH, 0);
	load(fd, thread_id());
	reports_begin();
	for (later = 0; later < 2500; later += 16) {
		seen = run(fd, distance, distance + later);
		ck_assert_msg(seen.samples == 2,
			      "the fetch period is %ju longer than the op period: "
			      "%ju samples, not 2",
			      (uintmax_t)later, (uintmax_t)seen.samples);
	}
	ck_assert_uint_eq(reports_end(UNKNOWN_NMI), 0);
	close(fd);
}

TEST(the_other_units_sample_is_ours_too)
{
	need_ibs();
	with_test_registers(check_two_units);
}

/* ---- dropped samples ----------------------------------------------------------------------- */

/*
 * Makes 20,000 system calls. Returns how many instructions these calls and the interrupts during
 * the calls take.
 */
static uint64_t instructions_of_calls(int event)
{
	const uint64_t before = perf_read(event).value;
	int i;

	for (i = 0; i < 20000; i++)
		syscall(SYS_getppid);
	return perf_read(event).value - before;
}

static uint64_t samples_of(int fd)
{
	struct pfm_statistics statistics = {};

	must(fd, pfm_get_statistics(fd, &statistics));
	return statistics.samples;
}

/*
 * The PMC selects only user level, so samples in the kernel are dropped. Their interrupts must not
 * make the system calls take ten times as many instructions. After the system calls, samples must
 * be taken at user level again.
 */
static void check_drops(int event, unsigned int pmc, uint64_t config, unsigned int pmd)
{
	const uint64_t alone = instructions_of_calls(event);
	uint64_t sampled, samples;
	int fd = ops_context();

	write_pmc(fd, PFM_AMD_IBS_PMC_OP, 0);
	sample_unit(fd, pmc, config | PFM_AMD_IBS_USER, pmd, 16, NULL, 0);
	load(fd, thread_id());
	must(fd, pfm_start(fd, NULL));
	sampled = instructions_of_calls(event);
	samples = samples_of(fd);
	load_loop(20 * MILLION);
	must(fd, pfm_stop(fd));
	ck_assert_uint_gt(samples_of(fd), samples);
	close(fd);
	ck_assert_msg(sampled < 10 * alone,
		      "system calls take %ju instructions, %ju while they are sampled",
		      (uintmax_t)alone, (uintmax_t)sampled);
}

TEST(a_short_period_at_user_level_leaves_the_kernel_its_time)
{
	int event;

	need_ibs();
	event = open_instructions();
	perf_enable(event);
	become(USER_ID);
	check_drops(event, PFM_AMD_IBS_PMC_FETCH, 0, PFM_AMD_IBS_FETCH);
	check_drops(event, PFM_AMD_IBS_PMC_OP, OPS, PFM_AMD_IBS_OP);
	close(event);
}
