// SPDX-License-Identifier: GPL-2.0-only
/* Runs the suites inside a guest: perfmon-tests [-l] [SUITE[/TEST]...] */
#include <getopt.h>
#include <stdio.h>

#include "workers.h"

static void usage(FILE *stream)
{
	fputs("Usage: perfmon-tests [-l] [SUITE[/TEST]...]\n\n"
	      "Test perfmon inside a guest, as root, with its modules loaded; all suites or\n"
	      "those named.\n\n"
	      "  -l  list the tests\n"
	      "  -h  this text\n",
	      stream);
}

int main(int argc, char **argv)
{
	bool list = false;
	int option;

	child_main(argc, argv);
	runner_main(argc, argv);
	while ((option = getopt(argc, argv, "lh")) != -1) {
		switch (option) {
		case 'l':
			list = true;
			break;
		case 'h':
			usage(stdout);
			return EXIT_SUCCESS;
		default:
			usage(stderr);
			return 2;
		}
	}
	if (!list)
		return suites_run(argv + optind);
	suites_list(argv + optind);
	return EXIT_SUCCESS;
}
