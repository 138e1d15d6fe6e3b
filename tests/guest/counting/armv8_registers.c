// SPDX-License-Identifier: GPL-2.0-only
/*
 * Armv8: tests the contents of the hardware's registers. The test module perfmon_sysreg reads the
 * registers.
 */
#if defined(__aarch64__)

#include <fcntl.h>
#include <stdio.h>

#include "measure.h"

SUITE(armv8_registers, 60);

#define CYCLES_BIT BIT(PFM_ARMV8_CYCLE_COUNTER)
#define PMCR_E	   BIT(0)

/* Reads a register of the CPU on which this code runs. */
static uint64_t hardware(const char *name)
{
	return module_parameter("perfmon_sysreg", name);
}

static void (*check_registers)(void);

/*
 * perfmon may still hold counters that an earlier test used. When the PMU module releases its last
 * counter, it disables all counters and their interrupts, as perf does.
 */
static void check_released_registers(void)
{
	wait_until(!(hardware("pmcr") & PMCR_E));
	check_registers();
}

static void with_registers(void (*check)(void))
{
	need_armv8();
	pin(0);
	check_registers = check;
	with_module("perfmon_sysreg", check_released_registers);
}

/*
 * Starts @fd and checks the registers. The context uses counter 0 and the cycle counter, but not
 * counter 1.
 */
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

/*
 * If a context may count only at user level, the hardware must exclude the kernel, whether a PMC
 * was written or not.
 */
static void check_user_level(void)
{
	int fd = context_at_user_level();

	write_pmc(fd, 0, CPU_CYCLES | PFM_ARMV8_PMC_INCLUDE_HYP);
	write_pmd(fd, 0, 0);
	write_pmd(fd, PFM_ARMV8_CYCLE_COUNTER, 0);
	load(fd, thread_id());
	must_count(fd, CPU_CYCLES | USER, USER);
	write_pmc(fd, 0, INSTRUCTIONS | KERNEL);
	write_pmc(fd, PFM_ARMV8_CYCLE_COUNTER, KERNEL);
	must_count(fd, INSTRUCTIONS | KERNEL | USER, KERNEL | USER);
	close(fd);
}

TEST(at_user_level_the_hardware_excludes_the_kernel)
{
	with_registers(check_user_level);
}

TEST(the_hardware_has_what_was_written)
{
	with_registers(check_written);
}

/*
 * Overflow interrupts may be enabled only for counters that need them. When the PMC of counter 0
 * has PFM_REGFL_NO_EMUL64, counter 0 needs no interrupt.
 */
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

/*
 * perf disables all counters when it has no event. The PMU module does the same when it releases
 * its last counter.
 */
static void check_cleared(void)
{
	int fd = context_of(0, INSTRUCTIONS);

	ck_assert_uint_eq(hardware("pmcr") & PMCR_E, 0);
	load(fd, thread_id());
	ck_assert_uint_eq(hardware("pmcr") & PMCR_E, PMCR_E);
	must(fd, pfm_start(fd, NULL));
	loop(1000);
	close(fd);
	wait_until(!(hardware("pmcr") & PMCR_E));
	ck_assert_uint_eq(hardware("pmcntenset"), 0);
	ck_assert_uint_eq(hardware("pmintenset"), 0);
	ck_assert_uint_eq(hardware("pmovsset"), 0);
}

TEST(no_counter_runs_when_no_context_is_loaded)
{
	with_registers(check_cleared);
}

/* ---- CPUs that lose their power -------------------------------------------------------------- */

#define MILLION 1000000ull
#define WRAP	(1ull << 32)

/*
 * Opens the file of a parameter of the module cpu_power. The tests call this function before
 * counting begins, so that open() is not counted.
 */
static int power_switch(const char *name)
{
	char path[64];
	int file;

	snprintf(path, sizeof(path), "/sys/module/cpu_power/parameters/%s", name);
	file = open(path, O_WRONLY | O_CLOEXEC);
	ck_assert_msg(file != -1, "%s: %s", path, strerror(errno));
	return file;
}

/*
 * Executes a loop, writes @text to @file, and executes another loop. Returns how many instructions
 * PMD 0 counted. The write must fail with @error, or succeed if @error is 0.
 */
static uint64_t count_around(int fd, int file, const char *text, int error)
{
	const unsigned int numbers[] = { 0, PFM_ARMV8_CYCLE_COUNTER };
	uint64_t before[2], after[2];
	ssize_t written;

	read_pmds(fd, numbers, before, 2);
	must(fd, pfm_start(fd, NULL));
	loop(MILLION);
	written = write(file, text, 1);
	error = written == 1 ? error : error - errno;
	loop(MILLION);
	must(fd, pfm_stop(fd));
	ck_assert_int_eq(error, 0);
	read_pmds(fd, numbers, after, 2);
	/* In QEMU a cycle takes 1 ns, and so does an instruction. */
	must_be_near(after[1] - before[1], after[0] - before[0], MILLION / 10);
	return after[0] - before[0];
}

static void check_power_of_user(void)
{
	int fd = context_of(0, INSTRUCTIONS | USER), lose = power_switch("lose"),
	    refuse = power_switch("refuses");
	uint64_t counted;

	use(fd, PFM_ARMV8_CYCLE_COUNTER, USER, 0);
	load(fd, thread_id());
	counted = count_around(fd, refuse, "0", 0);
	ck_assert_uint_gt(counted, 2 * MILLION);
	ck_assert_uint_eq(count_around(fd, lose, "0", 0), counted);
	/* In the C library, a write() that fails takes more instructions than one that succeeds. */
	counted = count_around(fd, lose, "?", EINVAL);
	write_text("/sys/module/cpu_power/parameters/refuses", "1");
	ck_assert_uint_eq(count_around(fd, lose, "0", EPERM), counted);
	close(refuse);
	close(lose);
	close(fd);
}

static void with_power_changes(void (*check)(void))
{
	need_armv8();
	if (!is_deterministic())
		skip("QEMU counts instructions only with --icount");
	pin(0);
	with_module("cpu_power", check);
}

TEST(no_instruction_is_lost_when_the_cpu_loses_power)
{
	with_power_changes(check_power_of_user);
}

/* The counter wraps while interrupts are disabled. Then the CPU loses its power. */
static void check_wrap_of_kernel(void)
{
	const uint64_t preload = WRAP - MILLION;
	const unsigned int numbers[] = { 0, 1 };
	int fd = context_of(0, INSTRUCTIONS), lose = power_switch("lose");
	uint64_t values[2];

	write_pmd(fd, 0, preload);
	use(fd, 1, INSTRUCTIONS, 0);
	load(fd, thread_id());
	must(fd, pfm_start(fd, NULL));
	ck_assert_int_eq(write(lose, "1", 1), 1);
	must(fd, pfm_stop(fd));
	read_pmds(fd, numbers, values, 2);
	ck_assert_uint_gt(values[0], WRAP);
	/* Some instructions are executed between the reads of the two registers. */
	must_be_near(values[0] - preload, values[1], 100);
	close(lose);
	close(fd);
}

TEST(no_overflow_is_lost_when_the_cpu_loses_power)
{
	with_power_changes(check_wrap_of_kernel);
}

/*
 * Writes @value to a counter's PMC in event set @set, before the start and again while this counter
 * counts. The counter must never count events in the kernel.
 */
static void must_exclude_the_kernel(int fd, unsigned int set, uint64_t value)
{
	pfarg_pmc_t pmc = { .reg_num = pmu()->pmcs[1],
			    .reg_set = set,
			    .reg_value = pmu()->busy[1] | value };
	pfarg_pmd_t pmd = { .reg_num = pmu()->pmds[1], .reg_set = set };
	pfarg_start_t start = { .start_set = set };

	must(fd, pfm_write_pmcs(fd, &pmc, 1));
	must(fd, pfm_write_pmds(fd, &pmd, 1));
	must(fd, pfm_start(fd, &start));
	touch_pages(100);
	must(fd, pfm_write_pmcs(fd, &pmc, 1));
	touch_pages(100);
	must(fd, pfm_stop(fd));
	must(fd, pfm_read_pmds(fd, &pmd, 1));
	ck_assert_msg((pmd.reg_value == 0) == !!(value & PFM_ARMV8_PMC_EXCLUDE_USER),
		      "set %u, PMC value 0x%jx: the count is %ju", set, (uintmax_t)value,
		      (uintmax_t)pmd.reg_value);
}

TEST(no_value_of_a_pmc_counts_the_kernel_at_user_level)
{
	static const uint64_t values[] = {
		0,
		PFM_ARMV8_PMC_INCLUDE_HYP,
		PFM_ARMV8_PMC_EXCLUDE_USER,
		PFM_ARMV8_PMC_EXCLUDE_USER | PFM_ARMV8_PMC_INCLUDE_HYP,
	};
	struct pfarg_setdesc later = { .set_id = 7 };
	size_t i;
	int fd;

	need_armv8();
	fd = context_at_user_level();
	must(fd, pfm_create_evtsets(fd, &later, 1));
	load(fd, thread_id());
	for (i = 0; i < COUNT(values); i++) {
		must_exclude_the_kernel(fd, 0, values[i]);
		must_exclude_the_kernel(fd, 7, values[i]);
	}
}

#endif
