// SPDX-License-Identifier: GPL-2.0-only
/* Find names that are similar to a mistyped name. */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "suggest.h"

static unsigned int least(unsigned int a, unsigned int b, unsigned int c)
{
	unsigned int smaller = a < b ? a : b;

	return smaller < c ? smaller : c;
}

/* Returns whether @a equals @b. Upper and lower case do not matter, and '-' equals '_'. */
static bool is_same(char a, char b)
{
	if (a == '_')
		a = '-';
	if (b == '_')
		b = '-';
	return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/*
 * Returns the Levenshtein distance: the least number of letters that must be inserted, deleted or
 * replaced to turn @a into @b.
 */
static unsigned int distance(const char *a, const char *b)
{
	size_t length = strlen(b);
	unsigned int row[MAX_NAME];

	for (size_t j = 0; j <= length; j++)
		row[j] = (unsigned int)j;
	for (size_t i = 0; a[i]; i++) {
		unsigned int diagonal = row[0];

		row[0] = (unsigned int)i + 1;
		for (size_t j = 0; j < length; j++) {
			unsigned int above = row[j + 1];

			row[j + 1] = least(above + 1, row[j] + 1,
					   diagonal + !is_same(a[i], b[j]));
			diagonal = above;
		}
	}
	return row[length];
}

/*
 * Returns how far @name is from @wanted, or ~0 if the two names are not similar. The limit of the
 * distance is a third of the length of @wanted, plus 1. If the distance is at most the limit,
 * returns the distance. If it is greater, but @wanted has at least 4 letters and @name contains
 * @wanted, returns the limit plus 1. In all other cases, the names are not similar.
 */
static unsigned int rate(const char *wanted, const char *name)
{
	unsigned int far = distance(wanted, name);
	unsigned int limit = (unsigned int)strlen(wanted) / 3 + 1;

	if (far <= limit)
		return far;
	if (strlen(wanted) >= 4 && strcasestr(name, wanted))
		return limit + 1;
	return ~0u;
}

void suggest(struct suggestions *suggestions, const char *name)
{
	unsigned int far, rank;

	if (strlen(name) >= MAX_NAME || strlen(suggestions->wanted) >= MAX_NAME)
		return;
	far = rate(suggestions->wanted, name);
	if (far == ~0u)
		return;
	for (unsigned int i = 0; i < suggestions->count; i++)
		if (!strcasecmp(suggestions->names[i], name))
			return;

	for (rank = 0; rank < suggestions->count; rank++)
		if (far < suggestions->distances[rank])
			break;
	if (rank == MAX_SUGGESTIONS)
		return;
	if (suggestions->count < MAX_SUGGESTIONS)
		suggestions->count++;
	for (unsigned int i = suggestions->count - 1; i > rank; i--) {
		memcpy(suggestions->names[i], suggestions->names[i - 1], MAX_NAME);
		suggestions->distances[i] = suggestions->distances[i - 1];
	}
	snprintf(suggestions->names[rank], MAX_NAME, "%s", name);
	suggestions->distances[rank] = far;
}
