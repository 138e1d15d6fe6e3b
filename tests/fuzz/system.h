/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Saves the machine's state before the rounds. After each round, restores the state and checks that
 * the round has left nothing behind.
 */
#ifndef FUZZ_SYSTEM_H
#define FUZZ_SYSTEM_H

/* Saves the state and prepares what rounds need. */
void system_begin(void);

/*
 * Called after a round. Restores what the round changed, and calls wrong() for everything that the
 * round has left behind.
 */
void system_check(void);

/* Restores what rounds change. */
void system_restore(void);

#endif
