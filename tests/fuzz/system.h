/* SPDX-License-Identifier: GPL-2.0-only */
/* The machine around the rounds: its state before them, and what must hold afterwards. */
#ifndef FUZZ_SYSTEM_H
#define FUZZ_SYSTEM_H

/* Saves the state and prepares what rounds need. */
void system_begin(void);

/* Called after a round. Calls wrong() for everything that was left behind. */
void system_check(void);

/* Restores what rounds change. */
void system_restore(void);

#endif
