// SPDX-License-Identifier: GPL-2.0-only
/* pfmon: hardware performance monitoring from the command line. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <perfmon/perfmon.h>

#include "commands.h"
#include "common/errors.h"

#ifndef PFMON_VERSION
#define PFMON_VERSION "0"
#endif

static const char usage[] =
	"Usage: pfmon COMMAND [OPTIONS]\n"
	"\n"
	"Count and sample what a CPU does while a program runs, through the perfmon\n"
	"module.\n"
	"\n"
	"Commands:\n"
	"  stat       count events while a command runs\n"
	"  record     sample a command, for 'pfmon report'\n"
	"  report     where the events of a recording happened\n"
	"  script     the samples of a recording, for other programs\n"
	"  list       events that can be counted on this machine\n"
	"  info       the module, the PMU and its counters\n"
	"  help       this, or the help of a command\n"
	"\n"
	"Options:\n"
	"  -h, --help     show this and exit\n"
	"  -V, --version  show the version and exit\n"
	"\n"
	"'pfmon COMMAND --help' says more; so do pfmon(1), pfmon-stat(1),\n"
	"pfmon-record(1), pfmon-report(1) and pfmon-script(1).\n"
	"\n"
	"Examples:\n"
	"  pfmon stat ./app\n"
	"  pfmon stat -e cycles:u,instructions:u -r 5 -- ./app --size 100\n"
	"  pfmon record ./app; pfmon report\n"
	"  pfmon list cache\n";

struct command {
	const char *name;
	char *full_name;
	int (*run)(int argc, char **argv);
};

static char stat_name[] = "pfmon stat";
static char record_name[] = "pfmon record";
static char report_name[] = "pfmon report";
static char script_name[] = "pfmon script";
static char list_name[] = "pfmon list";
static char info_name[] = "pfmon info";

static const struct command commands[] = {
	{ "stat", stat_name, command_stat },
	{ "record", record_name, command_record },
	{ "report", report_name, command_report },
	{ "script", script_name, command_script },
	{ "list", list_name, command_list },
	{ "info", info_name, command_info },
};

static const struct command *find_command(const char *name)
{
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (!strcmp(commands[i].name, name))
			return &commands[i];
	return NULL;
}

static int run_command(const char *name, int argc, char **argv)
{
	const struct command *command = find_command(name);

	if (!command) {
		fail("there is no command '%s': see 'pfmon --help'", name);
		return EXIT_PFMON;
	}
	argv[0] = command->full_name;
	return command->run(argc, argv);
}

static int show_help(const char *name)
{
	char help[] = "--help";
	char *arguments[] = { NULL, help, NULL };

	if (name)
		return run_command(name, 2, arguments);
	fputs(usage, stdout);
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
	const char *first = argc > 1 ? argv[1] : NULL;

	if (!first) {
		fputs(usage, stderr);
		return EXIT_PFMON;
	}
	if (!strcmp(first, "--help") || !strcmp(first, "-h"))
		return show_help(NULL);
	if (!strcmp(first, "help"))
		return show_help(argv[2]);
	if (!strcmp(first, "--version") || !strcmp(first, "-V"))
		return show_version();
	if (first[0] == '-') {
		fail("there is no option '%s': see 'pfmon --help'", first);
		return EXIT_PFMON;
	}
	return run_command(first, argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
	return finish_stdout(run(argc, argv));
}
