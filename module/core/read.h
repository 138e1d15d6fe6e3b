/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PERFMON_CORE_READ_H
#define PERFMON_CORE_READ_H

#include "vector.h"

/* Mutex held.  @argument: a vector of struct pfarg_pmd or struct pfarg_pmr. */
int pfm_read_pmds(struct pfm_context *context, struct pfm_argument argument);
int pfm_read(struct pfm_context *context, struct pfm_argument argument);

#endif
