// SPDX-License-Identifier: GPL-2.0-only
/* Find the modifiers of an event. */
#include <string.h>

#include "modifiers.h"
#include "pmu.h"

/*
 * Returns the modes that the first @length letters of @modifier select. Adds the number of letters
 * "p" to @precision.
 */
static unsigned int read_letters(const char *modifier, size_t length,
				 unsigned int *precision)
{
	unsigned int modes = 0;

	for (size_t i = 0; i < length; i++) {
		if (modifier[i] == 'u')
			modes |= MODE_USER;
		else if (modifier[i] == 'k')
			modes |= MODE_KERNEL;
		else
			++*precision;
	}
	return modes;
}

/*
 * Attributes of libpfm4 may follow the modifiers, as in NAME:u:c=1. libpfm4 accepts ":u" and ":k",
 * but pfmon cuts them out, because pfmon itself sets the PMC bits for the levels. pfmon ignores
 * these bits in libpfm4's event code.
 */
unsigned int modifiers_cut(char *name, unsigned int *precision)
{
	char *colon = name + strcspn(name, ":");
	unsigned int modes = 0;

	while (*colon) {
		const size_t length = strcspn(colon + 1, ":");
		char *next = colon + 1 + length;

		if (!length || strspn(colon + 1, "ukp") != length) {
			colon = next;
			continue;
		}
		modes |= read_letters(colon + 1, length, precision);
		memmove(colon, next, strlen(next) + 1);
	}
	return modes ? modes : MODE_BOTH;
}

const char *modifiers_find(const char *name)
{
	const char *pmu_end = strstr(name, "::");

	return strchr(pmu_end ? pmu_end + 2 : name, ':');
}
