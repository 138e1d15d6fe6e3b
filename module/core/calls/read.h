/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PERFMON_CORE_READ_H
#define PERFMON_CORE_READ_H

#include "vector.h"

/*
 * Read PMDs.  The caller holds the context's mutex.  @argument: a vector of struct pfarg_pmd for
 * pfm_read_pmds(), of struct pfarg_pmr for pfm_read().
 */
int pfm_read_pmds(struct pfm_context *context, struct pfm_argument argument);
int pfm_read(struct pfm_context *context, struct pfm_argument argument);

#endif
