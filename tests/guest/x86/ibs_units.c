// SPDX-License-Identifier: GPL-2.0-only
/*
 * x86: tests the units of AMD's instruction based sampling: their periods, their counts and their
 * use by perf. Also tests module perfmon_amd, which registers the PMUs "amd" and "amd_ibs".
 */
#include <stdio.h>
#include <sys/syscall.h>

#include "ibs.h"

SUITE(ibs_units, 300);

/* ---- periods ------------------------------------------------------------------------------- */

#define SHORT 112 /* a period in fetches; it would be too short for the op unit */

TEST(a_short_period_of_fetches_is_not_prolonged)
{
	int fd = (need_ibs(), ibs_buffer_context());
	const struct pfm_dfl_smpl_hdr *header = ibs_map(fd, MIB);
	entry_t entry = (entry_t)(header + 1);
	uint64_t i;

	sample_fetches(fd, BOTH, SHORT);
	ibs_sample_loop(fd, 10000);
	ck_assert_uint_gt(header->hdr_count, 0);
	for (i = 0; i < header->hdr_count; i++) {
		ck_assert_uint_eq(ibs_values(entry)[2] & FETCH_MOST, SHORT / 16);
		entry = (entry_t)(ibs_values(entry) + COUNT(of_fetch));
	}
	close(fd);
}

/* ---- counts -------------------------------------------------------------------------------- */

/*
 * The count goes on beyond the maximum of the hardware's counter. After each start, the count
 * continues from its last value. The emulated processor fetches and retires one instruction at a
 * time.
 */
static void check_count(unsigned int pmc, uint64_t config, unsigned int pmd)
{
	int fd = (need_ibs(), ibs_context(NULL, NULL, 0)), all;
	uint64_t i, count = 0, last;

	write_pmc(fd, pmc, config | BOTH);
	write_pmd(fd, pmd, 0);
	all = open_instructions();
	load(fd, thread_id());
	perf_enable(all);
	for (i = 1; i <= 5; i++) {
		last = count;
		must(fd, pfm_start(fd, NULL));
		load_loop(3 * MILLION);
		count = read_pmd(fd, pmd);
		ck_assert_uint_ge(count, last + 3 * MILLION);
		must(fd, pfm_stop(fd));
		ck_assert_uint_ge(read_pmd(fd, pmd), count);
		count = read_pmd(fd, pmd);
	}
	perf_disable(all);
	must_be_between(count, 15 * MILLION, perf_read(all).value);
	close(all);
	close(fd);
}

TEST(ops_are_counted_with_64_bits)
{
	check_count(PFM_AMD_IBS_PMC_OP, OPS, PFM_AMD_IBS_OP);
}

TEST(fetches_are_counted_with_64_bits)
{
	check_count(PFM_AMD_IBS_PMC_FETCH, 0, PFM_AMD_IBS_FETCH);
}

/*
 * A unit always counts both levels. If the PMC selects only one level, the count would reveal
 * something about the other level, so the PMD keeps its value. If the PMC selects both levels, the
 * PMD grows (see the test above).
 */
TEST(an_ordinary_user_reads_no_count_of_the_kernel)
{
	static const unsigned int numbers[] = { PFM_AMD_IBS_FETCH, PFM_AMD_IBS_OP };
	const uint64_t period = 1000 * MILLION;
	uint64_t values[2];
	int fd, i;

	need_ibs();
	become(USER_ID);
	fd = ibs_context(NULL, NULL, 0);
	sample_ops(fd, PFM_AMD_IBS_USER, period);
	sample_fetches(fd, PFM_AMD_IBS_USER, period);
	load(fd, thread_id());
	for (i = 0; i < 20; i++) {
		must(fd, i % 2 ? pfm_stop(fd) : pfm_start(fd, NULL));
		load_loop(MILLION);
		read_pmds(fd, numbers, values, 2);
		ck_assert_uint_eq(values[0], -period);
		ck_assert_uint_eq(values[1], -period);
	}
	close(fd);
}

#define WHOLE 100000 /* a period */

/*
 * Starts and stops the context 100 times. Between start and stop, executes enough instructions for
 * half a period. If @writes is true, writes the PMD before each start. Returns the number of
 * samples.
 */
static uint64_t samples_of_halves(int fd, bool writes)
{
	uint64_t before = statistic("fmt_handler_calls");
	int i;

	for (i = 0; i < 100; i++) {
		if (writes)
			sample_ops(fd, PFM_AMD_IBS_USER, WHOLE);
		must(fd, pfm_start(fd, NULL));
		load_loop(WHOLE / 2);
		must(fd, pfm_stop(fd));
	}
	return statistic("fmt_handler_calls") - before;
}

/*
 * If the PMC selects one level, the PMD does not show how much of a period has passed. But the next
 * start continues the period. A write to the PMD begins a new period.
 */
TEST(a_period_of_one_level_goes_on_at_the_next_start)
{
	int fd = (need_ibs(), ibs_buffer_context());

	if (is_debug_kernel())
		skip("a tick takes longer than the period");
	load(fd, thread_id());
	ck_assert_uint_eq(samples_of_halves(fd, true), 0);
	must_be_between(samples_of_halves(fd, false), 35, 60);
	close(fd);
}

/* ---- perf beside us ------------------------------------------------------------------------ */

static int perf_ibs(const char *unit, bool pinned)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.sample_period = 100000 / 16 * 16,
		.pinned = pinned,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED |
			       PERF_FORMAT_TOTAL_TIME_RUNNING,
	};
	char path[96];

	snprintf(path, sizeof(path), DEVICES "%s/type", unit);
	attr.type = read_number(path);
	return syscall(SYS_perf_event_open, &attr, -1, 0, -1, 0);
}

static uint64_t perf_counts(int fd)
{
	uint64_t before = perf_read(fd).value;

	load_loop(10 * MILLION);
	return perf_read(fd).value - before;
}

/*
 * Returns whether perf can use @unit. If a pinned event of perf is opened while its unit is in use,
 * the event stays in an error state, and read() returns 0.
 */
static bool is_released(const char *unit)
{
	int fd = perf_ibs(unit, true);
	struct perf_count unused;
	bool is = read(fd, &unused, sizeof(unused)) > 0;

	close(fd);
	return is;
}

static int ops_context(void)
{
	int fd = ibs_context(NULL, NULL, 0);

	write_pmc(fd, PFM_AMD_IBS_PMC_OP, OPS | BOTH);
	write_pmd(fd, PFM_AMD_IBS_OP, 0);
	return fd;
}

/* Opens an event of perf for @unit, and checks that it counts. */
static void must_work_in_perf(const char *unit)
{
	int fd = perf_ibs(unit, false);

	ck_assert_int_ne(fd, -1);
	ck_assert_uint_ge(perf_counts(fd), 9 * MILLION);
	close(fd);
}

TEST(perfs_pinned_event_keeps_its_unit)
{
	int pinned, fd;

	need_ibs();
	pin(0);
	wait_until(is_released("ibs_op"));
	pinned = perf_ibs("ibs_op", true);
	ck_assert_int_ne(pinned, -1);
	fd = ops_context();
	must_fail(fd, try_load(fd, thread_id()), EBUSY, PFM_REASON_PMD_HELD, NO_INDEX);
	ck_assert_uint_ge(perf_counts(pinned), 9 * MILLION);
	close(pinned);
	load(fd, thread_id());
	ck_assert_uint_ge(count_loop(fd, PFM_AMD_IBS_OP, MILLION), MILLION);
	close(fd);
}

/*
 * The context needs both units, but perf holds the op unit. So the load is refused, and must not
 * keep the fetch unit.
 */
TEST(a_refused_load_leaves_the_other_unit_to_perf)
{
	int pinned, fd;

	need_ibs();
	pin(0);
	wait_until(is_released("ibs_op"));
	wait_until(is_released("ibs_fetch"));
	pinned = perf_ibs("ibs_op", true);
	fd = ops_context();
	sample_fetches(fd, BOTH, MILLION);
	must_fail(fd, try_load(fd, thread_id()), EBUSY, PFM_REASON_PMD_HELD, NO_INDEX);
	must_work_in_perf("ibs_fetch");
	close(fd);
	close(pinned);
}

TEST(perf_waits_while_we_have_the_unit_and_works_afterwards)
{
	int waiting, fd;

	need_ibs();
	pin(0);
	wait_until(is_released("ibs_op"));
	must_work_in_perf("ibs_op");
	fd = ops_context();
	load(fd, thread_id());
	waiting = perf_ibs("ibs_op", false);
	ck_assert_int_ne(waiting, -1);
	ck_assert_uint_eq(perf_counts(waiting), 0);
	ck_assert_uint_ge(count_loop(fd, PFM_AMD_IBS_OP, MILLION), MILLION);
	/* Meanwhile perf can use the fetch unit. */
	must_work_in_perf("ibs_fetch");
	ck_assert_uint_ge(count_loop(fd, PFM_AMD_IBS_OP, MILLION), MILLION);
	close(waiting);
	close(fd);
	wait_until(is_released("ibs_op"));
	must_work_in_perf("ibs_op");
	must_work_in_perf("ibs_fetch");
}

/* ---- the module ---------------------------------------------------------------------------- */

static void check_refusal(void)
{
	ck_assert_int_eq(module_unload("perfmon_amd"), 0);
	ck_assert_int_eq(module_load("perfmon_wrong", "what=0 name=amd_ibs"), 0);
	ck_assert_int_eq(module_load("perfmon_amd", ""), EBUSY);
	ck_assert(!path_exists(SYSFS "pmus/amd"));
}

static void load_amd_again(void)
{
	module_unload("perfmon_wrong");
	ck_assert_int_eq(module_load("perfmon_amd", ""), 0);
}

/*
 * Module perfmon_amd cannot register IBS while another PMU has the name "amd_ibs". So it registers
 * nothing.
 */
TEST(a_module_registers_both_pmus_or_none)
{
	need_ibs();
	then_put_back(check_refusal, load_amd_again);
	ck_assert(path_exists(SYSFS "pmus/amd"));
	ck_assert(path_exists(SYSFS "pmus/amd_ibs"));
	count_must_be_right(make_context());
}
