// SPDX-License-Identifier: GPL-2.0-only
/* Print the error messages and warnings of pfmon. */
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "errors.h"

static const char *position;
static bool is_silent;

void fail_at(const char *text)
{
	position = text;
}

void warn_no_more(void)
{
	is_silent = true;
}

static void say(const char *prefix, const char *format, va_list arguments)
{
	fflush(stdout);
	fputs(prefix, stderr);
	if (position)
		fprintf(stderr, "%s: ", position);
	vfprintf(stderr, format, arguments);
	fputc('\n', stderr);
}

int fail(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	say("pfmon: ", format, arguments);
	va_end(arguments);
	return -1;
}

void warn_user(const char *format, ...)
{
	va_list arguments;

	if (is_silent)
		return;
	va_start(arguments, format);
	say("pfmon: warning: ", format, arguments);
	va_end(arguments);
}

int finish_stdout(int status)
{
	static bool is_said;

	errno = 0;
	if (!fflush(stdout) && !ferror(stdout))
		return status;
	if (!is_said)
		fail("cannot write to standard output: %s",
		     strerror(errno ? errno : EIO));
	is_said = true;
	return EXIT_PFMON;
}
