/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * These macros make elements of the array @common in a struct pmu: events with the names that
 * perf(1) uses. Each PMU has its own codes for these names. Some names do not have exactly the same
 * meaning on all PMUs.
 */
#ifndef PFMON_COMMON_EVENTS_H
#define PFMON_COMMON_EVENTS_H

#include "pmu.h"

/* clang-format off */
/* The codes of an event, the preferred one first. */
#define CODES(...) \
	.codes = { __VA_ARGS__ }, \
	.code_count = sizeof((uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t)

#define COMMON_EVENT(is_called, is_role, text, ...) \
	{ \
		.name = (is_called), \
		.description = (text), \
		.role = (is_role), \
		CODES(__VA_ARGS__), \
	}

#define COMMON_CYCLES(code) \
	{ \
		.name = "cycles", \
		.alias = "cpu-cycles", \
		.description = "CPU cycles", \
		.role = ROLE_CYCLES, \
		CODES(code), \
	}

#define COMMON_INSTRUCTIONS(code) \
	COMMON_EVENT("instructions", ROLE_INSTRUCTIONS, \
		     "retired instructions", code)

#define COMMON_BRANCHES(text, ...) \
	{ \
		.name = "branches", \
		.alias = "branch-instructions", \
		.description = (text), \
		.role = ROLE_BRANCHES, \
		CODES(__VA_ARGS__), \
	}

#define RETIRED_BRANCHES_TEXT "retired branches"

#define COMMON_BRANCH_MISSES(code) \
	COMMON_EVENT("branch-misses", ROLE_BRANCH_MISSES, \
		     "mispredicted branches", code)

#define COMMON_CACHE_REFERENCES(text, code) \
	COMMON_EVENT("cache-references", ROLE_CACHE_REFERENCES, text, code)

#define COMMON_CACHE_MISSES(text, code) \
	COMMON_EVENT("cache-misses", ROLE_CACHE_MISSES, text, code)

#define COMMON_FRONTEND_STALLS(text, code) \
	COMMON_EVENT("stalled-cycles-frontend", ROLE_OTHER, text, code)

#define COMMON_BACKEND_STALLS(text, code) \
	COMMON_EVENT("stalled-cycles-backend", ROLE_OTHER, text, code)
/* clang-format on */

#endif
