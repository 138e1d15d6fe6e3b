// SPDX-License-Identifier: GPL-2.0-only
/*
 * Every allocation for event sets fails in turn, as in call_faults.c. A call that fails must keep
 * the sets that it created before the failure, and free all other memory that it allocated.
 */
#include <stdio.h>

#include "sets.h"
#include "survive.h"

SUITE(set_faults, 600);

#define SET_MEMORY SYSFS "set_mem_cur"

#define MANY	   100 /* elements, which need several pages */

static uint64_t set_memory; /* memory of the sets in bytes, while there is only set 0 */
static pfarg_setdesc_t sets[MANY];

static bool has_set(unsigned int id)
{
	struct pfarg_setinfo info = { .set_id = id };

	return pfm_getinfo_evtsets(fd, &info, 1) == 0;
}

/* Creates sets 1 to operation->count. */
static int attempt_new_sets(const struct operation *operation)
{
	int i;

	for (i = 0; i < operation->count; i++)
		sets[i] = (pfarg_setdesc_t){
			.set_id = i + 1,
			.set_flags = PFM_SETFL_TIME_SWITCH,
			.set_timeout = 1000000,
		};
	return to_error(pfm_create_evtsets(fd, sets, operation->count));
}

static void delete_new_sets(void)
{
	pfarg_setdesc_t set = { .set_id = 1 };

	for (; has_set(set.set_id); set.set_id++)
		must(fd, pfm_delete_evtsets(fd, &set, 1));
	ck_assert_msg(read_number(SET_MEMORY) == set_memory, "%smemory is left", subject);
}

/* Checks that only the existing sets use memory. */
static void sets_must_be_counted(int error)
{
	const uint64_t one =
		set_memory; /* each set needs as much memory as set 0 alone */
	struct pfm_error told;
	unsigned int made = 0;

	must(fd, pfm_get_error(fd, &told)); /* has_set() may replace the last error */
	while (has_set(made + 1))
		made++;
	ck_assert_msg(read_number(SET_MEMORY) == set_memory + made * one,
		      "%s%u sets, but memory of %ju bytes", subject, made,
		      (uintmax_t)read_number(SET_MEMORY));
	if (!error)
		return;
	ck_assert_msg(told.error == error && told.reason == PFM_REASON_MEMORY &&
			      (told.index == made || told.index == PFM_NO_INDEX),
		      "%s%u sets; last error: errno %d, reason %u, index %d", subject,
		      made, told.error, told.reason, (int)told.index);
	delete_new_sets();
}

static void check_making_sets(void)
{
	/*
	 * The member "reason" of these operations is false, because true would require a last error
	 * without an index. Here the last error may have the index of the set that failed.
	 */
	static const struct operation operations[] = {
		{ .name = "create_evtsets, a new set",
		  .attempt = attempt_new_sets,
		  .undo = delete_new_sets,
		  .verify = sets_must_be_counted,
		  .count = 1,
		  .allocates = true },
		{ .name = "create_evtsets, 100 new sets",
		  .attempt = attempt_new_sets,
		  .undo = delete_new_sets,
		  .verify = sets_must_be_counted,
		  .count = MANY,
		  .allocates = true },
	};

	inject_open();
	write_text(SYSFS "arg_mem_max", "1000000\n");
	fd = busy_context();
	set_memory = read_number(SET_MEMORY);
	all_must_survive(operations, COUNT(operations));
	count_must_be_right(fd);
}
FAULT_TEST(making_sets)

/* ---- existing sets -------------------------------------------------------------------- */

#define TIMEOUT 1000000

static pid_t watcher;

static int attempt_delete(const struct operation *operation)
{
	(void)operation;
	return to_error(try_delete(fd, 1));
}

/* Lets the kernel switch from set 1 to the next set after TIMEOUT. */
static int attempt_change(const struct operation *operation)
{
	(void)operation;
	return to_error(try_set(fd, 1, BY_TIME, TIMEOUT));
}

static int attempt_load_with(const struct operation *operation)
{
	(void)operation;
	return to_error(try_load_set(fd, watcher, 1));
}

static int attempt_start_with(const struct operation *operation)
{
	(void)operation;
	return to_error(try_start_set(fd, 1));
}

static void with_set(void)
{
	make_set(fd, 1, 0, 0);
}

static void without_set(void)
{
	delete_set(fd, 1);
}

static void with_set_loaded(void)
{
	with_set();
	load(fd, watcher);
}

static void unload_without_set(void)
{
	must(fd, pfm_unload_context(fd));
	without_set();
}

static void must_be_changed(int error)
{
	struct pfarg_setinfo set = set_of(fd, 1);

	ck_assert_uint_eq(set.set_flags, error ? 0 : BY_TIME);
	ck_assert_uint_eq(set.set_timeout, error ? 0 : effective(TIMEOUT));
}

static void must_be_active(int error)
{
	ck_assert_uint_eq(active_set(fd), error ? 0 : 1);
}

static void check_using_sets(void)
{
	static const struct operation operations[] = {
		{ .name = "delete_evtsets, a set that exists",
		  .attempt = attempt_delete,
		  .before = with_set },
		{ .name = "create_evtsets, a set that exists",
		  .attempt = attempt_change,
		  .undo = without_set,
		  .before = with_set,
		  .verify = must_be_changed },
		{ .name = "load with a set",
		  .attempt = attempt_load_with,
		  .undo = unload_without_set,
		  .before = with_set,
		  .verify = must_be_active },
		{ .name = "start with a set",
		  .attempt = attempt_start_with,
		  .undo = unload_without_set,
		  .before = with_set_loaded,
		  .verify = must_be_active },
	};

	inject_open();
	watcher = thread_id();
	fd = busy_context();
	set_memory = read_number(SET_MEMORY);
	all_must_survive(operations, COUNT(operations));
	ck_assert_uint_eq(read_number(SET_MEMORY), set_memory);
	count_must_be_right(fd);
}
FAULT_TEST(using_sets)
