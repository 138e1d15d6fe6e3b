// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests a context that has all possible event sets. This is a suite of its own because it creates
 * 260,000 sets. That takes seconds, or minutes if the guest's clock counts instructions.
 */
#include "sets.h"

SUITE(sets_65536, 300);

#define ALL_SETS 65536

/*
 * Numbers the sets with the multiples of @factor modulo 2^16. @factor is odd, so it has an inverse
 * modulo 2^16, and no number is used twice.
 */
static void fill(struct pfarg_setdesc *sets, unsigned int count, unsigned int factor)
{
	unsigned int i;

	for (i = 0; i < count; i++)
		sets[i] = (struct pfarg_setdesc){ .set_id = (i + 1) * factor };
}

static void check_all_sets(void)
{
	static const unsigned int factors[] = { 1, 65535, 40503 };
	static struct pfarg_setdesc sets[ALL_SETS];
	unsigned int i;
	int fd;

	write_text(SYSFS "max_sets", "65536\n");
	write_text(SYSFS "set_mem_max", "4000000000\n");
	write_text(SYSFS "arg_mem_max", "8000000\n");
	for (i = 0; i < COUNT(factors); i++) {
		fd = make_context();
		fill(sets, ALL_SETS - 1, factors[i]);
		must(fd, pfm_create_evtsets(fd, sets, ALL_SETS - 1));
		ck_assert_uint_eq(set_of(fd, 65535).set_id, 65535);
		ck_assert_uint_eq(set_of(fd, 32768).set_id, 32768);
		/* These calls must find one set among all possible sets. */
		write_pmd_of(fd, 65535, PFM_PMD_TASK_CLOCK, 1);
		load_set(fd, thread_id(), 65535);
		must(fd, pfm_unload_context(fd));
		must(fd, pfm_delete_evtsets(fd, sets, ALL_SETS - 1));
		must_have_no_set(fd, 1);
		must_have_no_set(fd, 65535);
		set_zero_must_be_right(fd);
		close(fd);
	}
	/* Closing the descriptor deletes all 65536 sets in one call. */
	fd = make_context();
	must(fd, pfm_create_evtsets(fd, sets, ALL_SETS - 1));
	close(fd);
}

TEST(all_possible_sets_can_exist)
{
	if (is_debug_kernel())
		skip("a kernel with KASAN needs more memory for 65536 sets than the guest has");
	with_limits_back(check_all_sets);
}
