/* SPDX-License-Identifier: GPL-2.0-only */
/* Read a file of event sets: docs/event-sets.md. */
#ifndef PFMON_SETS_FILE_H
#define PFMON_SETS_FILE_H

#include "events.h"

/*
 * Read the sets of the file @path and their events into @list, which is empty.  Reports
 * an error with its place and returns -1, or returns 0.
 */
int sets_file_read(struct event_list *list, const char *path,
		   const struct machine *machine);

#endif
