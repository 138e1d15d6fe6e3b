/* SPDX-License-Identifier: GPL-2.0-only */
/* Options that pfmon report and pfmon script have. */
#ifndef PFMON_REPORT_OPTIONS_H
#define PFMON_REPORT_OPTIONS_H

#include "../common/options.h"
#include "../data/data.h"

/**
 * struct inputs - the files that the user gave
 * @paths: their paths
 * @count: number of @paths
 */
struct inputs {
	const char **paths;
	size_t count;
};

/* Function for option_row.take. @field points to a struct inputs. */
int take_input(const char *argument, void *field);

/*
 * Add the arguments after the options to @inputs. If the user gave no file at all, add the file
 * that pfmon record writes by default. Returns 0, or -1 after reporting an error. The caller calls
 * inputs_free() in any case.
 */
int inputs_complete(struct inputs *inputs, int argc, char **argv);
void inputs_free(struct inputs *inputs);

/* Row of the option -i. @field is the offset of a struct inputs in the command's data. */
#define INPUT_OPTION(field)                                                              \
	{                                                                                \
		"input", 'i', "FILE", INPUT_HELP, take_input, field                      \
	}

#define INPUT_HELP                                                                       \
	"read this file (default " DATA_FILE_NAME                                        \
	"); -i may be left out; - is standard "                                          \
	"input. Several files of one recording are shown together"

/* Row of the option --no-demangle. @field is the offset of a bool in the command's data. */
#define NO_DEMANGLE_OPTION(field)                                                        \
	{                                                                                \
		"no-demangle", 0, NULL, NO_DEMANGLE_HELP, take_false, field              \
	}

#define NO_DEMANGLE_HELP "show the mangled names of C++ and Rust functions"

#endif
