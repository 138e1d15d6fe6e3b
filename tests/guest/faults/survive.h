/* SPDX-License-Identifier: GPL-2.0-only */
/* Operations that must handle every failure of an allocation correctly. */
#ifndef SURVIVE_H
#define SURVIVE_H

#include <sys/ioctl.h>

#include "inject.h"

/**
 * struct operation - an operation that is tried again and again on the context @fd
 * @name: for the log
 * @attempt: does the operation and nothing else; returns 0 or an errno
 * @undo: undoes an attempt that succeeded. NULL if there is nothing to undo
 * @before: called before each attempt. NULL if there is nothing to do
 * @verify: called after each attempt, with its errno. If this is NULL, a failed attempt must not
 *	change the state of the context
 * @allocates: perfmon itself allocates memory in this operation. One of these allocations must fail
 *	in at least one attempt
 * @reason: if the operation fails, PFM_IOC_LAST_ERROR must report lack of memory as the reason
 * @normally: the errno of an attempt in which no allocation fails
 * @foreign: NULL for an operation of perfmon. For an operation of the kernel, the reason why it may
 *	succeed although an allocation failed, or may fail with an errno other than ENOMEM
 * @absorbed: NULL if the operation must fail when an allocation fails that has no fallback, or when
 *	there is no memory at all. Otherwise the reason why the operation may nevertheless succeed
 * @once: INJECT_REST is not tried, because a process would wait for ever if all later allocations
 *	failed
 * @process: process whose allocations fail. If this is NULL, allocations of the caller fail
 * @command, @size: ioctl command and size of an element, for attempt_vector()
 * @count: a number that @attempt uses, for example the number of elements in attempt_vector() and
 *	the lowest descriptor in attempt_dup()
 */
struct operation {
	const char *name;
	int (*attempt)(const struct operation *operation);
	void (*undo)(void);
	void (*before)(void);
	void (*verify)(int error);
	bool allocates;
	bool reason;
	int normally;
	const char *foreign;
	const char *absorbed;
	bool once;
	const pid_t *process;
	unsigned long command;
	size_t size;
	int count;
};

/* The operations use this context and this process. */
extern int fd;
extern struct child child;

static inline int to_error(long result)
{
	return result == -1 ? errno : 0;
}

/* The descriptor that an attempt has opened. */
extern int opened;
void close_opened(void);

void must_survive(const struct operation *operation);
void all_must_survive(const struct operation *operations, size_t count);
/*
 * Asserts that @error is 0. The message says what failed: the action @what, such as "unloading", on
 * the module or file @name.
 */
void must_do(int error, const char *what, const char *name);
/* Starts a child, and makes fd a context that monitors it. */
void watch_new_child(void);

/* Defines a test that runs check_NAME() in another process. */
#define FAULT_TEST(name)                                                                 \
	TEST(name)                                                                       \
	{                                                                                \
		survive_then_put_back(check_##name);                                     \
	}

void survive_then_put_back(void (*check)(void));

#endif
