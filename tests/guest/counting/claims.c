// SPDX-License-Identifier: GPL-2.0-only
/*
 * Armv8: tests which counters of a CPU the PMU module claims and which counters perf can use.
 *
 * The module claims the counters that loaded contexts use. perf can use all other counters, whether
 * its events are created before contexts are loaded or later.
 */
#include <sched.h>
#include <stdio.h>

#include "measure.h"

SUITE(claims, 120);

#define MILLION	     1000000ull
#define ALL_COUNTERS ((BIT(EVENT_COUNTERS) - 1) | BIT(PFM_ARMV8_CYCLE_COUNTER))

/* ---- which counters are claimed --------------------------------------------------------------- */

/* Returns whether a perf group of @n cycle events counts on CPU 0. */
static bool group_runs(int n)
{
	struct perf_count count;
	int events[EVENT_COUNTERS + 1], i;
	bool runs = true;

	pin(0);
	for (i = 0; i < n; i++) {
		events[i] = perf_open(CPU_CYCLES, false, -1, 0, i ? events[0] : -1);
		ck_assert_msg(events[i] != -1, "event %d: %s", i, strerror(errno));
	}
	perf_enable(events[0]);
	loop(MILLION);
	for (i = 0; i < n; i++) {
		count = perf_read(events[i]);
		runs &= count.running > 0 && count.value > 0;
	}
	for (i = 0; i < n; i++)
		close(events[i]);
	return runs;
}

static void perf_must_get_all_back(void)
{
	/* A release may come up to a second after the unload. */
	wait_until(group_runs(EVENT_COUNTERS + 1));
}

TEST(a_context_that_is_not_loaded_holds_no_counter)
{
	struct child child = child_new();
	int first, second;

	need_armv8();
	perf_must_get_all_back();
	first = context_using(ALL_COUNTERS);
	second = context_using(ALL_COUNTERS);
	ck_assert_msg(group_runs(EVENT_COUNTERS + 1),
		      "contexts that are not loaded hold counters");
	load(first, thread_id());
	ck_assert_msg(!group_runs(1), "perf counts although a context uses all counters");
	load(second, child.pid);
	must(first, pfm_unload_context(first));
	ck_assert_msg(!group_runs(1), "perf counts although a context is still loaded");
	must(second, pfm_unload_context(second));
	perf_must_get_all_back();
	/* Like a context that is not loaded, a context whose thread has ended holds no counter. */
	load(second, child.pid);
	ck_assert(!group_runs(1));
	child_exit(&child);
	must_end(second);
	perf_must_get_all_back();
}

TEST(only_counters_in_use_are_taken)
{
	int fd;

	need_armv8();
	perf_must_get_all_back();
	fd = context_using(BIT(3));
	load(fd, thread_id());
	ck_assert_msg(group_runs(EVENT_COUNTERS),
		      "a counter is not in use, but perf cannot use it");
	ck_assert_msg(!group_runs(EVENT_COUNTERS + 1),
		      "perf can use the counter that a context uses");
	/*
	 * A counter comes into use when its PMD is written. Writing another PMD also brings the
	 * counter into use, if reg_smpl_pmds or reg_reset_pmds of that PMD contains the counter.
	 */
	write_pmd(fd, 0, 0);
	ck_assert(group_runs(EVENT_COUNTERS - 1) && !group_runs(EVENT_COUNTERS));
	must(fd, pfm_write_pmds(fd,
				&(pfarg_pmd_t){ .reg_num = 3,
						.reg_smpl_pmds = { BIT(1) },
						.reg_reset_pmds = { BIT(4) } },
				1));
	ck_assert(group_runs(EVENT_COUNTERS - 3) && !group_runs(EVENT_COUNTERS - 2));
	/* Writing a PMC does not bring a counter into use. */
	write_pmc(fd, 5, CPU_CYCLES);
	ck_assert(group_runs(EVENT_COUNTERS - 3));
	must(fd, pfm_unload_context(fd));
	perf_must_get_all_back();
}

/*
 * Number of combinations of counters 0 to 4 that the test uses. The core has fewer entries for
 * combinations: see USES in module/core/claims/claim.c.
 */
#define COMBINATIONS 24

TEST(counters_of_many_combinations_are_taken_and_given_back)
{
	struct child children[COMBINATIONS];
	int fds[COMBINATIONS], i;

	need_armv8();
	perf_must_get_all_back();
	for (i = 0; i < COMBINATIONS; i++) {
		children[i] = child_new();
		fds[i] = context_using(i + 1);
		load(fds[i], children[i].pid);
	}
	ck_assert_msg(group_runs(EVENT_COUNTERS - 4),
		      "a counter is not in use, but perf cannot use it");
	ck_assert_msg(!group_runs(EVENT_COUNTERS - 3),
		      "perf can use one of the five counters in use");
	/*
	 * Unload all contexts except the last one, which was loaded too late to get its own entry.
	 */
	for (i = 0; i < COMBINATIONS - 1; i++)
		must(fds[i], pfm_unload_context(fds[i]));
	ck_assert(!group_runs(EVENT_COUNTERS));
	/* Load the unloaded contexts again. */
	for (i = 0; i < COMBINATIONS - 1; i++)
		load(fds[i], children[i].pid);
	ck_assert(group_runs(EVENT_COUNTERS - 4) && !group_runs(EVENT_COUNTERS - 3));
	for (i = 0; i < COMBINATIONS; i++)
		must(fds[i], pfm_unload_context(fds[i]));
	perf_must_get_all_back();
	for (i = 0; i < COMBINATIONS; i++)
		child_exit(&children[i]);
}

/*
 * perf accepts a group even if the CPU does not have enough counters left for the group. Such a
 * group never runs.
 */
static void check_groups(void)
{
	int fd = context_using(ALL_COUNTERS & ~0x15ull);

	load(fd, thread_id());
	ck_assert_msg(group_runs(1), "a group of 1 does not run on the 3 counters left");
	ck_assert_msg(group_runs(3), "a group of 3 does not run on the 3 counters left");
	ck_assert_msg(!group_runs(4), "a group of 4 runs on the 3 counters left");
	close(fd);
}

TEST(a_perf_group_too_large_never_runs)
{
	need_armv8();
	with_pmu("perfmon_armv8", "leave_to_perf=0x15", check_groups);
}

/* Opens and enables @n raw cycle events of perf on CPU 0, where the caller runs. */
static void perf_takes(int *events, int n, bool user_only)
{
	int i;

	for (i = 0; i < n; i++) {
		events[i] = perf_open(CPU_CYCLES, user_only, -1, 0, -1);
		ck_assert_msg(events[i] != -1, "perf_event_open: %s", strerror(errno));
		perf_enable(events[i]);
	}
}

static void must_have(int fd, uint64_t counters)
{
	struct pfarg_setinfo set = set_of(fd, 0);
	struct pfm_info info;

	must(fd, pfm_get_info(fd, &info));
	ck_assert_uint_eq(set.set_avail_pmds[0], counters);
	ck_assert_uint_eq(set.set_avail_pmcs[0], counters);
	ck_assert_uint_eq(info.available_pmds[0], counters);
	ck_assert_uint_eq(info.available_pmcs[0], counters);
	ck_assert_uint_eq(info.implemented_pmds[0], ALL_COUNTERS);
}

/* The call that returned @result must have failed with EBUSY because @holder holds @counter. */
static void must_be_held(int fd, int result, unsigned int index, uint64_t counter,
			 const char *holder)
{
	struct pfm_error error;

	must_fail(fd, result, EBUSY, PFM_REASON_PMD_HELD, index);
	must(fd, pfm_get_error(fd, &error));
	ck_assert_uint_eq(error.value, counter);
	ck_assert_str_eq(error.holder, holder);
}

TEST(a_counter_that_perf_holds_cannot_be_loaded)
{
	int events[2], fd, other;
	struct pfm_info info;

	need_armv8();
	perf_must_get_all_back();
	pin(0);
	fd = context_using(ALL_COUNTERS);
	must_have(fd, ALL_COUNTERS);
	perf_takes(events, 2, true); /* the cycle counter and counter 0 */
	must_have(fd, ALL_COUNTERS & ~(BIT(0) | BIT(PFM_ARMV8_CYCLE_COUNTER)));
	must_be_held(fd, try_load(fd, thread_id()), PFM_NO_INDEX, 0, "perf");
	ck_assert_uint_eq(status_of(fd).state, PFM_STATE_UNLOADED);
	ck_assert_uint_eq(sessions(), 0);
	other = context_using(BIT(1));
	load(other, thread_id());
	must(fd, pfm_get_info(fd, &info));
	/* @other uses counter 1, which is still available, because contexts can share counters. */
	ck_assert_uint_eq(info.available_pmds[0],
			  ALL_COUNTERS & ~(BIT(0) | BIT(PFM_ARMV8_CYCLE_COUNTER)));
	close(other);
	close(events[0]);
	close(events[1]);
	must_have(fd, ALL_COUNTERS);
	load(fd, thread_id());
}

TEST(a_counter_that_perf_holds_cannot_come_into_use)
{
	pfarg_pmd_t pmds[] = {
		{ .reg_num = 1, .reg_value = 11 },
		{ .reg_num = 0, .reg_value = 12 },
		{ .reg_num = 2, .reg_value = 13 },
	};
	pfarg_pmd_t sampled = { .reg_num = 1, .reg_smpl_pmds = { BIT(0) } };
	pfarg_pmd_t reset = { .reg_num = 1, .reg_reset_pmds = { BIT(0) } };
	int events[2], fd;

	need_armv8();
	perf_must_get_all_back();
	pin(0);
	perf_takes(events, 2, true); /* the cycle counter and counter 0 */
	fd = context_using(BIT(3));
	load(fd, thread_id());
	must_be_held(fd, pfm_write_pmds(fd, pmds, 3), 1, 0, "perf");
	ck_assert_uint_eq(read_pmd(fd, 1), 11);
	must_fail(fd, pfm_read_pmds(fd, &pmds[2], 1), EINVAL, PFM_REASON_PMD_UNUSED, 0);
	must_be_held(fd, pfm_write_pmds(fd, &sampled, 1), 0, 0, "perf");
	must_be_held(fd, pfm_write_pmds(fd, &reset, 1), 0, 0, "perf");
	ck_assert_uint_eq(status_of(fd).state, PFM_STATE_LOADED);
	close(events[0]);
	close(events[1]);
	must(fd, pfm_write_pmds(fd, pmds, 3));
	ck_assert_uint_eq(read_pmd(fd, 0), 12);
	ck_assert_uint_eq(read_pmd(fd, 2), 13);
}

static void check_left(void)
{
	const char *const holder = "perf, by leave_to_perf";
	int fd = context_using(ALL_COUNTERS & ~0x80000002ull);

	must_have(fd, ALL_COUNTERS & ~0x80000003ull);
	must_be_held(fd, try_load(fd, thread_id()), PFM_NO_INDEX, 0, holder);
	/* The PMU module reads the parameter each time it claims counters. */
	set_module_parameter("perfmon_armv8", "leave_to_perf", 0x2);
	must_have(fd, ALL_COUNTERS & ~0x2ull);
	load(fd, thread_id());
	must_be_held(fd, pfm_write_pmds(fd, &(pfarg_pmd_t){ .reg_num = 1 }, 1), 0, 1,
		     holder);
	close(fd);
}

TEST(the_parameter_leaves_counters_to_perf)
{
	need_armv8();
	with_pmu("perfmon_armv8", "leave_to_perf=0x80000003", check_left);
}

TEST(a_pmu_that_perf_holds_whole_is_busy)
{
	int events[EVENT_COUNTERS + 1], fd;
	struct pfm_error error;

	need_armv8();
	perf_must_get_all_back();
	pin(0);
	perf_takes(events, EVENT_COUNTERS + 1, false);
	fd = context_using(BIT(2));
	must_have(fd, 0);
	must_fail(fd, try_load(fd, thread_id()), EBUSY, PFM_REASON_PMU_HELD,
		  PFM_NO_INDEX);
	must(fd, pfm_get_error(fd, &error));
	ck_assert_str_eq(error.holder, "perf");
	ck_assert_uint_eq(error.value, 0);
	/* A context that uses no counter can be loaded. */
	load(context_using(0), thread_id());
	close(events[3]);
	must_have(fd, BIT(2)); /* the events use counters 31, 0, 1, 2, ... */
	load(fd, child_new().pid);
}

/* ---- how often counters are claimed --------------------------------------------------------- */

#define LOADS		 1000
#define CALLS_PER_SECOND 10

/* Returns the number of function call interrupts of CPU 1 so far. */
static uint64_t calls_of_cpu_1(void)
{
	const char *text = read_text("/proc/interrupts");
	const char *line = strstr(text, "Function call interrupts");
	uintmax_t first, second;

	ck_assert_msg(line, "/proc/interrupts has no function calls");
	while (line > text && line[-1] != '\n')
		line--;
	ck_assert_int_eq(sscanf(line, "%*s %ju %ju", &first, &second), 2);
	return second;
}

/* Returns how many function call interrupts CPU 1 gets while contexts are loaded and unloaded. */
static uint64_t calls_of_loads(void)
{
	uint64_t before = calls_of_cpu_1();
	int fd, i;

	for (i = 0; i < LOADS; i++) {
		fd = context_using(BIT(1));
		load(fd, thread_id());
		close(fd);
		sched_yield(); /* leave the CPU to the kernel thread that releases the counter */
	}
	return calls_of_cpu_1() - before;
}

/*
 * The module claims the counter when it comes into use, and releases it at most once per second,
 * even if contexts are loaded and unloaded more often. Each claim and each release calls a function
 * on all CPUs. At each load and unload, the kernel itself may call other functions on other CPUs.
 * During a second measurement, another context keeps the counter in use, so this measurement finds
 * only the calls of the kernel itself. On a busy host the loads take many seconds. For each of
 * these seconds, the first measurement may find up to CALLS_PER_SECOND calls more than the other
 * measurement: those of one claim and one release, and those of other work that the kernel does.
 */
TEST(loading_in_a_loop_does_not_interrupt_other_cpus)
{
	struct child child = child_new();
	uint64_t alone, beside, begun, seconds;

	need_armv8();
	need_cpus(2);
	perf_must_get_all_back();
	pin(0);
	begun = monotonic_time();
	alone = calls_of_loads();
	seconds = (monotonic_time() - begun) / (1000 * MS);
	load(context_using(BIT(1)), child.pid);
	beside = calls_of_loads();
	printf("         %ju calls on CPU 1 in %d loads and %ju s; %ju if the counter stays in use\n",
	       (uintmax_t)alone, LOADS, (uintmax_t)seconds, (uintmax_t)beside);
	ck_assert_uint_lt(alone, beside + LOADS / 2 + CALLS_PER_SECOND * seconds);
}

/* ---- pinned events, with the module's default parameters ----------------------------------- */

/* Returns the count of the event that module perfmon_pinned created on @cpu. */
static struct perf_count kernels_event(unsigned int cpu)
{
	const char *line = read_text("/sys/module/perfmon_pinned/parameters/counts");
	struct perf_count count;
	unsigned int found;

	for (; *line; line = strchr(line, '\n') + 1)
		if (sscanf(line, "%u %ju %ju %ju", &found, &count.value, &count.enabled,
			   &count.running) == 4 &&
		    found == cpu)
			return count;
	ck_abort_msg("CPU %u has no pinned event", cpu);
}

static void must_go_on(const char *what, struct perf_count before,
		       struct perf_count after)
{
	ck_assert_msg(after.value > before.value, "%s does not count any more", what);
	ck_assert_msg(after.running - before.running == after.enabled - before.enabled,
		      "%s ran %ju of %ju ns", what,
		      (uintmax_t)(after.running - before.running),
		      (uintmax_t)(after.enabled - before.enabled));
}

/*
 * Must be called on CPU 0. The kernel's event, the caller's event and the child's event must count
 * while the caller and the child work.
 */
static void pinned_must_count(const char *when, const struct child *child,
			      const int *events)
{
	struct perf_count kernel[2], own[2], childs[2];
	int i;

	for (i = 0; i < 2; i++) {
		loop(MILLION);
		child_call(child, work, MILLION);
		usleep(1000); /* the thread's events are scheduled out and in */
		kernel[i] = kernels_event(0);
		own[i] = perf_read(events[0]);
		childs[i] = perf_read(events[1]);
	}
	printf("         %s: %ju cycles in the kernel's event, %ju in the thread's, %ju in "
	       "the child's\n",
	       when, (uintmax_t)(kernel[1].value - kernel[0].value),
	       (uintmax_t)(own[1].value - own[0].value),
	       (uintmax_t)(childs[1].value - childs[0].value));
	must_go_on("the kernel's event", kernel[0], kernel[1]);
	must_go_on("the thread's event", own[0], own[1]);
	must_go_on("the child's event", childs[0], childs[1]);
}

static void open_pinned(const struct child *child, int *events)
{
	const pid_t threads[] = { thread_id(), child->pid };
	int i;

	for (i = 0; i < 2; i++) {
		events[i] = perf_open_pinned(CPU_CYCLES, threads[i]);
		ck_assert_msg(events[i] != -1, "perf_event_open: %s", strerror(errno));
	}
}

/*
 * Loads and starts contexts on the caller and on the child, with all counters that are available.
 */
static void load_all(const struct child *child, int *contexts)
{
	const pid_t threads[] = { thread_id(), child->pid };
	struct pfm_info info;
	int i;

	for (i = 0; i < 2; i++) {
		contexts[i] = make_context();
		must(contexts[i], pfm_get_info(contexts[i], &info));
		ck_assert_uint_ne(info.available_pmds[0], 0);
		close(contexts[i]);
		contexts[i] = context_using(info.available_pmds[0]);
		load(contexts[i], threads[i]);
		must(contexts[i], pfm_start(contexts[i], NULL));
	}
}

static void check_pinned_before(void)
{
	struct child child = child_new();
	int events[2], contexts[2];

	ck_assert_int_eq(module_load("perfmon_pinned", ""), 0);
	child_call(&child, child_pin, 0);
	pin(0);
	open_pinned(&child, events);
	pinned_must_count("without us", &child, events);
	load_all(&child, contexts);
	pinned_must_count("beside us", &child, events);
	close(contexts[0]);
	pinned_must_count("beside one of our contexts", &child, events);
}

static void check_pinned_after(void)
{
	struct child child = child_new();
	int events[2], contexts[2];

	child_call(&child, child_pin, 0);
	pin(0);
	load_all(&child, contexts);
	ck_assert_int_eq(module_load("perfmon_pinned", ""), 0);
	open_pinned(&child, events);
	pinned_must_count("beside us", &child, events);
}

static void check_pinned(void (*check)(void))
{
	need_armv8();
	with_pmu("perfmon_armv8", MODULE_DEFAULTS, check);
}

static void unload_pinned(void)
{
	module_unload("perfmon_pinned");
}

static void pinned_before(void)
{
	then_put_back(check_pinned_before, unload_pinned);
}

static void pinned_after(void)
{
	then_put_back(check_pinned_after, unload_pinned);
}

TEST(pinned_events_keep_counting_when_contexts_are_loaded)
{
	check_pinned(pinned_before);
}

TEST(pinned_events_that_come_later_find_counters)
{
	check_pinned(pinned_after);
}
