/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PMU "fake" has features that the hardware of the guests lacks. Its counters count ticks of a
 * timer. At an overflow it records the instruction and more, as hardware with precise sampling
 * does, and it has registers that exist only in such a sample. The module and the test
 * (sampling/hardware_samples.c) include this header.
 *
 * PMC n is 1 if PMD n is to count, otherwise 0. A sample of counter KERNEL has an instruction of
 * the kernel.
 *
 * The parameters of the module report the calls that it got. "loads" and "unloads" are the numbers
 * of these calls. The following parameters are about the last load. "sets" is the number of event
 * sets. "selected" is the number of PMCs with the value 1 in all sets. "thread" is the tid.
 * "privileged" is as in struct pfm_session. "level" is the value of PMC LEVEL in the last set. If
 * "refuse" is an errno, a load fails with it and with the message FAKE_REFUSAL. "claimed" shows
 * which PMDs below 64 are claimed. "scope" is the number of CPUs that share registers; the last of
 * them that is online owns the registers.
 */
#ifndef PERFMON_FAKE_H
#define PERFMON_FAKE_H

#include <linux/types.h>

#define FAKE_COUNTERS		   2
#define FAKE_USER		   0
#define FAKE_KERNEL		   1
#define FAKE_NEAR		   2 /* registers that only samples record */
#define FAKE_FORGOTTEN		   48 /* deliberate mistake: the module never reads this register */
#define FAKE_FAR		   64
#define FAKE_REFUSAL		   "the test does not want it"
#define FAKE_TICK_NS		   100000

#define FAKE_LEVEL		   2 /* PMC; deliberate mistake: the module clears FAKE_USER_ONLY */
#define FAKE_USER_ONLY		   1 /* the bit that keeps a context at user level */

/* The values that overflow interrupt number @sequence of a CPU records. Numbers begin with 1. */
#define FAKE_IP(counter, sequence) (0x10000 * ((counter) + 1) + (sequence))
#define FAKE_NEAR_VALUE(sequence)  (7 * (sequence))
#define FAKE_FAR_VALUE(sequence)   (11 * (sequence))

struct fake_payload {
	__u64 sequence;
	__u64 counter;
	__u64 words[2]; /* ~sequence, ~counter */
};

#endif
