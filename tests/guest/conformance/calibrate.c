// SPDX-License-Identifier: GPL-2.0-only
/*
 * Determines the rate of each counter from a reference value that does not come from the module.
 * The reference value is the number of instructions in a loop, or comes from the kernel's clocks,
 * from perf_event or from a counter that programs can read. A counter without a reference value is
 * compared with itself: it must have the same rate in loops that execute different numbers of
 * instructions.
 */
#include <stdio.h>
#include <sys/syscall.h>

#include "conformance.h"

#define TRIES 20

static double spread(double a, double b)
{
	return a > b ? a / b : b / a;
}

/* ---- reference values -------------------------------------------------------------- */

/*
 * Reads the monotonic clock and the time counter several times. Stores in *@time and *@ticks the
 * values of the attempt that took the least time.
 */
static void read_together(uint64_t *time, uint64_t *ticks)
{
	uint64_t least = UINT64_MAX, begun, read, taken;
	int i;

	for (i = 0; i < TRIES; i++) {
		begun = monotonic_time();
		read = time_counter();
		taken = monotonic_time() - begun;
		if (taken >= least)
			continue;
		least = taken;
		*time = begun + taken / 2;
		*ticks = read;
	}
}

static double ticks_per_ns(void)
{
	uint64_t times[2] = {}, ticks[2] = {};

	read_together(&times[0], &ticks[0]);
	loop(100 * MILLION);
	read_together(&times[1], &ticks[1]);
	return (double)(ticks[1] - ticks[0]) / (times[1] - times[0]);
}

/* Returns the cycles per ns that perf counts, or 0 if perf cannot count cycles in this guest. */
static double cycles_per_ns(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED |
			       PERF_FORMAT_TOTAL_TIME_RUNNING,
		.disabled = 1,
	};
	struct perf_count count;
	int fd;

	if (is_deterministic())
		return 1; /* under --icount a cycle takes 1 ns */
	fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd == -1)
		return 0;
	perf_enable(fd);
	loop(200 * MILLION);
	perf_disable(fd);
	count = perf_read(fd);
	close(fd);
	return count.running ? (double)count.value / count.running : 0;
}

/* Returns the counts per ns or per instruction, or 0 if the rate is not known. */
static double true_rate(const struct counter *counter)
{
	switch (counter->truth) {
	case TRUTH_INSTRUCTIONS:
	case TRUTH_NS:
		return 1;
	case TRUTH_TICKS:
		return ticks_per_ns();
	case TRUTH_CYCLES:
		return cycles_per_ns();
	default:
		return 0;
	}
}

/* ---- rates with loops and with other work ------------------------------------------------- */

#define LENGTHS 3

struct rates {
	double by_time[LENGTHS];
	double by_work[LENGTHS];
	double faults;
};

/* Returns the counts per ns during page faults, which take much CPU time for few instructions. */
static double rate_of_faults(int fd, const struct counter *counter)
{
	uint64_t time = 0, before = read_pmd(fd, counter->pmd), part;

	must(fd, pfm_start(fd, NULL));
	while (time < 60 * MS) {
		part = cpu_time();
		touch_pages(100);
		time += cpu_time() - part;
	}
	must(fd, pfm_stop(fd));
	return (double)(read_pmd(fd, counter->pmd) - before) / time;
}

static struct rates measure_rates(const struct counter *counter)
{
	static const unsigned int lengths[LENGTHS] = { 40, 160, 80 };
	int fd = context_with(set_of_counter(counter), 0);
	struct rates rates;
	struct done done;
	uint64_t before;
	size_t i;

	load(fd, thread_id());
	for (i = 0; i < LENGTHS; i++) {
		before = read_pmd(fd, counter->pmd);
		done = run(fd, lengths[i] * MILLION);
		before = read_pmd(fd, counter->pmd) - before;
		ck_assert_msg(before > 0, "PMD %u does not count", counter->pmd);
		rates.by_time[i] = (double)before / (done.least ?: 1);
		rates.by_work[i] = (double)before / done.instructions;
	}
	rates.faults = rate_of_faults(fd, counter);
	close(fd);
	return rates;
}

static bool are_near(const double *rates, double wanted, double most)
{
	size_t i;

	for (i = 0; i < LENGTHS; i++)
		if (spread(rates[i], wanted) > most)
			return false;
	return true;
}

/*
 * Returns the factor by which rates may differ. Under --icount, a measured rate differs from a
 * known rate only because of the kernel's own work. In a debug kernel this work adds 4 % to the
 * instruction count of the shortest loop, and 2 % to the counts of longer loops.
 */
static double most_spread(double truth)
{
	if (!is_deterministic() || !truth)
		return 1.1;
	return is_debug_kernel() ? 1.1 : 1.005;
}

/*
 * Sets @counter->rate and @counter->follows_work. Returns true if @counter has the same rate in all
 * loops of measure_rates(). A counter of cycles or time has the same rate per ns for all kinds of
 * work. A counter of instructions has no constant rate per ns, but every iteration of a loop adds
 * the same number to the counter.
 */
static bool try_to_calibrate(struct counter *counter, double truth)
{
	const struct rates rates = measure_rates(counter);
	const double *found;

	counter->follows_work = truth ? counter->truth == TRUTH_INSTRUCTIONS
				      : spread(rates.faults, rates.by_time[1]) > 1.2;
	found = counter->follows_work ? rates.by_work : rates.by_time;
	counter->rate = truth ?: found[1];
	return are_near(found, counter->rate, most_spread(truth));
}

/*
 * Measures again if @counter has different rates in the loops, because a busy host may disturb a
 * measurement.
 */
void calibrate(struct counter *counter)
{
	double truth = true_rate(counter);
	unsigned int tries;

	if (!truth)
		counter->truth = TRUTH_UNKNOWN;
	for (tries = 0; tries < TRIES; tries++) {
		if (try_to_calibrate(counter, truth))
			return;
		if (truth)
			truth = true_rate(counter);
	}
	ck_abort_msg(
		"PMD %u: loops of 40, 160 and 80 million instructions do not all have "
		"%g counts per %s",
		counter->pmd, counter->rate,
		counter->follows_work ? "instruction" : "ns");
}
