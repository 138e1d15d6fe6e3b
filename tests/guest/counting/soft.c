// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests the software PMU. The count of each of its events is compared with values from other
 * interfaces of the kernel. If the machine has a better PMU, the software PMU replaces it during
 * the tests.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>
#include <linux/userfaultfd.h>

#include "measure.h"

SUITE(soft, 120);

#define MILLION 1000000ull

static void with_soft(void (*check)(void))
{
	with_pmu("perfmon_soft", "", check);
}

static int soft_context(unsigned int event)
{
	int fd = context_of(2, event);

	load(fd, thread_id());
	return fd;
}

static void check_task_clock(void)
{
	int fd = soft_context(PFM_SOFT_TASK_CLOCK);
	uint64_t least, most;

	competitors_begin(2 * cpus_online());
	most = cpu_time();
	must(fd, pfm_start(fd, NULL));
	least = cpu_time();
	loop(300 * MILLION);
	least = cpu_time() - least;
	must(fd, pfm_stop(fd));
	most = cpu_time() - most;
	competitors_end();
	must_be_cpu_time("task clock", read_pmd(fd, 2), least, most);
	close(fd);
}

TEST(the_task_clock_is_cpu_time)
{
	with_soft(check_task_clock);
}

/*
 * Counts the ticks of the machine's time counter while the thread runs. Ticks that elapse while
 * the other thread runs are not counted. The program can read the counter, too, so it measures the
 * duration of a tick.
 */
static void check_time_counter(void)
{
	int fd = soft_context(PFM_SOFT_TIME_COUNTER);
	uint64_t least, most, time, ticks;

	pin(0);
	competitors_begin(1);
	most = cpu_time();
	time = monotonic_time();
	ticks = time_counter();
	must(fd, pfm_start(fd, NULL));
	least = cpu_time();
	loop(300 * MILLION);
	least = cpu_time() - least;
	must(fd, pfm_stop(fd));
	ticks = time_counter() - ticks;
	time = monotonic_time() - time;
	most = cpu_time() - most;
	competitors_end();
	must_be_cpu_time("the counted ticks", (double)read_pmd(fd, 2) * time / ticks,
			 least, most);
	close(fd);
}

TEST(the_time_counter_is_that_of_the_machine)
{
	with_soft(check_time_counter);
}

/* The clock stops while the thread sleeps. Going to sleep and waking up take CPU time. */
static void check_sleep(void)
{
	const struct timespec pause = { .tv_nsec = 300 * MS };
	int fd = soft_context(PFM_SOFT_TASK_CLOCK);
	uint64_t least, most = cpu_time();

	must(fd, pfm_start(fd, NULL));
	least = cpu_time();
	nanosleep(&pause, NULL);
	least = cpu_time() - least;
	must(fd, pfm_stop(fd));
	most = cpu_time() - most;
	must_be_cpu_time("the task clock of a sleep of 300 ms", read_pmd(fd, 2), least,
			 most);
	close(fd);
}

TEST(the_task_clock_stands_still_while_the_thread_sleeps)
{
	with_soft(check_sleep);
}

static void check_switches(void)
{
	const struct timespec shortest = { .tv_nsec = 100000 };
	int fd = soft_context(PFM_SOFT_CONTEXT_SWITCHES), i;
	uint64_t outer, inner;

	competitors_begin(1);
	outer = switches(thread_id());
	must(fd, pfm_start(fd, NULL));
	inner = switches(thread_id());
	for (i = 0; i < 200; i++)
		nanosleep(&shortest, NULL);
	inner = switches(thread_id()) - inner;
	must(fd, pfm_stop(fd));
	outer = switches(thread_id()) - outer;
	competitors_end();
	must_be_between(read_pmd(fd, 2), inner, outer);
	ck_assert_uint_ge(read_pmd(fd, 2), 100);
	close(fd);
}

TEST(context_switches_are_those_of_proc)
{
	with_soft(check_switches);
}

static void check_migrations(void)
{
	int fd = soft_context(PFM_SOFT_CPU_MIGRATIONS), i;
	uint64_t outer, inner;

	outer = migrations(thread_id());
	must(fd, pfm_start(fd, NULL));
	inner = migrations(thread_id());
	for (i = 0; i < 100; i++)
		pin(i % 2);
	inner = migrations(thread_id()) - inner;
	must(fd, pfm_stop(fd));
	outer = migrations(thread_id()) - outer;
	must_be_between(read_pmd(fd, 2), inner, outer);
	ck_assert_uint_ge(read_pmd(fd, 2), 99);
	close(fd);
}

TEST(migrations_are_those_of_proc)
{
	need_cpus(2);
	with_soft(check_migrations);
}

static void check_faults(void)
{
	int fd = make_context();
	uint64_t outer, inner, major;

	use(fd, 0, PFM_SOFT_MINOR_FAULTS, 0);
	use(fd, 7, PFM_SOFT_MAJOR_FAULTS, 0);
	load(fd, thread_id());
	major = major_faults();
	outer = minor_faults();
	must(fd, pfm_start(fd, NULL));
	inner = minor_faults();
	touch_pages(777);
	inner = minor_faults() - inner;
	must(fd, pfm_stop(fd));
	outer = minor_faults() - outer;
	major = major_faults() - major;
	must_be_between(read_pmd(fd, 0), inner, outer);
	ck_assert_uint_ge(read_pmd(fd, 0), 777);
	ck_assert_uint_eq(read_pmd(fd, 7), major);
	close(fd);
}

TEST(faults_are_those_of_getrusage)
{
	with_soft(check_faults);
}

/*
 * Memory whose pages are missing. When the kernel touches a page for a thread, this thread waits
 * until another thread supplies the page.
 */
struct missing_pages {
	uint64_t count;
	uint64_t size;
	int faults; /* descriptor of userfaultfd(2) */
};

static void *give_pages(void *argument)
{
	const struct missing_pages *pages = argument;
	struct uffd_msg message;
	uint64_t i;

	for (i = 0; i < pages->count; i++) {
		struct uffdio_zeropage give = { .range.len = pages->size };

		ck_assert_int_eq(read(pages->faults, &message, sizeof(message)),
				 sizeof(message));
		give.range.start = message.arg.pagefault.address & -pages->size;
		ck_assert_int_eq(ioctl(pages->faults, UFFDIO_ZEROPAGE, &give), 0);
	}
	return NULL;
}

/*
 * Causes @count major faults. A fault is major if the kernel had to wait and to retry the fault:
 * see mm_account_fault(). Every such fault in a system call is major. For a fault at user level,
 * newer kernels first try to handle it under the per-VMA lock. If the kernel has to wait in this
 * try, it tries again under mmap_lock, but does not count this as a retry, so the fault is not
 * major. Therefore a system call, uname(2), touches the pages.
 */
static void wait_for_pages(uint64_t count)
{
	struct missing_pages pages = {
		.count = count,
		.size = sysconf(_SC_PAGESIZE),
		.faults = syscall(SYS_userfaultfd, O_CLOEXEC),
	};
	char *memory = mmap(NULL, count * pages.size, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register range = {
		.range = { (uintptr_t)memory, count * pages.size },
		.mode = UFFDIO_REGISTER_MODE_MISSING,
	};
	pthread_t giver;
	uint64_t i;

	ck_assert_int_ge(pages.faults, 0);
	ck_assert_ptr_ne(memory, MAP_FAILED);
	ck_assert_int_eq(ioctl(pages.faults, UFFDIO_API, &api), 0);
	ck_assert_int_eq(ioctl(pages.faults, UFFDIO_REGISTER, &range), 0);
	ck_assert_int_eq(pthread_create(&giver, NULL, give_pages, &pages), 0);
	for (i = 0; i < count; i++)
		uname((struct utsname *)(memory + i * pages.size));
	pthread_join(giver, NULL);
	close(pages.faults);
	munmap(memory, count * pages.size);
}

static void check_major_faults(void)
{
	int fd = soft_context(PFM_SOFT_MAJOR_FAULTS);
	uint64_t before = major_faults();

	must(fd, pfm_start(fd, NULL));
	wait_for_pages(33);
	must(fd, pfm_stop(fd));
	ck_assert_uint_eq(read_pmd(fd, 2), major_faults() - before);
	ck_assert_uint_ge(read_pmd(fd, 2), 33);
	close(fd);
}

TEST(major_faults_are_those_of_getrusage)
{
	with_soft(check_major_faults);
}

static void check_nothing(void)
{
	int fd = soft_context(PFM_SOFT_NOTHING);

	write_pmd(fd, 2, 4711);
	must(fd, pfm_start(fd, NULL));
	touch_pages(10);
	sleep(0);
	loop(MILLION);
	must(fd, pfm_stop(fd));
	ck_assert_uint_eq(read_pmd(fd, 2), 4711);
	close(fd);
}

TEST(event_nothing_counts_nothing)
{
	with_soft(check_nothing);
}

/* All eight counters count the same event at the same time. They do not affect each other. */
static void check_all(void)
{
	int fd = make_context();
	unsigned int n;
	uint64_t first;

	for (n = 0; n < PFM_SOFT_COUNTERS; n++)
		use(fd, n, PFM_SOFT_MINOR_FAULTS, 1000ull * n);
	load(fd, thread_id());
	must(fd, pfm_start(fd, NULL));
	touch_pages(50);
	must(fd, pfm_stop(fd));
	first = read_pmd(fd, 0);
	must_be_between(first, 50, 100);
	for (n = 1; n < PFM_SOFT_COUNTERS; n++)
		ck_assert_uint_eq(read_pmd(fd, n), first + 1000 * n);
	close(fd);
}

TEST(all_counters_count_at_once)
{
	with_soft(check_all);
}

/* After a write of the PMC, the counter counts only the new event. */
static void check_change(void)
{
	const struct timespec shortest = { .tv_nsec = 100000 };
	int fd = soft_context(PFM_SOFT_MINOR_FAULTS), i;
	uint64_t before, truth;

	must(fd, pfm_start(fd, NULL));
	touch_pages(20);
	write_pmc(fd, 2, PFM_SOFT_CONTEXT_SWITCHES);
	before = read_pmd(fd, 2);
	must_be_between(before, 20, 200);
	truth = switches(thread_id());
	for (i = 0; i < 20; i++)
		nanosleep(&shortest, NULL);
	truth = switches(thread_id()) - truth;
	must_be_between(read_pmd(fd, 2) - before, truth, truth + 10);
	must(fd, pfm_stop(fd));
	close(fd);
}

TEST(a_newly_written_event_counts_at_once)
{
	with_soft(check_change);
}

/* Returns the number of all interrupts since boot. */
static uint64_t all_interrupts(void)
{
	const char *line = strstr(read_text("/proc/stat"), "intr ");

	ck_assert_ptr_nonnull(line);
	return strtoull(line + strlen("intr "), NULL, 10);
}

/*
 * A clock of 31 bits that counts nanoseconds wraps every 2.1 s. The clock begins 3 ms (3 million
 * counts) before a wrap. The test must see the interrupt of this wrap or of the next wrap. Until
 * then there must be only a few other interrupts: the timer must not expire again and again before
 * the wrap.
 */
static void check_interrupts(void)
{
	static const unsigned int clocks[] = { PFM_SOFT_TASK_CLOCK,
					       PFM_SOFT_TIME_COUNTER };
	uint64_t interrupts, all;
	size_t i;
	int fd;

	/*
	 * On a busy host the timer may be tens of milliseconds late. If a thread switch or a read
	 * finds the wrap before the timer fires, there is no interrupt for this wrap. The next wrap
	 * comes 2 s later.
	 */
	for (i = 0; i < COUNT(clocks); i++) {
		fd = soft_context(clocks[i]);
		write_pmd(fd, 2, BIT(31) - 3 * MILLION);
		interrupts = statistic("ovfl_intr_regular_count");
		all = all_interrupts();
		must(fd, pfm_start(fd, NULL));
		while (statistic("ovfl_intr_regular_count") == interrupts)
			loop(100000);
		must(fd, pfm_stop(fd));
		if (is_deterministic())
			ck_assert_uint_le(all_interrupts() - all, 20);
		must_be_between(read_pmd(fd, 2), BIT(31), 3 * BIT(31));
		close(fd);
	}
}

TEST(clock_overflow_raises_interrupt)
{
	with_pmu("perfmon_soft", "counter_width=31", check_interrupts);
}

/*
 * A clock of 16 bits raises an interrupt every 65 microseconds, but the thread still makes
 * progress. If the guest's clock counts instructions, each wrap has its own interrupt. In other
 * guests, one late interrupt may handle several wraps, so the thread works until there have been
 * enough interrupts.
 */
static void check_many_interrupts(void)
{
	const uint64_t wrap = BIT(16), enough = 20;
	uint64_t most;
	int fd = soft_context(PFM_SOFT_TASK_CLOCK);
	uint64_t interrupts = statistic("ovfl_intr_regular_count"), count;

	must(fd, pfm_start(fd, NULL));
	if (is_deterministic())
		loop(100 * MILLION);
	else
		while (statistic("ovfl_intr_regular_count") - interrupts < enough)
			loop(MILLION);
	must(fd, pfm_stop(fd));
	interrupts = statistic("ovfl_intr_regular_count") - interrupts;
	count = read_pmd(fd, 2);
	ck_assert_uint_le(interrupts, count / wrap);
	if (is_deterministic()) {
		/*
		 * The interrupts take a part of the thread's CPU time, about half of it in a debug
		 * kernel.
		 */
		most = is_debug_kernel() ? 200 : 150;
		must_be_between(count, 100 * MILLION, most * MILLION);
		must_be_near(interrupts, count / wrap, count / wrap / 100);
	}
	close(fd);
}

TEST(a_clock_of_16_bits_leaves_the_thread_time)
{
	with_pmu("perfmon_soft", "counter_width=16", check_many_interrupts);
}

/* Returns the number of overflows that the timer or a thread switch has found. */
static uint64_t overflows_found(void)
{
	return statistic("ovfl_intr_regular_count") + statistic("ovfl_intr_replay_count");
}

/*
 * The timer of a counter that counts faults fires at least once per ms, before a 16-bit counter can
 * wrap twice. So no wrap is lost, and each wrap is reported soon after it happened.
 */
static void check_wraps_of_faults(void)
{
	const uint64_t wrap = BIT(16), left = 100;
	int fd = soft_context(PFM_SOFT_MINOR_FAULTS), i;
	uint64_t found, faults, begun;

	write_pmd(fd, 2, wrap - left);
	found = overflows_found();
	faults = minor_faults();
	must(fd, pfm_start(fd, NULL));
	touch_pages(2 * left);
	begun = elapsed_time();
	while (overflows_found() == found)
		loop(100000);
	if (is_deterministic())
		ck_assert_uint_le(elapsed_time() - begun,
				  (is_debug_kernel() ? 10 : 3) * MS);
	for (i = 0; i < 7; i++) /* the next wrap comes after 65536 pages */
		touch_pages(10000);
	must(fd, pfm_stop(fd));
	faults = minor_faults() - faults;
	must_be_between(read_pmd(fd, 2) - (wrap - left), faults - 10, faults);
	close(fd);
}

TEST(no_wrap_of_faults_is_lost)
{
	with_pmu("perfmon_soft", "counter_width=16", check_wraps_of_faults);
}

/*
 * Faults cannot be predicted, so the timer fires before the wrap and is started again. If a thread
 * switch finds the wrap first, no interrupt comes for this wrap.
 */
static void check_early_timer(void)
{
	const uint64_t wrap = BIT(16), left = 100;
	const unsigned int rounds = 12;
	int fd = soft_context(PFM_SOFT_MINOR_FAULTS);
	uint64_t interrupts = statistic("ovfl_intr_regular_count");
	uint64_t found = 0, switched;
	unsigned int i;

	for (i = 0; i < rounds; i++) {
		write_pmd(fd, 2, wrap - left);
		must(fd, pfm_start(fd, NULL));
		touch_pages(left / 2);
		loop(3 * MILLION);
		switched = switches(thread_id());
		touch_pages(left);
		loop(2 * MILLION);
		found += switches(thread_id()) != switched;
		must(fd, pfm_stop(fd));
	}
	interrupts = statistic("ovfl_intr_regular_count") - interrupts;
	printf("         %ju interrupts, %ju rounds with a switch\n",
	       (uintmax_t)interrupts, (uintmax_t)found);
	ck_assert_uint_gt(interrupts, 0);
	must_be_between(interrupts, rounds - found, rounds);
	close(fd);
}

TEST(the_timer_repeats_until_faults_wrap)
{
	if (!is_deterministic())
		skip("the host may prevent the timer from firing in time");
	with_pmu("perfmon_soft", "counter_width=16", check_early_timer);
}
