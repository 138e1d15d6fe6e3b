// SPDX-License-Identifier: GPL-2.0-only
/* perfmon-conformance: whether the PMU module that is loaded does what it has to. */
#include <getopt.h>
#include <stdio.h>

#include "conformance.h"

static void usage(FILE *stream)
{
	fputs("Usage: perfmon-conformance [OPTION]... [SUITE[/TEST]...]\n\n"
	      "Test the PMU module that is loaded, as root, on a machine that does nothing\n"
	      "else; all suites or those named.\n\n"
	      "  -c, --counter PMD:PMC=VALUE[/QUIET][,PMC=VALUE[/QUIET]]...\n"
	      "                    how to make a counter count all the time that a thread\n"
	      "                    runs, as a user and in the kernel: these values of its\n"
	      "                    PMCs; with the quiet ones it stands still.  Once for each\n"
	      "                    counter that is to be tested.  Values of a PMC that\n"
	      "                    several counters share are or-ed.  Not needed for armv8,\n"
	      "                    power, soft and example\n"
	      "  -p, --parameters TEXT\n"
	      "                    parameters of the module, when it is loaded anew\n"
	      "  -l, --list        list the tests\n"
	      "  -h, --help        this text\n",
	      stream);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "counter", required_argument, NULL, 'c' },
		{ "parameters", required_argument, NULL, 'p' },
		{ "list", no_argument, NULL, 'l' },
		{ "help", no_argument, NULL, 'h' },
		{},
	};
	bool list = false;
	int option;

	while ((option = getopt_long(argc, argv, "c:p:lh", options, NULL)) != -1) {
		switch (option) {
		case 'c':
			if (counter_add(optarg))
				break;
			fprintf(stderr, "perfmon-conformance: no counter: %s\n", optarg);
			return 2;
		case 'p':
			module_parameters = optarg;
			break;
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
