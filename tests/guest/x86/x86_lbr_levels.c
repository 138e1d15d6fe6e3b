// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests that samples contain only branches that the user may see: branches that the monitored
 * thread took at the selected levels. The samples get the branches from Intel's last branch
 * records.
 */
#include "x86_lbr.h"

SUITE(x86_lbr_levels, 300);

static bool is_kernel(uint64_t address)
{
	return address >> 63;
}

/* ---- levels ------------------------------------------------------------------------------------ */

/**
 * struct levels - numbers of branch addresses in the samples, by level
 * @kernel: number of addresses in the kernel
 * @user: number of addresses in the program
 */
struct levels {
	unsigned int kernel;
	unsigned int user;
};

/*
 * In a debug kernel, each PMU interrupt executes thousands of instructions. So if the period was
 * much shorter, such as 5,003, nearly all samples would be in the kernel, and soon the set would be
 * throttled.
 */
#define LEVEL_PERIOD 20011

/*
 * Executes more than LEVEL_PERIOD instructions at user level, then more than LEVEL_PERIOD in the
 * kernel.
 */
static void work_at_both_levels(void)
{
	unsigned int i;

	loop(3 * LEVEL_PERIOD);
	for (i = 0; i < 200; i++)
		getppid();
}

static struct levels levels_of_samples(unsigned int levels, uint64_t control)
{
	int fd = lbr_context(control | PFM_INTEL_LBR_ALL, levels, LEVEL_PERIOD);
	const struct pfm_dfl_smpl_hdr *header = map_samples(fd);
	struct levels found = {};
	unsigned int i;
	entry_t entry;

	load(fd, thread_id());
	must(fd, pfm_start(fd, NULL));
	for (i = 0; i < 8; i++)
		work_at_both_levels();
	must(fd, pfm_stop(fd));
	ck_assert_uint_ge(header->hdr_count, 10);
	for_each_entry(entry, header) {
		for (i = 0; i < count_records(entry); i++) {
			const struct branch record = record_of(entry, i);

			found.kernel += is_kernel(record.from) &&
					record.from != LBR_FROM_OTHER_LEVEL;
			found.kernel += is_kernel(record.to);
			found.user += !is_kernel(record.to);
		}
	}
	munmap((void *)header, SIZE);
	close(fd);
	return found;
}

static void check_root(void)
{
	struct levels found;

	found = levels_of_samples(AT_BOTH, PFM_INTEL_LBR_USER | PFM_INTEL_LBR_KERNEL);
	ck_assert_uint_gt(found.kernel, 0);
	ck_assert_uint_gt(found.user, 0);
	found = levels_of_samples(AT_BOTH, PFM_INTEL_LBR_KERNEL);
	ck_assert_uint_gt(found.kernel, 0);
	ck_assert_uint_eq(found.user, 0);
	found = levels_of_samples(AT_BOTH, PFM_INTEL_LBR_USER);
	ck_assert_uint_eq(found.kernel, 0);
	ck_assert_uint_gt(found.user, 0);
}

TEST(root_chooses_the_levels)
{
	with_lbr(check_root);
}

static void check_user(void)
{
	struct levels found;

	become(USER_ID);
	found = levels_of_samples(AT_USER, PFM_INTEL_LBR_USER | PFM_INTEL_LBR_KERNEL);
	ck_assert_uint_eq(found.kernel, 0);
	ck_assert_uint_gt(found.user, 0);
}

/* Even a user who may count at kernel level sees no addresses of the kernel. */
static void check_counting_user(void)
{
	let_users_count();
	become(USER_ID);
	ck_assert_uint_eq(levels_of_samples(AT_BOTH,
					    PFM_INTEL_LBR_USER | PFM_INTEL_LBR_KERNEL)
				  .kernel,
			  0);
}

/*
 * Skips the test unless the processor has last branch records and the ownership is exclusive. The
 * next two tests use this function instead of with_lbr(), because they do not need module
 * perfmon_msr.
 */
static void must_be_available(void)
{
	if (!has_lbr())
		skip("the processor has no last branch records");
	if (counters_are_shared())
		skip("the counters are shared with perf");
}

TEST(a_user_sees_no_branch_of_the_kernel)
{
	must_be_available();
	check_user();
}

TEST(a_user_who_may_count_the_kernel_sees_no_branch_of_it)
{
	must_be_available();
	check_counting_user();
}

/* ---- threads ------------------------------------------------------------------------------------ */

static uint64_t loop_for_long(uint64_t turns)
{
	while (turns--) {
		loop(20000);
		usleep(1);
	}
	return 0;
}

static uint64_t branches_for_long(uint64_t turns)
{
	while (turns--) {
		branches_then_none();
		usleep(1);
	}
	return 0;
}

static bool is_in_known(uint64_t address)
{
	const struct branch *known = known_branches();

	return address >= known[0].from && address <= known[KNOWN_BRANCHES - 1].from;
}

static unsigned int count_known(int fd, unsigned int *samples)
{
	const struct pfm_dfl_smpl_hdr *header = map_samples(fd);
	unsigned int i, known = 0;
	entry_t entry;

	for_each_entry(entry, header)
		for (i = 0; i < count_records(entry); i++)
			known += is_in_known(record_of(entry, i).to);
	*samples = header->hdr_count;
	munmap((void *)header, SIZE);
	return known;
}

/*
 * Two threads run on one CPU, each with its own context. Only one of the threads takes the known
 * branches.
 */
static void check_threads(void)
{
	const uint64_t control = PFM_INTEL_LBR_USER | PFM_INTEL_LBR_ALL;
	struct child one = child_new(), other = child_new();
	int first = lbr_context(control, AT_USER, PERIOD + 7);
	int second = lbr_context(control, AT_USER, PERIOD + 7);
	unsigned int samples;

	child_call(&one, child_pin, 0);
	child_call(&other, child_pin, 0);
	load(first, one.pid);
	load(second, other.pid);
	must(first, pfm_start(first, NULL));
	must(second, pfm_start(second, NULL));
	child_begin(&one, branches_for_long, 100);
	child_begin(&other, loop_for_long, 100);
	child_finish(&one);
	child_finish(&other);
	must(first, pfm_stop(first));
	must(second, pfm_stop(second));
	ck_assert_uint_ge(count_known(first, &samples), 100);
	ck_assert_uint_ge(samples, 10);
	ck_assert_uint_eq(count_known(second, &samples), 0);
	ck_assert_uint_ge(samples, 10);
	child_exit(&one);
	child_exit(&other);
	close(first);
	close(second);
}

TEST(two_threads_do_not_see_each_others_branches)
{
	with_lbr(check_threads);
}
