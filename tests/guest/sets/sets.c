// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests the calls that create, change, describe and delete event sets: docs/interface.md 1.13,
 * 1.14, 3.3, 3.4, and rows 18 to 21 of section 10. If an element of a call is refused, this element
 * must not change anything.
 */
#include <stdio.h>
#include <sys/ioctl.h>

#include "sets.h"

SUITE(sets, 120);

#define NO_INDEX PFM_NO_INDEX
#define HOUR	 (3600 * 1000 * MS)

/* ---- what must not change ------------------------------------------------------------ */

/* State of the context, of two of its sets, and of one PMD in each of these sets. */
struct picture {
	struct pfm_status status;
	struct pfarg_setinfo sets[2];
	struct pfarg_pmd pmds[2];
};

static struct picture picture_of(int fd, unsigned int first, unsigned int second)
{
	struct picture picture = {
		.status = status_of(fd),
		.sets = { set_of(fd, first), set_of(fd, second) },
		.pmds = { read_back_of(fd, first, PFM_PMD_MAJOR_FAULTS),
			  read_back_of(fd, second, PFM_PMD_MAJOR_FAULTS) },
	};

	return picture;
}

static void must_be_as_in(int fd, const struct picture *before)
{
	const struct picture now =
		picture_of(fd, before->sets[0].set_id, before->sets[1].set_id);

	ck_assert_mem_eq(&now.status, &before->status, sizeof(now.status));
	ck_assert_mem_eq(now.sets, before->sets, sizeof(now.sets));
	ck_assert_mem_eq(now.pmds, before->pmds, sizeof(now.pmds));
}

/* Creates a context with sets 0, 5 and 9, which have different values of a PMD. */
static int three_sets(void)
{
	int fd = make_context();

	make_set(fd, 5, BY_TIME, 3 * MS);
	make_set(fd, 9, BY_OVERFLOW, 0);
	write_pmd_of(fd, 0, PFM_PMD_MAJOR_FAULTS, 100);
	write_pmd_of(fd, 5, PFM_PMD_MAJOR_FAULTS, 105);
	write_pmd_of(fd, 9, PFM_PMD_MAJOR_FAULTS, 109);
	return fd;
}

/* ---- creation ------------------------------------------------------------------------ */

TEST(the_module_reports_that_it_has_sets)
{
	ck_assert_uint_ne(pmu()->info.features & PFM_FEATURE_SETS, 0);
	ck_assert_uint_eq(pmu()->info.max_sets, read_number(SYSFS "max_sets"));
	ck_assert_uint_eq(pmu()->info.max_sets, 4096);
	ck_assert_uint_eq(read_number(SYSFS "min_switch_timeout"), 100000);
}

TEST(a_set_may_have_any_number)
{
	static const unsigned int ids[] = { 65535, 1, 64, 63, 65534, 4096, 2, 32768 };
	int fd = make_context();
	struct pfarg_setinfo set;
	size_t i;

	for (i = 0; i < COUNT(ids); i++) {
		must_have_no_set(fd, ids[i]);
		make_set(fd, ids[i], i % 2 ? BY_OVERFLOW : BY_TIME, (i + 1) * MS);
	}
	for (i = 0; i < COUNT(ids); i++) {
		set = set_of(fd, ids[i]);
		ck_assert_uint_eq(set.set_id, ids[i]);
		ck_assert_uint_eq(set.set_flags, i % 2 ? BY_OVERFLOW : BY_TIME);
		ck_assert_uint_eq(set.set_runs, 0);
		ck_assert_uint_eq(set.set_act_duration, 0);
		ck_assert_uint_eq(set.set_ovfl_pmds[0], 0);
		if (set.set_flags == BY_TIME)
			ck_assert_uint_eq(set.set_timeout, effective((i + 1) * MS));
		ck_assert_mem_eq(set.set_avail_pmcs, pmu()->info.available_pmcs,
				 sizeof(set.set_avail_pmcs));
		ck_assert_mem_eq(set.set_avail_pmds, pmu()->info.available_pmds,
				 sizeof(set.set_avail_pmds));
	}
	must_have_no_set(fd, 3);
	must_have_no_set(fd, 65533);
	ck_assert_uint_eq(set_of(fd, 0).set_flags, 0);
	set_zero_must_be_right(fd);
}

/* If two elements name the same set, the later element takes effect. */
TEST(a_call_may_create_many_sets_and_one_twice)
{
	struct pfarg_setdesc sets[] = {
		{ .set_id = 7, .set_flags = BY_TIME, .set_timeout = MS },
		{ .set_id = 3, .set_flags = BY_OVERFLOW },
		{ .set_id = 0, .set_flags = BY_OVERFLOW },
		{ .set_id = 7, .set_flags = BY_OVERFLOW },
	};
	int fd = make_context();

	must(fd, pfm_create_evtsets(fd, sets, COUNT(sets)));
	ck_assert_uint_eq(set_of(fd, 0).set_flags, BY_OVERFLOW);
	ck_assert_uint_eq(set_of(fd, 3).set_flags, BY_OVERFLOW);
	ck_assert_uint_eq(set_of(fd, 7).set_flags, BY_OVERFLOW);
	delete_set(fd, 7);
	must_have_no_set(fd, 7);
	set_zero_must_be_right(fd);
}

TEST(a_refused_set_does_not_exist)
{
	static const struct {
		uint32_t flags;
		uint64_t timeout;
		int reason;
	} refused[] = {
		{ BY_TIME | BY_OVERFLOW, MS, PFM_REASON_FLAGS },
		{ 4, 0, PFM_REASON_FLAGS },
		{ BY_TIME | 0x80000000, MS, PFM_REASON_FLAGS },
		{ BY_TIME, 0, PFM_REASON_TIMEOUT },
	};
	int fd = three_sets();
	const struct picture before = picture_of(fd, 5, 9);
	size_t i;

	for (i = 0; i < COUNT(refused); i++) {
		must_fail(fd, try_set(fd, 6, refused[i].flags, refused[i].timeout),
			  EINVAL, refused[i].reason, 0);
		must_have_no_set(fd, 6);
		/* If the set exists, a refused call does not change it. */
		must_fail(fd, try_set(fd, 5, refused[i].flags, refused[i].timeout),
			  EINVAL, refused[i].reason, 0);
		must_be_as_in(fd, &before);
	}
	set_zero_must_be_right(fd);
}

TEST(sets_before_the_refused_one_are_created)
{
	struct pfarg_setdesc sets[] = {
		{ .set_id = 20, .set_flags = BY_OVERFLOW },
		{ .set_id = 5, .set_flags = BY_OVERFLOW },
		{ .set_id = 21, .set_flags = BY_TIME },
		{ .set_id = 22 },
	};
	int fd = three_sets();

	must_fail(fd, pfm_create_evtsets(fd, sets, 4), EINVAL, PFM_REASON_TIMEOUT, 2);
	ck_assert_uint_eq(set_of(fd, 20).set_flags, BY_OVERFLOW);
	ck_assert_uint_eq(set_of(fd, 5).set_flags, BY_OVERFLOW);
	must_have_no_set(fd, 21);
	must_have_no_set(fd, 22);
	set_zero_must_be_right(fd);
}

#define FLOOR 100000 /* min_switch_timeout in ns */

/*
 * The call that creates a set returns the set's actual timeout, and getinfo reports the same
 * timeout. If a program requests a shorter timeout than min_switch_timeout, the set gets the
 * shortest possible timeout. So a program can find out which timeout is the shortest.
 */
TEST(the_actual_timeout_is_written_back)
{
	static const uint64_t timeouts[] = { 1,		99999, 100000, 100001,
					     123456789, HOUR,  ~0ull };
	struct pfarg_setdesc set = { .set_id = 1, .set_flags = BY_TIME };
	int fd = make_context();
	size_t i;

	for (i = 0; i < COUNT(timeouts); i++) {
		set.set_timeout = timeouts[i];
		must(fd, pfm_create_evtsets(fd, &set, 1));
		ck_assert_uint_eq(set_of(fd, 1).set_timeout, set.set_timeout);
		if (timeouts[i] != ~0ull)
			ck_assert_uint_eq(set.set_timeout,
					  effective(timeouts[i] < FLOOR ? FLOOR
									: timeouts[i]));
	}
	/* The set now has the longest possible timeout, which does not elapse in this test. */
	use_busy_counters_of(fd, 1);
	load_set(fd, thread_id(), 1);
	must(fd, pfm_start(fd, NULL));
	loop(50 * MS);
	must(fd, pfm_stop(fd));
	ck_assert_uint_eq(runs_of(fd, 1), 1);
	set_zero_must_be_right(fd);
}

TEST(a_timeout_without_the_flag_has_no_effect)
{
	int fd = make_context();

	make_set(fd, 1, 0, 1);
	make_set(fd, 2, BY_OVERFLOW, 1);
	use_busy_counters_of(fd, 1);
	load_set(fd, thread_id(), 1);
	must(fd, pfm_start(fd, NULL));
	loop(10 * MS);
	must(fd, pfm_stop(fd));
	ck_assert_uint_eq(active_set(fd), 1);
	ck_assert_uint_eq(runs_of(fd, 1), 1);
	ck_assert_uint_eq(runs_of(fd, 2), 0);
	set_zero_must_be_right(fd);
}

static void check_the_floor(void)
{
	int fd = make_context();

	write_text(SYSFS "min_switch_timeout", "2000000\n");
	ck_assert_uint_eq(read_number(SYSFS "min_switch_timeout"), 2 * MS);
	make_set(fd, 1, BY_TIME, 2 * MS - 1);
	ck_assert_uint_eq(set_of(fd, 1).set_timeout, effective(2 * MS));
	make_set(fd, 1, BY_TIME, 2 * MS);
	/* A new value of min_switch_timeout does not change the timeouts of existing sets. */
	write_text(SYSFS "min_switch_timeout", "5000000\n");
	ck_assert_uint_eq(set_of(fd, 1).set_timeout, effective(2 * MS));
	make_set(fd, 1, BY_TIME, 2 * MS);
	ck_assert_uint_eq(set_of(fd, 1).set_timeout, effective(5 * MS));
}

static void put_back_the_floor(void)
{
	write_text(SYSFS "min_switch_timeout", "100000\n");
}

TEST(the_shortest_timeout_can_be_set)
{
	then_put_back(check_the_floor, put_back_the_floor);
}

/* ---- number of sets ------------------------------------------------------------------- */

static void check_the_limit(void)
{
	struct pfarg_setdesc sets[] = { { .set_id = 3 },
					{ .set_id = 4 },
					{ .set_id = 5 } };
	struct pfm_info info;
	int fd = make_context();

	write_text(SYSFS "max_sets", "5\n");
	must(fd, pfm_get_info(fd, &info));
	ck_assert_uint_eq(info.max_sets, 5);
	make_set(fd, 1, 0, 0);
	make_set(fd, 2, 0, 0);
	must_fail(fd, pfm_create_evtsets(fd, sets, 3), ENOMEM, PFM_REASON_SET_LIMIT, 2);
	must_have_no_set(fd, 5);
	set_of(fd, 4);
	/* At the limit an existing set can still be changed, because that creates no set. */
	make_set(fd, 4, BY_OVERFLOW, 0);
	delete_set(fd, 1);
	make_set(fd, 65535, 0, 0);
	must_fail(fd, try_set(fd, 1, 0, 0), ENOMEM, PFM_REASON_SET_LIMIT, 0);
	/* When the limit is lowered, the existing sets stay and can be changed. */
	write_text(SYSFS "max_sets", "2\n");
	make_set(fd, 3, BY_OVERFLOW, 0);
	ck_assert_uint_eq(set_of(fd, 65535).set_id, 65535);
	must_fail(fd, try_set(fd, 1, 0, 0), ENOMEM, PFM_REASON_SET_LIMIT, 0);
	delete_set(fd, 65535);
	must_fail(fd, try_set(fd, 1, 0, 0), ENOMEM, PFM_REASON_SET_LIMIT, 0);
	/* The limit is per context. */
	make_set(make_context(), 1, 0, 0);
	set_zero_must_be_right(fd);
}

TEST(the_number_of_sets_is_limited)
{
	with_limits_back(check_the_limit);
}

static void check_values_of_the_limit(void)
{
	static const char *const bad[] = { "0\n", "65537\n", "-1\n", "many\n", "\n" };
	size_t i;

	for (i = 0; i < COUNT(bad); i++) {
		ck_assert_msg(try_write_text(SYSFS "max_sets", bad[i]) == EINVAL,
			      "max_sets accepts %s", bad[i]);
		ck_assert_uint_eq(read_number(SYSFS "max_sets"), 4096);
	}
	write_text(SYSFS "max_sets", "65536\n");
	ck_assert_uint_eq(read_number(SYSFS "max_sets"), 65536);
	write_text(SYSFS "max_sets", "1\n");
	ck_assert_uint_eq(read_number(SYSFS "max_sets"), 1);
	must_fail_errno(try_set(make_context(), 1, 0, 0), ENOMEM);
}

TEST(the_limit_of_sets_has_a_range)
{
	with_limits_back(check_values_of_the_limit);
}

static void limit_memory(const char *file, uint64_t bytes)
{
	char path[64], text[32];

	snprintf(path, sizeof(path), SYSFS "%s", file);
	snprintf(text, sizeof(text), "%ju\n", (uintmax_t)bytes);
	write_text(path, text);
}

/*
 * All contexts share the limit on the memory of sets. When a set is deleted or a context is closed,
 * other sets can use its memory.
 */
static void check_the_memory(void)
{
	const uint64_t before = read_number(SYSFS "set_mem_cur");
	int fds[2] = { make_context(), make_context() };
	const uint64_t empty = read_number(SYSFS "set_mem_cur"),
		       one = (empty - before) / 2;
	/*
	 * set_mem_max cannot be less than a page. So the test creates so many sets that together
	 * they need more than a page.
	 */
	const unsigned int room = sysconf(_SC_PAGESIZE) / one + 3;
	unsigned int id;

	ck_assert_uint_gt(one, 0);
	ck_assert_uint_eq(empty, before + 2 * one);
	limit_memory("set_mem_max", empty + room * one);
	ck_assert_int_eq(seteuid(USER_ID), 0);
	make_set(fds[1], 1, 0, 0);
	for (id = 1; id < room; id++)
		make_set(fds[0], id, 0, 0);
	ck_assert_uint_eq(read_number(SYSFS "set_mem_cur"), empty + room * one);
	must_fail(fds[1], try_set(fds[1], 2, 0, 0), ENOMEM, PFM_REASON_SET_MEMORY, 0);
	must_fail(fds[0], try_set(fds[0], id, 0, 0), ENOMEM, PFM_REASON_SET_MEMORY, 0);
	must_have_no_set(fds[1], 2);
	ck_assert_uint_eq(read_number(SYSFS "set_mem_cur"), empty + room * one);
	/* Changing a set needs no memory. */
	make_set(fds[1], 1, BY_OVERFLOW, 0);
	delete_set(fds[0], 1);
	make_set(fds[1], 2, 0, 0);
	/* No memory is left even for the first set of a new context. */
	must_fail_errno(pfm_create_context(&(pfarg_ctx_t){}, NULL, NULL, 0), ENOMEM);
	close(fds[1]);
	wait_until(read_number(SYSFS "set_mem_cur") == before + (room - 1) * one);
	set_zero_must_be_right(fds[0]);
	close(fds[0]);
	wait_until(read_number(SYSFS "set_mem_cur") == before);
}

TEST(the_memory_of_sets_is_limited)
{
	with_limits_back(check_the_memory);
}

/*
 * Creates sets until they use all the memory that one user may use for sets (set_user_max). The
 * user must have no other context. Returns the size of one set in bytes.
 */
static uint64_t use_up_the_share(void)
{
	const uint64_t before = read_number(SYSFS "set_mem_cur");
	int fd = make_context();
	const uint64_t one = read_number(SYSFS "set_mem_cur") - before;
	const unsigned int room = sysconf(_SC_PAGESIZE) / one + 2;
	unsigned int id;

	limit_memory("set_user_max", room * one);
	ck_assert_int_eq(seteuid(USER_ID), 0);
	for (id = 1; id < room; id++)
		make_set(fd, id, 0, 0);
	must_fail(fd, try_set(fd, id, 0, 0), ENOMEM, PFM_REASON_SET_SHARE, 0);
	must_fail(-1, pfm_create_context(&(pfarg_ctx_t){}, NULL, NULL, 0), ENOMEM,
		  PFM_REASON_SET_SHARE, NO_INDEX);
	ck_assert_uint_eq(read_number(SYSFS "set_mem_cur"), before + room * one);
	return one;
}

static uint64_t make_sets_of_another(uint64_t uid)
{
	int fd;

	become(uid);
	fd = make_context();
	return try_set(fd, 1, 0, 0) ? errno : 0;
}

static void check_the_share(void)
{
	struct child other = child_new();

	use_up_the_share();
	ck_assert_uint_eq(child_call(&other, make_sets_of_another, OTHER_ID), 0);
	child_exit(&other);
}

TEST(the_sets_of_a_user_are_limited)
{
	with_limits_back(check_the_share);
}

/*
 * The memory limit per user does not apply to a process with CAP_PERFMON. set_mem_max is the amount
 * of memory that all users together may use for sets. When it is used up, processes with
 * CAP_PERFMON can use the same amount again.
 */
static void check_the_reserve(void)
{
	uint64_t one = use_up_the_share(), used, id;
	int fd;

	ck_assert_int_eq(seteuid(0), 0);
	used = read_number(SYSFS "set_mem_cur");
	limit_memory("set_mem_max", used);
	fd = make_context();
	for (id = 1; read_number(SYSFS "set_mem_cur") + one <= 2 * used; id++)
		make_set(fd, id, 0, 0);
	must_fail(fd, try_set(fd, id, 0, 0), ENOMEM, PFM_REASON_SET_MEMORY, 0);
	count_must_be_right(fd);
}

TEST(cap_perfmon_can_create_sets_when_users_have_used_up_the_limit)
{
	with_limits_back(check_the_reserve);
}

/* ---- changing and deleting ----------------------------------------------------------------- */

/*
 * Creates a context and runs its set 1 for a while, so that the set's counts, runs and duration are
 * not 0. The context stays loaded.
 */
static int used_set(void)
{
	int fd = make_context();

	make_set(fd, 1, BY_OVERFLOW, 0);
	use_busy_counters_of(fd, 1);
	write_one(fd, (struct pfarg_pmd){ .reg_num = pmu()->pmds[1],
					  .reg_set = 1,
					  .reg_value = 4711,
					  .reg_ovfl_switch_cnt = 6 });
	load_set(fd, thread_id(), 1);
	must(fd, pfm_start(fd, NULL));
	spin_turns(10000);
	must(fd, pfm_stop(fd));
	return fd;
}

TEST(changing_a_set_keeps_only_pmds)
{
	int fd = used_set();
	struct pfarg_setinfo set;
	uint64_t busy;

	must(fd, pfm_unload_context(fd));
	busy = read_pmd_of(fd, 1, pmu()->pmds[0]);
	ck_assert_uint_gt(busy, 0);
	ck_assert_uint_eq(read_back_of(fd, 1, pmu()->pmds[1]).reg_ovfl_switch_cnt, 6);
	make_set(fd, 1, BY_TIME, 5 * MS);
	set = set_of(fd, 1);
	ck_assert_uint_eq(set.set_flags, BY_TIME);
	ck_assert_uint_eq(set.set_timeout, effective(5 * MS));
	ck_assert_uint_eq(set.set_runs, 0);
	ck_assert_uint_eq(set.set_act_duration, 0);
	ck_assert_uint_eq(set.set_ovfl_pmds[0], 0);
	ck_assert_uint_eq(read_pmd_of(fd, 1, pmu()->pmds[0]), busy);
	ck_assert_uint_eq(read_pmd_of(fd, 1, pmu()->pmds[1]), 4711);
	ck_assert_uint_eq(read_back_of(fd, 1, pmu()->pmds[1]).reg_ovfl_switch_cnt, 0);
	/* With the default values of the PMCs, the PMUs of the guests count nothing. */
	make_set(fd, 1, 0, 0);
	load_set(fd, thread_id(), 1);
	must(fd, pfm_start(fd, NULL));
	spin_turns(10000);
	must(fd, pfm_stop(fd));
	ck_assert_uint_eq(read_pmd_of(fd, 1, pmu()->pmds[0]), busy);
	ck_assert_uint_eq(read_back_of(fd, 1, pmu()->pmds[1]).reg_ovfl_switch_cnt, 0);
	set_zero_must_be_right(fd);
}

TEST(sets_of_a_loaded_context_do_not_change)
{
	static const bool started[] = { false, true };
	struct picture before;
	int fd = three_sets();
	size_t i;

	load_set(fd, thread_id(), 9);
	for (i = 0; i < COUNT(started); i++) {
		if (started[i]) {
			must(fd, pfm_start(fd, NULL));
			must(fd, pfm_stop(fd));
		}
		before = picture_of(fd, 5, 9);
		must_fail(fd, try_set(fd, 1, 0, 0), EBUSY, PFM_REASON_LOADED, NO_INDEX);
		must_fail(fd, try_set(fd, 9, 0, 0), EBUSY, PFM_REASON_LOADED, NO_INDEX);
		must_fail(fd, try_set(fd, 5, 0, 0), EBUSY, PFM_REASON_LOADED, NO_INDEX);
		must_fail(fd, try_delete(fd, 5), EBUSY, PFM_REASON_LOADED, NO_INDEX);
		must_fail(fd, try_delete(fd, 9), EBUSY, PFM_REASON_LOADED, NO_INDEX);
		must_fail(fd, try_delete(fd, 77), EBUSY, PFM_REASON_LOADED, NO_INDEX);
		must_be_as_in(fd, &before);
	}
	must(fd, pfm_unload_context(fd));
	must_have_no_set(fd, 1);
	delete_set(fd, 9);
	set_zero_must_be_right(fd);
}

/*
 * The results of pfm_getinfo_evtsets() must contain neither old contents of the argument nor
 * overflows from before the last load.
 */
TEST(the_results_of_a_set_that_has_not_run_are_zero)
{
	int fd = used_set();
	struct pfarg_setinfo info;

	must(fd, pfm_unload_context(fd));
	make_set(fd, 2, 0, 0);
	load_set(fd, thread_id(), 2);
	memset(&info, 0xff, sizeof(info));
	info.set_id = 1;
	must(fd, pfm_getinfo_evtsets(fd, &info, 1));
	ck_assert_mem_eq(info.set_ovfl_pmds, (uint64_t[PFM_PMD_BV]){},
			 sizeof(info.set_ovfl_pmds));
	memset(&info, 0xff, sizeof(info));
	info.set_id = 2;
	must(fd, pfm_getinfo_evtsets(fd, &info, 1));
	ck_assert_uint_eq(info.set_flags, 0);
	ck_assert_mem_eq(info.set_ovfl_pmds, (uint64_t[PFM_PMD_BV]){},
			 sizeof(info.set_ovfl_pmds));
	ck_assert_uint_eq(info.set_timeout, 0);
	ck_assert_uint_eq(info.set_act_duration, 0);
	set_zero_must_be_right(fd);
}

TEST(a_set_deleted_and_created_again_is_new)
{
	int fd = used_set();
	struct pfarg_pmd pmd = { .reg_num = pmu()->pmds[0], .reg_set = 1 };

	must(fd, pfm_unload_context(fd));
	delete_set(fd, 1);
	must_have_no_set(fd, 1);
	must_fail(fd, pfm_read_pmds(fd, &pmd, 1), EINVAL, PFM_REASON_NO_SET, 0);
	must_fail(fd, try_delete(fd, 1), EINVAL, PFM_REASON_NO_SET, 0);
	make_set(fd, 1, 0, 0);
	must_fail(fd, pfm_read_pmds(fd, &pmd, 1), EINVAL, PFM_REASON_PMD_UNUSED, 0);
	ck_assert_uint_eq(runs_of(fd, 1), 0);
	set_zero_must_be_right(fd);
}

/* The test deletes the set that was active before the unload. The next load names set 0. */
TEST(the_set_that_was_active_can_be_deleted)
{
	int fd = used_set();

	must(fd, pfm_unload_context(fd));
	delete_set(fd, 1);
	ck_assert_uint_eq(active_set(fd), 0);
	must_fail(fd, try_load_set(fd, thread_id(), 1), EINVAL, PFM_REASON_NO_SET,
		  NO_INDEX);
	load(fd, thread_id());
	ck_assert_uint_eq(active_set(fd), 0);
	must(fd, pfm_start(fd, NULL));
	spin_turns(1000);
	must(fd, pfm_stop(fd));
	set_zero_must_be_right(fd);
}

TEST(sets_before_the_bad_element_are_deleted)
{
	struct pfarg_setdesc sets[] = { { .set_id = 9 },
					{ .set_id = 0 },
					{ .set_id = 5 } };
	int fd = three_sets();

	must_fail(fd, pfm_delete_evtsets(fd, sets, 3), EINVAL, PFM_REASON_SET_ZERO, 1);
	must_have_no_set(fd, 9);
	ck_assert_uint_eq(set_of(fd, 5).set_timeout, effective(3 * MS));
	sets[0].set_id = 5;
	sets[1].set_id = 9;
	must_fail(fd, pfm_delete_evtsets(fd, sets, 2), EINVAL, PFM_REASON_NO_SET, 1);
	must_have_no_set(fd, 5);
	set_zero_must_be_right(fd);
}
