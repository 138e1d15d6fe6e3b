/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PERFMON_MACHINE_H
#define PERFMON_MACHINE_H

void pfm_machine_init(void);

/* Return: the alias (PFM_PMU_ALIAS) of the PMU module for this processor. */
const char *pfm_machine_alias(void);

#endif
