/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PERFMON_BOUND_H
#define PERFMON_BOUND_H

#include "context.h"

/*
 * Load a system-wide context on CPU @number.  Before the call the context is not loaded.  The
 * caller holds its mutex.  May sleep.  Return: 0, or a negative errno.
 */
int pfm_bound_load(struct pfm_context *context, u32 number, struct pfm_set *set);

/* The caller holds the context's mutex.  Does nothing if the context is not loaded. */
void pfm_bound_unload(struct pfm_context *context);

/* Return: number of loaded system-wide contexts. */
unsigned int pfm_bound_count(void);

/* Module init and exit; may sleep. */
int pfm_bound_init(void);
void pfm_bound_exit(void);

#endif
