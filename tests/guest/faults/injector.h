/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An injector is a way to make allocations fail. There are two injectors, and inject.c chooses one
 * of them.
 */
#ifndef INJECTOR_H
#define INJECTOR_H

#include "inject.h"

/**
 * struct injector - implements the functions of inject.h
 * @open: called before everything else
 * @kind: chooses which allocations fail
 * @workers: implements inject_workers(). NULL if the injector cannot count allocations of workers
 * @arm: begins to count the allocations of thread @tid, or of the caller if @tid is 0. After that,
 *	@arm itself must not allocate memory
 * @disarm: ends the injection, and fills in the members of struct injected that this injector knows
 * @read: finds the other members of struct injected in a record of the kernel's log. NULL if
 *	@disarm fills in all members
 */
struct injector {
	void (*open)(void);
	void (*kind)(enum inject_kind kind);
	void (*workers)(void);
	void (*arm)(pid_t tid, unsigned int nth);
	void (*disarm)(struct injected *found);
	void (*read)(const char *line, struct injected *found);
};

/* The kernel's fault injection: CONFIG_FAULT_INJECTION. */
extern const struct injector kernel_injector;
bool kernel_can_inject(void);

/* The injector that uses tests/modules/failing_allocations.c. */
#define INJECT_MODULE "failing_allocations"
extern const struct injector module_injector;

/* Opens a file, which must exist. */
int inject_file(const char *path, int flags);
/*
 * These functions use no assertions, because even a successful assertion writes to a file, which
 * needs memory.
 */
void inject_write(int fd, const char *text);
void inject_write_number(int fd, unsigned int number);
unsigned int inject_read_number(int fd);

#endif
