// SPDX-License-Identifier: GPL-2.0-only
/* Tests how pfm_cpus_parse() reads lists of CPUs. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <perfmon/perfmon.h>

#include "suites.h"

SUITE(cpus, 60);

enum {
	MOST = 8
};

/*
 * Checks that pfm_cpus_parse() reads @list as the CPUs in @wanted. @wanted contains the number of
 * each CPU, followed by a blank.
 */
static void must_be(const char *list, const char *wanted)
{
	struct pfm_cpu_context contexts[MOST];
	char text[128] = "";
	int count, i;

	memset(contexts, 0x55, sizeof(contexts));
	count = pfm_cpus_parse(list, contexts, MOST);
	for (i = 0; i < count; i++) {
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%d ",
			 contexts[i].cpu);
		ck_assert_int_eq(contexts[i].fd, -1);
		ck_assert_int_eq(contexts[i].error, 0);
		ck_assert_int_eq(contexts[i].has_message, 0);
	}
	ck_assert_str_eq(text, wanted);
}

static void must_fail(const char *list, int error)
{
	struct pfm_cpu_context contexts[MOST];

	errno = 0;
	ck_assert_msg(pfm_cpus_parse(list, contexts, MOST) == -1,
		      "'%s' was read as a list", list);
	ck_assert_int_eq(errno, error);
}

TEST(numbers_and_ranges_are_read_in_order)
{
	must_be("0", "0 ");
	must_be("0,2-3", "0 2 3 ");
	must_be("7,5,1-1", "7 5 1 ");
	must_be("65535", "65535 ");
	must_be("0-7", "0 1 2 3 4 5 6 7 ");
}

TEST(other_texts_are_einval)
{
	static const char *const lists[] = {
		"",    ",",	"0,",	   ",0", "0,,1", "-1",
		"1-",  "3-2",	"0x1",	   "1 ", " 1",	 "1-2-3",
		"all", "65536", "0-65536", "+1", "1;2",	 "99999999999999999999"
	};
	size_t i;

	for (i = 0; i < sizeof(lists) / sizeof(*lists); i++)
		must_fail(lists[i], EINVAL);
}

TEST(more_cpus_than_there_is_room_for_are_enospc)
{
	must_fail("0-8", ENOSPC);
	must_fail("0-3,4-7,8", ENOSPC);
	must_fail("0-65535", ENOSPC);
}

/*
 * The expected number is from sysconf(), which reads the same file as pfm_cpus_parse(), but with
 * code of its own.
 */
TEST(no_list_means_the_cpus_that_are_online)
{
	static struct pfm_cpu_context contexts[4096];

	ck_assert_int_eq(pfm_cpus_parse(NULL, contexts, 4096),
			 sysconf(_SC_NPROCESSORS_ONLN));
}
