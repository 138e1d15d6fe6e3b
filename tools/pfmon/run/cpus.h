/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Contexts on CPUs.  If several CPUs share the registers of the PMU, one context counts for all of
 * them, on the CPU that owns the registers.
 */
#ifndef PFMON_CPUS_H
#define PFMON_CPUS_H

#include "targets.h"

/*
 * Returns the highest number that a CPU of the machine can have. If the kernel does not show this
 * number, returns the number of configured CPUs minus 1.
 */
int cpus_highest(void);

/*
 * Load a context of @group on each CPU of @targets or, if CPUs share registers, on each owner of
 * these registers. Returns 0, or reports an error and returns -1.
 */
int cpus_attach(const struct targets *targets, struct group *group);

/*
 * Append the CPUs of @targets to @wanted. If @targets is the whole machine, append the CPUs that
 * are online now. Returns 0, or reports an error and returns -1. The caller frees @wanted->ids in
 * any case.
 */
int cpus_wanted(const struct targets *targets, struct id_list *wanted);

/*
 * Warn for each CPU in @offline that "it will be @done as soon as it comes online". @done is for
 * example "counted". If no context was loaded (@attached is 0), report an error and return -1.
 * Otherwise return 0.
 */
int cpus_warn_offline(const struct id_list *offline, size_t attached, const char *done);

/*
 * Warn that CPU @cpu "came online, but is not @done", because a call with the context's descriptor
 * @fd failed with @error. @done is for example "counted". Only the first call of this function
 * warns.
 */
void cpus_warn_refused(int fd, int cpu, const char *done, int error);

/*
 * Begin to count on the CPUs of @targets that have come online since the last call. On a CPU that
 * was counted before it went offline, continue to count. Warns only of the first CPU that cannot be
 * counted. Returns 0, or -1 after an error that ends the measurement.
 */
int cpus_follow(const struct targets *targets, struct group *group);

/**
 * struct cpu_changes - CPUs that were not online all the time
 * @away: number of CPUs that went offline and did not come online again
 * @back: number of CPUs that went offline and came online again
 * @later: number of CPUs that were offline at first and came online later
 */
struct cpu_changes {
	size_t away;
	size_t back;
	size_t later;
};

/*
 * Add the changes since the load to @changes. Call this before the contexts are unloaded: for each
 * context that is not loaded, the functions assume that its CPU went offline.
 */
void cpus_add_change(const struct session *session, struct cpu_changes *changes);
void cpus_add_changes(const struct group *group, struct cpu_changes *changes);

/* Warn about the changes.  @what: what the warnings are about, "counts" or "samples". */
void cpus_warn(const struct cpu_changes *changes, const char *what);

/*
 * Store in @cpus the CPUs on which @group has contexts, in ascending order. Returns 0, or reports
 * an error and returns -1.
 */
int cpus_list(const struct group *group, struct id_list *cpus);

#endif
