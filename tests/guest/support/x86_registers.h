/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * x86: reads and writes model-specific registers, with the help of module perfmon_msr. Some of the
 * registers exist only for tests, in the emulated PMU of tests/vm/qemu-x86-pmu.
 */
#ifndef X86_REGISTERS_H
#define X86_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>

#define TEST_ID	       0x504d5500
#define TEST_DELAY     0x504d5501
#define TEST_LOSE      0x504d5502
#define TEST_DO	       0x504d5503
#define TEST_L3	       0x504d5504
#define TEST_DF	       0x504d5505
#define TEST_PAUSE     0x504d5506
#define TEST_PAUSE_IN  0x504d5507
#define TEST_ACCESSES  0x504d5508
#define TEST_PAUSES    0x504d5510

/* Bits of TEST_DO */
#define DO_FOREIGN_NMI 1
#define DO_PMI	       2
#define DO_MASK	       4
#define DO_MAXIMUM     8

/*
 * Kinds of access. Register TEST_ACCESSES + k contains the number of accesses of kind k.
 */
enum access {
	ACCESS_RDPMC,
	ACCESS_RDMSR,
	ACCESS_SELECT, /* this kind and all kinds below are WRMSR */
	ACCESS_COUNTER,
	ACCESS_GLOBAL_CONTROL,
	ACCESS_FIXED_CONTROL,
	ACCESS_ACKNOWLEDGE,
	ACCESS_OTHER,
	ACCESSES
};

/*
 * Runs @check on CPU 0, with perfmon_msr loaded. Skips the test unless the emulated PMU is there.
 * Afterwards sets TEST_DELAY and TEST_LOSE to 0, even if @check fails.
 */
void with_test_registers(void (*check)(void));

/*
 * Like with_test_registers(), but also skips the test unless the PMU is Intel's or AMD's, its
 * counters are not shared with perf, and the guest counts instructions exactly.
 */
void with_own_counters(void (*check)(void));

/*
 * These functions read and write a register of the current CPU. Module perfmon_msr must be loaded.
 */
uint64_t msr_read(uint32_t msr);
void msr_write(uint32_t msr, uint64_t value);
/* Returns 0, or EIO if the access faults. */
int msr_try_write(uint32_t msr, uint64_t value);

/*
 * msr_choose() prepares a write of @value. msr_write_chosen() does this write with only one system
 * call, so a test can call it in the middle of a measurement. Only one write can be prepared at a
 * time.
 */
void msr_choose(uint32_t msr, uint64_t value);
void msr_write_chosen(void);

void accesses_reset(void);
uint64_t accesses(enum access kind);

/*
 * Ensures that the kernel reports the next unknown NMI. Linux 6.12 and 7.2 report at most ten
 * unknown NMIs in five seconds, so this function first sleeps for six seconds. When perf has
 * stopped an event of IBS, perf handles the next NMI as one of its own, even if this NMI has
 * another source (perf_ibs_handle_irq()). perfmon's placeholders are such events. So this function
 * raises an NMI that perf can handle. If perf handles this NMI for two events, the kernel ignores
 * the next NMI at the same instruction until the CPU has been idle (default_do_nmi()). So at the
 * end this function sleeps for 10 ms, and the CPU becomes idle.
 */
void wait_for_unknown_nmi_reports(void);

/*
 * /proc/interrupts has a line that begins with @name, such as "NMI:". Returns the sum of the
 * numbers of all CPUs in this line.
 */
uint64_t interrupts(const char *name);

#endif
