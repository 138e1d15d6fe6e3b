/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's sampling formats: their names and their arguments. */
#ifndef PFMON_SAMPLING_FORMAT_H
#define PFMON_SAMPLING_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <perfmon/perfmon_callchain.h>
#include <perfmon/perfmon_dfl_smpl.h>
#include <perfmon/perfmon_hist.h>
#include <perfmon/perfmon_nway.h>

#include "../data/data.h"

/* The arguments of all formats have the same size. */
union sampling_argument {
	struct pfm_dfl_smpl_arg linear;
	struct pfm_nway_arg nway;
	struct pfm_callchain_arg callchain;
	struct pfm_hist_arg hist;
};

/* Returns the format called @name, or 0 if there is no such format. */
enum data_format sampling_format_find(const char *name);
const char *sampling_format_name(enum data_format format);

/*
 * Store in @argument the argument for a buffer of at most @size bytes; @size is at least
 * 4096.  @has_recorded: the hardware records the callers (format callchain).
 */
void sampling_format_argument(enum data_format format, uint64_t size, bool has_recorded,
			      union sampling_argument *argument);

/* Returns the size of the buffer whose first page is @header. */
size_t sampling_format_size(enum data_format format, const void *header);

#endif
