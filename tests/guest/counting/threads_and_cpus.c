// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests that contexts on threads and contexts on CPUs can count at the same time, with different
 * counters of a PMU.
 */
#include <stdio.h>

#include "measure.h"
#include "samples.h"
#include "system_wide.h"

SUITE(threads_and_cpus, 120);

/*
 * Returns a system-wide context that counts instructions at user level with PMD @n. The context is
 * not loaded.
 */
static int cpu_context_of(unsigned int n)
{
	int fd = system_wide_context();

	use(fd, n, instructions(AT_USER), 0);
	return fd;
}

/*
 * Each of the two contexts must count as if the other context were not loaded. The thread's context
 * is started and stopped many times, while the CPU's context counts.
 */
TEST(both_count_exactly)
{
	uint64_t alone, cpu_alone, sum = 0, both;
	int thread, cpu, round;

	need_independent_counters();
	pin(0);
	thread = context_of(0, instructions(AT_USER));
	cpu = cpu_context_of(1);
	load(thread, thread_id());
	count_loop(thread, 0, MILLION);
	alone = count_loop(thread, 0, MILLION);
	must(thread, pfm_unload_context(thread));

	load(cpu, 0);
	count_loop(cpu, 1, MILLION);
	cpu_alone = count_loop(cpu, 1, MILLION);

	load(thread, thread_id());
	must(cpu, pfm_start(cpu, NULL));
	both = read_pmd(cpu, 1);
	for (round = 0; round < 100; round++) {
		ck_assert_uint_eq(count_loop(thread, 0, MILLION), alone);
		sum += alone;
	}
	both = read_pmd(cpu, 1) - both;
	printf("         thread %ju, CPU %ju; one round alone: thread %ju, CPU %ju\n",
	       (uintmax_t)sum, (uintmax_t)both, (uintmax_t)alone, (uintmax_t)cpu_alone);
	must_be_between(both, sum, sum + sum / 100);
	close(thread);
	close(cpu);
}

/*
 * The CPU's context counts all threads of the CPU, while one of them is also monitored by a context
 * of its own.
 */
TEST(a_cpu_counts_all_threads_while_one_is_monitored)
{
	struct child child, other;
	uint64_t alone, before;
	int thread, cpu, round;

	need_independent_counters();
	child = child_new();
	other = child_new();
	child_call(&child, child_pin, 0);
	child_call(&other, child_pin, 0);
	thread = context_of(0, instructions(AT_USER));
	cpu = cpu_context_of(1);
	load(thread, child.pid);
	must(thread, pfm_start(thread, NULL));
	child_call(&child, work, MILLION);
	before = read_pmd(thread, 0);
	child_call(&child, work, MILLION);
	alone = read_pmd(thread, 0) - before;

	load(cpu, 0);
	must(cpu, pfm_start(cpu, NULL));
	before = read_pmd(thread, 0);
	for (round = 0; round < 50; round++) {
		child_call(&child, work, MILLION);
		child_call(&other, work, 2 * MILLION);
	}
	must_be_near(read_pmd(thread, 0) - before, 50 * alone, alone / 20);
	must_be_between(read_pmd(cpu, 1), 50 * 3 * MILLION, 50 * 3 * MILLION * 101 / 100);
	close(cpu);
	close(thread);
	child_exit(&child);
	child_exit(&other);
}

/*
 * Prepares the context to take a sample at each overflow of PMD @n, which counts at user level. PMD
 * prompt_counter() counts cycles, and the other counters count instructions. Under --icount, cycles
 * and instructions have the same count, because each instruction takes one cycle.
 */
static header_t sample_with(int fd, unsigned int n, uint64_t period)
{
	struct pfarg_pmd pmd = {
		.reg_num = n,
		.reg_value = -period,
		.reg_long_reset = -period,
		.reg_short_reset = -period,
		.reg_flags = PFM_REGFL_OVFL_NOTIFY,
	};

	write_pmc(fd, n,
		  n == prompt_counter() ? prompt_cycles(AT_USER) : instructions(AT_USER));
	write_one(fd, pmd);
	return map_buffer(fd, MIB);
}

/*
 * Samples the caller's thread and its CPU with two contexts at the same time. On Armv8, QEMU raises
 * only the cycle counter's interrupt in time, once per period. An overflow of the other counter is
 * found at the cycle counter's next interrupt, which then serves both contexts.
 */
static void sample_both(bool cpu_is_prompt)
{
	const uint64_t work = 200 * MILLION, period = 100 * 1000,
		       other_period = 3 * MILLION;
	const uint64_t most = work + work / 100; /* the CPU also counts other threads */
	unsigned int n = prompt_counter();
	header_t of_thread, of_cpu, prompt, other;
	int thread, cpu;

	thread = default_context(0, MIB);
	cpu = default_context(PFM_FL_SYSTEM_WIDE, MIB);
	of_thread = cpu_is_prompt ? sample_with(thread, 0, other_period)
				  : sample_with(thread, n, period);
	of_cpu = cpu_is_prompt ? sample_with(cpu, n, period)
			       : sample_with(cpu, 0, other_period);
	load(cpu, 0);
	load(thread, thread_id());
	must(cpu, pfm_start(cpu, NULL));
	must(thread, pfm_start(thread, NULL));
	loop(work);
	must(thread, pfm_stop(thread));
	must(cpu, pfm_stop(cpu));
	printf("         thread %ju samples, CPU %ju\n", (uintmax_t)of_thread->hdr_count,
	       (uintmax_t)of_cpu->hdr_count);
	prompt = cpu_is_prompt ? of_cpu : of_thread;
	other = cpu_is_prompt ? of_thread : of_cpu;
	must_be_between(prompt->hdr_count, work / period, most / period + 1);
	must_be_between(other->hdr_count, work / (other_period + period),
			most / other_period + 1);
	close(thread);
	close(cpu);
}

TEST(both_are_sampled)
{
	need_independent_counters();
	pin(0);
	sample_both(false);
	sample_both(true);
}

/* Two event sets of the thread's context take turns. If possible, they use different counters. */
TEST(the_sets_of_a_thread_leave_the_cpu_alone)
{
	struct pfarg_setdesc sets[] = {
		{ .set_id = 0, .set_flags = PFM_SETFL_TIME_SWITCH, .set_timeout = MS },
		{ .set_id = 1, .set_flags = PFM_SETFL_TIME_SWITCH, .set_timeout = MS },
	};
	const unsigned int n = event_counters() > 2 ? 2 : 0;
	struct pfarg_pmc pmc = { .reg_num = n,
				 .reg_set = 1,
				 .reg_value = instructions(AT_USER) };
	struct pfarg_pmd pmds[] = {
		{ .reg_num = n, .reg_set = 1 },
		{ .reg_num = 0, .reg_set = 0 },
	};
	uint64_t count, sum;
	int thread, cpu;

	need_independent_counters();
	pin(0);
	cpu = cpu_context_of(1);
	thread = make_context();
	must(thread, pfm_create_evtsets(thread, sets, COUNT(sets)));
	write_pmc(thread, 0, instructions(AT_USER));
	must(thread, pfm_write_pmcs(thread, &pmc, 1));
	must(thread, pfm_write_pmds(thread, pmds, COUNT(pmds)));
	load(cpu, 0);
	load(thread, thread_id());
	must(cpu, pfm_start(cpu, NULL));
	must(thread, pfm_start(thread, NULL));
	loop(50 * MILLION);
	must(thread, pfm_stop(thread));
	count = read_pmd(cpu, 1);
	must(thread, pfm_read_pmds(thread, pmds, COUNT(pmds)));
	sum = pmds[0].reg_value + pmds[1].reg_value;
	ck_assert_uint_ge(set_of(thread, 1).set_runs, 10);
	must_be_between(sum, 50 * MILLION * 99 / 100, 50 * MILLION * 101 / 100);
	must_be_between(count, 50 * MILLION, 50 * MILLION * 101 / 100);
	close(thread);
	close(cpu);
}

/* ---- which counters are available ------------------------------------------------------------ */

static bool is_available(int fd, unsigned int pmd)
{
	struct pfm_info info;

	must(fd, pfm_get_info(fd, &info));
	return info.available_pmds[0] & BIT(pmd);
}

TEST(counters_of_the_other_kind_are_not_available)
{
	int thread, cpu, another;

	need_independent_counters();
	thread = context_of(0, instructions(AT_USER));
	another = make_context();
	cpu = cpu_context_of(1);
	ck_assert(is_available(cpu, 0) && is_available(thread, 1));
	load(thread, thread_id());
	load(cpu, 0);
	ck_assert(!is_available(cpu, 0) && is_available(cpu, 1));
	ck_assert(!is_available(another, 1) && is_available(another, 0));
	close(thread);
	wait_until(is_available(cpu, 0));
	close(cpu);
	close(another);
}

/* A loaded context may not take a counter that a context of the other kind uses. */
TEST(a_loaded_context_does_not_take_the_others_counter)
{
	struct pfarg_pmd pmd = { .reg_num = 1 };
	int thread, cpu;

	need_independent_counters();
	thread = context_of(0, instructions(AT_USER));
	cpu = cpu_context_of(1);
	load(thread, thread_id());
	load(cpu, 0);
	must_fail(thread, pfm_write_pmds(thread, &pmd, 1), EBUSY, PFM_REASON_PMD_HELD, 0);
	pmd.reg_num = 0;
	must_fail(cpu, pfm_write_pmds(cpu, &pmd, 1), EBUSY, PFM_REASON_PMD_HELD, 0);
	if (event_counters() > 2) {
		pmd.reg_num = 2;
		must(thread, pfm_write_pmds(thread, &pmd, 1));
		must_fail(cpu, pfm_write_pmds(cpu, &pmd, 1), EBUSY, PFM_REASON_PMD_HELD,
			  0);
	}
	close(thread);
	wait_until(!pfm_write_pmds(cpu, &pmd, 1));
	close(cpu);
}
