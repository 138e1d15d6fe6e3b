/* SPDX-License-Identifier: GPL-2.0-only */
/* The PMUs that are registered. */
#ifndef PFMON_PMUS_H
#define PFMON_PMUS_H

#include <stdbool.h>

/* Characters of a text that has the names of some. */
#define PMU_NAMES 256

/* "armv8 (default), soft" into @text.  Returns false if there are none. */
bool pmus_text(char text[PMU_NAMES]);

#endif
