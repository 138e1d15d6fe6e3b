// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes allocations fail with the kernel's own fault injection (Documentation/fault-injection).
 *
 * The fail-nth file of a task takes precedence over all other settings. Each allocation that can
 * fail decrements the number in this file. The allocation that makes it 0 fails; those before it do
 * not fail. From then on, the settings "probability" and "task-filter" decide which allocations
 * fail. They can make all allocations fail.
 */
#include <fcntl.h>
#include <stdio.h>

#include "injector.h"

#define FAULTS	 "/sys/kernel/debug/"
#define OWN_NTH	 "/proc/thread-self/fail-nth"
#define NO_ORDER "20" /* no allocation has 2^20 pages */

/*
 * A setting of the fault injection. Each setting is a file. It is opened at the beginning, because
 * the test may change to another user later.
 */
struct knob {
	const char *path;
	const char *value[INJECT_KINDS];
	int fd;
};

/*
 * By default, three kinds of allocations never fail: those that can wait, those of single pages,
 * and those of pages that may be in high memory. With these settings all kinds can fail, with two
 * exceptions: with INJECT_OBJECT no allocation of pages fails, and with INJECT_PAGE no allocation
 * of a slab object fails if it can wait. Failures are logged with a stack, which shows the caller.
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

/*
 * The files with the setting "probability". With INJECT_REST, a write of 100 makes all allocations
 * after the nth one fail, and a write of 0 ends the failures. The write itself allocates nothing.
 */
static int slab_probability = -1, page_probability = -1;

static enum inject_kind kind;
static int own_nth = -1, nth_fd = -1;

bool kernel_can_inject(void)
{
	return path_exists(OWN_NTH);
}

static void open_all(void)
{
	size_t i;

	own_nth = inject_file(OWN_NTH, O_RDWR);
	for (i = 0; i < COUNT(knobs); i++)
		knobs[i].fd = inject_file(knobs[i].path, O_WRONLY);
	slab_probability = inject_file(FAULTS "failslab/probability", O_WRONLY);
	page_probability = inject_file(FAULTS "fail_page_alloc/probability", O_WRONLY);
	/* With "task-filter", the probabilities apply only to threads for which this file is 1. */
	write_text("/proc/self/make-it-fail", "1");
}

static void set_probability(const char *percent)
{
	inject_write(slab_probability, percent);
	inject_write(page_probability, percent);
}

static void set_kind(enum inject_kind wanted)
{
	size_t i;

	kind = wanted;
	set_probability("0");
	for (i = 0; i < COUNT(knobs); i++)
		inject_write(knobs[i].fd, knobs[i].value[kind]);
}

static void arm(pid_t tid, unsigned int nth)
{
	char path[64];

	nth_fd = own_nth;
	if (tid) {
		snprintf(path, sizeof(path), "/proc/%d/fail-nth", tid);
		nth_fd = inject_file(path, O_RDWR);
	}
	inject_write_number(nth_fd, nth);
	if (!tid && kind == INJECT_REST)
		set_probability("100");
}

/* When the failure has happened, a read of the fail-nth file returns 0. */
static void disarm(struct injected *found)
{
	if (kind == INJECT_REST)
		set_probability("0");
	found->injected = inject_read_number(nth_fd) == 0;
	inject_write_number(nth_fd, 0);
	if (nth_fd != own_nth)
		close(nth_fd);
}

static void read_line(const char *line, struct injected *found)
{
	if (strstr(line, "FAULT_INJECTION: forcing a failure"))
		found->told = true;
	else if (strstr(line, " [perfmon"))
		found->ours = true;
	else if (strstr(line, "; alloc_vmap_area+"))
		found->reserve = true;
}

const struct injector kernel_injector = {
	.open = open_all,
	.kind = set_kind,
	.arm = arm,
	.disarm = disarm,
	.read = read_line,
};
