/* SPDX-License-Identifier: GPL-2.0-only */
/* The runner's functions that main() calls. */
#ifndef RUNNER_H
#define RUNNER_H

#include <stdbool.h>

/*
 * Both functions select the tests that @words name, or all tests if there are no words. @words ends
 * with NULL. Each word is "FOLDER/" (the folder of a suite's source), "SUITE" or "SUITE/TEST". A
 * word that begins with ^ excludes the tests whose names follow it. If no test fits a word, the
 * program exits with status 2.
 */
void suites_list(char **words);
/* Returns the exit status. @until_failure: stop after the first failed test. */
int suites_run(char **words, bool until_failure);

#endif
