// SPDX-License-Identifier: GPL-2.0-only
/* Write numbers as text, and make text of unknown origin safe for a terminal. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

#include "text.h"

void text_defuse(char *text)
{
	for (unsigned char *next = (unsigned char *)text; *next; next++) {
		bool is_c1 = next[0] == 0xc2 && next[1] >= 0x80 && next[1] < 0xa0;

		if (is_c1)
			next[1] = '?';
		if (is_c1 || *next < ' ' || *next == 0x7f)
			*next = '?';
	}
}

const char *count_text(uint64_t value, char text[COUNT_TEXT])
{
	char digits[COUNT_TEXT];
	int length = snprintf(digits, sizeof(digits), "%" PRIu64, value);
	char *next = text;

	for (int i = 0; i < length; i++) {
		if (i && (length - i) % 3 == 0)
			*next++ = ',';
		*next++ = digits[i];
	}
	*next = '\0';
	return text;
}

const char *plural(uint64_t count, const char *one, const char *several)
{
	return count == 1 ? one : several;
}

const char *time_text(uint64_t time, char text[TIME_TEXT])
{
	static const struct {
		uint64_t ns;
		const char *name;
	} units[] = { { 1000000000, "s" }, { 1000000, "ms" }, { 1000, "us" } };

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (time < units[i].ns)
			continue;
		snprintf(text, TIME_TEXT, "%.10g %s", (double)time / (double)units[i].ns,
			 units[i].name);
		return text;
	}
	snprintf(text, TIME_TEXT, "%" PRIu64 " ns", time);
	return text;
}

/*
 * Sizes below 1 kB are shown exactly. Larger sizes are rounded to two or three digits, such as
 * "1.5 kB" or "592 kB". Sizes of 1000 TB or more have at least four digits.
 */
const char *size_text(uint64_t bytes, char text[SIZE_TEXT])
{
	static const char *const units[] = { "bytes", "kB", "MB", "GB", "TB" };
	double value = (double)bytes;
	unsigned int unit = 0;

	while (value >= 999.5 && unit < sizeof(units) / sizeof(units[0]) - 1) {
		value /= 1000;
		unit++;
	}
	snprintf(text, SIZE_TEXT, "%.*f %s", unit && value < 9.95 ? 1 : 0, value,
		 units[unit]);
	return text;
}
