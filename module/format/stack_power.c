// SPDX-License-Identifier: GPL-2.0-only
/*
 * On POWER the frames of a stack form a back chain ("64-Bit ELF V2 ABI Specification", 2.2.2 The
 * Stack Frame).  This holds for the kernel's stack and for the program's stack.
 *
 * r1 points to the innermost frame; the first doubleword of each frame points to the caller's
 * frame.  A call puts the return address into the link register.  The called function saves this
 * address in its caller's frame only if it calls other functions itself.  So the return address of
 * the innermost function may be in the link register, in the caller's frame or in both.  The
 * innermost function may have no frame.  As in perf's chains, the link register is used unless it
 * is known to be stale.
 *
 * The frames of both stacks are read with functions that tolerate any address.
 */
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/uaccess.h>
#include <asm/page.h>

#include "compat/ptrace.h"
#include "stack.h"

struct frame {
	u64 caller; /* address of the caller's frame */
	u64 condition;
	u64 link; /* address in this frame's function to which the called function returns */
};

struct walk {
	u64 *to;
	bool *link; /* see pfm_kernel_stack() */
	unsigned int count;
	unsigned int most;
	/* number of frames that may still be read; ends the walk even on a circular chain */
	unsigned int frames;
	bool is_kernel;
};

/*
 * Store @address if there is room.  On the kernel's stack, only kernel addresses are stored; on the
 * program's stack, only user addresses are stored.
 */
static void add(struct walk *walk, u64 address)
{
	if (address && is_kernel_addr(address) == walk->is_kernel &&
	    walk->count < walk->most)
		walk->to[walk->count++] = address;
}

static void add_link(struct walk *walk, u64 link)
{
	unsigned int count = walk->count;

	add(walk, link);
	if (walk->link && count == 1 && walk->count == 2)
		*walk->link = true;
}

static bool read_words(const struct walk *walk, void *to, u64 from, size_t size)
{
	if (from % sizeof(u64))
		return false;
	if (walk->is_kernel)
		return !copy_from_kernel_nofault(to, (void *)from, size);
	return !copy_from_user_nofault(to, (void __user *)from, size);
}

/*
 * @link is the link register, @frame the innermost frame and @caller the next frame.
 * Return: true if neither frame contains the value of @link.
 *
 * If @frame->link is equal to @link, @link is stale: it was set by a call that has returned.  If
 * @caller->link is equal to @link, the innermost function has saved the link register there, so
 * @link is not needed.
 */
static bool link_is_needed(u64 link, const struct frame *frame,
			   const struct frame *caller)
{
	return link != frame->link && link != caller->link;
}

/* Registers at an interruption. */
struct place {
	u64 ip;
	u64 link;
	u64 frame; /* address of the innermost frame */
};

static struct place place_of(const struct pt_regs *regs)
{
	return (struct place){ regs->nip, regs->link, regs->gpr[1] };
}

static bool read_register(const struct walk *walk, u64 *to, u64 regs, size_t offset)
{
	return read_words(walk, to, regs + offset, sizeof(*to));
}

/*
 * Return: whether @frame at @address is the frame of an exception in the kernel.  If so,
 * read the registers at the exception into @place.
 */
static bool is_exception(const struct walk *walk, const struct frame *frame, u64 address,
			 struct place *place)
{
	u64 regs = address + STACK_INT_FRAME_REGS, marker;

	return walk->is_kernel && frame->caller == address + STACK_INT_FRAME_SIZE &&
	       read_words(walk, &marker, address + STACK_INT_FRAME_MARKER,
			  sizeof(marker)) &&
	       marker == STACK_FRAME_REGS_MARKER &&
	       read_register(walk, &place->ip, regs, offsetof(struct pt_regs, nip)) &&
	       read_register(walk, &place->link, regs, offsetof(struct pt_regs, link)) &&
	       read_register(walk, &place->frame, regs, offsetof(struct pt_regs, gpr[1]));
}

/*
 * Follow the chain from @place outwards, to its end or to an exception.
 *
 * Return: true if an exception was found; @place then contains the registers at the exception.
 */
static bool follow(struct walk *walk, struct place *place)
{
	u64 address = place->frame;
	struct frame frame, caller;
	bool is_innermost = true;

	add(walk, place->ip);
	if (!read_words(walk, &frame, address, sizeof(frame)))
		return false;
	for (; walk->frames > 0; walk->frames--) {
		if (is_exception(walk, &frame, address, place)) {
			walk->frames--;
			return true;
		}
		/*
		 * Stacks grow down, so the caller's frame has a higher address.  In the
		 * kernel the caller's frame may be on another stack, at any address.
		 */
		if (!walk->is_kernel && frame.caller <= address)
			return false;
		if (!read_words(walk, &caller, frame.caller, sizeof(caller)))
			return false;
		if (is_innermost && link_is_needed(place->link, &frame, &caller))
			add_link(walk, place->link);
		add(walk, caller.link);
		is_innermost = false;
		address = frame.caller;
		frame = caller;
	}
	return false;
}

unsigned int pfm_kernel_stack(struct pt_regs *regs, u64 *to, unsigned int most,
			      bool *link)
{
	struct walk walk = {
		.to = to, .link = link, .most = most, .frames = most, .is_kernel = true
	};
	struct place place = place_of(regs);

	while (follow(&walk, &place))
		;
	return walk.count;
}

unsigned int pfm_user_stack(struct pt_regs *regs, u64 *to, unsigned int most, bool *link)
{
	struct walk walk = { .to = to, .link = link, .most = most, .frames = most };
	struct place place = place_of(regs);

	if (is_32bit_task())
		add(&walk, place.ip);
	else
		follow(&walk, &place);
	return walk.count;
}
