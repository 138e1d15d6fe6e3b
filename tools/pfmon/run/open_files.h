/* SPDX-License-Identifier: GPL-2.0-only */
/* The limit on open files. Each context is an open file. */
#ifndef PFMON_OPEN_FILES_H
#define PFMON_OPEN_FILES_H

/* Raise the soft limit to the hard one. */
void open_files_raise(void);

/* Restore the soft limit. The process that becomes COMMAND calls this. */
void open_files_restore(void);

/* Report that the limit on open files is too low for the number of contexts. Returns -1. */
int open_files_fail(void);

#endif
