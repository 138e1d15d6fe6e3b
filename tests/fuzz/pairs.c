/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Contains the table of pairs. A pair is a call and an errno that this call may return.
 *
 * The source of a pair is the document that lists it: a section of docs/interface.md or, for errors
 * that only this implementation returns, a header or a man page. The percentage of reached pairs
 * refers to all documented pairs, even those that a guest cannot reach. The errno of a pair without
 * a source does not come from perfmon: Linux itself returns it, for example because of an address,
 * a limit or a wrong descriptor. A pair that is not in the table is a finding.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "execute.h"
#include "pairs.h"

#define LINUX	  NULL
#define ELSEWHERE "" /* Linux returns the errno, but never for perfmon's files */
#define HEADER	  "perfmon_ioctl.h"

struct pair {
	uint8_t call;
	uint8_t error;
	const char *source;
};

static const struct pair pairs[] = {
	{ OPEN, ENFILE, "1.7" }, /* EMFILE is counted as ENFILE */
	{ OPEN, ENOMEM, "1.7" },
	{ OPEN, EACCES, "pfm_create_context(3)" },
	/*
	 * Linux returns these errnos for odd flags, and while the module is being loaded or
	 * unloaded.
	 */
	{ OPEN, ENOENT, LINUX },
	{ OPEN, ENXIO, LINUX },
	{ OPEN, ENODEV, LINUX },
	{ OPEN, EEXIST, LINUX },
	{ OPEN, EPERM, LINUX },
	{ OPEN, EINVAL, LINUX },

	{ CREATE_CONTEXT, EBADF, LINUX },
	{ CREATE_CONTEXT, ENOSYS, "1.7" },
	{ CREATE_CONTEXT, EFAULT, "1.7" },
	{ CREATE_CONTEXT, EINVAL, "1.7" },
	{ CREATE_CONTEXT, EPERM, "1.7" },
	{ CREATE_CONTEXT, EBUSY, "1.7" },
	{ CREATE_CONTEXT, ENOMEM, "1.7" },
	{ CREATE_CONTEXT, E2BIG, "1.7" },
	{ CREATE_CONTEXT, EOPNOTSUPP, HEADER },

	{ WRITE_PMCS, EINVAL, "1.8" },
	{ WRITE_PMCS, EBADF, "1.5 rule 2" },
	{ WRITE_PMCS, E2BIG, "1.5" },
	{ WRITE_PMCS, ENOMEM, "1.5" },
	{ WRITE_PMCS, EFAULT, "1.5" },
	{ WRITE_PMCS, EBUSY, "1.8" },

	{ WRITE_PMDS, EINVAL, "1.9" },
	{ WRITE_PMDS, EBADF, "1.5 rule 2" },
	{ WRITE_PMDS, E2BIG, "1.5" },
	{ WRITE_PMDS, ENOMEM, "1.5" },
	{ WRITE_PMDS, EFAULT, "1.5" },
	{ WRITE_PMDS, EBUSY, HEADER },

	{ READ_PMDS, EINVAL, "1.10" },
	{ READ_PMDS, EBADF, "1.5 rule 2" },
	{ READ_PMDS, E2BIG, "1.5" },
	{ READ_PMDS, EFAULT, "1.5" },

	{ READ_VALUES, EINVAL, "2.3" },
	{ READ_VALUES, EBADF, "2.3" },
	{ READ_VALUES, E2BIG, "2.3" },
	{ READ_VALUES, EFAULT, "2.3" },

	{ LOAD, EFAULT, "1.11" },
	{ LOAD, EBADF, "1.11" },
	{ LOAD, ESRCH, "1.11" },
	{ LOAD, EPERM, "1.11" },
	{ LOAD, EBUSY, "1.11" },
	{ LOAD, EINVAL, "1.11" },
	{ LOAD, EEXIST, "1.11" },
	/* The ptrace check opens a file (module/core/attachment/permission.c). */
	{ LOAD, ENOMEM, HEADER },
	{ LOAD, ENFILE, HEADER },
	{ LOAD, E2BIG, HEADER },
	{ LOAD, ENODEV, HEADER }, /* the CPU is offline */

	{ START, EBADF, "1.5 rule 2" },
	{ START, EINVAL, "1.12" },
	{ START, EFAULT, HEADER },
	{ START, E2BIG, HEADER },
	{ STOP, EBADF, "1.5 rule 2" },
	{ STOP, EINVAL, "1.12" },
	{ RESTART, EBADF, "1.5 rule 2" },
	{ RESTART, EBUSY, "1.12" },
	{ RESTART, EINVAL, HEADER },
	{ RESTART_CPU, EBADF, "1.5 rule 2" },
	{ RESTART_CPU, EINVAL, "1.12" },
	{ RESTART_CPU, EBUSY, "1.12" },
	{ RESTART_CPU, EFAULT, HEADER },
	{ RESTART_CPU, E2BIG, HEADER },
	{ READ_THREAD, EBADF, HEADER },
	{ READ_THREAD, EINVAL, HEADER },
	{ READ_THREAD, ENOENT, HEADER },
	{ READ_THREAD, E2BIG, HEADER },
	{ READ_THREAD, ENOMEM, "1.5" },
	{ READ_THREAD, EFAULT, HEADER },
	{ UNLOAD, EBADF, "1.5 rule 2" },
	{ UNLOAD, EINVAL, HEADER },

	{ CREATE_EVTSETS, EINVAL, "1.13" },
	{ CREATE_EVTSETS, EBUSY, "1.13" },
	{ CREATE_EVTSETS, EBADF, "1.5 rule 2" },
	{ CREATE_EVTSETS, E2BIG, "1.5" },
	{ CREATE_EVTSETS, ENOMEM, "1.5" },
	{ CREATE_EVTSETS, EFAULT, "1.5" },

	{ GETINFO_EVTSETS, EINVAL, "1.14" },
	{ GETINFO_EVTSETS, EBADF, "1.5 rule 2" },
	{ GETINFO_EVTSETS, E2BIG, "1.5" },
	{ GETINFO_EVTSETS, ENOMEM, "1.5" },
	{ GETINFO_EVTSETS, EFAULT, "1.5" },

	{ DELETE_EVTSETS, EINVAL, "1.14" },
	{ DELETE_EVTSETS, EBUSY, "1.14" },
	{ DELETE_EVTSETS, EBADF, "1.5 rule 2" },
	{ DELETE_EVTSETS, E2BIG, "1.5" },
	{ DELETE_EVTSETS, ENOMEM, "1.5" },
	{ DELETE_EVTSETS, EFAULT, "1.5" },

	{ INFO, EBADF, "pfm_get_info(3)" },
	{ INFO, EFAULT, HEADER },
	{ INFO, ENOMEM, HEADER }, /* INFO may load a module */
	{ LAST_ERROR, EBADF, "pfm_get_error(3)" },
	{ LAST_ERROR, EFAULT, HEADER },
	{ STATUS, EBADF, "pfm_get_status(3)" },
	{ STATUS, EFAULT, HEADER },
	{ STATUS, EINVAL, "pfm_get_status(3)" },
	{ STATISTICS, EBADF, "pfm_get_statistics(3)" },
	{ STATISTICS, EFAULT, HEADER },
	{ STATISTICS, EINVAL, HEADER },
	{ STATISTICS, EPERM, HEADER },
	{ STATISTICS, E2BIG, HEADER },

	{ OTHER_IOCTL, ENOTTY, LINUX },
	/* Linux implements some ioctls for every file. They may return the following errnos. */
	{ OTHER_IOCTL, EBADF, LINUX },
	{ OTHER_IOCTL, EFAULT, LINUX },
	{ OTHER_IOCTL, EINVAL, LINUX },
	{ OTHER_IOCTL, EPERM, LINUX },
	{ OTHER_IOCTL, EOPNOTSUPP, LINUX },

	{ READ, EINVAL, "4.5" },
	{ READ, EAGAIN, "4.5" },
	{ READ, EINTR, "4.5" },
	{ READ, EFAULT, LINUX },
	{ READ, EBADF, LINUX },

	{ WRITE, EINVAL, "4.5" },
	{ WRITE, EBADF, LINUX },
	{ WRITE, EFAULT, LINUX },
	{ WRITE, EAGAIN, ELSEWHERE },

	{ LSEEK, ESPIPE, "4.5" },
	{ LSEEK, EBADF, LINUX },
	{ LSEEK, EINVAL, LINUX },
	{ LSEEK, ENXIO, ELSEWHERE },
	{ LSEEK, EOVERFLOW, ELSEWHERE },

	{ MMAP, EINVAL, "5.5" },
	{ MMAP, ENFILE, LINUX }, /* perfmon opens a file for each mapping */
	{ MMAP, ENODEV, ELSEWHERE },
	{ MMAP, EACCES, LINUX },
	{ MMAP, EBADF, LINUX },
	{ MMAP, EOVERFLOW, LINUX },
	{ MMAP, ENOMEM, LINUX },

	{ POLL, EINTR, LINUX },
	{ POLL, EINVAL, LINUX }, /* if the limit of open files is 0 */
	{ SELECT, EINTR, LINUX },
	{ SELECT, EBADF, LINUX },

	{ SETTING, EINVAL, "7.2" },
	{ SETTING, EACCES, LINUX },
	{ SETTING, ERANGE, LINUX },
	{ SETTING, ENOENT, LINUX },
	{ SETTING, ENODEV, LINUX },
	{ SETTING, EMFILE, LINUX },
	{ SETTING, ENFILE, LINUX },
};

/*
 * Errnos of perfmon2 that this implementation never returns (docs/interface.md 10). They count as
 * documented pairs that were not reached. If a call on a descriptor of perfmon returns one of them,
 * that is a finding. For other files, Linux may return these errnos.
 */
static const struct impossible {
	uint8_t call;
	uint8_t error;
	const char *source;
	const char *why;
} impossible[] = {
	{ READ_PMDS, ENOMEM, "1.5", "a read allocates no memory" },
	{ READ_VALUES, ENOMEM, "2.3", "a read allocates no memory" },
	{ OTHER_IOCTL, EINVAL, "4.5", "Linux requires ENOTTY for an unknown command" },
	{ REOPEN, ENXIO, "1.7", "a device file can be opened again" },
};

static const char *const names[] = {
#define IOCTL_NAME(name, command) [name] = #name,
#define CALL_NAME(name)		  [name] = #name,
	IOCTLS(IOCTL_NAME) FILE_CALLS(CALL_NAME) ENVIRONMENT_CALLS(CALL_NAME)
};

const char *call_name(enum call call)
{
	return names[call];
}

/* In the table, OPEN also stands for REOPEN, and READ also stands for READV. */
static enum call listed_call(enum call call)
{
	if (call == REOPEN)
		return OPEN;
	return call == READV ? READ : call;
}

static int listed_error(enum call call, int error)
{
	return call == OPEN && error == EMFILE ? ENFILE : error;
}

/*
 * Returns whether pair_count() counts a result. On a descriptor that does not belong to perfmon, it
 * counts only EBADF.
 */
static bool is_of_perfmon(enum call call, int error, enum kind kind)
{
	return call == OPEN || call == SETTING || kind == PERFMON || error == EBADF;
}

void pair_count(struct seen *seen, enum call call, int error, enum kind kind)
{
	enum call listed = listed_call(call);
	uint32_t *times = &seen->times[listed][listed_error(listed, error) % ERRNOS];

	__atomic_fetch_add(&seen->operations, 1, __ATOMIC_RELAXED);
	if (is_of_perfmon(call, error, kind))
		__atomic_fetch_add(times, 1, __ATOMIC_RELAXED);
}

static bool is_elsewhere(const struct pair *pair)
{
	return pair->source && !*pair->source;
}

/*
 * Returns whether impossible[] contains this result. Ioctls whose type is not PFM_IOC_TYPE are not
 * checked, because Linux itself executes some of them for every file, and may return any errno.
 */
static bool is_impossible(const struct operation *operation, int error)
{
	size_t n;

	if (operation->call == OTHER_IOCTL && operation->value != PFM_IOC_TYPE)
		return false;
	for (n = 0; n < COUNT(impossible); n++)
		if (impossible[n].call == operation->call && impossible[n].error == error)
			return true;
	return false;
}

bool pair_is_allowed(const struct operation *operation, int error, enum kind kind)
{
	enum call call = listed_call(operation->call);
	bool sure = kind == PERFMON;
	size_t n;

	if (sure && is_impossible(operation, error))
		return false;
	error = listed_error(call, error);
	if (!error || (is_ioctl(call) && error == ENOTTY && !sure))
		return true;
	for (n = 0; n < COUNT(pairs); n++)
		if (pairs[n].call == call && pairs[n].error == error &&
		    !(sure && is_elsewhere(&pairs[n])))
			return true;
	return false;
}

/* A source begins with a digit if it is a section of docs/interface.md. */
static bool is_of_api(const struct pair *pair)
{
	return pair->source && *pair->source && *pair->source <= '9';
}

static bool is_of_others(const struct pair *pair)
{
	return pair->source && *pair->source > '9';
}

static bool is_reached(const struct seen *seen, const struct pair *pair)
{
	return seen->times[pair->call][pair->error];
}

/*
 * Prints and returns the percentage of a document's pairs that were reached.
 * @is_wanted: selects the pairs of the document that can happen
 * @unreachable: number of pairs of the document that cannot happen
 */
static unsigned int report_reached(const struct seen *seen, const char *document,
				   bool (*is_wanted)(const struct pair *pair),
				   unsigned int unreachable)
{
	unsigned int reached = 0, documented = unreachable, n;

	for (n = 0; n < COUNT(pairs); n++) {
		if (!is_wanted(&pairs[n]))
			continue;
		documented++;
		reached += is_reached(seen, &pairs[n]);
	}
	printf("%u of %u (operation, errno) pairs of %s reached (%u %%)\n", reached,
	       documented, document, reached * 100 / documented);
	return reached * 100 / documented;
}

static unsigned int report_failures(const struct seen *seen)
{
	unsigned int percent, n;

	percent = report_reached(seen, "docs/interface.md", is_of_api, COUNT(impossible));
	report_reached(seen, "perfmon_ioctl.h and the man pages", is_of_others, 0);
	for (n = 0; n < COUNT(pairs); n++) {
		if (!is_of_api(&pairs[n]) && !is_of_others(&pairs[n]))
			continue;
		if (is_reached(seen, &pairs[n]))
			continue;
		printf("missing: %s %s (%s)\n", names[pairs[n].call],
		       strerrorname_np(pairs[n].error), pairs[n].source);
	}
	for (n = 0; n < COUNT(impossible); n++)
		printf("missing: %s %s (%s): %s\n", names[impossible[n].call],
		       strerrorname_np(impossible[n].error), impossible[n].source,
		       impossible[n].why);
	return percent;
}

static void report_successes(const struct seen *seen)
{
	unsigned int call;

	for (call = 0; call < OPEN_OTHER; call++) {
		bool cannot = call == OTHER_IOCTL || call == WRITE || call == LSEEK ||
			      listed_call(call) != call;

		if (!seen->times[call][0] && !cannot)
			printf("never succeeded: %s\n", names[call]);
	}
}

/* Returns whether no call is missing in the plans: each call has returned something. */
static bool are_all_called(const struct seen *seen)
{
	static const uint32_t never[ERRNOS];
	bool all = true;
	unsigned int call;

	for (call = 0; call < OPEN_OTHER; call++) {
		if (listed_call(call) != call ||
		    memcmp(seen->times[call], never, sizeof(never)))
			continue;
		printf("FAIL: %s was never called\n", names[call]);
		all = false;
	}
	return all;
}

/*
 * A run of so many operations must reach this percentage of the pairs of docs/interface.md.
 * docs/testing.md has the measurements.
 */
static const struct limit {
	uint64_t operations;
	unsigned int percent;
} limits[] = {
	{ 8000, 78 },
	{ 100000, 85 },
};

static bool is_enough(const struct seen *seen, unsigned int reached)
{
	unsigned int wanted = 0, n;

	for (n = 0; n < COUNT(limits); n++)
		if (seen->operations >= limits[n].operations)
			wanted = limits[n].percent;
	if (!wanted) {
		printf("too few operations to judge the pairs: there must be %ju\n",
		       (uintmax_t)limits[0].operations);
		return true;
	}
	if (reached < wanted)
		printf("FAIL: %u %% of documented pairs reached, should be %u %%\n",
		       reached, wanted);
	return are_all_called(seen) && reached >= wanted;
}

bool pairs_report(const struct seen *seen, bool is_judged)
{
	unsigned int percent = report_failures(seen);

	report_successes(seen);
	return !is_judged || is_enough(seen, percent);
}
