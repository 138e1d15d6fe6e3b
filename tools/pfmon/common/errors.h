/* SPDX-License-Identifier: GPL-2.0-only */
/* What pfmon says when something is wrong. */
#ifndef PFMON_ERRORS_H
#define PFMON_ERRORS_H

/* Exit status when pfmon itself fails, as env(1) and timeout(1) have it. */
#define EXIT_PFMON	    125
#define EXIT_NOT_EXECUTABLE 126
#define EXIT_NOT_FOUND	    127

/* Print "pfmon: SENTENCE"; fail() returns -1, to be handed on. */
int fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
void warn_user(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * The place in a file, FILE:LINE, that fail() and warn_user() say first from here on;
 * NULL: none.  @place is not copied.
 */
void fail_at(const char *place);

/*
 * Write out what is left for standard output.  Returns @status, the exit status
 * so far, or says why that failed and returns EXIT_PFMON.
 */
int finish_stdout(int status);

#endif
