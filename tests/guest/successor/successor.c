// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon-successor: the program that suite inherit_exec_races executes. It touches SUCCESSOR_PAGES
 * pages, waits for all children that its process made before the exec, and exits. It does not use
 * the C library, because starting the library takes longer than all of this work.
 */
#include <stddef.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "successor.h"

/* Addresses that are this many bytes apart are in different pages, whatever the page size is. */
#define DISTANCE 65536

/* Makes a system call. Returns its result, or a negative errno. */
static long call(long number, long a, long b, long c, long d)
{
#if defined(__x86_64__)
	register long fourth asm("r10") = d;
	register long fifth asm("r8") = -1;
	register long sixth asm("r9") = 0;

	asm volatile("syscall"
		     : "+a"(number)
		     : "D"(a), "S"(b), "d"(c), "r"(fourth), "r"(fifth), "r"(sixth)
		     : "rcx", "r11", "memory");
	return number;
#elif defined(__aarch64__)
	register long name asm("x8") = number;
	register long first asm("x0") = a;
	register long second asm("x1") = b;
	register long third asm("x2") = c;
	register long fourth asm("x3") = d;
	register long fifth asm("x4") = -1;
	register long sixth asm("x5") = 0;

	asm volatile("svc 0"
		     : "+r"(first)
		     : "r"(name), "r"(second), "r"(third), "r"(fourth), "r"(fifth),
		       "r"(sixth)
		     : "memory");
	return first;
#elif defined(__powerpc64__)
	register long name asm("r0") = number;
	register long first asm("r3") = a;
	register long second asm("r4") = b;
	register long third asm("r5") = c;
	register long fourth asm("r6") = d;
	register long fifth asm("r7") = -1;
	register long sixth asm("r8") = 0;

	asm volatile("sc\n\tbns+ 1f\n\tneg %1, %1\n1:"
		     : "+r"(name), "+r"(first), "+r"(second), "+r"(third), "+r"(fourth),
		       "+r"(fifth), "+r"(sixth)
		     :
		     : "r9", "r10", "r11", "r12", "cr0", "ctr", "memory");
	return first;
#endif
}

static void touch_own_pages(void)
{
	volatile char *memory = (volatile char *)call(SYS_mmap, 0,
						      SUCCESSOR_PAGES * DISTANCE,
						      PROT_READ | PROT_WRITE,
						      MAP_PRIVATE | MAP_ANONYMOUS);
	unsigned int n;

	for (n = 0; n < SUCCESSOR_PAGES; n++)
		memory[n * DISTANCE] = 1;
}

void _start(void)
{
	touch_own_pages();
	while (call(SYS_wait4, -1, 0, 0, 0) > 0)
		;
	call(SYS_exit_group, 0, 0, 0, 0);
	__builtin_trap();
}
