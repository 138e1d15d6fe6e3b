/* SPDX-License-Identifier: GPL-2.0-only */
/* Functions for the member "attempt" of struct operation. Each returns 0 or an errno. */
#ifndef ATTEMPTS_H
#define ATTEMPTS_H

#include "survive.h"

/* attempt_load() loads the context on this thread or CPU. */
extern pid_t load_target;
int attempt_load(const struct operation *operation);
int attempt_start(const struct operation *operation);
int attempt_stop(const struct operation *operation);
int attempt_restart(const struct operation *operation);
/* Reads the PMD whose number is operation->count. */
int attempt_read_pmd(const struct operation *operation);
int attempt_status(const struct operation *operation);
int attempt_statistics(const struct operation *operation);
int attempt_unload(const struct operation *operation);
int attempt_close(const struct operation *operation);

/*
 * Calls PFM_IOC_INFO, which loads the PMU's module. Returns ENOSYS if the call succeeds but reports
 * no PMU.
 */
int attempt_info(const struct operation *operation);

/* Forks a child that touches FORK_PAGES pages and exits. */
#define FORK_PAGES 20
int attempt_fork(const struct operation *operation);

/* For operation->undo: unloads the context, which must be loaded. */
void unload(void);
/*
 * For operation->verify of system-wide contexts: the CPU must have a session if and only if the
 * context is loaded.
 */
void must_be_loaded_or_not(int error);

#endif
