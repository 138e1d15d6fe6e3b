/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pfmon report and script with synthetic recordings. The expected figures follow from the samples.
 * The functions are in a library; the dynamic linker finds their addresses.
 */
#ifndef REPORT_H
#define REPORT_H

#include <jansson.h>

#include "../../tools/pfmon/data/data_write.h"
#include "suites.h"
#include "synthetic.h"

#define LIBRARY	    FIXTURE "/libfunctions.so"
#define OUTPUT_SIZE 65536
#define PERIOD	    10000

/*
 * Addresses of the library and its functions in this process. The recorded process has them at the
 * same addresses.
 */
struct library {
	uint64_t start;
	uint64_t end;
	uint64_t offset;
	uint64_t first;
	uint64_t second;
	uint64_t third;
};

/*
 * Begin a recording of process 100. The process has mapped the library and, at 0x400000,
 * "[nothing]", which is not a file.
 */
void begin(struct data_writer *writer, const char *path, struct library *library);

/* Add @count samples of thread @tid at address @ip. Each sample stands for @period events. */
void add(struct data_writer *writer, uint32_t tid, uint64_t ip, unsigned int count,
	 uint64_t period);

/* Add @count samples with a call chain. @kernel and @user end with 0. */
void add_chain(struct data_writer *writer, uint32_t tid, const uint64_t *kernel,
	       const uint64_t *user, unsigned int count);

/* Run "pfmon @command" and keep what it writes.  Returns the exit status. */
int pfmon(char output[OUTPUT_SIZE], const char *command);

/* Returns what "pfmon report -i @path @options" writes. The next call overwrites it. */
const char *report(const char *path, const char *options);
json_t *report_as_json(const char *path, const char *options);

/*
 * These functions return parts of the object that report_as_json() returns. entry() returns an
 * entry of a profile. The other functions return a member of such an entry.
 */
json_t *entry(json_t *report, size_t event, size_t index);
const char *text(json_t *object, const char *name);
json_int_t number(json_t *object, const char *name);
double percent(json_t *object);

#endif
