/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Helpers that the suites of perfmon-tests and perfmon-conformance share.
 *
 * Each test runs in a process of its own (suites.h). It begins as root, on any CPU, with the
 * modules loaded and nothing else running. Before the test ends, it undoes all changes that would
 * affect other tests. No session may be left after the test.
 */
#ifndef GUEST_H
#define GUEST_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>
#include <perfmon/perfmon.h>

#include "suites.h"

#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#endif

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define NO_INDEX     PFM_NO_INDEX

/* ---- calls -------------------------------------------------------------------- */

/* The call must succeed. If the call fails, the test fails with libpfmdev's message. */
#define must(fd, call)                                                                   \
	do {                                                                             \
		long must_result = (call);                                               \
		int must_errno = errno;                                                  \
		ck_assert_msg(must_result != -1, "%s%s: %s (%s)", subject, #call,        \
			      strerror(must_errno), sentence(fd));                       \
	} while (0)

/*
 * The call must fail with @wanted_errno. PFM_IOC_LAST_ERROR must return this errno, the reason
 * @wanted_reason, and @wanted_index as the index of the bad element.
 */
#define must_fail(fd, call, wanted_errno, wanted_reason, wanted_index)                   \
	do {                                                                             \
		long must_result = (call);                                               \
		const char *must_why = wrong_failure(fd, must_result, errno,             \
						     wanted_errno, wanted_reason,        \
						     wanted_index);                      \
		ck_assert_msg(!must_why, "%s%s: %s", subject, #call, must_why);          \
	} while (0)

/* The call must fail with @wanted_errno. What PFM_IOC_LAST_ERROR returns is not checked. */
#define must_fail_errno(call, wanted_errno)                                              \
	do {                                                                             \
		long must_result = (call);                                               \
		int must_errno = errno;                                                  \
		ck_assert_msg(must_result == -1, "%s%s: returns %ld", subject, #call,    \
			      must_result);                                              \
		ck_assert_msg(must_errno == (wanted_errno), "%s%s: %s, not %s", subject, \
			      #call, strerror(must_errno), strerror(wanted_errno));      \
	} while (0)

/* Describes the current iteration of a loop. Failure messages begin with this text. */
extern const char *subject;

const char *sentence(int fd);
const char *wrong_failure(int fd, long result, int error, int wanted_errno,
			  unsigned int wanted_reason, uint32_t wanted_index);

/* If the condition never becomes true, the test's timeout ends the test. */
#define wait_until(condition)                                                            \
	do {                                                                             \
		while (!(condition))                                                     \
			usleep(1000);                                                    \
	} while (0)

/* ---- the loaded PMU ----------------------------------------------------------- */

/**
 * struct pmu - counters and values that tests use with the loaded PMU
 * @info: result of PFM_IOC_INFO
 * @pmcs, @pmds: three available counters. pmcs[i] drives pmds[i], and may also drive the other two
 *	counters
 * @busy: values for @pmcs. With busy[i] in pmcs[i], pmds[i] counts whenever the thread runs. If
 *	pmcs[i] also drives earlier counters of @pmds, these counters count as well
 * @quiet: values for @pmcs. With quiet[i] in pmcs[i], pmds[i] counts nothing in a test. If pmcs[i]
 *	also drives earlier counters of @pmds, these counters count whenever the thread runs
 * @bad_value: value of pmcs[0] that the PMU refuses; valid only if @has_bad_value
 * @can_narrow: the PMU accepts PFM_REGFL_NO_EMUL64
 * @missing_pmc, @missing_pmd: numbers of a PMC and of a PMD that the PMU does not have
 */
struct pmu {
	struct pfm_info info;
	unsigned int pmcs[3];
	unsigned int pmds[3];
	uint64_t busy[3];
	uint64_t quiet[3];
	uint64_t bad_value;
	bool has_bad_value;
	bool can_narrow;
	unsigned int missing_pmc;
	unsigned int missing_pmd;
};

/* The PMU is queried once per process. The test fails if the PMU is not known to the tests. */
const struct pmu *pmu(void);
bool pmu_is(const char *name);
/* Must be called after another PMU was loaded. The next pmu() queries the PMU again. */
void pmu_forget(void);

/* ---- contexts: each call must succeed ------------------------------------------ */

int make_context(void);
void write_pmc(int fd, unsigned int pmc, uint64_t value);
void write_pmd(int fd, unsigned int pmd, uint64_t value);
uint64_t read_pmd(int fd, unsigned int pmd);
/* Returns whether @pmd is a sampled PMD: only samples contain its value. */
bool is_only_sampled(int fd, unsigned int pmd);
void load(int fd, pid_t tid);
int try_load(int fd, pid_t tid);
struct pfm_status status_of(int fd);
struct pfarg_setinfo set_of(int fd, unsigned int id);

/*
 * Creates a context whose first counter (pmu()->pmds[0]) counts whenever the thread runs. The PMDs
 * for task clock and minor faults are also in use. busy_context_on() also loads the context on a
 * thread and starts it.
 */
int busy_context(void);
int busy_context_on(pid_t tid);
void use_busy_counters(int fd);

/*
 * Moves the context to the caller's thread, counts there, and compares the counts with what the
 * kernel reports. At the end the context is unloaded.
 */
void count_must_be_right(int fd);

/* read() must return the END message. */
void must_end(int fd);
/* There must be no message. */
void must_be_silent(int fd);

/* ---- children ------------------------------------------------------------------- */

typedef uint64_t (*child_function)(uint64_t argument);

/* Memory that a test shares with its child. */
struct child_page {
	volatile uint64_t turns; /* iterations of child_spin(), or of a test's own loop */
	volatile uint64_t stop; /* ends child_spin() */
	volatile uint64_t number; /* free for the test's use */
	char text[256]; /* program of child_exec() */
};

/**
 * struct child - a process that runs functions for the test and sleeps in between
 * @pid: ID of the process, and of its first thread
 */
struct child {
	pid_t pid;
	int commands;
	int results;
	struct child_page *page;
};

/*
 * Creates a child. Before child_new() returns, the child has closed all descriptors of contexts
 * that it inherited, so only the test has descriptors of its contexts.
 */
struct child child_new(void);
/* Lets the child call @function, and waits for the result. */
uint64_t child_call(const struct child *child, child_function function,
		    uint64_t argument);
/*
 * The two halves of child_call(): child_begin() lets the child call @function, and child_finish()
 * waits for the result.
 */
void child_begin(const struct child *child, child_function function, uint64_t argument);
uint64_t child_finish(const struct child *child);
/* The child spins until child_rest(). child_busy() returns when the child has begun to spin. */
void child_busy(const struct child *child);
void child_rest(const struct child *child);
/* child_exit() lets the child exit, child_kill() kills it. Both return the status of waitpid(). */
int child_exit(struct child *child);
int child_kill(struct child *child);
/* The child executes @program, a copy of this program. @child stays valid. */
void child_exec(const struct child *child, const char *program);

/* Functions for child_call(). */
uint64_t child_spin(uint64_t unused); /* see child_busy() */
uint64_t child_work(uint64_t pages); /* touches new pages; returns minor faults */
uint64_t child_set_uid(uint64_t uid); /* also sets the gid; the child stays dumpable */
uint64_t child_set_dumpable(uint64_t dumpable);
uint64_t child_pin(uint64_t cpu);
uint64_t child_fork(uint64_t pages); /* child_work() in a forked process */
uint64_t child_tid(uint64_t unused);
uint64_t child_do_exec(uint64_t unused); /* executes page->text; see child_exec() */
/* For the child: returns the page that the child shares with the test. */
struct child_page *child_own_page(void);
/* Called at the beginning of main(). Does not return in a program that child_exec() started. */
void child_main(int argc, char **argv);

/* Forks a process that calls @function and then exits. */
pid_t fork_child(void (*function)(int), int argument);
/* Waits for a process, which must exit with status 0. */
void must_exit_well(pid_t pid);

/* ---- threads and users ---------------------------------------------------------- */

pid_t thread_id(void);
/*
 * Returns the letter of the thread's state in /proc/PID/stat, such as R, S, D or Z. Returns 0 if
 * there is no such thread.
 */
char thread_state(pid_t tid);
void pin(unsigned int cpu);
unsigned int cpus_online(void);
/* Sets the process's user and group to @uid, drops its capabilities, and makes it dumpable. */
void become(uid_t uid);
/* Like become(), but keeps @capability. */
void become_with_capability(uid_t uid, int capability);
/* Sets perf_event_paranoid so that every user may count at all levels until the program ends. */
void let_users_count(void);
#define PARANOID "/proc/sys/kernel/perf_event_paranoid"
/* Creates a context that may count only at user level. The caller stays root. */
int context_at_user_level(void);
uint64_t minor_faults(void); /* of the caller's thread */
uint64_t cpu_time(void); /* of the caller's thread, ns */
/* Maps @pages new pages and touches each of them once. */
void touch_pages(uint64_t pages);
void spin_turns(uint64_t turns);

/* ---- the system ------------------------------------------------------------------- */

#define SYSFS	 "/sys/kernel/perfmon/"
#define DEBUGFS	 "/sys/kernel/debug/perfmon/"
#define USER_ID	 1000
#define OTHER_ID 1001

/* Reads the file, but at most @size - 1 bytes. Returns -1 and sets errno if it cannot be read. */
int try_read_text(const char *path, char *text, size_t size);
/* Returns 0, or the errno if the file cannot be opened or written. */
int try_write_text(const char *path, const char *text);
/* The test fails if read_text(), read_number(), write_text() or sessions() fails. */
const char *read_text(const char *path); /* valid until the next call */
uint64_t read_number(const char *path);
void write_text(const char *path, const char *text);
bool path_exists(const char *path);
uint64_t sessions(void);
/*
 * A session may end shortly after its test. So this function waits for up to 10 s until no session
 * is left. Returns false if a session is still left then. The runner calls this function after each
 * test that passed.
 */
bool no_session_is_left(void);
uint64_t free_memory(void); /* of the machine, bytes */
const char *kernel_log(void); /* the end of the log; valid until the next call */
/*
 * Between these two calls, tests/vm/run does not regard reports of unknown NMIs and of lockups as
 * failures. reports_end() returns how many times the kernel has logged @report since
 * reports_begin().
 */
void reports_begin(void);
unsigned int reports_end(const char *report);
#define UNKNOWN_NMI "NMI received for unknown reason"
#define HARD_LOCKUP "Watchdog detected hard LOCKUP"

/*
 * @name: the module's name, as in /proc/modules. The module's file is @name.ko. module_load() and
 * module_unload() return 0 or an errno.
 */
const char *module_path(const char *name); /* valid until the next call */
/* If @parameters is empty, the module gets its parameters from the kernel's command line. */
int module_load(const char *name, const char *parameters);
/*
 * With these @parameters, the module uses its own defaults. It does not use the parameters on the
 * kernel's command line.
 */
#define MODULE_DEFAULTS " "
int module_unload(const char *name);
bool module_is_loaded(const char *name);
int module_users(const char *name);
/* Reads a parameter of a loaded module from /sys/module. */
uint64_t module_parameter(const char *module, const char *name);
void set_module_parameter(const char *module, const char *name, uint64_t value);
/*
 * Makes a copy of this program. The copy belongs to @uid and has mode @mode. The caller removes the
 * copy.
 */
const char *copy_of_this(uid_t uid, mode_t mode);
/* Like copy_of_this(), but makes a copy of @program. */
const char *copy_of(const char *program, uid_t uid, mode_t mode);

/*
 * Returns whether this is a debug kernel, with KASAN, lockdep and kmemleak. All work takes five to
 * ten times as long in such a kernel.
 */
bool is_debug_kernel(void);
/* Returns the name of the loaded PMU's module. */
const char *pmu_module(void);
/* Returns the name of the module for this machine's PMU, or "perfmon_soft" if there is none. */
const char *best_pmu_module(void);

#endif
