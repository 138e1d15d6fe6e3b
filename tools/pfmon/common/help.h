/* SPDX-License-Identifier: GPL-2.0-only */
/* What --help prints. */
#ifndef PFMON_HELP_H
#define PFMON_HELP_H

#include <stdio.h>

#include "options.h"

/*
 * The row of the option --help.  Each command has this option, but this row is not in the
 * command's table of options.
 */
extern const struct option_row help_option;

void help_print(FILE *file, const struct command_line *line);

#endif
