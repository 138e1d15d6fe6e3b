/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PERFMON_TRACEPOINT_H
#define PERFMON_TRACEPOINT_H

/*
 * Probes on tracepoints that the kernel does not export: found by name.
 * Process context, may sleep.  A probe may still be running when
 * pfm_tracepoint_unregister() returns; see tracepoint_synchronize_unregister().
 */
int pfm_tracepoint_register(const char *name, void *probe);
void pfm_tracepoint_unregister(const char *name, void *probe);

#endif
