/* SPDX-License-Identifier: GPL-2.0-only */
/* Print the counts of the parts of a measurement: intervals, CPUs, threads. */
#ifndef PFMON_PARTS_H
#define PFMON_PARTS_H

#include <stdio.h>

#include "results.h"
#include "stat_options.h"

/**
 * struct parts - prints the parts of one kind one after the other
 * @results: results of the part that is printed next. The array @results.runs has one element.
 *	Before each call of parts_print(), the caller fills in @results.part and this element
 * @options: the form of the output
 * @file: where to print
 */
struct parts {
	struct results results;
	const struct stat_options *options;
	FILE *file;
};

/*
 * parts_prepare() and parts_print() report an error and return -1, or return 0. @whole are the
 * results of the whole measurement. The caller calls parts_free() in any case.
 */
int parts_prepare(struct parts *parts, const struct results *whole, enum part_kind kind,
		  const struct stat_options *options, FILE *file);

/* Print the heading, if the form of the output has one. */
void parts_begin(const struct parts *parts);

/*
 * Print the part that is in @parts->results. @stamp is a text such as "CPU3". In tables and in CSV,
 * each line with a count begins with this text.
 */
int parts_print(struct parts *parts, const char *stamp);

void parts_free(struct parts *parts);

#endif
