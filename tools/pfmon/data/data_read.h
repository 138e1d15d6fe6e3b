/* SPDX-License-Identifier: GPL-2.0-only */
/* Read the file of a recording, record by record.  The file is not trusted. */
#ifndef PFMON_DATA_READ_H
#define PFMON_DATA_READ_H

#include <stdbool.h>

#include "data.h"

/**
 * struct data_file - a file that was read
 * @bytes: the whole file
 * @size: number of @bytes
 * @next: offset of the next record
 * @is_cut_short: the file ends within a record
 * @is_damaged: the record at @next has an impossible size
 */
struct data_file {
	char *bytes;
	size_t size;
	size_t next;
	bool is_cut_short;
	bool is_damaged;
};

/*
 * data_open() reads the file at @path ("-" is standard input). data_open_bytes() does not read a
 * file: the contents are the @size bytes at @bytes, and @path is only a name for messages. The
 * caller has allocated these bytes with malloc(), and data_close_file() frees them.
 * data_open_memory() reads from @fd, the descriptor of a file in memory. The three functions return
 * 0, or -1 after reporting an error. The caller calls data_close_file() in either case.
 */
int data_open(struct data_file *file, const char *path);
int data_open_bytes(struct data_file *file, const char *path, void *bytes, size_t size);
int data_open_memory(struct data_file *file, int fd);
void data_close_file(struct data_file *file);

/*
 * Returns the next record, or NULL after the last record. If the next record is damaged or
 * incomplete, returns NULL and sets data_file.is_damaged or data_file.is_cut_short.
 */
const struct data_record *data_next(struct data_file *file);

/**
 * struct data_body - the part of a record's body that has not been read
 * @next: first byte that has not been read
 * @end: first byte after the record
 */
struct data_body {
	char *next;
	char *end;
};

struct data_body data_body(const struct data_record *record);

/* Returns the next @size bytes, or NULL if fewer are left. */
const void *data_take(struct data_body *body, size_t size);

/*
 * Returns the next string with each control character replaced by '?'. Returns "" after the last
 * string, and NULL if the string has no zero byte.
 */
const char *data_take_string(struct data_body *body);

#endif
