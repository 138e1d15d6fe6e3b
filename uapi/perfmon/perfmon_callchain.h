/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * Sampling format "callchain": format "default" plus the stack.
 *
 * Header and handling of a full buffer are those of "default"; hdr_version is
 * PFM_CALLCHAIN_VERSION, hdr_buf_flags has the limits in force, max_kernel | max_user << 16,
 * 0 for a part that is left out, and PFM_CALLCHAIN_HDR_LINK if link registers were asked for.
 * An entry is a struct pfm_callchain_entry, and after it
 *
 *	__u64 values[value_count]		as in "default"
 *	__u64 kernel[kernel_count]		return addresses, innermost first;
 *						the first is the interrupted instruction
 *	__u64 user[user_count]		the same of the program
 *
 * The kernel's part is only there if the interrupt hit the kernel, and for who may
 * see its addresses (CAP_PERFMON at load).
 *
 * The user's part begins with the interrupted instruction or, if the interrupt hit the
 * kernel, with the one that entered it, and follows frame pointers: programs have them if
 * compiled with -fno-omit-frame-pointer; on POWER it is the back chain, which is always
 * there.  It ends where one is no address of a frame further up the stack, or memory is
 * not present, for no page is ever fetched from an overflow interrupt.  Of a program of
 * 32 bits, and of a thread whose memory has gone at its end, it is the instruction only.
 * So are both parts if the interrupt came in the middle of the switch to the thread, as
 * it may on POWER.
 *
 * A function interrupted before it has made its frame, or which makes none, has its
 * caller missing on x86_64 and arm64: the caller's caller comes next.  On POWER the link
 * register counts as the caller, unless it is seen to be left over; in a function that
 * has called another one before it may be an address in the function itself.
 *
 * PFM_CALLCHAIN_LINK asks for the link register on arm64, too.  Then PFM_CALLCHAIN_USER_LINK
 * in the flags of an entry says that user[1] is not from the stack, but what that register
 * had; PFM_CALLCHAIN_KERNEL_LINK says so of kernel[1].  It is the caller if the function has
 * not saved it (or has restored it) at user[0], which unwinding tables tell, and else an
 * address that does not belong to the chain.  It is left out if it is zero.  On x86_64 there
 * is none.
 */
#ifndef _PERFMON_PERFMON_CALLCHAIN_H
#define _PERFMON_PERFMON_CALLCHAIN_H

#include <perfmon/perfmon_dfl_smpl.h>

#define PFM_CALLCHAIN_NAME "callchain"
#define PFM_CALLCHAIN_UUID "3b1e7d52-90c4-4f6e-8a1d-57e2c40b96f3"
#define PFM_CALLCHAIN_VERSION                                                            \
	0x10002u /* 1.2: link registers; 1.1: as in 1.1 of "default" */
#define PFM_CALLCHAIN_MAX_DEPTH	  127

/* pfm_callchain_arg.flags */
#define PFM_CALLCHAIN_NO_KERNEL	  0x1 /* leave out the kernel's part */
#define PFM_CALLCHAIN_NO_USER	  0x2 /* leave out the user's part */
#define PFM_CALLCHAIN_LINK	  0x4 /* record link registers, and mark them */

/* pfm_dfl_smpl_hdr.hdr_buf_flags */
#define PFM_CALLCHAIN_HDR_LINK	  0x8000 /* PFM_CALLCHAIN_LINK was given */

/* pfm_callchain_entry.flags */
#define PFM_CALLCHAIN_KERNEL_LINK 0x1 /* kernel[1] is what the link register had */
#define PFM_CALLCHAIN_USER_LINK	  0x2 /* user[1] is what the link register had */

/**
 * struct pfm_callchain_arg - argument of the format at creation, 64 bytes
 * @buf_size: in: bytes of the buffer, header included
 * @flags: in: PFM_CALLCHAIN_NO_*, PFM_CALLCHAIN_LINK
 * @max_kernel: in: addresses of the kernel's part at most, up to
 *	PFM_CALLCHAIN_MAX_DEPTH; 0 for as many as that
 * @max_user: in: the same of the user's part
 * @reserved: in: 0
 *
 * EINVAL if one of these does not hold, there is no argument, or the buffer cannot
 * hold its header and one entry of the greatest size.
 */
struct pfm_callchain_arg {
	__u64 buf_size;
	__u32 flags;
	__u16 max_kernel;
	__u16 max_user;
	__u64 reserved[6];
};

/**
 * struct pfm_callchain_entry - a sample, 48 bytes; values and addresses follow
 * @sample: as in "default"
 * @value_count: values of PMDs
 * @kernel_count: addresses of the kernel's part
 * @user_count: addresses of the user's part
 * @flags: PFM_CALLCHAIN_*_LINK; zero if PFM_CALLCHAIN_LINK was not given
 */
struct pfm_callchain_entry {
	struct pfm_dfl_smpl_entry sample;
	__u16 value_count;
	__u16 kernel_count;
	__u16 user_count;
	__u16 flags;
};

#endif
