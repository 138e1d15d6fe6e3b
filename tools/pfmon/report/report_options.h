/* SPDX-License-Identifier: GPL-2.0-only */
/* Options that pfmon report and pfmon script have. */
#ifndef PFMON_REPORT_OPTIONS_H
#define PFMON_REPORT_OPTIONS_H

#include "../common/options.h"
#include "../data/data.h"

/* @field is the offset of the path. */
#define INPUT_OPTION(field)                                                              \
	{                                                                                \
		"input", 'i', "FILE", INPUT_HELP, take_text, field                       \
	}

#define INPUT_HELP "what 'pfmon record' wrote (" DATA_FILE_NAME "); - is standard input"

/* @field is the offset of a bool. */
#define NO_DEMANGLE_OPTION(field)                                                        \
	{                                                                                \
		"no-demangle", 0, NULL, NO_DEMANGLE_HELP, take_false, field              \
	}

#define NO_DEMANGLE_HELP "show the mangled names of C++ and Rust functions"

#endif
