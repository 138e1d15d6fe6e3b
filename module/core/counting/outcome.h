/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Only the functions of this file decide what follows an overflow or a restart.  They change
 * nothing.  Each caller carries out the outcome itself, because the values of the counters are in
 * different places.  In the overflow interrupt, the counters are halted, and their values are still
 * in the hardware.  For the other callers, the values are in memory.
 *
 * An overflow has three steps.  First, the format makes requests (PFM_CONTROL_*); if there is no
 * format, pfm_control_without_format() makes them.  Second, a notification that finds the queue
 * full may add PFM_CONTROL_MASK.  Third, pfm_outcome_of_overflow() turns the requests into one
 * outcome.
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
 * @PFM_OUTCOME_MASK: monitoring stops until the restart, which resets PMDs or
 *	switches sets
 */
enum pfm_outcome {
	PFM_OUTCOME_NONE,
	PFM_OUTCOME_RESET,
	PFM_OUTCOME_SWITCH,
	PFM_OUTCOME_MASK,
};

/*
 * Return: the requests for overflows in a context without a format: step 3 of docs/interface.md
 * 3.5.  A notification masks the context.  Overflows without a notification also mask the context,
 * unless a set switch is due, or the set has PFM_SETFL_OVFL_SWITCH and every PMD that overflowed
 * has a switch count.  If there was no notification, no restart can unmask the context; perfmon2
 * called this saturation.  @wrapped: the PMDs that overflowed.  @control: PFM_CONTROL_SWITCH if a
 * set switch is due; if not, 0.
 */
static inline u32 pfm_control_without_format(const struct pfm_set *set, u64 wrapped,
					     u32 control)
{
	if (wrapped & set->notifying)
		return PFM_CONTROL_NOTIFY | PFM_CONTROL_MASK;
	if (control & PFM_CONTROL_SWITCH || !(wrapped & ~pfm_set_triggers(set)))
		return PFM_CONTROL_RESET;
	return PFM_CONTROL_MASK;
}

/*
 * Return: what remains of a format's requests if a context shares its buffers with copies.  The
 * thread does not wait for the user: if the buffer is full, the format counts samples as lost, and
 * one notification is sent.  @was_full: the buffer was full before the format was called.
 */
static inline u32 pfm_control_of_shared(u32 control, bool was_full)
{
	if (!(control & PFM_CONTROL_MASK))
		return control;
	if (was_full)
		control &= ~PFM_CONTROL_NOTIFY;
	return (control & ~PFM_CONTROL_MASK) | PFM_CONTROL_RESET;
}

/*
 * Return: the request that a notification adds if the queue has no room for its message.  Only a
 * continuous format can go on without the message.
 */
static inline u32 pfm_control_of_full_queue(const struct pfm_format *format)
{
	return format && format->flags & PFM_FORMAT_CONTINUOUS ? 0 : PFM_CONTROL_MASK;
}

/*
 * Return: what follows an overflow.  @control: the PFM_CONTROL_* that handle_wrapped() returned.  If
 * a set switch is due and the outcome is PFM_OUTCOME_MASK, the switch waits for the restart.
 */
static __always_inline enum pfm_outcome pfm_outcome_of_overflow(u32 control)
{
	if (unlikely(control & PFM_CONTROL_MASK))
		return PFM_OUTCOME_MASK;
	if (unlikely(control & PFM_CONTROL_SWITCH))
		return PFM_OUTCOME_SWITCH;
	return control & PFM_CONTROL_RESET ? PFM_OUTCOME_RESET : PFM_OUTCOME_NONE;
}

/*
 * Return: whether a restart ends the masking of a context, or empties the full buffer of a CPU.
 * @is_masked: whether the context is masked, or the buffer is full.  @control: what the format's
 * restart returned.
 */
static inline bool pfm_restart_unmasks(bool is_masked, u32 control)
{
	return is_masked && !(control & PFM_CONTROL_MASK);
}

/*
 * If a set switch has waited for this restart, the restart does not reset the noted PMDs of the set
 * that is active before the switch.  These PMDs are reset when that set becomes active again.
 * @unmasks: the result of pfm_restart_unmasks().
 */
static inline enum pfm_outcome pfm_outcome_of_restart(const struct pfm_context *context,
						      bool unmasks, u32 control)
{
	if (unmasks && context->switch_due)
		return PFM_OUTCOME_SWITCH;
	return control & PFM_CONTROL_RESET ? PFM_OUTCOME_RESET : PFM_OUTCOME_NONE;
}

#endif
