/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PERFMON_ATTACH_H
#define PERFMON_ATTACH_H

#include "context.h"

/* Mutex held. */
int pfm_load(struct pfm_context *context, const struct pfarg_load *load);
void pfm_unload(struct pfm_context *context);
int pfm_start(struct pfm_context *context, const struct pfarg_start *start);
int pfm_stop(struct pfm_context *context);

/* From its notification, in interrupt context: its thread waits for a restart. */
void pfm_block_thread(struct pfm_context *context);

/*
 * The caller's process ends.  If it loaded the context, its thread shall not wait for a restart
 * by anybody else who happens to have the descriptor.
 */
void pfm_loader_ends(struct pfm_context *context);

/* The hooks of the scheduler; may sleep. */
int pfm_hooks_enable(void);
void pfm_hooks_disable(void);

#endif
