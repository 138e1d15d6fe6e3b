/* SPDX-License-Identifier: GPL-2.0-only */
/* One operation of a plan, done. */
#ifndef FUZZ_EXECUTE_H
#define FUZZ_EXECUTE_H

#include <time.h>

#include "plan.h"

#define COUNT(array)	   (sizeof(array) / sizeof((array)[0]))

#define USER_ID		   1000
#define OTHER_ID	   1001

#define FORMATS		   3 /* that are modules */

#define REAL_TIME_SIGNAL   37

/* Copies of busybox that targets become. */
#define SETUID_PROGRAM	   "/tmp/perfmon-fuzz-setuid"
#define UNREADABLE_PROGRAM "/tmp/perfmon-fuzz-unreadable"

#if defined(__aarch64__)
#define PMU_MODULE "perfmon_armv8"
#else
#define PMU_MODULE "perfmon_soft"
#endif

/* Seen by all processes of a round. */
struct table {
	volatile pid_t workers[WORKERS];
	volatile pid_t targets[TARGETS];
};

/* Writable memory that ends where nothing is mapped, and a page to read only. */
struct area {
	char *base;
	size_t size;
	char *read_only;
};

/**
 * struct executor - the thread that executes
 * @table: of the round
 * @number: of the worker
 * @alone: nobody else can use its private descriptors
 * @private_slots: descriptors, -1 if there is none
 * @inner: for arguments
 * @outer: for struct pfm_vector
 * @fail_nth, @fail_all: the files, -1 if the kernel injects no faults
 * @mapping: what MMAP made, @mapped bytes
 * @child: forked last
 * @timer: ends calls that block
 */
struct executor {
	struct table *table;
	unsigned int number;
	bool alone;
	int private_slots[PRIVATE_SLOTS];
	struct area inner;
	struct area outer;
	int fail_nth;
	int fail_all;
	void *mapping;
	size_t mapped;
	pid_t child;
	timer_t timer;
};

void executor_begin(struct executor *executor, struct table *table, unsigned int number,
		    bool alone);
void executor_end(struct executor *executor);

/* Before a round. */
void shared_slots_clear(void);

/* All of them, from the first on. */
void execute(struct executor *executor, const struct operation *operations,
	     unsigned int count);

/* Bytes of an element of the call's vector; 0 if it takes none. */
size_t element_size(enum call call);

/* One check that what is counted is right; see canary.c. */
void canary(const struct operation *operation);

/* Before all rounds: what they need beside perfmon. */
void machine_prepare(void);

int write_file(const char *path, const char *text); /* 0 or errno */
int read_file(const char *path, char *text, size_t size); /* 0 or errno */
int module_load(const char *name); /* 0 or errno */
int module_unload(const char *name); /* 0 or errno */
void formats_unload(void);

/* Their modules, in the order of the table of ioctls.c. */
extern const char *const format_modules[FORMATS];

/**
 * enum kind - what the descriptor of a call is
 * @UNSURE: others may have changed it meanwhile
 * @PERFMON: perfmon's, before the call and after it
 * @OTHER: open, and not perfmon's
 * @CLOSED: none
 */
enum kind {
	UNSURE,
	PERFMON,
	OTHER,
	CLOSED
};

/* Given by the program: told of what a call came to, and of what is wrong. */
void outcome(const struct executor *executor, const struct operation *operation,
	     int error, enum kind kind);
void wrong(const char *what, ...) __attribute__((format(printf, 1, 2)));

#endif
