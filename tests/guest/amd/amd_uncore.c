// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests PMUs "amd_l3" and "amd_df". The tests write numbers to two registers of the patched QEMU.
 * If a CPU writes N to the first register, QEMU counts N lookups in this CPU's L3, and N / 4
 * misses. If a CPU writes N to the second register, QEMU counts N memory accesses of this CPU's
 * package.
 */
#include <stdio.h>

#include "measure.h"
#include "registers.h"
#include "system_wide.h"
#include "uncore.h"

SUITE(amd_uncore, 300);

#define NO_INDEX   PFM_NO_INDEX
#define PARAMETERS "/sys/module/perfmon_amd_uncore/parameters/"

/* ---- counts ------------------------------------------------------------------------------- */

static void check_l3(void)
{
	int fd = l3_context(0);

	look_up(0, 4000);
	must(fd, pfm_start(fd, NULL));
	look_up(0, 1003);
	ck_assert_uint_eq(read_pmd(fd, 0), 250);
	ck_assert_uint_eq(read_pmd(fd, 1), 1003);
	look_up(0, 1000);
	must(fd, pfm_stop(fd));
	look_up(0, 4000);
	ck_assert_uint_eq(read_pmd(fd, 0), 500);
	ck_assert_uint_eq(read_pmd(fd, 1), 2003);
	must(fd, pfm_start(fd, NULL));
	look_up(0, 40);
	must(fd, pfm_stop(fd));
	ck_assert_uint_eq(read_pmd(fd, 0), 510);
	ck_assert_uint_eq(read_pmd(fd, 1), 2043);
	close(fd);
}

TEST(the_l3_counts_exactly_from_start_to_stop)
{
	with_uncore(check_l3);
}

static void check_df(void)
{
	int fd = df_context(0);

	must(fd, pfm_start(fd, NULL));
	access_memory(0, 12345);
	ck_assert_uint_eq(read_pmd(fd, 0), 12345);
	must(fd, pfm_stop(fd));
	access_memory(0, 1);
	ck_assert_uint_eq(read_pmd(fd, 0), 12345);
	close(fd);
}

TEST(the_data_fabric_counts_exactly_from_start_to_stop)
{
	with_uncore(check_df);
}

static void check_all_counters(void)
{
	int fd = system_wide_context_of("amd_l3");
	unsigned int n;

	for (n = 0; n < L3_COUNTERS; n++)
		use(fd, n, n % 2 ? L3_ALL : L3_MISS, n);
	load(fd, 0);
	must(fd, pfm_start(fd, NULL));
	look_up(0, 400);
	must(fd, pfm_stop(fd));
	for (n = 0; n < L3_COUNTERS; n++)
		ck_assert_uint_eq(read_pmd(fd, n), n + (n % 2 ? 400 : 100));
	close(fd);
}

TEST(all_counters_count)
{
	with_uncore(check_all_counters);
}

/*
 * The PMC of PMD 0 contains a thread mask, which restricts the event to some of the hardware
 * threads that share the L3. The PMC of PMD 1 contains no such mask.
 */
static void check_threads(void)
{
	int fd = system_wide_context_of("amd_l3");

	use(fd, 0, L3_ALL | 1ull << 57, 0);
	use(fd, 1, L3_ALL, 0);
	load(fd, 0);
	must(fd, pfm_start(fd, NULL));
	look_up(0, 100);
	if (cpus_online() > 1)
		look_up(1, 10);
	must(fd, pfm_stop(fd));
	ck_assert_uint_eq(read_pmd(fd, 0), cpus_online() > 1 ? 10 : 0);
	ck_assert_uint_eq(read_pmd(fd, 1), cpus_online() > 1 ? 110 : 100);
	close(fd);
}

TEST(an_event_can_be_of_one_thread)
{
	with_uncore(check_threads);
}

/* ---- 64 bits ------------------------------------------------------------------------------- */

#define HALF (1ull << 47)

static void check_wrap(void)
{
	uint64_t polls = 0, wanted = 5;
	int fd = df_context(0), i;

	write_text(PARAMETERS "poll_ms", "10");
	must(fd, pfm_start(fd, NULL));
	access_memory(0, 5);
	for (i = 0; i < 10; i++) {
		access_memory(0, HALF);
		wanted += HALF;
		usleep(100000); /* the module polls the counter meanwhile */
		polls++;
	}
	ck_assert_uint_eq(read_pmd(fd, 0), wanted);
	must(fd, pfm_stop(fd));
	ck_assert_uint_eq(read_pmd(fd, 0), wanted);
	printf("         after %ju additions of 2^47 the count is %#jx\n",
	       (uintmax_t)polls, (uintmax_t)wanted);
	close(fd);
}

TEST(counts_are_right_after_the_48_bits_have_wrapped)
{
	with_uncore(check_wrap);
}

static void check_overflow(void)
{
	int fd = system_wide_context_of("amd_df");
	pfarg_pmd_t pmd = { .reg_value = -1000ull,
			    .reg_long_reset = -1000ull,
			    .reg_flags = PFM_REGFL_OVFL_NOTIFY };
	pfarg_msg_t message;

	write_text(PARAMETERS "poll_ms", "10");
	write_pmc(fd, 0, DF_DRAM);
	must(fd, pfm_write_pmds(fd, &pmd, 1));
	load(fd, 0);
	must(fd, pfm_start(fd, NULL));
	access_memory(0, 999);
	usleep(100000);
	must_be_silent(fd);
	access_memory(0, 5);
	ck_assert_int_eq(read(fd, &message, sizeof(message)), sizeof(message));
	ck_assert_uint_eq(message.type, PFM_MSG_OVFL);
	ck_assert_uint_eq(read_pmd(fd, 0), 4);
	access_memory(0, 100); /* masked */
	ck_assert_uint_eq(read_pmd(fd, 0), 4);
	must(fd, pfm_restart(fd));
	access_memory(0, 1);
	ck_assert_uint_eq(read_pmd(fd, 0), -999ull);
	close(fd);
}

TEST(an_overflow_of_64_bits_is_told)
{
	with_uncore(check_overflow);
}

/* ---- statistics ---------------------------------------------------------------------------- */

static struct pfm_statistics of_cpu(int fd, unsigned int cpu)
{
	struct pfm_statistics statistics = { .flags = PFM_STATISTICS_CPU, .cpu = cpu };

	must(fd, pfm_get_statistics(fd, &statistics));
	return statistics;
}

/*
 * Causes exactly @count overflows: one in each iteration, because the context is masked from the
 * overflow until the restart.
 */
static void overflow(int fd, unsigned int count)
{
	pfarg_msg_t message;

	for (; count; count--) {
		access_memory(0, 1000);
		ck_assert_int_eq(read(fd, &message, sizeof(message)), sizeof(message));
		must(fd, pfm_restart(fd));
	}
}

static void check_statistics(void)
{
	const unsigned int last = cpus_online() - 1, overflows = 5;
	int fd = system_wide_context_of("amd_df");
	pfarg_pmd_t pmd = { .reg_value = -1000ull,
			    .reg_long_reset = -1000ull,
			    .reg_flags = PFM_REGFL_OVFL_NOTIFY };
	struct pfm_statistics owner = of_cpu(fd, 0), other = of_cpu(fd, last);
	struct pfm_statistics of_context = {};
	uint64_t file = statistic_of(0, "ovfl_notify_count");

	write_text(PARAMETERS "poll_ms", "10");
	write_pmc(fd, 0, DF_DRAM);
	must(fd, pfm_write_pmds(fd, &pmd, 1));
	load(fd, 0);
	must(fd, pfm_start(fd, NULL));
	overflow(fd, overflows);
	must(fd, pfm_stop(fd));
	must(fd, pfm_get_statistics(fd, &of_context));
	ck_assert_uint_eq(of_context.notifications, overflows);
	ck_assert_uint_eq(of_cpu(fd, 0).notifications - owner.notifications, overflows);
	ck_assert_uint_eq(of_cpu(fd, 0).interrupts - owner.interrupts,
			  of_context.interrupts);
	ck_assert_uint_eq(statistic_of(0, "ovfl_notify_count") - file, overflows);
	if (last)
		ck_assert_uint_eq(of_cpu(fd, last).notifications, other.notifications);
	write_text("/sys/kernel/perfmon/reset_stats", "1");
	ck_assert_uint_eq(of_cpu(fd, 0).notifications, 0);
	close(fd);
}

TEST(statistics_of_a_cpu_include_registers_that_it_owns)
{
	with_uncore(check_statistics);
}

/* ---- CPUs that share registers -------------------------------------------------------------- */

static void check_sharing(void)
{
	int l3 = l3_context(1), df = df_context(1);
	int other = system_wide_context_of("amd_l3");

	ck_assert_uint_eq(status_of(l3).target, 0);
	ck_assert_uint_eq(status_of(df).target, 0);
	must_fail(other, try_load(other, 0), EEXIST, PFM_REASON_CPU_TAKEN, NO_INDEX);
	must(l3, pfm_start(l3, NULL));
	must(df, pfm_start(df, NULL));
	look_up(0, 100);
	look_up(1, 10);
	access_memory(0, 200);
	access_memory(1, 20);
	ck_assert_uint_eq(read_pmd(l3, 1), 110);
	ck_assert_uint_eq(read_pmd(df, 0), 220);
	close(other);
	close(df);
	close(l3);
}

TEST(a_count_is_that_of_all_cpus_that_share)
{
	need_cpus(2);
	with_uncore(check_sharing);
}

static void check_refused_load(void)
{
	int fd = l3_context(0), other = system_wide_context_of("amd_l3");

	must(fd, pfm_start(fd, NULL));
	look_up(0, 1000);
	must_fail(other, try_load(other, 0), EEXIST, PFM_REASON_CPU_TAKEN, NO_INDEX);
	look_up(0, 200);
	ck_assert_uint_eq(read_pmd(fd, 1), 1200);
	close(other);
	close(fd);
}

TEST(a_refused_load_leaves_the_loaded_context_alone)
{
	with_uncore(check_refused_load);
}

/*
 * If @cpu owns the registers of its L3 because of an earlier test, makes another CPU the owner.
 * Without perf's driver, the module chooses a new owner only when something asks for the owner,
 * such as a read of the file owner_cpus.
 */
static void drop_owner(unsigned int cpu)
{
	cpu_online(cpu, false);
	read_text(SYSFS "pmus/amd_l3/owner_cpus");
	cpu_online(cpu, true);
}

static void check_packages(void)
{
	const unsigned int last = cpus_online() - 1;
	int first, second, df;

	drop_owner(last);
	first = l3_context(0);
	second = l3_context(last);
	df = df_context(last);
	ck_assert_uint_eq(status_of(first).target, 0);
	ck_assert_uint_eq(status_of(second).target, cpus_online() / 2);
	must(first, pfm_start(first, NULL));
	must(second, pfm_start(second, NULL));
	must(df, pfm_start(df, NULL));
	look_up(0, 100);
	look_up(last, 10);
	access_memory(0, 1);
	access_memory(last - 1, 2);
	ck_assert_uint_eq(read_pmd(first, 1), 100);
	ck_assert_uint_eq(read_pmd(second, 1), 10);
	ck_assert_uint_eq(read_pmd(df, 0), 2);
	close(df);
	close(second);
	close(first);
}

TEST(each_package_counts_its_own)
{
	need_cpus(4);
	if (!has_two_packages())
		skip("one package");
	with_uncore(check_packages);
}

/* ---- beside perf --------------------------------------------------------------------------- */

static void check_beside_perf(void)
{
	int fd = df_context(0), perf, more;
	uint64_t count;

	must(fd, pfm_start(fd, NULL));
	access_memory(0, 7);
	perf = perf_df(0);
	access_memory(0, 1000);
	ck_assert_uint_eq(perf_count(perf), 1000);
	ck_assert_uint_eq(read_pmd(fd, 0), 1007);
	/* perf stops and starts all its events when one event is opened or closed. */
	more = perf_df(0);
	access_memory(0, 10);
	close(more);
	access_memory(0, 100);
	count = perf_count(perf);
	ck_assert_uint_eq(count, 1110);
	ck_assert_uint_eq(read_pmd(fd, 0), 1117);
	must(fd, pfm_stop(fd));
	access_memory(0, 5);
	more = perf_df(0);
	access_memory(0, 5);
	ck_assert_uint_eq(read_pmd(fd, 0), 1117);
	close(more);
	close(perf);
	close(fd);
}

static void need_perfs_driver(void)
{
	if (!path_exists(PERF_DF))
		skip("perf has no driver for the counters");
}

TEST(perf_counts_with_the_other_registers)
{
	need_perfs_driver();
	with_uncore(check_beside_perf);
}

static void check_held(void)
{
	int perf[DF_COUNTERS], fd = system_wide_context_of("amd_df");
	struct pfm_error error;
	unsigned int n;

	for (n = 0; n < DF_COUNTERS; n++)
		perf[n] = perf_df(0);
	use(fd, 2, DF_DRAM, 0);
	must_fail(fd, try_load(fd, 0), EBUSY, PFM_REASON_PMD_HELD, NO_INDEX);
	must(fd, pfm_get_error(fd, &error));
	ck_assert_str_eq(error.holder, "perf");
	ck_assert_uint_eq(error.value, 2);
	close(perf[0]);
	load(fd, 0);
	must(fd, pfm_start(fd, NULL));
	access_memory(0, 3);
	ck_assert_uint_eq(read_pmd(fd, 2), 3);
	ck_assert_uint_eq(perf_count(perf[3]), 3);
	for (n = 1; n < DF_COUNTERS; n++)
		close(perf[n]);
	close(fd);
}

TEST(registers_that_perf_holds_are_refused)
{
	need_perfs_driver();
	with_uncore(check_held);
}

/* perf holds the registers of the second package. Those of the first package stay available. */
static void check_half_held(void)
{
	const unsigned int second = cpus_online() / 2;
	int perf[DF_COUNTERS], fd = system_wide_context_of("amd_df");
	unsigned int n;

	for (n = 0; n < DF_COUNTERS; n++)
		perf[n] = perf_df(second);
	use(fd, 0, DF_DRAM, 0);
	must_fail(fd, try_load(fd, 0), EBUSY, PFM_REASON_PMD_HELD, NO_INDEX);
	perf_must_have_all(0);
	for (n = 0; n < DF_COUNTERS; n++)
		close(perf[n]);
	close(fd);
}

TEST(a_refused_load_leaves_the_registers_of_all_packages_to_perf)
{
	need_perfs_driver();
	need_cpus(4);
	if (!has_two_packages())
		skip("one package");
	with_uncore(check_half_held);
}

/* ---- registers ----------------------------------------------------------------------------- */

/*
 * The PMCs have the bits that the Processor Programming Reference of family 17h defines. Some bits
 * select an event. The PMCs of the L3 also have bits that select slices and threads.
 */
static void check_registers(void)
{
	static const struct register_row l3[] = {
		{ "pmc", 0, 6, 1, "L3PMCCTL%u", 0xc0010230, 2, ~0xff0f00000000ffffull, 0,
		  64 },
		{ "pmd", 0, 6, 1, "L3PMCCTR%u", 0xc0010231, 2, 0, 0, 64 },
	};
	static const struct register_row df[] = {
		{ "pmc", 0, 4, 1, "DF_PERF_CTL%u", 0xc0010240, 2, ~0x1800000f0000ffffull,
		  0, 64 },
		{ "pmd", 0, 4, 1, "DF_PERF_CTR%u", 0xc0010241, 2, 0, 0, 64 },
	};

	registers_must_be("amd_l3", l3, COUNT(l3));
	registers_must_be("amd_df", df, COUNT(df));
}

TEST(registers_are_as_in_the_manual)
{
	with_uncore(check_registers);
}

/* ---- the owner goes offline ------------------------------------------------------------------ */

static void check_offline(void)
{
	const unsigned int owner = cpus_online() / 2, last = cpus_online() - 1;
	int fd, first;

	drop_owner(last);
	fd = l3_context(last);
	first = l3_context(0);
	ck_assert_uint_eq(status_of(fd).target, owner);
	must(fd, pfm_start(fd, NULL));
	must(first, pfm_start(first, NULL));
	look_up(last, 100);
	cpu_online(owner, false);
	must_end(fd);
	ck_assert_uint_eq(read_pmd(fd, 1), 100);
	load(fd, last);
	ck_assert_uint_eq(status_of(fd).target, owner + 1);
	must(fd, pfm_start(fd, NULL));
	look_up(last, 10);
	ck_assert_uint_eq(read_pmd(fd, 1), 110);
	cpu_online(owner, true);
	look_up(owner, 1);
	ck_assert_uint_eq(read_pmd(fd, 1), 111);
	look_up(0, 1000);
	ck_assert_uint_eq(read_pmd(first, 1), 1000);
	close(first);
	close(fd);
}

static void check_hotplug(void)
{
	with_all_cpus_back(check_offline);
}

TEST(another_cpu_owns_after_the_owner_went_offline)
{
	need_cpus(4);
	if (!has_two_packages())
		skip("one package");
	with_uncore(check_hotplug);
}
