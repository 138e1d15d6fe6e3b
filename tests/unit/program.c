// SPDX-License-Identifier: GPL-2.0-only
/* The --help text of all programs in this directory. Each program contains one suite. */
#include "suites.h"

const struct test_program the_program = {
	.about = "Test a part of libpfmdev or of pfmon, without perfmon in the kernel.",
};
