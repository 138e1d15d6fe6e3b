/* SPDX-License-Identifier: GPL-2.0-only */
/* The command lines of the subcommands. */
#ifndef PFMON_OPTIONS_H
#define PFMON_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct option_row - an option
 * @name: the long one, without "--"
 * @letter: 0 if there is none
 * @argument: what --help calls the argument; NULL if the option has none
 * @help: what it does, without line breaks
 * @take: called with the argument, or NULL, and the field at @offset of the command's
 *	data; returns 0, or reports an error and returns -1
 * @offset: of that field
 */
struct option_row {
	const char *name;
	char letter;
	const char *argument;
	const char *help;
	int (*take)(const char *argument, void *field);
	size_t offset;
};

#define MAX_OPTIONS 32

/**
 * struct command_line - what a command takes
 * @name: "pfmon stat"
 * @synopsis: the options and arguments that follow @name, a line for each form
 * @about: what the command does
 * @options: ends with a row without a name; --help is not in it
 * @notes: text of --help after the options, or NULL
 * @has_command: the first word that is no option ends the options
 *
 * getopt_long()'s tables and --help are made of this.  The completion reads --help, and
 * the unit tests compare the man pages with it.
 */
struct command_line {
	const char *name;
	const char *synopsis;
	const char *about;
	const struct option_row *options;
	const char *notes;
	bool has_command;
};

/*
 * Take the options of the command line; @data is what option_row.offset is in.  Returns 1
 * after printing the help that the user asked for, -1 after reporting an error, else 0;
 * optind is then the first argument that is no option.
 */
int options_parse(int argc, char **argv, const struct command_line *line, void *data);

/* For option_row.take: fields of type const char *, bool, struct event_options. */
int take_text(const char *argument, void *field);
int take_true(const char *argument, void *field);
int take_false(const char *argument, void *field);
int take_event(const char *argument, void *field);

#define MAX_EVENT_OPTIONS 64

/**
 * struct event_options - arguments of -e
 * @texts: each names events, separated by commas
 * @count: number of @texts
 */
struct event_options {
	const char *texts[MAX_EVENT_OPTIONS];
	unsigned int count;
};

/* Rows that several commands have; @field is the offset. */
#define EVENT_OPTION(field)                                                              \
	{                                                                                \
		"event", 'e', "EVENT[,EVENT]...", EVENT_HELP, take_event, field          \
	}
#define PMU_OPTION(field)                                                                \
	{                                                                                \
		"pmu", 0, "NAME", PMU_HELP, take_text, field                             \
	}

#define EVENT_HELP                                                                       \
	"these events; may be given several times; a modifier :u counts in user "        \
	"mode only, :k in the kernel only. 'pfmon list' shows the events"
#define PMU_HELP "that PMU, where the machine has several; 'pfmon info' shows their names"

/*
 * Parse a number from 1 to @most, called @what in messages; or a size in bytes, also as
 * 64k, 1M or 2G.  Report an error and return -1, or return 0.
 */
int options_number(const char *text, const char *what, uint64_t most, uint64_t *number);
int options_size(const char *text, const char *what, uint64_t least, uint64_t most,
		 uint64_t *size);

/*
 * Parse a time from 1 ns to 1 h, stored in ns: 4ms, 250us, 0.5s, 100000ns; decimals are
 * allowed, and a number without unit is in ms.  Returns -1 without a message if @text is
 * no such time, else 0.
 */
int options_time(const char *text, uint64_t *time);

#endif
