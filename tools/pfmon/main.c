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

struct command {
	const char *name;
	int (*run)(int argc, char **argv);
};

static const struct command commands[] = {
	{ "stat", command_stat },     { "record", command_record },
	{ "report", command_report }, { "script", command_script },
	{ "top", command_top },	      { "list", command_list },
	{ "info", command_info },
};

static const struct option_row rows[] = {
	{ "version", 'V', NULL, "show the version and exit", take_true, 0 },
	{ 0 },
};

static const struct command_line line = {
	.name = "pfmon",
	.synopsis = "COMMAND [OPTIONS]",
	.about =
		"Count and sample what a CPU does while a program runs. pfmon uses the perfmon\n"
		"module for this.\n"
		"\n"
		"Commands:\n"
		"  stat       count events while a command runs\n"
		"  record     sample a command, for 'pfmon report'\n"
		"  report     where the events of a recording happened\n"
		"  script     the samples of a recording, for other programs\n"
		"  top        what the CPUs do now, by CPU and program\n"
		"  list       events that can be counted on this machine\n"
		"  info       the module, the PMU and its counters\n"
		"  help       this text, or the help of a command\n",
	.options = rows,
	.notes = "'pfmon COMMAND --help' says more; so do pfmon(1), pfmon-stat(1),\n"
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

static const struct command *find_command(const char *name)
{
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (!strcmp(commands[i].name, name))
			return &commands[i];
	return NULL;
}

static int run_command(int argc, char **argv)
{
	const struct command *command = find_command(argv[0]);

	if (!command) {
		fail("there is no command '%s': see 'pfmon --help'", argv[0]);
		return EXIT_PFMON;
	}
	return command->run(argc, argv);
}

static int show_help(char *name)
{
	char help[] = "--help";
	char *arguments[] = { name, help, NULL };

	if (name)
		return run_command(2, arguments);
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
	const char *first;
	int result;

	result = options_parse(argc, argv, &line, &wants_version);
	if (result)
		return result > 0 ? EXIT_SUCCESS : EXIT_PFMON;
	if (wants_version)
		return show_version();
	first = argv[optind];
	if (!first) {
		help_print(stderr, &line);
		return EXIT_PFMON;
	}
	if (!strcmp(first, "help"))
		return show_help(argv[optind + 1]);
	return run_command(argc - optind, argv + optind);
}

int main(int argc, char **argv)
{
	return finish_stdout(run(argc, argv));
}
