/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PERFMON_CORE_EXIT_EXEC_H
#define PERFMON_CORE_EXIT_EXEC_H

/* Set the probes of exit, exec and fork.  Called once, when the module is loaded. */
void pfm_exit_exec_init(void);

#endif
