// SPDX-License-Identifier: GPL-2.0-only
/* perfmon-conformance: tests whether the loaded PMU module does what it must. */
#include "conformance.h"

static const struct option options[] = {
	{ "counter", required_argument, NULL, 'c' },
	{ "parameters", required_argument, NULL, 'p' },
	{},
};

static bool take_option(int option, char *argument)
{
	if (option == 'c')
		return counter_add(argument);
	module_parameters = argument;
	return true;
}

const struct test_program the_program = {
	.about =
		"Test the PMU module that is loaded: all suites, or those that are named.  Run\n"
		"as root, on a machine that does nothing else.",
	.options = options,
	.options_help =
		"  -c, --counter PMD:PMC=VALUE[/QUIET][,PMC=VALUE[/QUIET]]...[@TRUTH]\n"
		"                       a counter to be tested, and values of its PMCs: with each\n"
		"                       VALUE it counts whenever a thread runs, at user and kernel\n"
		"                       level; with each QUIET it counts nothing.  Repeat the\n"
		"                       option for each counter.  If several counters share a PMC,\n"
		"                       it gets their values or-ed.  TRUTH is what the counter\n"
		"                       counts: instructions, cycles, ns (of CPU time) or ticks (of\n"
		"                       the machine's time counter); without TRUTH the counter is\n"
		"                       only compared with itself.  The counters of armv8, power,\n"
		"                       soft and example are known without this option\n"
		"  -p, --parameters TEXT\n"
		"                       parameters with which a test loads the module again\n",
	.take_option = take_option,
	.is_clean = no_session_is_left,
};
