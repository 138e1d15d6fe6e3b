/* SPDX-License-Identifier: GPL-2.0-only */
/* Error messages of pfmon. */
#ifndef PFMON_ERRORS_H
#define PFMON_ERRORS_H

/* The exit status if pfmon itself fails. env(1) and timeout(1) use the same values. */
#define EXIT_PFMON	    125
#define EXIT_NOT_EXECUTABLE 126
#define EXIT_NOT_FOUND	    127

/* Print "pfmon: SENTENCE". fail() returns -1, which its caller can return. */
int fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
void warn_user(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* From now on warn_user() prints nothing: warnings would disturb what is on the screen. */
void warn_no_more(void);

/*
 * From now on the messages of fail() and warn_user() begin with @place, which is
 * FILE:LINE. If @place is NULL, the messages begin without a place again. @place is not copied.
 */
void fail_at(const char *place);

/*
 * Flush standard output.  Returns @status, the exit status so far.  If flushing
 * fails, reports the first error and returns EXIT_PFMON.
 */
int finish_stdout(int status);

#endif
