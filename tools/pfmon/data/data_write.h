/* SPDX-License-Identifier: GPL-2.0-only */
/* Write the file of a recording, record by record. */
#ifndef PFMON_DATA_WRITE_H
#define PFMON_DATA_WRITE_H

#include "../common/options.h"
#include "data.h"

/**
 * struct data_writer - a file that is being written
 * @path: path as the user gave it; "-" is standard output
 * @size: number of bytes that have been written
 * @reserve: number of bytes that are kept free for the records LOSSES, UNSAMPLED, CPU and END
 * @fd: descriptor of the file; -1 if no file is open
 * @lack: why the file had no room for a record: ENOSPC, EDQUOT or EFBIG
 * @is_file: @fd is a regular file, and @size is its whole size
 * @is_torn: the last record in the file is incomplete, so no record can follow
 */
struct data_writer {
	const char *path;
	uint64_t size;
	uint64_t reserve;
	int fd;
	int lack;
	bool is_file;
	bool is_torn;
};

/*
 * Each record is written by one writev(2), unless the kernel takes only a part of the record. So if
 * pfmon is killed, at most the last record is incomplete. The functions that return int return 0,
 * or -1 after reporting an error. If a record was written only in part, they remove this part from
 * the file, or set is_torn if the part cannot be removed. @path is not copied: the text must exist
 * until data_close(). Structures are written as they are in memory. A string that is NULL is
 * written as "".
 */
int data_create(struct data_writer *writer, const char *path);

/* Like data_create(), but the file is in memory; data_open_memory() reads it. */
int data_create_in_memory(struct data_writer *writer);
int data_write_machine(struct data_writer *writer, const struct data_machine *machine,
		       const char *const strings[DATA_MACHINE_STRINGS]);

/* NULL is the last element of @command. If there is no command, @command itself is NULL. */
int data_write_command(struct data_writer *writer, char *const *command,
		       const struct id_list *threads, const struct id_list *cpus,
		       const struct id_list *processes);
int data_write_event(struct data_writer *writer, const struct data_event *event,
		     const uint16_t *value_pmds, const char *name);
int data_write_thread(struct data_writer *writer, const struct data_thread *thread,
		      const char *comm);
int data_write_fork(struct data_writer *writer, const struct data_fork *fork);
int data_write_mapping(struct data_writer *writer, const struct data_mapping *mapping,
		       const char *path, const char *build_id);

/* @size is the size of all @entries in bytes. @entries may be in the sampling buffer. */
int data_write_samples(struct data_writer *writer, const struct data_samples *samples,
		       const void *entries, size_t size);

/*
 * The caller has entries with a total size of @size bytes. Returns the number of bytes that fit
 * into the file if data_writer.reserve bytes must stay free. Returns @size if it is not known how
 * much room there is. If the result is less than @size, the caller calls data_fail_full() to report
 * why: the disk is full, or the file has reached its maximum size.
 */
size_t data_room(struct data_writer *writer, size_t size);
int data_fail_full(const struct data_writer *writer);
int data_write_losses(struct data_writer *writer, const struct data_losses *losses);
int data_write_cpu(struct data_writer *writer, const struct data_cpu *cpu);
int data_write_unsampled(struct data_writer *writer,
			 const struct data_unsampled *unsampled);
int data_write_end(struct data_writer *writer, const struct data_end *end);
int data_close(struct data_writer *writer);

#endif
