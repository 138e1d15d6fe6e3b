// SPDX-License-Identifier: GPL-2.0-only
/* Reset values: the values that PMDs get after an overflow. */
#include "reset.h"
#include "virtual.h"

/*
 * Carta's generator: the next state is (16807 * state) mod (2^31 - 1).  Modulo 2^31 - 1, the
 * product equals the sum of two numbers: its low 31 bits, and the bits above them ("Two fast
 * implementations of the 'minimal standard' random number generator", CACM 33:1, 1990).  The
 * function returns the state before this step, as perfmon2 did.
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

u64 pfm_reset_random(struct pfm_pmd_attributes *attributes)
{
	u64 number = draw(attributes);

	if (attributes->random_mask >> 32)
		number |= (u64)draw(attributes) << 32;
	return number & attributes->random_mask;
}

void pfm_reset_virtual(struct pfm_context *context, struct pfm_set *set, bool is_long)
{
	unsigned int n;
	u64 rest;

	pfm_for_each_bit(n, rest, set->reset_virtual) {
		unsigned int pmd = PFM_VIRTUAL_PMD_BASE + n;

		pfm_virtual_write(context, set, pmd,
				  pfm_reset_value(pfm_attributes(set, pmd), is_long));
	}
}
