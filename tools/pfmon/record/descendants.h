/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Find the descendants of this process: its child processes, their child processes, and so on.
 */
#ifndef PFMON_DESCENDANTS_H
#define PFMON_DESCENDANTS_H

#include "../common/options.h"

/*
 * Append the pids of all current descendants. Appends nothing if the kernel does not list children
 * in /proc. Returns 0, or -1 after reporting an error.
 */
int descendants_find(struct id_list *pids);

#endif
