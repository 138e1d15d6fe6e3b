// SPDX-License-Identifier: GPL-2.0-only
/* The command lines of the subcommands. */
#include <stdio.h>

#include "errors.h"
#include "options.h"

int options_next(int argc, char **argv, const char *letters, const struct option *names)
{
	opterr = 0;
	return getopt_long(argc, argv, letters, names, NULL);
}

static const struct option *find_letter(const struct option *names, int letter)
{
	for (; names->name; names++)
		if (names->val == letter)
			return names;
	return NULL;
}

/* optopt is the letter of the option, 0 if there is no such long one. */
int options_fail(int result, char **argv, const struct option *names)
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

int options_help_only(int argc, char **argv, const char *usage)
{
	static const struct option names[] = {
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	int option = options_next(argc, argv, ":h", names);

	if (option == -1)
		return 0;
	if (option != 'h')
		return options_fail(option, argv, names);
	fputs(usage, stdout);
	return 1;
}
