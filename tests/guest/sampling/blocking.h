/* SPDX-License-Identifier: GPL-2.0-only */
/* What the suites about PFM_FL_NOTIFY_BLOCK share: a child that is blocked. */
#ifndef BLOCKING_H
#define BLOCKING_H

#include "samples.h"

/* Stands for "at once". */
unsigned int soon_ms(void);

/* Without a format, for blocking; the first counter is busy and sampled. */
int blocking_context(void);

/* The child spins, counting page->turns, until spin_end(). */
void spin_begin(const struct child *child);
void spin_end(const struct child *child);
bool is_blocked(pid_t tid);
/* It got that far and no further. */
void must_be_blocked(const struct child *child);
void must_go_on(const struct child *child);
/* A child that spins and is blocked, its message not yet read. */
int blocked_child(struct child *child);

#endif
