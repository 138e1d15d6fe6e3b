// SPDX-License-Identifier: GPL-2.0-only
/* Add up how many events are in no sample, and decide whether to warn the user about them. */
#include "../common/sum.h"
#include "unsampled.h"

bool unsampled_matters(const struct data_unsampled *record)
{
	return record->samples && record->events >= record->counted / 100;
}

void unsampled_add(struct data_unsampled *all, const struct data_unsampled *record)
{
	all->counted = sum(all->counted, record->counted);
	all->events = sum(all->events, record->events);
	all->samples = sum(all->samples, record->samples);
}
