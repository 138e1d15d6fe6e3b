/* SPDX-License-Identifier: GPL-2.0-only */
/* Who holds counters, and how the user can free them. */
#ifndef PFMON_HOLDERS_H
#define PFMON_HOLDERS_H

/* Size of a buffer for any advice. */
#define ADVICE_TEXT 512

/*
 * Store in @text what can be done about counters that perf or the NMI watchdog holds: the command
 * that stops the watchdog if it runs, and the processes that have perf events open.  The text
 * begins with "; ", or is empty if nothing is found.  @proc is "/proc", or another
 * directory in a test.  Returns @text.
 */
const char *holders_advice(const char *proc, char text[ADVICE_TEXT]);

#endif
