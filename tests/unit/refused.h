/* SPDX-License-Identifier: GPL-2.0-only */
/* A check for events that pfmon must refuse. */
#ifndef REFUSED_H
#define REFUSED_H

#include <stdio.h>
#include <string.h>

#include "../../tools/pfmon/event/assignment.h"
#include "../../tools/pfmon/event/events.h"
#include "suites.h"

/* Check that pfmon refuses the events @text with a message that contains @words. */
static inline void must_be_refused(const struct machine *machine, const char *text,
				   const char *words)
{
	char said[512] = "";
	FILE *real = stderr;
	struct event_list list = { 0 };
	int result;

	stderr = fmemopen(said, sizeof(said), "w");
	result = events_parse(&list, text, machine);
	if (!result)
		result = events_assign(&list, machine, false);
	fclose(stderr);
	stderr = real;
	ck_assert_int_eq(result, -1);
	ck_assert_msg(strstr(said, words), "%s: %s", text, said);
	events_free(&list);
}

#endif
