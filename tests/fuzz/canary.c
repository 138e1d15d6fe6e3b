/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The canary is a context that a worker loads on its own thread. No other worker can reach this
 * context. Whatever the other workers do, the canary's counts must be between bounds that this file
 * computes.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <perfmon/perfmon_soft.h>

#include "execute.h"

/* The PMDs that the canary reads. The last two are used only with PMU "soft". */
static const uint16_t canary_pmds[] = {
	PFM_PMD_MINOR_FAULTS,
	PFM_PMD_CONTEXT_SWITCHES,
	PFM_PMD_CPU_MIGRATIONS,
	PFM_PMD_TASK_CLOCK,
	PFM_PMD_MONOTONIC_TIME,
	0,
	1,
};

enum {
	FAULTS,
	SWITCHES,
	MIGRATIONS,
	CLOCK,
	TIME,
	SOFT_FAULTS,
	SOFT_SWITCHES,
	VALUES
};

struct truth {
	uint64_t faults;
	uint64_t switches;
	uint64_t time;
};

static struct truth take_truth(void)
{
	struct rusage usage;
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	getrusage(RUSAGE_THREAD, &usage);
	return (struct truth){ usage.ru_minflt, usage.ru_nvcsw + usage.ru_nivcsw,
			       now.tv_sec * 1000000000ull + now.tv_nsec };
}

static int vector_call(int fd, unsigned long command, void *elements, int count)
{
	struct pfm_vector vector = { (uintptr_t)elements, count, 0 };

	return ioctl(fd, command, &vector);
}

static int canary_program(int fd, unsigned int values)
{
	struct pfarg_pmc pmcs[] = {
		{ .reg_num = 0, .reg_value = PFM_SOFT_MINOR_FAULTS },
		{ .reg_num = 1, .reg_value = PFM_SOFT_CONTEXT_SWITCHES },
	};
	struct pfarg_pmd pmds[VALUES] = {};
	unsigned int n;

	for (n = 0; n < values; n++)
		pmds[n].reg_num = canary_pmds[n];
	if (values == VALUES && vector_call(fd, PFM_IOC_WRITE_PMCS, pmcs, 2))
		return -1;
	return vector_call(fd, PFM_IOC_WRITE_PMDS, pmds, values);
}

/* Reads the first @count PMDs, and checks that no value has decreased. */
static bool canary_read(int fd, uint64_t *values, unsigned int count)
{
	struct pfarg_pmr pmrs[VALUES] = {};
	unsigned int n;

	for (n = 0; n < count; n++)
		pmrs[n].reg_num = canary_pmds[n];
	if (vector_call(fd, PFM_IOC_READ, pmrs, count)) {
		wrong("canary: reading failed with errno %d", errno);
		return false;
	}
	for (n = 0; n < count; n++) {
		if (pmrs[n].reg_value < values[n]) {
			wrong("canary: PMD %u went back from %ju to %ju", canary_pmds[n],
			      (uintmax_t)values[n], (uintmax_t)pmrs[n].reg_value);
			return false;
		}
		values[n] = pmrs[n].reg_value;
	}
	return true;
}

static void must_be(const char *what, uint64_t value, uint64_t at_least, uint64_t at_most)
{
	if (value < at_least || value > at_most)
		wrong("canary: %s: %ju, should be %ju to %ju", what, (uintmax_t)value,
		      (uintmax_t)at_least, (uintmax_t)at_most);
}

static void canary_work(unsigned int pages)
{
	size_t page = sysconf(_SC_PAGESIZE);
	volatile char *memory = mmap(NULL, pages * page, PROT_READ | PROT_WRITE,
				     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned int n;

	if (memory == MAP_FAILED)
		return;
	madvise((void *)memory, pages * page, MADV_NOHUGEPAGE);
	for (n = 0; n < pages; n++)
		memory[n * page] = 1;
	munmap((void *)memory, pages * page);
}

static void canary_count(int fd, unsigned int pages, unsigned int count)
{
	uint64_t values[VALUES] = {};
	struct truth outer[2], inner[2];
	unsigned int turn;

	outer[0] = take_truth();
	if (ioctl(fd, PFM_IOC_START, NULL)) {
		wrong("canary: starting failed with errno %d", errno);
		return;
	}
	inner[0] = take_truth();
	for (turn = 0; turn < 3; turn++) {
		canary_work(pages);
		if (!canary_read(fd, values, count))
			return;
		sched_yield();
	}
	inner[1] = take_truth();
	if (ioctl(fd, PFM_IOC_STOP)) {
		wrong("canary: stopping failed with errno %d", errno);
		return;
	}
	outer[1] = take_truth();
	if (!canary_read(fd, values, count))
		return;

	must_be("minor faults", values[FAULTS], inner[1].faults - inner[0].faults,
		outer[1].faults - outer[0].faults);
	must_be("context switches", values[SWITCHES],
		inner[1].switches - inner[0].switches,
		outer[1].switches - outer[0].switches);
	must_be("task clock", values[CLOCK], 1, outer[1].time - outer[0].time);
	must_be("time", values[TIME], inner[1].time - inner[0].time,
		outer[1].time - outer[0].time);
	if (count == VALUES) {
		must_be("soft minor faults", values[SOFT_FAULTS], values[FAULTS],
			values[FAULTS]);
		must_be("soft context switches", values[SOFT_SWITCHES], values[SWITCHES],
			values[SWITCHES]);
	}
}

/*
 * Reports the failure of a call outside of rounds (operation->flags is 1). In a round the call may
 * fail: there may be no memory or no PMU, or another worker may already monitor this thread.
 */
static void not_now(const struct operation *operation, const char *what)
{
	if (operation->flags)
		wrong("canary: %s failed with errno %d outside of a round", what, errno);
}

/* @count: pages to write to in each turn; @flags: 1 outside of rounds, where no call may fail */
void canary(const struct operation *operation)
{
	struct pfm_create create = {};
	struct pfarg_load load = { .load_pid = syscall(SYS_gettid) };
	struct pfm_info info = {};
	int fd = open(PFM_DEVICE, O_RDWR | O_CLOEXEC);
	unsigned int values;

	if (fd == -1) {
		not_now(operation, "opening");
		return;
	}
	if (ioctl(fd, PFM_IOC_CREATE_CONTEXT, &create)) {
		not_now(operation, "creating");
		goto close;
	}
	if (ioctl(fd, PFM_IOC_INFO, &info)) {
		wrong("canary: PFM_IOC_INFO failed with errno %d", errno);
		goto close;
	}
	values = strcmp(info.pmu_name, "soft") ? SOFT_FAULTS : VALUES;
	if (canary_program(fd, values)) {
		wrong("canary: writing registers failed with errno %d", errno);
		goto close;
	}
	if (ioctl(fd, PFM_IOC_LOAD, &load)) {
		/* EBUSY: a system-wide context uses the PMU. */
		if (errno == EEXIST || errno == EBUSY)
			not_now(operation, "loading");
		else
			wrong("canary: loading failed with errno %d", errno);
		goto close;
	}
	canary_count(fd, operation->count, values);
close:
	close(fd);
}
