/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PERFMON_CORE_CONTROL_H
#define PERFMON_CORE_CONTROL_H

#include "context.h"

/* Mutex held. */
int pfm_start(struct pfm_context *context, const struct pfarg_start *start);
int pfm_stop(struct pfm_context *context);
int pfm_restart(struct pfm_context *context);
int pfm_restart_cpu(struct pfm_context *context, u32 cpu);

#endif
