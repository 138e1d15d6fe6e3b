/* SPDX-License-Identifier: GPL-2.0-only */
/* Helpers for the suites about arguments that calls have to refuse. */
#ifndef ARGUMENTS_H
#define ARGUMENTS_H

#include "guest.h"

/*
 * Returns the address of the end of a page. The bytes before this address can be accessed. The
 * bytes from this address on cannot be accessed.
 */
char *memory_end(void);

/* Invalid addresses: unmapped, or not accessible to the caller. */
extern void *const bad_addresses[5];

int write_one_pmd(int fd, pfarg_pmd_t pmd);

#endif
