// SPDX-License-Identifier: GPL-2.0-only
/*
 * POWER: tests the contents of the hardware's registers. The test module perfmon_spr reads the
 * registers.
 */
#if defined(__powerpc64__)

#include <stdio.h>
#include <stdlib.h>

#include "power.h"
#include "sets.h"

SUITE(power_registers, 60);

/*
 * Registers of the CPU. The test module perfmon_spr has a parameter of the same name for each of
 * them. The last NEW registers of this list exist only from Power ISA 3.1 on.
 */
static const char *const all[] = {
	"mmcr2", "pmc1", "pmc2", "pmc3",  "pmc4",  "pmc5",  "pmc6",
	"siar",	 "sdar", "sier", "mmcr3", "sier2", "sier3",
};
#define NEW 3

static bool has_mmcr3(void)
{
	return pmu()->info.available_pmcs[0] & BIT(PFM_POWER_MMCR3);
}

/* Reads a register of the CPU on which this code runs. */
static uint64_t hardware(const char *name)
{
	return module_parameter("perfmon_spr", name);
}

static void set_hardware(const char *name, uint64_t value)
{
	set_module_parameter("perfmon_spr", name, value);
}

static uint64_t reserved(const char *pmc)
{
	char path[128];

	snprintf(path, sizeof(path), SYSFS "pmu_desc/%s/rsvd_msk", pmc);
	return strtoull(read_text(path), NULL, 0);
}

static void with_registers(void (*check)(void))
{
	need_power();
	pin(0);
	with_module("perfmon_spr", check);
}

static void must_have(uint64_t mmcr1, uint64_t mmcra, uint64_t mmcr2, uint64_t mmcr3)
{
	ck_assert_uint_eq(hardware("mmcr1"), mmcr1);
	ck_assert_uint_eq(hardware("mmcra"), mmcra);
	ck_assert_uint_eq(hardware("mmcr2"), mmcr2);
	if (has_mmcr3())
		ck_assert_uint_eq(hardware("mmcr3"), mmcr3);
}

static void must_be_in_mmcr0(uint64_t set, uint64_t clear)
{
	uint64_t mmcr0 = hardware("mmcr0");

	ck_assert_msg((mmcr0 & set) == set && !(mmcr0 & clear), "MMCR0 is 0x%jx",
		      (uintmax_t)mmcr0);
}

/*
 * The test writes the PMCs of one context, before the start and while the context counts. It writes
 * no PMC of the other context.
 */
static void check_written(void)
{
	const uint64_t frozen = 0x80000000, mmcra = 0x700; /* threshold events */
	const uint64_t mmcr1 = select_event(1, CYCLES_1_TO_4);
	const uint64_t filter = PFM_POWER_MMCR2_FCP(1) | PFM_POWER_MMCR2_FCS(3);
	int fd = make_context(), other = make_context();
	const uint64_t idle = idle_mmcra();

	write_pmd(other, PMC6, 0);
	load(other, thread_id());
	must(other, pfm_start(other, NULL));
	must_have(0, idle, 0, 0);
	must(other, pfm_unload_context(other));

	write_pmc(fd, PFM_POWER_MMCR0, PFM_POWER_MMCR0_FCP);
	write_pmc(fd, PFM_POWER_MMCR1, mmcr1);
	write_pmc(fd, PFM_POWER_MMCRA, mmcra); /* reserved bits keep their defaults */
	write_pmc(fd, PFM_POWER_MMCR2, filter);
	if (has_mmcr3())
		write_pmc(fd, PFM_POWER_MMCR3, 0x12340);
	write_pmd(fd, 1, 0);
	load(fd, thread_id());
	must(fd, pfm_start(fd, NULL));
	must_be_in_mmcr0(PFM_POWER_MMCR0_FCP | PFM_POWER_MMCR0_FC56, frozen);
	must_have(mmcr1, mmcra | idle, filter, 0x12340);
	write_pmc(fd, PFM_POWER_MMCR2, PFM_POWER_MMCR2_FCP(1));
	must_have(mmcr1, mmcra | idle, PFM_POWER_MMCR2_FCP(1), 0x12340);
	if (has_mmcr3())
		write_pmc(fd, PFM_POWER_MMCR3, 0x43210);
	must_have(mmcr1, mmcra | idle, PFM_POWER_MMCR2_FCP(1), 0x43210);
	must(fd, pfm_stop(fd));
	must_be_in_mmcr0(frozen, 0);
	must(fd, pfm_unload_context(fd));

	load(other, thread_id());
	must(other, pfm_start(other, NULL));
	must_have(0, idle, 0, 0);
	must(other, pfm_unload_context(other));
	must_be_in_mmcr0(frozen, 0);

	/* Creating a set again gives its registers their defaults. */
	make_set(fd, 0, 0, 0);
	load(fd, thread_id());
	must(fd, pfm_start(fd, NULL));
	must_have(0, idle, 0, 0);
	must_be_in_mmcr0(0, frozen | PFM_POWER_MMCR0_FCP);
	close(other);
	close(fd);
}

/*
 * The test starts the context before it has written PMC MMCR0. Then it writes MMCR0 while the
 * context counts, and again while the context is stopped. In all three cases, the hardware must
 * exclude the kernel.
 */
static void check_user_level(void)
{
	const uint64_t user = PFM_POWER_MMCR0_FCS | PFM_POWER_MMCR0_FCH;
	int fd = context_at_user_level();

	write_pmd(fd, PMC6, 0);
	load(fd, thread_id());
	must(fd, pfm_start(fd, NULL));
	must_be_in_mmcr0(user, 0);
	write_pmc(fd, PFM_POWER_MMCR0, 0);
	must_be_in_mmcr0(user, 0);
	must(fd, pfm_stop(fd));
	write_pmc(fd, PFM_POWER_MMCR0, PFM_POWER_MMCR0_FCP);
	must(fd, pfm_start(fd, NULL));
	must_be_in_mmcr0(user | PFM_POWER_MMCR0_FCP, 0);
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

static void check_no_counter(void)
{
	int fd = make_context();

	write_pmd(fd, PFM_POWER_TIMEBASE, 0);
	load(fd, thread_id());
	must(fd, pfm_start(fd, NULL));
	/* bit FC must be set, and field PMCC must be 01 */
	must_be_in_mmcr0(0x80000000 | 0x40000, 0x80000);
	close(fd);
}

TEST(a_set_without_counters_is_frozen_and_hidden)
{
	with_registers(check_no_counter);
}

static void check_sampling_set(void)
{
	int fd = make_context();
	uint64_t running, stopped;

	write_pmc(fd, PFM_POWER_MMCR1, select_event(2, CYCLES_1_TO_4));
	write_pmc(fd, PFM_POWER_MMCRA, 0x701);
	write_pmd(fd, 2, 0);
	load(fd, thread_id());
	must(fd, pfm_start(fd, NULL));
	running = hardware("mmcra");
	must(fd, pfm_stop(fd));
	stopped = hardware("mmcra");
	close(fd);
	ck_assert_uint_eq(running & 0x701, 0x701);
	ck_assert_uint_eq(stopped & 1, 0);
}

TEST(a_set_with_sampling_samples_while_it_runs)
{
	with_registers(check_sampling_set);
}

/* After @left cycles, the context switches from set 0 to set 1. Only set 0 samples instructions. */
static void check_sampling_after(uint64_t left)
{
	struct pfarg_setdesc first = { .set_flags = PFM_SETFL_OVFL_SWITCH };
	struct pfarg_setdesc second = { .set_id = 1 };
	struct pfarg_pmc pmcs[] = {
		{ .reg_num = PFM_POWER_MMCR1,
		  .reg_value = select_event(2, CYCLES_1_TO_4) },
		{ .reg_num = PFM_POWER_MMCRA, .reg_value = 0x701 },
		{ .reg_num = PFM_POWER_MMCR1,
		  .reg_value = select_event(2, CYCLES_1_TO_4),
		  .reg_set = 1 },
	};
	struct pfarg_pmd pmds[] = {
		{ .reg_num = 2, .reg_value = -left, .reg_ovfl_switch_cnt = 1 },
		{ .reg_num = 2, .reg_set = 1 },
	};
	int fd = make_context();
	uint64_t mmcra;

	must(fd, pfm_create_evtsets(fd, &first, 1));
	must(fd, pfm_create_evtsets(fd, &second, 1));
	must(fd, pfm_write_pmcs(fd, pmcs, COUNT(pmcs)));
	must(fd, pfm_write_pmds(fd, pmds, COUNT(pmds)));
	load(fd, thread_id());
	must(fd, pfm_start(fd, NULL));
	wait_until(status_of(fd).active_set == 1);
	mmcra = hardware("mmcra");
	close(fd);
	ck_assert_msg(mmcra == idle_mmcra(),
		      "after a set switch at cycle %u, MMCRA is 0x%jx",
		      (unsigned int)left, (uintmax_t)mmcra);
}

/* The overflow that switches sets may come between any two instructions of pfm_start(). */
static void check_sampling(void)
{
	uint64_t left;

	for (left = 1; left <= 40; left++)
		check_sampling_after(left);
}

TEST(a_set_without_sampling_samples_nothing_even_after_an_early_switch)
{
	need_overflow_interrupts();
	with_registers(check_sampling);
}

/*
 * If a counter is not in use, the PMU module clears the MMCR1 field that selects the counter's
 * event. The only exception is the field of PMC4 on POWER9, because with units 6 to 9 this field
 * selects the bank of the cache events. See POWER9 Performance Monitor Unit User's Guide, MMCR1.
 */
static void check_banks(void)
{
	const uint64_t used = select_event(1, CYCLES_1_TO_4),
		       unused = select_event(4, 0x46);
	const bool has_banks = pmu()->info.pmu_id >> 16 == 0x4e;
	int fd = make_context();
	uint64_t unit;

	write_pmd(fd, 1, 0);
	load(fd, thread_id());
	for (unit = 0; unit < 16; unit++) {
		const uint64_t units = unit << PFM_POWER_MMCR1_UNIT_SHIFT(4);
		const bool stays = has_banks && unit >= 6 && unit <= 9;

		write_pmc(fd, PFM_POWER_MMCR1, units | used | unused);
		must(fd, pfm_start(fd, NULL));
		ck_assert_uint_eq(hardware("mmcr1"), units | used | (stays ? unused : 0));
		must(fd, pfm_stop(fd));
	}
	close(fd);
}

TEST(only_the_bank_is_selected_for_an_unused_counter)
{
	with_registers(check_banks);
}

/* Bits @high to @low of a register. */
#define FIELD(high, low) (~0ull << (low) & ~0ull >> (63 - (high)))

/*
 * The test lists all bits that the manuals do not reserve. All other bits must be reserved. The
 * manuals are Power ISA 2.07, 3.0 and 3.1, Book III, on MMCRA, MMCR2 and MMCR3.
 */
TEST(reserved_bits_are_those_of_the_processor)
{
	uint64_t mmcra = FIELD(6, 0) | FIELD(18, 8) | FIELD(43, 42),
		 mmcr2 = FIELD(63, 10);
	unsigned int version;

	need_power();
	version = pmu()->info.pmu_id >> 16;
	if (has_mmcr3()) {
		mmcra |= FIELD(55, 45);
		mmcr2 |= FIELD(7, 3);
		ck_assert_uint_eq(reserved("pmc4"), ~FIELD(63, 4));
	} else {
		mmcra |= version == 0x4e ? FIELD(54, 45) : FIELD(41, 32);
	}
	ck_assert_uint_eq(reserved("pmc2"), ~mmcra);
	ck_assert_uint_eq(reserved("pmc3"), ~mmcr2);
}

static void all_must_be_zero(const char *when, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		ck_assert_msg(hardware(all[i]) == 0, "%s, %s is 0x%jx", when, all[i],
			      (uintmax_t)hardware(all[i]));
}

static void fill(size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		set_hardware(all[i], 0x1110);
}

/*
 * Fills the registers, as if other threads had used them. The load must clear the registers. When
 * the PMU module releases the hardware after the unload, it must clear them again.
 */
static void check_cleared(void)
{
	size_t count = COUNT(all) - (has_mmcr3() ? 0 : NEW);
	int fd = context_using(BIT(PMC6));

	must_get_back(); /* wait until the PMU module has released the hardware */
	fill(count);
	ck_assert_uint_eq(hardware(all[count - 1]), 0x1110);
	load(fd, thread_id());
	all_must_be_zero("while loaded", count);
	fill(count);
	must(fd, pfm_unload_context(fd));
	must_get_back();
	all_must_be_zero("after unload", count);
}

TEST(registers_are_cleared_when_they_change_owner)
{
	with_registers(check_cleared);
}

#endif
