/* SPDX-License-Identifier: GPL-2.0-only */
/* The file of failing_allocations.ko: what is written to it, and what is read. */
#ifndef FAILING_ALLOCATIONS_H
#define FAILING_ALLOCATIONS_H

#include <linux/types.h>

#define FAILING_ALLOCATIONS "/sys/kernel/debug/failing_allocations"

/**
 * struct failing_request - which allocations fail; written as a whole
 * @nth: the nth allocation from now on; 0: none
 * @thread: by this thread
 * @objects: of objects: kmalloc() and the like
 * @pages: of pages
 * @rest: and all that follow
 */
struct failing_request {
	__u32 nth;
	__u32 thread;
	__u32 objects;
	__u32 pages;
	__u32 rest;
};

/**
 * struct failing_result - what became of the last request; read as a whole
 * @left: what is left of @nth: 0 if that one failed
 * @told, @ours, @reserve: as struct injected of tests/guest/faults/inject.h has them
 */
struct failing_result {
	__u32 left;
	__u32 told;
	__u32 ours;
	__u32 reserve;
};

#endif
