/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PMU "fake" has features that the hardware of the guests lacks. Its counters count ticks of a
 * timer. At an overflow the PMU records a sample with the instruction and other values, as hardware
 * with precise sampling does. It also has PMDs that have a value only in such a sample. The module
 * and the test (sampling/hardware_samples.c) include this header.
 *
 * PMD n counts if PMC n is 1, and does not count if PMC n is 0. The samples of counter FAKE_KERNEL
 * report that the recorded instruction is in the kernel.
 *
 * Most parameters of the module show how the core called the module. "loads" and "unloads" say how
 * often the core called load() and unload(). The next five parameters are about the last load:
 * "sets" is the number of event sets. "selected" is the number of PMCs with the value 1, summed
 * over all sets. "thread" is the tid of the monitored thread. "privileged" is as in struct
 * pfm_session. "level" is the value of PMC FAKE_LEVEL in the last set.
 *
 * "claimed" shows which PMDs below 64 are claimed now.
 *
 * A test sets the other parameters. If "refuse" is not 0, it is an errno: a load fails with this
 * errno and with the message FAKE_REFUSAL. If "scope" is not 0, the CPUs form groups that share
 * registers, and "scope" is the number of CPUs in a group. The online CPU with the highest number
 * in a group becomes the owner. If "claim_error" is not 0, claims fail with this errno. If
 * "names_holder" is also not 0, the module names FAKE_HOLDER as the holder of the first PMD.
 */
#ifndef PERFMON_FAKE_H
#define PERFMON_FAKE_H

#include <linux/types.h>

#define FAKE_COUNTERS		   2
#define FAKE_USER		   0
#define FAKE_KERNEL		   1
#define FAKE_NEAR		   2 /* a sampled PMD, like FAKE_FAR */
#define FAKE_FORGOTTEN		   48 /* deliberate mistake: the module never reads this register */
#define FAKE_FAR		   64
#define FAKE_REFUSAL		   "the test does not want it"
#define FAKE_HOLDER		   "another module"
#define FAKE_TICK_NS		   100000

#define FAKE_LEVEL		   2 /* PMC; deliberate mistake: the module clears FAKE_USER_ONLY */
#define FAKE_USER_ONLY		   1 /* the bit that limits a context to user level */

/*
 * The values that a CPU records at an overflow interrupt. @sequence is the number of this interrupt
 * on the CPU, counted from 1.
 */
#define FAKE_IP(counter, sequence) (0x10000 * ((counter) + 1) + (sequence))
#define FAKE_NEAR_VALUE(sequence)  (7 * (sequence))
#define FAKE_FAR_VALUE(sequence)   (11 * (sequence))

struct fake_payload {
	__u64 sequence;
	__u64 counter;
	__u64 words[2]; /* ~sequence, ~counter */
};

#endif
