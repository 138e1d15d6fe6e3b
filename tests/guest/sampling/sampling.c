// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests what a sample contains, and what else happens when a sample is taken: docs/interface.md
 * 1.9, 3.5, 4.1 and 4.3. The tests use format "default", whose entries show what a sample contains.
 *
 * Some tests need events that can be counted exactly (need_exact_work()). They compare each sample
 * with another counter, which counts the same event and is never reset.
 */
#include <time.h>
#include <perfmon/perfmon_power.h>

#include "samples.h"

SUITE(sampling, 120);

#define MILLION 1000000ull
#define MIB	(1ul << 20)

/* ---- other PMDs ------------------------------------------------------------------------ */

static void write_resettable(int fd, unsigned int n, uint64_t value)
{
	write_one(fd, (struct pfarg_pmd){ .reg_num = n,
					  .reg_value = value,
					  .reg_short_reset = 1000,
					  .reg_long_reset = 2000 });
}

/*
 * Each PMD in reg_reset_pmds, even a virtual one, is reset to its own reset value. A PMD that is
 * not in reg_reset_pmds is not reset.
 */
TEST(pmds_to_be_reset_get_their_own_values)
{
	struct pfarg_pmd pmd = sampling(0, PERIOD);
	const unsigned int listed = pmu()->pmds[1], other = pmu()->pmds[2];
	header_t header;
	int fd;

	need_overflow_interrupts();
	fd = default_context(0, MIB);
	header = map_buffer(fd, MIB);
	program_quietly(fd);
	write_resettable(fd, listed, 5);
	write_resettable(fd, other, 77);
	write_resettable(fd, PFM_PMD_MAJOR_FAULTS, 5);
	write_resettable(fd, PFM_PMD_CPU_MIGRATIONS, BIT(40));
	add_to(pmd.reg_reset_pmds, listed);
	add_to(pmd.reg_reset_pmds, PFM_PMD_MAJOR_FAULTS);
	write_one(fd, pmd);
	pin(0);
	load_and_start(fd, thread_id());
	fill_to(header, 1);
	must(fd, pfm_stop(fd));
	ck_assert_uint_eq(read_pmd(fd, listed), 1000);
	ck_assert_uint_eq(read_pmd(fd, other), 77);
	ck_assert_uint_eq(read_pmd(fd, PFM_PMD_MAJOR_FAULTS), 1000);
	ck_assert_uint_eq(read_pmd(fd, PFM_PMD_CPU_MIGRATIONS), BIT(40));
	ck_assert_uint_eq(read_back(fd, listed).reg_last_reset_val, 1000);
	ck_assert_uint_eq(read_back(fd, other).reg_last_reset_val, 77);
	ck_assert_uint_eq(read_back(fd, PFM_PMD_MAJOR_FAULTS).reg_last_reset_val, 1000);
	end_sampling(fd);
	count_must_be_right(fd);
}

TEST(at_a_restart_pmds_to_be_reset_get_their_long_values)
{
	struct pfarg_pmd pmd = sampling(0, PERIOD);
	const unsigned int listed = pmu()->pmds[1], other = pmu()->pmds[2];
	int fd;

	need_overflow_interrupts();
	fd = make_context();
	program_quietly(fd);
	write_resettable(fd, listed, 5);
	write_resettable(fd, other, 77);
	write_resettable(fd, PFM_PMD_MAJOR_FAULTS, 5);
	add_to(pmd.reg_reset_pmds, listed);
	add_to(pmd.reg_reset_pmds, pmd.reg_num); /* has no effect */
	add_to(pmd.reg_reset_pmds, PFM_PMD_MAJOR_FAULTS);
	write_one(fd, pmd);
	load_and_start(fd, thread_id());
	spin_until_message(fd);
	/* Without a format nothing is reset at the overflow. */
	ck_assert_uint_eq(read_pmd(fd, listed), 5);
	ck_assert_uint_eq(read_pmd(fd, PFM_PMD_MAJOR_FAULTS), 5);
	must(fd, pfm_stop(fd));
	must(fd, pfm_restart(fd));
	ck_assert_uint_eq(read_pmd(fd, listed), 2000);
	ck_assert_uint_eq(read_pmd(fd, other), 77);
	ck_assert_uint_eq(read_pmd(fd, PFM_PMD_MAJOR_FAULTS), 2000);
	ck_assert_uint_eq(read_pmd(fd, pmd.reg_num), -PERIOD);
	end_sampling(fd);
	count_must_be_right(fd);
}

/*
 * A sample contains the values of counters and of virtual PMDs in the order of the PMDs' numbers.
 */
TEST(a_sample_has_the_requested_values)
{
	static const unsigned int virtual_pmds[] = { PFM_PMD_TASK_CLOCK,
						     PFM_PMD_MINOR_FAULTS,
						     PFM_PMD_MONOTONIC_TIME };
	struct pfarg_pmd pmd = sampling(0, PERIOD);
	const uint64_t *values, *before = NULL;
	uint64_t faults = minor_faults(), clock;
	header_t header;
	entry_t entry;
	int fd, i;

	need_overflow_interrupts();
	fd = default_context(0, MIB);
	header = map_buffer(fd, MIB);
	program_quietly(fd);
	write_pmd(fd, pmu()->pmds[1], 0x123456789abcdef0);
	write_pmd(fd, pmu()->pmds[2], 0xfedcba9876543210);
	for (i = 0; i < 3; i++) {
		add_to(pmd.reg_smpl_pmds, pmu()->pmds[i]);
		add_to(pmd.reg_smpl_pmds, virtual_pmds[i]);
	}
	pmd.reg_smpl_eventid = ~0ull; /* the field has no effect with this format */
	write_one(fd, pmd);
	clock = monotonic_time();
	load_and_start(fd, thread_id());
	for (i = 0; i < 5; i++) {
		touch_pages(20);
		fill_to(header, header->hdr_count + 3);
	}
	must(fd, pfm_stop(fd));
	clock = monotonic_time() - clock;
	must_be_whole(header, 6);
	for_each_entry(entry, header, 6) {
		values = values_of(entry);
		/* The sampled counter has just overflowed, and the other counters are unchanged. */
		ck_assert_uint_lt(values[0], BIT(40));
		ck_assert_uint_eq(values[1], 0x123456789abcdef0);
		ck_assert_uint_eq(values[2], 0xfedcba9876543210);
		ck_assert_uint_le(values[3], clock);
		ck_assert_uint_le(values[4], minor_faults() - faults);
		ck_assert_uint_le(values[5], clock);
		for (i = 3; before && i < 6; i++)
			ck_assert_uint_ge(values[i], before[i]);
		before = values;
	}
	ck_assert_uint_ge(before[4], 4 * 20);
	ck_assert_uint_gt(before[3], 0);
	ck_assert_uint_gt(before[5], 0);
	end_sampling(fd);
	count_must_be_right(fd);
}

/*
 * Two more counters count the event of the sampled counter. Each sample resets the first of these
 * two counters, but not the second. The recorded values of the first counter are the differences
 * between successive recorded values of the second counter.
 */
TEST(a_pmd_that_a_sample_resets_is_recorded_as_a_difference)
{
	struct pfarg_pmd pmd = sampling(0, exact_period());
	uint64_t sum = 0;
	header_t header;
	entry_t entry;
	int fd;

	need_exact_work();
	fd = default_context(0, MIB);
	header = map_buffer(fd, MIB);
	program_exact(fd, 3);
	write_pmd(fd, pmu()->pmds[1], 0);
	write_pmd(fd, pmu()->pmds[2], 0);
	add_to(pmd.reg_reset_pmds, pmu()->pmds[1]);
	add_to(pmd.reg_smpl_pmds, pmu()->pmds[1]);
	add_to(pmd.reg_smpl_pmds, pmu()->pmds[2]);
	write_one(fd, pmd);
	load_and_start(fd, thread_id());
	while (header->hdr_count < 20)
		exact_work(exact_period());
	must(fd, pfm_stop(fd));
	must_be_whole(header, 2);
	for_each_entry(entry, header, 2) {
		ck_assert_uint_ge(values_of(entry)[0], exact_period());
		sum += values_of(entry)[0];
		ck_assert_uint_eq(values_of(entry)[1], sum);
	}
	ck_assert_uint_eq(read_pmd(fd, pmu()->pmds[2]),
			  sum + read_pmd(fd, pmu()->pmds[1]));
	end_sampling(fd);
	count_must_be_right(fd);
}

/*
 * When a counter is written, it comes into use in its set. The PMDs in its reg_smpl_pmds and
 * reg_reset_pmds also come into use, but only in this set. From then on, these PMDs count and can
 * be read.
 */
TEST(pmds_named_by_a_sampled_one_are_in_use)
{
	struct pfarg_pmd pmd = sampling(0, PERIOD);
	int fd = make_context();

	add_to(pmd.reg_smpl_pmds, pmu()->pmds[1]);
	add_to(pmd.reg_smpl_pmds, PFM_PMD_TASK_CLOCK);
	add_to(pmd.reg_reset_pmds, pmu()->pmds[2]);
	add_to(pmd.reg_reset_pmds, PFM_PMD_MINOR_FAULTS);
	write_one(fd, pmd);
	ck_assert_uint_eq(read_pmd(fd, pmu()->pmds[1]), 0);
	ck_assert_uint_eq(read_pmd(fd, pmu()->pmds[2]), 0);
	ck_assert_uint_eq(read_pmd(fd, PFM_PMD_TASK_CLOCK), 0);
	ck_assert_uint_eq(read_pmd(fd, PFM_PMD_MINOR_FAULTS), 0);
	/* When a PMD is written, the PMDs in its reg_smpl_pmds keep their values. */
	write_pmd(fd, pmu()->pmds[1], 4711);
	write_pmd(fd, PFM_PMD_TASK_CLOCK, 4712);
	write_one(fd, pmd);
	ck_assert_uint_eq(read_pmd(fd, pmu()->pmds[1]), 4711);
	ck_assert_uint_eq(read_pmd(fd, PFM_PMD_TASK_CLOCK), 4712);
	end_sampling(fd);
	count_must_be_right(fd);
}

/*
 * OVFL_NOTIFY and RANDOM have no effect on a PMD that is not a counter, even if its value passes 0.
 */
TEST(sampling_flags_have_no_effect_on_a_plain_pmd)
{
	const struct pfarg_pmd pmd = { .reg_num = PFM_PMD_TASK_CLOCK,
				       .reg_flags = NOTIFY | PFM_REGFL_RANDOM,
				       .reg_value = -1000,
				       .reg_random_mask = 0xffff };
	int fd = busy_context();

	write_one(fd, pmd);
	load_and_start(fd, thread_id());
	sampled_loop(10 * MILLION);
	must(fd, pfm_stop(fd));
	ck_assert_uint_eq(state_of(fd), PFM_STATE_LOADED);
	ck_assert_int_gt((int64_t)read_pmd(fd, PFM_PMD_TASK_CLOCK), 0);
	must_be_silent(fd);
	count_must_be_right(fd);
}

/* ---- what write_pmds refuses -------------------------------------------------------------- */

static const unsigned int never_there[] = { 255, PFM_PMD_CPU + 1, 319 };

static void must_refuse(int fd, unsigned int n, bool is_reset)
{
	struct pfarg_pmd pmds[3] = { sampling(1, 12345), sampling(0, 77), { 0 } };

	pmds[2] = pmds[0];
	pmds[2].reg_value = 0;
	add_to(is_reset ? pmds[1].reg_reset_pmds : pmds[1].reg_smpl_pmds, n);
	add_to(is_reset ? pmds[1].reg_reset_pmds : pmds[1].reg_smpl_pmds, pmu()->pmds[2]);
	must_fail(fd, pfm_write_pmds(fd, pmds, 3), EINVAL,
		  is_reset ? PFM_REASON_RESET_PMDS : PFM_REASON_SMPL_PMDS, 1);
	/* Neither the PMD of the refused element nor the PMDs named by this element are in use. */
	ck_assert_uint_eq(read_pmd(fd, pmds[0].reg_num), -12345ull);
	must_fail(fd, pfm_read_pmds(fd, &pmds[1], 1), EINVAL, PFM_REASON_PMD_UNUSED, 0);
	pmds[1].reg_num = pmu()->pmds[2];
	must_fail(fd, pfm_read_pmds(fd, &pmds[1], 1), EINVAL, PFM_REASON_PMD_UNUSED, 0);
}

TEST(a_missing_pmd_can_be_neither_recorded_nor_reset)
{
	size_t i;
	int fd;

	for (i = 0; i <= COUNT(never_there); i++) {
		unsigned int n = i ? never_there[i - 1] : pmu()->missing_pmd;

		fd = make_context();
		must_refuse(fd, n, false);
		must_refuse(fd, n, true);
		end_sampling(fd);
		count_must_be_right(fd);
		close(fd);
	}
}

TEST(a_read_only_pmd_can_be_recorded_but_not_reset)
{
	struct pfarg_pmd pmd = sampling(0, PERIOD);
	int fd;

	if (!pmu_is("power"))
		skip("no PMD of %s is read-only", pmu()->info.pmu_name);
	fd = make_context();
	must_refuse(fd, PFM_POWER_TIMEBASE, true);
	add_to(pmd.reg_smpl_pmds, PFM_POWER_TIMEBASE);
	write_one(fd, pmd);
	end_sampling(fd);
	count_must_be_right(fd);
}

/* ---- several at once ------------------------------------------------------------------------ */

/* Two counters are sampled. A third counter of the same event is the reference. */
TEST(each_of_several_pmds_has_its_own_period)
{
	struct chain chains[2];
	header_t header;
	int fd, i;

	need_exact_work();
	fd = default_context(0, MIB);
	header = map_buffer(fd, MIB);
	program_exact(fd, 3);
	chains[0] = chain_begin(fd, 0, 2, exact_period());
	chains[1] = chain_begin(fd, 1, 2, exact_period() * 7 / 3);
	load_and_start(fd, thread_id());
	while (header->hdr_count < 60)
		exact_work(exact_period());
	must(fd, pfm_stop(fd));
	must_be_whole(header, 2);
	for (i = 0; i < 2; i++) {
		chain_follow(&chains[i], header);
		chain_end(&chains[i], fd);
	}
	ck_assert_uint_eq(chains[0].samples + chains[1].samples, header->hdr_count);
	ck_assert_uint_gt(chains[1].samples, 10);
	ck_assert_uint_eq(header->hdr_lost, 0);
	end_sampling(fd);
	count_must_be_right(fd);
}

/*
 * Two counters with the same event and period overflow in the same interrupt and give two samples.
 */
TEST(overflows_of_one_interrupt_are_samples_in_ascending_order)
{
	struct chain chains[2];
	header_t header;
	entry_t entry;
	int fd, i;

	need_exact_work();
	fd = default_context(0, MIB);
	header = map_buffer(fd, MIB);
	program_exact(fd, 3);
	for (i = 0; i < 2; i++)
		chains[i] = chain_begin(fd, i, 2, exact_period());
	load_and_start(fd, thread_id());
	while (header->hdr_count < 40)
		exact_work(exact_period());
	must(fd, pfm_stop(fd));
	must_be_whole(header, 2);
	ck_assert_uint_eq(header->hdr_count % 2, 0);
	for (entry = first_entry(header); entry < end_of(header);) {
		entry_t second = entry_after(entry, 2);

		ck_assert_uint_eq(entry->ovfl_pmd, pmu()->pmds[0]);
		ck_assert_uint_eq(second->ovfl_pmd, pmu()->pmds[1]);
		ck_assert_uint_eq(entry->ip, second->ip);
		ck_assert_uint_eq(entry->tstamp, second->tstamp);
		ck_assert_uint_eq(values_of(entry)[1], values_of(second)[1]);
		entry = entry_after(second, 2);
	}
	for (i = 0; i < 2; i++) {
		chain_follow(&chains[i], header);
		chain_end(&chains[i], fd);
	}
	end_sampling(fd);
	count_must_be_right(fd);
}

/*
 * If the core finds an overflow when the thread is switched out, it takes a sample, as for any
 * other overflow.
 */
static void check_switches(void)
{
	const struct timespec shortest = { .tv_nsec = 100000 };
	const uint64_t period = 7;
	int fd = default_context(0, MIB), i;
	header_t header = map_buffer(fd, MIB);
	struct chain chain;

	for (i = 0; i < 2; i++)
		write_pmc(fd, pmu()->pmcs[i], PFM_SOFT_CONTEXT_SWITCHES);
	chain = chain_begin(fd, 0, 1, period);
	load_and_start(fd, thread_id());
	for (i = 0; i < 200; i++)
		nanosleep(&shortest, NULL);
	must(fd, pfm_stop(fd));
	must_be_whole(header, 2);
	chain_follow(&chain, header);
	chain_end(&chain, fd);
	ck_assert_uint_eq(chain.samples, header->hdr_count);
	ck_assert_uint_eq(chain.samples, read_pmd(fd, chain.other) / period);
	ck_assert_uint_eq(chain.skid, 0);
	ck_assert_uint_ge(chain.samples, 100 / period);
	close(fd);
}

TEST(every_seventh_context_switch_is_a_sample)
{
	with_pmu("perfmon_soft", "", check_switches);
}

/* ---- thread, CPU and time -------------------------------------------------------------------- */

TEST(a_sample_has_thread_process_cpu_and_time)
{
	struct pfarg_pmd pmd = sampling(0, PERIOD);
	unsigned int cpu = cpus_online() - 1;
	struct child child = child_new();
	entry_t entry, before = NULL;
	header_t header;
	int fd;

	need_overflow_interrupts();
	fd = default_context(0, MIB);
	header = map_buffer(fd, MIB);
	child_call(&child, child_pin, cpu);
	program_busy(fd, 1);
	add_to(pmd.reg_smpl_pmds, PFM_PMD_MONOTONIC_TIME);
	write_one(fd, pmd);
	load_and_start(fd, child.pid);
	child_busy(&child);
	wait_until(header->hdr_count >= 200);
	child_rest(&child);
	must(fd, pfm_stop(fd));
	must_be_whole(header, 1);
	for_each_entry(entry, header, 1) {
		ck_assert_uint_eq(entry->pid, child.pid);
		ck_assert_uint_eq(entry->tgid, child.pid);
		ck_assert_uint_eq(entry->ovfl_pmd, pmd.reg_num);
		ck_assert_uint_eq(PFM_SMPL_VALUES(entry->values), 1);
		ck_assert_uint_eq(PFM_SMPL_CLOCK(entry->values),
				  PFM_SMPL_CLOCK_SCHEDULER);
		ck_assert_uint_eq(entry->cpu, cpu);
		ck_assert_uint_eq(entry->set, 0);
		ck_assert_uint_ne(entry->ip, 0);
		if (before)
			ck_assert_uint_ge(entry->tstamp, before->tstamp);
		before = entry;
	}
	/*
	 * The last sample comes about 200 ms after the first. tstamp and PFM_PMD_MONOTONIC_TIME may
	 * disagree a little about the time from the first sample to the last, because the kernel
	 * reads the two clocks at different moments.
	 */
	must_be_near(before->tstamp - first_entry(header)->tstamp,
		     *values_of(before) - *values_of(first_entry(header)), 100 * MS);
	child_exit(&child);
	must_end(fd);
	end_sampling(fd);
	count_must_be_right(fd);
}

/*
 * The test changes reg_smpl_pmds while samples are taken. A program can parse the entries without
 * knowing reg_smpl_pmds, because each entry contains the number of its values.
 */
TEST(entries_can_be_parsed_when_the_recorded_pmds_change)
{
	static const unsigned int recorded[] = { PFM_PMD_TASK_CLOCK,
						 PFM_PMD_MONOTONIC_TIME,
						 PFM_PMD_SET_RUNS };
	struct pfarg_pmd pmd = sampling(0, PERIOD);
	unsigned int counts[COUNT(recorded) + 1] = {}, values;
	uint64_t total = 0;
	header_t header;
	entry_t entry;
	int fd;

	need_overflow_interrupts();
	fd = default_context(0, MIB);
	header = map_buffer(fd, MIB);
	program_busy(fd, 1);
	for (values = 0; values < COUNT(counts); values++) {
		if (values)
			add_to(pmd.reg_smpl_pmds, recorded[values - 1]);
		write_one(fd, pmd);
		if (!values)
			load_and_start(fd, thread_id());
		fill_to(header, 5 * (values + 1));
	}
	must(fd, pfm_stop(fd));
	for (entry = first_entry(header); entry < end_of(header);
	     entry = entry_after(entry, PFM_SMPL_VALUES(entry->values))) {
		values = PFM_SMPL_VALUES(entry->values);
		ck_assert_uint_lt(values, COUNT(counts));
		ck_assert_uint_eq(entry->pid, thread_id());
		counts[values]++;
		total++;
	}
	ck_assert_ptr_eq(entry, end_of(header));
	ck_assert_uint_eq(total, header->hdr_count);
	for (values = 0; values < COUNT(counts); values++)
		ck_assert_msg(counts[values] > 0, "no entry has %u values", values);
	end_sampling(fd);
	count_must_be_right(fd);
}
