// SPDX-License-Identifier: GPL-2.0-only
/* Texts that anybody may have written. */
#include <stdbool.h>

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
