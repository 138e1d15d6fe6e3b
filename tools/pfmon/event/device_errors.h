/* SPDX-License-Identifier: GPL-2.0-only */
/* Messages for calls of perfmon that fail. */
#ifndef PFMON_DEVICE_ERRORS_H
#define PFMON_DEVICE_ERRORS_H

/*
 * Say why the device could not be opened or a context not be made; @error is
 * the errno of that call, @pmu the PMU that was asked for or NULL.  Returns -1.
 */
int fail_open(int error, const char *pmu);

/* Say why attaching to thread @tid failed with @error on @fd.  Returns -1. */
int fail_load(int fd, int tid, int error);

/* Say that @what failed with @error on @fd, and libpfmdev's reason. */
int fail_call(int fd, const char *what, int error);

#endif
