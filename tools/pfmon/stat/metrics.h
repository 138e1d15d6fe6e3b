/* SPDX-License-Identifier: GPL-2.0-only */
/* Figures that are derived from counts. */
#ifndef PFMON_METRICS_H
#define PFMON_METRICS_H

#include "results.h"

/**
 * struct metric - what the comment column says of an event
 * @value: figure, in units of @unit
 * @decimals: digits behind the point that say something
 * @unit: "insn per cycle", ...; NULL if there is nothing to say
 */
struct metric {
	double value;
	int decimals;
	const char *unit;
};

struct metric results_metric(const struct results *results, size_t event);

#endif
