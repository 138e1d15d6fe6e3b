/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Helpers for tests of pfmon report and script with synthetic recordings. Most samples are in
 * functions of a library. The test gets the addresses of these functions from dlsym().
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
 * The mapping of the library's code, and the addresses of the library's functions, in this process.
 * In the recorded process, the library is mapped at the same addresses.
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
 * Begin a recording of event "cycles:u" in process 100. Its thread 100 is called "app", and its
 * thread 101 "worker one". The process has mapped the library and, at 0x400000, "[nothing]", which
 * is not a file.
 */
void begin(struct data_writer *writer, const char *path, struct library *library);

/* Add @count samples of thread @tid at address @ip. Each sample stands for @period events. */
void add(struct data_writer *writer, uint32_t tid, uint64_t ip, unsigned int count,
	 uint64_t period);

/* Add @count samples with a call chain. The lists of addresses @kernel and @user end with 0. */
void add_chain(struct data_writer *writer, uint32_t tid, const uint64_t *kernel,
	       const uint64_t *user, unsigned int count);

/*
 * Let a shell run "pfmon @command", and store its standard output in @output. Returns the exit
 * status. @command may contain redirections and further commands.
 */
int pfmon(char output[OUTPUT_SIZE], const char *command);

/*
 * report() returns the standard output of "pfmon report -i @path @options". report_as_json() adds
 * --json and returns the object that pfmon wrote. The next call of either function overwrites the
 * text that report() has returned.
 */
const char *report(const char *path, const char *options);
json_t *report_as_json(const char *path, const char *options);

/*
 * These functions return parts of the object that report_as_json() returns. entry() returns an
 * entry of an event's profile, or NULL if there is no such entry. The other functions return a
 * member of @object; @object is the object that report_as_json() returned, or a part of it.
 */
json_t *entry(json_t *report, size_t event, size_t index);
const char *text(json_t *object, const char *name);
json_int_t number(json_t *object, const char *name);
double percent(json_t *object);

#endif
