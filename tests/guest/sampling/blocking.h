/* SPDX-License-Identifier: GPL-2.0-only */
/* Helpers for the suites about PFM_FL_NOTIFY_BLOCK: a child that is blocked. */
#ifndef BLOCKING_H
#define BLOCKING_H

#include "samples.h"

/*
 * Returns the time in ms within which a blocked thread must continue after its release, or end
 * after SIGKILL.
 */
unsigned int soon_ms(void);

/*
 * Creates a context with PFM_FL_NOTIFY_BLOCK and without a format. Its first counter counts
 * whenever the thread runs, and overflows after every PERIOD events.
 */
int blocking_context(void);

/* spin_begin() lets the child spin and increment page->turns until spin_end(). */
void spin_begin(const struct child *child);
void spin_end(const struct child *child);
bool is_blocked(pid_t tid);
/*
 * must_be_blocked() checks that the child is blocked and page->turns does not grow. must_go_on()
 * checks that page->turns grows.
 */
void must_be_blocked(const struct child *child);
void must_go_on(const struct child *child);
/*
 * Creates a child that spins until an overflow blocks it. Returns the context that monitors the
 * child. The message about the overflow has not been read.
 */
int blocked_child(struct child *child);

#endif
