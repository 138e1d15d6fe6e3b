// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Sentences about failed calls:
 *
 *	CALL: [element N: ]SENTENCE[: VALUE][, HOLDER]
 *
 * The sentences are in reasons.c.  This file has the printf format for the VALUE of each reason.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "internal.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char *const calls[] = {
	[_IOC_NR(PFM_IOC_CREATE_CONTEXT)] = "pfm_create_context",
	[_IOC_NR(PFM_IOC_WRITE_PMCS)] = "pfm_write_pmcs",
	[_IOC_NR(PFM_IOC_WRITE_PMDS)] = "pfm_write_pmds",
	[_IOC_NR(PFM_IOC_READ_PMDS)] = "pfm_read_pmds",
	[_IOC_NR(PFM_IOC_READ)] = "pfm_read",
	[_IOC_NR(PFM_IOC_LOAD)] = "pfm_load_context",
	[_IOC_NR(PFM_IOC_START)] = "pfm_start",
	[_IOC_NR(PFM_IOC_STOP)] = "pfm_stop",
	[_IOC_NR(PFM_IOC_RESTART)] = "pfm_restart",
	[_IOC_NR(PFM_IOC_CREATE_EVTSETS)] = "pfm_create_evtsets",
	[_IOC_NR(PFM_IOC_GETINFO_EVTSETS)] = "pfm_getinfo_evtsets",
	[_IOC_NR(PFM_IOC_DELETE_EVTSETS)] = "pfm_delete_evtsets",
	[_IOC_NR(PFM_IOC_UNLOAD)] = "pfm_unload_context",
	[_IOC_NR(PFM_IOC_INFO)] = "pfm_get_info",
	[_IOC_NR(PFM_IOC_LAST_ERROR)] = "pfm_get_error",
	[_IOC_NR(PFM_IOC_STATUS)] = "pfm_get_status",
	[_IOC_NR(PFM_IOC_STATISTICS)] = "pfm_get_statistics",
	[_IOC_NR(PFM_IOC_RESTART_CPU)] = "pfm_restart_cpu",
	[_IOC_NR(PFM_IOC_READ_THREAD)] = "pfm_read_thread",
};

/*
 * How the value of a reason is printed.  PFM_REASON_COUNT has a value, but is not in this table:
 * format_value() prints the value as an int.  For the other reasons that are not in this table, no
 * value is printed.
 */
static const char *const values[] = {
	[PFM_REASON_TOO_LONG] = "%llu bytes",
	[PFM_REASON_RESERVED] = "0x%llx",
	[PFM_REASON_SIZE] = "it has only %llu bytes",
	[PFM_REASON_TAIL] = "perfmon's structure has %llu bytes",
	[PFM_REASON_FLAGS] = "flags 0x%llx",
	[PFM_REASON_NO_PMC] = "PMC %llu",
	[PFM_REASON_NO_PMD] = "PMD %llu",
	[PFM_REASON_PMD_HELD] = "PMD %llu",
	[PFM_REASON_PMC_VALUE] = "value 0x%llx",
	[PFM_REASON_NOT_A_COUNTER] = "PMC %llu",
	[PFM_REASON_PMD_UNUSED] = "PMD %llu",
	[PFM_REASON_ONLY_SAMPLED] = "PMD %llu",
	[PFM_REASON_NO_SET] = "set %llu",
	[PFM_REASON_NO_THREAD] = "thread %llu",
	[PFM_REASON_THREAD_ENDED] = "thread %llu",
	[PFM_REASON_KERNEL_THREAD] = "thread %llu",
	[PFM_REASON_PERMISSION] = "thread %llu",
	[PFM_REASON_THREAD_TAKEN] = "process %llu",
	[PFM_REASON_MAY_NOT_BLOCK] = "thread %llu",
	[PFM_REASON_NO_CPU] = "CPU %llu",
	[PFM_REASON_NO_BUFFER] = "CPU %llu",
	[PFM_REASON_FOREIGN_CPU] = "CPU %llu",
	[PFM_REASON_CPU_OFFLINE] = "CPU %llu",
	[PFM_REASON_CPU_TAKEN] = "process %llu",
	[PFM_REASON_OF_THREAD] = "register %llu",
};

/* A text in the caller's buffer: append() writes to @next, where @room bytes are free. */
struct text {
	char *next;
	size_t room;
};

static void append(struct text *text, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void append(struct text *text, const char *format, ...)
{
	va_list arguments;
	size_t length;

	va_start(arguments, format);
	vsnprintf(text->next, text->room, format, arguments);
	va_end(arguments);
	length = strlen(text->next);
	text->next += length;
	text->room -= length;
}

static void append_errno(struct text *text, int error)
{
	char meaning[128];

	if (strerror_r(error, meaning, sizeof(meaning)))
		snprintf(meaning, sizeof(meaning), "error %d", error);
	append(text, "%s", meaning);
}

static void append_call(struct text *text, const struct pfm_error *error)
{
	if (error->operation < COUNT(calls))
		append(text, "%s: ", calls[error->operation]);
	else
		append(text, "operation %u: ", error->operation);
	if (error->index != PFM_NO_INDEX)
		append(text, "element %u: ", error->index);
}

static int has_value(const struct pfm_error *error)
{
	switch (error->reason) {
	case PFM_REASON_NO_THREAD:
	case PFM_REASON_THREAD_ENDED:
	case PFM_REASON_KERNEL_THREAD:
	case PFM_REASON_PERMISSION:
	case PFM_REASON_THREAD_TAKEN:
	case PFM_REASON_MAY_NOT_BLOCK:
		return error->value != 0;
	default:
		return error->reason < COUNT(values) && values[error->reason];
	}
}

static void format_value(const struct pfm_error *error, char *value, size_t size)
{
	value[0] = '\0';
	if (error->reason == PFM_REASON_COUNT)
		snprintf(value, size, "%d elements", (int)error->value);
	else if (has_value(error))
		snprintf(value, size, values[error->reason],
			 (unsigned long long)error->value);
}

/* Append the name of the program that @process runs, if the caller's /proc shows it. */
static void append_program(struct text *text, unsigned long long process)
{
	char path[40], name[32];
	size_t length;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%llu/comm", process);
	file = fopen(path, "re");
	if (!file)
		return;
	length = fread(name, 1, sizeof(name) - 1, file);
	fclose(file);
	if (length && name[length - 1] == '\n')
		length--;
	name[length] = '\0';
	for (char *c = name; *c; c++)
		if (iscntrl((unsigned char)*c))
			*c = '?';
	append(text, ", %s", name);
}

static void append_details(struct text *text, const struct pfm_error *error)
{
	char value[40];

	format_value(error, value, sizeof(value));
	if (value[0])
		append(text, ": %s", value);
	if (value[0] && (error->reason == PFM_REASON_THREAD_TAKEN ||
			 error->reason == PFM_REASON_CPU_TAKEN))
		append_program(text, error->value);
	if (error->holder[0])
		append(text, "%s%.*s", value[0] ? ", " : ": ", (int)sizeof(error->holder),
		       error->holder);
}

void pfmdev_describe_error(const struct pfm_error *error, char *buffer, size_t size)
{
	const char *sentence = pfm_strreason(error->reason);
	struct text text = { buffer, size };

	buffer[0] = '\0';
	if (error->reason == PFM_REASON_NONE && !error->error) {
		append(&text, "%s", sentence);
		return;
	}
	append_call(&text, error);
	if (error->reason != PFM_REASON_NONE && sentence)
		append(&text, "%s", sentence);
	else
		append_errno(&text, error->error);
	append_details(&text, error);
}

static void append_open_advice(struct text *text, int error)
{
	switch (error) {
	case ENOENT:
	case ENODEV:
	case ENXIO:
		append(text,
		       ": the kernel module is not loaded; run \"modprobe perfmon\" as root: it loads the module or says why not");
		break;
	case EACCES:
	case EPERM:
		append(text, ": the caller may not read it; \"ls -l " PFM_DEVICE
			     "\" shows who may");
		break;
	}
}

void pfmdev_describe_open(int error, char *buffer, size_t size)
{
	struct text text = { buffer, size };

	buffer[0] = '\0';
	append(&text, "cannot open " PFM_DEVICE ": ");
	append_errno(&text, error);
	append_open_advice(&text, error);
}

void pfmdev_describe_descriptor(int fd, int error, char *buffer, size_t size)
{
	struct text text = { buffer, size };

	buffer[0] = '\0';
	if (error == EBADF && fcntl(fd, F_GETFD) == -1)
		append(&text, "descriptor %d is not open", fd);
	else if (error == EBADF)
		append(&text, "descriptor %d does not belong to perfmon", fd);
	else
		append(&text,
		       "the reason for the failure on descriptor %d cannot be read: ",
		       fd);
	if (error != EBADF)
		append_errno(&text, error);
}
