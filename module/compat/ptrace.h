/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * asm/ptrace.h of powerpc: where in the stack frame of an exception its registers and
 * its marker are, in bytes.
 *
 * STACK_INT_FRAME_REGS and _MARKER since 6.2.  Before, it was what every frame had,
 * STACK_FRAME_OVERHEAD bytes and STACK_FRAME_MARKER longs.
 */
#ifndef COMPAT_PTRACE_H
#define COMPAT_PTRACE_H

#include <asm/ptrace.h>

#ifndef STACK_INT_FRAME_REGS
#define STACK_INT_FRAME_REGS   STACK_FRAME_OVERHEAD
#define STACK_INT_FRAME_MARKER (STACK_FRAME_MARKER * sizeof(long))
#endif

#endif
