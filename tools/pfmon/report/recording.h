/* SPDX-License-Identifier: GPL-2.0-only */
/* The contents of a recording, without the samples (samples.h). */
#ifndef PFMON_RECORDING_H
#define PFMON_RECORDING_H

#include "../data/data_read.h"

/*
 * The pointers in the structures below point into the file's bytes. recording_read() leaves out
 * invalid records. samples_each() checks the entries in recorded_samples.entries.
 */

/**
 * struct recorded_event - an event
 * @event: the EVENT record
 * @name: name that the user gave
 */
struct recorded_event {
	const struct data_event *event;
	const char *name;
};

/**
 * struct recorded_thread - a thread's name
 * @thread: the THREAD record
 * @comm: the thread's name
 */
struct recorded_thread {
	const struct data_thread *thread;
	const char *comm;
};

/**
 * struct recorded_mapping - executable memory
 * @mapping: the MAPPING record
 * @path: path of the file, or a name in brackets
 * @build_id: hexadecimal digits, or "" if it is not known
 */
struct recorded_mapping {
	const struct data_mapping *mapping;
	const char *path;
	const char *build_id;
};

/**
 * struct recorded_samples - a SAMPLES record
 * @samples: its beginning
 * @entries: entries as the kernel wrote them
 * @size: size of @entries in bytes
 */
struct recorded_samples {
	const struct data_samples *samples;
	char *entries;
	size_t size;
};

/**
 * struct recorded_command - what was recorded: a command, threads, CPUs or processes
 * @command: the COMMAND record; NULL if there is none
 * @strings: the command and its arguments; each string ends with a zero byte
 * @threads: the threads that the user named, separated by commas; NULL or empty if the user named
 *	no threads
 * @cpus: the monitored CPUs, separated by commas
 * @processes: the monitored processes, separated by commas
 */
struct recorded_command {
	const struct data_command *command;
	const char *strings;
	const char *threads;
	const char *cpus;
	const char *processes;
};

/**
 * struct recording - the contents of a file
 * @file: the file's bytes
 * @machine: the MACHINE record; NULL if there is none
 * @strings: strings of @machine
 * @command: what was recorded
 * @events: events, in the order of the file. All arrays below have this order, too, except those
 *	with one element for each context
 * @event_count: number of @events
 * @threads: names of threads
 * @thread_count: number of @threads
 * @forks: when threads and processes began
 * @fork_count: number of @forks
 * @mappings: executable memory
 * @mapping_count: number of @mappings
 * @samples: the SAMPLES records
 * @samples_count: number of @samples
 * @losses: for each context, its last LOSSES record; NULL if the file has no such record
 * @losses_count: number of @losses
 * @unsampled: the UNSAMPLED records
 * @unsampled_count: number of @unsampled
 * @cpus: for each context, its CPU record; NULL if the file has no such record
 * @cpu_count: number of @cpus
 * @end: the END record; NULL if the file is not complete
 * @has_failed: the recording ended early because of an error
 * @bad_records: number of records that were left out because their contents are invalid
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
	const struct data_fork **forks;
	size_t fork_count;
	struct recorded_mapping *mappings;
	size_t mapping_count;
	struct recorded_samples *samples;
	size_t samples_count;
	const struct data_losses **losses;
	size_t losses_count;
	const struct data_unsampled **unsampled;
	size_t unsampled_count;
	const struct data_cpu **cpus;
	size_t cpu_count;
	const struct data_end *end;
	bool has_failed;
	size_t bad_records;
};

/*
 * recording_open() opens and reads the file at @path. recording_open_files() opens and reads the
 * files at @paths, which belong to one recording (join.h). recording_read() reads @recording->file,
 * which the caller has opened. The three functions return 0, or -1 after reporting an error. In any
 * case the caller calls recording_free(), which also closes the file.
 */
int recording_open(struct recording *recording, const char *path);
int recording_open_files(struct recording *recording, const char *const *paths,
			 size_t count);
int recording_read(struct recording *recording);
void recording_free(struct recording *recording);

/* Returns the event of PMD @pmd in set @set, or NULL if there is no such event. */
const struct recorded_event *recording_event(const struct recording *recording,
					     unsigned int set, unsigned int pmd);

/*
 * Returns a text with the command and its arguments, separated by blanks. Returns NULL if there is
 * no memory. The caller frees the text.
 */
char *recording_command(const struct recording *recording);

/*
 * Warn about missing or wrong parts of the file. @bad_samples is the number of SAMPLES records that
 * could not be read to their ends, as counted by samples_each(). @samples is the number of samples
 * that were read.
 */
void recording_warn(const struct recording *recording, size_t bad_samples,
		    uint64_t samples);

/*
 * Warn about missing samples. Not needed if report_heading() is called, because the heading shows
 * how many samples are missing.
 */
void recording_warn_losses(const struct recording *recording);

/*
 * Returns the number of lost samples. This number is in the END record. If there is no END record,
 * it is the sum of the last LOSSES records of all contexts.
 */
uint64_t recording_lost(const struct recording *recording);

/*
 * Some PMUs do not deliver all samples. recording_unsampled() adds up the UNSAMPLED records of
 * @event in all contexts. In the result, data_unsampled.samples is 0 if so few samples are missing
 * that no warning is needed. recording_undelivered() returns the sum of data_unsampled.samples over
 * all events.
 */
struct data_unsampled recording_unsampled(const struct recording *recording,
					  const struct data_event *event);
uint64_t recording_undelivered(const struct recording *recording);

/* Returns the number of times that monitoring was throttled, in all contexts. */
uint64_t recording_throttled(const struct recording *recording);

#endif
