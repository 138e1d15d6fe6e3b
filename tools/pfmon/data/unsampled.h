/* SPDX-License-Identifier: GPL-2.0-only */
/* Events that are in no sample. */
#ifndef PFMON_UNSAMPLED_H
#define PFMON_UNSAMPLED_H

#include "data.h"

/* Add the numbers of one context's @record to the sums in @all. */
void unsampled_add(struct data_unsampled *all, const struct data_unsampled *record);

/*
 * Returns whether to warn the user about events that are in no sample. A few such events are
 * normal, because interrupts arrive late. So pfmon warns the user only if at least one sample is
 * missing and at least 1 % of the events are in no sample.
 */
bool unsampled_matters(const struct data_unsampled *record);

#endif
