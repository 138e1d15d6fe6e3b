/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Functions that follow the stack of the code that an overflow interrupted.  There is one file
 * for each way to follow a stack.
 *
 * Called with interrupts off, perhaps in an NMI or with a run queue locked.  Nothing here
 * waits or takes a page fault.  @most, which is at least 1, limits the number of addresses.  It
 * limits the number of steps, too, so the functions end even on a corrupt stack.
 */
#ifndef PERFMON_FORMAT_STACK_H
#define PERFMON_FORMAT_STACK_H

#include <linux/types.h>

struct pt_regs;

/*
 * Write addresses to @to: first the address of the interrupted instruction, then the return
 * addresses on the kernel's stack, innermost first.  @regs: the kernel's registers at the
 * interruption.  Return: number of addresses.
 *
 * @link: set to true if the second address comes from the link register and so may be
 * stale.  @link may be NULL.
 */
unsigned int pfm_kernel_stack(struct pt_regs *regs, u64 *to, unsigned int most,
			      bool *link);

/*
 * Like pfm_kernel_stack(), for the stack of the current program.  @regs: the user registers of the
 * program.  For a 32-bit program only the address of the interrupted instruction is written,
 * because frames of such programs have another layout.
 */
unsigned int pfm_user_stack(struct pt_regs *regs, u64 *to, unsigned int most, bool *link);

#endif
