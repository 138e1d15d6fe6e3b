/* SPDX-License-Identifier: GPL-2.0-only */
/* The values of a set's PMDs at one moment.  Reading is a hot path, so its usual case is inline. */
#ifndef PERFMON_CORE_SNAPSHOT_H
#define PERFMON_CORE_SNAPSHOT_H

#include <linux/irqflags.h>
#include <linux/smp.h>

#include "context.h"
#include "cpu.h"

/**
 * struct pfm_snapshot - values of the PMDs that are in use in a set, at one moment
 * @values: indexed by the number of the PMD; undefined for PMDs that are not in use
 * @set: the set that is read.  The function that pfm_context_call() calls gets the set from this
 *	field, or stores it there
 */
struct pfm_snapshot {
	u64 values[PFM_MAX_PMDS];
	struct pfm_set *set;
};

/*
 * PMD numbers come from the user, and a CPU may speculate past the check in pfm_pmd_used().
 * The modulo keeps a speculative read within the memory of the snapshot.  It is cheaper than
 * array_index_nospec(), and just as safe.
 *
 * The code uses a pointer instead of an index, because the kernels of distributions have UBSAN,
 * which would check an index.  This check may call a function, and no function may be called inside
 * a user access section.
 */
#define PFM_SPECULATED_PMDS 512
static_assert(PFM_MAX_PMDS <= PFM_SPECULATED_PMDS);
static_assert(PFM_SPECULATED_PMDS * sizeof(u64) <= PFM_ARGUMENTS_SIZE);

static __always_inline u64 pfm_snapshot_value(const struct pfm_snapshot *snapshot,
					      unsigned int n)
{
	OPTIMIZER_HIDE_VAR(n);
	return *(&snapshot->values[0] + n % PFM_SPECULATED_PMDS);
}

static __always_inline bool pfm_pmd_used(const struct pfm_set *set, unsigned int n)
{
	if (likely(n < PFM_MAX_HARDWARE)) {
		OPTIMIZER_HIDE_VAR(n); /* without this, the compiler would drop the % */
		return set->registers.used_pmds[n / 64 % (PFM_MAX_HARDWARE / 64)] &
		       BIT_ULL(n % 64);
	}
	n -= PFM_VIRTUAL_PMD_BASE;
	return n < PFM_MAX_VIRTUAL && set->used_virtual & BIT_ULL(n);
}

/* Called only by the functions below. */
void pfm_snapshot_wrapped(struct pfm_context *context, struct pfm_set *set, u64 *values,
			  u64 seen);
void pfm_snapshot_copy(const struct pfm_registers *registers, u64 *values);
void pfm_snapshot_virtual(struct pfm_context *context, struct pfm_set *set, u64 *values);
struct pfm_set *pfm_snapshot_slowly(struct pfm_context *context,
				    struct pfm_snapshot *snapshot);

static __always_inline void pfm_snapshot_running(struct pfm_context *context,
						 struct pfm_set *set, u64 *values)
{
	u64 seen = context->pmu->operations->read(&set->registers, values);

	if (unlikely(seen))
		pfm_snapshot_wrapped(context, set, values, seen);
}

/*
 * Read a set once.  Called where the registers are (see struct pfm_context), with interrupts off.
 * @set: the set, or NULL for the active one.
 *
 * Return: the set, or NULL if an NMI handled an overflow during the read.  That overflow may have
 * switched sets.
 */
static __always_inline struct pfm_set *pfm_snapshot_try(struct pfm_context *context,
							struct pfm_set *set, u64 *values)
{
	struct pfm_cpu *cpu = pfm_here(context);
	unsigned long sequence = READ_ONCE(cpu->overflow_sequence);
	struct pfm_set *active = READ_ONCE(context->active);

	pfm_assert_here(context);
	set = set ?: active;
	if (likely(READ_ONCE(context->counting) && set == active))
		pfm_snapshot_running(context, set, values);
	else
		pfm_snapshot_copy(&set->registers, values);
	if (unlikely(set->used_virtual))
		pfm_snapshot_virtual(context, set, values);
	return likely(sequence == READ_ONCE(cpu->overflow_sequence)) ? set : NULL;
}

/**
 * pfm_snapshot() - read the active set
 * @context: the context; the caller holds its mutex, and interrupts are on
 * @snapshot: the result
 *
 * Usually a thread reads its own context: it runs on this CPU, and stays here while interrupts are
 * off.  In this case, only an overflow in an NMI can change what is read.  pfm_snapshot_try()
 * notices that, so the context's lock is not needed.
 *
 * Return: the set.
 */
static __always_inline struct pfm_set *pfm_snapshot(struct pfm_context *context,
						    struct pfm_snapshot *snapshot)
{
	struct pfm_set *set = NULL;

	local_irq_disable();
	if (likely(READ_ONCE(context->cpu) == smp_processor_id()))
		set = pfm_snapshot_try(context, NULL, snapshot->values);
	local_irq_enable();
	return likely(set) ? set : pfm_snapshot_slowly(context, snapshot);
}

/* Called via pfm_context_call().  Reads @set. */
void pfm_snapshot_here(struct pfm_context *context, struct pfm_set *set,
		       struct pfm_snapshot *snapshot);

/* Read any set.  The caller holds the context's mutex. */
void pfm_snapshot_set(struct pfm_context *context, struct pfm_set *set,
		      struct pfm_snapshot *snapshot);

#endif
