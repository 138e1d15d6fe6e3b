/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PERFMON_RESTART_H
#define PERFMON_RESTART_H

#include "context.h"

/* Mutex held. */
int pfm_restart(struct pfm_context *context);

#endif
