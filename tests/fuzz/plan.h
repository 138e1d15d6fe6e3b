/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The plan of a round: the calls of each worker and their arguments. The same seed and the same PMU
 * give the same plan. Thread IDs and addresses are known only at run time. So the plan contains
 * names for them (enum who, enum place). The executor replaces these names by IDs and addresses.
 *
 * Every program that perfmon-fuzz prints begins with this file. After it come the files that
 * execute a plan (such as execute.c) and those that check the results (such as pairs.c).
 */
#ifndef FUZZ_PLAN_H
#define FUZZ_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <perfmon/perfmon_ioctl.h>

#define WORKERS	     8 /* of a round */
#define SHARED_SLOTS 6 /* descriptors that all threads of a process use */
#define PRIVATE_SLOTS                                                                    \
	4 /* private descriptors of each thread, numbered after the shared ones */
#define SLOTS	       (SHARED_SLOTS + PRIVATE_SLOTS)
#define TARGETS	       4 /* processes that a round monitors */
#define TARGET_THREADS 3 /* threads of each target, not counting the first */
#define ELEMENTS       4 /* maximum number of different elements in a vector */
#define SETS	       4 /* scenarios use the event sets 0 to 3 */
#define LONGER	       64 /* maximum number of bytes that are added to a structure */

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
	X(READ_VALUES, PFM_IOC_READ)                                                     \
	X(STATISTICS, PFM_IOC_STATISTICS)                                                \
	X(RESTART_CPU, PFM_IOC_RESTART_CPU)                                              \
	X(READ_THREAD, PFM_IOC_READ_THREAD)

/* Other calls whose errno is checked. files.c and ioctls.c explain their fields. */
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

/*
 * Other operations, whose errno is not checked. They may fail in any way. environment.c, targets.c
 * and canary.c explain their fields.
 */
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

/* Returns whether the ioctl's structure has fields that must be zero. */
static inline bool has_reserved_fields(enum call call)
{
	return call == LOAD || call == START || call == RESTART_CPU;
}

/* Returns whether this is an ioctl of perfmon. */
static inline bool is_ioctl(enum call call)
{
	return call < OPEN;
}

#define FAIL_ALL       255 /* value of operation.fail: all allocations fail */
#define SETTINGS       13 /* files and values of SETTING, see files.c */
#define SETTING_VALUES 16
#define SETTING_BEFORE 255 /* value of operation.flags for SETTING: restore the setting */

/* Values of operation.size for CREATE_CONTEXT: the name of the context's PMU. */
enum pmu_name {
	NAME_NONE, /* the default PMU */
	NAME_UNREADABLE,
	NAME_UNKNOWN,
	NAME_LONG,
	NAME_SOFT,
	NAME_AMD_IBS,
	PMU_NAMES
};

/* The place of an argument. */
#define PLACES(X)                                                                        \
	X(GOOD)                                                                          \
	X(AT_END) /* ends where a mapping ends */                                        \
	X(OVER_END) /* begins in a mapping, ends in unmapped memory */                   \
	X(READ_ONLY)                                                                     \
	X(UNMAPPED)                                                                      \
	X(NOWHERE) /* NULL */                                                            \
	X(KERNEL)

/* The thread that a call names. */
#define WHO_NAMES(X)                                                                     \
	X(SELF)                                                                          \
	X(TARGET) /* target number @value */                                             \
	X(TARGET_THREAD) /* thread @value / TARGETS of target @value % TARGETS */        \
	X(WORKER) /* worker number @value */                                             \
	X(CHILD) /* the child that the caller forked last */                             \
	X(DEAD) /* a process that has ended */                                           \
	X(INIT)                                                                          \
	X(KERNEL_THREAD)                                                                 \
	X(NUMBER) /* the thread whose ID is @value */

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
 * An element of a call's vector. Fields that the call does not use are 0. For CREATE_CONTEXT, one
 * element describes the sampling format. @number is the format's index in the table of formats.c,
 * and @value is the size of the buffer in bytes. If @flags is 0, the format's argument has the
 * right size; other values select other sizes (formats.c). If @set is not 0, the format gets no
 * argument.
 */
#define SWITCH_COUNT_SHIFT 56

struct element {
	uint16_t number; /* of the register or format */
	uint16_t set;
	uint32_t flags;
	uint64_t value; /* of the register, or the timeout of the set */
	uint64_t reset;
	uint64_t map; /* reset_pmds, smpl_pmds, switch count: see ioctls.c */
};

/**
 * struct operation - one call
 * @call: enum call
 * @slot: descriptor
 * @place: place of the argument, or of the vector's elements
 * @outer: place of struct pfm_vector, of struct pfm_thread_counts, or of the format's name and
 *	argument
 * @who: enum who
 * @fail: which allocation of the call fails, counted from 1; FAIL_ALL: all allocations fail; 0:
 *	none fails
 * @dirty: if it is not 0, ignored and reserved fields of the argument are not zero
 * @few: if it is not 0, the process's limit of open files is 0 during the call
 * @count: number of elements of a vector; other calls use this field differently
 * @flags: depends on the call
 * @value: depends on the call
 * @size: number of bytes in each element of a vector; 0: as many as in the first version of the
 *	structure; other calls use this field differently
 * @more: number of bytes that are added to the structure of LOAD, START, RESTART_CPU or STATISTICS
 * @tail: if it is not 0, the bytes that @size or @more adds to a structure are not zero
 * @elements: number of used elements of @element
 * @element: the first elements of a vector
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
 * @process: threads with the same @process belong to one process; process 0 starts the other
 *	processes
 * @user: uid of the thread, 0 for root
 * @count: number of operations
 * @operations: the operations in the order of execution
 *
 * Worker 0 runs before all others. The processes of the other workers inherit the descriptors that
 * worker 0 opens.
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
