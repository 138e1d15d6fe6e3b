// SPDX-License-Identifier: GPL-2.0-only
/*
 * Armv8: tests a system-wide context and an event of perf that count on the same CPU at the same
 * time.
 */
#if defined(__aarch64__)

#include <stdio.h>

#include "measure.h"
#include "perf.h"
#include "system_wide.h"

SUITE(armv8_system_wide, 60);

#define INSTRUCTIONS 0x08 /* INST_RETIRED */

/*
 * The context and perf's event both count instructions at user level on one CPU, while two programs
 * take turns there.
 */
TEST(a_cpu_counts_what_perf_counts)
{
	struct child children[2] = { child_new(), child_new() };
	int event = perf_open(INSTRUCTIONS, true, -1, 0, -1), fd, i;
	uint64_t ours, perfs;

	need_known_instructions();
	ck_assert_msg(event != -1, "perf_event_open: %s", strerror(errno));
	fd = system_wide_context();
	use(fd, 0, instructions(AT_USER), 0);
	load(fd, 0);
	perf_enable(event);
	must(fd, pfm_start(fd, NULL));
	for (i = 0; i < 6; i++)
		child_call(&children[i % 2], work, 2 * MILLION);
	must(fd, pfm_stop(fd));
	perf_disable(event);
	ours = read_pmd(fd, 0);
	perfs = perf_read(event).value;
	printf("         perfmon %ju, perf %ju\n", (uintmax_t)ours, (uintmax_t)perfs);
	ck_assert_uint_ge(ours, 12 * MILLION);
	/*
	 * perf's event is enabled before the context is started, and disabled after the context is
	 * stopped.
	 */
	must_be_between(perfs, ours, ours + ours / 1000);
	for (i = 0; i < 2; i++)
		child_exit(&children[i]);
	close(fd);
	close(event);
}

#endif
