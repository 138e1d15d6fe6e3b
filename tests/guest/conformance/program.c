// SPDX-License-Identifier: GPL-2.0-only
/* perfmon-conformance: tests whether the loaded PMU module works correctly. */
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
		"Test the loaded PMU module with all suites, or with those that are named.  Run\n"
		"as root, on a machine that does nothing else.",
	.options = options,
	.options_help =
		"  -c, --counter PMD:PMC=VALUE[/QUIET][,PMC=VALUE[/QUIET]]...[@TRUTH]\n"
		"                       a counter to be tested, and two values for each of its\n"
		"                       PMCs.  With VALUE the counter counts whenever a thread\n"
		"                       runs, at user and kernel level.  With QUIET it counts\n"
		"                       nothing.  Repeat the option for each counter.  A PMC that\n"
		"                       several counters share gets the OR of their values.\n"
		"                       TRUTH is what the counter counts: instructions, cycles,\n"
		"                       ns (of CPU time) or ticks (of the machine's time\n"
		"                       counter).  Without TRUTH the counts are compared with the\n"
		"                       counter's own rate in loops of several lengths.  The\n"
		"                       counters of armv8, power, intel, amd, soft and example\n"
		"                       are known without this option\n"
		"  -p, --parameters TEXT\n"
		"                       parameters with which a test loads the module again\n",
	.take_option = take_option,
	.is_clean = no_session_is_left,
};
