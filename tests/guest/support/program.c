// SPDX-License-Identifier: GPL-2.0-only
/* perfmon-tests: tests the core, its formats and its PMU modules inside a guest. */
#include "guest.h"
#include "workers.h"

static void begin(int argc, char **argv)
{
	child_main(argc, argv);
	executor_main(argc, argv);
}

const struct test_program the_program = {
	.about = "Test perfmon inside a guest, as root, with its modules loaded.\n"
		 "Runs all suites, or those that are named.",
	.begin = begin,
	.prepare = let_users_count,
	.is_clean = no_session_is_left,
};
