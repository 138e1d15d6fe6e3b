/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Helpers for families. A family is a process that is monitored together with the threads and
 * children that it makes.
 *
 * The tests compare a context's counts with the page faults that the kernel reports for the process
 * and for the children that it has waited for.
 */
#ifndef FAMILIES_H
#define FAMILIES_H

#include "samples.h"
#include "workers.h"

#define FAMILY_CPUS  2
#define FAMILY_PAGES 20 /* pages that each child touches */

/* What the processes of a family report to the test. All of them share this memory. */
struct progress {
	volatile unsigned int begun; /* children and threads, counted before they begin */
	volatile unsigned int done; /* children and threads that have ended */
	volatile bool finished; /* the process has called its function */
};

extern struct progress *progress;

/**
 * struct family - a process that calls a function each time family_let_go() is called
 * @pid: the process
 * @gate, @finished: ends of the pipes that family_let_go() and family_wait() use
 * @fd: a started context with PFM_FL_INHERIT_ALL, loaded on the process
 * @buffers: a small sampling buffer for each CPU; NULL if the context has no format
 * @faults: page faults of the process and its children before @fd was started
 */
struct family {
	pid_t pid;
	int gate;
	int finished;
	int fd;
	header_t buffers[FAMILY_CPUS];
	uint64_t faults;
};

/*
 * Forks the process, which waits for family_let_go() and then calls @run. Only one such process may
 * exist at a time.
 */
struct family family_begin(void (*run)(void));
/* Makes a context, loads it on the process and starts the context. The process must be asleep. */
void family_load(struct family *family, bool is_sampled);
/* Lets the process call its function once. */
void family_let_go(struct family *family);
/* Waits until the process has called its function and sleeps again, or until it has ended. */
void family_wait(const struct family *family);
/*
 * Must be called after family_wait(). Returns the page faults of the process and of the children
 * that it has waited for. Page faults before family_load() are not counted.
 */
uint64_t family_faults(const struct family *family);
/* If the context is still open, closes it to end sampling. Then checks the buffers. */
void family_forget(struct family *family);
/* Lets the process end, if it has not ended yet. */
void family_end(struct family *family);

/* Makes a child that touches FAMILY_PAGES pages and calls @last, which may be NULL. */
pid_t make_child(void (*last)(void));
/*
 * Makes a child that shares the process's memory. It takes much less time to make such a child, but
 * only one of them can live at a time.
 */
pid_t make_light_child(void);

/*
 * Returns a context that keeps the core's hooks in the kernel while other contexts are loaded and
 * closed. Without this context, the core would remove its hooks and install them again, up to once
 * per second. That takes a long time while other processes fork.
 */
int keep_hooks(void);

#endif
