// SPDX-License-Identifier: GPL-2.0-only
/*
 * Arm PMUv3: sharing it with perf_event.
 *
 * The kernel's arm_pmu driver owns the interrupt and hands out the counters.  Those that
 * armv8_notes.c notes as ours are left alone by all of its code, but for three functions, in
 * place of which ours are called:
 *
 * handle_irq	clears the overflow bits of all counters.  Ours are halted before
 *		it runs, so that none can overflow unseen, and go on after it.
 * start	may open all counters to user level, for a thread with a perf event that
 *		is read there (sysctl kernel.perf_user_access).  What ours hold of other
 *		threads is wiped.
 * reset	forgets everything, when a CPU comes up or has been without power.
 *		Ours are put back in place.
 *
 * What cannot be helped: perf clears PMCR_EL0.E, which halts every counter, for
 * the time it takes to move its own events.  It sets it again, because the note
 * of ours makes the CPU look used.
 */
#include <asm/irq_regs.h>
#include <linux/cpu.h>
#include <linux/cpu_pm.h>
#include <linux/interrupt.h>
#include <linux/perf_event.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/smp.h>

#include "armv8.h"
#include "armv8_registers.h"
#include "compat/arm_pmu.h"
#include "perfmon_pmu.h"

#define EVENT_CPU_CYCLES 0x11

DEFINE_PER_CPU(u64, armv8_kept_overflows);

/* CPUs that we use, all of one arm_pmu; and those that we may use, if they have it */
static struct cpumask our_cpus;
static struct cpumask listed_cpus;

static struct arm_pmu *arm_pmu;
static u64 taken; /* counters that are ours, on each of our_cpus */

/* X(function) for each one in whose place ours is called, under the name shared_function. */
#define INTERPOSED(X) X(handle_irq) X(start) X(reset)

/* perf's; they stay as they are while ours are called. */
static struct {
	irqreturn_t (*handle_irq)(struct arm_pmu *pmu);
	void (*start)(struct arm_pmu *pmu);
	void (*reset)(void *pmu);
} perf;

/* Those in whose place ours are called, by perf or by who has interposed after us. */
static struct {
	bool handle_irq;
	bool start;
	bool reset;
} is_interposed;

static __always_inline bool here_is_ours(void)
{
	return cpumask_test_cpu(smp_processor_id(), &our_cpus);
}

/*
 * It may open the counters to user level, as start does, when the sysctl has just been set.
 * In an NMI ours cannot be wiped, so that has to wait for start.
 */
static irqreturn_t call_perfs_handler(struct arm_pmu *pmu)
{
	const u64 access = armv8_read_user_access();
	irqreturn_t result = perf.handle_irq(pmu);

	if (!access)
		armv8_write_user_access(0);
	return result;
}

/*
 * In place of the arm_pmu's own; the interrupt may be an NMI.  pfm_overflow()
 * is asked whenever one of ours wrapped.  perf's handler forgets all overflows that it
 * finds: ours have been noted by then, and nothing of ours counts while it runs.
 */
static irqreturn_t shared_handle_irq(struct arm_pmu *pmu)
{
	irqreturn_t result = IRQ_HANDLED;
	struct pfm_registers *running;
	struct pfm_overflow_result overflow = {};

	if (!here_is_ours())
		return perf.handle_irq(pmu);

	running = pfm_running_registers(&armv8_pmu);
	if (running) {
		armv8_halt(running);
		if (armv8_read_overflows() & running->counters) {
			overflow = pfm_overflow(&armv8_pmu, get_irq_regs(), NULL);
			running = overflow.next;
		}
	} else {
		/*
		 * As an NMI, between the core's taking a set out and its asking
		 * for overflows: what still counts is about to be stopped.
		 */
		armv8_disable(taken);
		isb();
		this_cpu_or(armv8_kept_overflows, armv8_read_overflows() & taken);
	}
	if (!overflow.ours || armv8_read_overflows() & ~taken)
		result = call_perfs_handler(pmu);
	if (running)
		armv8_enable(running->counters);
	return overflow.ours ? IRQ_HANDLED : result;
}

/* Whether one of ours has overflowed, and none of perf's; interrupts off or NMI. */
bool armv8_interrupt_is_ours(const struct arm_pmu *pmu)
{
	const u64 overflows = armv8_read_overflows();

	return pmu == arm_pmu && here_is_ours() && overflows && !(overflows & ~taken);
}

/*
 * What the running set counts is the thread's own.  The others hold what they had when
 * their threads went, which may be in place yet for when they come back.
 */
static void wipe_others(void)
{
	struct pfm_registers *running = pfm_running_registers(&armv8_pmu);
	u64 rest, others = running ? taken & ~running->counters : taken;
	unsigned int n;

	pfm_for_each_bit(n, rest, others)
		armv8_write_counter(n, 0);
	pfm_registers_lost();
}

/*
 * In place of the arm_pmu's own: perf has moved events on this CPU, or switches threads.
 * Interrupts are off; never in an NMI.
 */
static void shared_start(struct arm_pmu *pmu)
{
	perf.start(pmu);
	if (here_is_ours() && armv8_read_user_access())
		wipe_others();
}

static void let_all_count(void)
{
	armv8_write_control(armv8_read_control() | ARMV8_PMCR_E);
}

/*
 * In place of the arm_pmu's own.  Interrupts are off, and the CPU is
 * - coming up: its idle thread runs, which is not monitored; or
 * - back from a state without power.  In cpuidle the idle thread runs, but in
 *   suspend to RAM and hibernation it is the thread that wrote to
 *   /sys/power/state: that one can be counting, see power_changes().
 */
static void shared_reset(void *pmu)
{
	struct pfm_registers *running;
	u64 overflows;

	perf.reset(pmu);
	if (!here_is_ours() || !taken)
		return;
	/* PMCR_EL0.P and .C must have done their work before values come in. */
	isb();
	let_all_count();
	running = pfm_running_registers(&armv8_pmu);
	if (!running) {
		pfm_registers_lost();
		return;
	}
	overflows = this_cpu_read(armv8_kept_overflows);
	armv8_program(running, NULL);
	armv8_load(running, running->used_pmds[0]);
	/* Raises the interrupt again, as far as they have one. */
	armv8_set_overflows(overflows);
	armv8_enable(running->counters);
}

/*
 * Before the power goes, values come to memory.  When it is back, reset is
 * called, also by a notifier.
 */
static int power_changes(struct notifier_block *block, unsigned long event, void *unused)
{
	struct pfm_registers *running = pfm_running_registers(&armv8_pmu);

	if (!running || !taken)
		return NOTIFY_DONE;
	switch (event) {
	case CPU_PM_ENTER:
		armv8_halt(running);
		armv8_read(running, running->pmds);
		this_cpu_or(armv8_kept_overflows,
			    armv8_read_overflows() & running->counters);
		return NOTIFY_OK;
	case CPU_PM_ENTER_FAILED:
		armv8_enable(running->counters);
		return NOTIFY_OK;
	}
	return NOTIFY_DONE;
}

static struct notifier_block power_notifier = {
	.notifier_call = power_changes,
};

/* ---- taking and giving back ------------------------------------------------------------- */

/* As perf leaves a counter that nobody uses: halted and silent.  What it holds is wiped. */
static void silence(u64 counters)
{
	unsigned int n;
	u64 rest;

	armv8_disable(counters);
	armv8_disable_interrupt(counters);
	isb(); /* no overflow after the one that is cleared here */
	armv8_clear_overflows(counters);
	this_cpu_and(armv8_kept_overflows, ~counters);
	pfm_for_each_bit(n, rest, counters)
		armv8_write_counter(n, 0);
}

/**
 * struct taking - counters that are being taken
 * @wanted: all of them
 * @held: those that perf has on some CPU
 */
struct taking {
	u64 wanted;
	atomic64_t held;
};

/* Others of ours may be counting.  All or none are taken here.  Interrupts are off. */
static void take_here(void *argument)
{
	const unsigned int cpu = smp_processor_id();
	struct taking *taking = argument;
	u64 held;

	if (!here_is_ours())
		return;
	held = armv8_noted_by_perf(arm_pmu, cpu, taking->wanted);
	if (held) {
		atomic64_or(held, &taking->held);
		return;
	}
	/* What perf's last thread with access has left open; that of others is perf's. */
	if (armv8_nothing_is_noted(arm_pmu, cpu))
		armv8_write_user_access(0);
	silence(taking->wanted);
	pfm_registers_lost();
	armv8_note(arm_pmu, cpu, taking->wanted);
	let_all_count();
}

/*
 * Only when they are silent perf may have them.  Without any event perf leaves
 * PMCR_EL0.E off.  Interrupts are off.
 */
static void give_back_here(void *argument)
{
	const unsigned int cpu = smp_processor_id();
	const u64 counters = armv8_noted_by_us(arm_pmu, cpu, *(const u64 *)argument);

	if (!here_is_ours())
		return;
	silence(counters);
	armv8_unnote(arm_pmu, cpu, counters);
	if (armv8_nothing_is_noted(arm_pmu, cpu))
		armv8_write_control(armv8_read_control() & ~(u64)ARMV8_PMCR_E);
}

/* Those of @counters that perf has now, on any of our CPUs. */
u64 armv8_perf_has(u64 counters)
{
	unsigned int cpu;
	u64 has = 0;

	for_each_cpu(cpu, &our_cpus)
		has |= armv8_noted_by_perf(arm_pmu, cpu, counters);
	return has;
}

static void give_back(u64 counters)
{
	unsigned int cpu;

	on_each_cpu_mask(&arm_pmu->supported_cpus, give_back_here, &counters, true);
	for_each_cpu_andnot(cpu, &our_cpus, cpu_online_mask)
		armv8_unnote(arm_pmu, cpu, counters);
}

/* Functions that call one of perf's have to know it before they are called themselves. */
static void remember(void)
{
#define REMEMBER(function)                                                               \
	if (!is_interposed.function)                                                     \
		perf.function = arm_pmu->function;
	INTERPOSED(REMEMBER)
}

static void interpose(void)
{
#define INTERPOSE(function)                                                              \
	if (!is_interposed.function)                                                     \
		WRITE_ONCE(arm_pmu->function, shared_##function);                        \
	is_interposed.function = true;
	INTERPOSED(INTERPOSE)
}

/*
 * Somebody who has interposed after us calls us.  To restore what we found would take him
 * out, and he would put us back when he goes.
 *
 * Return: whether perf's are all in place
 */
static bool restore(void)
{
	bool all = armv8_interrupt_restore();

#define RESTORE(function)                                                                \
	if (is_interposed.function)                                                      \
		is_interposed.function = cmpxchg(&arm_pmu->function, shared_##function,  \
						 perf.function) != shared_##function;    \
	all &= !is_interposed.function;
	INTERPOSED(RESTORE)
	return all;
}

/* CPUs that have turned out since to have this PMU: some are known only when they are up. */
static void adopt_cpus(void)
{
	cpumask_and(&our_cpus, &listed_cpus, &arm_pmu->supported_cpus);
	cpumask_or(&armv8_pmu.cpus, &armv8_pmu.cpus, &our_cpus);
}

/**
 * armv8_perf_take() - take counters from perf, on all of our CPUs
 * @wanted: counters that are not ours yet, bit 31 the cycle counter
 *
 * It looks first: a counter that we cannot have anyway is not to be missing when perf
 * schedules its events.  Process context; hotplug held off.
 *
 * Return: -1, or a counter that perf has on some CPU; then none has been taken.
 */
int armv8_perf_take(u64 wanted)
{
	struct taking taking = { .wanted = wanted };
	unsigned int cpu;
	u64 held;

	if (!taken)
		adopt_cpus();
	held = armv8_perf_has(wanted);
	if (held)
		return __ffs(held);
	remember();
	/* All CPUs see by this call what has been remembered. */
	on_each_cpu_mask(&arm_pmu->supported_cpus, take_here, &taking, true);
	for_each_cpu_andnot(cpu, &our_cpus, cpu_online_mask)
		armv8_note(arm_pmu, cpu, wanted);
	held = atomic64_read(&taking.held);
	if (held) {
		give_back(wanted);
		return __ffs(held);
	}
	WRITE_ONCE(taken, taken | wanted);
	interpose();
	armv8_interrupt_take(arm_pmu);
	return -1;
}

/**
 * armv8_perf_give_back() - undo armv8_perf_take()
 * @counters: of ours, nothing counts on them
 *
 * Process context; hotplug held off.
 *
 * Who may still be in the interposed functions after the last one, if they could all be
 * restored?  Nobody:
 * - The interrupt: give_back_here() is an interrupt too and cannot come on top of
 *   it.  One that comes later reads the restored pointer, and so does an NMI on
 *   top of give_back_here(): the pointer was written before the call was sent.
 * - start, and reset on a CPU that is back from power-down: interrupts are off until they
 *   have returned, then comes give_back_here().
 * - reset on a CPU that is coming up: there is none while hotplug is held off.
 */
void armv8_perf_give_back(u64 counters)
{
	WRITE_ONCE(taken, taken & ~counters);
	if (!taken && !restore())
		pr_warn_once(
			"perfmon: another module has its hands on perf's PMU, too: staying there until it has gone\n");
	give_back(counters);
}

/*
 * A CPU is online, perhaps for the first time; on that CPU.  Unless perf's counters there
 * are ours everywhere else, it is one of ours from now on.
 */
static int cpu_comes(unsigned int cpu)
{
	struct taking taking = { .wanted = taken };
	unsigned long flags;

	if (cpumask_test_cpu(cpu, &our_cpus) || !cpumask_test_cpu(cpu, &listed_cpus) ||
	    !cpumask_test_cpu(cpu, &arm_pmu->supported_cpus))
		return 0;
	local_irq_save(flags);
	cpumask_set_cpu(cpu, &our_cpus);
	if (taken)
		take_here(&taking);
	if (atomic64_read(&taking.held))
		cpumask_clear_cpu(cpu, &our_cpus);
	else
		cpumask_set_cpu(cpu, &armv8_pmu.cpus);
	local_irq_restore(flags);
	return 0;
}

/**
 * armv8_perf_find() - find the arm_pmu of the first of some CPUs
 * @list: these CPUs, those that do not have it cleared on return; all that come later and
 *	have it are used, too
 * @name: its name
 *
 * A raw event belongs to the PMU of the CPU itself, so perf tells which one that
 * is; the event never counts.  An arm_pmu is never freed (its driver is built
 * in and cannot be unbound).
 */
int armv8_perf_find(struct cpumask *list, const char **name)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_RAW,
		.size = sizeof(attr),
		.config = EVENT_CPU_CYCLES,
		.pinned = 1,
		.disabled = 1,
	};
	struct perf_event *event;
	unsigned int cpu;

	cpu = cpumask_first_and(list, cpu_online_mask);
	if (cpu >= nr_cpu_ids)
		return -ENODEV;
	event = perf_event_create_kernel_counter(&attr, cpu, NULL, NULL, NULL);
	if (IS_ERR(event))
		return PTR_ERR(event) == -ENOENT ? -ENODEV : PTR_ERR(event);
	arm_pmu = to_arm_pmu(event->pmu);
	perf_event_release_kernel(event);

	cpumask_copy(&listed_cpus, list);
	adopt_cpus();
	cpumask_copy(list, &our_cpus);
	*name = arm_pmu->name;
	return 0;
}

static enum cpuhp_state hotplug_state;

int armv8_perf_init(void)
{
	int error = armv8_notes_init();

	if (error)
		return error;
	error = cpu_pm_register_notifier(&power_notifier);
	if (error)
		goto free_notes;
	error = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "perfmon/armv8:online",
					  cpu_comes, NULL);
	if (error < 0)
		goto unregister;
	hotplug_state = error;
	return 0;

unregister:
	cpu_pm_unregister_notifier(&power_notifier);
free_notes:
	armv8_notes_exit();
	return error;
}

static void do_nothing(void *unused)
{
}

/* Waits until a module that interposed after us, and calls us, has gone. */
static void leave(void)
{
	cpus_read_lock();
	while (!restore()) {
		cpus_read_unlock();
		schedule_timeout_idle(HZ);
		cpus_read_lock();
	}
	on_each_cpu(do_nothing, NULL, true); /* as armv8_perf_give_back() explains */
	cpus_read_unlock();
}

void armv8_perf_exit(void)
{
	cpuhp_remove_state_nocalls(hotplug_state);
	leave();
	cpu_pm_unregister_notifier(&power_notifier);
	synchronize_rcu(); /* the notifiers are called inside RCU */
	armv8_notes_exit();
}
