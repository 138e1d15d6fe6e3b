/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The debugfs file of failing_allocations.ko. A test writes a request to it, and reads the result.
 */
#ifndef FAILING_ALLOCATIONS_H
#define FAILING_ALLOCATIONS_H

#include <linux/types.h>

#define FAILING_ALLOCATIONS "/sys/kernel/debug/failing_allocations"

/**
 * struct failing_request - which allocations fail; must be written with one write()
 * @nth: number of the allocation that fails; 1 is the next allocation. If @nth is 0, none fails
 * @thread: tid of the thread whose allocations are counted
 * @objects: if not 0, allocations of objects are counted, such as those of kmalloc()
 * @pages: if not 0, allocations of pages are counted
 * @rest: if not 0, all counted allocations after allocation @nth fail, too
 * @workers: if not 0, allocations that the kernel's workers make for perfmon are counted, too. The
 *	thread must wait for these workers
 */
struct failing_request {
	__u32 nth;
	__u32 thread;
	__u32 objects;
	__u32 pages;
	__u32 rest;
	__u32 workers;
};

/**
 * struct failing_result - result of the last request; must be read with one read()
 * @left: number of the allocation that will fail; 1 is the next allocation. 0 if allocation @nth
 *	has failed
 * @told, @ours, @reserve: as in struct injected of tests/guest/faults/inject.h
 */
struct failing_result {
	__u32 left;
	__u32 told;
	__u32 ours;
	__u32 reserve;
};

#endif
