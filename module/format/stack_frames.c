// SPDX-License-Identifier: GPL-2.0-only
/*
 * On x86_64 and arm64, pfm_user_stack() follows the program's stack along the chain of frame
 * pointers (rbp, x29).  Each frame pointer points to the place where the caller's frame pointer is
 * saved; the return address is next to that place.
 *
 * If a function has no frame, or has not made it yet, the address of its caller is missing.  On
 * arm64 the link register may have that address if the function is the interrupted one.
 */
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/uaccess.h>

#include "stack.h"

struct frame {
	u64 caller; /* the caller's frame pointer */
	u64 address; /* where the function returns to */
};

#ifdef CONFIG_X86
static bool is_64bit(struct pt_regs *regs)
{
	return user_64bit_mode(regs);
}

static u64 frame_pointer_of(struct pt_regs *regs)
{
	return regs->bp;
}

static u64 link_register(struct pt_regs *regs)
{
	return 0;
}

static u64 without_signature(u64 address)
{
	return address;
}
#else
static bool is_64bit(struct pt_regs *regs)
{
	return !compat_user_mode(regs);
}

static u64 frame_pointer_of(struct pt_regs *regs)
{
	return regs->regs[29];
}

static u64 link_register(struct pt_regs *regs)
{
	return regs->regs[30];
}

/* FEAT_PAuth puts signatures into address bits that are 0 in every user address. */
static u64 without_signature(u64 address)
{
	return address & (TASK_SIZE_64 - 1);
}
#endif

unsigned int pfm_user_stack(struct pt_regs *regs, u64 *to, unsigned int most, bool *link)
{
	u64 pointer = frame_pointer_of(regs);
	unsigned int count = 0;
	struct frame frame;

	to[count++] = instruction_pointer(regs);
	if (!is_64bit(regs))
		return count;
	if (link && count < most && link_register(regs)) {
		to[count++] = without_signature(link_register(regs));
		*link = true;
	}
	while (count < most && pointer % sizeof(u64) == 0) {
		/*
		 * This fails if the frame is not in memory or, on x86, if an NMI interrupted a
		 * switch of address spaces.
		 */
		if (copy_from_user_nofault(&frame, (void __user *)pointer, sizeof(frame)))
			break;
		if (!frame.address)
			break;
		to[count++] = without_signature(frame.address);
		/* Stacks grow down, so the caller's frame has a higher address. */
		if (frame.caller <= pointer)
			break;
		pointer = frame.caller;
	}
	return count;
}
