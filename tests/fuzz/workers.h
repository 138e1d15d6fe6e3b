/* SPDX-License-Identifier: GPL-2.0-only */
/* The workers of a round: processes and threads, from birth to the last corpse. */
#ifndef FUZZ_WORKERS_H
#define FUZZ_WORKERS_H

#include "execute.h"

/* Executes the plan; false if it did not end in @seconds. */
bool workers_run(const struct plan *plan, unsigned int seconds);

/* Given by the program: processes of group @group hang. */
void workers_hang(pid_t group);

/* Given by the program: called several times a second while they work. */
void workers_go_on(void);

#endif
