// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel's stack on arm64.
 *
 * The kernel exports stack_trace_save().  The trace that this function stores begins with the
 * functions that have been called since the interrupt.  When an exception interrupts the kernel,
 * kernel_entry in entry.S makes a frame record.  In older kernels the return address of this record
 * is the interrupted pc.  Newer kernels (with asm/stacktrace/frame.h) mark the record as part of a
 * pt_regs, and the trace takes the pc from the pt_regs.  Either way the trace contains this pc.
 * The addresses that come before the pc in the trace are skipped.
 */
#include <linux/kernel.h>
#include <linux/ptrace.h>
#include <linux/stacktrace.h>
#include <perfmon/perfmon_callchain.h>

#include "stack.h"

/*
 * The array for the trace has room for this number of addresses before the pc.  About 20 functions
 * have been called since the exception, and each has one address in the trace.
 */
#define OURS 48

/*
 * Return: the link register without a signature; 0 if the register does not contain a kernel
 * address.  Pointer authentication puts the signature into bits that are ones in every address of
 * the kernel's code.
 */
static u64 link_register(struct pt_regs *regs)
{
	u64 link = regs->regs[30];

	return link & BIT_ULL(55) ? link | GENMASK_ULL(63, VA_BITS_MIN) : 0;
}

unsigned int pfm_kernel_stack(struct pt_regs *regs, u64 *to, unsigned int most,
			      bool *link)
{
	/*
	 * This array cannot be per-CPU data: while a system-wide context stops and its last samples
	 * are stored, an NMI may store a sample of a thread's context, and would overwrite the
	 * array.
	 */
	unsigned long all[OURS + PFM_CALLCHAIN_MAX_DEPTH];
	unsigned int length = stack_trace_save(all, OURS + most, 0);
	unsigned int i, count = 0;

	for (i = 0; i < length && all[i] != regs->pc; i++)
		;
	/* On a corrupt stack the trace may end before the pc. */
	to[count++] = regs->pc;
	if (link && count < most && link_register(regs)) {
		to[count++] = link_register(regs);
		*link = true;
	}
	while (++i < length && count < most)
		to[count++] = all[i];
	return count;
}
