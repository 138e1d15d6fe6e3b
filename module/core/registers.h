/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PERFMON_REGISTERS_H
#define PERFMON_REGISTERS_H

#include "context.h"

/*
 * Mutex held.  Elements are taken in order up to the first bad one, whose
 * negative errno is returned and whose index stands in the context's error.
 */
int pfm_write_pmcs(struct pfm_context *context, struct pfarg_pmc *pmcs, u32 count);
int pfm_write_pmds(struct pfm_context *context, struct pfarg_pmd *pmds, u32 count);

/**
 * struct pfm_reading - a PMD to read
 * @pmd: in: its number
 * @set: in: its event set
 * @pmd_and_set: both at once, as they lie in user memory
 * @value: out: 64-bit value
 * @last_reset: out: value last loaded
 */
struct pfm_reading {
	union {
		struct {
			u16 pmd;
			u16 set;
		};
		u32 pmd_and_set;
	};
	u64 value;
	u64 last_reset;
};

/* Readings that are taken at the same moment, interrupts off. */
#define PFM_READINGS 16

/*
 * Mutex held.  @first is the index that the first reading has for the caller.
 * Return: as above; readings before the bad one are valid.
 */
int pfm_read(struct pfm_context *context, struct pfm_reading *readings, u32 count,
	     u32 first);

/* Gives a set's PMCs their default values; context unloaded. */
void pfm_registers_default(struct pfm_context *context, struct pfm_set *set);

#endif
