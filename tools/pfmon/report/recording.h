/* SPDX-License-Identifier: GPL-2.0-only */
/* What the file of a recording has in it, but for the samples (samples.h). */
#ifndef PFMON_RECORDING_H
#define PFMON_RECORDING_H

#include "../data/data_read.h"

/* All that is pointed to is in the file's bytes, and has been checked. */

/**
 * struct recorded_event - an event
 * @event: as it was written
 * @name: as the user gave it
 */
struct recorded_event {
	const struct data_event *event;
	const char *name;
};

/**
 * struct recorded_thread - a thread's name
 * @thread: as it was written
 * @comm: its name
 */
struct recorded_thread {
	const struct data_thread *thread;
	const char *comm;
};

/**
 * struct recorded_mapping - executable memory
 * @mapping: as it was written
 * @path: file, or a name in brackets
 * @build_id: hexadecimal digits, or ""
 */
struct recorded_mapping {
	const struct data_mapping *mapping;
	const char *path;
	const char *build_id;
};

/**
 * struct recorded_block - samples
 * @samples: as it was written
 * @entries: of the kernel
 * @size: bytes of them
 */
struct recorded_block {
	const struct data_samples *samples;
	char *entries;
	size_t size;
};

/**
 * struct recorded_command - the command or the threads that were monitored
 * @command: NULL if there is none
 * @strings: the command and its arguments, one after the other, each ending with a zero byte
 * @threads: the monitored threads, separated by commas; NULL or empty if there is a @command
 */
struct recorded_command {
	const struct data_command *command;
	const char *strings;
	const char *threads;
};

/**
 * struct recording - the contents of a file
 * @file: where they are
 * @machine: NULL if there is no such record
 * @strings: of the machine
 * @command: what was recorded
 * @events: in the file's order, and so are the others
 * @event_count: number of @events
 * @threads: names
 * @thread_count: number of @threads
 * @mappings: executable memory
 * @mapping_count: number of @mappings
 * @blocks: samples
 * @block_count: number of blocks
 * @losses: the last record of each context; NULL of those without
 * @losses_count: number of @losses
 * @unsampled: what is in no sample, in the file's order
 * @unsampled_count: number of these
 * @end: NULL if the file is not complete
 * @has_failed: the recording ended because it could not go on
 * @bad_records: that make no sense and were left out
 */
struct recording {
	struct data_file file;
	const struct data_machine *machine;
	const char *strings[DATA_MACHINE_STRINGS];
	struct recorded_command command;
	struct recorded_event *events;
	size_t event_count;
	struct recorded_thread *threads;
	size_t thread_count;
	struct recorded_mapping *mappings;
	size_t mapping_count;
	struct recorded_block *blocks;
	size_t block_count;
	const struct data_losses **losses;
	size_t losses_count;
	const struct data_unsampled **unsampled;
	size_t unsampled_count;
	const struct data_end *end;
	bool has_failed;
	size_t bad_records;
};

/*
 * Read the file at @path; recording_read() takes in what is in @recording->file, which
 * was opened.  Report an error and return -1, or return 0; to be freed, and the file with
 * it, in any case.
 */
int recording_open(struct recording *recording, const char *path);
int recording_read(struct recording *recording);
void recording_free(struct recording *recording);

/* The event whose PMD is @pmd of set @set, or NULL. */
const struct recorded_event *recording_event(const struct recording *recording,
					     unsigned int set, unsigned int pmd);

/* The command and its arguments with blanks between, to be freed; NULL without memory. */
char *recording_command(const struct recording *recording);

/*
 * Say what is missing or makes no sense in the file.  @bad_blocks: what samples_each() said;
 * @samples: how many there were.
 */
void recording_warn(const struct recording *recording, size_t bad_blocks,
		    uint64_t samples);

/* Say what was lost, where no heading does. */
void recording_warn_losses(const struct recording *recording);

/* Number of lost samples: of the END record, or else the last known sum of all contexts. */
uint64_t recording_lost(const struct recording *recording);

/*
 * Events for which the PMU delivered no samples, in all contexts: those of @event, or, of
 * all events together, only the number of samples.  0 if too small for a warning.
 */
struct data_unsampled recording_unsampled(const struct recording *recording,
					  const struct data_event *event);
uint64_t recording_undelivered(const struct recording *recording);

/* Of all contexts. */
uint64_t recording_throttled(const struct recording *recording);

#endif
