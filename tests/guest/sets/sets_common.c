// SPDX-License-Identifier: GPL-2.0-only
#include <time.h>

#include "sets.h"

/* ---- one set ------------------------------------------------------------------------- */

int try_set(int fd, unsigned int id, uint32_t flags, uint64_t timeout)
{
	struct pfarg_setdesc set = { .set_id = id,
				     .set_flags = flags,
				     .set_timeout = timeout };

	return pfm_create_evtsets(fd, &set, 1);
}

uint64_t effective(uint64_t timeout)
{
	struct timespec resolution;

	ck_assert_int_eq(clock_getres(CLOCK_MONOTONIC, &resolution), 0);
	return (timeout + resolution.tv_nsec - 1) / resolution.tv_nsec *
	       resolution.tv_nsec;
}

int try_delete(int fd, unsigned int id)
{
	struct pfarg_setdesc set = { .set_id = id };

	return pfm_delete_evtsets(fd, &set, 1);
}

int try_load_set(int fd, pid_t tid, unsigned int id)
{
	struct pfarg_load load = { .load_pid = tid, .load_set = id };

	return pfm_load_context(fd, &load);
}

int try_start_set(int fd, unsigned int id)
{
	struct pfarg_start start = { .start_set = id };

	return pfm_start(fd, &start);
}

void make_set(int fd, unsigned int id, uint32_t flags, uint64_t timeout)
{
	must(fd, try_set(fd, id, flags, timeout));
}

void delete_set(int fd, unsigned int id)
{
	must(fd, try_delete(fd, id));
}

void load_set(int fd, pid_t tid, unsigned int id)
{
	must(fd, try_load_set(fd, tid, id));
}

void start_set(int fd, unsigned int id)
{
	must(fd, try_start_set(fd, id));
}

unsigned int active_set(int fd)
{
	return status_of(fd).active_set;
}

uint64_t runs_of(int fd, unsigned int id)
{
	return set_of(fd, id).set_runs;
}

void must_have_no_set(int fd, unsigned int id)
{
	struct pfarg_setinfo info = { .set_id = id };

	must_fail(fd, pfm_getinfo_evtsets(fd, &info, 1), EINVAL, PFM_REASON_NO_SET, 0);
}

/* ---- registers of a set ---------------------------------------------------------------- */

void write_pmc_of(int fd, unsigned int id, unsigned int pmc, uint64_t value)
{
	struct pfarg_pmc element = { .reg_num = pmc, .reg_set = id, .reg_value = value };

	must(fd, pfm_write_pmcs(fd, &element, 1));
}

void write_pmd_of(int fd, unsigned int id, unsigned int pmd, uint64_t value)
{
	write_one(fd, (struct pfarg_pmd){
			      .reg_num = pmd, .reg_set = id, .reg_value = value });
}

struct pfarg_pmd read_back_of(int fd, unsigned int id, unsigned int pmd)
{
	struct pfarg_pmd element = { .reg_num = pmd, .reg_set = id };

	must(fd, pfm_read_pmds(fd, &element, 1));
	return element;
}

uint64_t read_pmd_of(int fd, unsigned int id, unsigned int pmd)
{
	return read_back_of(fd, id, pmd).reg_value;
}

void use_of(int fd, unsigned int id, unsigned int n, uint64_t pmc, uint64_t value)
{
	write_pmc_of(fd, id, n, pmc);
	write_pmd_of(fd, id, n, value);
}

void program_busy_of(int fd, unsigned int id, unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++)
		write_pmc_of(fd, id, pmu()->pmcs[i], pmu()->busy[i]);
}

void program_exact_of(int fd, unsigned int id, unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++)
		write_pmc_of(fd, id, pmu()->pmcs[i], exact_event(i));
}

void use_busy_counters_of(int fd, unsigned int id)
{
	program_busy_of(fd, id, 1);
	write_pmd_of(fd, id, pmu()->pmds[0], 0);
	write_pmd_of(fd, id, PFM_PMD_TASK_CLOCK, 0);
	write_pmd_of(fd, id, PFM_PMD_MINOR_FAULTS, 0);
}

/* ---- sets that take turns --------------------------------------------------------------- */

void make_turns(int fd, unsigned int count, uint64_t timeout)
{
	unsigned int id;

	for (id = 0; id < count; id++) {
		make_set(fd, id, BY_TIME, timeout);
		use_busy_counters_of(fd, id);
	}
}

static bool is_used(int fd, unsigned int id, unsigned int pmd)
{
	struct pfarg_pmd element = { .reg_num = pmd, .reg_set = id };

	return pfm_read_pmds(fd, &element, 1) == 0;
}

struct turns fair_turns(int fd, const unsigned int *ids, unsigned int count)
{
	const uint64_t first = runs_of(fd, ids[0]);
	struct turns turns = {};
	uint64_t before = first;
	unsigned int i;

	for (i = 0; i < count; i++) {
		struct pfarg_setinfo set = set_of(fd, ids[i]);

		ck_assert_msg(
			set.set_runs <= before && set.set_runs + 1 >= first,
			"set %u has run %ju times, the previous one %ju, the first one %ju",
			ids[i], (uintmax_t)set.set_runs, (uintmax_t)before,
			(uintmax_t)first);
		before = set.set_runs;
		turns.runs += set.set_runs;
		turns.duration += set.set_act_duration;
		if (!is_used(fd, ids[i], PFM_PMD_TASK_CLOCK))
			continue;
		turns.faults += read_pmd_of(fd, ids[i], PFM_PMD_MINOR_FAULTS);
		turns.clock += read_pmd_of(fd, ids[i], PFM_PMD_TASK_CLOCK);
	}
	return turns;
}

struct turns fair_turns_of(int fd, unsigned int count)
{
	unsigned int ids[64], i;

	ck_assert_uint_le(count, COUNT(ids));
	for (i = 0; i < count; i++)
		ids[i] = i;
	return fair_turns(fd, ids, count);
}

/*
 * Without --icount, a switch may be up to 50 ms late, because the host may pause the guest when the
 * timer is due. Each switch may come 1 % too early, because the clock of the timers and the clock
 * of the durations may have slightly different rates.
 */
void switches_must_fit(uint64_t switches, uint64_t duration, uint64_t timeout)
{
	const uint64_t late = is_deterministic() ? timeout / 20 : 50 * MS;
	uint64_t least;

	timeout = effective(timeout);
	least = duration / (timeout + late);
	must_be_between(switches, least ? least - 1 : 0,
			duration / (timeout - timeout / 100 - EARLY) + 1);
}

struct watch watch_begin(int fd, pid_t pid)
{
	struct watch watch = {
		.pid = pid,
		.outer = cpu_time_of(pid),
		.switches = switches(pid),
	};

	must(fd, pfm_start(fd, NULL));
	watch.inner = cpu_time_of(pid);
	return watch;
}

void watch_end(int fd, struct watch *watch)
{
	watch->inner = cpu_time_of(watch->pid) - watch->inner;
	must(fd, pfm_stop(fd));
	watch->outer = cpu_time_of(watch->pid) - watch->outer;
	watch->switches = switches(watch->pid) - watch->switches;
}

void must_be_watched(const struct turns *turns, const struct watch *watch)
{
	must_be_cpu_time("the durations", turns->duration,
			 less_switches(watch->inner, watch->switches), watch->outer);
	ck_assert_uint_eq(turns->clock, turns->duration);
}

/*
 * For child_call(): works until page->stop is set. page->number is odd while the test moves the
 * thread, and changes with each move. Returns the CPU time in ns of all work without a move. The
 * CPU time of a move may be too long: if a thread moves to an idle CPU, the kernel adds the time
 * that this CPU takes to wake up (see rq_clock_skip_update() in kernel/sched). That can be long if
 * the host is too busy to run the guest's CPU.
 */
static uint64_t work_between_moves(uint64_t unused)
{
	struct child_page *page = child_own_page();
	uint64_t sum = 0, moves, time;

	(void)unused;
	while (!page->stop) {
		moves = page->number;
		time = cpu_time();
		loop(MILLION / 10);
		time = cpu_time() - time;
		if (moves % 2 == 0 && page->number == moves)
			sum += time;
	}
	return sum;
}

uint64_t work_on_two_cpus(const struct child *child)
{
	unsigned int i;

	child->page->stop = 0;
	child->page->number = 0;
	child_begin(child, work_between_moves, 0);
	for (i = 0; i < 300; i++) {
		child->page->number++;
		pin_thread(child->pid, i % 2);
		child->page->number++;
		usleep(2000);
	}
	child->page->stop = 1;
	return child_finish(child);
}

void set_zero_must_be_right(int fd)
{
	must(fd, pfm_unload_context(fd));
	make_set(fd, 0, 0, 0);
	end_sampling(fd);
	count_must_be_right(fd);
}
