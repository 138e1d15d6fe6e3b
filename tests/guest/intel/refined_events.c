// SPDX-License-Identifier: GPL-2.0-only
/*
 * Intel: tests registers that refine what an event counts. The emulated PMU has these registers of
 * Skylake, but they have no effect on its counts. So the tests check the values of the registers.
 */
#include <errno.h>
#include <perfmon/perfmon_intel.h>

#include "measure.h"
#include "x86_registers.h"

SUITE(refined_events, 60);

#define OFFCORE_RSP_0 0x1a6
#define OFFCORE_RSP_1 0x1a7
#define PEBS_LATENCY  0x3f6
#define PEBS_FRONTEND 0x3f7

#define DATA_READS    0x10001 /* any response */
#define CODE_READS    0x10004
#define LATE_FETCH    0x400406 /* IDQ bubbles of 4 cycles */
#define DSB_MISS      0x11
#define RESERVED      0x1000

static void need_registers(void)
{
	if (!(pmu()->info.implemented_pmcs[0] & BIT(PFM_INTEL_OFFCORE_0)))
		skip("this model has no registers that refine events");
}

static int refined_context(uint64_t offcore)
{
	int fd = context_of(0, instructions(AT_USER));

	if (offcore)
		write_pmc(fd, PFM_INTEL_OFFCORE_0, offcore);
	return fd;
}

static void must_have(int fd, uint64_t offcore)
{
	load(fd, thread_id());
	must(fd, pfm_start(fd, NULL));
	ck_assert_uint_eq(msr_read(OFFCORE_RSP_0), offcore);
	must(fd, pfm_stop(fd));
	must(fd, pfm_unload_context(fd));
}

/*
 * If a set has no value for OFFCORE_RSP_0, this register must be 0 while the set counts. It must
 * not keep the value of another context.
 */
static void check_sets(void)
{
	int first, second, without;

	need_registers();
	first = refined_context(DATA_READS);
	second = refined_context(CODE_READS);
	without = refined_context(0);
	must_have(first, DATA_READS);
	must_have(second, CODE_READS);
	must_have(without, 0);
	must_have(first, DATA_READS);
	close(without);
	close(second);
	close(first);
	/*
	 * The core releases the hardware within a second. After that, the registers must be 0
	 * again, because perf had left them at 0.
	 */
	wait_until(msr_read(OFFCORE_RSP_0) == 0);
}

TEST(each_set_counts_with_its_own_value)
{
	with_own_counters(check_sets);
}

static void check_all(void)
{
	int fd;

	need_registers();
	fd = refined_context(DATA_READS);
	write_pmc(fd, PFM_INTEL_OFFCORE_1, CODE_READS);
	write_pmc(fd, PFM_INTEL_FRONTEND, LATE_FETCH);
	load(fd, thread_id());
	must(fd, pfm_start(fd, NULL));
	ck_assert_uint_eq(msr_read(OFFCORE_RSP_0), DATA_READS);
	ck_assert_uint_eq(msr_read(OFFCORE_RSP_1), CODE_READS);
	ck_assert_uint_eq(msr_read(PEBS_FRONTEND), LATE_FETCH);
	close(fd);
}

TEST(each_register_has_a_pmc)
{
	with_own_counters(check_all);
}

static const struct {
	uint32_t msr;
	unsigned int pmc;
	uint64_t value;
} used[] = {
	{ OFFCORE_RSP_0, PFM_INTEL_OFFCORE_0, DATA_READS },
	{ OFFCORE_RSP_1, PFM_INTEL_OFFCORE_1, DATA_READS },
	{ PEBS_LATENCY, PFM_INTEL_LOAD_LATENCY, 0xff },
	{ PEBS_FRONTEND, PFM_INTEL_FRONTEND, DSB_MISS },
};

static void must_be_found(void)
{
	struct pfm_info info;
	int fd = pfm_open_device();
	size_t i;

	must(fd, pfm_get_info(fd, &info));
	for (i = 0; i < COUNT(used); i++) {
		ck_assert_msg(info.implemented_pmcs[0] & BIT(used[i].pmc),
			      "PMC %u is missing", used[i].pmc);
		ck_assert_uint_eq(msr_read(used[i].msr), used[i].value);
	}
	close(fd);
}

static void check_used(void)
{
	size_t i;

	need_registers();
	ck_assert_int_eq(module_unload("perfmon_intel"), 0);
	for (i = 0; i < COUNT(used); i++)
		msr_write(used[i].msr, used[i].value);
	ck_assert_int_eq(module_load("perfmon_intel", ""), 0);
	must_be_found();
	for (i = 0; i < COUNT(used); i++)
		msr_write(used[i].msr, 0);
}

/*
 * The module writes to a register to find out whether it exists. perf may be using this register,
 * so the module must restore the register's value.
 */
TEST(the_module_finds_registers_that_are_in_use_and_leaves_their_values)
{
	with_test_registers(check_used);
}

static void check_lazy(void)
{
	int fd, i;

	need_registers();
	fd = refined_context(DATA_READS);
	load(fd, thread_id());
	must(fd, pfm_start(fd, NULL));
	must(fd, pfm_stop(fd));
	accesses_reset();
	for (i = 0; i < 10; i++) {
		must(fd, pfm_start(fd, NULL));
		must(fd, pfm_stop(fd));
	}
	ck_assert_uint_eq(accesses(ACCESS_OTHER), 0);
	close(fd);
}

TEST(a_value_that_the_cpu_has_is_not_written_again)
{
	with_own_counters(check_lazy);
}

/* A write of a reserved bit to OFFCORE_RSP_0 faults, so the module must refuse the value. */
static void check_reserved(void)
{
	pfarg_pmc_t pmc = { .reg_num = PFM_INTEL_OFFCORE_0,
			    .reg_value = DATA_READS | RESERVED };
	int fd;

	need_registers();
	ck_assert_int_eq(msr_try_write(OFFCORE_RSP_0, DATA_READS | RESERVED), EIO);
	fd = refined_context(CODE_READS);
	must_fail(fd, pfm_write_pmcs(fd, &pmc, 1), EINVAL, PFM_REASON_PMC_VALUE, 0);
	must_have(fd, CODE_READS);
	close(fd);
}

TEST(a_value_with_a_reserved_bit_is_refused)
{
	with_own_counters(check_reserved);
}

static void check_shared(void)
{
	pfarg_pmc_t pmc = { .reg_num = PFM_INTEL_OFFCORE_0, .reg_value = DATA_READS };
	int fd = make_context();

	must_fail(fd, pfm_write_pmcs(fd, &pmc, 1), EINVAL, PFM_REASON_NO_PMC, 0);
	close(fd);
}

/*
 * With shared ownership perf may write the registers that refine events, so the module does not
 * offer PMCs for them.
 */
TEST(shared_counters_have_no_such_registers)
{
	if (strcmp(pmu_module(), "perfmon_intel"))
		skip("not an Intel PMU");
	with_pmu("perfmon_intel", "ownership=shared", check_shared);
}
