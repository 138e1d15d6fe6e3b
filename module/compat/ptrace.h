/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * asm/ptrace.h of powerpc: the offsets, in bytes, at which the stack frame of an exception
 * has the saved registers and the marker.
 *
 * The kernel has STACK_INT_FRAME_REGS and _MARKER since 6.2.  Before 6.2 the offsets were
 * those of every stack frame: STACK_FRAME_OVERHEAD, in bytes, and STACK_FRAME_MARKER, in
 * longs.
 */
#ifndef COMPAT_PTRACE_H
#define COMPAT_PTRACE_H

#include <asm/ptrace.h>

#ifndef STACK_INT_FRAME_REGS
#define STACK_INT_FRAME_REGS   STACK_FRAME_OVERHEAD
#define STACK_INT_FRAME_MARKER (STACK_FRAME_MARKER * sizeof(long))
#endif

#endif
