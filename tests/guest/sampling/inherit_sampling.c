// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests sampling by contexts with PFM_FL_INHERIT_*. Each sample of a thread or child must be in the
 * buffer of the CPU that took the sample. inherit_buffers.c tests the buffers themselves.
 *
 * Each sample has the value of a second counter, which counts the same event as the sampled counter
 * but is never reset. The second counter begins at 0 in each thread. Each sample also has the value
 * of the sampled counter, which is the number of events since its overflow. Between two samples of
 * a thread, the second counter must grow by the period plus the sampled counter's value in the
 * later sample. This shows that no sample is missing, and none is invented.
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <sys/wait.h>

#include "inherit_sampling.h"

SUITE(inherit_sampling, 240);

/* ---- two counters of the same event ---------------------------------------------------------- */

/* The counter whose overflows are sampled, and the counter that is never reset. */
static unsigned int sampled, other;

static struct pfarg_pmd program_two(int fd)
{
	struct pfarg_pmd pmd = sampling(0, exact_period());

	if (overflows_are_prompt()) {
		sampled = prompt_counter();
		other = 0;
		write_pmc(fd, sampled, prompt_cycles(AT_USER));
		write_pmc(fd, other, cycles(AT_USER));
	} else {
		sampled = pmu()->pmds[0];
		other = pmu()->pmds[1];
		program_exact(fd, 2);
	}
	write_pmd(fd, other, 0);
	pmd.reg_num = sampled;
	add_to(pmd.reg_smpl_pmds, sampled);
	add_to(pmd.reg_smpl_pmds, other);
	return pmd;
}

static void sample_exactly(int fd)
{
	write_one(fd, program_two(fd));
}

/* ---- samples of all buffers ------------------------------------------------------------ */

struct one_sample {
	uint32_t tid;
	uint32_t tgid;
	unsigned int cpu; /* of the buffer */
	uint64_t time;
	uint64_t rest; /* number of events that the sampled counter counted since its overflow */
	uint64_t other;
};

struct samples {
	struct one_sample *all;
	size_t count;
};

#define MOST_SAMPLES 100000

static void add_region(struct samples *samples, unsigned int cpu, const char *region,
		       uint64_t count)
{
	const size_t bytes = entry_bytes(2);
	uint64_t i;

	for (i = 0; i < count; i++, region += bytes) {
		ck_assert_uint_lt(samples->count, MOST_SAMPLES);
		ck_assert_uint_eq(number_at(region, 32, 2), cpu);
		samples->all[samples->count++] = (struct one_sample){
			.tid = number_at(region, 0, 4),
			.tgid = number_at(region, 36, 4),
			.cpu = cpu,
			.time = number_at(region, 24, 8),
			.rest = number_at(region, sampled < other ? 40 : 48, 8),
			.other = number_at(region, sampled < other ? 48 : 40, 8),
		};
	}
}

/*
 * Adds the samples of all regions of @buffer to @samples. Must be called when sampling has ended.
 * No region may have been handed back.
 */
static void add_buffer(struct samples *samples, unsigned int cpu, const void *buffer)
{
	const struct pfm_nway_hdr *header = buffer;
	const struct pfm_nway_region *regions = (const void *)(header + 1);
	const size_t before = samples->count;
	unsigned int n;

	for (n = 0; n < header->regions; n++)
		add_region(samples, cpu,
			   (const char *)buffer + header->region_offset +
				   n * header->region_size,
			   regions[n].count);
	ck_assert_uint_eq(header->lost, 0);
	ck_assert_uint_eq(header->produced, header->written);
	ck_assert_uint_eq(header->written, samples->count - before);
}

/*
 * For qsort(): orders samples by thread, and the samples of one thread in the order in which they
 * were taken.
 */
static int compare(const void *a, const void *b)
{
	const struct one_sample *first = a, *second = b;

	if (first->tid != second->tid)
		return first->tid < second->tid ? -1 : 1;
	return first->other < second->other ? -1 : first->other > second->other;
}

static struct samples all_samples(const struct family *family)
{
	struct samples samples = { .all = calloc(MOST_SAMPLES, sizeof(*samples.all)) };
	unsigned int cpu;

	ck_assert_ptr_nonnull(samples.all);
	for (cpu = 0; cpu < family->cpus; cpu++)
		add_buffer(&samples, cpu, family->buffers[cpu]);
	qsort(samples.all, samples.count, sizeof(*samples.all), compare);
	return samples;
}

/*
 * Checks the samples of the thread whose first sample has index @i, and returns their number.
 * Stores the number of events up to the thread's last sample in *@events.
 */
static size_t follow_thread(const struct samples *samples, size_t i, uint64_t period,
			    uint64_t *events)
{
	const struct one_sample *sample = &samples->all[i];
	const uint32_t tid = sample->tid;
	uint64_t time = 0;
	size_t count = 0;

	*events = 0;
	for (; i + count < samples->count && sample->tid == tid; sample++, count++) {
		ck_assert_uint_eq(sample->other - *events, period + sample->rest);
		if (overflows_are_prompt())
			ck_assert_uint_lt(sample->rest, period / 10);
		ck_assert_uint_gt(sample->time, time);
		*events = sample->other;
		time = sample->time;
	}
	return count;
}

static uint64_t events_of(const struct samples *samples, uint32_t tid, uint64_t period)
{
	uint64_t events = 0;
	size_t i;

	for (i = 0; i < samples->count; i++) {
		if (samples->all[i].tid != tid)
			continue;
		follow_thread(samples, i, period, &events);
		break;
	}
	return events;
}

/*
 * Checks the samples of each thread. Also checks that their events add up to the context's count,
 * except for the events after the last sample of each thread. There must be samples of exactly
 * @threads threads.
 */
static void must_be_all(const struct samples *samples, int fd, uint64_t period,
			unsigned int threads)
{
	uint64_t sum = 0, events, counted = read_pmd(fd, other);
	unsigned int seen = 0;
	size_t i, count;

	for (i = 0; i < samples->count; i += count, seen++) {
		count = follow_thread(samples, i, period, &events);
		sum += events;
	}
	printf("         %zu samples of %u threads cover %ju of %ju events\n",
	       samples->count, seen, (uintmax_t)sum, (uintmax_t)counted);
	fflush(stdout);
	ck_assert_uint_eq(seen, threads);
	must_be_between(counted, sum, sum + threads * period);
}

/* ---- threads and children of a known size ---------------------------------------------- */

#define CHILDREN 16

static void check_children(void)
{
	const uint64_t period = exact_period();
	const unsigned int cpus = cpus_online();
	struct family family;
	struct samples samples;
	pid_t pids[CHILDREN];
	uint64_t taken;
	unsigned int i;

	need_exact_work();
	family = nway_family(PFM_FL_INHERIT_ALL);
	sample_exactly(family.fd);
	taken = samples_taken();
	load(family.fd, thread_id());
	must(family.fd, pfm_start(family.fd, NULL));
	for (i = 0; i < CHILDREN; i++)
		pids[i] = fork_worker(&family, i % cpus);
	exact_work(PERIODS * period);
	for (i = 0; i < CHILDREN; i++)
		must_exit_well(pids[i]);
	must(family.fd, pfm_stop(family.fd));
	taken = samples_taken() - taken;

	samples = all_samples(&family);
	ck_assert_uint_eq(samples.count, taken);
	ck_assert_uint_eq(status_of(family.fd).lost_samples, 0);
	ck_assert_uint_eq(status_of(family.fd).not_followed, 0);
	for (i = 0; i < CHILDREN; i++)
		must_be_between(events_of(&samples, pids[i], period),
				(PERIODS - 1) * period, 2 * PERIODS * period);
	must_be_all(&samples, family.fd, period, CHILDREN + 1);
	close(family.fd);
	free(samples.all);
}

TEST(samples_of_children_have_one_for_each_period)
{
	with_formats(check_children);
}

/* ---- samples of all buffers, ordered by time --------------------------------------------- */

/*
 * The regions are small, so that some of them become full and the library hands them back. All
 * regions together have room for all samples of the children, so no sample is lost.
 */
static struct family small_regions(void)
{
	const struct pfm_nway_arg argument = { .region_size = 4096, .regions = REGIONS };

	return family_of(PFM_FL_INHERIT_ALL, "nway", &argument, sizeof(argument));
}

static void take_merged(struct pfm_samples *merged, struct samples *samples,
			bool is_ordered)
{
	const struct pfm_dfl_smpl_entry *entry;
	uint64_t before = samples->count ? samples->all[samples->count - 1].time : 0;

	for (; pfm_samples_next(merged, &entry); before = entry->tstamp) {
		if (is_ordered)
			ck_assert_uint_ge(entry->tstamp, before);
		add_region(samples, entry->cpu, (const char *)entry, 1);
	}
}

/*
 * Lets the library merge the samples of all buffers. If @meanwhile is true, reads samples while the
 * children run. If it is false, reads all samples at the end. Without --icount, the host may stop a
 * CPU for more than 1 ms while this CPU writes a sample. Then samples that are read while the
 * children run may be out of order.
 */
static void check_merged(bool meanwhile)
{
	const unsigned int cpus = cpus_online();
	const uint64_t period = exact_period();
	struct samples samples = { .all = calloc(MOST_SAMPLES, sizeof(*samples.all)) };
	struct family family = small_regions();
	struct pfm_samples *merged = pfm_samples_open();
	uint64_t handed_back = 0;
	pid_t pids[CHILDREN];
	unsigned int i;

	must(family.fd, pfm_samples_add(merged, family.fd, "nway"));
	sample_exactly(family.fd);
	load_and_start(family.fd, thread_id());
	for (i = 0; i < CHILDREN; i++)
		pids[i] = fork_worker(&family, i % cpus);
	exact_work(PERIODS * period);
	for (i = 0; i < CHILDREN; i++) {
		if (meanwhile)
			take_merged(merged, &samples, is_deterministic());
		must_exit_well(pids[i]);
	}
	must(family.fd, pfm_stop(family.fd));
	pfm_samples_end(merged);
	take_merged(merged, &samples, is_deterministic() || !meanwhile);
	ck_assert_uint_eq(pfm_samples_lost(merged), 0);
	for (i = 0; i < family.cpus; i++)
		handed_back += nway_of(&family, i)->released;
	ck_assert_uint_gt(handed_back, 0);
	qsort(samples.all, samples.count, sizeof(*samples.all), compare);
	must_be_all(&samples, family.fd, period, CHILDREN + 1);
	pfm_samples_close(merged);
	close(family.fd);
	free(samples.all);
}

static void check_merged_meanwhile(void)
{
	need_exact_work();
	check_merged(true);
}

static void check_merged_at_the_end(void)
{
	need_exact_work();
	check_merged(false);
}

TEST(the_library_merges_samples_while_they_are_taken)
{
	with_formats(check_merged_meanwhile);
}

TEST(the_library_merges_samples_that_were_taken)
{
	with_formats(check_merged_at_the_end);
}

static void *work_in_thread(void *unused)
{
	(void)unused;
	exact_work(PERIODS * exact_period());
	return (void *)(uintptr_t)thread_id();
}

static void check_threads(void)
{
	const uint64_t period = exact_period();
	pthread_t threads[8];
	struct family family;
	struct samples samples;
	void *tid;
	size_t i;

	need_exact_work();
	family = nway_family(PFM_FL_INHERIT_THREADS);
	sample_exactly(family.fd);
	load(family.fd, thread_id());
	must(family.fd, pfm_start(family.fd, NULL));
	exact_work(2 * period);
	for (i = 0; i < COUNT(threads); i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, work_in_thread, NULL),
				 0);
	/* With PFM_FL_INHERIT_THREADS, the context does not follow children. */
	must_exit_well(fork_worker(&family, 0));
	for (i = 0; i < COUNT(threads); i++) {
		ck_assert_int_eq(pthread_join(threads[i], &tid), 0);
		threads[i] = (uintptr_t)tid;
	}
	must(family.fd, pfm_stop(family.fd));
	samples = all_samples(&family);
	must_be_all(&samples, family.fd, period, COUNT(threads) + 1);
	for (i = 0; i < COUNT(threads); i++)
		must_be_between(events_of(&samples, threads[i], period),
				(PERIODS - 1) * period, 2 * PERIODS * period);
	for (i = 0; i < samples.count; i++)
		ck_assert_uint_eq(samples.all[i].tgid, getpid());
	close(family.fd);
	free(samples.all);
}

TEST(samples_of_threads_have_one_for_each_period)
{
	with_formats(check_threads);
}

/* The loader is process 1 of a pid namespace, and its child is process 2. */
static void check_namespace(void)
{
	struct family family;
	struct samples samples;
	int status;
	pid_t pid;

	need_exact_work();
	ck_assert_int_eq(unshare(CLONE_NEWPID), 0);
	pid = check_fork();
	ck_assert_int_ne(pid, -1);
	if (pid) {
		ck_assert_int_eq(waitpid(pid, &status, 0), pid);
		ck_assert_int_eq(status, 0);
		return;
	}
	ck_assert_int_eq(getpid(), 1);
	family = nway_family(PFM_FL_INHERIT_ALL);
	sample_exactly(family.fd);
	load(family.fd, 1);
	must(family.fd, pfm_start(family.fd, NULL));
	pid = fork_worker(&family, 0);
	ck_assert_int_eq(pid, 2);
	must_exit_well(pid);
	must(family.fd, pfm_stop(family.fd));
	samples = all_samples(&family);
	ck_assert_uint_gt(events_of(&samples, 2, exact_period()), 0);
	ck_assert_uint_le(samples.all[samples.count - 1].tid, 2);
	_exit(EXIT_SUCCESS);
}

TEST(samples_have_the_numbers_that_the_loader_sees)
{
	with_formats(check_namespace);
}

/* ---- periods and event sets of copies ----------------------------------------------------- */

/* Two children that one context monitors must begin with different random periods. */
static void check_random(void)
{
	struct family family;
	struct samples samples;
	struct pfarg_pmd pmd;
	pid_t pids[2];
	uint64_t first[2];
	size_t i, k;

	need_exact_work();
	family = nway_family(PFM_FL_INHERIT_ALL);
	pmd = program_two(family.fd);
	pmd.reg_flags |= PFM_REGFL_RANDOM;
	pmd.reg_random_seed = 4711;
	pmd.reg_random_mask = exact_period() - 1;
	write_one(family.fd, pmd);
	load(family.fd, thread_id());
	must(family.fd, pfm_start(family.fd, NULL));
	for (i = 0; i < 2; i++)
		pids[i] = fork_worker(&family, 0);
	for (i = 0; i < 2; i++)
		must_exit_well(pids[i]);
	must(family.fd, pfm_stop(family.fd));
	samples = all_samples(&family);
	for (i = 0; i < 2; i++) {
		for (k = 0; samples.all[k].tid != (uint32_t)pids[i]; k++)
			ck_assert_uint_lt(k + 1, samples.count);
		first[i] = samples.all[k].other - samples.all[k].rest;
		must_be_between(first[i], exact_period(), 2 * exact_period());
	}
	ck_assert_uint_ne(first[0], first[1]);
	close(family.fd);
	free(samples.all);
}

TEST(random_periods_differ_between_children)
{
	with_formats(check_random);
}

/* ---- several CPUs ------------------------------------------------------------------------ */

static void check_many_cpus(void)
{
	struct family family;
	struct samples samples;
	pid_t pids[2];
	unsigned int cpu, on_its_cpu[2] = {};
	size_t i;

	family = nway_family(PFM_FL_INHERIT_ALL);
	sampled = pmu()->pmds[0];
	other = pmu()->pmds[1];
	use_counters(family.fd, 2);
	sample_counter(family.fd, 0, format_period(), 0,
		       (unsigned int[]){ pmu()->pmds[0], pmu()->pmds[1] }, 2);
	load_and_start(family.fd, thread_id());
	for (cpu = 0; cpu < 2; cpu++)
		pids[cpu] = fork_looper(&family, cpu);
	for (cpu = 0; cpu < 2; cpu++)
		wait_until(published(&nway_of(&family, cpu)->written) > 50);
	for (cpu = 0; cpu < 2; cpu++)
		end_looper(pids[cpu]);
	must(family.fd, pfm_stop(family.fd));
	samples = all_samples(&family);
	for (i = 0; i < samples.count; i++)
		for (cpu = 0; cpu < 2; cpu++)
			if (samples.all[i].tid == (uint32_t)pids[cpu])
				on_its_cpu[cpu] += samples.all[i].cpu == cpu;
	for (cpu = 0; cpu < 2; cpu++)
		ck_assert_uint_gt(on_its_cpu[cpu], 20);
	close(family.fd);
	free(samples.all);
}

TEST(children_on_several_cpus_fill_several_buffers)
{
	need_overflow_interrupts();
	need_cpus(2);
	with_formats(check_many_cpus);
}

/* ---- throttling ------------------------------------------------------------------------------ */

/*
 * The limit is one interrupt in each tick. A second interrupt throttles the set, so there are at
 * most two samples in each tick.
 */
static void loop_while_limited(int unused)
{
	const uint64_t before = statistic("fmt_handler_calls"), begun = ticks();
	uint64_t samples;

	(void)unused;
	sampled_loop(20000000);
	samples = statistic("fmt_handler_calls") - before;
	if (!samples || samples > 2 * (ticks() - begun + 1))
		abort();
}

/*
 * When the first child begins, the caller's event set is throttled, but the event set of the copy
 * that monitors the child is not. The core uses the same copy again for the second child.
 */
static void check_limit(void)
{
	struct family family = busy_family(1000);
	int i;

	write_text(INTERRUPT_LIMIT, "1\n");
	load_and_start(family.fd, thread_id());
	sampled_loop(100000000);
	for (i = 0; i < 2; i++)
		must_exit_well(fork_child(loop_while_limited, 0));
	must(family.fd, pfm_stop(family.fd));
	close(family.fd);
}

static void check_throttling(void)
{
	with_interrupt_limit(check_limit);
}

TEST(children_with_too_many_overflows_are_throttled)
{
	need_overflow_interrupts();
	with_formats(check_throttling);
}
