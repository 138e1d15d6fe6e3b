/* SPDX-License-Identifier: GPL-2.0-only */
/* The command lines of the subcommands. */
#ifndef PFMON_OPTIONS_H
#define PFMON_OPTIONS_H

#include <getopt.h>

/*
 * getopt_long() that is silent; argv[0] is the subcommand.  After '?' and ':'
 * options_fail() says what is wrong and returns -1.
 */
int options_next(int argc, char **argv, const char *letters, const struct option *names);
int options_fail(int result, char **argv, const struct option *names);

/*
 * For a subcommand that has no option but --help: returns 1 if @usage was asked
 * for and given, -1 after saying what is wrong, or 0.
 */
int options_help_only(int argc, char **argv, const char *usage);

#endif
