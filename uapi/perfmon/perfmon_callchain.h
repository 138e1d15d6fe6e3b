/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * Sampling format "callchain": format "default" plus the stack.
 *
 * Header and handling of a full buffer are those of "default"; hdr_version is
 * PFM_CALLCHAIN_VERSION, hdr_buf_flags has the limits in force, max_kernel | max_user << 16,
 * 0 for a part that is left out.  An entry is a struct pfm_callchain_entry, and after it
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
 */
#ifndef _PERFMON_PERFMON_CALLCHAIN_H
#define _PERFMON_PERFMON_CALLCHAIN_H

#include <perfmon/perfmon_dfl_smpl.h>

#define PFM_CALLCHAIN_NAME	"callchain"
#define PFM_CALLCHAIN_UUID	"3b1e7d52-90c4-4f6e-8a1d-57e2c40b96f3"
#define PFM_CALLCHAIN_VERSION	0x10001u /* 1.1: as in version 1.1 of "default" */
#define PFM_CALLCHAIN_MAX_DEPTH 127

/* pfm_callchain_arg.flags */
#define PFM_CALLCHAIN_NO_KERNEL 0x1 /* leave out the kernel's part */
#define PFM_CALLCHAIN_NO_USER	0x2 /* leave out the user's part */

/**
 * struct pfm_callchain_arg - argument of the format at creation, 64 bytes
 * @buf_size: in: bytes of the buffer, header included
 * @flags: in: PFM_CALLCHAIN_NO_*
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
 * @reserved: zero
 */
struct pfm_callchain_entry {
	struct pfm_dfl_smpl_entry sample;
	__u16 value_count;
	__u16 kernel_count;
	__u16 user_count;
	__u16 reserved;
};

#endif
