/* SPDX-License-Identifier: GPL-2.0-only */
/* Find out who holds counters, and tell the user how these counters can become available. */
#ifndef PFMON_HOLDERS_H
#define PFMON_HOLDERS_H

#include <stdint.h>

/* Size of a buffer for any text of holders_process(). */
#define PROCESS_TEXT 64

/* Store "NAME (process PID)" in @text; the name is "?" if @proc does not show it. */
const char *holders_process(const char *proc, uint64_t pid, char text[PROCESS_TEXT]);

/* Size of a buffer for any text of holders_advice(). */
#define ADVICE_TEXT 512

/*
 * Store in @text advice on how the user can free counters. If the NMI watchdog runs, the text
 * contains the command that stops the watchdog. If processes have perf events open, the text names
 * up to four of these processes. In both cases the text begins with "; ". If the watchdog does not
 * run and no process has perf events open, the text is empty. @proc is "/proc"; tests pass another
 * directory. Returns @text.
 */
const char *holders_advice(const char *proc, char text[ADVICE_TEXT]);

#endif
