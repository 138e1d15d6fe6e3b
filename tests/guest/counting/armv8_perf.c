// SPDX-License-Identifier: GPL-2.0-only
/*
 * Armv8: tests perf's driver and programs that use perf, while contexts use some of the counters.
 */
#if defined(__aarch64__)

#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "measure.h"

SUITE(armv8_perf, 60);

#define OURS	     4 /* counters 0 .. 3 */
#define USER_ACCESS  "/proc/sys/kernel/perf_user_access"
#define SAMPLE_RATE  "/proc/sys/kernel/perf_event_max_sample_rate"
#define TIME_PERCENT "/proc/sys/kernel/perf_cpu_time_max_percent"

static void set(const char *name, const char *value)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/module/arm_perf/parameters/%s", name);
	write_text(path, value);
}

/*
 * Waits until perf's driver marks no counter as used. perfmon_armv8 keeps its counters for a while
 * after the last context is unloaded.
 */
static void wait_for_release(void)
{
	wait_until(module_parameter("arm_perf", "used") == 0);
}

/* ---- which counters perf marks as used -------------------------------------------------- */

/*
 * perf may look up the event of a counter that is marked as used. So each counter that is marked as
 * used must have an event.
 */
static void check_events(void)
{
	struct child child = child_new();
	int fd = context_of(0, CPU_CYCLES), more;

	use(fd, PFM_ARMV8_CYCLE_COUNTER, 0, 0);
	load(fd, thread_id());
	more = context_of(1, CPU_CYCLES);
	load(more, child.pid);
	ck_assert_uint_ge(module_parameter("arm_perf", "used"), 3);
	ck_assert_uint_eq(module_parameter("arm_perf", "holes"), 0);
	must(fd, pfm_start(fd, NULL));
	loop(MILLION);
	ck_assert_uint_eq(module_parameter("arm_perf", "holes"), 0);
	child_exit(&child);
	close(more);
	close(fd);
	wait_for_release();
}

TEST(perf_has_an_event_for_each_counter_that_it_marks_as_used)
{
	need_armv8();
	with_module("arm_perf", check_events);
}

/* ---- user access ------------------------------------------------------------------------ */

static sigjmp_buf refused;

static void on_refusal(int number)
{
	(void)number;
	siglongjmp(refused, 1);
}

#define READ_CASE(n)                                                                     \
	case n:                                                                          \
		__asm__ volatile("mrs %0, pmevcntr" #n "_el0" : "=r"(value));            \
		break;

static uint64_t read_event_counter(int n)
{
	uint64_t value = 0;

	switch (n) {
		READ_CASE(0)
		READ_CASE(1)
		READ_CASE(2)
		READ_CASE(3)
	}
	return value;
}

/* Returns false if the CPU does not let this program read counter @n. */
static bool try_read(int n, uint64_t *value)
{
	struct sigaction action = { .sa_handler = on_refusal }, old;
	volatile bool may = false;

	sigaction(SIGILL, &action, &old);
	if (!sigsetjmp(refused, 1)) {
		*value = read_event_counter(n);
		may = true;
	}
	sigaction(SIGILL, &old, NULL);
	return may;
}

/* Opens a perf event for this thread. The thread can read it without a system call. */
static struct perf_event_mmap_page *event_with_access(int *event)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_RAW,
		.size = sizeof(attr),
		.config = INSTRUCTIONS,
		.config1 = 0x2, /* rdpmc */
		.exclude_kernel = 1,
	};
	struct perf_event_mmap_page *page;

	*event = syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
	ck_assert_msg(*event != -1, "perf_event_open: %s", strerror(errno));
	page = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, *event, 0);
	ck_assert(page != MAP_FAILED);
	return page;
}

/* Monitors @child with four counters, and lets it work. Returns the context. */
static int watch(struct child *child)
{
	int fd = context_of(0, INSTRUCTIONS | USER), n;

	for (n = 1; n < OURS; n++)
		use(fd, n, INSTRUCTIONS | USER, 0);
	load(fd, child->pid);
	must(fd, pfm_start(fd, NULL));
	child_call(child, work, MILLION);
	return fd;
}

static void must_have_counted(int fd, uint64_t least)
{
	int n;

	for (n = 0; n < OURS; n++)
		must_be_between(read_pmd(fd, n), least, least + least / 5);
}

static void check_user_access(void)
{
	struct child child = child_new();
	const struct perf_event_mmap_page *page;
	uint64_t value;
	int fd, event, turn, n;

	write_text(USER_ACCESS, "1");
	fd = watch(&child);
	page = event_with_access(&event);
	for (turn = 1; turn <= 3; turn++) {
		ck_assert_uint_ne(page->index, 0);
		for (n = 0; n < OURS; n++) {
			ck_assert_msg(try_read(n, &value), "no access to counter %d", n);
			ck_assert_msg(value == 0,
				      "iteration %d: a program reads 0x%jx in counter %d",
				      turn, (uintmax_t)value, n);
		}
		must_have_counted(fd, turn * MILLION);
		child_call(&child, work, MILLION);
	}
	close(event);
	child_exit(&child);
	close(fd);
}

static void no_user_access(void)
{
	write_text(USER_ACCESS, "0");
}

TEST(a_perf_user_that_may_read_counters_sees_no_other_counts)
{
	need_exact_counts();
	then_put_back(check_user_access, no_user_access);
}

/*
 * After perf's last event is closed, programs may still have access to the counters. To simulate
 * this, the test enables the access. While a context is loaded, programs must not have access.
 */
static void check_left_open(void)
{
	struct child child = child_new();
	uint64_t value;
	int fd, n;

	wait_for_release();
	set("user_access", "1");
	ck_assert(try_read(0, &value));
	fd = watch(&child);
	for (n = 0; n < OURS; n++)
		ck_assert_msg(!try_read(n, &value), "a program reads 0x%jx in counter %d",
			      (uintmax_t)value, n);
	must_have_counted(fd, MILLION);
	child_exit(&child);
	close(fd);
}

TEST(user_access_left_by_perf_is_disabled)
{
	need_exact_counts();
	with_module("arm_perf", check_left_open);
}

/* ---- perf's highest sample rate --------------------------------------------------------- */

/*
 * Takes about 1000 overflow interrupts. With the settings of this test, perf lowers its sample rate
 * if its interrupts take more than 100 ns on average. Every interrupt takes longer. So the rate
 * stays unchanged only if perf ignores our interrupts.
 */
static void check_sample_rate(void)
{
	uint64_t interrupts = statistic("ovfl_intr_all_count");
	int fd = make_context(), i;
	char message[512];

	write_text(TIME_PERCENT, "1");
	write_text(SAMPLE_RATE, "100000");
	sample_promptly(fd, 10000, PFM_REGFL_OVFL_NOTIFY);
	load(fd, thread_id());
	must(fd, pfm_start(fd, NULL));
	for (i = 0; i < 1000; i++) {
		loop(20000);
		must(fd, read(fd, message, sizeof(message)));
		must(fd, pfm_restart(fd));
	}
	must(fd, pfm_stop(fd));
	interrupts = statistic("ovfl_intr_all_count") - interrupts;
	/*
	 * If perfmon finds an overflow when the thread leaves the CPU, this overflow causes no
	 * interrupt.
	 */
	ck_assert_uint_ge(interrupts, 900);
	ck_assert_uint_eq(read_number(SAMPLE_RATE), 100000);
	close(fd);
}

static uint64_t rate_before, percent_before;

static void sample_rate_back(void)
{
	char text[32];

	snprintf(text, sizeof(text), "%ju", (uintmax_t)percent_before);
	write_text(TIME_PERCENT, text);
	snprintf(text, sizeof(text), "%ju", (uintmax_t)rate_before);
	write_text(SAMPLE_RATE, text);
}

TEST(our_interrupts_do_not_lower_perfs_sample_rate)
{
	need_exact_counts();
	percent_before = read_number(TIME_PERCENT);
	rate_before = read_number(SAMPLE_RATE);
	then_put_back(check_sample_rate, sample_rate_back);
}

/* ---- other modules that replace perf's functions ---------------------------------------- */

/*
 * Lets the context's counter wrap in hardware, @n times. QEMU may delay the interrupt until the
 * next tick.
 */
static void wrap(int fd, int n)
{
	const uint64_t preload = (1ull << 32) - 10000;
	int i;

	for (i = 0; i < n; i++) {
		poke_pmd(fd, 0, preload);
		must_be_between(count_loop(fd, 0, 20 * MILLION), 20 * MILLION,
				40 * MILLION);
	}
}

static uint64_t seen(void)
{
	return module_parameter("arm_perf", "interrupts");
}

static int perf_samples(void)
{
	int event = perf_open_sampling(CPU_CYCLES, false, MILLION, 0, -1);

	ck_assert_msg(event != -1, "perf_event_open: %s", strerror(errno));
	perf_enable(event);
	loop(5 * MILLION);
	perf_disable(event);
	ck_assert_uint_ge(perf_read(event).value, 5 * MILLION);
	return close(event);
}

static void check_chain(void)
{
	int fd = context_of(0, CPU_CYCLES);
	uint64_t before;

	load(fd, thread_id());
	/* From now on, perf's driver calls a function of arm_perf, which calls our function. */
	set("interposed", "1");
	before = seen();
	wrap(fd, 3);
	ck_assert_msg(seen() > before, "the other module is not called");
	close(fd);
	wait_for_release();
	ck_assert(
		strstr(kernel_log(), "has also replaced functions of perf's PMU driver"));
	before = seen();
	perf_samples();
	ck_assert_msg(seen() > before,
		      "the other module is not called after the context is closed");

	/*
	 * A new context counts while the other module interposes. The context continues to count
	 * after the other module has stopped interposing.
	 */
	fd = context_of(0, CPU_CYCLES);
	load(fd, thread_id());
	wrap(fd, 3);
	set("interposed", "0");
	wrap(fd, 3);
	close(fd);
	wait_for_release();
	perf_samples();
}

TEST(a_module_that_interposes_after_us_keeps_working_when_we_unload)
{
	need_exact_counts();
	with_module("arm_perf", check_chain);
}

#endif
