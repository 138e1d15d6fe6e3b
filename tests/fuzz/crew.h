/* SPDX-License-Identifier: GPL-2.0-only */
/* The workers of a round: processes and threads, from birth to the last corpse. */
#ifndef FUZZ_CREW_H
#define FUZZ_CREW_H

#include "execute.h"

/* Executes the plan; false if it did not end in @seconds. */
bool crew_run(const struct plan *plan, unsigned int seconds);

/* Given by the program: processes of group @group hang. */
void crew_hangs(pid_t group);

#endif
