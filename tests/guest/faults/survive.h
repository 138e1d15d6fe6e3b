/* SPDX-License-Identifier: GPL-2.0-only */
/* Operations that must survive every failure of an allocation. */
#ifndef SURVIVE_H
#define SURVIVE_H

#include <sys/ioctl.h>

#include "inject.h"

/**
 * struct operation - what is tried again and again, the context @fd under its hand
 * @name: for the log
 * @attempt: the operation and nothing else; 0 or errno
 * @undo: takes back an attempt that succeeded; NULL: nothing to do
 * @before: called before each attempt; NULL: nothing to do
 * @verify: called after each attempt, with its errno; NULL: the state of the
 *	context has to be that of before if it failed
 * @allocates: perfmon itself does: at least one allocation has to fail
 * @reason: failures are told by PFM_IOC_LAST_ERROR, as lack of memory
 * @normally: errno when nothing is injected
 * @foreign: the path is the kernel's and not ours: why it says another errno
 *	than ENOMEM, or succeeds
 * @absorbed: why it may succeed although an allocation without fallback failed, or
 *	none was to be had
 * @once: not with all the rest failing, too: somebody would wait for ever
 * @process: whose allocations fail; NULL: the caller's
 * @command, @size: of attempt_vector()
 * @count: elements for attempt_vector(), the least descriptor for attempt_dup(), the
 *	state of the CPU for attempt_cpu()
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

/* What operations work on. */
extern int fd;
extern struct child child;

static inline int to_error(long result)
{
	return result == -1 ? errno : 0;
}

/* What an attempt has opened. */
extern int opened;
void close_opened(void);

/* PFM_IOC_INFO, which loads the PMU's module; success has to bring the PMU. */
int attempt_info(const struct operation *operation);

void must_survive(const struct operation *operation);
void all_must_survive(const struct operation *operations, size_t count);
/* Asserts that an operation on the module or file of that name did not fail. */
void must_do(int error, const char *what, const char *name);
/* A child that the context fd monitors. */
void watch_new_child(void);

/* A test whose checks are in check_NAME(), run in another process. */
#define FAULT_TEST(name)                                                                 \
	TEST(name)                                                                       \
	{                                                                                \
		survive_then_put_back(check_##name);                                     \
	}

void survive_then_put_back(void (*check)(void));

#endif
