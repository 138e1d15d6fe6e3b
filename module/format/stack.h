/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The stack that an overflow interrupted, one file for each way to follow it.
 *
 * Interrupts are off, perhaps in an NMI or with a run queue locked.  Nothing here waits or
 * takes a page fault; every loop ends after @most addresses, 1 at least.
 */
#ifndef PERFMON_FORMAT_STACK_H
#define PERFMON_FORMAT_STACK_H

#include <linux/types.h>

struct pt_regs;

/*
 * Return addresses from @regs on, which are of the kernel, innermost first; the first is the
 * interrupted instruction.  Return: how many there are at @to.
 *
 * @link: NULL, or what becomes true if the second one is what the link register had, and
 * perhaps left over from another call.
 */
unsigned int pfm_kernel_stack(struct pt_regs *regs, u64 *to, unsigned int most,
			      bool *link);

/*
 * The same of the current program, which was left with @regs.  Of one of 32 bits it is only
 * the instruction: its frames have other shapes.
 */
unsigned int pfm_user_stack(struct pt_regs *regs, u64 *to, unsigned int most, bool *link);

#endif
