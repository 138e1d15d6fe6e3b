// SPDX-License-Identifier: GPL-2.0-only
/* pfmon: hardware performance monitoring from the command line. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <perfmon/perfmon.h>

#include "commands.h"
#include "common/errors.h"
#include "common/help.h"

#ifndef PFMON_VERSION
#define PFMON_VERSION "0"
#endif

static int command_help(int argc, char **argv);

static const struct subcommand subcommands[] = {
	{ "stat", "count events while a command runs", command_stat },
	{ "record", "sample a command, for 'pfmon report'", command_record },
	{ "report", "where the events of a recording happened", command_report },
	{ "script", "the samples of a recording, for other programs", command_script },
	{ "top", "what the CPUs do now, by CPU and program", command_top },
	{ "list", "events that can be counted on this machine", command_list },
	{ "info", "the module, the PMU and its counters", command_info },
	{ "help", "this text, or the help of a subcommand", command_help },
	{ 0 },
};

static const struct option_row rows[] = {
	{ "version", 'V', NULL, "show the version and exit", take_true, 0 },
	{ 0 },
};

static const struct command_line line = {
	.name = "pfmon",
	.synopsis = "SUBCOMMAND [OPTIONS]\n"
		    "--help | --version",
	.about =
		"Count and sample what a CPU does while a program runs. pfmon uses the perfmon\n"
		"module for this.\n",
	.subcommands = subcommands,
	.options = rows,
	.notes = "'pfmon SUBCOMMAND --help' says more; so do pfmon(1), pfmon-stat(1),\n"
		 "pfmon-record(1), pfmon-report(1), pfmon-script(1) and pfmon-top(1).\n"
		 "\n"
		 "Examples:\n"
		 "  pfmon stat ./app\n"
		 "  pfmon stat -e cycles:u,instructions:u -r 5 -- ./app --size 100\n"
		 "  pfmon record ./app; pfmon report\n"
		 "  pfmon record -e branch-misses:pp ./app\n"
		 "  pfmon list cache\n",
	.has_command = true,
};

static const struct option_row no_rows[] = { { 0 } };

static const struct command_line help_line = {
	.name = "pfmon help",
	.synopsis = "[SUBCOMMAND]",
	.about = "Show the options of SUBCOMMAND, or all subcommands.\n",
	.options = no_rows,
};

static int run_subcommand(int argc, char **argv)
{
	for (const struct subcommand *each = subcommands; each->name; each++)
		if (!strcmp(each->name, argv[0]))
			return each->run(argc, argv);
	fail("there is no subcommand '%s': see 'pfmon --help'", argv[0]);
	return EXIT_PFMON;
}

static int command_help(int argc, char **argv)
{
	char help[] = "--help";
	char *arguments[] = { NULL, help, NULL };
	int result = options_parse(argc, argv, &help_line, NULL);

	if (result)
		return result > 0 ? EXIT_SUCCESS : EXIT_PFMON;
	arguments[0] = argv[optind];
	if (arguments[0])
		return run_subcommand(2, arguments);
	help_print(stdout, &line);
	return EXIT_SUCCESS;
}

static int show_version(void)
{
	printf("pfmon " PFMON_VERSION " (perfmon %u.%u)\n",
	       PFM_VERSION_MAJOR(PFM_VERSION), PFM_VERSION_MINOR(PFM_VERSION));
	return EXIT_SUCCESS;
}

static int run(int argc, char **argv)
{
	bool wants_version = false;
	int result = options_parse(argc, argv, &line, &wants_version);

	if (result)
		return result > 0 ? EXIT_SUCCESS : EXIT_PFMON;
	if (wants_version)
		return show_version();
	if (argv[optind])
		return run_subcommand(argc - optind, argv + optind);
	help_print(stderr, &line);
	return EXIT_PFMON;
}

int main(int argc, char **argv)
{
	return finish_stdout(run(argc, argv));
}
