/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Allocations that fail, one after the other: by CONFIG_FAULT_INJECTION of debug kernels,
 * elsewhere by tests/modules/failing_allocations.c.
 *
 *	for (nth = 1;; nth++) {
 *		inject_arm(nth);
 *		... the operation, and nothing else: no assertion
 *		found = inject_disarm();
 *		if (!found.injected)
 *			break;
 *	}
 *
 * Every allocation of the kernel that may fail is a point: of slabs and of pages,
 * thus of vmalloc() and per-CPU memory, too.  A charge to a memory cgroup is none.
 */
#ifndef INJECT_H
#define INJECT_H

#include "guest.h"

/*
 * What fails.  The kernel takes pages for new slabs and for records of its own
 * at any time, but objects in the same order whenever the same thing is done.
 * Hence the two are counted apart, but for the last, where it does not matter.
 */
enum inject_kind {
	INJECT_OBJECT, /* the nth object of a slab: kmalloc() and the like */
	INJECT_PAGE, /* the nth page, or pages together */
	INJECT_REST, /* the nth allocation and all that follow: memory is used up */
	INJECT_KINDS
};

/**
 * struct injected - what became of an injection
 * @injected: there was an nth allocation; it failed
 * @told: and was not marked by its caller as one that may well fail
 *	(__GFP_NOWARN): what has a fallback, vectors and event sets of perfmon, and
 *	the debug kernel's own records.  Of INJECT_REST: any that failed was not.
 * @ours: and perfmon was at work: one of its modules is in the stack of one that
 *	is told.
 * @reserve: and it may have been for what vmap() keeps in reserve for the next time
 *	and does without (preload_this_cpu_lock() in mm/vmalloc.c)
 */
struct injected {
	bool injected;
	bool told;
	bool ours;
	bool reserve;
};

/* As root, before anything else. */
void inject_open(void);
/* When all that used it has ended. */
void inject_close(void);
void inject_kind(enum inject_kind kind);

/*
 * In the calling thread, or in @pid, which then has to sleep.  The console does
 * not get the kernel's warnings in between: they speak of the allocation.
 * inject_disarm() looks through them for what is more than that, and for the end of
 * kmemleak, which gives up when it has no memory for its records.
 */
void inject_arm(unsigned int nth);
void inject_arm_process(pid_t pid, unsigned int nth);
struct injected inject_disarm(void);

#endif
