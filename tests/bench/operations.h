/* SPDX-License-Identifier: GPL-2.0-only */
/* The operations whose costs are measured. */
#ifndef BENCH_OPERATIONS_H
#define BENCH_OPERATIONS_H

#include "tool.h"

/*
 * The rows of the table: X(name, title). The rows SWITCH_* contain what perfmon and perf add to the
 * cost in row SWITCH.
 */
/* clang-format off */
#define ROWS(X)									\
	X(GETPID, "getpid()")							\
	X(IOCTL, "ioctl() that does nothing")					\
	X(SWITCH, "context switch, nobody monitored")				\
	X(START_1, "start, 1 counter")						\
	X(START_4, "start, 4 counters")						\
	X(START_6, "start, 6 counters")						\
	X(STOP_1, "stop, 1 counter")						\
	X(STOP_4, "stop, 4 counters")						\
	X(STOP_6, "stop, 6 counters")						\
	X(READ_1, "read 1 counter")						\
	X(READ_4, "read 4 counters")						\
	X(READ_6, "read 6 counters")						\
	X(READ_VALUES_1, "read 1 counter with pfm_read()")			\
	X(READ_VALUES_4, "read 4 counters with pfm_read()")			\
	X(READ_VALUES_6, "read 6 counters with pfm_read()")			\
	X(READ_VIRTUAL_1, "read 1 virtual counter")				\
	X(READ_VIRTUAL_4, "read 4 virtual counters")				\
	X(READ_VIRTUAL_6, "read 6 virtual counters")				\
	X(READ_OTHER_1, "read 1 counter of a sleeping thread")			\
	X(READ_OTHER_6, "read 6 counters of a sleeping thread")			\
	X(SWITCH_1, "added to a switch by 1 counter on two threads")		\
	X(SWITCH_4, "added to a switch by 4 counters on two threads")		\
	X(SWITCH_6, "added to a switch by 6 counters on two threads")		\
	X(SWITCH_ALONE_1, "added to a switch by 1 counter on one thread")	\
	X(SWITCH_ALONE_4, "added to a switch by 4 counters on one thread")	\
	X(SWITCH_ALONE_6, "added to a switch by 6 counters on one thread")	\
	X(SWITCH_IDLE, "added to a switch by a third thread's counters")	\
	X(SWITCH_UNLOADED, "added to a switch by unloaded contexts")		\
	X(FORK, "a child process: fork(), exit, wait()")			\
	X(FORK_OTHERS_4, "added to a child by 4 counters on its parent")	\
	X(FORK_4, "added to a child by 4 inherited counters")		\
	X(CREATE, "make a context or an event")					\
	X(DESTROY, "close the context or the event")				\
	X(OPEN_1, "set up 1 counter, ready to start")				\
	X(CLOSE_1, "close 1 counter")						\
	X(OPEN_6, "set up 6 counters, ready to start")				\
	X(CLOSE_6, "close 6 counters")						\
	X(ATTACH, "load a context")						\
	X(DETACH, "unload a context")						\
	X(SAMPLE, "a sample: ip, thread, time, CPU, period")			\
	X(SAMPLE_ENTRY, "  of which: entry, before the core begins")		\
	X(SAMPLE_CORE, "  of which: the core, without the format")		\
	X(SAMPLE_FORMAT, "  of which: the format's handler")			\
	X(SAMPLE_RETURN, "  of which: return, while counters run")		\
	X(SAMPLE_4, "a sample with the values of 4 PMDs")			\
	X(SAMPLE_CALLCHAIN, "a sample with the callchain")			\
	X(ROTATION_1, "set switch by time, 1 counter")				\
	X(ROTATION_4, "set switch by time, 4 counters")				\
	X(ROTATION_6, "set switch by time, 6 counters")				\
	X(ROTATION_OTHER_6, "  the same with other events in every second set")	\
	X(ROTATION_1000, "  the same with 1000 sets instead of 2")		\
	X(ROTATION_OVERFLOW, "set switch by an overflow, 1 counter")
/* clang-format on */

enum row {
#define ROW_NAME(name, title) ROW_##name,
	ROWS(ROW_NAME)
#undef ROW_NAME
	ROW_COUNT
};

/*
 * Each function stores the costs of its rows in @costs, as numbers of guest instructions. Rows that
 * cannot be measured stay NOT_MEASURED.
 */
void measure_floors(double *costs);
/* Call this before the first context is loaded. */
void measure_unloaded(double *costs);
void measure_virtual(double *costs);
void measure_tool(const struct tool *tool, double nobody_monitored, double *costs);

#endif
