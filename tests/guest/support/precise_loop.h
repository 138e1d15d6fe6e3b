/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * x86: a loop for precise samples. The address and one register in a sample show which of the
 * executed instructions was sampled.
 */
#ifndef PRECISE_LOOP_H
#define PRECISE_LOOP_H

#include <stdint.h>

#define PRECISE_LENGTH	10 /* instructions in one turn of the loop */
#define PRECISE_NOWHERE UINT64_MAX

/*
 * Executes @instructions instructions, and a few more before and after them. @instructions must be
 * a multiple of 10, and not 0.
 */
void precise_loop(uint64_t instructions);

/* Returns which instruction of the loop is at @ip: 0 to 9, or 10 if @ip is not in the loop. */
unsigned int precise_place(uint64_t ip);

/*
 * precise_loop(@instructions) executes the instruction at @ip once in each turn. @ax is the value
 * of RAX after this instruction, and identifies the turn. Returns the number of instructions that
 * the loop executed before this instruction, in this turn and in all earlier turns. Returns
 * PRECISE_NOWHERE if @ip is not in the loop.
 */
uint64_t precise_number(uint64_t instructions, uint64_t ip, uint64_t ax);
/* Like precise_number(), but for the instruction before the instruction at @next. */
uint64_t precise_number_before(uint64_t instructions, uint64_t next, uint64_t ax);

#endif
