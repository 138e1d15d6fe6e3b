/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Only the functions of this file decide what follows an overflow or a restart.  Each caller
 * carries out the outcome itself, because the values of the counters are in different places.  In
 * the overflow interrupt, the counters are halted, and their values are still in the hardware.  For
 * the other callers, the values are in memory.
 */
#ifndef PERFMON_OUTCOME_H
#define PERFMON_OUTCOME_H

#include <perfmon_format.h>

#include "context.h"

/**
 * enum pfm_outcome - what happens to a context
 * @PFM_OUTCOME_NONE: nothing
 * @PFM_OUTCOME_RESET: the noted PMDs get their reset values, see pfm_reset_note()
 * @PFM_OUTCOME_SWITCH: the next set becomes active, and the PMDs that are noted in that
 *	set are reset
 * @PFM_OUTCOME_MASK: monitoring is suspended until the restart, which resets PMDs or
 *	switches sets
 */
enum pfm_outcome {
	PFM_OUTCOME_NONE,
	PFM_OUTCOME_RESET,
	PFM_OUTCOME_SWITCH,
	PFM_OUTCOME_MASK,
};

/* Return: what follows an overflow.  @control: the PFM_CONTROL_* that handle_wrapped() returned. */
static __always_inline enum pfm_outcome
pfm_outcome_of_overflow(struct pfm_context *context, u32 control)
{
	if (unlikely(control & PFM_CONTROL_MASK)) {
		context->switch_due |= control & PFM_CONTROL_SWITCH;
		return PFM_OUTCOME_MASK;
	}
	if (unlikely(control & PFM_CONTROL_SWITCH))
		return PFM_OUTCOME_SWITCH;
	return control & PFM_CONTROL_RESET ? PFM_OUTCOME_RESET : PFM_OUTCOME_NONE;
}

/* Return: whether a restart ends the masking. */
static inline bool pfm_restart_unmasks(const struct pfm_context *context, u32 control)
{
	return context->state == PFM_STATE_MASKED && !(control & PFM_CONTROL_MASK);
}

/*
 * If a set switch has waited for this restart, the restart does not reset the noted PMDs of the set
 * that is active before the switch.  These PMDs are reset when that set becomes active again.
 */
static inline enum pfm_outcome pfm_outcome_of_restart(struct pfm_context *context,
						      u32 control)
{
	if (pfm_restart_unmasks(context, control) && context->switch_due) {
		context->switch_due = false;
		return PFM_OUTCOME_SWITCH;
	}
	return control & PFM_CONTROL_RESET ? PFM_OUTCOME_RESET : PFM_OUTCOME_NONE;
}

#endif
