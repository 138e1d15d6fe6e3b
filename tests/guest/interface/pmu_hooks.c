// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests the calls by which the core tells a PMU module that a context is loaded or unloaded. The
 * module may refuse a load. PMU "fake" (tests/modules) reports the calls that it gets. One test
 * checks that a mistake in a PMU module exposes no values of other contexts. The last tests check
 * which PMDs the core claims, and what it reports if the module refuses a claim.
 */
#include <fcntl.h>

#include "perfmon_fake.h"
#include "measure.h"

SUITE(pmu_hooks, 60);

static uint64_t tells(const char *parameter)
{
	return module_parameter("perfmon_fake", parameter);
}

static void must_have_seen(uint64_t loads, uint64_t unloads)
{
	ck_assert_uint_eq(tells("loads"), loads);
	ck_assert_uint_eq(tells("unloads"), unloads);
}

static void with_fake(void (*check)(void))
{
	with_pmu("perfmon_fake", "", check);
}

/* Creates a context with three sets. Counter 0 counts in the first @counting sets. */
static int context_of_three_sets(unsigned int counting)
{
	struct pfarg_setdesc sets[] = { { .set_id = 7 }, { .set_id = 9 } };
	static const unsigned int ids[] = { 0, 7, 9 };
	int fd = make_context();
	unsigned int i;

	must(fd, pfm_create_evtsets(fd, sets, 2));
	for (i = 0; i < counting; i++) {
		struct pfarg_pmc pmc = { .reg_set = ids[i], .reg_value = 1 };
		struct pfarg_pmd pmd = { .reg_set = ids[i] };

		must(fd, pfm_write_pmcs(fd, &pmc, 1));
		must(fd, pfm_write_pmds(fd, &pmd, 1));
	}
	return fd;
}

static int try_loading(int fd, pid_t tid)
{
	struct pfarg_load load = { .load_pid = tid };

	return pfm_load_context(fd, &load);
}

/* ---- load ----------------------------------------------------------------------------- */

static void check_what_load_sees(void)
{
	struct child child = child_new();
	int fd = context_of_three_sets(2);

	must_have_seen(0, 0);
	load(fd, child.pid);
	ck_assert_uint_eq(tells("sets"), 3);
	ck_assert_uint_eq(tells("selected"), 2);
	ck_assert_uint_eq(tells("thread"), child.pid);
	ck_assert_uint_eq(tells("privileged"), 1);
	must_have_seen(1, 0);
	must(fd, pfm_unload_context(fd));
	must_have_seen(1, 1);
	close(fd);
	must_have_seen(1, 1);
	child_exit(&child);
}

TEST(load_is_called_with_all_sets_and_the_thread)
{
	with_fake(check_what_load_sees);
}

static void check_ordinary_user(void)
{
	int fd;

	become(USER_ID);
	fd = make_context();
	load(fd, thread_id());
	ck_assert_uint_eq(tells("privileged"), 0);
	ck_assert_uint_eq(tells("thread"), thread_id());
	close(fd);
	must_have_seen(1, 1);
}

TEST(load_is_called_with_the_privileges_of_the_caller)
{
	with_fake(check_ordinary_user);
}

/*
 * The context stays restricted to user level, although the module's check_pmc() clears the bit for
 * this restriction.
 */
static void check_level(void)
{
	int fd = context_at_user_level();

	write_pmc(fd, FAKE_LEVEL, 0);
	load(fd, thread_id());
	ck_assert_uint_eq(tells("level"), FAKE_USER_ONLY);
	close(fd);
}

TEST(a_module_cannot_undo_what_keeps_a_context_at_user_level)
{
	with_fake(check_level);
}

static void check_refusal(void)
{
	int fd = context_of_three_sets(1);
	struct pfm_error error;

	set_module_parameter("perfmon_fake", "refuse", ERANGE);
	must_fail(fd, try_loading(fd, thread_id()), ERANGE, PFM_REASON_PMU_REFUSES,
		  PFM_NO_INDEX);
	must(fd, pfm_get_error(fd, &error));
	ck_assert_str_eq(error.holder, FAKE_REFUSAL);
	set_module_parameter("perfmon_fake", "refuse", ENOMEM);
	must_fail(fd, try_loading(fd, thread_id()), ENOMEM, PFM_REASON_MEMORY,
		  PFM_NO_INDEX);
	ck_assert_uint_eq(status_of(fd).state, PFM_STATE_UNLOADED);
	ck_assert_uint_eq(sessions(), 0);
	must_have_seen(0, 0);
	set_module_parameter("perfmon_fake", "refuse", 0);
	load(fd, thread_id());
	must_have_seen(1, 0);
	close(fd);
	must_have_seen(1, 1);
}

TEST(load_may_refuse_with_a_reason)
{
	with_fake(check_refusal);
}

/* ---- unload --------------------------------------------------------------------------- */

static void check_all_ways(void)
{
	struct child child = child_new();
	int fd = context_of_three_sets(1), other = context_of_three_sets(0);

	/*
	 * The core calls the module's load function before it finds that the thread already has a
	 * context. Then it calls the unload function.
	 */
	load(fd, child.pid);
	must_fail(other, try_loading(other, child.pid), EEXIST, PFM_REASON_THREAD_TAKEN,
		  PFM_NO_INDEX);
	must_have_seen(2, 1);

	/* the last descriptor is closed while the context counts */
	must(fd, pfm_start(fd, NULL));
	child_busy(&child);
	close(fd);
	must_have_seen(2, 2);
	child_rest(&child);

	/* the thread ends */
	load(other, child.pid);
	must(other, pfm_start(other, NULL));
	must_have_seen(3, 2);
	child_exit(&child);
	must_end(other);
	must_have_seen(3, 3);
	must(other, pfm_unload_context(other));
	close(other);
	must_have_seen(3, 3);
}

TEST(unload_is_called_once_per_load)
{
	with_fake(check_all_ways);
}

/* ---- a PMU module that makes a mistake ------------------------------------------------ */

#define PIPES	   32
#define PIPE_BYTES (64 << 10)

/*
 * Fills free pages with 0xa5. Most kernels clear each page when they allocate it, so they never
 * expose these bytes. Only the debug kernel, which does not clear pages, can expose them.
 */
static void leave_dirty_pages(void)
{
	static char dirt[PIPE_BYTES];
	int ends[PIPES][2];
	unsigned int i;

	memset(dirt, 0xa5, sizeof(dirt));
	for (i = 0; i < PIPES; i++) {
		ck_assert_int_eq(pipe2(ends[i], O_NONBLOCK), 0);
		ck_assert_int_eq(write(ends[i][1], dirt, sizeof(dirt)), sizeof(dirt));
	}
	for (i = 0; i < PIPES; i++) {
		close(ends[i][0]);
		close(ends[i][1]);
	}
}

#define CONTEXTS 64

/*
 * Calls may overwrite the bytes that leave_dirty_pages() has left in free memory. The test makes
 * only a few calls for each context, so the memory that receives the values of a context can still
 * contain these bytes.
 */
static void check_forgotten_value(void)
{
	int fds[CONTEXTS];
	unsigned int i;

	leave_dirty_pages();
	for (i = 0; i < CONTEXTS; i++) {
		struct pfarg_pmd pmd = { .reg_num = FAKE_FORGOTTEN };
		uint64_t value;

		fds[i] = make_context();
		must(fds[i], pfm_write_pmds(fds[i], &pmd, 1));
		load(fds[i], thread_id());
		must(fds[i], pfm_start(fds[i], NULL));
		value = read_pmd(fds[i], FAKE_FORGOTTEN);
		must(fds[i], pfm_unload_context(fds[i]));
		ck_assert_msg(!value, "context %u reads 0x%llx, not 0", i,
			      (unsigned long long)value);
	}
	for (i = 0; i < CONTEXTS; i++)
		close(fds[i]);
}

TEST(a_register_that_the_module_does_not_read_exposes_no_other_values)
{
	with_fake(check_forgotten_value);
}

/* ---- claim ---------------------------------------------------------------------------- */

static void check_recorded_pmds(void)
{
	struct pfarg_setdesc set = { .set_id = 7 };
	struct pfarg_pmd pmd = { .reg_num = FAKE_USER,
				 .reg_smpl_pmds = { BIT(FAKE_NEAR) } };
	int fd = make_context();

	must(fd, pfm_write_pmds(fd, &pmd, 1));
	must(fd, pfm_create_evtsets(fd, &set, 1));
	must(fd, pfm_delete_evtsets(fd, &set, 1));
	load(fd, thread_id());
	ck_assert_uint_eq(tells("claimed"), BIT(FAKE_USER) | BIT(FAKE_NEAR));
	close(fd);
}

/*
 * When a set is deleted, the core determines again which PMDs are in use. A PMD that is only
 * recorded in samples must remain in use.
 */
TEST(pmds_that_are_only_recorded_are_claimed)
{
	with_fake(check_recorded_pmds);
}

static void must_be_refused(int fd, int error, unsigned int reason, const char *holder)
{
	struct pfm_error last;

	must_fail(fd, try_loading(fd, thread_id()), error, reason, NO_INDEX);
	must(fd, pfm_get_error(fd, &last));
	ck_assert_str_eq(last.holder, holder);
	if (reason == PFM_REASON_PMD_HELD)
		ck_assert_uint_eq(last.value, FAKE_KERNEL);
}

static void refuse_claims(uint64_t error, bool names_holder)
{
	set_module_parameter("perfmon_fake", "claim_error", error);
	set_module_parameter("perfmon_fake", "names_holder", names_holder);
}

static void check_refused_claims(void)
{
	int fd = make_context();

	write_pmd(fd, FAKE_KERNEL, 0);
	refuse_claims(EBUSY, true);
	must_be_refused(fd, EBUSY, PFM_REASON_PMD_HELD, FAKE_HOLDER);
	refuse_claims(EBUSY, false);
	must_be_refused(fd, EBUSY, PFM_REASON_PMU_HELD, "");
	refuse_claims(ENOMEM, false);
	must_be_refused(fd, ENOMEM, PFM_REASON_MEMORY, "");
	refuse_claims(EIO, false);
	must_be_refused(fd, EIO, PFM_REASON_PMU_REFUSES, "");
	refuse_claims(0, false);
	load(fd, thread_id());
	ck_assert_uint_eq(tells("claimed"), BIT(FAKE_KERNEL));
	close(fd);
}

/* If the module names no holder, the error must not name the holder of an earlier error. */
TEST(a_refused_claim_has_the_modules_error_and_holder)
{
	with_fake(check_refused_claims);
}
