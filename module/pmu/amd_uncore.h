/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PERFMON_AMD_UNCORE_H
#define PERFMON_AMD_UNCORE_H

#include <linux/hrtimer.h>
#include <linux/perf_event.h>
#include <perfmon_pmu.h>

#define UNCORE_COUNTERS 16 /* maximum number of counters of a PMU that we use */

/**
 * struct uncore_counter - a counter; used only on the CPU that owns it, with interrupts off
 * @placeholder: the event of perf that has the register; NULL if perf has no PMU for these
 *	registers, or if the counter is not claimed
 * @value: the 64-bit value
 * @last: the register's value at the last update of @value
 */
struct uncore_counter {
	struct perf_event *placeholder;
	u64 value;
	u64 last;
};

/**
 * struct uncore_cpu - the registers that a CPU owns
 * @timer: updates the counters, so often that no register wraps twice between two updates
 * @running: the set that counts; NULL when halted
 * @overflows: counters whose 64-bit values have overflowed
 * @instance: number of the CPU's cache or package; negative if it is not known yet or if there is
 *	none
 * @is_owner: whether the CPU owns the registers; used only if perf has no PMU for them
 */
struct uncore_cpu {
	struct hrtimer timer;
	struct uncore *uncore;
	struct pfm_registers *running;
	u64 overflows;
	int instance;
	bool is_owner;
	struct uncore_counter counters[UNCORE_COUNTERS];
};

/**
 * struct uncore - a PMU that several CPUs share
 * @name_in_perf: name of perf's PMU
 * @base: MSR of the first counter's control register.  The count register of this counter follows,
 *	and then the two registers of each further counter.
 * @instance_of: returns the number of the cache or package of the CPU that calls it
 * @cpus: for each CPU, the registers that it owns
 * @claimed: the counters that are claimed
 * @is_known: perf had this PMU when the first counter was claimed, so placeholders hold the
 *	registers
 */
struct uncore {
	struct pfm_pmu pmu;
	const char *name_in_perf;
	u32 base;
	int (*instance_of)(void);
	struct uncore_cpu __percpu *cpus;
	u64 claimed;
	bool is_known;
	struct pfm_register pmcs[UNCORE_COUNTERS];
	struct pfm_register pmds[UNCORE_COUNTERS];
};

extern struct uncore amd_l3, amd_df;

static inline struct uncore *uncore_of(const struct pfm_pmu *pmu)
{
	return container_of(pmu, struct uncore, pmu);
}

/*
 * Return: the MSR of counter @n's control register, or 0 if the counter has no register now.  0 is
 * possible only if placeholders hold the registers.  Then either the counter is not claimed, or
 * perf's events have changed and perf has found no register for the placeholder.
 */
static inline u32 uncore_control(const struct uncore_cpu *cpu, unsigned int n)
{
	const struct perf_event *event = cpu->counters[n].placeholder;

	if (!cpu->uncore->is_known)
		return cpu->uncore->base + 2 * n;
	return event && event->hw.idx >= 0 ? cpu->uncore->base + 2 * event->hw.idx : 0;
}

/*
 * Let a counter count an event, or halt it if @event is 0.  Called on the owner CPU with
 * interrupts off.
 */
void uncore_select(struct uncore_cpu *cpu, unsigned int n, u64 event);

/* Operations of struct pfm_pmu_operations */
int uncore_owner(const struct pfm_pmu *pmu, int number);
int uncore_claim(struct pfm_pmu *pmu, const u64 *pmds);
void uncore_release(struct pfm_pmu *pmu, const u64 *pmds);
int uncore_load(struct pfm_session *session);

/* Module init and exit */
int uncore_perf_init(void);
void uncore_perf_exit(void);

#endif
