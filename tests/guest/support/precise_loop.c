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

static uint64_t number_at(uint64_t instructions, unsigned int place, uint64_t ax)
{
	uint64_t turns = instructions / PRECISE_LENGTH - ax;

	return (place < 8 ? turns : turns - 1) * PRECISE_LENGTH + place;
}

uint64_t precise_number(uint64_t instructions, uint64_t ip, uint64_t ax)
{
	unsigned int place = precise_place(ip);

	return place == PRECISE_LENGTH ? PRECISE_NOWHERE
				       : number_at(instructions, place, ax);
}

uint64_t precise_number_before(uint64_t instructions, uint64_t next, uint64_t ax)
{
	unsigned int place = precise_place(next);

	return place == PRECISE_LENGTH
		       ? PRECISE_NOWHERE
		       : number_at(instructions, place ? place - 1 : PRECISE_LENGTH - 1,
				   ax);
}

#endif
