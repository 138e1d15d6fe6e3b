/* SPDX-License-Identifier: GPL-2.0-only */
/* Precise events: the processor records which instruction caused the event. */
#ifndef PFMON_PRECISE_H
#define PFMON_PRECISE_H

#include "machine.h"

#define PRECISE_TEXT 96

/*
 * Store in @text what the PMU's module reports about precise events: the layout of the PEBS
 * records, such as "format 3", or "no: " and the reason why there are no precise events. Returns
 * false if the module reports nothing about precise events.
 */
bool precise_text(const struct machine *machine, char text[PRECISE_TEXT]);

/*
 * Returns NULL if the event @code can be precise. Otherwise returns the reason, as a text that can
 * follow "because". The text is valid until the next call.
 */
const char *precise_refusal(const struct machine *machine, uint64_t code);

/*
 * Returns true if counters are available for the event @code, but none of these counters can sample
 * precisely. This is the case if only a fixed counter can count the event.
 */
bool precise_only_fixed(const struct machine *machine, uint64_t code);

#endif
