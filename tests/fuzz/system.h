/* SPDX-License-Identifier: GPL-2.0-only */
/* The machine around the rounds: as it was, and what must be true of it. */
#ifndef FUZZ_SYSTEM_H
#define FUZZ_SYSTEM_H

/* Remembers how everything is and prepares what rounds need. */
void system_begin(void);

/* After a round: complains, by wrong(), of what it left behind. */
void system_check(void);

/* Puts back what rounds change. */
void system_restore(void);

#endif
