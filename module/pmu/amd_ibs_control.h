/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PMU description "amd_ibs": the control registers of the units.
 *
 * The manuals are the AMD64 Architecture Programmer's Manual, volume 2, section "Instruction-Based
 * Sampling", and the BIOS and Kernel Developer's Guide of family 10h.
 */
#ifndef PERFMON_AMD_IBS_CONTROL_H
#define PERFMON_AMD_IBS_CONTROL_H

#include <asm/msr-index.h>
#include <asm/perf_event.h>
#include <asm/processor.h>

#include "amd_ibs.h"
#include "x86.h"

#define FAMILY_10H     0x10

#define OP_COUNT_SHIFT 32
#define OP_COUNT_MASK  0x7ffffffull
#define MOST_EXTENDED  0x7fffff0ull

/* EAX of CPUID leaf 8000001BH */
extern u32 amd_ibs_caps;

static inline u32 control_of(enum unit unit)
{
	return unit == FETCH ? MSR_AMD64_IBSFETCHCTL : MSR_AMD64_IBSOPCTL;
}

static inline bool has_sample(enum unit unit, u64 control)
{
	return control & (unit == FETCH ? IBS_FETCH_VAL : IBS_OP_VAL);
}

static inline u64 most_of(enum unit unit)
{
	return unit == OP && amd_ibs_caps & IBS_CAPS_OPCNTEXT ? MOST_EXTENDED
							      : IBS_MOST_BASIC;
}

/*
 * Return: the contents of the control register or, if an NMI has halted the unit, its
 * contents before the NMI.
 */
static inline u64 read_control(const struct ibs_cpu *cpu, enum unit unit)
{
	const u64 control = x86_read_msr(control_of(unit));

	return READ_ONCE(cpu->kept[unit]) ?: control;
}

/*
 * Return: the unit's count.  If the unit has a sample, this is the maximum, because a unit takes a
 * sample when its count reaches the maximum.  If the op unit has no sample and its count cannot be
 * read, 0 is returned.
 */
static inline u64 counted(enum unit unit, u64 control)
{
	if (unit == FETCH)
		return has_sample(unit, control) ? (control & IBS_FETCH_MAX_CNT) << 4
						 : (control & IBS_FETCH_CNT) >> 16 << 4;
	if (has_sample(unit, control))
		return (control & IBS_OP_MAX_CNT) << 4 |
		       (amd_ibs_caps & IBS_CAPS_OPCNTEXT
				? control & IBS_OP_MAX_CNT_EXT_MASK
				: 0);
	return amd_ibs_caps & IBS_CAPS_RDWROPCNT
		       ? control >> OP_COUNT_SHIFT & OP_COUNT_MASK
		       : 0;
}

/*
 * Return: the value to write to the control register so that the unit counts from @count to @most.
 * @most is a multiple of 16.
 */
static inline u64 counting(enum unit unit, u64 config, u64 count, u64 most)
{
	if (unit == FETCH)
		return config | IBS_FETCH_ENABLE | most >> 4;
	return config | IBS_OP_ENABLE | (most >> 4 & IBS_OP_MAX_CNT) |
	       (most & IBS_OP_MAX_CNT_EXT_MASK) | count << OP_COUNT_SHIFT;
}

/*
 * Erratum 420 of family 10h: the maximum must be cleared before the enable bit.  Otherwise the unit
 * may raise an interrupt that cannot be cleared.
 */
static inline void halt_unit(enum unit unit)
{
	if (boot_cpu_data.x86 == FAMILY_10H)
		x86_write(control_of(unit),
			  unit == FETCH ? IBS_FETCH_ENABLE : IBS_OP_ENABLE);
	x86_write(control_of(unit), 0);
}

#endif
