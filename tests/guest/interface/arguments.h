/* SPDX-License-Identifier: GPL-2.0-only */
/* Arguments that calls have to refuse: what the suites about them share. */
#ifndef ARGUMENTS_H
#define ARGUMENTS_H

#include "guest.h"

/* Memory whose last byte is the last that can be reached. */
char *memory_end(void);

/* Addresses at which there is nothing, or which are not the caller's. */
extern void *const bad_addresses[5];

int write_one_pmd(int fd, pfarg_pmd_t pmd);

#endif
