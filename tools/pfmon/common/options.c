// SPDX-License-Identifier: GPL-2.0-only
/* The command lines of the subcommands. */
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "errors.h"
#include "options.h"

static const struct option *find_letter(const struct option *names, int letter)
{
	for (; names->name; names++)
		if (names->val == letter)
			return names;
	return NULL;
}

/* optopt is the letter of the option, 0 for an unknown long option. */
static int fail_option(int result, char **argv, const struct option *names)
{
	const struct option *known = find_letter(names, optopt);

	if (!optopt)
		return fail("there is no option '%s': see '%s --help'", argv[optind - 1],
			    argv[0]);
	if (!known)
		return fail("there is no option '-%c': see '%s --help'", optopt, argv[0]);
	return fail("option '--%s' %s an argument: see '%s --help'", known->name,
		    result == ':' ? "needs" : "does not take", argv[0]);
}

int options_parse(int argc, char **argv, const char *letters, const struct option *names,
		  int (*take)(int option, void *data), void *data)
{
	int option;

	opterr = 0;
	while ((option = getopt_long(argc, argv, letters, names, NULL)) != -1) {
		if (option == 'h')
			return 1;
		if (option == '?' || option == ':')
			return fail_option(option, argv, names);
		if (take(option, data))
			return -1;
	}
	return 0;
}

static int take_pmu(int option, void *data)
{
	const char **pmu = data;

	(void)option;
	*pmu = optarg;
	return 0;
}

int options_pmu_only(int argc, char **argv, const char *usage, const char **pmu)
{
	static const struct option names[] = {
		{ "pmu", required_argument, NULL, 'p' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	int result = options_parse(argc, argv, ":h", names, take_pmu, pmu);

	if (result > 0)
		fputs(usage, stdout);
	return result;
}

/* The digits at the beginning of @text; strtoull() takes signs and blanks, too. */
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
 * Returns the power of 2 that the letter behind a size means, -1 if the letter is
 * unknown.
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
		return fail("'%s' is not a %s: give one from %llu to %llu bytes, also as "
			    "64k or 1M",
			    text, what, (unsigned long long)least,
			    (unsigned long long)most);
	*size <<= shift;
	return 0;
}

/* Returns the ns of the unit of that name, 0 for an unknown unit. */
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

int options_time(const char *text, uint64_t *time)
{
	/* strtod() takes signs, blanks, exponents and words, too. */
	size_t length = strspn(text, "0123456789.");
	char digits[32], *end;
	double ns;

	if (!length || length >= sizeof(digits))
		return -1;
	memcpy(digits, text, length);
	digits[length] = '\0';
	ns = strtod(digits, &end) * time_unit(text + length);
	if (*end || !(ns >= 1 && ns <= 3600e9))
		return -1;
	*time = (uint64_t)(ns + 0.5);
	return 0;
}

int options_add_event(struct event_options *events, const char *text)
{
	if (events->count == MAX_EVENT_OPTIONS)
		return fail("too many -e: separate events by commas");
	events->texts[events->count++] = text;
	return 0;
}
