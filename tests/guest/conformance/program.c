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
		"Test the PMU module that is loaded, as root, on a machine that does nothing\n"
		"else; all suites or those named.",
	.options = options,
	.options_help =
		"  -c, --counter PMD:PMC=VALUE[/QUIET][,PMC=VALUE[/QUIET]]...[@TRUTH]\n"
		"                       how to make a counter count all the time that a thread\n"
		"                       runs, as a user and in the kernel: these values of its\n"
		"                       PMCs; with the quiet ones it stands still.  Once for\n"
		"                       each counter that is to be tested.  Values of a PMC that\n"
		"                       several counters share are or-ed.  TRUTH is what it counts:\n"
		"                       instructions, cycles, ns (of CPU time) or ticks (of the\n"
		"                       machine's time counter); without it the counter is compared\n"
		"                       with itself only.  Not needed for armv8, power, soft and\n"
		"                       example\n"
		"  -p, --parameters TEXT\n"
		"                       parameters of the module, when it is loaded anew\n",
	.take_option = take_option,
	.is_clean = no_session_is_left,
};
