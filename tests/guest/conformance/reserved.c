// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests writes of all kinds of values to PMCs. The kernel must correct a wrong value, or refuse it.
 * Afterwards the counters must count as before.
 */
#include <stdio.h>

#include "conformance.h"

SUITE(reserved, CONFORMANCE_SECONDS);

/* Returns the test value with index @i: a single bit, or a pattern such as all ones. */
static uint64_t strange_value(unsigned int i)
{
	static const uint64_t values[] = {
		~0ull,	    0x5555555555555555, 0xaaaaaaaaaaaaaaaa,
		0xffffffff, 0xffffffff00000000, 0
	};

	return i < 64 ? BIT(i) : values[i - 64];
}

#define STRANGE_VALUES 70

/* Writes @value to PMC @n. Returns true if the value was accepted. */
static bool try_pmc(int fd, unsigned int n, uint64_t value)
{
	pfarg_pmc_t pmc = { .reg_num = n, .reg_value = value };
	struct pfm_error error;

	if (!pfm_write_pmcs(fd, &pmc, 1))
		return true;
	must(fd, pfm_get_error(fd, &error));
	ck_assert_msg(error.error == EINVAL && error.reason == PFM_REASON_PMC_VALUE &&
			      error.index == 0,
		      "PMC %u, 0x%jx: errno %d, reason %u, index %u", n, (uintmax_t)value,
		      error.error, error.reason, error.index);
	return false;
}

/* Lets all counters count at the same time, and checks their counts. */
static void must_all_count(int fd, unsigned int pmc, uint64_t value)
{
	const struct counter *counter;
	static char what[64];
	struct done done;

	snprintf(what, sizeof(what), "after 0x%jx in PMC %u", (uintmax_t)value, pmc);
	done = run(fd, 5 * MILLION);
	subject = "";
	for_each_counter(counter) {
		must_count(counter, what, read_pmd(fd, counter->pmd), &done);
		write_pmd(fd, counter->pmd, 0);
	}
}

/*
 * A refused value must change nothing. After an accepted value, the test writes the PMC's default,
 * and then again the values with which the counters count. Then the accepted value must have no
 * effect any more.
 */
TEST(strange_values_are_masked_or_refused)
{
	int fd = context_with(ALL_COUNTERS, 0);
	unsigned int n, i;

	load(fd, thread_id());
	for (n = 0; n < PFM_MAX_HARDWARE; n++) {
		if (!has(information()->available_pmcs, n))
			continue;
		for (i = 0; i < STRANGE_VALUES; i++) {
			if (try_pmc(fd, n, strange_value(i))) {
				run(fd, 1000);
				write_pmc(fd, n, register_number("pmc", n, "dfl_val"));
				program(fd, ALL_COUNTERS, 0);
			}
			if (i % 8 == 7 || i >= 64)
				must_all_count(fd, n, strange_value(i));
		}
	}
	ck_assert_uint_eq(status_of(fd).state, PFM_STATE_LOADED);
	close(fd);
}

/* While a PMC has a strange value, counts are arbitrary, but they never decrease. */
TEST(the_kernel_survives_any_value_while_counting)
{
	int fd = context_on(thread_id(), ALL_COUNTERS, 0);
	const struct counter *counter;
	uint64_t last[64], now;
	unsigned int n, i;

	for (i = 0; i < counter_count(); i++)
		last[i] = read_pmd(fd, counter_at(i)->pmd);
	for (n = 0; n < PFM_MAX_HARDWARE; n++) {
		if (!has(information()->available_pmcs, n))
			continue;
		for (i = 0; i < STRANGE_VALUES; i++) {
			try_pmc(fd, n, strange_value(i));
			loop(10000);
			for_each_counter(counter) {
				now = read_pmd(fd, counter->pmd);
				ck_assert_msg(now >= last[counter_i],
					      "0x%jx in PMC %u: PMD %u is 0x%jx, but "
					      "was 0x%jx",
					      (uintmax_t)strange_value(i), n,
					      counter->pmd, (uintmax_t)now,
					      (uintmax_t)last[counter_i]);
				last[counter_i] = now;
			}
		}
		write_pmc(fd, n, register_number("pmc", n, "dfl_val"));
	}
	program(fd, ALL_COUNTERS, 0);
	must(fd, pfm_stop(fd));
	ck_assert_uint_eq(status_of(fd).state, PFM_STATE_LOADED);
	program(fd, ALL_COUNTERS, 0);
	must_all_count(fd, n, 0);
	close(fd);
}

TEST(reserved_bits_have_no_effect)
{
	const struct counter *counter;
	int fd = make_context();
	struct done done;
	unsigned int i;

	for_each_counter(counter) {
		must(fd, pfm_unload_context(fd));
		program(fd, set_of_counter(counter), 0);
		for (i = 0; i < counter->setting_count; i++) {
			const struct setting *setting = &counter->settings[i];

			write_pmc(fd, setting->pmc,
				  setting->value ^ register_number("pmc", setting->pmc,
								   "rsvd_msk"));
		}
		load(fd, thread_id());
		done = run(fd, 200 * MILLION);
		must_count(counter, "with reserved bits", read_pmd(fd, counter->pmd),
			   &done);
	}
	close(fd);
}
