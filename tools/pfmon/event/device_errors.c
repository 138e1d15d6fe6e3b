// SPDX-License-Identifier: GPL-2.0-only
/*
 * Report why a call failed, such as opening the device or loading a context, and advise the user
 * what to do.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <perfmon/perfmon.h>

#include "../common/errors.h"
#include "device_errors.h"
#include "holders.h"
#include "pmus.h"

/*
 * Store in @buffer the kernel's reason for the last failure on @fd, and the holder of the PMU if
 * the holder is known. If the kernel has no reason, store the text for the errno @error. @fd is -1
 * if no context could be created. Returns @buffer.
 */
static const char *reason(int fd, int error, char *buffer, size_t size)
{
	const char *sentence = NULL;
	struct pfm_error last;

	if (!pfm_get_error(fd, &last) && last.reason != PFM_REASON_NONE)
		sentence = pfm_strreason(last.reason);
	if (!sentence)
		snprintf(buffer, size, "%s", strerror(error));
	else if (last.holder[0])
		snprintf(buffer, size, "%s (%.*s)", sentence, (int)sizeof(last.holder),
			 last.holder);
	else
		snprintf(buffer, size, "%s", sentence);
	return buffer;
}

/*
 * Messages put this text after a command that only root can run: " as root", or "" if the user is
 * root already.
 */
static const char *as_root(void)
{
	return geteuid() ? " as root" : "";
}

/*
 * Returns advice on how to free the counters that perf or the NMI watchdog holds. The text is empty
 * if neither of them holds counters.
 */
static const char *advice(int fd, char text[ADVICE_TEXT])
{
	struct pfm_error last;

	*text = '\0';
	if (pfm_get_error(fd, &last))
		return text;
	/*
	 * If perf holds the counters, last.holder begins with "perf". If contexts of a process
	 * named "perf" hold them, "perf" is not at the beginning, as in "system-wide contexts:
	 * perf[42]".
	 */
	return !strncmp(last.holder, "perf", 4) ? holders_advice("/proc", text) : text;
}

static int fail_no_such_pmu(const char *pmu)
{
	char names[PMU_NAMES];

	if (!pmus_text(names))
		return fail(
			"there is no PMU '%s': 'modprobe perfmon_%s' says why its module "
			"cannot be loaded",
			pmu, pmu);
	return fail("there is no PMU '%s': choose from %s", pmu, names);
}

static int fail_no_pmu(const char *pmu)
{
	struct pfm_error last;
	bool is_loaded = !pfm_get_error(-1, &last) && last.reason == PFM_REASON_NO_PMU;

	if (is_loaded && pmu)
		return fail_no_such_pmu(pmu);
	if (is_loaded)
		return fail(
			"there is no PMU description for this machine: "
			"'modprobe perfmon_soft'%s loads one that works on every machine",
			as_root());
	return fail(
		"perfmon is not loaded: run 'modprobe perfmon'%s; if modprobe reports a "
		"rejected key, see SECURE BOOT in pfmon(1)",
		as_root());
}

/*
 * Returns whether pfm_create() failed because several CPUs share the PMU and the context is not
 * system-wide.
 */
static bool is_shared(void)
{
	struct pfm_error last;

	return !pfm_get_error(-1, &last) && last.reason == PFM_REASON_SHARED_PMU;
}

int fail_open(int error, const char *pmu)
{
	char buffer[PFM_LAST_ERROR_SIZE], advised[ADVICE_TEXT];

	switch (error) {
	case ENOSYS:
		return fail_no_pmu(pmu);
	case EACCES:
		return fail("no permission to open " PFM_DEVICE
			    ": ask its owner, see 'ls -l " PFM_DEVICE "'");
	case EPERM:
		return fail("no permission to monitor: %s",
			    reason(-1, error, buffer, sizeof(buffer)));
	case EBUSY:
		return fail(
			"the PMU is not available: %s; stop its other user and try again%s",
			reason(-1, error, buffer, sizeof(buffer)), advice(-1, advised));
	default:
		if (pmu && is_shared())
			return fail(
				"PMU %s counts for several CPUs, not for one thread: use "
				"it with 'pfmon stat -a' or 'pfmon stat -C'",
				pmu);
		return fail("cannot make a monitoring context: %s",
			    reason(-1, error, buffer, sizeof(buffer)));
	}
}

/*
 * Report why thread @tid cannot be monitored. If the reason is that the user has no permission for
 * this thread, advise the user to monitor one of the user's own threads or to run pfmon as root. If
 * the call failed for another reason, leave out this advice, because it would not help.
 */
static int fail_permission(int fd, int tid, int error)
{
	char buffer[PFM_LAST_ERROR_SIZE];
	struct pfm_error last;
	bool may_help = geteuid() && !pfm_get_error(fd, &last) &&
			last.reason == PFM_REASON_PERMISSION;

	return fail("cannot monitor thread %d: %s%s", tid,
		    reason(fd, error, buffer, sizeof(buffer)),
		    may_help ? "; use a thread of your own or run as root" : "");
}

/* Report who already monitors the thread or CPU with number @number. @what is "thread" or "CPU". */
static int fail_taken(int fd, const char *what, int number)
{
	char process[PROCESS_TEXT] = "someone else";
	struct pfm_error last;

	if (!pfm_get_error(fd, &last) && last.value)
		holders_process("/proc", last.value, process);
	return fail("%s %d is monitored by %s already: wait until this monitoring has "
		    "ended",
		    what, number, process);
}

int fail_load(int fd, int tid, int error)
{
	char buffer[PFM_LAST_ERROR_SIZE], advised[ADVICE_TEXT];

	switch (error) {
	case ESRCH:
		return fail("there is no thread %d: 'ps -eL' shows the threads", tid);
	case EPERM:
		return fail_permission(fd, tid, error);
	case EEXIST:
		return fail_taken(fd, "thread", tid);
	default:
		return fail("cannot monitor thread %d: %s%s", tid,
			    reason(fd, error, buffer, sizeof(buffer)),
			    advice(fd, advised));
	}
}

int fail_load_cpu(int fd, int cpu, int error)
{
	char buffer[PFM_LAST_ERROR_SIZE], advised[ADVICE_TEXT];

	if (error == EEXIST)
		return fail_taken(fd, "CPU", cpu);
	return fail("cannot monitor CPU %d: %s%s", cpu,
		    reason(fd, error, buffer, sizeof(buffer)), advice(fd, advised));
}

int fail_call(int fd, const char *what, int error)
{
	char buffer[PFM_LAST_ERROR_SIZE];

	errno = error;
	return fail("cannot %s: %s", what, pfm_last_error(fd, buffer, sizeof(buffer)));
}
