/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PERFMON_VIRTUAL_H
#define PERFMON_VIRTUAL_H

#include "context.h"

static inline bool pfm_is_virtual(unsigned int pmd)
{
	return pmd >= PFM_VIRTUAL_PMD_BASE;
}

/*
 * Return: a bitmap; bit n is set if PMD PFM_VIRTUAL_PMD_BASE + n exists. If @pmu is NULL, the
 * bitmap has only the PMDs of the core.
 */
u64 pfm_virtual_pmds(const struct pfm_pmu *pmu);

/* Return: whether the PMD describes a thread.  A system-wide context cannot use such a PMD. */
bool pfm_virtual_is_of_thread(unsigned int pmd);
const char *pfm_virtual_name(const struct pfm_pmu *pmu, unsigned int pmd);
bool pfm_virtual_is_state(const struct pfm_pmu *pmu, unsigned int pmd);

/*
 * Called where the registers are (see struct pfm_context): with the context lock held, or in an
 * NMI.
 */
void pfm_virtual_begin(struct pfm_context *context, struct pfm_set *set);
void pfm_virtual_end(struct pfm_context *context, struct pfm_set *set);
u64 pfm_virtual_read(struct pfm_context *context, struct pfm_set *set, unsigned int pmd);
void pfm_virtual_use(struct pfm_context *context, struct pfm_set *set, u64 pmds);
void pfm_virtual_write(struct pfm_context *context, struct pfm_set *set, unsigned int pmd,
		       u64 value);

#endif
