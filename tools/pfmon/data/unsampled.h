/* SPDX-License-Identifier: GPL-2.0-only */
/* Events that are in no sample. */
#ifndef PFMON_UNSAMPLED_H
#define PFMON_UNSAMPLED_H

#include "data.h"

/* Add the events of another context. */
void unsampled_add(struct data_unsampled *all, const struct data_unsampled *record);

/*
 * Are there enough of them for a warning? An interrupt always arrives some events late,
 * so they are from one sample and a hundredth of the events on.
 */
bool unsampled_matters(const struct data_unsampled *record);

#endif
