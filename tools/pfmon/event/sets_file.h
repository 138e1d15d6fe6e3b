/* SPDX-License-Identifier: GPL-2.0-only */
/* Read a file of event sets, see docs/event-sets.md. */
#ifndef PFMON_SETS_FILE_H
#define PFMON_SETS_FILE_H

#include "events.h"

/*
 * Read the sets of the file @path and their events into the empty list @list. Returns 0, or -1
 * after reporting an error with its file and line.
 */
int sets_file_read(struct event_list *list, const char *path,
		   const struct machine *machine);

#endif
