// SPDX-License-Identifier: GPL-2.0-only
/*
 * x86: tests precise sampling with Intel's PEBS: which instructions are sampled, whether the counts
 * are right, and how threads are sampled. The tests compare samples with a second counter, and with
 * a loop in which an address and a register identify the executed instruction.
 */
#include <sys/mman.h>
#include <unistd.h>

#include "pebs.h"

SUITE(pebs, 120);

#define WRAP BIT(46)

/* ---- whether there is PEBS ---------------------------------------------------------------- */

static void must_be_refused(const char *why)
{
	struct pfarg_pmc pmc = { .reg_num = PFM_INTEL_PEBS, .reg_value = 1 };
	int fd = context_of(SAMPLED, instructions(AT_USER));

	ck_assert_str_eq(read_text(PEBS_PARAMETER), why);
	must_fail(fd, pfm_write_pmcs(fd, &pmc, 1), EINVAL, PFM_REASON_NO_PMC, 0);
	close(fd);
}

static void check_shared(void)
{
	must_be_refused("no: the counters are shared with perf (load with "
			"ownership=exclusive)\n");
}

/*
 * Returns a bitmap of the counters that can count precise events. Intel SDM, volume 3: counter 0 of
 * Core processors, counters 0 to 3 of later ones, and counters 0 to 7 with format 4 and later.
 */
static uint64_t precise_counters(void)
{
	const int format = pebs_format();

	ck_assert_int_ge(format, 0);
	return format == 0 ? 1 : format < 4 ? 0xf : 0xff;
}

static void check_exclusive(void)
{
	int fd = context_of(SAMPLED, instructions(AT_USER));
	uint64_t reserved =
		strtoull(read_text(SYSFS "pmus/intel/pmc17/rsvd_msk"), NULL, 16);

	write_pmc(fd, PFM_INTEL_PEBS, 1);
	ck_assert_uint_eq(~reserved & 0xff,
			  precise_counters() & pmu()->info.available_pmds[0]);
	close(fd);
}

/* Stage icount-isolated-x86_64 runs this test with page-table isolation. */
TEST(precise_sampling_is_refused_with_the_reason_where_it_cannot_be)
{
	if (!is_intel())
		return;
	if (!processor_has_pebs()) {
		must_be_refused("no: this processor has no precise sampling\n");
		return;
	}
	if (strstr(read_text("/proc/cpuinfo"), " pti ")) {
		must_be_refused("no: page-table isolation hides the buffer (boot with "
				"pti=off)\n");
		return;
	}
	with_pmu("perfmon_intel", "ownership=shared", check_shared);
	with_pmu("perfmon_intel", "ownership=exclusive", check_exclusive);
}

/* ---- instructions ------------------------------------------------------------------------- */

/*
 * Returns the number of samples that there must be. PEBS records the first event after an overflow,
 * and the next period begins after this event.
 */
static uint64_t samples_wanted(int fd, uint64_t period)
{
	uint64_t events = read_pmd(fd, BESIDE);

	ck_assert_uint_ge(events, LENGTH);
	return events / (period + 1);
}

/*
 * Checks that each sample of @counter is @distance instructions after the previous sample. Some
 * processors do not record the address of the instruction. Then the sample has the interrupted
 * address, which is the address of the next instruction in these tests. Returns the number of
 * samples.
 */
static uint64_t must_follow(header_t header, unsigned int counter, uint64_t distance)
{
	unsigned int place, last = PRECISE_LENGTH;
	uint64_t count = 0;
	entry_t entry;

	must_be_whole(header, 0);
	for_each_entry(entry, header, 0) {
		if (entry->ovfl_pmd != counter)
			continue;
		count++;
		place = precise_place(entry->ip);
		ck_assert_uint_lt(place, PRECISE_LENGTH);
		if (last != PRECISE_LENGTH)
			ck_assert_uint_eq(place, (last + distance) % PRECISE_LENGTH);
		last = place;
	}
	return count;
}

static unsigned int first_place(uint64_t period)
{
	int fd = default_context(0, MIB);
	header_t header = map_buffer(fd, MIB);
	unsigned int place;

	sample_precisely(fd, period, AT_USER);
	run_precisely(fd, LENGTH);
	ck_assert_uint_eq(header->hdr_lost, 0);
	ck_assert_uint_eq(header->hdr_count, samples_wanted(fd, period));
	ck_assert_uint_eq(must_follow(header, SAMPLED, period + 1), header->hdr_count);
	place = precise_place(first_entry(header)->ip);
	munmap((void *)header, MIB);
	close(fd);
	return place;
}

static void check_each(void)
{
	unsigned int place = first_place(PERIOD_10);

	ck_assert_uint_eq(first_place(PERIOD_7),
			  (place + PERIOD_7 - PERIOD_10) % PRECISE_LENGTH);
}

TEST(each_period_has_one_sample_with_the_right_instruction)
{
	with_pebs(check_each);
}

/* ---- several counters --------------------------------------------------------------------- */

#define SECOND 2 /* the second counter that is sampled */

/*
 * Samples with two counters, and checks the samples of each. The first overflows of both counters
 * are at the same instruction. If @other and @period are different, all later overflows of the two
 * counters are at different instructions. When one counter overflows, the processor's buffer may
 * still contain a record of the other counter. It is also possible that the other counter has
 * overflowed, but its record has not come yet.
 */
static void sample_two(uint64_t period, uint64_t other)
{
	struct pfarg_pmd second = { .reg_num = SECOND,
				    .reg_value = -period,
				    .reg_short_reset = -other,
				    .reg_long_reset = -other };
	int fd = default_context(0, MIB);
	header_t header = map_buffer(fd, MIB);
	uint64_t events;

	sample_precisely(fd, period, AT_USER);
	write_pmc(fd, SECOND, instructions(AT_USER));
	write_one(fd, second);
	write_pmc(fd, PFM_INTEL_PEBS, BIT(SAMPLED) | BIT(SECOND));
	run_precisely(fd, LENGTH);
	events = read_pmd(fd, BESIDE);
	ck_assert_uint_eq(must_follow(header, SAMPLED, period + 1),
			  events / (period + 1));
	ck_assert_uint_eq(must_follow(header, SECOND, other + 1),
			  (events + other - period) / (other + 1));
	munmap((void *)header, MIB);
	close(fd);
}

static void check_two_counters(void)
{
	uint64_t other;

	for (other = PERIOD_7 - 3; other <= PERIOD_7 + 3; other++)
		sample_two(PERIOD_7, other);
}

TEST(each_of_two_counters_has_its_own_records)
{
	with_pebs(check_two_counters);
}

/* ---- counts ------------------------------------------------------------------------------- */

static void must_count_across(uint64_t distance)
{
	int fd = context_of(BESIDE, instructions(AT_USER));

	use(fd, SAMPLED, instructions(AT_USER), WRAP - distance);
	write_pmc(fd, PFM_INTEL_PEBS, BIT(SAMPLED));
	run_precisely(fd, LENGTH);
	ck_assert_uint_eq(read_pmd(fd, SAMPLED) - (WRAP - distance),
			  read_pmd(fd, BESIDE));
	close(fd);
}

/*
 * The counts are right even if the counter wraps at the last instruction before the stop. Then no
 * record comes.
 */
static void check_counts(void)
{
	int fd = context_of(BESIDE, instructions(AT_USER));
	uint64_t all, distance;

	run_precisely(fd, LENGTH);
	all = read_pmd(fd, BESIDE);
	close(fd);
	must_count_across(LENGTH / 2);
	for (distance = all - 3; distance <= all + 3; distance++)
		must_count_across(distance);
}

TEST(a_count_across_the_processors_reset_is_exact)
{
	with_pebs(check_counts);
}

/* If a record was due at the stop, this record must not come after the next start. */
static void check_disarmed(void)
{
	int fd = context_of(BESIDE, instructions(AT_USER)), i;
	uint64_t all;

	run_precisely(fd, LENGTH);
	all = read_pmd(fd, BESIDE);
	close(fd);
	fd = context_of(BESIDE, instructions(AT_USER));
	use(fd, SAMPLED, instructions(AT_USER), WRAP - all);
	write_pmc(fd, PFM_INTEL_PEBS, BIT(SAMPLED));
	run_precisely(fd, LENGTH);
	for (i = 0; i < 3; i++) {
		must(fd, pfm_start(fd, NULL));
		precise_loop(LENGTH);
		must(fd, pfm_stop(fd));
	}
	ck_assert_uint_eq(read_pmd(fd, SAMPLED) - (WRAP - all), read_pmd(fd, BESIDE));
	close(fd);
}

TEST(a_record_that_was_due_at_the_stop_does_not_come_later)
{
	with_pebs(check_disarmed);
}

/* ---- threads ------------------------------------------------------------------------------ */

static uint64_t child_loop(uint64_t times)
{
	while (times--)
		precise_loop(LENGTH);
	return 0;
}

static int sample_child(struct child *child, uint64_t period, header_t *header)
{
	int fd = default_context(0, MIB);

	*child = child_new();
	*header = map_buffer(fd, MIB);
	sample_precisely(fd, period, AT_USER);
	load_and_start(fd, child->pid);
	return fd;
}

/*
 * Nearly all samples are in the loop. A few samples are in the code around the loop, where the
 * child reads its commands.
 */
static void must_be_in_loop(header_t header)
{
	uint64_t elsewhere = 0;
	entry_t entry;

	for_each_entry(entry, header, 0)
		elsewhere += precise_place(entry->ip) == PRECISE_LENGTH;
	ck_assert_uint_ge(header->hdr_count, 1000);
	ck_assert_uint_le(elsewhere, 3);
}

/* The children share a CPU. The kernel switches between them at ticks. */
static void check_two_threads(void)
{
	struct child children[2];
	header_t headers[2];
	int fds[2], i;

	for (i = 0; i < 2; i++)
		fds[i] =
			sample_child(&children[i], i ? PERIOD_7 : PERIOD_10, &headers[i]);
	for (i = 0; i < 2; i++)
		child_begin(&children[i], child_loop, 20);
	for (i = 0; i < 2; i++)
		child_finish(&children[i]);
	for (i = 0; i < 2; i++) {
		must(fds[i], pfm_stop(fds[i]));
		ck_assert_uint_eq(headers[i]->hdr_lost, 0);
		must_be_in_loop(headers[i]);
		close(fds[i]);
	}
}

TEST(two_threads_have_their_own_records)
{
	with_pebs(check_two_threads);
}

/* ---- endings ------------------------------------------------------------------------------ */

/*
 * Each iteration closes the context and kills the thread, at a different moment of the period. In
 * odd iterations the kill comes first; in even iterations the close comes first.
 */
static void check_endings(void)
{
	struct child child;
	header_t header;
	unsigned int i;
	int fd;

	for (i = 0; i < 100; i++) {
		fd = sample_child(&child, 100, &header);
		child_begin(&child, child_loop, 1000);
		loop(100000 + 70 * i);
		if (i % 2)
			child_kill(&child);
		munmap((void *)header, MIB);
		close(fd);
		if (i % 2 == 0)
			child_kill(&child);
	}
	first_place(PERIOD_7);
}

TEST(threads_and_contexts_may_end_at_any_moment)
{
	with_pebs(check_endings);
}
