// SPDX-License-Identifier: GPL-2.0-only
/* main() of every test program. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runner.h"
#include "suites.h"

#define OPTIONS_MAX 8

static const struct option common_options[] = {
	{ "list", no_argument, NULL, 'l' },
	{ "until-failure", no_argument, NULL, 'x' },
	{ "help", no_argument, NULL, 'h' },
	{},
};

static void usage(FILE *stream)
{
	fprintf(stream,
		"Usage: %s [OPTION]... [FOLDER/ | SUITE[/TEST]]...\n\n%s\n"
		"A word that begins with ^ leaves out the tests that it names.\n\n"
		"%s"
		"  -x, --until-failure  stop after the first test that fails\n"
		"  -l, --list           list the tests\n"
		"  -h, --help           this text\n",
		program_invocation_short_name, the_program.about,
		the_program.options_help ? the_program.options_help : "");
}

static size_t count_options(const struct option *options)
{
	size_t count = 0;

	while (options && options[count].name)
		count++;
	return count;
}

/*
 * Fills @table with all options, and @letters with their letters in the form that getopt_long()
 * takes.
 */
static void join_options(struct option *table, char *letters)
{
	size_t own = count_options(the_program.options), i;

	if (own + count_options(common_options) >= OPTIONS_MAX)
		abort();
	if (own)
		memcpy(table, the_program.options, own * sizeof(*table));
	memcpy(table + own, common_options, sizeof(common_options));
	for (i = 0; table[i].name; i++) {
		*letters++ = table[i].val;
		if (table[i].has_arg)
			*letters++ = ':';
	}
	*letters = '\0';
}

int main(int argc, char **argv)
{
	struct option table[OPTIONS_MAX] = {};
	char letters[2 * OPTIONS_MAX + 1];
	bool list = false, until_failure = false;
	int option;

	if (the_program.begin)
		the_program.begin(argc, argv);
	join_options(table, letters);
	while ((option = getopt_long(argc, argv, letters, table, NULL)) != -1) {
		switch (option) {
		case 'l':
			list = true;
			break;
		case 'x':
			until_failure = true;
			break;
		case 'h':
			usage(stdout);
			return EXIT_SUCCESS;
		case '?':
			usage(stderr);
			return 2;
		default:
			if (the_program.take_option(option, optarg))
				break;
			fprintf(stderr, "%s: bad argument of -%c: %s\n",
				program_invocation_short_name, option, optarg);
			return 2;
		}
	}
	if (!list)
		return suites_run(argv + optind, until_failure);
	suites_list(argv + optind);
	return EXIT_SUCCESS;
}
