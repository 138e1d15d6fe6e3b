// SPDX-License-Identifier: GPL-2.0-only
/* Writing PMCs and PMDs, reading PMDs: running or not, here or on another CPU. */
#include <linux/atomic.h>
#include <linux/bitmap.h>

#include "registers.h"
#include "switch.h"
#include "virtual.h"

/* Elements handled with interrupts off at a time. */
#define CHUNK 32

struct chunk {
	union {
		struct pfarg_pmc *pmcs;
		struct pfarg_pmd *pmds;
	};
	u32 first;
	u32 end;
	int error;
};

static int call_in_chunks(struct pfm_context *context, pfm_context_fn function,
			  void *elements, u32 count)
{
	struct chunk chunk = { .pmcs = elements };

	for (; chunk.first < count && !chunk.error; chunk.first = chunk.end) {
		chunk.end = min(chunk.first + CHUNK, count);
		pfm_context_call(context, function, &chunk);
	}
	return chunk.error;
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

/* What follows from which PMDs are in use and which counters stay narrow. */
static void configuration_changed(struct pfm_set *set)
{
	struct pfm_registers *registers = &set->registers;

	registers->interrupting = registers->counters & ~set->narrow;
	set->pmc_stamp = new_pmc_stamp();
}

void pfm_registers_default(struct pfm_context *context, struct pfm_set *set)
{
	const struct pfm_pmu *pmu = context->pmu;
	unsigned int n;

	for (n = 0; n < pmu->pmc_count; n++)
		set->registers.pmcs[n] = pmu->pmcs[n].default_value;
	set->narrow = 0;
	configuration_changed(set);
}

static int check_pmc(struct pfm_context *context, struct pfarg_pmc *pmc, u32 index)
{
	const struct pfm_pmu *pmu = context->pmu;
	unsigned int n = pmc->reg_num;
	const struct pfm_register *desc = &pmu->pmcs[n];

	if (n >= pmu->pmc_count || !desc->name)
		return invalid(context, index, PFM_REASON_NO_PMC, n);
	if (!test_register(pmu->available_pmcs, n))
		return invalid(context, index, PFM_REASON_PMC_HELD, n);
	if (!pfm_set_find(context, pmc->reg_set))
		return invalid(context, index, PFM_REASON_NO_SET, pmc->reg_set);
	if (pmc->reg_flags & ~PFM_REGFL_NO_EMUL64)
		return invalid(context, index, PFM_REASON_FLAGS, pmc->reg_flags);
	if (pmc->reg_flags && !(desc->type & PFM_REG_NO_EMUL64))
		return invalid(context, index, PFM_REASON_NOT_A_COUNTER, n);

	pmc->reg_value = (pmc->reg_value & ~desc->reserved) |
			 (desc->default_value & desc->reserved);
	if (pmu->operations->check_pmc && pmu->operations->check_pmc(n, &pmc->reg_value))
		return invalid(context, index, PFM_REASON_PMC_VALUE, pmc->reg_value);
	return 0;
}

static void write_pmcs_here(struct pfm_context *context, void *argument)
{
	struct chunk *chunk = argument;
	u32 i;

	pfm_pause(context);
	for (i = chunk->first; i < chunk->end; i++) {
		const struct pfarg_pmc *pmc = &chunk->pmcs[i];
		struct pfm_set *set = pfm_set_find(context, pmc->reg_set);
		u64 counters = context->pmu->pmcs[pmc->reg_num].counters;

		set->registers.pmcs[pmc->reg_num] = pmc->reg_value;
		set_register(set->registers.used_pmcs, pmc->reg_num);
		if (pmc->reg_flags & PFM_REGFL_NO_EMUL64)
			set->narrow |= counters;
		else
			set->narrow &= ~counters;
		configuration_changed(set);
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
	call_in_chunks(context, write_pmcs_here, pmcs, good);
	return error;
}

static int check_pmd(struct pfm_context *context, const struct pfarg_pmd *pmd, u32 index)
{
	unsigned int n = pmd->reg_num;

	if (pfm_is_virtual(n)
		    ? !pfm_virtual_name(n)
		    : n >= context->pmu->pmd_count || !context->pmu->pmds[n].name)
		return invalid(context, index, PFM_REASON_NO_PMD, n);
	if (!test_register(context->pmu->available_pmds, n))
		return invalid(context, index, PFM_REASON_PMD_HELD, n);
	if (!pfm_set_find(context, pmd->reg_set))
		return invalid(context, index, PFM_REASON_NO_SET, pmd->reg_set);
	if (pmd->reg_flags & ~(PFM_REGFL_OVFL_NOTIFY | PFM_REGFL_RANDOM))
		return invalid(context, index, PFM_REASON_FLAGS, pmd->reg_flags);
	if (pmd->reg_flags || pmd->reg_ovfl_switch_cnt ||
	    memchr_inv(pmd->reg_reset_pmds, 0, sizeof(pmd->reg_reset_pmds)) ||
	    memchr_inv(pmd->reg_smpl_pmds, 0, sizeof(pmd->reg_smpl_pmds)))
		return pfm_fail_at(context, index, -EOPNOTSUPP, PFM_REASON_UNSUPPORTED,
				   n);
	return 0;
}

/* From now on the PMD counts, and whatever drives it is programmed. */
static void use_pmd(const struct pfm_pmu *pmu, struct pfm_set *set, unsigned int n)
{
	struct pfm_registers *registers = &set->registers;
	unsigned int pmc;

	if (test_register(registers->used_pmds, n))
		return;
	set_register(registers->used_pmds, n);
	set->uses_hardware = true;
	if (!(pmu->pmds[n].type & PFM_REG_COUNTER))
		return;
	registers->counters |= BIT_ULL(n);
	for (pmc = 0; pmc < pmu->pmc_count; pmc++)
		if (pmu->pmcs[pmc].counters & BIT_ULL(n))
			set_register(registers->used_pmcs, pmc);
	configuration_changed(set);
}

static void write_pmd(struct pfm_context *context, const struct pfarg_pmd *pmd)
{
	struct pfm_set *set = pfm_set_find(context, pmd->reg_set);
	struct pfm_pmd_attributes *attributes;
	unsigned int n = pmd->reg_num;

	if (pfm_is_virtual(n)) {
		pfm_virtual_write(context, set, n, pmd->reg_value);
		return;
	}
	use_pmd(context->pmu, set, n);
	set->overflowed[n / 64] &= ~BIT_ULL(n % 64);
	attributes = &set->attributes[n];
	attributes->long_reset = pmd->reg_long_reset;
	attributes->short_reset = pmd->reg_short_reset;
	attributes->last_reset = pmd->reg_value;
	attributes->event_id = pmd->reg_smpl_eventid;
	if (context->pmu->pmds[n].type & PFM_REG_READ_ONLY)
		return;
	set->registers.pmds[n] = pmd->reg_value;
	set->pmd_stamp = 0;
}

static void write_pmds_here(struct pfm_context *context, void *argument)
{
	struct chunk *chunk = argument;
	u32 i;

	pfm_pause(context);
	for (i = chunk->first; i < chunk->end; i++)
		write_pmd(context, &chunk->pmds[i]);
	pfm_resume(context);
}

int pfm_write_pmds(struct pfm_context *context, struct pfarg_pmd *pmds, u32 count)
{
	int error = 0;
	u32 good;

	for (good = 0; good < count; good++) {
		error = check_pmd(context, &pmds[good], good);
		if (error)
			break;
	}
	call_in_chunks(context, write_pmds_here, pmds, good);
	return error;
}

/*
 * The value of a PMD in use: from memory, or while it counts with the lower
 * part from hardware.  @wrapped are counters whose overflow was seen before
 * the hardware is read here, its interrupt not yet taken.
 */
static u64 read_hardware(struct pfm_context *context, struct pfm_set *set, unsigned int n,
			 u64 wrapped)
{
	struct pfm_registers *registers = &set->registers;
	u64 value = registers->pmds[n];
	unsigned int width;

	if (!context->counting || set != context->active)
		return value;
	width = context->pmu->pmds[n].width;
	value = pfm_pmd_merge(value, context->pmu->operations->read_pmd(registers, n),
			      pfm_width_mask(width));
	if (unlikely(wrapped) && n < PFM_MAX_COUNTERS && width < 64 &&
	    (wrapped & registers->interrupting & BIT_ULL(n)))
		value += 1ull << width;
	return value;
}

static int read_pmd(struct pfm_context *context, struct pfm_reading *reading, u64 wrapped)
{
	struct pfm_set *set = pfm_set_find(context, reading->set);
	unsigned int n = reading->pmd;

	if (unlikely(!set))
		return PFM_REASON_NO_SET;
	if (likely(!pfm_is_virtual(n))) {
		if (unlikely(!test_register(set->registers.used_pmds, n)))
			return n < context->pmu->pmd_count && context->pmu->pmds[n].name
				       ? PFM_REASON_PMD_UNUSED
				       : PFM_REASON_NO_PMD;
		reading->value = read_hardware(context, set, n, wrapped);
		reading->last_reset = set->attributes[n].last_reset;
	} else {
		if (unlikely(!pfm_virtual_name(n)))
			return PFM_REASON_NO_PMD;
		if (unlikely(!(set->used_virtual & BIT_ULL(n - PFM_VIRTUAL_PMD_BASE))))
			return PFM_REASON_PMD_UNUSED;
		reading->value = pfm_virtual_read(context, set, n);
		reading->last_reset = 0;
	}
	return PFM_REASON_NONE;
}

struct read_call {
	struct pfm_reading *readings;
	u32 count;
	u32 bad;
	int reason;
};

static void read_all(struct pfm_context *context, struct read_call *call, u64 wrapped)
{
	u32 i;

	for (i = 0; i < call->count; i++) {
		call->reason = read_pmd(context, &call->readings[i], wrapped);
		if (unlikely(call->reason)) {
			call->bad = i;
			return;
		}
	}
}

/*
 * Counters go on while they are read.  The values hold if nothing overflowed
 * meanwhile that was not known at the beginning, whether its interrupt came (an
 * NMI) or is still to come (the status); otherwise once more.
 */
static void read_here(struct pfm_context *context, void *argument)
{
	struct pfm_cpu *cpu = this_cpu_ptr(&pfm_cpu);
	unsigned long sequence;
	u64 wrapped, seen = 0;

	do {
		sequence = READ_ONCE(cpu->overflow_sequence);
		wrapped = seen;
		read_all(context, argument, wrapped);
		if (!context->counting)
			return;
		seen = context->pmu->operations->overflows(&context->active->registers);
	} while (unlikely(seen != wrapped) ||
		 unlikely(sequence != READ_ONCE(cpu->overflow_sequence)));
}

int pfm_read(struct pfm_context *context, struct pfm_reading *readings, u32 count,
	     u32 first)
{
	struct read_call call = { .readings = readings, .count = count };
	const struct pfm_reading *bad;

	pfm_context_call(context, read_here, &call);
	if (likely(!call.reason))
		return 0;
	bad = &readings[call.bad];
	return invalid(context, first + call.bad, call.reason,
		       call.reason == PFM_REASON_NO_SET ? bad->set : bad->pmd);
}
