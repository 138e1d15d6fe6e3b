/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PERFMON_MACHINE_H
#define PERFMON_MACHINE_H

void pfm_machine_init(void);

/* Modules with PMUs of this machine's processor have this alias: see PFM_PMU_ALIAS. */
const char *pfm_machine_alias(void);

#endif
