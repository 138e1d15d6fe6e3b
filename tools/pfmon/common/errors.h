/* SPDX-License-Identifier: GPL-2.0-only */
/* Error messages of pfmon. */
#ifndef PFMON_ERRORS_H
#define PFMON_ERRORS_H

/*
 * Exit statuses. EXIT_PFMON: pfmon itself failed. EXIT_NOT_EXECUTABLE: the command cannot be
 * executed. EXIT_NOT_FOUND: there is no such command. env(1) and timeout(1) use the same values.
 */
#define EXIT_PFMON	    125
#define EXIT_NOT_EXECUTABLE 126
#define EXIT_NOT_FOUND	    127

/*
 * fail() prints "pfmon: SENTENCE" and returns -1, so that a caller can write "return fail(...)".
 * warn_user() prints "pfmon: warning: SENTENCE".
 */
int fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
void warn_user(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* From now on warn_user() prints nothing: warnings would disturb the text on the screen. */
void warn_no_more(void);

/*
 * From now on the messages of fail() and warn_user() have "POSITION: " before the sentence.
 * @position is FILE:LINE, and is not copied. After fail_at(NULL), the messages have no position.
 */
void fail_at(const char *position);

/*
 * Flush standard output. Returns @status, the exit status so far. If this flush or an earlier write
 * to standard output failed, returns EXIT_PFMON. The first call that finds such a failure reports
 * it; later calls report nothing.
 */
int finish_stdout(int status);

#endif
