/* SPDX-License-Identifier: GPL-2.0-only */
/* Texts that anybody may have written. */
#ifndef PFMON_TEXT_H
#define PFMON_TEXT_H

/* Make '?' of the characters that a terminal obeys: C0, and C1 as UTF-8 has it. */
void text_defuse(char *text);

#endif
