/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PERFMON_CORE_SETS_H
#define PERFMON_CORE_SETS_H

#include "context.h"

/* Mutex held. */
int pfm_create_evtsets(struct pfm_context *context, struct pfarg_setdesc *descriptions,
		       u32 count);
int pfm_getinfo_evtsets(struct pfm_context *context, struct pfarg_setinfo *infos,
			u32 count);
int pfm_delete_evtsets(struct pfm_context *context, struct pfarg_setdesc *descriptions,
		       u32 count);

#endif
