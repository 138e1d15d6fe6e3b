/* SPDX-License-Identifier: GPL-2.0-only */
/* Events that are in no sample. */
#ifndef PFMON_UNSAMPLED_H
#define PFMON_UNSAMPLED_H

#include "data.h"

/* Add the numbers of @record, the record of one context, to the sums in @all. */
void unsampled_add(struct data_unsampled *all, const struct data_unsampled *record);

/*
 * Are so many events missing from the samples that the user should be warned? A few
 * events are always missing, because an interrupt arrives late.  So the user is warned
 * only if at least one sample and a hundredth of the events are missing.
 */
bool unsampled_matters(const struct data_unsampled *record);

#endif
