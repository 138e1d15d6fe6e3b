/* SPDX-License-Identifier: GPL-2.0-only */
/* Executes the operations of a plan. */
#ifndef FUZZ_EXECUTE_H
#define FUZZ_EXECUTE_H

#include <sys/ioctl.h>
#include <time.h>

#include "plan.h"

#define COUNT(array)	   (sizeof(array) / sizeof((array)[0]))

#define USER_ID		   1000
#define OTHER_ID	   1001

#define FORMATS		   3 /* sampling formats that are modules */

#define REAL_TIME_SIGNAL   37

/* Copies of busybox that targets execute. */
#define SETUID_PROGRAM	   "/tmp/perfmon-fuzz-setuid"
#define UNREADABLE_PROGRAM "/tmp/perfmon-fuzz-unreadable"

/**
 * struct table - data that all processes of a round share
 * @target_threads: for each target, the IDs of all threads except the first; elements that were
 *	never used are 0
 * @pmu_changes: contexts may have different PMUs, because a worker may have loaded or unloaded
 *	modules, or named another PMU than the default one
 */
struct table {
	volatile pid_t workers[WORKERS];
	volatile pid_t targets[TARGETS];
	volatile pid_t target_threads[TARGETS][TARGET_THREADS];
	volatile bool pmu_changes;
};

/**
 * enum kind - which kind of file the descriptor of a call refers to
 * @UNSURE: not known, because other threads replaced the descriptor during the call
 * @PERFMON: a file of perfmon
 * @OTHER: an open file that does not belong to perfmon
 * @CLOSED: no file, because the slot of the call has no descriptor
 */
enum kind {
	UNSURE,
	PERFMON,
	OTHER,
	CLOSED
};

/* A place for a descriptor. @changes counts how often the descriptor was replaced. */
struct slot {
	int32_t fd;
	uint16_t kind;
	uint16_t changes;
} __attribute__((aligned(8)));

#define KNOWN_SETS 8

/**
 * struct file_state - what is known for certain about a file that no other process has open
 * @known: true if the other fields are valid; false if other processes may have the file open
 * @created: the file has a context
 * @format: the context was created with a sampling format
 * @continuous: restarts of this format need no notification
 * @flags: the flags with which the context was created
 * @buffer_bytes: the buffer has at most so many bytes
 * @was_loaded: the context was loaded at least once
 * @was_started: the context may have been started since its last load
 * @loaded: the context is loaded on the executing thread; only an unload changes that
 * @maybe_loaded: the context was loaded on another thread or on a CPU; if that thread has ended or
 *	that CPU went offline, the context is no longer loaded
 * @any_set: any set may exist, because more than KNOWN_SETS were created, or because it is not
 *	known which sets were created
 * @set_count: number of used elements of @sets
 * @sets: event sets that may exist besides set 0
 * @pmds: PMDs that may be in use
 */
struct file_state {
	bool known;
	bool created;
	bool format;
	bool continuous;
	bool was_loaded;
	bool was_started;
	bool loaded;
	bool maybe_loaded;
	bool any_set;
	uint32_t flags;
	uint64_t buffer_bytes;
	unsigned int set_count;
	uint16_t sets[KNOWN_SETS];
	__u64 pmds[PFM_PMD_BV];
};

/* Places for arguments: writable memory that ends at an unmapped page, and a read-only page. */
struct area {
	char *base;
	size_t size;
	char *read_only;
	char *writable; /* a second mapping of the read-only page */
};

/**
 * struct executor - a thread that executes operations
 * @table: struct table of the round, shared by all its processes
 * @number: number of the worker
 * @alone: no other thread can use the private descriptors
 * @user: uid of the thread
 * @private_slots: descriptors of this thread
 * @files: what is known about the files of these descriptors; used only if @alone is true
 * @inner: memory for the arguments
 * @outer: memory for the structures whose place is operation->outer, such as struct pfm_vector
 * @fail_nth: the thread's file fail-nth in /proc; -1 if the kernel injects no faults
 * @fail_all: the thread's file make-it-fail in /proc; -1 if the kernel injects no faults
 * @mapping: the memory that MMAP has mapped; it has @mapped bytes
 * @child: the child that was forked last
 * @dead: PID of a child that has exited; 0 if no child has exited yet
 * @timer: ends calls that block
 */
struct executor {
	struct table *table;
	unsigned int number;
	bool alone;
	uid_t user;
	struct slot private_slots[PRIVATE_SLOTS];
	struct file_state files[PRIVATE_SLOTS];
	struct area inner;
	struct area outer;
	int fail_nth;
	int fail_all;
	void *mapping;
	size_t mapped;
	pid_t child;
	pid_t dead;
	timer_t timer;
};

void executor_begin(struct executor *executor, struct table *table, unsigned int number,
		    bool alone, uid_t user);
void executor_end(struct executor *executor);

/* Empties the shared slots. Called before a round. */
void shared_slots_clear(void);

/*
 * Finds out what the descriptors in the shared slots refer to in a new process. Called in the
 * child, after the fork.
 */
void shared_slots_check(void);

/* Executes the first @count operations, in order. */
void execute(struct executor *executor, const struct operation *operations,
	     unsigned int count);

/* Size of an element of the call's vector; 0 if the call takes no vector. */
size_t element_size(enum call call);

/* Number of bytes from the beginning of an element of a vector to the beginning of the next. */
size_t stride_of(const struct operation *operation);

/* Checks the counts of a new context. See canary.c. */
void canary(const struct operation *operation);

const char *call_name(enum call call); /* pairs.c */

/* Returns what the file of a setting contained before the first round. See system.c. */
const char *setting_before(const char *path);

/* Called before the first round. Stores the result of PFM_IOC_INFO for later checks. */
void expectations_begin(void);

/* The module of the PMU that was the default before the first round. */
const char *pmu_module(void);

/*
 * Called before the first round. Prepares fault injection, kmemleak, and the programs that the
 * targets execute.
 */
void machine_prepare(void);

int write_file(const char *path, const char *text); /* 0 or errno */
int read_file(const char *path, char *text, size_t size); /* 0 or errno */
int module_load(const char *name); /* 0 or errno */
int module_unload(const char *name); /* 0 or errno */
void formats_unload(void);

/* The modules of the formats, in the order of the table in ioctls.c. */
extern const char *const format_modules[FORMATS];

/*
 * perfmon-fuzz and each printed program implement these two functions. outcome() is called with the
 * result of each call, and wrong() is called with each finding.
 */
void outcome(const struct executor *executor, const struct operation *operation,
	     int error, enum kind kind);
void wrong(const char *what, ...) __attribute__((format(printf, 1, 2)));

#endif
