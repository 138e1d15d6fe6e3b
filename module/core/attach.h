/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PERFMON_ATTACH_H
#define PERFMON_ATTACH_H

#include "context.h"

/* Mutex held. */
int pfm_load(struct pfm_context *context, const struct pfarg_load *load);
void pfm_unload(struct pfm_context *context);

/* From its notification, in interrupt context: its thread waits for a restart. */
void pfm_block_thread(struct pfm_context *context);

/*
 * The caller's process ends.  If it loaded the context, its thread shall not wait for a restart
 * by anybody else who happens to have the descriptor.
 */
void pfm_loader_ends(struct pfm_context *context);

/*
 * From the hooks: in the thread itself, interrupts off.  @tell: with a message; @closed: to a
 * program that its watcher may not see.
 */
void pfm_detach_current(struct pfm_context *context, bool tell, bool closed);

#endif
