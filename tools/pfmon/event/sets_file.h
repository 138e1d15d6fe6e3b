/* SPDX-License-Identifier: GPL-2.0-only */
/* A file that says which event sets there are: docs/event-sets.md. */
#ifndef PFMON_SETS_FILE_H
#define PFMON_SETS_FILE_H

#include "events.h"

/*
 * Read the sets of the file @path and their events into @list, which is empty.  Says what
 * is wrong, and where, and returns -1, or 0.
 */
int sets_file_read(struct event_list *list, const char *path,
		   const struct machine *machine);

#endif
