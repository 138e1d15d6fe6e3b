// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests the virtual PMDs for time, switches, migrations and faults. Their values are compared with
 * the kernel's own accounting and, under --icount, with the guest's clock.
 */
#include <time.h>

#include "measure.h"

SUITE(virtual_pmds, 120);

static int context_with_virtual(unsigned int n)
{
	int fd = make_context();

	write_pmd(fd, n, 0);
	load(fd, thread_id());
	return fd;
}

TEST(task_clock_is_the_cpu_time)
{
	int fd = context_with_virtual(PFM_PMD_TASK_CLOCK);
	uint64_t outer, inner, clock;

	/*
	 * The competitors keep all CPUs busy, so no idle CPU has to wake up. Therefore the kernel's
	 * CPU times can be both the lower and the upper limit of the count: see must_be_cpu_time().
	 */
	competitors_begin(2 * cpus_online()); /* the caller has to share its CPU */
	outer = cpu_time();
	must(fd, pfm_start(fd, NULL));
	inner = cpu_time();
	loop(300 * MILLION);
	inner = cpu_time() - inner;
	must(fd, pfm_stop(fd));
	outer = cpu_time() - outer;
	competitors_end();
	clock = read_pmd(fd, PFM_PMD_TASK_CLOCK);
	must_be_cpu_time("task clock", clock, inner, outer);
}

/*
 * An instruction takes 1 ns. interrupts_within() returns an upper limit of the time that timer
 * ticks add.
 */
TEST(task_clock_is_the_time_of_the_instructions)
{
	int fd = context_with_virtual(PFM_PMD_TASK_CLOCK);
	uint64_t count;

	if (!is_deterministic())
		skip("an instruction takes 1 ns only with --icount");
	count = count_loop(fd, PFM_PMD_TASK_CLOCK, 300 * MILLION);
	must_be_between(count, 300 * MILLION - 30000,
			300 * MILLION + interrupts_within(300 * MILLION));
}

static void sleep_shortly(void)
{
	const struct timespec shortest = { .tv_nsec = 100000 };

	nanosleep(&shortest, NULL);
}

TEST(context_switches_are_those_of_proc)
{
	int fd = context_with_virtual(PFM_PMD_CONTEXT_SWITCHES), i;
	uint64_t outer, inner, count;

	competitors_begin(1);
	outer = switches(thread_id());
	must(fd, pfm_start(fd, NULL));
	inner = switches(thread_id());
	for (i = 0; i < 100; i++)
		sleep_shortly();
	inner = switches(thread_id()) - inner;
	must(fd, pfm_stop(fd));
	outer = switches(thread_id()) - outer;
	count = read_pmd(fd, PFM_PMD_CONTEXT_SWITCHES);
	competitors_end();
	must_be_between(count, inner, outer);
	/* A sleep causes a switch, unless its timer fires before the thread is switched out. */
	ck_assert_uint_ge(count, 50);
}

TEST(migrations_are_those_of_proc)
{
	int fd = context_with_virtual(PFM_PMD_CPU_MIGRATIONS), i;
	uint64_t outer, inner, count;

	need_cpus(2);
	outer = migrations(thread_id());
	must(fd, pfm_start(fd, NULL));
	inner = migrations(thread_id());
	for (i = 0; i < 100; i++)
		pin(i % 2);
	inner = migrations(thread_id()) - inner;
	must(fd, pfm_stop(fd));
	outer = migrations(thread_id()) - outer;
	count = read_pmd(fd, PFM_PMD_CPU_MIGRATIONS);
	must_be_between(count, inner, outer);
	ck_assert_uint_ge(count, 99);
}

TEST(minor_faults_are_those_of_getrusage)
{
	int fd = context_with_virtual(PFM_PMD_MINOR_FAULTS);
	uint64_t outer, inner, count;

	outer = minor_faults();
	must(fd, pfm_start(fd, NULL));
	inner = minor_faults();
	touch_pages(1000);
	inner = minor_faults() - inner;
	must(fd, pfm_stop(fd));
	outer = minor_faults() - outer;
	count = read_pmd(fd, PFM_PMD_MINOR_FAULTS);
	must_be_between(count, inner, outer);
	ck_assert_uint_ge(count, 1000);
}

/* A guest has no disk, so touch_pages() causes no major faults, and both counts should be 0. */
TEST(major_faults_are_those_of_getrusage)
{
	int fd = context_with_virtual(PFM_PMD_MAJOR_FAULTS);
	uint64_t truth = major_faults();

	must(fd, pfm_start(fd, NULL));
	touch_pages(100);
	must(fd, pfm_stop(fd));
	ck_assert_uint_eq(read_pmd(fd, PFM_PMD_MAJOR_FAULTS), major_faults() - truth);
}

TEST(monotonic_time_is_that_of_clock_gettime)
{
	int fd = context_with_virtual(PFM_PMD_MONOTONIC_TIME);
	const struct timespec pause = { .tv_nsec = 50 * MS };
	uint64_t outer, inner, count;

	outer = monotonic_time();
	must(fd, pfm_start(fd, NULL));
	inner = monotonic_time();
	nanosleep(&pause, NULL); /* the time passes while the thread sleeps */
	inner = monotonic_time() - inner;
	must(fd, pfm_stop(fd));
	outer = monotonic_time() - outer;
	count = read_pmd(fd, PFM_PMD_MONOTONIC_TIME);
	/*
	 * The value of the PMD comes from a clock that even an NMI can read. This clock may be a
	 * few microseconds behind monotonic_time().
	 */
	must_be_between(count, inner - 10000, outer + 10000);
}
