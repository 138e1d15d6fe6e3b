// SPDX-License-Identifier: GPL-2.0-only
/*
 * Shares Arm PMUv3 with perf_event.
 *
 * The kernel's arm_pmu driver owns the interrupt and allocates the counters.  It does not
 * touch the counters that armv8_used.c marks as used, except in three functions, which we
 * interpose:
 *
 * handle_irq	clears the overflow bits of all counters.  We halt our counters before
 *		handle_irq runs, so that it cannot clear a new overflow.  Afterwards we
 *		start our counters again.
 * start	may open all counters to user level, for a thread that reads a perf event
 *		at user level (sysctl kernel.perf_user_access).  We clear those of our
 *		counters that have values of other threads.
 * reset	resets all registers, when a CPU comes online or regains its power.
 *		We restore ours.
 *
 * One effect on our counts remains: while perf moves its own events, it clears PMCR_EL0.E,
 * which halts every counter.  After the move perf sets PMCR_EL0.E again if any counter is
 * marked as used, so our counters continue.
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
#include "perf_pmus.h"
#include "perfmon_pmu.h"

#define EVENT_CPU_CYCLES 0x11

DEFINE_PER_CPU(u64, armv8_kept_overflows);

/*
 * our_cpus: CPUs that we use.  All of them have the same arm_pmu.
 * listed_cpus: CPUs that we may use if they have that arm_pmu.
 */
static struct cpumask our_cpus;
static struct cpumask listed_cpus;

static struct arm_pmu *arm_pmu;
static u64 claimed; /* the counters that we hold on each CPU in our_cpus */

/*
 * X(function) for each function of perf's driver that we interpose; shared_FUNCTION() is called
 * instead.
 */
#define INTERPOSED(X) X(handle_irq) X(start) X(reset)

/* perf's functions.  These pointers do not change while our functions may be called. */
static struct {
	irqreturn_t (*handle_irq)(struct arm_pmu *pmu);
	void (*start)(struct arm_pmu *pmu);
	void (*reset)(void *pmu);
} perf;

/* For each function: true while perf or a module that interposed after us may call our function. */
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
 * perf's handler may open the counters to user level, as perf.start() does, if the sysctl
 * kernel.perf_user_access has just been set.  We cannot clear our counters in an NMI, so we close
 * all counters until perf calls start() again.
 */
static irqreturn_t call_perfs_handler(struct arm_pmu *pmu)
{
	const u64 access = armv8_read_user_access();
	irqreturn_t result = perf.handle_irq(pmu);

	if (!access)
		armv8_write_user_access(0);
	return result;
}

static __always_inline u64 counters_of(const struct pfm_registers *set)
{
	return set ? set->counters : 0;
}

static __always_inline u64 running_counters(struct pfm_running running)
{
	return counters_of(running.thread) | counters_of(running.cpu);
}

/*
 * An NMI may come when pfm_running_sets() does not return a set any more, but the core has not yet
 * called stop() for this set.  The set's counters still run.  They are halted here, and their
 * overflows are kept for stop(), because perf's handler clears the overflows.
 */
static noinline void halt_withdrawn(u64 counters)
{
	armv8_disable(counters);
	isb();
	this_cpu_or(armv8_kept_overflows, armv8_read_overflows() & counters);
}

/*
 * Call pfm_overflow_of() if a counter of @set has wrapped.
 * Return: the set of the same context that counts after the interrupt; NULL if none does.
 */
static __always_inline struct pfm_registers *handle_set(struct pfm_registers *set,
							bool *ours)
{
	struct pfm_overflow_result result;

	if (!(armv8_read_overflows() & counters_of(set)))
		return set;
	result = pfm_overflow_of(&armv8_pmu, set, get_irq_regs());
	*ours |= result.ours;
	return result.next;
}

/*
 * Call pfm_overflow_of() for each set with a counter that wrapped, and perf's handler if one of
 * perf's counters may have wrapped.  perf's handler clears all overflows.  So it runs after the
 * core has recorded our overflows, and while our counters are halted.
 */
static __always_inline irqreturn_t handle_sets(struct arm_pmu *pmu,
					       struct pfm_running running)
{
	u64 counters = running_counters(running);
	irqreturn_t result = IRQ_HANDLED;
	bool ours = false;

	if (counters) {
		armv8_disable(counters);
		isb(); /* so that the counters are halted before they are read or written */
	}
	if (!counters || (in_nmi() && !(running.thread && running.cpu)))
		halt_withdrawn(claimed & ~counters);
	running.thread = handle_set(running.thread, &ours);
	running.cpu = handle_set(running.cpu, &ours);
	if (!ours || armv8_read_overflows() & ~claimed)
		result = call_perfs_handler(pmu);
	counters = running_counters(running);
	if (counters)
		armv8_enable(counters);
	return ours ? IRQ_HANDLED : result;
}

/* Not inlined, because it is called rarely: usually only a thread's set runs. */
static noinline irqreturn_t handle_other_sets(struct arm_pmu *pmu,
					      struct pfm_running running)
{
	return handle_sets(pmu, running);
}

/* Called instead of arm_pmu.handle_irq, perhaps in an NMI. */
static irqreturn_t shared_handle_irq(struct arm_pmu *pmu)
{
	struct pfm_running running;

	if (!here_is_ours())
		return perf.handle_irq(pmu);
	running = pfm_running_sets(&armv8_pmu);
	if (unlikely(!running.thread || running.cpu))
		return handle_other_sets(pmu, running);
	running.cpu = NULL; /* lets the compiler leave out the code for running.cpu */
	return handle_sets(pmu, running);
}

/*
 * Return: whether one of our counters has overflowed and none of perf's counters has.  Called with
 * interrupts off or from NMI.
 */
bool armv8_interrupt_is_ours(const struct arm_pmu *pmu)
{
	const u64 overflows = armv8_read_overflows();

	return pmu == arm_pmu && here_is_ours() && overflows && !(overflows & ~claimed);
}

/*
 * Clear our counters, except those of the running sets: these sets belong to the current thread
 * and to the CPU.  The other counters may still have values of threads that were switched out.
 */
static void clear_others(void)
{
	u64 rest, others = claimed & ~running_counters(pfm_running_sets(&armv8_pmu));
	unsigned int n;

	pfm_for_each_bit(n, rest, others)
		armv8_write_counter(n, 0);
	pfm_registers_lost();
}

/*
 * Called instead of arm_pmu.start: after perf has moved events on this CPU, and when perf replaces
 * the events of a thread by those of the next thread.  Interrupts are off.  Never called in an NMI.
 */
static void shared_start(struct arm_pmu *pmu)
{
	perf.start(pmu);
	if (here_is_ours() && armv8_read_user_access())
		clear_others();
}

static void enable_pmu(void)
{
	armv8_write_control(armv8_read_control() | ARMV8_PMCR_E);
}

static void write_again(struct pfm_registers *registers)
{
	u64 overflows = this_cpu_read(armv8_kept_overflows) & counters_of(registers);

	if (!registers)
		return;
	armv8_program(registers, NULL);
	armv8_load(registers, registers->used_pmds[0]);
	/* This write raises the interrupt again for counters that may interrupt. */
	armv8_set_overflows(overflows);
	armv8_enable(registers->counters);
}

/*
 * Called instead of arm_pmu.reset, with interrupts off.  There are two cases:
 * - The CPU comes online.  Its idle thread runs, which is not monitored.
 * - The CPU has regained its power.  After cpuidle, this CPU runs its idle thread.  After suspend
 *   to RAM or hibernation, it runs the thread that wrote to /sys/power/state.  That thread may be
 *   monitored: see power_changes().
 */
static void shared_reset(void *pmu)
{
	struct pfm_running running;

	perf.reset(pmu);
	if (!here_is_ours() || !claimed)
		return;
	/* perf.reset() has set PMCR_EL0.P and .C.  Wait until they have cleared the counters. */
	isb();
	enable_pmu();
	pfm_registers_lost();
	running = pfm_running_sets(&armv8_pmu);
	write_again(running.thread);
	write_again(running.cpu);
}

static void save(struct pfm_registers *registers)
{
	if (!registers)
		return;
	armv8_halt(registers);
	armv8_read(registers, registers->pmds);
	this_cpu_or(armv8_kept_overflows, armv8_read_overflows() & registers->counters);
}

/*
 * Save the values before the CPU loses its power.  When the CPU has its power again, a
 * notifier of perf's driver calls reset().
 */
static int power_changes(struct notifier_block *block, unsigned long event, void *unused)
{
	const struct pfm_running running = pfm_running_sets(&armv8_pmu);

	if (!running_counters(running) || !claimed)
		return NOTIFY_DONE;
	switch (event) {
	case CPU_PM_ENTER:
		save(running.thread);
		save(running.cpu);
		return NOTIFY_OK;
	case CPU_PM_ENTER_FAILED:
		armv8_enable(running_counters(running));
		return NOTIFY_OK;
	}
	return NOTIFY_DONE;
}

static struct notifier_block power_notifier = {
	.notifier_call = power_changes,
};

/* ---- claim and release ------------------------------------------------------------------ */

/*
 * Halt counters, disable their interrupts and clear them.  perf, too, leaves unused counters
 * halted, with their interrupts disabled.
 */
static void halt_and_clear(u64 counters)
{
	unsigned int n;
	u64 rest;

	armv8_disable(counters);
	armv8_disable_interrupt(counters);
	isb(); /* from here on these counters cannot overflow */
	armv8_clear_overflows(counters);
	this_cpu_and(armv8_kept_overflows, ~counters);
	pfm_for_each_bit(n, rest, counters)
		armv8_write_counter(n, 0);
}

/**
 * struct claim - counters that are being claimed
 * @wanted: bitmap of the counters to claim
 * @held: those of @wanted that perf uses on some CPU
 */
struct claim {
	u64 wanted;
	atomic64_t held;
};

/*
 * Claim all counters in @argument->wanted on this CPU.  If perf uses one of them, claim none.
 * Counters that we claimed earlier may be counting, so they are not halted.  Interrupts are off.
 */
static void claim_here(void *argument)
{
	const unsigned int cpu = smp_processor_id();
	struct claim *claim = argument;
	u64 held;

	if (!here_is_ours())
		return;
	held = armv8_used_by_perf(arm_pmu, cpu, claim->wanted);
	if (held) {
		atomic64_or(held, &claim->held);
		return;
	}
	/*
	 * If no perf event is on this CPU, close the counters to user level: an earlier event may
	 * have left them open.
	 */
	if (armv8_none_used(arm_pmu, cpu))
		armv8_write_user_access(0);
	halt_and_clear(claim->wanted);
	pfm_registers_lost();
	armv8_mark_used(arm_pmu, cpu, claim->wanted);
	enable_pmu();
}

/*
 * Release those counters in the bitmap *@argument that are ours on this CPU.  Clear them before
 * they are marked as unused, because perf may use unused counters.  If no counter of this CPU is
 * used any more, switch PMCR_EL0.E off, as perf does.  Interrupts are off.
 */
static void release_here(void *argument)
{
	const unsigned int cpu = smp_processor_id();
	const u64 counters = armv8_used_by_us(arm_pmu, cpu, *(const u64 *)argument);

	if (!here_is_ours())
		return;
	halt_and_clear(counters);
	armv8_mark_unused(arm_pmu, cpu, counters);
	if (armv8_none_used(arm_pmu, cpu))
		armv8_write_control(armv8_read_control() & ~(u64)ARMV8_PMCR_E);
}

/* Return: those of @counters that perf uses now, on any of our CPUs. */
u64 armv8_perf_uses(u64 counters)
{
	unsigned int cpu;
	u64 has = 0;

	for_each_cpu(cpu, &our_cpus)
		has |= armv8_used_by_perf(arm_pmu, cpu, counters);
	return has;
}

static void release_everywhere(u64 counters)
{
	unsigned int cpu;

	on_each_cpu_mask(&arm_pmu->supported_cpus, release_here, &counters, true);
	for_each_cpu_andnot(cpu, &our_cpus, cpu_online_mask)
		armv8_mark_unused(arm_pmu, cpu, counters);
}

/* Our functions call perf's functions, so perf's are stored before ours are installed. */
static void store_perfs_functions(void)
{
#define STORE(function)                                                                  \
	if (!is_interposed.function)                                                     \
		perf.function = arm_pmu->function;
	INTERPOSED(STORE)
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
 * Restore each of perf's functions, unless another module has interposed it after us.  Such a
 * module calls our function.  If we restored perf's function now, that module's function would not
 * be called any more.  And when that module is unloaded later, it would install our function again.
 *
 * Return: whether all of perf's functions are in place
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

/*
 * Use all listed CPUs that have this PMU.  Some CPUs get their PMU only when they first come
 * online.
 */
static void adopt_cpus(void)
{
	cpumask_and(&our_cpus, &listed_cpus, &arm_pmu->supported_cpus);
	cpumask_or(&armv8_pmu.cpus, &armv8_pmu.cpus, &our_cpus);
}

/**
 * armv8_perf_claim() - claim counters from perf, on all of our CPUs
 * @wanted: bitmap of the counters to claim, none of them ours yet; bit 31 is the cycle counter
 *
 * All CPUs are checked before any counter is claimed.  Without this check, a claim that fails would
 * take counters from perf for a moment.  Process context; hotplug held off.
 *
 * Return: -1 if all counters were claimed.  If none was claimed, the number of a counter that perf
 * uses on some CPU.
 */
int armv8_perf_claim(u64 wanted)
{
	struct claim claim = { .wanted = wanted };
	unsigned int cpu;
	u64 held;

	if (!claimed)
		adopt_cpus();
	held = armv8_perf_uses(wanted);
	if (held)
		return __ffs(held);
	store_perfs_functions();
	/* After this call all CPUs see the pointers that store_perfs_functions() has stored. */
	on_each_cpu_mask(&arm_pmu->supported_cpus, claim_here, &claim, true);
	for_each_cpu_andnot(cpu, &our_cpus, cpu_online_mask)
		armv8_mark_used(arm_pmu, cpu, wanted);
	held = atomic64_read(&claim.held);
	if (held) {
		release_everywhere(wanted);
		return __ffs(held);
	}
	WRITE_ONCE(claimed, claimed | wanted);
	interpose();
	armv8_interrupt_interpose(arm_pmu);
	return -1;
}

/**
 * armv8_perf_release() - undo armv8_perf_claim()
 * @counters: bitmap of our counters to release, which are halted
 *
 * Process context; hotplug held off.
 *
 * When this call has released the last counter and has restored all of perf's functions, no CPU
 * runs one of our functions any more:
 * - handle_irq(): release_here() runs in an interrupt, so it runs only after handle_irq() has
 *   returned.  The pointer is restored before release_here() is called.  So a later interrupt
 *   calls perf's function, and so does an NMI during release_here().
 * - start(): it runs with interrupts off, so release_here() runs only after it has returned.
 * - reset() on a CPU that regained its power: as for start().
 * - reset() on a CPU that comes online: impossible while hotplug is held off.
 */
void armv8_perf_release(u64 counters)
{
	WRITE_ONCE(claimed, claimed & ~counters);
	if (!claimed && !restore())
		pr_warn_once(
			"perfmon: another module has also replaced functions of perf's PMU driver: perfmon's replacements stay in place until that module is unloaded\n");
	release_everywhere(counters);
}

/*
 * Called on a CPU that has come online, perhaps for the first time.  If perf uses one of our
 * claimed counters on this CPU, leave this CPU to perf.  Otherwise use it from now on.
 */
static int armv8_cpu_online(unsigned int cpu)
{
	struct claim claim = { .wanted = claimed };
	unsigned long flags;

	if (cpumask_test_cpu(cpu, &our_cpus) || !cpumask_test_cpu(cpu, &listed_cpus) ||
	    !cpumask_test_cpu(cpu, &arm_pmu->supported_cpus))
		return 0;
	local_irq_save(flags);
	cpumask_set_cpu(cpu, &our_cpus);
	if (claimed)
		claim_here(&claim);
	if (atomic64_read(&claim.held))
		cpumask_clear_cpu(cpu, &our_cpus);
	else
		cpumask_set_cpu(cpu, &armv8_pmu.cpus);
	local_irq_restore(flags);
	return 0;
}

/**
 * armv8_perf_find() - find the arm_pmu of the first online CPU of a list
 * @list: the CPUs that may be used.  Each CPU that does not have the same arm_pmu as the first
 *	online CPU of the list is removed.  If a removed CPU comes online later and then has this
 *	arm_pmu, the CPU is used, too.
 * @name: set to the name of the arm_pmu
 *
 * perf gives a raw event to the PMU of the event's CPU.  So create a raw event that never counts,
 * and take its PMU.  An arm_pmu is never freed (its driver is built in and cannot be unbound).
 */
int armv8_perf_find(struct cpumask *list, const char **name)
{
	struct perf_event *event;
	unsigned int cpu;

	cpu = cpumask_first_and(list, cpu_online_mask);
	if (cpu >= nr_cpu_ids)
		return -ENODEV;
	event = perf_idle_event(cpu, PERF_TYPE_RAW, EVENT_CPU_CYCLES);
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
	int error = armv8_used_init();

	if (error)
		return error;
	error = cpu_pm_register_notifier(&power_notifier);
	if (error)
		goto free_used;
	error = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "perfmon/armv8:online",
					  armv8_cpu_online, NULL);
	if (error < 0)
		goto unregister;
	hotplug_state = error;
	return 0;

unregister:
	cpu_pm_unregister_notifier(&power_notifier);
free_used:
	armv8_used_exit();
	return error;
}

static void do_nothing(void *unused)
{
}

/* Restore perf's functions.  If another module interposed after us, wait until it is unloaded. */
static void leave(void)
{
	cpus_read_lock();
	while (!restore()) {
		cpus_read_unlock();
		schedule_timeout_idle(HZ);
		cpus_read_lock();
	}
	on_each_cpu(do_nothing, NULL, true); /* see armv8_perf_release() */
	cpus_read_unlock();
}

void armv8_perf_exit(void)
{
	cpuhp_remove_state_nocalls(hotplug_state);
	leave();
	cpu_pm_unregister_notifier(&power_notifier);
	synchronize_rcu(); /* the notifiers are called in RCU read-side sections */
	armv8_used_exit();
}
