/* SPDX-License-Identifier: GPL-2.0-only */
/* pfmon: what the suites about symbols look up with. */
#ifndef LOOKUP_H
#define LOOKUP_H

#include "../../tools/pfmon/report/symbols.h"
#include "suites.h"
#include "synthetic.h"

/* Where @address of process @tgid is at @time. */
struct location find_at(struct symbols *symbols, uint32_t tgid, uint64_t time,
			uint64_t address);
/* Of process 1, at time 0. */
struct location find_symbol(struct symbols *symbols, uint64_t address);
void check_location(struct symbols *symbols, uint64_t address, const char *name,
		    uint64_t offset);

/* What is said on standard error, in @text, from here to the next call. */
void catch_stderr(char *text, size_t size);
/* How often @part is in @text. */
unsigned int occurrences(const char *text, const char *part);

#endif
