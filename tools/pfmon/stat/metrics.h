/* SPDX-License-Identifier: GPL-2.0-only */
/* Figures that are computed from counts. */
#ifndef PFMON_METRICS_H
#define PFMON_METRICS_H

#include "results.h"

/**
 * struct metric - the comment after the count of an event, such as "2.00 insn per cycle"
 * @value: the figure, in units of @unit
 * @decimals: number of meaningful digits after the point
 * @unit: "insn per cycle", ...; NULL if there is no comment
 */
struct metric {
	double value;
	int decimals;
	const char *unit;
};

struct metric results_metric(const struct results *results, size_t event);

#endif
