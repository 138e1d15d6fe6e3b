// SPDX-License-Identifier: GPL-2.0-only
/* Writing PMCs and PMDs; the thread may be running on any CPU. */
#include <linux/atomic.h>
#include <linux/nospec.h>
#include <linux/random.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "base/error.h"
#include "claims/claim.h"
#include "counting/cpu.h"
#include "counting/remote.h"
#include "counting/switch.h"
#include "counting/virtual.h"
#include "registry/pmu.h"
#include "copies.h"
#include "flags.h"
#include "registers.h"

/* Number of elements that are handled at a time, with interrupts off. */
#define CHUNK 32

struct chunk {
	union {
		struct pfarg_pmc *pmcs;
		struct pfarg_pmd *pmds;
	};
	u32 first;
	u32 end;
	bool refused; /* the context has living copies: see pfm_copies_refuse() */
};

static int call_in_chunks(struct pfm_context *context, pfm_context_fn function,
			  void *elements, u32 count)
{
	struct chunk chunk = { .pmcs = elements };
	int error;

	for (; chunk.first < count; chunk.first = chunk.end) {
		chunk.end = min(chunk.first + CHUNK, count);
		pfm_context_call(context, function, &chunk);
		if (unlikely(chunk.refused)) {
			error = pfm_copies_refuse(context);
			context->error.index = chunk.first;
			return error;
		}
		cond_resched();
	}
	return 0;
}

static bool test_register(const u64 *map, unsigned int n)
{
	return map[n / 64] & BIT_ULL(n % 64);
}

static void set_register(u64 *map, unsigned int n)
{
	map[n / 64] |= BIT_ULL(n % 64);
}

static int invalid(struct pfm_context *context, u32 index, enum pfm_reason reason,
		   u64 value)
{
	return pfm_fail_at(context, index, -EINVAL, reason, value);
}

static u64 new_pmc_stamp(void)
{
	static atomic64_t stamp;

	return atomic64_inc_return(&stamp);
}

/*
 * Update the fields that depend on the values of PMCs, on the PMDs in use and on set->narrow
 * (PFM_REGFL_NO_EMUL64).
 */
static void configuration_changed(const struct pfm_pmu *pmu, struct pfm_set *set)
{
	struct pfm_registers *registers = &set->registers;

	registers->interrupting = registers->counters & ~set->narrow;
	set->pmc_stamp = new_pmc_stamp();
	if (pmu->operations->configure)
		pmu->operations->configure(registers);
}

static u64 at_user_level(const struct pfm_register *pmc, u64 value)
{
	return (value & ~pmc->user_clear) | pmc->user_set;
}

/* Return: the value that the PMC gets in this context when the user writes @value. */
static u64 pmc_value(const struct pfm_context *context, const struct pfm_register *pmc,
		     u64 value)
{
	value = (value & ~pmc->reserved) | (pmc->default_value & pmc->reserved);
	return context->user_level ? at_user_level(pmc, value) : value;
}

void pfm_registers_default(struct pfm_context *context, struct pfm_set *set)
{
	const struct pfm_pmu *pmu = context->pmu;
	u64 *pmcs = set->registers.pmcs;
	unsigned int n;

	memcpy(pmcs, pmu->facts->defaults, pmu->pmc_count * sizeof(*pmcs));
	for (n = 0; context->user_level && n < pmu->pmc_count; n++)
		pmcs[n] = at_user_level(&pmu->pmcs[n], pmcs[n]);
	set->narrow = 0;
	configuration_changed(pmu, set);
}

static int check_pmc(struct pfm_context *context, struct pfarg_pmc *pmc, u32 index)
{
	const struct pfm_pmu *pmu = context->pmu;
	unsigned int n = pmc->reg_num;
	const struct pfm_register *desc;

	if (n >= pmu->pmc_count)
		return invalid(context, index, PFM_REASON_NO_PMC, n);
	n = pmc->reg_num = array_index_nospec(n, pmu->pmc_count);
	desc = &pmu->pmcs[n];
	if (!desc->name)
		return invalid(context, index, PFM_REASON_NO_PMC, n);
	if (!pfm_set_find(context, pmc->reg_set))
		return invalid(context, index, PFM_REASON_NO_SET, pmc->reg_set);
	if (pmc->reg_flags & ~PFM_PMC_FLAGS)
		return invalid(context, index, PFM_REASON_FLAGS, pmc->reg_flags);
	if (pmc->reg_flags && !(desc->type & PFM_REG_NO_EMUL64))
		return invalid(context, index, PFM_REASON_NOT_A_COUNTER, n);

	pmc->reg_value = pmc_value(context, desc, pmc->reg_value);
	if (pmu->operations->check_pmc && !pmu->operations->check_pmc(n, &pmc->reg_value))
		return invalid(context, index, PFM_REASON_PMC_VALUE, pmc->reg_value);
	if (pfm_is_bound(context) && pmu->operations->counts_threads &&
	    pmu->operations->counts_threads(n, pmc->reg_value))
		return invalid(context, index, PFM_REASON_OF_THREAD, n);
	/* The PMU module may have changed the value, so restrict it to user level again. */
	if (context->user_level)
		pmc->reg_value = at_user_level(desc, pmc->reg_value);
	return 0;
}

/* If several PMCs drive a counter, those that accept PFM_REGFL_NO_EMUL64 decide its width. */
static void choose_width(struct pfm_set *set, const struct pfarg_pmc *pmc,
			 const struct pfm_register *desc)
{
	if (!(desc->type & PFM_REG_NO_EMUL64))
		return;
	if (pmc->reg_flags & PFM_REGFL_NO_EMUL64)
		set->narrow |= desc->counters;
	else
		set->narrow &= ~desc->counters;
}

/* Return: whether the element after element @i is of the same set. */
static bool set_goes_on(const struct chunk *chunk, u32 i)
{
	const struct pfarg_pmc *pmc = &chunk->pmcs[i];

	return i + 1 < chunk->end && pmc[1].reg_set == pmc[0].reg_set;
}

/* Return: false if copies are living, because then nothing may be written. */
static bool begin_write(struct pfm_context *context, struct chunk *chunk)
{
	chunk->refused = pfm_copies_live(context);
	if (unlikely(chunk->refused))
		return false;
	pfm_copies_configure(context);
	pfm_pause(context);
	return true;
}

static void write_pmcs_here(struct pfm_context *context, void *argument)
{
	const struct pfm_pmu *pmu = context->pmu;
	struct chunk *chunk = argument;
	u32 i;

	if (!begin_write(context, chunk))
		return;
	for (i = chunk->first; i < chunk->end; i++) {
		const struct pfarg_pmc *pmc = &chunk->pmcs[i];
		struct pfm_set *set = pfm_set_find(context, pmc->reg_set);

		const struct pfm_register *desc = &pmu->pmcs[pmc->reg_num];

		set->registers.pmcs[pmc->reg_num] = pmc->reg_value;
		/* A PMC that drives counters comes into use together with one of these counters. */
		if (!desc->counters)
			set_register(set->registers.used_pmcs, pmc->reg_num);
		choose_width(set, pmc, desc);
		if (!set_goes_on(chunk, i))
			configuration_changed(pmu, set);
	}
	pfm_resume(context);
}

int pfm_write_pmcs(struct pfm_context *context, struct pfarg_pmc *pmcs, u32 count)
{
	int error = 0;
	u32 good;

	for (good = 0; good < count; good++) {
		error = check_pmc(context, &pmcs[good], good);
		if (error)
			break;
	}
	return call_in_chunks(context, write_pmcs_here, pmcs, good) ?: error;
}

static bool has_pmd(const struct pfm_pmu *pmu, unsigned int n)
{
	return pfm_is_virtual(n) ? !!pfm_virtual_name(pmu, n)
				 : n < pmu->pmd_count && pmu->pmds[n].name;
}

static bool is_counter(const struct pfm_pmu *pmu, unsigned int n)
{
	return !pfm_is_virtual(n) && pmu->pmds[n].type & PFM_REG_COUNTER;
}

static bool is_read_only(const struct pfm_pmu *pmu, unsigned int n)
{
	if (pfm_is_virtual(n))
		return pfm_virtual_is_state(pmu, n);
	return pmu->pmds[n].type & (PFM_REG_READ_ONLY | PFM_REG_SAMPLED);
}

static bool is_sampled(const struct pfm_pmu *pmu, unsigned int n)
{
	return !pfm_is_virtual(n) && pmu->pmds[n].type & PFM_REG_SAMPLED;
}

/* Return: true if the context is system-wide and PMD @n describes a thread. */
static bool lacks_thread(const struct pfm_context *context, unsigned int n)
{
	return pfm_is_bound(context) && pfm_is_virtual(n) && pfm_virtual_is_of_thread(n);
}

/*
 * Return: number of the first bad PMD in @map; -1 if there is none.  A PMD is bad if the context
 * has no such PMD, or if @is_written is true and the PMD is read-only.
 */
static int find_bad_pmd(const struct pfm_context *context, const u64 *map,
			bool is_written)
{
	const struct pfm_pmu *pmu = context->pmu;
	unsigned int word, n;
	u64 rest;

	for (word = 0; word < PFM_PMD_BV; word++) {
		pfm_for_each_bit(n, rest, map[word]) {
			unsigned int pmd = word * 64 + n;

			if (!has_pmd(pmu, pmd) || lacks_thread(context, pmd) ||
			    (is_written && is_read_only(pmu, pmd)))
				return pmd;
		}
	}
	return -1;
}

static int check_maps(struct pfm_context *context, const struct pfarg_pmd *pmd, u32 index)
{
	int bad = find_bad_pmd(context, pmd->reg_smpl_pmds, false);

	if (bad >= 0)
		return invalid(context, index, PFM_REASON_SMPL_PMDS, bad);
	bad = find_bad_pmd(context, pmd->reg_reset_pmds, true);
	if (bad >= 0)
		return invalid(context, index, PFM_REASON_RESET_PMDS, bad);
	return 0;
}

static int check_pmd(struct pfm_context *context, struct pfarg_pmd *pmd, u32 index)
{
	unsigned int n = pmd->reg_num;

	if (n >= PFM_MAX_PMDS)
		return invalid(context, index, PFM_REASON_NO_PMD, n);
	n = pmd->reg_num = array_index_nospec(n, PFM_MAX_PMDS);
	if (!has_pmd(context->pmu, n))
		return invalid(context, index, PFM_REASON_NO_PMD, n);
	if (is_sampled(context->pmu, n))
		return invalid(context, index, PFM_REASON_ONLY_SAMPLED, n);
	if (lacks_thread(context, n))
		return invalid(context, index, PFM_REASON_OF_THREAD, n);
	if (!pfm_set_find(context, pmd->reg_set))
		return invalid(context, index, PFM_REASON_NO_SET, pmd->reg_set);
	if (pmd->reg_flags & ~PFM_PMD_FLAGS)
		return invalid(context, index, PFM_REASON_FLAGS, pmd->reg_flags);
	if (pmd->reg_ovfl_switch_cnt && !is_counter(context->pmu, n))
		return invalid(context, index, PFM_REASON_SWITCH_COUNT, n);
	return check_maps(context, pmd, index);
}

/*
 * Bring a PMD into use.  If it is a counter, it counts from now on, and the PMCs that drive it
 * come into use.
 */
static void use_pmd(const struct pfm_pmu *pmu, struct pfm_set *set, unsigned int n)
{
	struct pfm_registers *registers = &set->registers;
	const u64 *drivers;
	unsigned int word;

	if (test_register(registers->used_pmds, n) || is_sampled(pmu, n))
		return;
	set_register(registers->used_pmds, n);
	set->unusual &= ~PFM_SET_NO_HARDWARE;
	if (!(pmu->pmds[n].type & PFM_REG_COUNTER))
		return;
	registers->counters |= BIT_ULL(n);
	drivers = pmu->facts->drivers[n];
	for (word = 0; word < ARRAY_SIZE(registers->used_pmcs); word++)
		registers->used_pmcs[word] |= drivers[word];
	configuration_changed(pmu, set);
}

static void use_pmds(struct pfm_context *context, struct pfm_set *set, const u64 *map)
{
	unsigned int word, n;
	u64 rest;

	for (word = 0; word < PFM_MAX_HARDWARE / 64; word++)
		pfm_for_each_bit(n, rest, map[word])
			use_pmd(context->pmu, set, word * 64 + n);
	pfm_virtual_use(context, set, map[PFM_VIRTUAL_PMD_BASE / 64]);
}

static void write_attributes(struct pfm_set *set, const struct pfarg_pmd *pmd)
{
	struct pfm_pmd_attributes *attributes = pfm_attributes(set, pmd->reg_num);

	attributes->long_reset = pmd->reg_long_reset;
	attributes->short_reset = pmd->reg_short_reset;
	attributes->last_reset = pmd->reg_value;
	attributes->event_id = pmd->reg_smpl_eventid;
	attributes->switch_count = pmd->reg_ovfl_switch_cnt;
	attributes->switch_remaining = pmd->reg_ovfl_switch_cnt;
	attributes->reset_pmds = pmd->reg_reset_pmds[0];
	attributes->reset_virtual = pmd->reg_reset_pmds[PFM_VIRTUAL_PMD_BASE / 64];
	attributes->is_random = pmd->reg_flags & PFM_REGFL_RANDOM;
	attributes->random_state = pmd->reg_random_seed;
	attributes->random_mask = pmd->reg_random_mask;
	memcpy(attributes->smpl_pmds, pmd->reg_smpl_pmds, sizeof(attributes->smpl_pmds));
	attributes->records =
		memchr_inv(pmd->reg_smpl_pmds, 0, sizeof(pmd->reg_smpl_pmds));
}

static void write_counter(struct pfm_set *set, const struct pfarg_pmd *pmd)
{
	u64 bit = BIT_ULL(pmd->reg_num);

	set->attributes[pmd->reg_num].reset_pmds |= bit;
	set->overflowed[0] &= ~bit;
	set->reset_pmds &= ~bit;
	if (pmd->reg_flags & PFM_REGFL_OVFL_NOTIFY)
		set->notifying |= bit;
	else
		set->notifying &= ~bit;
	if (pmd->reg_ovfl_switch_cnt)
		set->triggers |= bit;
	else
		set->triggers &= ~bit;
}

static void write_pmd(struct pfm_context *context, const struct pfarg_pmd *pmd)
{
	struct pfm_set *set = pfm_set_find(context, pmd->reg_set);
	const struct pfm_pmu *pmu = context->pmu;
	unsigned int n = pmd->reg_num;

	use_pmds(context, set, pmd->reg_smpl_pmds);
	use_pmds(context, set, pmd->reg_reset_pmds);
	write_attributes(set, pmd);
	if (unlikely(set->sum))
		pfm_sum_forget(set, n);
	if (pfm_is_virtual(n)) {
		pfm_virtual_write(context, set, n, pmd->reg_value);
		return;
	}
	use_pmd(pmu, set, n);
	if (pmu->pmds[n].type & PFM_REG_COUNTER)
		write_counter(set, pmd);
	if (is_read_only(pmu, n))
		return;
	set->registers.pmds[n] = pmd->reg_value;
	set->registers.changed |= BIT_ULL(n);
	set->pmd_stamp = 0;
}

static void write_pmds_here(struct pfm_context *context, void *argument)
{
	struct chunk *chunk = argument;
	u32 i;

	if (!begin_write(context, chunk))
		return;
	for (i = chunk->first; i < chunk->end; i++)
		write_pmd(context, &chunk->pmds[i]);
	pfm_resume(context);
}

/* Claim the PMDs that come into use when @pmd is written.  Virtual PMDs need no claim. */
static int bring_into_use(struct pfm_context *context, const struct pfarg_pmd *pmd,
			  u32 index)
{
	u64 pmds[PFM_HARDWARE_BV], more = 0;
	unsigned int word;
	int error;

	for (word = 0; word < PFM_HARDWARE_BV; word++)
		pmds[word] = pmd->reg_smpl_pmds[word] | pmd->reg_reset_pmds[word];
	if (!pfm_is_virtual(pmd->reg_num))
		set_register(pmds, pmd->reg_num);
	for (word = 0; word < PFM_HARDWARE_BV; word++)
		more |= pmds[word] & ~context->used_pmds[word];
	if (!more)
		return 0;
	error = pfm_claim_more(context, index, pmds);
	if (error)
		return error;
	for (word = 0; word < PFM_HARDWARE_BV; word++)
		context->used_pmds[word] |= pmds[word];
	return 0;
}

/* The state of Carta's generator (reset.c) is always a number from 1 to 2^31 - 2. */
static u32 choose_seed(u32 seed)
{
	if (!seed)
		seed = get_random_u32();
	return seed % 0x7fffffff ?: 1;
}

int pfm_write_pmds(struct pfm_context *context, struct pfarg_pmd *pmds, u32 count)
{
	int error = pfm_copies_refuse(context);
	u32 good;

	if (error)
		return error;
	for (good = 0; good < count; good++) {
		error = check_pmd(context, &pmds[good], good)
				?: bring_into_use(context, &pmds[good], good);
		if (error)
			break;
		if (pmds[good].reg_flags & PFM_REGFL_RANDOM)
			pmds[good].reg_random_seed =
				choose_seed(pmds[good].reg_random_seed);
	}
	return call_in_chunks(context, write_pmds_here, pmds, good) ?: error;
}

/* Record why PMD @n of set @id cannot be read.  Return: a negative errno. */
int pfm_unreadable(struct pfm_context *context, u32 index, u16 id, unsigned int n)
{
	if (!pfm_set_find(context, id))
		return invalid(context, index, PFM_REASON_NO_SET, id);
	if (!has_pmd(context->pmu, n))
		return invalid(context, index, PFM_REASON_NO_PMD, n);
	if (is_sampled(context->pmu, n))
		return invalid(context, index, PFM_REASON_ONLY_SAMPLED, n);
	return invalid(context, index, PFM_REASON_PMD_UNUSED, n);
}
