/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * Sampling format "callchain": format "default" plus the chain of callers.
 *
 * The header and the handling of a full buffer are those of "default".  hdr_version is
 * PFM_CALLCHAIN_VERSION.  A chain has two parts, the kernel's part and the user's part.
 * hdr_buf_flags contains the maximum number of addresses in each part: max_kernel | max_user << 16.
 * If a part is left out, its maximum is 0.  hdr_buf_flags also has PFM_CALLCHAIN_HDR_LINK if
 * PFM_CALLCHAIN_LINK was given, and PFM_CALLCHAIN_HDR_RECORDED if PFM_CALLCHAIN_RECORDED was given.
 * An entry is a struct pfm_callchain_entry, followed by
 *
 *	__u64 values[value_count]		as in "default"
 *	__u64 kernel[kernel_count]		the interrupted instruction, then return
 *						addresses, innermost first
 *	__u64 user[user_count]		the same for the program
 *
 * The kernel's part is present only if the interrupt hit the kernel, and if the loader of the
 * context may see kernel addresses (it had CAP_PERFMON at the load, and the context counts at
 * kernel level).
 *
 * The user's part begins with the interrupted instruction or, if the interrupt hit the kernel, with
 * the address at which the thread entered the kernel.  The format follows frame pointers to find
 * the callers.  Programs that are compiled with -fno-omit-frame-pointer have frame pointers.  On
 * POWER the format follows the back chain, which always exists.  The user's part ends if the next
 * frame pointer does not point further up the stack, or if it points to memory that is not present.
 * The format does not load missing pages, because it runs in an interrupt.  For a 32-bit program,
 * and for an exiting thread whose memory is gone, the user's part has only its first address.  An
 * overflow interrupt that is an NMI may come while the kernel is switching to the thread.  Then
 * each part has at most one address.
 *
 * On x86_64 and arm64 the caller of a function is missing if the function makes no frame, or was
 * interrupted while it had none.  The next address is then in the caller's caller.  On POWER the
 * format takes the caller from the link register, unless the format finds out that the register no
 * longer holds the return address.  The format cannot always find this out.  So if the interrupted
 * function has already called another function, the chain may also contain an address in the
 * interrupted function itself.
 *
 * On arm64 the format uses the link register only if PFM_CALLCHAIN_LINK was given.  If an entry has
 * the flag PFM_CALLCHAIN_USER_LINK, user[1] is the value of the link register, not a value from the
 * stack.  PFM_CALLCHAIN_KERNEL_LINK means the same for kernel[1].  With PFM_CALLCHAIN_USER_LINK,
 * user[1] is the caller only if the interrupted function has not saved the link register yet, or
 * has restored it already.  The program's unwind tables show whether this is true at the
 * instruction user[0].  If it is not, user[1] does not belong to the chain.  If the link register
 * is zero, it is left out.  x86_64 has no link register.
 *
 * With PFM_CALLCHAIN_RECORDED the program's callers come from calls that the hardware has recorded.
 * The program's stack is not read, so the program needs no frame pointers.  The user's part has the
 * address of the interrupted instruction and, for each recorded call that has not returned, the
 * address of the call instruction.  The entry has the flag PFM_CALLCHAIN_USER_CALLS.  Each time the
 * counters begin to run, for example when the kernel switches to the thread, the records are
 * cleared.  So calls that were made before this moment are missing.  The outermost calls are also
 * missing if there are more calls than the hardware can record.  Today only Intel's last branch
 * records can record calls, and only if PMC 30 has the value PFM_INTEL_LBR_CALLERS
 * (perfmon_intel.h).  With other hardware the user's part has only the interrupted instruction.  In
 * a system-wide context, it never has more than this instruction, because the records of a CPU
 * contain calls of several threads.
 */
#ifndef _PERFMON_PERFMON_CALLCHAIN_H
#define _PERFMON_PERFMON_CALLCHAIN_H

#include <perfmon/perfmon_dfl_smpl.h>

#define PFM_CALLCHAIN_NAME "callchain"
#define PFM_CALLCHAIN_UUID "3b1e7d52-90c4-4f6e-8a1d-57e2c40b96f3"
#define PFM_CALLCHAIN_VERSION                                                            \
	0x10003u /* 1.3: recorded callers; 1.2: link registers; 1.1: as 1.1 of "default" */
#define PFM_CALLCHAIN_MAX_DEPTH	   127

/* pfm_callchain_arg.flags */
#define PFM_CALLCHAIN_NO_KERNEL	   0x1 /* leave out the kernel's part */
#define PFM_CALLCHAIN_NO_USER	   0x2 /* leave out the user's part */
#define PFM_CALLCHAIN_LINK	   0x4 /* record link registers, and mark them */
#define PFM_CALLCHAIN_RECORDED	   0x8 /* take the program's callers from the hardware */

/* pfm_dfl_smpl_hdr.hdr_buf_flags */
#define PFM_CALLCHAIN_HDR_LINK	   0x8000 /* PFM_CALLCHAIN_LINK was given */
#define PFM_CALLCHAIN_HDR_RECORDED 0x80000000u /* PFM_CALLCHAIN_RECORDED was given */

/* pfm_callchain_entry.flags */
#define PFM_CALLCHAIN_KERNEL_LINK  0x1 /* kernel[1] is the link register */
#define PFM_CALLCHAIN_USER_LINK	   0x2 /* user[1] is the link register */
#define PFM_CALLCHAIN_USER_CALLS   0x4 /* from user[1] on: addresses of call instructions */

/**
 * struct pfm_callchain_arg - argument of the format at creation, 64 bytes
 * @buf_size: in: size of the buffer in bytes, including the header
 * @flags: in: PFM_CALLCHAIN_NO_*, PFM_CALLCHAIN_LINK, PFM_CALLCHAIN_RECORDED
 * @max_kernel: in: maximum number of addresses in the kernel's part, up to
 *	PFM_CALLCHAIN_MAX_DEPTH; 0 means PFM_CALLCHAIN_MAX_DEPTH
 * @max_user: in: maximum number of addresses in the user's part; the limit and the meaning of
 *	0 are as for @max_kernel
 * @reserved: in: 0
 *
 * PFM_IOC_CREATE_CONTEXT fails with EINVAL if a value is out of range, if there is no argument, or
 * if the buffer cannot hold the header and one entry of maximum size.
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
 * @value_count: number of PMD values
 * @kernel_count: number of addresses in the kernel's part
 * @user_count: number of addresses in the user's part
 * @flags: PFM_CALLCHAIN_*_LINK, only if PFM_CALLCHAIN_LINK was given; PFM_CALLCHAIN_USER_CALLS,
 *	only if PFM_CALLCHAIN_RECORDED was given
 */
struct pfm_callchain_entry {
	struct pfm_dfl_smpl_entry sample;
	__u16 value_count;
	__u16 kernel_count;
	__u16 user_count;
	__u16 flags;
};

#endif
