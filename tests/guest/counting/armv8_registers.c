// SPDX-License-Identifier: GPL-2.0-only
/* Armv8: what stands in the hardware's registers, as the test's own module reads it. */
#if defined(__aarch64__)

#include "measure.h"

SUITE(armv8_registers, 60);

#define CYCLES_BIT BIT(PFM_ARMV8_CYCLE_COUNTER)
#define PMCR_E	   BIT(0)

/* Of the CPU on which this runs. */
static uint64_t hardware(const char *name)
{
	return module_parameter("perfmon_sysreg", name);
}

static void with_registers(void (*check)(void))
{
	need_armv8();
	pin(0);
	with_module("perfmon_sysreg", check);
}

/* Counter 1 is not in use, counter 0 and the cycle counter are. */
static void must_count(int fd, uint64_t type, uint64_t filter)
{
	must(fd, pfm_start(fd, NULL));
	ck_assert_uint_eq(hardware("pmcntenset"), BIT(0) | CYCLES_BIT);
	ck_assert_uint_eq(hardware("pmintenset"), BIT(0) | CYCLES_BIT);
	ck_assert_uint_eq(hardware("pmevtyper0"), type);
	ck_assert_uint_eq(hardware("pmccfiltr"), filter);
	ck_assert_uint_eq(hardware("pmuserenr"), 0);
	must(fd, pfm_stop(fd));
	ck_assert_uint_eq(hardware("pmcntenset"), 0);
}

static void check_written(void)
{
	int fd = context_of(0, CPU_CYCLES | USER), other = context_of(1, INSTRUCTIONS);

	use(fd, PFM_ARMV8_CYCLE_COUNTER, KERNEL, 0);
	load(fd, thread_id());
	must_count(fd, CPU_CYCLES | USER, KERNEL);
	write_pmc(fd, 0, INSTRUCTIONS | KERNEL);
	must_count(fd, INSTRUCTIONS | KERNEL, KERNEL);
	must(fd, pfm_unload_context(fd));
	load(other, thread_id());
	must(other, pfm_start(other, NULL));
	ck_assert_uint_eq(hardware("pmcntenset"), BIT(1));
	ck_assert_uint_eq(hardware("pmevtyper1"), INSTRUCTIONS);
	close(other);
	ck_assert_uint_eq(hardware("pmcntenset"), 0);
	close(fd);
}

TEST(the_hardware_has_what_was_written)
{
	with_registers(check_written);
}

/* One that has interrupted may not go on to. */
static void check_interrupts(void)
{
	pfarg_pmc_t narrow = { .reg_num = 0,
			       .reg_flags = PFM_REGFL_NO_EMUL64,
			       .reg_value = CPU_CYCLES | USER };
	int fd = context_of(0, CPU_CYCLES | USER);

	use(fd, 1, INSTRUCTIONS, 0);
	load(fd, thread_id());
	must(fd, pfm_start(fd, NULL));
	ck_assert_uint_eq(hardware("pmintenset"), BIT(0) | BIT(1));
	must(fd, pfm_stop(fd));
	must(fd, pfm_write_pmcs(fd, &narrow, 1));
	must(fd, pfm_start(fd, NULL));
	ck_assert_uint_eq(hardware("pmintenset"), BIT(1));
	close(fd);
}

TEST(only_counters_that_need_it_interrupt)
{
	with_registers(check_interrupts);
}

/* Without any event perf has all counters off, and so do we when we are gone. */
static void check_cleared(void)
{
	int fd;

	ck_assert_uint_eq(hardware("pmcr") & PMCR_E, 0);
	fd = context_of(0, INSTRUCTIONS);
	ck_assert_uint_eq(hardware("pmcr") & PMCR_E, PMCR_E);
	load(fd, thread_id());
	must(fd, pfm_start(fd, NULL));
	loop(1000);
	close(fd);
	ck_assert_uint_eq(hardware("pmcr") & PMCR_E, 0);
	ck_assert_uint_eq(hardware("pmcntenset"), 0);
	ck_assert_uint_eq(hardware("pmintenset"), 0);
	ck_assert_uint_eq(hardware("pmovsset"), 0);
}

TEST(nothing_counts_any_more_when_the_last_context_goes)
{
	with_registers(check_cleared);
}

#endif
