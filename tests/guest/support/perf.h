/* SPDX-License-Identifier: GPL-2.0-only */
/* Helpers for perf events, which tests use at the same time as perfmon. */
#ifndef PERF_H
#define PERF_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Returns the code of the raw event that counts branches on x86. perf counts this event with a
 * general counter, never with a fixed one.
 */
uint64_t perf_branches(void);

/*
 * Opens a raw hardware event of perf. If @group is -1, the event counts only after perf_enable().
 * If @group is the descriptor of a group's leader, the event counts while the leader is enabled.
 * Returns -1 and sets errno on failure.
 */
int perf_open(uint64_t event, bool user_only, pid_t tid, int cpu, int group);
/*
 * Opens and enables a pinned event. It counts whenever the thread runs. If it gets no counter, it
 * stays in the error state.
 */
int perf_open_pinned(uint64_t event, pid_t tid);
/* Opens and enables an event that counts the calling thread at user level. */
int perf_open_counting(uint64_t event);
int perf_open_sampling(uint64_t event, bool user_only, uint64_t period, pid_t tid,
		       int cpu);
void perf_enable(int fd);
void perf_disable(int fd);

struct perf_count {
	uint64_t value;
	uint64_t enabled; /* ns */
	uint64_t running; /* ns */
};

struct perf_count perf_read(int fd);

/**
 * struct perf_ring - an event that samples the calling thread
 * @event: its descriptor
 * @page: its buffer. The mapping is read-only. Therefore, when the buffer is full, perf overwrites
 *	the oldest samples and does not stop
 */
struct perf_ring {
	int event;
	struct perf_event_mmap_page *page;
};

/* Opens the event. It is not enabled yet. */
struct perf_ring perf_ring_open(uint64_t event, bool user_only, uint64_t period);
/* Returns how many samples perf has taken. */
uint64_t perf_ring_samples(const struct perf_ring *ring);
void perf_ring_close(struct perf_ring *ring);

/* ---- the NMI watchdog ------------------------------------------------------------------ */

#define WATCHDOG "/proc/sys/kernel/nmi_watchdog"

/* Skips the test unless the kernel has the watchdog. The debug kernel has none. */
void need_watchdog(void);
void watchdog_on(void);
void watchdog_off(void);

#endif
