/* SPDX-License-Identifier: GPL-2.0-only */
/* The files of a recording. */
#ifndef PFMON_RECORDER_FILE_H
#define PFMON_RECORDER_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "recorder.h"

/* The functions that return int return 0, or -1 after reporting an error. */

/* Create the first file, and write its head and the names and mappings of the processes. */
int recorder_begin_file(struct recorder *recorder);

/* Write the new names and mappings of the processes. */
int recorder_look(struct recorder *recorder);

/* Returns the time of the newest sample of all contexts. */
uint64_t recorder_newest(const struct recorder *recorder);

/* Write the records at the end of the file.  @flags are DATA_END_*. */
int recorder_end_file(struct recorder *recorder, uint32_t flags);

/* Write the addresses of the kernel and its modules. */
int recorder_write_kernel(struct recorder *recorder, struct data_writer *writer);

/*
 * Returns the time in ns until the next file has to begin, or UINT64_MAX if files have no time
 * limit.
 */
uint64_t recorder_time_left(const struct recorder *recorder);

/* Returns whether another file has to begin. */
bool recorder_file_is_full(const struct recorder *recorder);

/*
 * Call this when the number of contexts has changed. It reserves room for the records at the end of
 * the file.
 */
void recorder_reserve(struct recorder *recorder);

/* Complete the current file, and begin another one. */
int recorder_switch_file(struct recorder *recorder);

#endif
