/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * asm/ptrace.h of powerpc: the stack frame of an exception contains the saved registers and
 * a marker.  Their offsets are STACK_INT_FRAME_REGS and STACK_INT_FRAME_MARKER, in bytes.
 *
 * These names exist since 6.2.  Before 6.2 the offsets were the same in all stack frames, and
 * had other names: STACK_FRAME_OVERHEAD (in bytes) and STACK_FRAME_MARKER (in longs).
 */
#ifndef COMPAT_PTRACE_H
#define COMPAT_PTRACE_H

#include <asm/ptrace.h>

#ifndef STACK_INT_FRAME_REGS
#define STACK_INT_FRAME_REGS   STACK_FRAME_OVERHEAD
#define STACK_INT_FRAME_MARKER (STACK_FRAME_MARKER * sizeof(long))
#endif

#endif
