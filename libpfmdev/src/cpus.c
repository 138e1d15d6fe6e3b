// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * System-wide contexts on several CPUs, handled by one thread.
 *
 * A function that fails on some CPUs still does its work on the other CPUs.  Each struct
 * pfm_cpu_context contains the number of a CPU, the descriptor of the CPU's context, and the errno
 * of the last call on this context.  If the call failed, pfm_last_error() explains why.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "internal.h"

#define ONLINE	  "/sys/devices/system/cpu/online"

/*
 * Size in bytes of the memory for the list of online CPUs and its newline.  The lists of real
 * machines are shorter.
 */
#define LIST_SIZE 16384

/* ---- lists of CPUs -------------------------------------------------------------------------- */

static int refuse(int error)
{
	errno = error;
	return -1;
}

/*
 * Read a number at *@text, and move *@text past it.  Return: the number; -1 if there is
 * none, or if it is above PFM_CPU_MOST.
 */
static int read_number(const char **text)
{
	char *end;
	long number;

	if (!isdigit((unsigned char)**text))
		return -1;
	errno = 0;
	number = strtol(*text, &end, 10);
	*text = end;
	return errno || number > PFM_CPU_MOST ? -1 : (int)number;
}

/* Read "N" or "N-M" at *@text, and move *@text past it. */
static int read_range(const char **text, int *first, int *last)
{
	*first = *last = read_number(text);
	if (**text == '-') {
		++*text;
		*last = read_number(text);
	}
	return *first < 0 || *last < *first ? -1 : 0;
}

static int parse(const char *list, struct pfm_cpu_context *contexts, int most)
{
	int count = 0, first, last;

	for (;;) {
		if (read_range(&list, &first, &last))
			return refuse(EINVAL);
		for (; first <= last; first++) {
			if (count == most)
				return refuse(ENOSPC);
			contexts[count++] =
				(struct pfm_cpu_context){ .cpu = first, .fd = -1 };
		}
		if (*list != ',')
			return *list ? refuse(EINVAL) : count;
		list++;
	}
}

static int parse_online(struct pfm_cpu_context *contexts, int most)
{
	int fd = open(ONLINE, O_RDONLY | O_CLOEXEC), count = -1, cause;
	char *list = malloc(LIST_SIZE);
	ssize_t length;

	length = fd != -1 && list ? read(fd, list, LIST_SIZE - 1) : -1;
	if (length > 0) {
		list[length - (list[length - 1] == '\n')] = '\0';
		count = parse(list, contexts, most);
	}
	cause = errno;
	if (fd != -1)
		close(fd);
	free(list);
	errno = cause;
	return count;
}

PFMDEV_EXPORT int pfm_cpus_parse(const char *list, struct pfm_cpu_context *contexts,
				 int most)
{
	return list ? parse(list, contexts, most) : parse_online(contexts, most);
}

/* ---- calls on all CPUs ---------------------------------------------------------------------- */

/*
 * Store the result of a call on @context.  *@first: errno of the first call that failed; 0 if no
 * call has failed.
 */
static void note(struct pfm_cpu_context *context, int result, int *first)
{
	context->error = result == -1 ? errno : 0;
	if (!*first)
		*first = context->error;
}

static int result_of(int first)
{
	return first ? refuse(first) : 0;
}

static int load_one(struct pfm_cpu_context *context, const struct pfm_create *create,
		    pfarg_pmc_t *pmcs, int pmc_count, pfarg_pmd_t *pmds, int pmd_count)
{
	pfarg_load_t load = { .load_pid = (uint32_t)context->cpu };

	context->fd = pfm_create(create);
	if (context->fd == -1)
		return -1;
	fcntl(context->fd, F_SETFD, FD_CLOEXEC);
	if (pmc_count && pfm_write_pmcs(context->fd, pmcs, pmc_count))
		return -1;
	if (pmd_count && pfm_write_pmds(context->fd, pmds, pmd_count))
		return -1;
	return pfm_load_context(context->fd, &load);
}

PFMDEV_EXPORT int pfm_cpus_load(struct pfm_cpu_context *contexts, int count,
				const struct pfm_create *create, pfarg_pmc_t *pmcs,
				int pmc_count, pfarg_pmd_t *pmds, int pmd_count)
{
	struct pfm_create system_wide = { 0 };
	int first = 0, i;

	if (create)
		system_wide = *create;
	system_wide.context.ctx_flags |= PFM_FL_SYSTEM_WIDE;
	for (i = 0; i < count; i++)
		note(&contexts[i],
		     load_one(&contexts[i], &system_wide, pmcs, pmc_count, pmds,
			      pmd_count),
		     &first);
	return result_of(first);
}

PFMDEV_EXPORT int pfm_cpus_start(struct pfm_cpu_context *contexts, int count)
{
	int first = 0, i;

	for (i = 0; i < count; i++)
		if (contexts[i].fd != -1)
			note(&contexts[i], pfm_start(contexts[i].fd, NULL), &first);
	return result_of(first);
}

/*
 * Call pfm_stop(), but succeed if the context is not loaded.  The kernel unloads a context when
 * the context's CPU goes offline.  Such a context has stopped counting.
 */
static int stop_one(int fd)
{
	struct pfm_error error;
	int cause;

	if (!pfm_stop(fd))
		return 0;
	cause = errno;
	if (cause == EINVAL && !pfm_get_error(fd, &error) &&
	    error.reason == PFM_REASON_UNLOADED)
		return 0;
	return refuse(cause);
}

PFMDEV_EXPORT int pfm_cpus_stop(struct pfm_cpu_context *contexts, int count)
{
	int first = 0, i;

	for (i = 0; i < count; i++)
		if (contexts[i].fd != -1)
			note(&contexts[i], stop_one(contexts[i].fd), &first);
	return result_of(first);
}

PFMDEV_EXPORT int pfm_cpus_read(struct pfm_cpu_context *contexts, int count,
				const pfarg_pmr_t *pmds, int pmd_count, uint64_t *values)
{
	pfarg_pmr_t *copy = calloc((size_t)pmd_count + 1, sizeof(*copy));
	const size_t size = (size_t)pmd_count * sizeof(*copy);
	int first = 0, i, j;

	if (!copy)
		return -1;
	for (i = 0; i < count; i++) {
		if (contexts[i].fd == -1)
			continue;
		memcpy(copy, pmds, size);
		note(&contexts[i], pfm_read(contexts[i].fd, 0, PFM_RW_PMD, copy, size),
		     &first);
		for (j = 0; !contexts[i].error && j < pmd_count; j++)
			values[(size_t)i * pmd_count + j] = copy[j].reg_value;
	}
	free(copy);
	return result_of(first);
}

/* ---- messages ------------------------------------------------------------------------------- */

/* Return: number of contexts from which a message was read; -1 if a read failed. */
static int read_messages(struct pfm_cpu_context *contexts, int count,
			 const struct pollfd *polled)
{
	int found = 0, first = 0, i;
	ssize_t size;

	for (i = 0; i < count; i++) {
		if (!(polled[i].revents & POLLIN))
			continue;
		size = read(contexts[i].fd, &contexts[i].message,
			    sizeof(contexts[i].message));
		note(&contexts[i], size == -1 ? -1 : 0, &first);
		contexts[i].has_message = size == sizeof(contexts[i].message);
		found += contexts[i].has_message;
	}
	return first ? refuse(first) : found;
}

PFMDEV_EXPORT int pfm_cpus_wait(struct pfm_cpu_context *contexts, int count, int timeout)
{
	struct pollfd *polled = calloc((size_t)count + 1, sizeof(*polled));
	int result, i;

	if (!polled)
		return -1;
	for (i = 0; i < count; i++) {
		contexts[i].has_message = 0;
		polled[i] = (struct pollfd){ contexts[i].fd, POLLIN, 0 };
	}
	result = poll(polled, (nfds_t)count, timeout);
	if (result > 0)
		result = read_messages(contexts, count, polled);
	free(polled);
	return result;
}

PFMDEV_EXPORT void pfm_cpus_close(struct pfm_cpu_context *contexts, int count)
{
	int i;

	for (i = 0; i < count; i++) {
		if (contexts[i].fd != -1)
			close(contexts[i].fd);
		contexts[i].fd = -1;
	}
}
