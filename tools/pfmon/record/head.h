/* SPDX-License-Identifier: GPL-2.0-only */
/* Write the records that come before the samples in the file: MACHINE, COMMAND and EVENT. */
#ifndef PFMON_HEAD_H
#define PFMON_HEAD_H

#include <stddef.h>

#include "../data/data_write.h"
#include "../data/data.h"
#include "../event/events.h"
#include "../run/targets.h"
#include "rate.h"

/*
 * Returns a number that identifies a new recording. It is computed from the time, and is never 0.
 */
uint32_t head_number(void);

/*
 * Write the MACHINE, COMMAND and EVENT records. @record contains the number and the flags of the
 * recording. @command is the command to run; NULL: there is none. @targets are the targets that the
 * user named. @rates are the periods of @events. Returns 0, or -1 after reporting an error.
 */
int head_write(struct data_writer *writer, const struct machine *machine,
	       struct data_machine record, char *const *command,
	       const struct targets *targets, const struct event_list *events,
	       const struct rate *rates, uint64_t frequency);

#endif
