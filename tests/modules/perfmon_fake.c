// SPDX-License-Identifier: GPL-2.0-only
/*
 * See perfmon_fake.h. This module is similar to perfmon_soft, but its timer fires every
 * FAKE_TICK_NS, and its counters count how often the timer fires. The callback of the timer calls
 * pfm_overflow() each time, even if no counter has overflowed, as the handler of a shared interrupt
 * does.
 */
#include <linux/cpumask.h>
#include <linux/hrtimer.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <asm/irq_regs.h>
#include "compat/hrtimer.h"
#include "perfmon_fake.h"
#include "perfmon_pmu.h"

#define MASK	 pfm_width_mask(32)
#define COUNTERS pfm_width_mask(FAKE_COUNTERS)

/*
 * Number of interrupts with an overflow, and number of interrupts without one, according to
 * pfm_overflow().
 */
static unsigned long ours, not_ours;
module_param(ours, ulong, 0444);
module_param(not_ours, ulong, 0444);

static unsigned int loads, unloads, sets, selected, thread, privileged, level, refuse;
module_param(loads, uint, 0444);
module_param(unloads, uint, 0444);
module_param(sets, uint, 0444);
module_param(selected, uint, 0444);
module_param(thread, uint, 0444);
module_param(privileged, uint, 0444);
module_param(level, uint, 0444);
module_param(refuse, uint, 0644);

static unsigned long claimed;
module_param(claimed, ulong, 0444);

static unsigned int claim_error, names_holder;
module_param(claim_error, uint, 0644);
module_param(names_holder, uint, 0644);

struct fake_cpu {
	struct hrtimer timer;
	u64 selected; /* one bit for each counter, as in @running and @overflows */
	u64 running;
	u64 overflows;
	u64 value[FAKE_COUNTERS];
	u64 sequence;
	struct fake_payload payloads[FAKE_COUNTERS];
};

static DEFINE_PER_CPU(struct fake_cpu, fake_cpus);

static int fake_claim(struct pfm_pmu *pmu, const u64 *pmds)
{
	if (claim_error && names_holder)
		pfm_pmu_blame(FAKE_HOLDER, __ffs64(pmds[0]));
	if (claim_error)
		return -(int)claim_error;
	claimed |= pmds[0];
	return 0;
}

static void fake_release(struct pfm_pmu *pmu, const u64 *pmds)
{
	claimed &= ~pmds[0];
}

static bool fake_check_pmc(unsigned int n, u64 *value)
{
	if (n == FAKE_LEVEL)
		*value &= ~(u64)FAKE_USER_ONLY;
	return true;
}

static int fake_load(struct pfm_session *session)
{
	const struct pfm_registers *registers = NULL;

	if (refuse) {
		strscpy(session->why, FAKE_REFUSAL, sizeof(session->why));
		return -(int)refuse;
	}
	sets = 0;
	selected = 0;
	while ((registers = pfm_session_next(session, registers))) {
		sets++;
		selected += registers->pmcs[0] + registers->pmcs[1];
		level = registers->pmcs[FAKE_LEVEL];
	}
	thread = session->task ? task_pid_nr(session->task) : 0;
	privileged = session->privileged;
	loads++;
	return 0;
}

static void fake_unload(const struct pfm_session *session)
{
	WARN_ON_ONCE(!irqs_disabled());
	WARN_ON_ONCE((session->task ? task_pid_nr(session->task) : 0) != thread);
	unloads++;
}

static void fake_write_pmcs(const struct pfm_registers *registers,
			    const struct pfm_registers *programmed)
{
	this_cpu_ptr(&fake_cpus)->selected = registers->pmcs[0] | registers->pmcs[1] << 1;
}

static void fake_write_pmds(struct pfm_registers *registers, u64 pmds)
{
	struct fake_cpu *cpu = this_cpu_ptr(&fake_cpus);
	unsigned int n;
	u64 rest;

	pfm_for_each_bit(n, rest, pmds & COUNTERS)
		cpu->value[n] = registers->pmds[n] & MASK;
}

static void fake_start(struct pfm_registers *registers)
{
	struct fake_cpu *cpu = this_cpu_ptr(&fake_cpus);

	cpu->running = registers->counters & cpu->selected;
	if (cpu->running)
		hrtimer_start(&cpu->timer, ns_to_ktime(FAKE_TICK_NS),
			      HRTIMER_MODE_REL_PINNED_HARD);
}

static u64 fake_overflows(const struct pfm_registers *registers)
{
	return this_cpu_ptr(&fake_cpus)->overflows & registers->counters;
}

static u64 fake_read(struct pfm_registers *registers, u64 *values)
{
	struct fake_cpu *cpu = this_cpu_ptr(&fake_cpus);
	unsigned int n;
	u64 rest;

	pfm_for_each_bit(n, rest, registers->used_pmds[0] & COUNTERS)
		values[n] = pfm_pmd_merge(registers->pmds[n], cpu->value[n], MASK);
	return fake_overflows(registers);
}

static u64 fake_stop(struct pfm_registers *registers)
{
	struct fake_cpu *cpu = this_cpu_ptr(&fake_cpus);

	cpu->running = 0;
	if (hrtimer_is_queued(&cpu->timer))
		hrtimer_try_to_cancel(&cpu->timer);
	return fake_read(registers, registers->pmds);
}

static void fake_sample(const struct pfm_registers *registers, const u64 *pmds,
			u64 *values)
{
	struct fake_cpu *cpu = this_cpu_ptr(&fake_cpus);

	if (pmds[FAKE_NEAR / 64] & BIT_ULL(FAKE_NEAR % 64))
		values[FAKE_NEAR] = FAKE_NEAR_VALUE(cpu->sequence);
	if (pmds[FAKE_FAR / 64] & BIT_ULL(FAKE_FAR % 64))
		values[FAKE_FAR] = FAKE_FAR_VALUE(cpu->sequence);
}

static void fake_acknowledge(struct pfm_registers *registers, u64 counters)
{
	this_cpu_ptr(&fake_cpus)->overflows &= ~counters;
}

static void tick(struct fake_cpu *cpu)
{
	unsigned int n;
	u64 rest;

	pfm_for_each_bit(n, rest, cpu->running) {
		if (cpu->value[n] == MASK)
			cpu->overflows |= BIT_ULL(n);
		cpu->value[n] = (cpu->value[n] + 1) & MASK;
	}
	if (cpu->overflows)
		cpu->sequence++;
}

static struct pfm_hardware_sample noted(struct fake_cpu *cpu, unsigned int n)
{
	cpu->payloads[n] = (struct fake_payload){
		.sequence = cpu->sequence,
		.counter = n,
		.words = { ~cpu->sequence, ~(u64)n },
	};
	return (struct pfm_hardware_sample){
		.counters = BIT_ULL(n),
		.ip = FAKE_IP(n, cpu->sequence),
		.is_kernel = n == FAKE_KERNEL,
		.payload = &cpu->payloads[n],
		.payload_size = sizeof(cpu->payloads[n]),
	};
}

static struct pfm_pmu fake_pmu;

/*
 * The callback of the timer: counts a tick and calls pfm_overflow(). During the callback, only
 * pfm_overflow() can call fake_stop(). All other callers of fake_stop() run on the timer's CPU with
 * interrupts disabled, so they and the callback never run at the same time. The same is true in
 * perfmon_soft.
 */
static enum hrtimer_restart fake_interrupt(struct hrtimer *timer)
{
	struct fake_cpu *cpu = container_of(timer, struct fake_cpu, timer);
	struct pfm_hardware_sample samples[FAKE_COUNTERS + 1] = {};
	struct pfm_overflow_result overflow;
	unsigned int n;

	if (!cpu->running || cpu != this_cpu_ptr(&fake_cpus))
		return HRTIMER_NORESTART;
	tick(cpu);
	cpu->running = 0;
	for (n = 0; n < FAKE_COUNTERS; n++)
		samples[n] = noted(cpu, n);
	overflow = pfm_overflow(&fake_pmu, get_irq_regs(), samples);
	if (overflow.ours)
		ours++;
	else
		not_ours++;
	if (overflow.next)
		fake_start(overflow.next);
	return HRTIMER_NORESTART;
}

static unsigned int scope;
module_param(scope, uint, 0444);

/* For each group of CPUs: the CPU number of the owner + 1, or 0 if the group has no owner yet. */
static int owners[NR_CPUS];

/*
 * An owner stays the owner as long as it is online. A new owner is the online CPU with the highest
 * number in its group, so that a test can take the owner offline. Not every guest can take CPU 0
 * offline.
 */
static int fake_owner(const struct pfm_pmu *pmu, int number)
{
	int *owner = &owners[number / scope], cpu;

	if (*owner && cpu_online(*owner - 1))
		return *owner - 1;
	for_each_online_cpu(cpu)
		if (cpu / scope == number / scope)
			*owner = cpu + 1;
	return *owner - 1;
}

static struct pfm_pmu_operations fake_operations = {
	.claim = fake_claim,
	.release = fake_release,
	.check_pmc = fake_check_pmc,
	.load = fake_load,
	.unload = fake_unload,
	.write_pmcs = fake_write_pmcs,
	.write_pmds = fake_write_pmds,
	.start = fake_start,
	.stop = fake_stop,
	.read = fake_read,
	.sample = fake_sample,
	.overflows = fake_overflows,
	.acknowledge = fake_acknowledge,
};

#define TYPE PFM_REG_NO_LEVELS

static const struct pfm_register fake_pmcs[] = {
	{ .name = "SELECT0", .type = TYPE, .reserved = ~1ull, .counters = BIT_ULL(0) },
	{ .name = "SELECT1", .type = TYPE, .reserved = ~1ull, .counters = BIT_ULL(1) },
	[FAKE_LEVEL] = { .name = "LEVEL", .user_set = FAKE_USER_ONLY },
};

static const struct pfm_register fake_pmds[FAKE_FAR + 1] = {
	[FAKE_USER] = { .name = "USER", .type = PFM_REG_COUNTER, .width = 32 },
	[FAKE_KERNEL] = { .name = "KERNEL", .type = PFM_REG_COUNTER, .width = 32 },
	[FAKE_FORGOTTEN] = { .name = "FORGOTTEN", .type = PFM_REG_READ_ONLY, .width = 64 },
	[FAKE_NEAR] = { .name = "NEAR", .type = PFM_REG_SAMPLED, .width = 64 },
	[FAKE_FAR] = { .name = "FAR", .type = PFM_REG_SAMPLED, .width = 64 },
};

static struct pfm_pmu fake_pmu = {
	.interface = PFM_PMU_INTERFACE,
	.name = "fake",
	.model = "ticks of a timer",
	.operations = &fake_operations,
	.pmcs = fake_pmcs,
	.pmds = fake_pmds,
	.pmc_count = ARRAY_SIZE(fake_pmcs),
	.pmd_count = ARRAY_SIZE(fake_pmds),
};

static int __init fake_init(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		hrtimer_setup(&per_cpu(fake_cpus, cpu).timer, fake_interrupt,
			      CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	if (scope) {
		fake_pmu.scope = "group";
		fake_operations.owner = fake_owner;
	}
	return pfm_pmu_register(&fake_pmu);
}
module_init(fake_init);

static void __exit fake_exit(void)
{
	int cpu;

	pfm_pmu_unregister(&fake_pmu);
	for_each_possible_cpu(cpu)
		hrtimer_cancel(&per_cpu(fake_cpus, cpu).timer);
}
module_exit(fake_exit);

MODULE_DESCRIPTION("perfmon: a PMU that records samples itself, for tests");
MODULE_LICENSE("GPL");
