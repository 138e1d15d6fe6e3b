// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "guest.h"
#include "perf.h"

uint64_t perf_branches(void)
{
	return pmu_is("amd") ? 0xc2 : 0xc4;
}

static int open_event(struct perf_event_attr *attr, pid_t tid, int cpu, int group)
{
	attr->type = PERF_TYPE_RAW;
	attr->size = sizeof(*attr);
	attr->read_format = PERF_FORMAT_TOTAL_TIME_ENABLED |
			    PERF_FORMAT_TOTAL_TIME_RUNNING;
	return syscall(SYS_perf_event_open, attr, tid, cpu, group, PERF_FLAG_FD_CLOEXEC);
}

int perf_open(uint64_t event, bool user_only, pid_t tid, int cpu, int group)
{
	struct perf_event_attr attr = {
		.config = event,
		.exclude_kernel = user_only,
		.disabled = group == -1,
	};

	return open_event(&attr, tid, cpu, group);
}

int perf_open_sampling(uint64_t event, bool user_only, uint64_t period, pid_t tid,
		       int cpu)
{
	struct perf_event_attr attr = {
		.config = event,
		.sample_period = period,
		.sample_type = PERF_SAMPLE_IP,
		.exclude_kernel = user_only,
		.disabled = 1,
	};

	return open_event(&attr, tid, cpu, -1);
}

int perf_open_pinned(uint64_t event, pid_t tid)
{
	struct perf_event_attr attr = { .config = event, .pinned = 1 };

	return open_event(&attr, tid, -1, -1);
}

int perf_open_counting(uint64_t event)
{
	int fd = perf_open(event, true, 0, -1, -1);

	ck_assert_msg(fd != -1, "perf_event_open: %s", strerror(errno));
	perf_enable(fd);
	return fd;
}

void perf_enable(int fd)
{
	ck_assert(!ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
}

void perf_disable(int fd)
{
	ck_assert(!ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
}

struct perf_count perf_read(int fd)
{
	struct perf_count count;

	ck_assert_msg(read(fd, &count, sizeof(count)) == sizeof(count),
		      "read of a perf event: %s", strerror(errno));
	return count;
}

static size_t ring_size(void)
{
	return 9 * sysconf(_SC_PAGESIZE);
}

struct perf_ring perf_ring_open(uint64_t event, bool user_only, uint64_t period)
{
	struct perf_ring ring;

	ring.event = perf_open_sampling(event, user_only, period, 0, -1);
	ck_assert_msg(ring.event != -1, "perf_event_open: %s", strerror(errno));
	ring.page = mmap(NULL, ring_size(), PROT_READ, MAP_SHARED, ring.event, 0);
	ck_assert(ring.page != MAP_FAILED);
	return ring;
}

/* With PERF_SAMPLE_IP, a sample consists of a header and an address, and has 16 bytes. */
uint64_t perf_ring_samples(const struct perf_ring *ring)
{
	return __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE) / 16;
}

/* The event ends only when both its mapping and its descriptor are gone. */
void perf_ring_close(struct perf_ring *ring)
{
	munmap(ring->page, ring_size());
	close(ring->event);
}

/* ---- the NMI watchdog ------------------------------------------------------------------ */

/* Without CONFIG_HARDLOCKUP_DETECTOR the file WATCHDOG is read-only. */
void need_watchdog(void)
{
	struct stat file;

	ck_assert_int_eq(stat(WATCHDOG, &file), 0);
	if (!(file.st_mode & S_IWUSR))
		skip("the kernel has no NMI watchdog");
}

void watchdog_on(void)
{
	write_text(WATCHDOG, "1");
}

void watchdog_off(void)
{
	write_text(WATCHDOG, "0");
}
