// SPDX-License-Identifier: GPL-2.0-only
/* Each program of this directory: one suite, on the host. */
#include "suites.h"

const struct test_program the_program = {
	.about = "Test a part of libpfmdev or of pfmon, without perfmon in the kernel.",
};
