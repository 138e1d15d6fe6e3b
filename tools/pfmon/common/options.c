// SPDX-License-Identifier: GPL-2.0-only
/* Parse the command lines of pfmon's commands. */
#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "errors.h"
#include "help.h"
#include "options.h"

/*
 * For an option without a letter, getopt_long() returns NO_LETTER plus the index of the option's
 * row.
 */
#define NO_LETTER 256

static const struct option_row *find_row(const struct option_row *rows, int option)
{
	for (size_t i = 0; rows[i].name; i++)
		if (option == (rows[i].letter ? rows[i].letter : NO_LETTER + (int)i))
			return &rows[i];
	return option == help_option.letter ? &help_option : NULL;
}

/**
 * struct getopt_table - the options of a command as getopt_long() needs them
 * @letters: the optstring of getopt_long(). It begins with ":", or with "+:" if parsing must stop
 *	at the first word that is not an option. The letters of the options follow. If an option
 *	has an argument, ":" follows its letter
 * @names: the options; a row of zeros follows the last one
 */
struct getopt_table {
	char letters[2 + 2 * (MAX_OPTIONS + 1) + 1];
	struct option names[MAX_OPTIONS + 2];
};

static void add_row(struct getopt_table *table, size_t index,
		    const struct option_row *row)
{
	char *end = table->letters + strlen(table->letters);

	table->names[index] = (struct option){
		.name = row->name,
		.has_arg = row->argument ? required_argument : no_argument,
		.val = row->letter ? row->letter : NO_LETTER + (int)index,
	};
	if (!row->letter)
		return;
	*end++ = row->letter;
	if (row->argument)
		*end = ':';
}

static struct getopt_table make_getopt_table(const struct command_line *line)
{
	struct getopt_table table = { 0 };
	size_t count = 0;

	strcpy(table.letters, line->has_command ? "+:" : ":");
	for (; line->options[count].name; count++) {
		assert(count < MAX_OPTIONS);
		add_row(&table, count, &line->options[count]);
	}
	add_row(&table, count, &help_option);
	return table;
}

/* optopt is 0 if a long option is unknown or ambiguous. Otherwise optopt identifies the option. */
static int fail_option(int result, char **argv, const struct command_line *line)
{
	const struct option_row *known = find_row(line->options, optopt);

	if (!optopt)
		return fail("there is no option '%s': see '%s --help'", argv[optind - 1],
			    line->name);
	if (!known)
		return fail("there is no option '-%c': see '%s --help'", optopt,
			    line->name);
	return fail("option '--%s' %s an argument: see '%s --help'", known->name,
		    result == ':' ? "needs" : "does not take", line->name);
}

int options_parse(int argc, char **argv, const struct command_line *line, void *data)
{
	struct getopt_table table = make_getopt_table(line);
	const struct option_row *row;
	int option;

	opterr = 0;
	optind = 0; /* makes getopt_long() forget an earlier command line */
	while ((option = getopt_long(argc, argv, table.letters, table.names, NULL)) !=
	       -1) {
		if (option == '?' || option == ':')
			return fail_option(option, argv, line);
		row = find_row(line->options, option);
		if (row == &help_option) {
			help_print(stdout, line);
			return 1;
		}
		if (row->take(optarg, (char *)data + row->offset))
			return -1;
	}
	return 0;
}

int take_text(const char *argument, void *field)
{
	*(const char **)field = argument;
	return 0;
}

int take_true(const char *argument, void *field)
{
	(void)argument;
	*(bool *)field = true;
	return 0;
}

int take_false(const char *argument, void *field)
{
	(void)argument;
	*(bool *)field = false;
	return 0;
}

int take_event(const char *argument, void *field)
{
	struct event_options *events = field;

	if (events->count == MAX_EVENT_OPTIONS)
		return fail("too many -e: separate events by commas");
	events->texts[events->count++] = argument;
	return 0;
}

/*
 * Parse the digits at the beginning of @text. Returns false if @text does not begin with a digit
 * (strtoull() alone would accept signs and blanks), or if the number is too large.
 */
static bool parse_digits(const char *text, uint64_t *number, char **end)
{
	errno = 0;
	*number = strtoull(text, end, 10);
	return isdigit((unsigned char)*text) && !errno;
}

int options_number(const char *text, const char *what, uint64_t most, uint64_t *number)
{
	char *end;

	if (!parse_digits(text, number, &end) || *end || !*number || *number > most)
		return fail("'%s' is not a %s: give one from 1 to %llu", text, what,
			    (unsigned long long)most);
	return 0;
}

/*
 * Returns the number of bits by which a size with the suffix @letter is shifted to the left: 0
 * without a suffix, 10 for "k". Returns -1 if the suffix is unknown.
 */
static int size_shift(const char *letter)
{
	static const char letters[] = "kMG";
	const char *found;

	if (!*letter)
		return 0;
	found = strchr(letters, *letter == 'K' ? 'k' : *letter);
	return found && !letter[1] ? 10 * (int)(found - letters + 1) : -1;
}

int options_size(const char *text, const char *what, uint64_t least, uint64_t most,
		 uint64_t *size)
{
	bool is_good;
	char *end;
	int shift;

	is_good = parse_digits(text, size, &end);
	shift = size_shift(end);
	if (!is_good || shift == -1 || *size > most >> shift || *size << shift < least)
		return fail("'%s' is not a %s: give one from %llu to %llu bytes; the "
			    "suffixes k, M and G are allowed",
			    text, what, (unsigned long long)least,
			    (unsigned long long)most);
	*size <<= shift;
	return 0;
}

/* Returns the length of the time unit @name in ns, or 0 if the unit is unknown. */
static double time_unit(const char *name)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = {
		{ "", 1e6 }, { "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 },
	};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(units[i].name, name))
			return units[i].ns;
	return 0;
}

int options_long_time(const char *text, uint64_t most, uint64_t *time)
{
	/* Pass only digits and points to strtod(), because it also accepts signs and exponents. */
	size_t length = strspn(text, "0123456789.");
	char digits[32], *end;
	double ns;

	if (!length || length >= sizeof(digits))
		return -1;
	memcpy(digits, text, length);
	digits[length] = '\0';
	ns = strtod(digits, &end) * time_unit(text + length);
	if (*end || !(ns >= 1 && ns <= (double)most))
		return -1;
	*time = (uint64_t)(ns + 0.5);
	return 0;
}

int options_time(const char *text, uint64_t *time)
{
	return options_long_time(text, 3600 * SECOND, time);
}

static int add_id(const char *text, const char *what, struct id_list *list)
{
	uint64_t number;
	int *id;

	if (options_number(text, what, INT_MAX, &number))
		return -1;
	id = array_add(&list->ids, &list->count, sizeof(*id));
	if (!id)
		return fail("no memory");
	*id = (int)number;
	return 0;
}

int options_ids(const char *text, const char *what, struct id_list *list)
{
	char *copy = strdup(text), *rest = copy, *id;
	int result = 0;

	if (!copy)
		return fail("no memory");
	while (!result && (id = strsep(&rest, ",")))
		result = add_id(id, what, list);
	free(copy);
	return result;
}

/* The shortest and the longest time that take_time() accepts, in ns. */
#define TIME_LEAST 1000000ull
#define TIME_MOST  (366 * 24 * 3600 * SECOND)

int take_time(const char *argument, void *field)
{
	uint64_t *time = field;

	if (options_long_time(argument, TIME_MOST, time) || *time < TIME_LEAST)
		return fail("'%s' is not a time from 1 ms to 366 days: give one such as "
			    "500 (ms), 1.5s or 60s",
			    argument);
	return 0;
}
