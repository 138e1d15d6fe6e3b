// SPDX-License-Identifier: GPL-2.0-only
/*
 * On x86 the kernel's unwinder, which can start from any registers, follows the kernel's
 * stack.  There is no link register.
 */
#include <linux/sched.h>
#include <asm/unwind.h>

#include "stack.h"

unsigned int pfm_kernel_stack(struct pt_regs *regs, u64 *to, unsigned int most,
			      bool *link)
{
	struct unwind_state state;
	unsigned int count = 0;

	to[count++] = regs->ip;
	/* The unwinder begins with the caller of the interrupted function. */
	for (unwind_start(&state, current, regs, NULL);
	     count < most && !unwind_done(&state); unwind_next_frame(&state)) {
		unsigned long address = unwind_get_return_address(&state);

		if (!address)
			break;
		to[count++] = address;
	}
	return count;
}
