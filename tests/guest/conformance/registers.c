// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests which registers PFM_IOC_INFO and sysfs report for the PMU, and tests writes and reads of
 * these registers.
 */
#include <stdio.h>
#include <sys/resource.h>

#include "conformance.h"

SUITE(registers, CONFORMANCE_SECONDS);

#define END_OF_NUMBERS 1024
#define TICK	       10000000 /* ns; no kernel has a longer tick */

static bool is_implemented_pmc(unsigned int n)
{
	return n < PFM_MAX_PMCS && has(information()->implemented_pmcs, n);
}

static bool is_implemented_pmd(unsigned int n)
{
	return n < PFM_MAX_PMDS && has(information()->implemented_pmds, n);
}

static void must_be_described(const char *kind, unsigned int n, bool implemented)
{
	uint64_t width;

	ck_assert_msg(path_exists(register_file(kind, n, "")) == implemented,
		      "%s%u: PFM_IOC_INFO and sysfs do not agree", kind, n);
	if (!implemented)
		return;
	ck_assert_msg(strlen(read_text(register_file(kind, n, "name"))) > 1,
		      "%s%u has no name", kind, n);
	width = register_number(kind, n, "width");
	ck_assert_msg(width >= 1 && width <= 64, "%s%u: %ju bits", kind, n,
		      (uintmax_t)width);
	register_number(kind, n, "addr");
	register_number(kind, n, "rsvd_msk");
	register_number(kind, n, "dfl_val");
}

TEST(sysfs_and_the_call_describe_the_same_registers)
{
	const struct pfm_info *info = information();
	char model[sizeof(info->pmu_model) + 1];
	unsigned int n;

	ck_assert_msg(info->pmu_model[0], "the PMU has no model");
	snprintf(model, sizeof(model), "%s\n", info->pmu_model);
	ck_assert_str_eq(read_text(SYSFS "pmu_desc/model"), model);
	ck_assert_msg(module_is_loaded(module_of_the_pmu()),
		      "the PMU is \"%s\", but module perfmon_%s is not loaded",
		      info->pmu_name, info->pmu_name);
	for (n = 0; n < PFM_MAX_PMDS; n++) {
		must_be_described("pmc", n, is_implemented_pmc(n));
		must_be_described("pmd", n, is_implemented_pmd(n));
	}
}

TEST(counters_are_registers_below_64)
{
	const struct pfm_info *info = information();
	unsigned int n;

	for (n = 0; n < PFM_MAX_PMDS; n++) {
		if (has(info->available_pmcs, n))
			ck_assert_msg(has(info->implemented_pmcs, n), "PMC %u", n);
		if (has(info->available_pmds, n))
			ck_assert_msg(has(info->implemented_pmds, n), "PMD %u", n);
		if (has(info->counter_pmds, n))
			ck_assert_msg(n < 64 && has(info->implemented_pmds, n), "PMD %u",
				      n);
	}
	for (n = 0; n < counter_count(); n++)
		ck_assert_msg(has(info->counter_pmds, counter_at(n)->pmd) &&
				      has(info->available_pmds, counter_at(n)->pmd),
			      "PMD %u is not a counter, or not available",
			      counter_at(n)->pmd);
}

TEST(missing_registers_are_refused)
{
	int fd = context_with(BIT(0), 0);
	unsigned int n;

	for (n = 0; n < END_OF_NUMBERS; n++) {
		pfarg_pmc_t pmcs[2] = { { .reg_num = counter_at(0)->settings[0].pmc },
					{ .reg_num = n } };
		pfarg_pmd_t pmds[2] = { { .reg_num = counter_at(0)->pmd },
					{ .reg_num = n } };

		pmcs[0].reg_value = counter_at(0)->settings[0].value;
		if (!is_implemented_pmc(n))
			must_fail(fd, pfm_write_pmcs(fd, pmcs, 2), EINVAL,
				  PFM_REASON_NO_PMC, 1);
		if (!is_implemented_pmd(n)) {
			must_fail(fd, pfm_write_pmds(fd, pmds, 2), EINVAL,
				  PFM_REASON_NO_PMD, 1);
			must_fail(fd, pfm_read_pmds(fd, pmds, 2), EINVAL,
				  PFM_REASON_NO_PMD, 1);
		} else if (is_only_sampled(fd, n)) {
			must_fail(fd, pfm_write_pmds(fd, pmds, 2), EINVAL,
				  PFM_REASON_ONLY_SAMPLED, 1);
			must_fail(fd, pfm_read_pmds(fd, pmds, 2), EINVAL,
				  PFM_REASON_ONLY_SAMPLED, 1);
		} else if (n != counter_at(0)->pmd) {
			must_fail(fd, pfm_read_pmds(fd, pmds, 2), EINVAL,
				  PFM_REASON_PMD_UNUSED, 1);
			if (!has(information()->available_pmds, n))
				must_fail(fd, pfm_write_pmds(fd, pmds, 2), EINVAL,
					  PFM_REASON_PMD_HELD, 1);
		}
	}
	must_count_right(fd, counter_at(0));
	close(fd);
}

TEST(every_pmc_takes_its_default)
{
	int fd = make_context();
	unsigned int n;

	for (n = 0; n < PFM_MAX_HARDWARE; n++)
		if (has(information()->available_pmcs, n))
			write_pmc(fd, n, register_number("pmc", n, "dfl_val"));
	close(fd);
}

static uint64_t count_with_defaults(const struct counter *counter, bool written)
{
	int fd = make_context();
	uint64_t count;
	unsigned int n;

	for (n = 0; n < PFM_MAX_HARDWARE && written; n++)
		if (has(information()->available_pmcs, n))
			write_pmc(fd, n, register_number("pmc", n, "dfl_val"));
	write_pmd(fd, counter->pmd, 0);
	load(fd, thread_id());
	run(fd, 20 * MILLION);
	count = read_pmd(fd, counter->pmd);
	close(fd);
	return count;
}

/*
 * A counter whose PMCs were not written must behave as if the default values had been written to
 * them: the counter counts in both cases, or in neither. Before each comparison, the test loads
 * another context that has different values in these PMCs.
 */
TEST(a_pmc_that_was_not_written_has_its_default)
{
	const struct counter *counter;
	int fd;

	for_each_counter(counter) {
		fd = context_on(thread_id(), ALL_COUNTERS, 0);
		loop(MILLION);
		close(fd);
		ck_assert_msg(
			!count_with_defaults(counter, false) ==
				!count_with_defaults(counter, true),
			"PMD %u: PMCs that were not written do not have their defaults",
			counter->pmd);
	}
}

/* ---- values of PMDs ---------------------------------------------------------------- */

static const uint64_t patterns[] = {
	1,
	0x5555555555555555,
	0xaaaaaaaaaaaaaaaa,
	0x7fffffff,
	0x80000000,
	0xffffffff,
	0x123456789abcdef0,
	BIT(48) - 1,
	BIT(63),
	BIT(63) - 1,
	~0ull,
	0,
};

/*
 * Writes values to a PMD. A writable PMD must keep every value. A read-only PMD must not change.
 */
static void check_patterns(int fd, unsigned int n, const char *when)
{
	uint64_t first, value;
	unsigned int kept = 0;
	size_t i;

	write_pmd(fd, n, 0);
	first = read_pmd(fd, n);
	for (i = 0; i < COUNT(patterns); i++) {
		write_pmd(fd, n, patterns[i]);
		value = read_pmd(fd, n);
		if (value == patterns[i])
			kept++;
		else
			ck_assert_msg(value == first && kept == 0,
				      "PMD %u, %s: 0x%jx was written, 0x%jx was read", n,
				      when, (uintmax_t)patterns[i], (uintmax_t)value);
	}
	ck_assert_msg(kept == COUNT(patterns) ||
			      (kept <= 1 && !has(information()->counter_pmds, n)),
		      "PMD %u, %s: keeps %u of %zu values", n, when, kept,
		      COUNT(patterns));
}

TEST(pmds_read_as_written)
{
	int fd = make_context();
	unsigned int n;

	for (n = 0; n < PFM_MAX_HARDWARE; n++)
		if (has(information()->available_pmds, n) && !is_only_sampled(fd, n))
			check_patterns(fd, n, "context not loaded");
	load(fd, thread_id());
	for (n = 0; n < PFM_MAX_HARDWARE; n++)
		if (has(information()->available_pmds, n) && !is_only_sampled(fd, n))
			check_patterns(fd, n, "context loaded");
	close(fd);
}

/*
 * The test writes the quiet values to the PMCs of a counter, so that the counter counts nothing.
 * Then each value that is written to the PMD must remain unchanged while the context is started,
 * and after the stop.
 */
TEST(counters_that_stand_still_keep_all_bits)
{
	const struct counter *counter;
	int fd = make_context();
	size_t i;

	load(fd, thread_id());
	for_each_counter(counter) {
		if (!counter->has_quiet)
			continue;
		program(fd, 0, set_of_counter(counter));
		for (i = 0; i < COUNT(patterns); i++) {
			write_pmd(fd, counter->pmd, patterns[i]);
			must(fd, pfm_start(fd, NULL));
			loop(10000);
			ck_assert_uint_eq(read_pmd(fd, counter->pmd), patterns[i]);
			must(fd, pfm_stop(fd));
			ck_assert_uint_eq(read_pmd(fd, counter->pmd), patterns[i]);
		}
	}
	ck_assert_uint_eq(status_of(fd).state, PFM_STATE_LOADED);
	close(fd);
}

/*
 * Returns whether PMD @n contains a state instead of a count, for example a priority. The kernel
 * refuses to reset such a PMD at overflows.
 */
static bool is_state(int fd, unsigned int n)
{
	struct pfarg_pmd pmd = { .reg_num = PFM_PMD_TASK_CLOCK };

	pmd.reg_reset_pmds[n / 64] = BIT(n % 64);
	if (pfm_write_pmds(fd, &pmd, 1) == 0)
		return false;
	must_fail(fd, pfm_write_pmds(fd, &pmd, 1), EINVAL, PFM_REASON_RESET_PMDS, 0);
	return true;
}

/*
 * Checks PMD @n if it is PRIORITY or USER_TIME of the PMU module "example". PRIORITY must contain
 * the priority of the process. @gained is the increase of PMD @n. The increase of USER_TIME must
 * not exceed the task clock by more than a tick.
 */
static void must_tell_the_truth(int fd, unsigned int n, uint64_t gained)
{
	const char *name = read_text(register_file("pmd", n, "name"));

	if (strcmp(name, "PRIORITY\n") == 0) /* nice value 0 gives 120 */
		ck_assert_uint_eq(read_pmd(fd, n), 120 + getpriority(PRIO_PROCESS, 0));
	else if (strcmp(name, "USER_TIME\n") == 0)
		ck_assert_msg(
			gained > 0 && gained <= read_pmd(fd, PFM_PMD_TASK_CLOCK) + TICK,
			"%ju ns of user time in %ju ns of CPU time", (uintmax_t)gained,
			(uintmax_t)read_pmd(fd, PFM_PMD_TASK_CLOCK));
}

TEST(virtual_pmds_of_the_pmu_work_like_others)
{
	unsigned int n;
	int fd;

	for (n = PFM_VIRTUAL_PMU_BASE; n < PFM_MAX_PMDS; n++) {
		if (!has(information()->implemented_pmds, n))
			continue;
		fd = make_context();
		write_pmd(fd, PFM_PMD_TASK_CLOCK, 0);
		write_pmd(fd, n, 1000);
		ck_assert_uint_eq(read_pmd(fd, n), is_state(fd, n) ? 0 : 1000);
		write_pmd(fd, PFM_PMD_TASK_CLOCK, 0);
		load(fd, thread_id());
		must(fd, pfm_start(fd, NULL));
		while (read_pmd(fd, PFM_PMD_TASK_CLOCK) < 10 * TICK)
			loop(10000);
		must(fd, pfm_stop(fd));
		must_tell_the_truth(fd, n, read_pmd(fd, n) - 1000);
		close(fd);
	}
}
