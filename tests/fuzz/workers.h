/* SPDX-License-Identifier: GPL-2.0-only */
/* Starts the workers of a round, and waits until all have exited. */
#ifndef FUZZ_WORKERS_H
#define FUZZ_WORKERS_H

#include "execute.h"

/* Executes the plan. Returns false if the workers hang: if they execute nothing for @seconds. */
bool workers_run(const struct plan *plan, unsigned int seconds);

/*
 * fuzz.c and each printed program define this function. It is called if processes of the process
 * group @group hang.
 */
void workers_hang(pid_t group);

/*
 * fuzz.c and each printed program define this function. It is called several times per second while
 * the workers run. It returns the number of operations so far.
 */
uint64_t workers_go_on(void);

#endif
