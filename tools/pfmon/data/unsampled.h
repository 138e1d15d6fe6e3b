/* SPDX-License-Identifier: GPL-2.0-only */
/* Events that are in no sample. */
#ifndef PFMON_UNSAMPLED_H
#define PFMON_UNSAMPLED_H

#include "data.h"

/* Add the events of another context. */
void unsampled_add(struct data_unsampled *all, const struct data_unsampled *record);

/*
 * Are there enough of them for a warning? An interrupt always arrives some events late,
 * so a warning needs at least one missing sample and a hundredth of the events.
 */
bool unsampled_matters(const struct data_unsampled *record);

#endif
