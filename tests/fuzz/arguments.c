/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Chooses the arguments of an ioctl. Each argument is invalid with a small probability, so most
 * calls have at most one invalid argument. A second one would test nothing, because a call reports
 * only the first error that it finds.
 */
#include <fcntl.h>
#include <limits.h>

#include <perfmon/perfmon_intel.h>
#include <perfmon/perfmon_power.h>

#include "builder.h"

struct operation *add(struct builder *builder, enum call call, unsigned int slot)
{
	static struct operation dropped;
	struct operation *operation = &dropped;

	if (builder->count < builder->limit)
		operation = &builder->operations[builder->count++];
	*operation = (struct operation){ .call = call, .slot = slot };
	return operation;
}

unsigned int any_slot(struct builder *builder)
{
	if (percent(builder, 50))
		return below(builder, SHARED_SLOTS);
	return SHARED_SLOTS + below(builder, PRIVATE_SLOTS);
}

#define X86_COUNTERS(builder) ((builder)->pmu == PMU_INTEL ? 8 : 6)

/* Returns the number of a general counter or of its PMC. On Intel, also returns other registers. */
static uint16_t x86_number(struct builder *builder, bool pmd)
{
	static const uint16_t pmcs[] = { PFM_INTEL_FIXED, PFM_INTEL_FIXED, PFM_INTEL_PEBS,
					 PFM_INTEL_LBR_CONTROL };

	if (builder->pmu == PMU_AMD || percent(builder, 70))
		return below(builder, X86_COUNTERS(builder));
	return pmd ? PFM_INTEL_FIXED + below(builder, 3) : ONE_OF(builder, pmcs);
}

static uint16_t register_number(struct builder *builder, bool pmd)
{
	static const uint16_t edges[] = { 6,   7,   8,	 30,  32,  63,	 64,
					  255, 262, 319, 320, 321, 65535 };

	if (percent(builder, 6))
		return ONE_OF(builder, edges);
	if (pmd && percent(builder, 35))
		return PFM_VIRTUAL_PMD_BASE + below(builder, 6);
	switch (builder->pmu) {
	case PMU_ARMV8:
		return percent(builder, 15) ? 31 : below(builder, 6);
	case PMU_POWER:
		return below(builder, pmd ? PFM_POWER_PMDS : PFM_POWER_PMCS);
	case PMU_INTEL:
	case PMU_AMD:
		return x86_number(builder, pmd);
	default:
		return below(builder, 8);
	}
}

/* Returns the number of a counter that PMC @pmc drives. */
static uint16_t driven_counter(struct builder *builder, unsigned int pmc)
{
	if (builder->pmu == PMU_POWER)
		return PFM_POWER_PMC1 + below(builder, 6);
	if (builder->pmu == PMU_INTEL && pmc == PFM_INTEL_FIXED)
		return PFM_INTEL_FIXED + below(builder, 3);
	return pmc;
}

/*
 * Returns the number of a counter, for element @n of WRITE_PMDS. A counter overflows only if its
 * PMC selects an event. So this is in most cases a counter whose PMC was written last.
 */
static uint16_t counter_number(struct builder *builder, unsigned int n)
{
	if (percent(builder, 80))
		return driven_counter(builder, builder->pmcs[n]);
	switch (builder->pmu) {
	case PMU_POWER:
		return PFM_POWER_PMC1 + below(builder, 6);
	case PMU_INTEL:
	case PMU_AMD:
		return x86_number(builder, true);
	default:
		return below(builder, builder->pmu == PMU_ARMV8 ? 6 : 8);
	}
}

/* Returns a value for any PMC of POWER: freeze bits or events. */
static uint64_t power_value(struct builder *builder)
{
	static const uint64_t values[] = {
		0,
		PFM_POWER_MMCR0_FCS,
		PFM_POWER_MMCR0_FCP,
		PFM_POWER_MMCR0_FC56,
		PFM_POWER_MMCR0_FC14 | PFM_POWER_MMCR0_FCH,
		PFM_POWER_MMCR2_FCS(1) | PFM_POWER_MMCR2_FCP(5),
		0x1eull << PFM_POWER_MMCR1_SELECT_SHIFT(1),
		0x02ull << PFM_POWER_MMCR1_SELECT_SHIFT(2),
		0x1eull << PFM_POWER_MMCR1_SELECT_SHIFT(1) |
			0xf2ull << PFM_POWER_MMCR1_SELECT_SHIFT(2) |
			0xf4ull << PFM_POWER_MMCR1_SELECT_SHIFT(4),
	};

	return ONE_OF(builder, values);
}

static uint64_t armv8_value(struct builder *builder)
{
	static const uint64_t filters[] = { 0,		0,	    1ull << 31,
					    1ull << 30, 3ull << 30, 1ull << 27 };
	/* Of the first 64 events, QEMU counts only a few. One of them is the event cycles, 0x11. */
	unsigned int event = percent(builder, 60) ? 0x11 : below(builder, 0x40);

	return event | ONE_OF(builder, filters);
}

/*
 * Returns an event of a general counter: cycles, instructions or branches, of Intel or of AMD. In
 * most cases the counter counts at one privilege level at least.
 */
static uint64_t x86_event(struct builder *builder)
{
	static const uint64_t events[] = { 0x3c, 0x76, 0xc0, 0xc0, 0xc2, 0xc4 };
	static const uint64_t others[] = { PFM_INTEL_PMC_EDGE, PFM_INTEL_PMC_INVERT,
					   PFM_INTEL_PMC_CMASK };
	uint64_t value = ONE_OF(builder, events);

	if (percent(builder, 80))
		value |= PFM_INTEL_PMC_USER;
	if (percent(builder, 50))
		value |= PFM_INTEL_PMC_KERNEL;
	return percent(builder, 90) ? value : value | ONE_OF(builder, others);
}

static uint64_t intel_value(struct builder *builder, unsigned int pmc)
{
	switch (pmc) {
	case PFM_INTEL_FIXED:
		return random_next(&builder->random) & 0x333;
	case PFM_INTEL_PEBS:
		return 1ull << below(builder, 8);
	case PFM_INTEL_LBR_CONTROL:
		return percent(builder, 50) ? PFM_INTEL_LBR_USER | PFM_INTEL_LBR_ALL
					    : PFM_INTEL_LBR_CALLERS;
	default:
		return x86_event(builder);
	}
}

static uint64_t pmc_value(struct builder *builder, unsigned int pmc)
{
	if (percent(builder, 5))
		return random_next(&builder->random);
	switch (builder->pmu) {
	case PMU_ARMV8:
		return armv8_value(builder);
	case PMU_POWER:
		return power_value(builder);
	case PMU_INTEL:
		return intel_value(builder, pmc);
	case PMU_AMD:
		return x86_event(builder);
	default:
		return below(builder, 7);
	}
}

static uint64_t pmd_value(struct builder *builder)
{
	static const uint64_t edges[] = {
		1, 0xffff, 0xffffffff, 0x7fffffffffffffff, 0xffffffffffffffff,
	};

	if (percent(builder, 60))
		return 0;
	/* The PMD will overflow soon. */
	if (percent(builder, 30))
		return -(uint64_t)below(builder, 1000000);
	if (percent(builder, 50))
		return ONE_OF(builder, edges);
	return random_next(&builder->random);
}

/*
 * Returns a sampling period. The shortest periods cause more overflows than any machine can handle.
 * The longest periods cost little.
 */
static uint64_t period(struct builder *builder)
{
	static const uint32_t longest[] = { 2, 10, 100, 10000, 100000, 1000000 };

	return 1 + below(builder, ONE_OF(builder, longest));
}

/* Returns a value for element.map: some PMDs of the PMU, or sometimes random bits. */
static uint64_t some_pmds(struct builder *builder)
{
	uint64_t map = random_next(&builder->random);

	if (percent(builder, 4))
		return map;
	switch (builder->pmu) {
	case PMU_ARMV8:
	case PMU_AMD:
		return map & 0x3f3f003f003full;
	case PMU_INTEL: /* bits 48 and 49: last branch record 16 */
		return map & 0x33f3f00ff00ffull;
	case PMU_POWER:
		return map & 0x3f3f007f007eull;
	default:
		return map & 0x3f3f00ff00ffull;
	}
}

static void fill_sampling(struct builder *builder, struct element *e, unsigned int n)
{
	if (percent(builder, 90))
		e->number = counter_number(builder, n);
	e->value = -period(builder);
	e->reset = percent(builder, 80) ? e->value : -period(builder);
	e->flags = (percent(builder, 80) ? PFM_REGFL_OVFL_NOTIFY : 0) |
		   (percent(builder, 20) ? PFM_REGFL_RANDOM : 0);
	e->map = percent(builder, 40) ? some_pmds(builder) : 0;
}

static uint16_t set_number(struct builder *builder)
{
	static const uint16_t edges[] = { 1, 2, 7, 65535 };

	if (builder->sets && percent(builder, 95))
		return below(builder, SETS);
	return percent(builder, 96) ? 0 : ONE_OF(builder, edges);
}

/*
 * Makes @e a counter whose overflows cause a switch to the next set. In most cases the switch comes
 * after one to three overflows.
 */
static void fill_trigger(struct builder *builder, struct element *e, unsigned int n)
{
	if (percent(builder, 90))
		e->number = counter_number(builder, n);
	e->value = e->reset = -period(builder);
	e->flags &= ~PFM_REGFL_OVFL_NOTIFY;
	if (percent(builder, 20))
		e->flags |= PFM_REGFL_OVFL_NOTIFY;
	e->map &= ~(0xffull << SWITCH_COUNT_SHIFT);
	e->map |= (uint64_t)below(builder, 4) << SWITCH_COUNT_SHIFT;
}

/* Chooses the flags and the timeout of a set. The kernel accepts them in most cases. */
static void fill_set(struct builder *builder, struct element *e)
{
	static const uint64_t timeouts[] = { 100000, 100000, 150001, 1000000, 5000000 };
	static const uint64_t edges[] = { 0, 1, 99999, 3600000000000, 1ull << 63, ~0ull };

	if (percent(builder, builder->sets ? 5 : 90))
		e->flags = percent(builder, 20) ? below(builder, 5) : 0;
	else
		e->flags = below(builder, 3);
	if (e->flags == PFM_SETFL_TIME_SWITCH || percent(builder, 10))
		e->value = percent(builder, 85) ? ONE_OF(builder, timeouts)
						: ONE_OF(builder, edges);
}

enum place bad_place(struct builder *builder)
{
	static const uint8_t places[] = { AT_END,   OVER_END, READ_ONLY, UNMAPPED,
					  UNMAPPED, NOWHERE,  KERNEL };

	return ONE_OF(builder, places);
}

/*
 * Returns an element count that is chosen at random. With most of the possible counts, the size of
 * the vector is near a limit: a page, a value of arg_mem_max, or the largest int. The kernel can
 * handle each of these counts without using up the guest's memory.
 */
static int bad_count(struct builder *builder, enum call call)
{
	int size = element_size(call);
	const int counts[] = {
		-1,
		INT_MIN,
		INT_MAX,
		INT_MAX / size,
		4096 / size,
		4096 / size + 1,
		65536 / size,
		65536 / size + 1,
		INT_MAX / size - 1,
		INT_MAX / size - 1,
		1048576 / size + 1,
		600,
	};

	return ONE_OF(builder, counts);
}

static void fill_element(struct builder *builder, struct operation *operation,
			 unsigned int n)
{
	struct element *e = &operation->element[n];

	e->set = set_number(builder);
	switch (operation->call) {
	case WRITE_PMCS:
		e->number = register_number(builder, false);
		e->value = pmc_value(builder, e->number);
		builder->pmcs[n] = e->number;
		if (percent(builder, 5))
			e->flags = percent(builder, 60) ? PFM_REGFL_NO_EMUL64
							: 1u << below(builder, 32);
		break;
	case WRITE_PMDS:
		e->number = register_number(builder, true);
		e->value = pmd_value(builder);
		e->reset = percent(builder, 20) ? pmd_value(builder) : 0;
		if (percent(builder, 4))
			e->flags = 1u << below(builder, percent(builder, 70) ? 2 : 32);
		if (percent(builder, 2))
			e->map = random_next(&builder->random);
		if (builder->samples || percent(builder, 5))
			fill_sampling(builder, e, n);
		if (builder->sets && percent(builder, 60))
			fill_trigger(builder, e, n);
		builder->numbers[n] = e->number;
		break;
	case READ_PMDS:
	case READ_VALUES:
	case READ_THREAD:
		e->number = percent(builder, 85) ? builder->numbers[n]
						 : register_number(builder, true);
		e->flags = percent(builder, 5) ? ~0u : 0;
		break;
	case CREATE_EVTSETS:
		fill_set(builder, e);
		break;
	}
}

static void fill_vector(struct builder *builder, struct operation *operation)
{
	unsigned int n;

	operation->elements = 1 + below(builder, ELEMENTS);
	operation->count = operation->elements;
	for (n = 0; n < operation->elements; n++)
		fill_element(builder, operation, n);
	if (operation->call == DELETE_EVTSETS && percent(builder, 60))
		operation->element[0].set = 1 + below(builder, 3);
	if (percent(builder, 2))
		operation->count = 0;
	if (percent(builder, 8))
		operation->count = bad_count(builder, operation->call);
	if (percent(builder, 6))
		operation->place = bad_place(builder);
	if (percent(builder, 3))
		operation->outer = bad_place(builder);
	if (percent(builder, 1))
		operation->size = 1;
	else if (percent(builder, 4))
		operation->size =
			element_size(operation->call) + below(builder, LONGER + 1);
	operation->tail = percent(builder, 20);
	if (operation->call == READ_THREAD)
		operation->flags = percent(builder, 95) ? below(builder, 2) : ~0u;
}

void fill_who(struct builder *builder, struct operation *operation)
{
	static const uint8_t usual[] = { SELF,	 SELF,		SELF,	SELF,
					 SELF,	 SELF,		TARGET, TARGET,
					 TARGET, TARGET_THREAD, WORKER, CHILD,
					 CHILD,	 DEAD,		INIT,	KERNEL_THREAD,
					 NUMBER };
	static const uint32_t numbers[] = { 0, ~0u, INT_MAX, 1u << 31, 4194304, 12345 };

	operation->who = ONE_OF(builder, usual);
	if (operation->who == TARGET)
		operation->value = below(builder, TARGETS);
	else if (operation->who == TARGET_THREAD)
		operation->value = below(builder, TARGETS * TARGET_THREADS);
	else if (operation->who == WORKER)
		operation->value = below(builder, WORKERS);
	else if (operation->who == NUMBER)
		operation->value = ONE_OF(builder, numbers);
}

/* Sets the fields flags (PFM_STATISTICS_*) and value (the number of a CPU) of @operation. */
static void fill_statistics(struct builder *builder, struct operation *operation)
{
	static const uint32_t numbers[] = { 0, 0, 1, 1, 2, 4096, INT_MAX, ~0u };

	operation->flags = percent(builder, 5) ? below(builder, 8) : below(builder, 2);
	if (operation->flags || percent(builder, 5))
		operation->value = ONE_OF(builder, numbers);
}

/* Requests a sampling format. In most cases the format exists, and its buffer has some pages. */
static void fill_format(struct builder *builder, struct operation *operation)
{
	static const uint8_t usual[] = { 1, 1, 1, 1, 2, 3, 4 };
	static const uint64_t sizes[] = { 4096, 4096, 65536, 65536, 3000, 5000, 1 << 20 };
	static const uint64_t edges[] = { 0, 1, 128, 255, 1ull << 40, ~0ull, ~4095ull };
	struct element *e = &operation->element[0];

	operation->elements = 1;
	e->number = percent(builder, 97) ? ONE_OF(builder, usual) : below(builder, 10);
	e->value = percent(builder, 90) ? ONE_OF(builder, sizes) : ONE_OF(builder, edges);
	e->flags = percent(builder, 4) ? below(builder, 5) : 0;
	e->set = percent(builder, 3);
	if (percent(builder, 4))
		operation->outer = bad_place(builder);
}

static void fill_create(struct builder *builder, struct operation *operation)
{
	static const uint32_t flags[] = {
		PFM_FL_NOTIFY_BLOCK,
		PFM_FL_SYSTEM_WIDE,
		PFM_FL_MAP_SETS,
		PFM_FL_OVFL_NO_MSG,
		PFM_FL_NOTIFY_BLOCK | PFM_FL_SYSTEM_WIDE,
		PFM_FL_INHERIT_THREADS,
		PFM_FL_INHERIT_ALL,
		PFM_FL_INHERIT_ALL | PFM_FL_INHERIT_THREADS,
		PFM_FL_INHERIT_ALL | PFM_FL_NOTIFY_BLOCK,
		PFM_FL_INHERIT_ALL | PFM_FL_KEEP_COUNTS,
		PFM_FL_KEEP_COUNTS,
		0x4,
		0x10000,
		~0u,
	};

	if (percent(builder, 20))
		operation->flags = ONE_OF(builder, flags);
	/*
	 * While a system-wide context uses the PMU, no context can be loaded on a thread. So
	 * system-wide contexts are rare, except in rounds with THEME_PROCESSORS.
	 */
	if (builder->theme == THEME_PROCESSORS && percent(builder, 30))
		operation->flags = PFM_FL_SYSTEM_WIDE;
	else if (operation->flags == PFM_FL_SYSTEM_WIDE && percent(builder, 90))
		operation->flags = 0;
	if (percent(builder, 2))
		operation->size = 1 + below(builder, NAME_LONG);
	else if (builder->theme == THEME_PROCESSORS && percent(builder, 20))
		operation->size = percent(builder, 50) ? NAME_SOFT : NAME_AMD_IBS;
	if (percent(builder, builder->samples ? 95 : 20))
		fill_format(builder, operation);
}

/* Returns the number of the allocation that must fail, counted from 1, or FAIL_ALL. */
unsigned int which_allocation(struct builder *builder)
{
	if (percent(builder, 25))
		return FAIL_ALL;
	return 1 + below(builder, percent(builder, 70) ? 3 : 12);
}

static void fill_ioctl(struct builder *builder, struct operation *operation)
{
	switch (operation->call) {
	case CREATE_CONTEXT:
		fill_create(builder, operation);
		break;
	case LOAD:
		fill_who(builder, operation);
		operation->count = set_number(builder);
		break;
	case START:
		operation->place = percent(builder, 70) ? NOWHERE : GOOD;
		operation->count = set_number(builder);
		break;
	case RESTART_CPU:
		operation->count = percent(builder, 95) ? below(builder, 3) : ~0u;
		break;
	case WRITE_PMCS:
	case WRITE_PMDS:
	case READ_PMDS:
	case READ_VALUES:
	case READ_THREAD:
	case CREATE_EVTSETS:
	case GETINFO_EVTSETS:
	case DELETE_EVTSETS:
		fill_vector(builder, operation);
		break;
	case STATISTICS:
		fill_statistics(builder, operation);
		break;
	case INFO:
	case LAST_ERROR:
	case STATUS:
		if (percent(builder, 12))
			operation->place = bad_place(builder);
		break;
	}
	if (percent(builder, 4))
		operation->place = bad_place(builder);
	if (percent(builder, operation->call == CREATE_CONTEXT ? 12 : 4))
		operation->fail = which_allocation(builder);
	if ((has_reserved_fields(operation->call) || operation->call == STATISTICS) &&
	    percent(builder, 4)) {
		operation->more = 1 + below(builder, LONGER);
		operation->tail = percent(builder, 20);
	}
	/*
	 * A call fails if its reserved fields are not zero. So operation->dirty, which makes them
	 * nonzero, is rarely set for calls that have such fields.
	 */
	operation->dirty =
		percent(builder, has_reserved_fields(operation->call) ? 3 : 30);
}

struct operation *add_filled(struct builder *builder, enum call call, unsigned int slot)
{
	struct operation *operation = add(builder, call, slot);

	if (call < OPEN)
		fill_ioctl(builder, operation);
	else if (call < OPEN_OTHER)
		fill_file_call(builder, operation);
	else
		fill_environment(builder, operation);
	return operation;
}
