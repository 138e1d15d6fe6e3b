// SPDX-License-Identifier: GPL-2.0-only
#if defined(__x86_64__)

#include "precise_loop.h"

extern const char precise_begin[], precise_dec[], precise_jump[], precise_end[];

/* RAX has the number of turns that are left. */
__attribute__((noinline, noclone)) void precise_loop(uint64_t instructions)
{
	uint64_t turns = instructions / PRECISE_LENGTH;

	__asm__ volatile(".globl precise_begin, precise_dec, precise_jump, precise_end\n"
			 "precise_begin: nop; nop; nop; nop; nop; nop; nop; nop\n"
			 "precise_dec: dec %0\n"
			 "precise_jump: jnz precise_begin\n"
			 "precise_end:"
			 : "+a"(turns)
			 :
			 : "cc");
}

unsigned int precise_place(uint64_t ip)
{
	if (ip == (uintptr_t)precise_dec)
		return 8;
	if (ip == (uintptr_t)precise_jump)
		return 9;
	if (ip < (uintptr_t)precise_begin || ip >= (uintptr_t)precise_dec)
		return PRECISE_LENGTH;
	return ip - (uintptr_t)precise_begin;
}

uint64_t precise_number(uint64_t instructions, uint64_t ip, uint64_t ax)
{
	unsigned int place = precise_place(ip);
	uint64_t turns = instructions / PRECISE_LENGTH - ax;

	if (place == PRECISE_LENGTH)
		return PRECISE_NOWHERE;
	return (place < 8 ? turns : turns - 1) * PRECISE_LENGTH + place;
}

#endif
