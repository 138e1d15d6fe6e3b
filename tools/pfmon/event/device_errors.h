/* SPDX-License-Identifier: GPL-2.0-only */
/* Messages for failed calls of libpfmdev. */
#ifndef PFMON_DEVICE_ERRORS_H
#define PFMON_DEVICE_ERRORS_H

/*
 * Report why /dev/perfmon could not be opened, or why a context could not be made. @error is the
 * errno of the failed call. @pmu is the PMU that the user chose, or NULL if the user chose none.
 * Returns -1.
 */
int fail_open(int error, const char *pmu);

/* Report why loading the context @fd on thread @tid failed with @error.  Returns -1. */
int fail_load(int fd, int tid, int error);

/* Report why loading the system-wide context @fd on @cpu failed with @error.  Returns -1. */
int fail_load_cpu(int fd, int cpu, int error);

/*
 * Report that pfmon cannot do @what because a call on @fd failed with @error. The message contains
 * libpfmdev's reason. Returns -1.
 */
int fail_call(int fd, const char *what, int error);

#endif
