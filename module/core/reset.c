// SPDX-License-Identifier: GPL-2.0-only
/* Reset values: the values that PMDs get after an overflow. */
#include "reset.h"
#include "virtual.h"

/*
 * Carta's generator: the next state is 16807 * state modulo 2^31 - 1.  This remainder is
 * the sum of the product's 31-bit digits ("Two fast implementations of the 'minimal
 * standard' random number generator", CACM 33:1, 1990).  The number drawn is the state
 * before this step, as in perfmon2.
 */
static u32 draw(struct pfm_pmd_attributes *attributes)
{
	u32 drawn = attributes->random_state;
	u64 product = 16807ull * drawn;
	u32 state = (product & 0x7fffffff) + (product >> 31);

	if (state >= 0x7fffffff)
		state -= 0x7fffffff;
	attributes->random_state = state;
	return drawn;
}

static noinline u64 random_number(struct pfm_pmd_attributes *attributes)
{
	u64 number = draw(attributes);

	if (attributes->random_mask >> 32)
		number |= (u64)draw(attributes) << 32;
	return number & attributes->random_mask;
}

static u64 reset_value(struct pfm_pmd_attributes *attributes, bool is_long)
{
	u64 value = is_long ? attributes->long_reset : attributes->short_reset;

	if (unlikely(attributes->is_random))
		value -= random_number(attributes);
	attributes->last_reset = value;
	return value;
}

static noinline void reset_virtual(struct pfm_context *context, struct pfm_set *set,
				   bool is_long)
{
	unsigned int n;
	u64 rest;

	pfm_for_each_bit(n, rest, set->reset_virtual) {
		unsigned int pmd = PFM_VIRTUAL_PMD_BASE + n;

		pfm_virtual_write(context, set, pmd,
				  reset_value(pfm_attributes(set, pmd), is_long));
	}
}

u64 pfm_reset(struct pfm_context *context, struct pfm_set *set, bool is_long)
{
	u64 changed = set->reset_pmds, rest;
	unsigned int n;

	pfm_assert_here(context);
	pfm_for_each_bit(n, rest, changed)
		set->registers.pmds[n] = reset_value(&set->attributes[n], is_long);
	if (unlikely(set->reset_virtual))
		reset_virtual(context, set, is_long);
	pfm_reset_forget(set);
	return changed;
}
