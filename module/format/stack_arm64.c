// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel's stack on arm64.
 *
 * What the kernel exports is stack_trace_save(), which begins with its caller: the way
 * from the interrupt to us comes first.  On its entry from the kernel an exception leaves
 * a frame record with the interrupted pc as the return address (entry.S, kernel_entry), so
 * the trace has that very address, and behind it what is wanted.
 */
#include <linux/kernel.h>
#include <linux/percpu.h>
#include <linux/ptrace.h>
#include <linux/stacktrace.h>
#include <perfmon/perfmon_callchain.h>

#include "stack.h"

/* Functions between the exception and here: some 20, whichever PMU it was. */
#define OURS 48

/* Interrupts are off, and a handler is not interrupted by another one. */
static DEFINE_PER_CPU(unsigned long[OURS + PFM_CALLCHAIN_MAX_DEPTH], trace);

/*
 * 0 if it has no address of the kernel.  Pointer authentication signs in bits that are all
 * ones in every address of the kernel's code.
 */
static u64 link_register(struct pt_regs *regs)
{
	u64 link = regs->regs[30];

	return link & BIT_ULL(55) ? link | GENMASK_ULL(63, VA_BITS_MIN) : 0;
}

unsigned int pfm_kernel_stack(struct pt_regs *regs, u64 *to, unsigned int most,
			      bool *link)
{
	unsigned long *all = *this_cpu_ptr(&trace);
	unsigned int length = stack_trace_save(all, OURS + most, 0);
	unsigned int i, count = 0;

	for (i = 0; i < length && all[i] != regs->pc; i++)
		;
	/* The trace may have ended before, on a stack that is not in order. */
	to[count++] = regs->pc;
	if (link && count < most && link_register(regs)) {
		to[count++] = link_register(regs);
		*link = true;
	}
	while (++i < length && count < most)
		to[count++] = all[i];
	return count;
}
