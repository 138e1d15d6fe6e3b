/* SPDX-License-Identifier: GPL-2.0-only */
/* Helpers for the suites about PFM_FL_NOTIFY_BLOCK: a child that is blocked. */
#ifndef BLOCKING_H
#define BLOCKING_H

#include "samples.h"

/* A period so short that the counter overflows at once. */
unsigned int soon_ms(void);

/* A blocking context without a format. The first counter is busy and sampled. */
int blocking_context(void);

/* The child spins and counts page->turns until spin_end(). */
void spin_begin(const struct child *child);
void spin_end(const struct child *child);
bool is_blocked(pid_t tid);
/* The thread reached that number of turns and no more. */
void must_be_blocked(const struct child *child);
void must_go_on(const struct child *child);
/* A child that spins and is blocked. Its message has not been read. */
int blocked_child(struct child *child);

#endif
