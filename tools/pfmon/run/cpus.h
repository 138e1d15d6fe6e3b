/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Contexts on CPUs.  If several CPUs share the registers of the PMU, one context counts for all of
 * them, on the CPU that owns the registers.
 */
#ifndef PFMON_CPUS_H
#define PFMON_CPUS_H

#include "targets.h"

/*
 * Returns the highest number that a CPU of the machine can have.  If that is not known, it is
 * computed from the number of configured CPUs.
 */
int cpus_highest(void);

/*
 * Load a context of @group on each CPU of @targets, or on the owners of the CPUs' registers.
 * Reports an error and returns -1, or returns 0.
 */
int cpus_attach(const struct targets *targets, struct group *group);

/*
 * Append CPUs to @wanted: those of @targets or, if @targets is the whole machine, those that are
 * online now.  Reports an error and returns -1, or returns 0.  The caller frees @wanted->ids in any
 * case.
 */
int cpus_wanted(const struct targets *targets, struct id_list *wanted);

/*
 * Fails if no context was loaded.  Otherwise warns that each CPU in @offline will be @done, for
 * example "counted", as soon as it comes online.  Reports an error and returns -1, or returns 0.
 */
int cpus_warn_offline(const struct id_list *offline, size_t attached, const char *done);

/*
 * Warn that @cpu came online but is not @done, for example "counted", because a call on context
 * @fd failed with @error.  Only the first call of this function warns.
 */
void cpus_warn_refused(int fd, int cpu, const char *done, int error);

/*
 * Count on the CPUs of @targets that have come online since the last call, for the first time or
 * again.  Warns only of the first CPU that cannot be counted.  Returns -1 after an error that ends
 * the measurement, or 0.
 */
int cpus_follow(const struct targets *targets, struct group *group);

/**
 * struct cpu_changes - CPUs that were not online all the time
 * @away: number of CPUs that went offline and are still offline at the end
 * @back: number of CPUs that went offline and came online again
 * @later: number of CPUs that came online for the first time
 */
struct cpu_changes {
	size_t away;
	size_t back;
	size_t later;
};

/*
 * Add the changes since the load to @changes. The contexts must still be loaded.
 */
void cpus_add_change(const struct session *session, struct cpu_changes *changes);
void cpus_add_changes(const struct group *group, struct cpu_changes *changes);

/* Warn about the changes.  @what: what the warnings are about, "counts" or "samples". */
void cpus_warn(const struct cpu_changes *changes, const char *what);

/*
 * Store the CPUs of the contexts of @group in @cpus, in order. Reports an error and returns -1, or
 * returns 0.
 */
int cpus_list(const struct group *group, struct id_list *cpus);

#endif
