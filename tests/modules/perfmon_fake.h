/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PMU "fake": what no hardware of the guests has. Its counters count ticks of a timer. At an
 * overflow it notes where the counter overflowed and more, as hardware does that samples
 * precisely; and it has registers that exist only then. The module and the test
 * (sampling/hardware_samples.c) include this.
 *
 * PMC n is 1 if PMD n is to count, else 0. What counter KERNEL notes is of the kernel.
 *
 * Its parameters tell of the "loads" and "unloads" that it saw; of the last load: "sets", how
 * many PMCs were 1 in all of them ("selected"), "thread" (tid), "privileged", "level" (PMC LEVEL of
 * the last set). While "refuse" is
 * an errno, a load fails with it, and says FAKE_REFUSAL.  "claimed" are its PMDs below 64 that
 * are claimed.
 */
#ifndef PERFMON_FAKE_H
#define PERFMON_FAKE_H

#include <linux/types.h>

#define FAKE_COUNTERS		   2
#define FAKE_USER		   0
#define FAKE_KERNEL		   1
#define FAKE_NEAR		   2 /* registers that only samples record */
#define FAKE_FORGOTTEN		   48 /* the module makes a mistake: it never reads it */
#define FAKE_FAR		   64
#define FAKE_REFUSAL		   "the test does not want it"
#define FAKE_TICK_NS		   100000

#define FAKE_LEVEL		   2 /* PMC: the module makes a mistake, it takes the bit away */
#define FAKE_USER_ONLY		   1 /* its bit that keeps a context at user level */

/* Interrupt @sequence of a CPU with an overflow, from 1 on. */
#define FAKE_IP(counter, sequence) (0x10000 * ((counter) + 1) + (sequence))
#define FAKE_NEAR_VALUE(sequence)  (7 * (sequence))
#define FAKE_FAR_VALUE(sequence)   (11 * (sequence))

struct fake_payload {
	__u64 sequence;
	__u64 counter;
	__u64 words[2]; /* ~sequence, ~counter */
};

#endif
