/* SPDX-License-Identifier: GPL-2.0-only */
/* Raw codes: names of events that contain the event's code, as in rc0 or r1b7:10001. */
#ifndef PFMON_RAW_CODE_H
#define PFMON_RAW_CODE_H

#include "pmu.h"

/*
 * Returns whether @name has the form rHEX or rHEX:HEX, where the second number is the value of a
 * second register.
 */
bool raw_code_is(const char *name);

/*
 * Store the first number of @name in @code and the second in @extra. If there is no second number,
 * @extra becomes 0. Returns 0, or -1 after reporting an error: a number is too large, or the code
 * has a bit that no code of @pmu has.
 */
int raw_code_parse(const char *name, const struct pmu *pmu, uint64_t *code,
		   uint64_t *extra);

#endif
