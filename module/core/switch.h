/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PERFMON_SWITCH_H
#define PERFMON_SWITCH_H

#include "context.h"

/* The module comes: hooks.h. */
void pfm_switch_init(void);

/* Context lock held, on the CPU where its thread runs; @now in ns. */
void pfm_switch_in(struct pfm_context *context, u64 now);
void pfm_switch_end(struct pfm_context *context);

/* Context lock held, called via pfm_context_call(). */
void pfm_monitoring_begin(struct pfm_context *context);
void pfm_monitoring_end(struct pfm_context *context);
void pfm_monitoring_mask(struct pfm_context *context);
void pfm_pause(struct pfm_context *context);
void pfm_resume(struct pfm_context *context);

/**
 * pfm_counting_prepare() - get the active set ready to count here, but for start()
 * @context: monitoring; paused
 * @previous: set that was active before
 *
 * Of the PMCs only those are written that differ from @previous.
 *
 * Return: what start() takes, NULL if nothing is to count.
 */
struct pfm_registers *pfm_counting_prepare(struct pfm_context *context,
					   const struct pfm_set *previous);

#endif
