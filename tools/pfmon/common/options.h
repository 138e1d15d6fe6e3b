/* SPDX-License-Identifier: GPL-2.0-only */
/* The command lines of the subcommands. */
#ifndef PFMON_OPTIONS_H
#define PFMON_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct option_row - an option
 * @name: long name, without "--"
 * @letter: short name; 0 if the option has none
 * @argument: what --help calls the argument; NULL if the option has none
 * @help: the text of --help about the option, without line breaks
 * @take: function that stores the option. It gets the option's argument (or NULL) and the address
 *	of the option's field in the command's data. It returns 0, or -1 after reporting an error
 * @offset: offset of the option's field in the command's data
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
 * struct subcommand - a subcommand of pfmon
 * @name: its name, such as "stat"
 * @help: the text of 'pfmon --help' about the subcommand
 * @run: function that gets the arguments of the subcommand and returns the exit status
 */
struct subcommand {
	const char *name;
	const char *help;
	int (*run)(int argc, char **argv);
};

/**
 * struct command_line - the options and arguments of a command
 * @name: name of the command, such as "pfmon stat"
 * @synopsis: the options and arguments that follow @name; one line for each form of the command
 * @about: what the command does
 * @subcommands: table of subcommands, or NULL; its last row has no name
 * @options: table of options without --help; its last row has no name
 * @notes: text of --help after the options, or NULL
 * @has_command: a command may follow the options, so parsing stops at the first word that is
 *	not an option
 *
 * The tables of getopt_long() and the text of --help are made from this structure.  The shell
 * completion reads the text of --help, and the unit tests compare the man pages with this text.
 */
struct command_line {
	const char *name;
	const char *synopsis;
	const char *about;
	const struct subcommand *subcommands;
	const struct option_row *options;
	const char *notes;
	bool has_command;
};

/*
 * Parse the options of the command line and store them in @data, at option_row.offset.
 * Returns 1 after printing the help for --help, and -1 after reporting an error. Otherwise returns
 * 0, and optind is the index of the first argument that is not an option.
 */
int options_parse(int argc, char **argv, const struct command_line *line, void *data);

/*
 * Functions for option_row.take. @field points to a const char * for take_text(), to a
 * bool for take_true() and take_false(), and to a struct event_options for take_event().
 */
int take_text(const char *argument, void *field);
int take_true(const char *argument, void *field);
int take_false(const char *argument, void *field);
int take_event(const char *argument, void *field);

/* Takes a time from 1 ms to 366 days. Stores it in ns in the uint64_t that @field points to. */
int take_time(const char *argument, void *field);

#define MAX_EVENT_OPTIONS 64

/**
 * struct event_options - arguments of -e
 * @texts: the arguments, one for each -e. Each argument contains names of events, separated by
 *	commas
 * @count: number of @texts
 */
struct event_options {
	const char *texts[MAX_EVENT_OPTIONS];
	unsigned int count;
};

/*
 * Elements of a table of options, for options that several commands have. @field is the value of
 * option_row.offset.
 */
#define EVENT_OPTION(field)                                                              \
	{                                                                                \
		"event", 'e', "EVENT[,EVENT]...", EVENT_HELP, take_event, field          \
	}
#define PMU_OPTION(field)                                                                \
	{                                                                                \
		"pmu", 0, "NAME", PMU_HELP, take_text, field                             \
	}

#define TIMEOUT_OPTION(field)                                                            \
	{                                                                                \
		"timeout", 0, "TIME", TIMEOUT_HELP, take_time, field                     \
	}

#define EVENT_HELP                                                                       \
	"these events; may be given several times; a modifier :u counts at user "        \
	"level only, :k at kernel level only. 'pfmon list' shows the events"
#define TIMEOUT_HELP                                                                     \
	"end after TIME, such as 1.5s; without a unit, TIME is in ms. COMMAND gets SIGTERM"
#define PMU_HELP "use PMU NAME if the machine has several; 'pfmon info' shows their names"

/*
 * options_number() parses a number from 1 to @most. options_size() parses a size from @least to
 * @most bytes, such as 4096, 64k, 1M or 2G. @what is the name of the number or size in error
 * messages. Both functions return 0, or -1 after reporting an error.
 */
int options_number(const char *text, const char *what, uint64_t most, uint64_t *number);
int options_size(const char *text, const char *what, uint64_t least, uint64_t most,
		 uint64_t *size);

/*
 * Parse a time from 1 ns to 1 h, such as 4ms, 250us, 0.5s or 100000ns, and store it in @time in ns.
 * A decimal point is allowed; a number without a unit is in ms. Returns 0, or -1 if @text is not a
 * time in this range. Reports no error.
 */
int options_time(const char *text, uint64_t *time);

/* Like options_time(), but accepts a time up to @most ns. */
int options_long_time(const char *text, uint64_t most, uint64_t *time);

#define SECOND 1000000000ull

/**
 * struct id_list - numbers of threads, processes or CPUs
 * @ids: the numbers
 * @count: number of @ids
 */
struct id_list {
	int *ids;
	size_t count;
};

/*
 * Append the numbers in @text to @list. The numbers are separated by commas and greater than 0.
 * @what is the name of such a number in error messages. Returns 0, or -1 after reporting an error.
 */
int options_ids(const char *text, const char *what, struct id_list *list);

#endif
