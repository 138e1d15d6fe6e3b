/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The registers of Arm PMUv3, with an inline function for each access.
 *
 * The manual is the Arm Architecture Reference Manual, DDI 0487, chapter "The Performance
 * Monitors Extension" and the register descriptions in "Performance Monitors registers".
 * Sections are cited by their names, since their numbers change from issue to issue.
 *
 * Barriers: a write of a System register is guaranteed to affect the CPU's own operation,
 * such as counting, only after a context synchronization event (section "Synchronization
 * requirements for AArch64 System registers").  An exception entry or return is such an
 * event.  If no such event comes in time, an ISB is needed.  Between two accesses to the same
 * register no barrier is needed.
 */
#ifndef PERFMON_ARMV8_REGISTERS_H
#define PERFMON_ARMV8_REGISTERS_H

#include <asm/barrier.h>
#include <asm/sysreg.h>
#include <linux/bits.h>
#include <linux/types.h>
#include <perfmon/perfmon_armv8.h>

/* PMCR_EL0, "Performance Monitors Control Register" */
#define ARMV8_PMCR_E	   BIT(0) /* counters are enabled */
#define ARMV8_PMCR_LP	   BIT(7) /* event counters overflow at 2^64 */
#define ARMV8_PMCR_N	   GENMASK(15, 11) /* number of event counters */

/* ID_AA64DFR0_EL1.PMUVer, "AArch64 Debug Feature Register 0" */
#define ARMV8_DFR0_PMUVER  GENMASK(11, 8)
#define ARMV8_PMUVER_NONE  0x0
#define ARMV8_PMUVER_3P1   0x4 /* 16-bit event numbers */
#define ARMV8_PMUVER_3P5   0x6 /* 64-bit event counters */
#define ARMV8_PMUVER_OTHER 0xf /* a PMU, but not PMUv3 */

/*
 * PMEVTYPER<n>_EL0, PMCCFILTR_EL0: the field evtCount has the bits of PFM_ARMV8_PMC_EVENT.  The
 * bit P is PFM_ARMV8_PMC_EXCLUDE_KERNEL, U is PFM_ARMV8_PMC_EXCLUDE_USER, and NSH is
 * PFM_ARMV8_PMC_INCLUDE_HYP.
 */
#define ARMV8_TYPE_NSH	   BIT_ULL(27) /* count at EL2 */

/* Expands to X(n) for every event counter that the architecture defines. */
/* clang-format off */
#define ARMV8_EVENT_COUNTERS(X)						\
	X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10)		\
	X(11) X(12) X(13) X(14) X(15) X(16) X(17) X(18) X(19) X(20)	\
	X(21) X(22) X(23) X(24) X(25) X(26) X(27) X(28) X(29) X(30)
/* clang-format on */

static inline u64 armv8_read_control(void)
{
	return read_sysreg(pmcr_el0);
}

static inline void armv8_write_control(u64 value)
{
	write_sysreg(value, pmcr_el0);
}

/*
 * PMCNTENSET_EL0, PMCNTENCLR_EL0, PMINTENSET_EL1, PMINTENCLR_EL1, PMOVSSET_EL0,
 * PMOVSCLR_EL0: one bit for each counter.  Writing 0 to a bit has no effect, so perf and
 * perfmon, which use different counters, need no lock.  The masks have 64 bits, because from
 * PMUv3p9 on there are counters with numbers above 31.
 */
static inline void armv8_enable(u64 counters)
{
	write_sysreg(counters, pmcntenset_el0);
}

static inline void armv8_disable(u64 counters)
{
	write_sysreg(counters, pmcntenclr_el0);
}

static inline void armv8_enable_interrupt(u64 counters)
{
	write_sysreg(counters, pmintenset_el1);
}

static inline void armv8_disable_interrupt(u64 counters)
{
	write_sysreg(counters, pmintenclr_el1);
}

static inline u64 armv8_read_overflows(void)
{
	return read_sysreg(pmovsclr_el0);
}

static inline void armv8_clear_overflows(u64 counters)
{
	write_sysreg(counters, pmovsclr_el0);
}

static inline void armv8_set_overflows(u64 counters)
{
	write_sysreg(counters, pmovsset_el0);
}

/*
 * PMUSERENR_EL0 selects the registers that user level may read.  If it is 0, user level cannot read
 * any of them.
 */
static inline u64 armv8_read_user_access(void)
{
	return read_sysreg(pmuserenr_el0);
}

static inline void armv8_write_user_access(u64 value)
{
	write_sysreg(value, pmuserenr_el0);
}

/*
 * PMEVCNTR<n>_EL0, PMEVTYPER<n>_EL0: the register's number is part of the instruction, so these
 * functions have a case for each number.  Accesses through PMSELR_EL0 would not need these cases,
 * but each access would need an ISB, and we would have to share PMSELR_EL0 with perf.
 */
static inline u64 armv8_read_counter(unsigned int n)
{
	switch (n) {
#define ARMV8_READ(n)                                                                    \
	case n:                                                                          \
		return read_sysreg(pmevcntr##n##_el0);
		ARMV8_EVENT_COUNTERS(ARMV8_READ)
#undef ARMV8_READ
	default:
		return read_sysreg(pmccntr_el0);
	}
}

static inline void armv8_write_counter(unsigned int n, u64 value)
{
	switch (n) {
#define ARMV8_WRITE(n)                                                                   \
	case n:                                                                          \
		write_sysreg(value, pmevcntr##n##_el0);                                  \
		break;
		ARMV8_EVENT_COUNTERS(ARMV8_WRITE)
#undef ARMV8_WRITE
	default:
		write_sysreg(value, pmccntr_el0);
	}
}

static inline void armv8_write_type(unsigned int n, u64 value)
{
	switch (n) {
#define ARMV8_WRITE(n)                                                                   \
	case n:                                                                          \
		write_sysreg(value, pmevtyper##n##_el0);                                 \
		break;
		ARMV8_EVENT_COUNTERS(ARMV8_WRITE)
#undef ARMV8_WRITE
	default:
		write_sysreg(value, pmccfiltr_el0);
	}
}

#endif
