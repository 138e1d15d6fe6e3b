/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Write the names and mappings of all processes of the machine, or of one process and its
 * descendants. Processes that exist at the beginning are found in /proc. The kernel reports the
 * processes that begin later (side_band.h).
 */
#ifndef PFMON_ALL_PROCESSES_H
#define PFMON_ALL_PROCESSES_H

#include "../data/data_write.h"
#include "mapped_files.h"
#include "side_band.h"

struct seen_process;

/**
 * struct all_processes - what is known about processes
 * @tid: the child that is watched with its descendants; -1: all processes are watched
 * @band: the kernel's reports about processes
 * @has_band: pfmon gets the reports of @band; if not, it reads /proc at intervals
 * @names_only: only names are written, no mappings
 * @refusal: 0, or the errno with which the kernel refused the reports of @band
 * @writer: the file
 * @next: the file that will soon replace @writer, or NULL. If there is such a file, the names and
 *	mappings are written to both files
 * @files: cache of the build-ids of mapped files
 * @seen: the processes that the last reading of /proc found, sorted by pid; not used with @has_band
 * @seen_count: number of @seen
 * @looked_at: value of @now at the last call of all_processes_follow()
 * @gaps: value of @band.gaps at the last call of all_processes_follow(). If @band.gaps is larger at
 *	the next call, a CPU has come online and its first reports are missing. pfmon then reads
 *	/proc again
 */
struct all_processes {
	pid_t tid;
	struct side_band band;
	bool has_band;
	bool names_only;
	int refusal;
	struct data_writer *writer;
	struct data_writer *next;
	struct mapped_files *files;
	struct seen_process *seen;
	size_t seen_count;
	uint64_t looked_at;
	uint64_t gaps;
};

/* The functions that return int return 0, or -1 after reporting an error. */

/*
 * Begin to watch child @tid and its descendants. If @tid is -1, watch all processes. Sets
 * @has_band. The caller calls all_processes_free() in any case.
 */
int all_processes_begin(struct all_processes *all, pid_t tid);

/*
 * Write to @writer the names and mappings that /proc shows. If all processes are watched, also
 * write the name of the idle task. If a child is watched, leave out all processes that are not
 * descendants of pfmon. In the file, the names and mappings are valid from @time on.
 */
int all_processes_scan(struct all_processes *all, struct data_writer *writer,
		       uint64_t time);

/*
 * Write the processes, names and mappings that are new since the last call. @now is the time of the
 * newest sample.
 */
int all_processes_follow(struct all_processes *all, uint64_t now);

void all_processes_free(struct all_processes *all);

#endif
