// SPDX-License-Identifier: GPL-2.0-only
/* How long a set has been active, and how much of its timeout remains. */
#include "set_clock.h"

u64 pfm_set_duration(struct pfm_context *context, struct pfm_set *set)
{
	return max_t(s64, pfm_set_time(context, set, pfm_clock()), 0);
}

u64 pfm_set_time_left(struct pfm_context *context, struct pfm_set *set)
{
	return max_t(s64, pfm_set_rest(context, set, pfm_clock()), 0);
}
