/* SPDX-License-Identifier: GPL-2.0-only */
/* The files of a recording. */
#ifndef PFMON_RECORDER_FILE_H
#define PFMON_RECORDER_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "recorder.h"

/* The functions that return int report an error and return -1, or return 0. */

/* Create the first file, and write what is known before the first sample. */
int recorder_begin_file(struct recorder *recorder);

/* Write what is new about the processes. */
int recorder_look(struct recorder *recorder);

/* Returns the time of the newest sample of all contexts. */
uint64_t recorder_newest(const struct recorder *recorder);

/* Write the records at the end of the file.  @flags are DATA_END_*. */
int recorder_end_file(struct recorder *recorder, uint32_t flags);

/* Write where the kernel and its modules are. */
int recorder_write_kernel(struct recorder *recorder, struct data_writer *writer);

/* Returns the time in ns until another file is due; UINT64_MAX if files do not end after a time. */
uint64_t recorder_time_left(const struct recorder *recorder);

/* Is it time for another file? */
bool recorder_file_is_full(const struct recorder *recorder);

/* Keep room in the file for the records at its end, after the number of contexts has changed. */
void recorder_reserve(struct recorder *recorder);

/* Complete the current file, and begin another one. */
int recorder_switch_file(struct recorder *recorder);

#endif
