// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sampling with inheritance: the samples of all threads and children are in the buffers of the CPUs
 * on which they were taken.
 *
 * Each sample has the value of a second counter of the same event that is never reset. It begins at 0
 * in each thread. Between two samples of a thread it must grow by the period and by what the sampled
 * counter has counted since its overflow. So no sample is missing, and none is invented.
 */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <perfmon/perfmon_hist.h>
#include <perfmon/perfmon_nway.h>

#include "formats.h"
#include "samples.h"

SUITE(inherit_sampling, 240);

#define MOST_CPUS   16
#define REGION_SIZE 65536u
#define REGIONS	    8u

/* A context with a buffer for each CPU. */
struct family {
	int fd;
	unsigned int cpus;
	const void *buffers[MOST_CPUS];
};

static void map_all(struct family *family)
{
	const struct pfm_status status = status_of(family->fd);
	unsigned int cpu;

	family->cpus = status.buffer_cpus;
	must_be_between(family->cpus, 1, MOST_CPUS);
	for (cpu = 0; cpu < family->cpus; cpu++) {
		family->buffers[cpu] = mmap(NULL, status.buffer_size, PROT_READ,
					    MAP_SHARED, family->fd,
					    PFM_BUFFER_OFFSET(cpu));
		ck_assert_msg(family->buffers[cpu] != MAP_FAILED, "CPU %u: %s", cpu,
			      strerror(errno));
	}
}

static int try_family(uint32_t flags, const char *format, const void *argument,
		      size_t size)
{
	pfarg_ctx_t ctx = { .ctx_flags = flags };

	return pfm_create_context(&ctx, (char *)format, (void *)argument, size);
}

static struct family family_of(uint32_t flags, const char *format, const void *argument,
			       size_t size)
{
	struct family family = { .fd = try_family(flags, format, argument, size) };

	ck_assert_msg(family.fd != -1, "%s: %s", format, sentence(-1));
	map_all(&family);
	return family;
}

static struct family nway_family(uint32_t flags)
{
	const struct pfm_nway_arg argument = { .region_size = REGION_SIZE,
					       .regions = REGIONS };

	return family_of(flags, "nway", &argument, sizeof(argument));
}

/* Small enough to be full after a few samples. */
static struct family default_family(uint32_t flags)
{
	const struct pfm_dfl_smpl_arg argument = { .buf_size = least_size() };

	return family_of(flags, "default", &argument, sizeof(argument));
}

static struct family busy_family(uint64_t period)
{
	struct family family = default_family(PFM_FL_INHERIT_ALL);

	sample_busily(family.fd, period);
	return family;
}

static const volatile struct pfm_nway_hdr *nway_of(const struct family *family,
						   unsigned int cpu)
{
	return family->buffers[cpu];
}

static header_t linear_of(const struct family *family, unsigned int cpu)
{
	return family->buffers[cpu];
}

/* ---- two counters of the same event ---------------------------------------------------------- */

/* The PMD that is sampled, and the one that is never reset. */
static unsigned int sampled, other;

/*
 * Where a counter interrupts exactly at the event that overflows, it is sampled: then a sample comes
 * in each period.  Elsewhere QEMU finds overflows late.
 */
static bool is_prompt(void)
{
	return selects_levels() && is_deterministic();
}

static struct pfarg_pmd program_two(int fd)
{
	struct pfarg_pmd pmd = sampling(0, exact_period());

	if (is_prompt()) {
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
	uint64_t rest; /* what the sampled counter counted since its overflow */
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

/* Nothing is sampled any more, and no region was handed back. */
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

/* A thread's samples, in the order in which they were taken. */
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
 * Follows the samples of the thread that begin at @i, and returns how many it has. *@events: what
 * the thread had counted at its last sample.
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
		if (is_prompt())
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

/* Checks the samples of all threads together, and that there is no sample of any other thread. */
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
	printf("         %zu samples of %u threads, %ju of %ju events\n", samples->count,
	       seen, (uintmax_t)sum, (uintmax_t)counted);
	fflush(stdout);
	ck_assert_uint_eq(seen, threads);
	must_be_between(counted, sum, sum + threads * period);
}

/* ---- threads and children of a known size ---------------------------------------------- */

#define PERIODS 20

static pid_t fork_worker(const struct family *family, unsigned int cpu)
{
	pid_t pid = check_fork();

	ck_assert_int_ne(pid, -1);
	if (pid)
		return pid;
	close(family->fd);
	pin(cpu);
	exact_work(PERIODS * exact_period());
	_exit(EXIT_SUCCESS);
}

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

/* ---- samples of all buffers in the order of their time ----------------------------------- */

/* Small regions, so that some are handed back; there is room for all samples of the children. */
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
 * @meanwhile: take the samples while they are made, not at the end.  Then their order is certain only
 * with --icount: elsewhere the host may stop a CPU that is writing a sample for more than 1 ms.
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
	must_exit_well(fork_worker(&family, 0)); /* children are not followed */
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

/* The loader is process 1 of a namespace, and its child process 2. */
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

/* ---- periods and sets of copies ----------------------------------------------------------- */

/* Which periods a child has must not depend on those of its siblings. */
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

/* ---- full buffers -------------------------------------------------------------------------- */

static struct pfarg_ovfl_msg must_read(int fd)
{
	struct pfarg_ovfl_msg message;

	ck_assert_int_eq(read(fd, &message, sizeof(message)), sizeof(message));
	ck_assert_uint_eq(message.msg_type, PFM_MSG_OVFL);
	return message;
}

TEST(a_full_buffer_loses_samples_until_its_cpu_is_restarted)
{
	struct family family;
	struct pfarg_ovfl_msg message;
	header_t header;
	uint64_t lost;
	unsigned int turn;

	need_overflow_interrupts();
	pin(0);
	family = busy_family(PERIOD);
	header = linear_of(&family, 0);
	must_fail(family.fd, pfm_restart_cpu(family.fd, 0), EBUSY,
		  PFM_REASON_NOTHING_TO_RESTART, NO_INDEX);
	load_and_start(family.fd, thread_id());
	for (turn = 0; turn < 3; turn++) {
		lost = header->hdr_lost;
		while (header->hdr_lost < lost + 5)
			spin_turns(10000);
		ck_assert_uint_eq(state_of(family.fd), PFM_STATE_LOADED);
		must_be_whole(header, 0);
		ck_assert_uint_eq(header->hdr_overflows, turn + 1);
		message = must_read(family.fd);
		ck_assert_uint_eq(message.msg_ovfl_cpu, 0);
		ck_assert_uint_eq(message.msg_ovfl_pid, thread_id());
		ck_assert_uint_eq(message.msg_ovfl_pmds[0], BIT(pmu()->pmds[0]));
		/* Samples that were lost after this message have sent no message. */
		must_be_silent(family.fd);
		must_fail(family.fd, pfm_restart(family.fd), EBUSY,
			  PFM_REASON_NOTHING_TO_RESTART, NO_INDEX);
		must(family.fd, pfm_restart_cpu(family.fd, 0));
	}
	must(family.fd, pfm_stop(family.fd));
	close(family.fd);
}

/* The reader is in another process than the threads that are sampled, and on any CPU. */
static void check_reader(void)
{
	const struct pfm_nway_arg argument = { .region_size = entry_bytes(pmds_in_all()),
					       .regions = 4 };
	uint64_t taken = samples_taken(), read_samples = 0, lost = 0;
	const volatile struct pfm_nway_hdr *header;
	struct child child = child_new();
	struct pollfd waits;
	struct family family;
	unsigned int cpu, i;

	need_overflow_interrupts();
	child_call(&child, child_pin, cpus_online() - 1);
	family = family_of(PFM_FL_INHERIT_ALL, "nway", &argument, sizeof(argument));
	sample_busily(family.fd, PERIOD);
	load_and_start(family.fd, child.pid);
	loop_begin(&child);
	waits = (struct pollfd){ .fd = family.fd, .events = POLLIN };
	for (i = 0; i < 20; i++) {
		ck_assert_int_eq(poll(&waits, 1, -1), 1);
		cpu = must_read(family.fd).msg_ovfl_cpu;
		ck_assert_uint_eq(cpu, cpus_online() - 1);
		header = nway_of(&family, cpu);
		while (published(&header->filled) > header->released) {
			must(family.fd, pfm_restart_cpu(family.fd, cpu));
			read_samples++;
		}
		must_fail(family.fd, pfm_restart_cpu(family.fd, family.cpus), EINVAL,
			  PFM_REASON_NO_BUFFER, NO_INDEX);
	}
	loop_end(&child);
	must(family.fd, pfm_stop(family.fd));
	taken = samples_taken() - taken;
	for (cpu = 0; cpu < family.cpus; cpu++) {
		header = nway_of(&family, cpu);
		read_samples += header->filled - header->released;
		lost += header->lost;
	}
	ck_assert_uint_eq(read_samples + lost, taken);
	ck_assert_uint_ge(read_samples, 20);
	close(family.fd);
	child_exit(&child);
}

TEST(a_reader_is_woken_and_hands_back_what_it_has_read)
{
	with_formats(check_reader);
}

/* ---- other formats --------------------------------------------------------------------------- */

static void check_hist(void)
{
	const struct pfm_hist_arg argument = { .entries = 1024 };
	uint64_t taken = samples_taken(), produced = 0;
	const volatile struct pfm_hist_hdr *header;
	struct family family;
	unsigned int cpu;

	need_exact_work();
	family = family_of(PFM_FL_INHERIT_ALL, "hist", &argument, sizeof(argument));
	program_exact(family.fd, 1);
	write_one(family.fd, sampling(0, exact_period()));
	load_and_start(family.fd, thread_id());
	must_exit_well(fork_worker(&family, cpus_online() - 1));
	must(family.fd, pfm_stop(family.fd));
	for (cpu = 0; cpu < family.cpus; cpu++) {
		header = family.buffers[cpu];
		ck_assert_uint_eq(header->entries, 1024);
		produced += header->produced;
	}
	ck_assert_uint_eq(produced, samples_taken() - taken);
	ck_assert_uint_gt(produced, 0);
	must_fail(family.fd, pfm_restart_cpu(family.fd, 0), EBUSY,
		  PFM_REASON_NOTHING_TO_RESTART, NO_INDEX);
	close(family.fd);
}

TEST(a_format_without_restart_has_a_table_for_each_cpu)
{
	with_formats(check_hist);
}

/* ---- the structure of the call ---------------------------------------------------------------- */

static int restart_sized(int fd, size_t size, const void *structure)
{
	return ioctl(fd, _IOC(_IOC_WRITE, PFM_IOC_TYPE, 17, size), structure);
}

TEST(the_structure_of_a_restart_may_grow)
{
	struct family family = default_family(PFM_FL_INHERIT_ALL);
	uint32_t structure[16] = {};
	unsigned int i;

	/* Each size is accepted, but there is nothing to hand back. */
	must_fail(family.fd, restart_sized(family.fd, 32, structure), EBUSY,
		  PFM_REASON_NOTHING_TO_RESTART, NO_INDEX);
	must_fail(family.fd, restart_sized(family.fd, 64, structure), EBUSY,
		  PFM_REASON_NOTHING_TO_RESTART, NO_INDEX);
	for (i = 1; i < COUNT(structure); i++) {
		structure[i] = 1;
		must_fail(family.fd, restart_sized(family.fd, 64, structure),
			  i < 8 ? EINVAL : E2BIG,
			  i < 8 ? PFM_REASON_RESERVED : PFM_REASON_TAIL, NO_INDEX);
		structure[i] = 0;
	}
	must_fail(family.fd, restart_sized(family.fd, 31, structure), EINVAL,
		  PFM_REASON_SIZE, NO_INDEX);
	must_fail(family.fd, restart_sized(family.fd, 32, (void *)1), EFAULT,
		  PFM_REASON_FAULT, NO_INDEX);
	structure[0] = UINT32_MAX;
	must_fail(family.fd, restart_sized(family.fd, 32, structure), EINVAL,
		  PFM_REASON_NO_BUFFER, NO_INDEX);
	close(family.fd);
}

/* ---- mapping and memory --------------------------------------------------------------------- */

static void must_not_map(int fd, uint64_t offset)
{
	ck_assert_ptr_eq(mmap(NULL, page_size(), PROT_READ, MAP_SHARED, fd, offset),
			 MAP_FAILED);
	ck_assert_int_eq(errno, EINVAL);
}

TEST(each_cpu_has_a_buffer_at_its_offset)
{
	struct family family = default_family(PFM_FL_INHERIT_ALL);
	struct pfm_status status = status_of(family.fd);
	unsigned int cpu;
	int fd;

	ck_assert_uint_ge(family.cpus, cpus_online());
	ck_assert_uint_eq(status.buffer_size % page_size(), 0);
	ck_assert_uint_ge(status.buffer_size, least_size());
	for (cpu = 0; cpu < family.cpus; cpu++)
		ck_assert_uint_eq(linear_of(&family, cpu)->hdr_buf_size, least_size());
	must_not_map(family.fd, PFM_BUFFER_OFFSET(family.cpus));
	must_not_map(family.fd, PFM_BUFFER_OFFSET(0) + page_size());
	must_not_map(family.fd, PFM_BUFFER_OFFSET(1) - page_size());
	must_not_map(family.fd, PFM_BUFFER_OFFSET(100000));
	must_not_map(family.fd, 1ull << 62);
	close(family.fd);
	/* The buffers outlive the context. */
	for (cpu = 0; cpu < family.cpus; cpu++)
		ck_assert_uint_eq(linear_of(&family, cpu)->hdr_count, 0);

	fd = default_context(0, MIB);
	ck_assert_uint_eq(status_of(fd).buffer_size, MIB);
	ck_assert_uint_eq(status_of(fd).buffer_cpus, 0);
	must_not_map(fd, PFM_BUFFER_OFFSET(1));
	must_fail(fd, pfm_restart_cpu(fd, 0), EINVAL, PFM_REASON_NO_BUFFER, NO_INDEX);
	close(fd);
	fd = context_with_flags(PFM_FL_INHERIT_ALL);
	ck_assert_uint_eq(status_of(fd).buffer_size, 0);
	ck_assert_uint_eq(status_of(fd).buffer_cpus, 0);
	must_not_map(fd, 0);
	must_fail(fd, pfm_restart_cpu(fd, 0), EINVAL, PFM_REASON_NO_BUFFER, NO_INDEX);
	close(fd);
}

static char most_memory[32];

static void restore_most_memory(void)
{
	write_text(MEM_MAX, most_memory);
}

TEST(the_buffers_of_all_cpus_are_charged)
{
	const struct pfm_dfl_smpl_arg argument = { .buf_size = MIB };
	const uint64_t before = read_number(MEM_CUR);
	pfarg_ctx_t ctx = { .ctx_flags = PFM_FL_INHERIT_ALL };
	struct family family =
		family_of(PFM_FL_INHERIT_ALL, "default", &argument, sizeof(argument));
	char limit[32];
	int fd, result;

	ck_assert_uint_eq(read_number(MEM_CUR) - before, family.cpus * MIB);
	close(family.fd);
	for (unsigned int cpu = 0; cpu < family.cpus; cpu++)
		munmap((void *)family.buffers[cpu], MIB);
	wait_until(read_number(MEM_CUR) == before);

	/* For root the limit is twice as high. The last of the buffers exceeds it. */
	strcpy(most_memory, read_text(MEM_MAX));
	snprintf(limit, sizeof(limit), "%lu\n",
		 (before + family.cpus * MIB) / 2 - page_size());
	write_text(MEM_MAX, limit);
	fd = pfm_create_context(&ctx, "default", (void *)&argument, sizeof(argument));
	result = errno;
	restore_most_memory();
	ck_assert_int_eq(fd, -1);
	ck_assert_int_eq(result, ENOMEM);
	ck_assert_uint_eq(read_number(MEM_CUR), before);
}

/* ---- ends ------------------------------------------------------------------------------------ */

/* Returns when the child has closed its descriptor and works. */
static pid_t fork_looper(const struct family *family, unsigned int cpu)
{
	int gate[2];
	char byte;
	pid_t pid;

	ck_assert_int_eq(pipe(gate), 0);
	pid = check_fork();
	ck_assert_int_ne(pid, -1);
	if (pid) {
		ck_assert_int_eq(read(gate[0], &byte, 1), 1);
		close(gate[0]);
		close(gate[1]);
		return pid;
	}
	close(family->fd);
	pin(cpu);
	if (write(gate[1], "", 1) != 1)
		_exit(EXIT_FAILURE);
	for (;;)
		sampled_loop(MILLION);
}

static void end_looper(pid_t pid)
{
	ck_assert_int_eq(kill(pid, SIGKILL), 0);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
}

static void wait_for_message_of(const struct family *family, pid_t pid)
{
	struct pfarg_ovfl_msg message;

	do {
		message = must_read(family->fd);
		/* Another thread may have filled the buffer. */
		pfm_restart_cpu(family->fd, message.msg_ovfl_cpu);
	} while (message.msg_ovfl_pid != (uint32_t)pid);
	ck_assert_uint_eq(message.msg_ovfl_tid, pid);
}

TEST(a_context_is_unloaded_and_closed_while_children_are_sampled)
{
	struct family family;
	pid_t pid;

	need_overflow_interrupts();
	family = busy_family(PERIOD);
	load_and_start(family.fd, thread_id());
	pid = fork_looper(&family, 0);
	wait_for_message_of(&family, pid);
	/* The buffer is full again, and its message is dropped by the load. */
	wait_until(linear_of(&family, 0)->hdr_lost > 0);
	must(family.fd, pfm_unload_context(family.fd));
	end_looper(pid);
	load_and_start(family.fd, thread_id());
	pid = fork_looper(&family, 0);
	wait_for_message_of(&family, pid);
	close(family.fd);
	ck_assert_uint_eq(sessions(), 0);
	end_looper(pid);
}

/* ---- a CPU goes offline ------------------------------------------------------------------------ */

static void check_offline(void)
{
	struct family family = busy_family(PERIOD);
	header_t header = linear_of(&family, 1);
	struct pfarg_ovfl_msg message;
	pid_t pid;

	load_and_start(family.fd, thread_id());
	pid = fork_looper(&family, 1);
	wait_until(header->hdr_lost > 0);
	end_looper(pid);
	cpu_online(1, false);
	must_be_whole(header, 0);
	ck_assert_uint_gt(header->hdr_count, 0);
	do
		message = must_read(family.fd);
	while (message.msg_ovfl_cpu != 1);
	must(family.fd, pfm_restart_cpu(family.fd, 1));
	ck_assert_uint_eq(header->hdr_count, 0);
	cpu_online(1, true);
	pid = fork_looper(&family, 1);
	wait_until(header->hdr_count > 0);
	end_looper(pid);
	close(family.fd);
}

TEST(the_buffer_of_a_cpu_that_is_offline_is_read_and_handed_back)
{
	need_overflow_interrupts();
	need_cpus(2);
	with_all_cpus_back(check_offline);
}

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
