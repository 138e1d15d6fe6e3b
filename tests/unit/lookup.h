/* SPDX-License-Identifier: GPL-2.0-only */
/* Helpers for the suites that test how pfmon looks up symbols. */
#ifndef LOOKUP_H
#define LOOKUP_H

#include "../../tools/pfmon/report/symbols.h"
#include "suites.h"
#include "synthetic.h"

/* Returns the location of @address in process @tgid at @time. */
struct location find_at(struct symbols *symbols, uint32_t tgid, uint64_t time,
			uint64_t address);
/* Returns the location of @address in process 1 at time 0. */
struct location find_symbol(struct symbols *symbols, uint64_t address);
void check_location(struct symbols *symbols, uint64_t address, const char *name,
		    uint64_t offset);

/*
 * The first call begins to capture standard error. Each later call stores in @text all
 * that has been captured.
 */
void catch_stderr(char *text, size_t size);
/* Returns the number of occurrences of @part in @text. */
unsigned int occurrences(const char *text, const char *part);

#endif
