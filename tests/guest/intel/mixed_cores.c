// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests a hybrid processor, in guest intel-mixed: CPU 0 is an Atom, CPU 1 is a Core and has more
 * counters. The tests compare the results with the values that CPUID reports on each CPU.
 */
#include <cpuid.h>
#include <errno.h>
#include <perfmon/perfmon_intel.h>
#include <stdio.h>

#include "samples.h"

SUITE(mixed_cores, 120);

#define LEAF_FEATURES	   0x07
#define LEAF_COUNTERS	   0x0a
#define LEAF_CORE	   0x1a
#define HYBRID		   BIT(15) /* in EDX of LEAF_FEATURES */
#define CORE_TYPE(eax)	   ((eax) >> 24) /* of LEAF_CORE */
#define ATOM		   0x20
#define CORE		   0x40
#define USER_CODE(code)	   ((code) | PFM_INTEL_PMC_USER)
#define UOPS_ISSUED	   0x010e /* not an architectural event; only some models have it */
#define CACHE_MISSES	   0x412e /* an architectural event that some CPUs do not have */
#define EVENT_CACHE_MISSES (1u << 4) /* in EBX of LEAF_COUNTERS: set if it is missing */

#define TURNS		   100
#define TURN		   100000
#define AROUND		   1000 /* maximum number of instructions outside of the loop in each turn */

static void need_mixed(void)
{
	if (strcmp(pmu_module(), "perfmon_intel") ||
	    strcmp(read_text("/sys/module/perfmon_intel/parameters/cores"),
		   "several kinds\n"))
		skip("all CPUs are equal");
}

struct leaf {
	unsigned int eax, ebx, ecx, edx;
};

static struct leaf cpuid_on(unsigned int cpu, unsigned int number)
{
	struct leaf leaf;

	pin(cpu);
	__cpuid_count(number, 0, leaf.eax, leaf.ebx, leaf.ecx, leaf.edx);
	return leaf;
}

static struct leaf leaf_of(unsigned int cpu)
{
	return cpuid_on(cpu, LEAF_COUNTERS);
}

static uint64_t general_of(unsigned int cpu)
{
	return BIT(leaf_of(cpu).eax >> 8 & 0xff) - 1;
}

TEST(the_cpus_differ)
{
	need_mixed();
	ck_assert_uint_ne(general_of(0), general_of(1));
	ck_assert_uint_ne(leaf_of(0).eax & 0xff, leaf_of(1).eax & 0xff);
}

TEST(the_processor_says_that_it_is_hybrid)
{
	need_mixed();
	ck_assert(cpuid_on(0, LEAF_FEATURES).edx & HYBRID);
	ck_assert(cpuid_on(1, LEAF_FEATURES).edx & HYBRID);
	ck_assert_uint_eq(CORE_TYPE(cpuid_on(0, LEAF_CORE).eax), ATOM);
	ck_assert_uint_eq(CORE_TYPE(cpuid_on(1, LEAF_CORE).eax), CORE);
}

TEST(pfmon_info_tells_that_there_are_several_kinds)
{
	char line[256];
	bool found = false;
	FILE *info;

	need_mixed();
	info = popen("pfmon info", "r");
	ck_assert(info);
	while (fgets(line, sizeof(line), info))
		found |= !strncmp(line, "cores", 5) && strstr(line, "several kinds");
	ck_assert_int_eq(pclose(info), 0);
	ck_assert(found);
}

static void check_counters(void)
{
	const uint64_t *pmcs = pmu()->info.implemented_pmcs;

	ck_assert_uint_eq(pmu()->info.counter_pmds[0] & 0xffff,
			  general_of(0) & general_of(1));
	ck_assert(!(pmcs[0] & BIT(PFM_INTEL_PEBS)));
	ck_assert(!(pmcs[0] & BIT(PFM_INTEL_LBR_CONTROL)));
}

/* The available counters do not depend on the CPU that loads the module. */
TEST(there_are_the_counters_that_all_cpus_have)
{
	unsigned int cpu;

	need_mixed();
	for (cpu = 0; cpu < 2; cpu++) {
		pin(cpu);
		with_pmu("perfmon_intel", "", check_counters);
	}
}

static void move_and_loop(void)
{
	unsigned int i;

	for (i = 0; i < TURNS; i++) {
		pin(i % 2);
		loop(TURN);
	}
}

/* All counters count at the same time while the thread moves between the two kinds of CPU. */
TEST(a_thread_that_moves_between_the_kinds_is_counted_exactly)
{
	unsigned int numbers[MOST_COUNTERS], count, i;
	uint64_t values[MOST_COUNTERS];
	int fd;

	need_mixed();
	need_known_instructions();
	fd = make_context();
	count = use_all_counters(fd, numbers);
	ck_assert_uint_ge(count, 7);
	load(fd, thread_id());
	must(fd, pfm_start(fd, NULL));
	move_and_loop();
	must(fd, pfm_stop(fd));
	read_pmds(fd, numbers, values, (int)count);
	for (i = 0; i < count; i++)
		must_be_between(values[i], TURNS * TURN, TURNS * (TURN + AROUND));
	close(fd);
}

TEST(each_kind_takes_its_samples)
{
	const uint64_t period = 10000;
	header_t samples;
	int fd;

	need_mixed();
	need_known_instructions();
	fd = default_context(0, MIB);
	write_pmc(fd, 0, instructions(AT_USER));
	write_one(fd, (struct pfarg_pmd){ .reg_num = 0,
					  .reg_value = -period,
					  .reg_long_reset = -period,
					  .reg_short_reset = -period,
					  .reg_flags = NOTIFY });
	samples = map_buffer(fd, MIB);
	load_and_start(fd, thread_id());
	move_and_loop();
	must(fd, pfm_stop(fd));
	must_be_between(samples->hdr_count, TURNS * TURN / period,
			TURNS * (TURN + AROUND) / period);
	close(fd);
}

static void must_refuse(uint64_t select)
{
	pfarg_pmc_t pmc = { .reg_num = 0, .reg_value = select };
	int fd = make_context();

	must_fail(fd, pfm_write_pmcs(fd, &pmc, 1), EINVAL, PFM_REASON_PMC_VALUE, 0);
	close(fd);
}

static void must_accept(uint64_t select)
{
	close(context_of(0, select));
}

/* The same code may mean another event on the other kind of CPU. */
TEST(events_of_one_kind_are_refused)
{
	need_mixed();
	must_refuse(USER_CODE(UOPS_ISSUED));
	must_accept(instructions(AT_USER));
	must_accept(cycles(AT_BOTH));
}

TEST(architectural_events_that_a_kind_does_not_have_are_refused)
{
	need_mixed();
	ck_assert_uint_ne((leaf_of(0).ebx | leaf_of(1).ebx) & EVENT_CACHE_MISSES, 0);
	must_refuse(USER_CODE(CACHE_MISSES));
}

/* Shared ownership is refused, because a perf event holds a counter only on one kind of CPU. */
TEST(the_counters_cannot_be_shared_with_perf)
{
	need_mixed();
	ck_assert_int_eq(module_unload("perfmon_intel"), 0);
	ck_assert_int_eq(module_load("perfmon_intel", "ownership=shared"), EINVAL);
	ck_assert_int_eq(module_load("perfmon_intel", ""), 0);
}

/* The module refuses to load, because it cannot examine the CPU that is offline. */
static void check_refused(void)
{
	cpu_online(1, false);
	ck_assert_int_eq(module_load("perfmon_intel", ""), ENODEV);
}

static void check_with_all_cpus_back(void)
{
	with_all_cpus_back(check_refused);
}

TEST(the_module_is_refused_while_a_cpu_is_offline)
{
	need_mixed();
	with_pmu("perfmon_soft", "", check_with_all_cpus_back);
}
