// SPDX-License-Identifier: GPL-2.0-only
/*
 * Allocations that fail: Documentation/fault-injection of the kernel.
 *
 * fail-nth of a task comes before all else that could make an allocation fail: as
 * long as it counts down nothing fails, at its end one allocation does.  After
 * that probability and task filter decide: that is how all the rest can fail.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/klog.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "inject.h"

#define FAULTS	 "/sys/kernel/debug/"
#define NO_ORDER "20" /* more pages than anybody takes together */

/* Opened at the beginning: the test may be another user's later. */
struct knob {
	const char *path;
	const char *value[INJECT_KINDS];
	int fd;
};

/*
 * By default only allocations that cannot wait fail, of pages only those of more
 * than one.  Failures are told, with a stack, to find out whose they are.
 */
static struct knob knobs[] = {
	{ FAULTS "failslab/task-filter", { "Y", "Y", "Y" }, -1 },
	{ FAULTS "failslab/times", { "-1", "-1", "-1" }, -1 },
	{ FAULTS "failslab/ignore-gfp-wait", { "N", "Y", "N" }, -1 },
	{ FAULTS "failslab/verbose_ratelimit_interval_ms", { "0", "0", "0" }, -1 },
	{ FAULTS "failslab/verbose", { "2", "2", "2" }, -1 },
	{ FAULTS "fail_page_alloc/task-filter", { "Y", "Y", "Y" }, -1 },
	{ FAULTS "fail_page_alloc/times", { "-1", "-1", "-1" }, -1 },
	{ FAULTS "fail_page_alloc/ignore-gfp-wait", { "N", "N", "N" }, -1 },
	{ FAULTS "fail_page_alloc/ignore-gfp-highmem", { "N", "N", "N" }, -1 },
	{ FAULTS "fail_page_alloc/min-order", { NO_ORDER, "0", "0" }, -1 },
	{ FAULTS "fail_page_alloc/verbose_ratelimit_interval_ms", { "0", "0", "0" }, -1 },
	{ FAULTS "fail_page_alloc/verbose", { "2", "2", "2" }, -1 },
};

/* These arm and disarm: nothing is allocated when they are written. */
static int slab_probability = -1, page_probability = -1;

static enum inject_kind kind;
static int own_nth = -1, nth_fd = -1, log_fd = -1;
static int console_level;

static int open_or_die(const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC);

	ck_assert_msg(fd != -1, "%s: %s", path, strerror(errno));
	return fd;
}

/* No assertions: even one that holds writes to a file, which takes memory. */
static void write_armed(int fd, const char *text)
{
	if (write(fd, text, strlen(text)) == -1)
		abort();
}

/* Writes @nth where the next allocations are counted. */
static void count_down(int fd, unsigned int nth)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", nth);
	write_armed(fd, text);
}

static void set_probability(const char *percent)
{
	write_armed(slab_probability, percent);
	write_armed(page_probability, percent);
}

void inject_open(void)
{
	const struct rlimit all = { RLIM_INFINITY, RLIM_INFINITY };
	size_t i;

	own_nth = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
	if (own_nth == -1)
		skip("the kernel has no fault injection");
	for (i = 0; i < COUNT(knobs); i++)
		knobs[i].fd = open_or_die(knobs[i].path, O_WRONLY);
	slab_probability = open_or_die(FAULTS "failslab/probability", O_WRONLY);
	page_probability = open_or_die(FAULTS "fail_page_alloc/probability", O_WRONLY);
	log_fd = open_or_die("/dev/kmsg", O_RDONLY | O_NONBLOCK);
	console_level = read_text("/proc/sys/kernel/printk")[0] - '0';
	/* What the probabilities apply to. */
	write_text("/proc/self/make-it-fail", "1");
	ck_assert_int_eq(setrlimit(RLIMIT_MEMLOCK, &all), 0);
}

void inject_kind(enum inject_kind wanted)
{
	size_t i;

	kind = wanted;
	set_probability("0");
	for (i = 0; i < COUNT(knobs); i++)
		write_armed(knobs[i].fd, knobs[i].value[kind]);
}

/* To KERN_ERR and worse; what KASAN reports is that. */
static void silence_console(void)
{
	lseek(log_fd, 0, SEEK_END);
	klogctl(8, NULL, 4);
}

void inject_arm(unsigned int nth)
{
	/* A page fault that finds no memory is tried again, for ever. */
	ck_assert_int_eq(mlockall(MCL_CURRENT), 0);
	silence_console();
	nth_fd = own_nth;
	count_down(nth_fd, nth);
	if (kind == INJECT_REST)
		set_probability("100");
}

void inject_arm_process(pid_t pid, unsigned int nth)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/fail-nth", pid);
	nth_fd = open_or_die(path, O_RDWR);
	silence_console();
	count_down(nth_fd, nth);
}

/* Nothing of it may be worse than an allocation that failed. */
static void look_for_complaint(const char *record)
{
	static const char *const complaints[] = {
		"WARNING:", "BUG:", "INFO:",
		/* What leaks is looked for after the tests: in vain from here on. */
		"kmemleak: Cannot allocate a kmemleak_object structure",
		"kmemleak: Kernel memory leak detector disabled"
	};
	size_t i;

	for (i = 0; i < COUNT(complaints); i++)
		ck_assert_msg(!strstr(record, complaints[i]), "%sthe kernel says: %s",
			      subject, record);
}

static void read_log(struct injected *found)
{
	char record[8192];
	ssize_t length;

	while ((length = read(log_fd, record, sizeof(record) - 1)) > 0 ||
	       (length == -1 && errno == EPIPE)) {
		if (length == -1)
			continue; /* overwritten: by the stacks of later failures */
		record[length] = '\0';
		look_for_complaint(record);
		if (strstr(record, "FAULT_INJECTION: forcing a failure"))
			found->told = true;
		else if (strstr(record, " [perfmon"))
			found->ours = true;
		else if (strstr(record, "; alloc_vmap_area+"))
			found->reserve = true;
	}
}

/* fail-nth is 0 when its time has come. */
static unsigned int left_of_countdown(void)
{
	char text[16] = "";

	if (pread(nth_fd, text, sizeof(text) - 1, 0) <= 0)
		abort();
	return strtoul(text, NULL, 10);
}

struct injected inject_disarm(void)
{
	struct injected found = {};

	if (kind == INJECT_REST)
		set_probability("0");
	found.injected = left_of_countdown() == 0;
	count_down(nth_fd, 0);
	klogctl(8, NULL, console_level);
	read_log(&found);
	if (nth_fd != own_nth)
		close(nth_fd);
	return found;
}
