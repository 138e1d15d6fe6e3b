// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests the software PMU and a hardware PMU at the same time. Each context uses the PMU that was
 * named when the context was created.
 */
#include <stdio.h>
#include <sys/ioctl.h>

#include "measure.h"

SUITE(two_pmus, 120);

static int try_create(int fd, const char *name)
{
	struct pfm_create create = { .pmu_name = (uintptr_t)name };

	return ioctl(fd, PFM_IOC_CREATE_CONTEXT, &create);
}

static int context_on(const char *name)
{
	int fd = pfm_open_device();

	ck_assert_int_ne(fd, -1);
	must(fd, try_create(fd, name));
	return fd;
}

static struct pfm_info info_of(int fd)
{
	struct pfm_info info;

	must(fd, pfm_get_info(fd, &info));
	return info;
}

static void check_names(void)
{
	int fd = pfm_open_device(), soft;

	must_fail(fd, try_create(fd, (void *)8), EFAULT, PFM_REASON_FAULT, PFM_NO_INDEX);
	must_fail(fd, try_create(fd, "none"), ENOSYS, PFM_REASON_NO_PMU, PFM_NO_INDEX);
	must_fail(fd, try_create(fd, ""), ENOSYS, PFM_REASON_NO_PMU, PFM_NO_INDEX);
	must_fail(fd, try_create(fd, "../soft"), ENOSYS, PFM_REASON_NO_PMU, PFM_NO_INDEX);
	must_fail(fd, try_create(fd, "a_name_as_long_as_no_pmu_can_have"), ENOSYS,
		  PFM_REASON_NO_PMU, PFM_NO_INDEX);
	must(fd, try_create(fd, pmu()->info.pmu_name));
	soft = context_on("soft");
	ck_assert_str_eq(info_of(soft).pmu_name, "soft");
	ck_assert_uint_eq(info_of(soft).implemented_pmds[0], BIT(PFM_SOFT_COUNTERS) - 1);
	ck_assert_str_eq(info_of(fd).pmu_name, pmu()->info.pmu_name);
	count_must_be_right(fd);
}

static void unload_soft(void)
{
	if (strcmp(best_pmu_module(), "perfmon_soft"))
		module_unload("perfmon_soft");
}

TEST(a_context_has_the_pmu_that_it_names)
{
	/* check_names() names the software PMU. This loads the PMU's module. */
	then_put_back(check_names, unload_soft);
}

enum {
	ROUNDS = 50,
	PAGES = 10
};

/*
 * Lets the children @hardware and @software work in turn. Stores the page faults of @software in
 * *@faults. Returns the increase of PMD 2 of @fd, which counts the instructions of @hardware.
 */
static uint64_t take_turns(int fd, const struct child *hardware,
			   const struct child *software, uint64_t *faults)
{
	uint64_t before = read_pmd(fd, 2);
	int i;

	*faults = 0;
	for (i = 0; i < ROUNDS; i++) {
		child_call(hardware, work, MILLION);
		*faults += child_call(software, child_work, PAGES);
	}
	/* When @hardware sleeps, it has executed all instructions of its last command. */
	wait_until(thread_state(hardware->pid) == 'S');
	return read_pmd(fd, 2) - before;
}

/*
 * Two children work in turn. A context of the hardware PMU monitors one of them, and a context of
 * the software PMU monitors the other. Both contexts use counters 0 and 2 of their PMUs, and
 * neither may change the counts of the other.
 */
static void check_turns(void)
{
	struct child hardware = child_new(), software = child_new();
	uint64_t alone, beside, faults;
	int fd, soft;

	fd = context_of(2, instructions(AT_USER));
	use(fd, 0, cycles(AT_BOTH), 0);
	load(fd, hardware.pid);
	must(fd, pfm_start(fd, NULL));
	soft = context_on("soft");
	use(soft, 2, PFM_SOFT_MINOR_FAULTS, 0);
	use(soft, 0, PFM_SOFT_TASK_CLOCK, 0);
	write_pmd(soft, PFM_PMD_MINOR_FAULTS, 0);
	take_turns(fd, &hardware, &software, &faults); /* the first faults cost more */
	alone = take_turns(fd, &hardware, &software, &faults);
	load(soft, software.pid);
	must(soft, pfm_start(soft, NULL));
	beside = take_turns(fd, &hardware, &software, &faults);
	must(soft, pfm_stop(soft));
	must(fd, pfm_stop(fd));
	printf("         %ju instructions alone, %ju with other contexts; %ju faults\n",
	       (uintmax_t)alone, (uintmax_t)beside, (uintmax_t)faults);
	ck_assert_uint_ge(alone, ROUNDS * MILLION);
	ck_assert_uint_eq(beside, alone);
	ck_assert_uint_ge(faults, ROUNDS * PAGES);
	ck_assert_uint_ge(read_pmd(soft, 2), faults);
	ck_assert_uint_eq(read_pmd(soft, 2), read_pmd(soft, PFM_PMD_MINOR_FAULTS));
	ck_assert_uint_gt(read_pmd(soft, 0), 0);
	child_exit(&hardware);
	child_exit(&software);
}

TEST(contexts_of_two_pmus_alternate_on_a_cpu)
{
	need_known_instructions();
	then_put_back(check_turns, unload_soft);
}
