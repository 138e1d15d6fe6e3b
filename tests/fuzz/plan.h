/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The plan of a round: who calls what with which arguments.  It is made from a
 * seed alone, so the same seed makes the same plan; what depends on the moment (a
 * thread's number, an address) is named here and looked up when it is executed.
 *
 * This file and those that execute a plan (execute, canary, workers) and check what came
 * of it (system, pairs) are also the head of every program that perfmon-fuzz prints.
 */
#ifndef FUZZ_PLAN_H
#define FUZZ_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <perfmon/perfmon_ioctl.h>

#define WORKERS	       8 /* of a round */
#define SHARED_SLOTS   6 /* descriptors that all threads of a process use */
#define PRIVATE_SLOTS  4 /* and those of each thread alone: numbers after these */
#define SLOTS	       (SHARED_SLOTS + PRIVATE_SLOTS)
#define TARGETS	       4 /* processes that a round monitors */
#define TARGET_THREADS 3 /* of each, beside its first one */
#define ELEMENTS       4 /* different ones in a vector; longer vectors repeat them */
#define SETS	       4 /* event sets of scenarios: 0 to 3 */
#define LONGER	       64 /* bytes at most that a structure of a later version has more */

/* Ioctls that take a descriptor of /dev/perfmon: X(name, command) */
#define IOCTLS(X)                                                                        \
	X(CREATE_CONTEXT, PFM_IOC_CREATE_CONTEXT)                                        \
	X(WRITE_PMCS, PFM_IOC_WRITE_PMCS)                                                \
	X(WRITE_PMDS, PFM_IOC_WRITE_PMDS)                                                \
	X(READ_PMDS, PFM_IOC_READ_PMDS)                                                  \
	X(LOAD, PFM_IOC_LOAD)                                                            \
	X(START, PFM_IOC_START)                                                          \
	X(STOP, PFM_IOC_STOP)                                                            \
	X(RESTART, PFM_IOC_RESTART)                                                      \
	X(CREATE_EVTSETS, PFM_IOC_CREATE_EVTSETS)                                        \
	X(GETINFO_EVTSETS, PFM_IOC_GETINFO_EVTSETS)                                      \
	X(DELETE_EVTSETS, PFM_IOC_DELETE_EVTSETS)                                        \
	X(UNLOAD, PFM_IOC_UNLOAD)                                                        \
	X(INFO, PFM_IOC_INFO)                                                            \
	X(LAST_ERROR, PFM_IOC_LAST_ERROR)                                                \
	X(STATUS, PFM_IOC_STATUS)                                                        \
	X(READ_VALUES, PFM_IOC_READ)

/* Other calls whose errno is looked at.  What the fields mean: files.c, ioctls.c. */
#define FILE_CALLS(X)                                                                    \
	X(OPEN)                                                                          \
	X(REOPEN)                                                                        \
	X(OTHER_IOCTL)                                                                   \
	X(READ)                                                                          \
	X(READV)                                                                         \
	X(WRITE)                                                                         \
	X(LSEEK)                                                                         \
	X(MMAP)                                                                          \
	X(POLL)                                                                          \
	X(SELECT)                                                                        \
	X(SETTING)

/* What happens around them; it may fail as it likes.  The fields: environment.c. */
#define ENVIRONMENT_CALLS(X)                                                             \
	X(OPEN_OTHER)                                                                    \
	X(CLOSE)                                                                         \
	X(DUP)                                                                           \
	X(FLAGS)                                                                         \
	X(OWNER)                                                                         \
	X(SIGNAL)                                                                        \
	X(UNMAP)                                                                         \
	X(REMAP)                                                                         \
	X(SCAN)                                                                          \
	X(SPAWN)                                                                         \
	X(KILL)                                                                          \
	X(REAP)                                                                          \
	X(FORK)                                                                          \
	X(AFFINITY)                                                                      \
	X(PRIORITY)                                                                      \
	X(YIELD)                                                                         \
	X(SLEEP)                                                                         \
	X(WORK)                                                                          \
	X(LOOK)                                                                          \
	X(FILE_TABLE)                                                                    \
	X(DEVICE_MODE)                                                                   \
	X(PROCESSOR)                                                                     \
	X(MODULE)                                                                        \
	X(CANARY)

enum call {
#define IOCTL_ENTRY(name, command) name,
#define CALL_ENTRY(name)	   name,
	IOCTLS(IOCTL_ENTRY)
	FILE_CALLS(CALL_ENTRY) ENVIRONMENT_CALLS(CALL_ENTRY)
#undef IOCTL_ENTRY
#undef CALL_ENTRY
		CALLS
};

/* Of perfmon's. */
static inline bool is_ioctl(enum call call)
{
	return call < OPEN;
}

#define FAIL_ALL       255 /* of struct operation's fail */
#define SETTING_BEFORE 255 /* of SETTING's flags: the value before all rounds */

/* Where an argument lies. */
#define PLACES(X)                                                                        \
	X(GOOD)                                                                          \
	X(AT_END) /* of a mapping, just fitting */                                       \
	X(OVER_END) /* begins in a mapping, goes on where there is none */               \
	X(READ_ONLY)                                                                     \
	X(UNMAPPED)                                                                      \
	X(NOWHERE) /* NULL */                                                            \
	X(KERNEL)

/* The thread that a call is about. */
#define WHO_NAMES(X)                                                                     \
	X(SELF)                                                                          \
	X(TARGET) /* the one of number @value */                                         \
	X(TARGET_THREAD) /* of target @value % TARGETS, its thread @value / TARGETS */   \
	X(WORKER) /* the one of number @value */                                         \
	X(CHILD) /* forked by the caller last */                                         \
	X(DEAD) /* was a process */                                                      \
	X(INIT)                                                                          \
	X(KERNEL_THREAD)                                                                 \
	X(NUMBER) /* thread number @value */

enum place {
#define PLACE_ENTRY(name) name,
	PLACES(PLACE_ENTRY)
#undef PLACE_ENTRY
};

enum who {
#define WHO_ENTRY(name) name,
	WHO_NAMES(WHO_ENTRY)
#undef WHO_ENTRY
};

/*
 * Of a vector, whatever it is of; unused fields are for none.  CREATE_CONTEXT has one for
 * its sampling format: @number in the table of ioctls.c, @value bytes of buffer; with
 * @flags its argument has another size, with @set there is none.
 */
#define SWITCH_COUNT_SHIFT 56

struct element {
	uint16_t number; /* register or set */
	uint16_t set;
	uint32_t flags;
	uint64_t value; /* register's, or timeout */
	uint64_t reset;
	uint64_t map; /* reset_pmds, smpl_pmds, switch count: see ioctls.c */
};

/**
 * struct operation - one call
 * @call: enum call
 * @slot: descriptor
 * @place: of the argument, or of the vector's elements
 * @outer: place of struct pfm_vector
 * @who: enum who
 * @fail: the memory allocation of this number fails, with FAIL_ALL all; 0: none
 * @dirty: fields that the kernel ignores are not zero
 * @few: the limit of open files is reached
 * @count: elements, or what the call takes
 * @flags: what the call takes
 * @value: what the call takes
 * @size: bytes, or what the call takes; of a vector the bytes of an element, 0 for those of the
 *	first version
 * @more: bytes by which the structure of LOAD or START is longer, or 0
 * @tail: bytes that the kernel does not know are not zero
 * @element: the first ones of a vector, @elements of them
 */
struct operation {
	uint8_t call;
	uint8_t slot;
	uint8_t place;
	uint8_t outer;
	uint8_t who;
	uint8_t fail;
	uint8_t dirty;
	uint8_t few;
	uint8_t elements;
	uint8_t more;
	uint8_t tail;
	int32_t count;
	uint32_t flags;
	uint64_t value;
	uint64_t size;
	struct element element[ELEMENTS];
};

/**
 * struct worker - a thread
 * @process: threads of the same number are one process; that of 0 runs the round
 * @user: its user, 0 for root
 * @count: operations
 * @operations: what it does, in order
 *
 * Worker 0 goes before all others: what it opens, their processes inherit.
 */
struct worker {
	unsigned int process;
	uid_t user;
	unsigned int count;
	const struct operation *operations;
};

struct plan {
	unsigned int count;
	struct worker workers[WORKERS];
};

#endif
