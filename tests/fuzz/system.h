/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Saves the machine's state before the rounds, checks it after each round, and restores it at the
 * end.
 */
#ifndef FUZZ_SYSTEM_H
#define FUZZ_SYSTEM_H

/* Saves the state and prepares what rounds need. */
void system_begin(void);

/*
 * Called after a round. Calls wrong() for everything that the round has left behind.
 */
void system_check(void);

/* Restores what rounds change. */
void system_restore(void);

#endif
