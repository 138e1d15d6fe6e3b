/* SPDX-License-Identifier: GPL-2.0-only */
/* Names near one that was mistyped. */
#ifndef PFMON_SUGGEST_H
#define PFMON_SUGGEST_H

#define MAX_SUGGESTIONS 3
#define MAX_NAME	128

/**
 * struct suggestions - the names nearest to one
 * @wanted: that name
 * @names: those found, the nearest first
 * @distances: how far each is
 * @count: how many there are
 */
struct suggestions {
	const char *wanted;
	char names[MAX_SUGGESTIONS][MAX_NAME];
	unsigned int distances[MAX_SUGGESTIONS];
	unsigned int count;
};

/* Take @name in if it is near enough. */
void suggest(struct suggestions *suggestions, const char *name);

#endif
