/* SPDX-License-Identifier: GPL-2.0-only */
/* Find names that are similar to a mistyped name. */
#ifndef PFMON_SUGGEST_H
#define PFMON_SUGGEST_H

#define MAX_SUGGESTIONS 3
#define MAX_NAME	128

/**
 * struct suggestions - the names that are most similar to the name that the user gave
 * @wanted: the name that the user gave
 * @names: the names found, the most similar first
 * @distances: distance of each name from @wanted
 * @count: number of @names
 */
struct suggestions {
	const char *wanted;
	char names[MAX_SUGGESTIONS][MAX_NAME];
	unsigned int distances[MAX_SUGGESTIONS];
	unsigned int count;
};

/* Add @name to @suggestions if it is similar enough to the wanted name. */
void suggest(struct suggestions *suggestions, const char *name);

#endif
