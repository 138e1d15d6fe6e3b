// SPDX-License-Identifier: GPL-2.0-only
/* Tests that the sums of the sampling format "hist" are right at any time. */
#include <perfmon/perfmon_hist.h>

#include "formats.h"

SUITE(hist, 120);

#define NO_INDEX PFM_NO_INDEX
#define MOST	 4096 /* largest number of entries in this suite */

struct hist {
	int fd;
	uint32_t entries;
	const volatile struct pfm_hist_hdr *header;
	const volatile struct pfm_hist_entry *table;
};

static struct hist hist_new(uint32_t entries)
{
	const struct pfm_hist_arg argument = { .entries = entries };
	struct hist hist = { .entries = entries };

	hist.fd = format_context("hist", &argument, sizeof(argument));
	hist.header = format_buffer(hist.fd, 128 + 32 * entries);
	hist.table = (const volatile struct pfm_hist_entry *)(hist.header + 1);
	return hist;
}

static void start_on(const struct hist *hist, pid_t tid)
{
	load(hist->fd, tid);
	must(hist->fd, pfm_start(hist->fd, NULL));
}

/* For a caller that monitors itself: spins until @samples samples were taken. */
static void produce(const struct hist *hist, uint64_t samples)
{
	while (hist->header->produced < samples)
		spin_turns(10000);
}

struct sums {
	uint64_t used;
	uint64_t counts;
	uint64_t periods;
};

/* Returns the sums of the entries of @pmd, or of all entries if @pmd is PFM_MAX_PMDS. */
static struct sums sums_of(const struct hist *hist, unsigned int pmd)
{
	struct sums sums = {};
	uint32_t i;

	for (i = 0; i < hist->entries; i++) {
		uint64_t count = published(&hist->table[i].count);

		if (!count || (pmd != PFM_MAX_PMDS && hist->table[i].pmd != pmd))
			continue;
		sums.used++;
		sums.counts += count;
		sums.periods += hist->table[i].sum;
	}
	return sums;
}

/*
 * Checks that the sums of the entries agree with the header, and that the header agrees with the
 * core's count of samples. Must be called when the counters have stopped. @taken: value of
 * samples_taken() before the start.
 */
static void must_balance(const struct hist *hist, uint64_t taken)
{
	struct sums sums = sums_of(hist, PFM_MAX_PMDS);

	ck_assert_uint_eq(sums.used, hist->header->used);
	ck_assert_uint_eq(sums.counts + hist->header->lost, hist->header->produced);
	ck_assert_uint_eq(hist->header->produced, samples_taken() - taken);
	ck_assert_uint_eq(status_of(hist->fd).state, PFM_STATE_LOADED);
}

static bool is_same(const volatile struct pfm_hist_entry *a,
		    const volatile struct pfm_hist_entry *b)
{
	return a->ip == b->ip && a->tgid == b->tgid && a->pmd == b->pmd &&
	       a->set == b->set;
}

/* Checks that no two entries have the same key. */
static void must_be_unique(const struct hist *hist)
{
	uint32_t i, j;

	for (i = 0; i < hist->entries; i++) {
		if (!hist->table[i].count)
			continue;
		for (j = i + 1; j < hist->entries; j++)
			ck_assert_msg(!hist->table[j].count ||
					      !is_same(&hist->table[i], &hist->table[j]),
				      "entries %u and %u both have the key 0x%jx", i, j,
				      (uintmax_t)hist->table[i].ip);
	}
}

/* ---- layout and argument ----------------------------------------------------------- */

static void check_layout(void)
{
	const pid_t self = thread_id();
	struct hist hist;
	const void *buffer, *entry;
	uint64_t taken, used = 0, i;

	need_overflow_interrupts();
	hist = hist_new(256);
	buffer = (const void *)hist.header;
	must_be_zero(buffer, 8, 120 + 32 * 256);
	use_counters(hist.fd, 1);
	sample_counter(hist.fd, 0, format_period(), 0, NULL, 0);
	taken = samples_taken();
	start_on(&hist, self);
	produce(&hist, 50);
	must(hist.fd, pfm_stop(hist.fd));

	taken = samples_taken() - taken;
	ck_assert_uint_eq(number_at(buffer, 0, 4), 0x10000);
	ck_assert_uint_eq(number_at(buffer, 4, 4), 256);
	ck_assert_uint_eq(number_at(buffer, 16, 8), taken);
	must_be_zero(buffer, 24, 16);
	must_be_zero(buffer, 48, 80);
	for (i = 0; i < 256; i++) {
		entry = (const char *)buffer + 128 + 32 * i;
		if (!number_at(entry, 16, 8)) {
			must_be_zero(entry, 0, 32);
			continue;
		}
		used++;
		ck_assert_uint_eq(number_at(entry, 0, 4), self);
		ck_assert_uint_eq(number_at(entry, 4, 2), 0);
		ck_assert_uint_eq(number_at(entry, 6, 2), pmu()->pmds[0]);
		ck_assert_uint_ne(number_at(entry, 8, 8), 0);
		ck_assert_uint_eq(number_at(entry, 24, 8),
				  number_at(entry, 16, 8) * format_period());
	}
	ck_assert_uint_eq(number_at(buffer, 8, 8), used);
}

TEST(header_and_table_are_laid_out_as_described)
{
	with_formats(check_layout);
}

static void check_arguments(void)
{
	const struct pfm_hist_arg good = { .entries = 16 };
	const struct pfm_hist_arg bad[] = {
		{ .entries = 0 },
		{ .entries = 1 },
		{ .entries = 8 },
		{ .entries = 15 },
		{ .entries = 17 },
		{ .entries = 24 },
		{ .entries = (1u << 24) + 1 },
		{ .entries = 1u << 25 },
		{ .entries = 1u << 31 },
		{ .entries = UINT32_MAX },
		{ .entries = 16, .flags = 1 },
		{ .entries = 16, .flags = 0x80000000 },
		{ .entries = 16, .reserved = { 1 } },
		{ .entries = 16, .reserved = { [6] = BIT(63) } },
	};
	struct refusal refusals[COUNT(bad)];
	size_t i;

	for (i = 0; i < COUNT(bad); i++)
		refusals[i] = (struct refusal){ "bad argument: ", &bad[i], sizeof(bad[i]),
						PFM_REASON_FORMAT_ARGUMENT };
	must_refuse("hist", refusals, COUNT(bad), &good, sizeof(good));
}

TEST(bad_arguments_of_hist_are_refused)
{
	with_formats(check_arguments);
}

/* ---- sums ---------------------------------------------------------------------------- */

static void check_sums(void)
{
	struct child child = child_new();
	struct hist hist;
	struct sums sums;
	uint64_t taken, events, i;

	need_overflow_interrupts();
	hist = hist_new(MOST);
	/* The second counter counts the same event and shows how many events there were. */
	use_counters(hist.fd, 2);
	sample_counter(hist.fd, 0, format_period(), 0, NULL, 0);
	taken = samples_taken();
	start_on(&hist, child.pid);
	child_busy(&child);
	wait_until(published(&hist.header->produced) >= 200);
	must(hist.fd, pfm_stop(hist.fd));
	child_rest(&child);

	must_balance(&hist, taken);
	must_be_unique(&hist);
	sums = sums_of(&hist, pmu()->pmds[0]);
	ck_assert_uint_eq(sums.counts, hist.header->produced);
	ck_assert_uint_eq(hist.header->lost, 0);
	for (i = 0; i < MOST; i++)
		ck_assert_uint_eq(hist.table[i].sum,
				  hist.table[i].count * format_period());
	for (i = 0; i < MOST; i++)
		ck_assert(!hist.table[i].count ||
			  hist.table[i].tgid == (uint32_t)child.pid);
	/*
	 * The sum of the periods may be smaller than the number of events, because an event between
	 * an overflow and the reset of the counter does not belong to a period.
	 */
	events = read_pmd(hist.fd, pmu()->pmds[1]);
	ck_assert_uint_gt(sums.periods, 0);
	ck_assert_uint_le(sums.periods, events + format_period() / 100);
	child_exit(&child);
}

TEST(sums_are_those_of_the_samples)
{
	with_formats(check_sums);
}

/*
 * The loop lasts 50 sampling periods, and there must be a sample for each period. The counter
 * counts not only the loop but also the start, the stop and interrupts, so there may be some more
 * samples. The sums must agree with the number of samples.
 */
static void check_arithmetic(void)
{
	const uint64_t periods = 50, period = format_period();
	uint64_t time, produced;
	struct hist hist;

	need_overflow_interrupts();
	if (!is_deterministic())
		skip("a loop causes one interrupt in each period only with --icount");
	hist = hist_new(MOST);
	sample_promptly(hist.fd, period, 0);
	time = elapsed_time();
	start_on(&hist, thread_id());
	loop(periods * period + period / 2);
	must(hist.fd, pfm_stop(hist.fd));
	time = elapsed_time() - time;
	produced = hist.header->produced;
	must_be_between(produced, periods, time / period);
	ck_assert_uint_eq(hist.header->lost, 0);
	ck_assert_uint_eq(sums_of(&hist, PFM_MAX_PMDS).counts, produced);
	ck_assert_uint_eq(sums_of(&hist, PFM_MAX_PMDS).periods, produced * period);
	close(hist.fd);
}

TEST(a_loop_gives_a_sample_for_each_period)
{
	with_formats(check_arithmetic);
}

static void check_two_counters(void)
{
	const uint64_t period = format_period();
	struct sums first, second;
	struct hist hist;
	uint64_t taken;

	need_overflow_interrupts();
	hist = hist_new(MOST);
	use_counters(hist.fd, 2);
	sample_counter(hist.fd, 0, period, 0, NULL, 0);
	sample_counter(hist.fd, 1, 3 * period, 0, NULL, 0);
	taken = samples_taken();
	start_on(&hist, thread_id());
	produce(&hist, 100);
	must(hist.fd, pfm_stop(hist.fd));

	must_balance(&hist, taken);
	must_be_unique(&hist);
	first = sums_of(&hist, pmu()->pmds[0]);
	second = sums_of(&hist, pmu()->pmds[1]);
	ck_assert_uint_eq(first.periods, first.counts * period);
	ck_assert_uint_eq(second.periods, second.counts * 3 * period);
	ck_assert_uint_eq(first.counts + second.counts, hist.header->produced);
	ck_assert_uint_gt(first.counts, second.counts);
	ck_assert_uint_gt(second.counts, 0);
}

TEST(each_counter_has_separate_entries)
{
	with_formats(check_two_counters);
}

/* ---- a full table ------------------------------------------------------------------------ */

/* 256 jumps, each to the next instruction. A sample can have the address of any of them. */
#if defined(__x86_64__)
#define HOPS ".rept 256\n jmp 1f\n 1:\n .endr\n"
#else
#define HOPS ".rept 256\n b 1f\n 1:\n .endr\n"
#endif

static uint64_t hop_until_stopped(uint64_t unused)
{
	struct child_page *page = child_own_page();

	(void)unused;
	while (!page->stop) {
		__asm__ volatile(HOPS);
		page->turns++;
	}
	return page->turns;
}

static void fill_table(uint32_t entries)
{
	struct child child = child_new();
	struct hist hist;
	struct sums sums;
	uint64_t taken;

	hist = hist_new(entries);
	use_counters(hist.fd, 1);
	sample_counter(hist.fd, 0, format_period(), PFM_REGFL_OVFL_NOTIFY, NULL, 0);
	taken = samples_taken();
	start_on(&hist, child.pid);
	child_begin(&child, hop_until_stopped, 0);
	wait_until(published(&hist.header->lost) >= 50);
	must(hist.fd, pfm_stop(hist.fd));
	child_rest(&child);

	must_balance(&hist, taken);
	must_be_unique(&hist);
	sums = sums_of(&hist, PFM_MAX_PMDS);
	ck_assert_uint_eq(sums.periods, sums.counts * format_period());
	ck_assert_uint_eq(hist.header->lost_sum, hist.header->lost * format_period());
	/*
	 * For each sample, the format tries at most 32 entries of the table. So if the table has
	 * more than 32 entries, samples may be lost before all entries are used. But at least half
	 * of the entries must be used when 50 samples are lost.
	 */
	ck_assert_uint_ge(sums.used, entries <= 32 ? entries : entries / 2);
	/* There is no notification, so a restart is not possible. */
	must_be_silent(hist.fd);
	must_fail(hist.fd, pfm_restart(hist.fd), EBUSY, PFM_REASON_NOTHING_TO_RESTART,
		  NO_INDEX);
	close(hist.fd);
	child_exit(&child);
}

static void check_full_table(void)
{
	need_overflow_interrupts();
	fill_table(16);
	fill_table(32);
	fill_table(64);
}

TEST(a_full_table_is_counted)
{
	with_formats(check_full_table);
}

/* ---- a reader on another CPU -------------------------------------------------------------- */

/*
 * Checks that each entry that is in @seen still has the same key, and that its sums have not become
 * smaller. Then copies all used entries to @seen.
 */
static void must_have_grown(const struct hist *hist, struct pfm_hist_entry *seen)
{
	uint32_t i;

	for (i = 0; i < hist->entries; i++) {
		struct pfm_hist_entry entry = { .count = published(
							&hist->table[i].count) };

		if (!entry.count)
			continue;
		entry.ip = hist->table[i].ip;
		entry.tgid = hist->table[i].tgid;
		entry.pmd = hist->table[i].pmd;
		entry.set = hist->table[i].set;
		entry.sum = hist->table[i].sum;
		ck_assert_uint_ne(entry.ip, 0);
		ck_assert_uint_eq(entry.pmd, pmu()->pmds[0]);
		ck_assert_uint_ge(entry.sum, entry.count * format_period());
		ck_assert_uint_ge(entry.count, seen[i].count);
		ck_assert_uint_ge(entry.sum, seen[i].sum);
		if (seen[i].count)
			ck_assert(is_same(&entry, &seen[i]));
		seen[i] = entry;
	}
}

static void check_other_cpu(void)
{
	static struct pfm_hist_entry seen[256];
	struct child child = child_new();
	uint64_t taken, produced = 0;
	struct sums sums;
	struct hist hist;

	need_overflow_interrupts();
	need_cpus(2);
	pin(0);
	child_call(&child, child_pin, 1);
	hist = hist_new(COUNT(seen));
	use_counters(hist.fd, 1);
	sample_counter(hist.fd, 0, format_period(), 0, NULL, 0);
	taken = samples_taken();
	start_on(&hist, child.pid);
	child_begin(&child, hop_until_stopped, 0);
	while (produced < 500) {
		produced = published(&hist.header->produced);
		sums = sums_of(&hist, PFM_MAX_PMDS);
		ck_assert_uint_ge(sums.counts + published(&hist.header->lost), produced);
		must_have_grown(&hist, seen);
	}
	must(hist.fd, pfm_stop(hist.fd));
	child_rest(&child);
	must_balance(&hist, taken);
	must_have_grown(&hist, seen);
	child_exit(&child);
}

TEST(a_reader_on_another_cpu_sees_whole_entries)
{
	with_formats(check_other_cpu);
}
