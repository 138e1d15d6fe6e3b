// SPDX-License-Identifier: GPL-2.0-only
#include <err.h>
#include <stdlib.h>

#include "measure.h"
#include "ruler.h"

#define WARM_UP	       100
#define KNOWN_ROUNDS   10000
#define KNOWN_ACCURACY 0.001

/*
 * Largest distance, in instructions, between two successive readings of the ruler (ruler.h) by a
 * thread that is not interrupted between them.
 */
#define UNDISTURBED    64

static double instructions_per_tick;
static double own_cost;

static void nothing(void *argument)
{
	(void)argument;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Sorts @ticks. Returns the median, in instructions. */
static double median_of(uint64_t *ticks, int count)
{
	qsort(ticks, count, sizeof(*ticks), compare);
	return (ticks[(count - 1) / 2] + ticks[count / 2]) / 2.0 * instructions_per_tick;
}

/* Sorts @ticks. Returns the tenth percentile, in instructions. */
static double tenth_of(uint64_t *ticks, int count)
{
	qsort(ticks, count, sizeof(*ticks), compare);
	return ticks[count / 10] * instructions_per_tick;
}

static uint64_t time_step(step_fn step, void *argument)
{
	uint64_t before = ruler_now();

	step(argument);
	return ruler_now() - before;
}

void measure_pair(step_fn first, step_fn second, void *argument, double *first_cost,
		  double *second_cost)
{
	static uint64_t first_ticks[REPETITIONS], second_ticks[REPETITIONS];
	int i;

	for (i = -WARM_UP; i < REPETITIONS; i++) {
		/*
		 * The warm-up (i < 0) writes to slot 0. The first measurement (i = 0) overwrites
		 * that slot.
		 */
		first_ticks[i < 0 ? 0 : i] = time_step(first, argument);
		second_ticks[i < 0 ? 0 : i] = time_step(second, argument);
	}
	*first_cost = median_of(first_ticks, REPETITIONS) - own_cost;
	*second_cost = median_of(second_ticks, REPETITIONS) - own_cost;
}

double measure(step_fn step, void *argument)
{
	double cost, unused;

	measure_pair(step, nothing, argument, &cost, &unused);
	return cost;
}

double measure_short_path(step_fn step, void *argument)
{
	static uint64_t ticks[REPETITIONS];
	int i;

	for (i = -WARM_UP; i < REPETITIONS; i++)
		ticks[i < 0 ? 0 : i] = time_step(step, argument);
	return tenth_of(ticks, REPETITIONS) - own_cost;
}

struct interruptions measure_interruptions(int count)
{
	static uint64_t gaps[REPETITIONS], stretches[REPETITIONS];
	uint64_t last = ruler_now(), begun = last, step = UNDISTURBED, now;
	int found = 0;

	while (found < count) {
		now = ruler_now();
		if ((now - last) * instructions_per_tick > UNDISTURBED) {
			gaps[found] = now - last;
			stretches[found++] = last - begun;
			begun = now;
		} else if (now - last < step) {
			step = now - last;
		}
		last = now;
	}
	/*
	 * Besides the interruption, each gap contains one iteration of the loop above. The thread
	 * itself executes this iteration, so .between must include the iteration's instructions.
	 */
	return (struct interruptions){
		.cost = median_of(gaps, count),
		.between = median_of(stretches, count) + step * instructions_per_tick,
	};
}

static void known_work(void *argument)
{
	*(uint64_t *)argument = ruler_known_work(KNOWN_ROUNDS);
}

static void check_ruler(void)
{
	uint64_t expected;
	double measured = measure(known_work, &expected);

	if (fabs(measured - expected) > expected * KNOWN_ACCURACY)
		errx(2,
		     "the clock counted %.0f instead of %.0f instructions: use a guest with --icount",
		     measured, (double)expected);
}

void measure_init(void)
{
	instructions_per_tick = 1e9 / ruler_frequency();
	own_cost = measure(nothing, NULL);
	check_ruler();
}
