/* SPDX-License-Identifier: GPL-2.0-only */
/* Prints a plan as a C program that needs no other file. */
#ifndef FUZZ_PRINT_H
#define FUZZ_PRINT_H

#include "plan.h"

/* Prints to standard output; @title becomes a comment. */
void print_plan(const struct plan *plan, const char *title);

#endif
