/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PERFMON_FORMAT_SETUP_H
#define PERFMON_FORMAT_SETUP_H

#include "context.h"

/*
 * Process context, mutex held, may sleep.  Set up the instances of @format in @context, which is
 * being created.  Return: 0 or a negative errno; context->error has the reason.
 */
int pfm_format_begin(struct pfm_context *context, const struct pfm_format *format,
		     const struct pfm_format_setup *setup);

/*
 * Free the instances, and release the format.  Called when the context will not be loaded again: no
 * overflow handler runs, and no handler will run later.
 */
void pfm_format_end(struct pfm_context *context);

#endif
