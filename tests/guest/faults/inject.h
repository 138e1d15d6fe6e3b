/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Makes allocations fail, one after the other: in debug kernels by CONFIG_FAULT_INJECTION, in other
 * kernels by tests/modules/failing_allocations.c.
 *
 *	for (nth = 1;; nth++) {
 *		inject_arm(nth);
 *		... the operation, and nothing else: no assertion
 *		found = inject_disarm();
 *		if (!found.injected)
 *			break;
 *	}
 *
 * Every allocation of slab objects and of pages is counted, including the allocations for vmalloc()
 * and for per-CPU memory. A charge to a memory cgroup is not counted.
 */
#ifndef INJECT_H
#define INJECT_H

#include "guest.h"

/*
 * Which allocations fail. An operation allocates the same objects in the same order each time it
 * runs. But the kernel may allocate pages at any time, for new slabs and for its own records. So
 * objects and pages are counted separately. Only INJECT_REST counts them together, because it works
 * even if their order differs from run to run.
 */
enum inject_kind {
	INJECT_OBJECT, /* the nth allocation of a slab object, for example by kmalloc() */
	INJECT_PAGE, /* the nth allocation of one page or of several pages */
	INJECT_REST, /* the nth allocation and all later ones: no memory is left */
	INJECT_KINDS
};

/**
 * struct injected - result of an injection
 * @injected: the operation made at least n allocations, and the nth one failed
 * @told: the failure was logged, because the caller did not mark the allocation with __GFP_NOWARN.
 *	Three kinds of allocations have that flag: those with a fallback, those for perfmon's
 *	vectors and event sets, and those for the debug kernel's own records. With INJECT_REST: at
 *	least one failure was logged.
 * @ours: a module of perfmon is in the stack of a logged failure
 * @reserve: the failed allocation may be one that vmap() makes in advance, for a later call.
 *	vmap() also works without this allocation (preload_this_cpu_lock() in mm/vmalloc.c)
 */
struct injected {
	bool injected;
	bool told;
	bool ours;
	bool reserve;
};

/* Must be called as root, before all other functions. */
void inject_open(void);
/* Must be called after all processes that called inject_open() have exited. */
void inject_close(void);
void inject_kind(enum inject_kind kind);
/*
 * From this call on, the injection also counts the allocations that the kernel's workers make for
 * perfmon while the caller of inject_arm() waits for them. Must be called before inject_kind().
 * Only failing_allocations.c can count these allocations.
 */
void inject_workers(void);

/*
 * Begins to count the allocations of the calling thread, or of thread @pid, which must be asleep.
 * Until inject_disarm() the console does not show the kernel's warnings about failed allocations.
 * inject_disarm() checks the kernel's log for other warnings. It also checks that kmemleak has not
 * turned itself off for lack of memory.
 */
void inject_arm(unsigned int nth);
void inject_arm_process(pid_t pid, unsigned int nth);
struct injected inject_disarm(void);

#endif
