// SPDX-License-Identifier: GPL-2.0-only
/*
 * x86: own all counters while perf_event has no hardware event.
 *
 * perf reserves all counters for its first hardware event, and releases them after its last one
 * (reserve_perfctr_nmi()).  We call the same function, and reserve all counters or none.  perf's
 * NMI handler returns immediately while perf has no event.
 *
 * An overflow interrupt is an NMI.  It may come late, after its overflow has been found and
 * acknowledged.  This happens if the counters are stopped at the moment of the overflow, if two
 * counters overflow one after the other, or if another NMI finds the overflow.  The kernel would
 * report a late NMI as unknown.  So for some time after an overflow, NMIs that find no overflow
 * are accepted as ours.  On AMD's processors all of them are accepted, as in perf.  On Intel's
 * processors only the first one is accepted; was_delivered() asks the local APIC whether a further
 * NMI is ours.
 *
 * An overflow interrupt may also get lost, or other code, such as firmware, may mask it.  Then the
 * overflow is found at the next stop or interrupt.
 */
#include <asm/apic.h>
#include <asm/nmi.h>
#include <linux/bitops.h>
#include <linux/cpuhotplug.h>
#include <linux/hardirq.h>
#include <linux/jiffies.h>
#include <linux/moduleparam.h>
#include <linux/sysfs.h>

#include "compat/syscore.h"
#include "x86.h"

/*
 * Maximum number of ticks from the moment when we find an overflow to its late NMI.  For AMD's
 * processors perf uses the same time.
 */
#define LATE_TICKS_INTEL 2
#define LATE_TICKS_AMD	 (HZ / 10)

/* The local APIC's register LVTPC in x2APIC mode (SDM 3A, "x2APIC Register Address Space"). */
#define LVTPC_MSR	 (APIC_BASE_MSR + (APIC_LVTPC >> 4))

/**
 * struct exclusive_cpu - what we know about a CPU and its counters
 * @is_ours: the counters are ours, from take_registers() to return_registers()
 * @late_count: number of NMIs that found no overflow and were accepted as ours
 * @idle_control: the value of the global control register before we took the counters
 */
struct exclusive_cpu {
	bool is_ours;
	unsigned long late_count;
	u64 idle_control;
};

static DEFINE_PER_CPU(struct exclusive_cpu, exclusive_cpus);

/* The time, in jiffies, when we last found an overflow whose NMI may come late. */
DEFINE_PER_CPU(unsigned long, x86_noted_at);

static enum cpuhp_state hotplug_state;

/*
 * Whether the local APIC is in x2APIC mode.  Set when the counters are claimed, because
 * x2apic_enabled() reads an MSR each time.
 */
static bool has_x2apic __read_mostly;

/* ---- the interrupt ------------------------------------------------------------------------ */

/*
 * apic_read() and apic_write() cannot be used: newer kernels do not export the functions that
 * these two call.  Kernels without CONFIG_X86_X2APIC do not declare native_apic_msr_read() and
 * native_apic_msr_write(), so the MSR is accessed directly.
 */
static u32 read_lvtpc(void)
{
	if (has_x2apic)
		return x86_read_msr(LVTPC_MSR);
	return native_apic_mem_read(APIC_LVTPC);
}

static void allow_interrupt(void)
{
	if (has_x2apic)
		x86_write(LVTPC_MSR, APIC_DM_NMI);
	else
		native_apic_mem_write(APIC_LVTPC, APIC_DM_NMI);
}

/*
 * Record that an overflow has been found, and that its NMI may still come.  Called on the CPU of
 * the overflow, with interrupts off or in an NMI.
 *
 * If an overflow is found outside of an NMI, the interrupt may be masked, for example by firmware.
 * So this function unmasks it.
 */
void x86_expect_late(void)
{
	this_cpu_write(x86_noted_at, jiffies);
	if (!in_nmi())
		allow_interrupt();
}

static void expect_none_late(void)
{
	this_cpu_write(x86_noted_at, jiffies - HZ);
}

/*
 * Called in an NMI that has found no overflow.
 *
 * Return: whether the NMI may be the late interrupt of an overflow that has been handled already.
 */
bool x86_nmi_is_late(void)
{
	const unsigned long ticks = x86->masks_interrupt ? LATE_TICKS_INTEL
							 : LATE_TICKS_AMD;
	const bool is_late = !time_after(jiffies, this_cpu_read(x86_noted_at) + ticks);

	if (x86->masks_interrupt)
		expect_none_late();
	if (is_late)
		this_cpu_inc(exclusive_cpus.late_count);
	return is_late;
}

/*
 * Each time Intel's local APIC delivers the overflow interrupt, it also masks this interrupt (SDM
 * 3A, "Local Vector Table").  handle_nmi() unmasks it before it returns.  So if the interrupt is
 * masked in an NMI, the counters have raised this NMI.
 */
static bool was_delivered(void)
{
	if (!x86->masks_interrupt || !(read_lvtpc() & APIC_LVT_MASKED))
		return false;
	this_cpu_inc(exclusive_cpus.late_count);
	return true;
}

/* Return: whether an NMI that has found no overflow is ours. */
static noinline bool is_ours_without_overflow(void)
{
	return x86_nmi_is_late() || was_delivered();
}

/* Return: whether a counter has an overflow that the core has not acknowledged. */
static noinline bool has_overflow(void)
{
	const struct x86_counter *counter;
	unsigned int n;

	for (n = 0; n < X86_REGISTERS; n++) {
		counter = &x86->counters[n];
		if (counter->value && !(x86_read_counter(counter) & counter->flag))
			return true;
	}
	return false;
}

/* Let @next count after an interrupt.  @running: the set that counted before the interrupt. */
static void go_on(struct pfm_registers *next, const struct pfm_registers *running)
{
	if (!x86_records_branches(next))
		;
	else if (next == running)
		x86->branches->resume(next);
	else
		x86->branches->begin(next);
	x86_start(next);
}

/*
 * No set runs, but the counters may count: halt them.  perf reserves no counter for an event of
 * Intel PT or BTS.  While such an event exists, perf's handler for Intel's counters enables all
 * counters in each NMI.  Our handler is called after perf's, so the counters count what the kernel
 * executes between the two handlers.  So if a stopped set selects the kernel level, its values in
 * the registers may be wrong, and the core must write them again.
 */
static void halt_stopped(void)
{
	if (!x86->global_control || !x86_read_msr(x86->global_control))
		return;
	x86_write(x86->global_control, 0);
	pfm_registers_lost();
}

/*
 * The kernel calls this handler for every NMI of a CPU, whichever device raised it.  If
 * pfm_running_registers() returns NULL, the core may be about to stop a set.  Then this handler
 * leaves an overflow of that set in the counter, and the core finds it there.
 */
static int handle_nmi(unsigned int type, struct pt_regs *regs)
{
	const struct pfm_hardware_sample *noted = NULL;
	struct pfm_registers *running;
	struct pfm_overflow_result result = {};

	if (!this_cpu_read(exclusive_cpus.is_ours))
		return NMI_DONE;
	running = pfm_running_registers(&x86->pmu);
	if (running) {
		if (x86_records_branches(running))
			x86->branches->end();
		x86_halt(running);
		if (unlikely(x86_armed(running)))
			noted = x86->pebs->collect(x86_armed(running));
		result = pfm_overflow(&x86->pmu, regs, noted);
	} else {
		halt_stopped();
		result.ours = has_overflow();
	}
	if (unlikely(!result.ours))
		result.ours = is_ours_without_overflow();
	if (x86->masks_interrupt)
		allow_interrupt();
	if (result.next)
		go_on(result.next, running);
	return result.ours ? NMI_HANDLED : NMI_DONE;
}

static int show_late(char *text, const struct kernel_param *unused)
{
	unsigned long sum = 0;
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		sum += per_cpu(exclusive_cpus, cpu).late_count;
	return sysfs_emit(text, "%lu\n", sum);
}

static const struct kernel_param_ops late_operations = { .get = show_late };
module_param_cb(late_interrupts, &late_operations, NULL, 0444);
MODULE_PARM_DESC(
	late_interrupts,
	"number of overflow interrupts whose overflow was already handled (read only)");

/* ---- claim and release -------------------------------------------------------------------- */

/*
 * Halt all counters and clear their values.  If @ours is true, write x86_counter.fill to each
 * counter, so that the counter's PMD becomes 0.  If @ours is false, write 0 to each counter.
 */
static void clear_registers(bool ours)
{
	const struct x86_counter *counter;
	u64 all = 0;
	unsigned int n;

	if (x86->global_control)
		x86_write(x86->global_control, 0);
	if (x86->pebs)
		x86_write(x86->pebs->enable, 0);
	if (x86->fixed_control)
		x86_write(x86->fixed_control, 0);
	for (n = 0; n < X86_REGISTERS; n++) {
		counter = &x86->counters[n];
		if (!counter->value)
			continue;
		if (counter->select)
			x86_write(counter->select, 0);
		x86_write(counter->load, ours ? counter->fill : 0);
		all |= n < X86_FIXED ? BIT_ULL(n) : BIT_ULL(n - X86_FIXED + 32);
	}
	if (x86->global_acknowledge)
		x86_write(x86->global_acknowledge,
			  all | (x86->pebs ? x86->pebs->acknowledge : 0));
	for (n = 0; n < x86->extra_count; n++)
		x86_write(x86->extras[n].msr, 0);
	x86_registers_cleared();
}

static u64 read_msr(u32 msr)
{
	u32 low = 0, high = 0;

	if (msr)
		rdmsr_safe(msr, &low, &high);
	return (u64)high << 32 | low;
}

/* Take the registers of this CPU.  Interrupts off. */
static void take_registers(void)
{
	struct exclusive_cpu *cpu = this_cpu_ptr(&exclusive_cpus);

	cpu->idle_control = read_msr(x86->global_control);
	clear_registers(true);
	if (x86->branches)
		x86->branches->own(true);
	if (x86->pebs)
		x86->pebs->begin();
	expect_none_late();
	cpu->is_ours = true;
	allow_interrupt();
}

/*
 * Undo take_registers().  No set counts on this CPU.  clear_registers() writes 0 to each counter,
 * and has_overflow() treats the value 0 as an overflow.  So handle_nmi() accepts every NMI until
 * is_ours is false.
 */
static void return_registers(void)
{
	struct exclusive_cpu *cpu = this_cpu_ptr(&exclusive_cpus);

	clear_registers(false);
	if (x86->branches)
		x86->branches->own(false);
	if (x86->pebs)
		x86->pebs->end();
	if (x86->global_control)
		x86_write(x86->global_control, cpu->idle_control);
	cpu->is_ours = false;
}

/*
 * Called on every CPU when the hardware is claimed, and on CPUs that come online later, before
 * ordinary threads run there.
 */
static int begin_here(unsigned int n)
{
	unsigned long flags;

	local_irq_save(flags);
	take_registers();
	pfm_registers_lost();
	local_irq_restore(flags);
	return 0;
}

/*
 * Undo begin_here().  Called on every CPU when the hardware is released, and on a CPU that goes
 * offline.  No monitored thread runs on the CPU then.
 */
static int end_here(unsigned int n)
{
	unsigned long flags;

	pfm_cpu_goes_offline();
	local_irq_save(flags);
	return_registers();
	local_irq_restore(flags);
	return 0;
}

/*
 * Called before the machine is suspended, on the last CPU that is online.  Stops our counters,
 * because this CPU is about to lose the contents of its registers.  Interrupts off.
 */
static int suspend_owned(PFM_SYSCORE_ARGUMENT)
{
	pfm_cpu_pause(&x86->pmu);
	return_registers();
	return 0;
}

static void resume_owned(PFM_SYSCORE_ARGUMENT)
{
	take_registers();
	pfm_cpu_resume(&x86->pmu);
}

PFM_SYSCORE(exclusive_syscore, suspend_owned, resume_owned);

static void release_counters(unsigned int end)
{
	while (end--) {
		if (!x86->counters[end].select)
			continue;
		release_evntsel_nmi(x86->counters[end].select);
		release_perfctr_nmi(x86->counters[end].value);
	}
}

/*
 * Reserve all general counters.  If one of them cannot be reserved, reserve none.  The kernel has
 * no function that reserves a fixed counter.  A driver that has reserved the general counters may
 * use the fixed counters, too.
 *
 * Return: true if the counters are reserved.
 */
static bool reserve_counters(void)
{
	const struct x86_counter *counter;
	unsigned int n;

	for (n = 0; n < X86_REGISTERS; n++) {
		counter = &x86->counters[n];
		if (!counter->select)
			continue;
		if (!reserve_perfctr_nmi(counter->value))
			break;
		if (!reserve_evntsel_nmi(counter->select)) {
			release_perfctr_nmi(counter->value);
			break;
		}
	}
	if (n < X86_REGISTERS)
		release_counters(n);
	return n == X86_REGISTERS;
}

/*
 * Return: true if nobody uses the counters at the moment.  If the NMI watchdog is on, it
 * always uses a counter.
 */
bool x86_exclusive_is_possible(void)
{
	if (!reserve_counters())
		return false;
	release_counters(X86_REGISTERS);
	return true;
}

/**
 * x86_exclusive_claim() - own all counters, on all CPUs
 *
 * Process context, may sleep, CPU hotplug held off.
 *
 * Return: 0, -EBUSY after pfm_pmu_blame(), or another errno.
 */
int x86_exclusive_claim(void)
{
	int state;

	if (!reserve_counters()) {
		pfm_pmu_blame("perf or the NMI watchdog", PFM_WHOLE_PMU);
		return -EBUSY;
	}
	has_x2apic = x2apic_enabled();
	state = register_nmi_handler(NMI_LOCAL, handle_nmi, 0, "perfmon");
	if (state)
		goto release;
	state = cpuhp_setup_state_cpuslocked(CPUHP_AP_ONLINE_DYN, "perfmon/x86:online",
					     begin_here, end_here);
	if (state < 0)
		goto unregister;
	hotplug_state = state;
	pfm_syscore_register(&exclusive_syscore);
	return 0;

unregister:
	unregister_nmi_handler(NMI_LOCAL, "perfmon");
release:
	release_counters(X86_REGISTERS);
	return state;
}

/* Undo x86_exclusive_claim(). */
void x86_exclusive_release(void)
{
	pfm_syscore_unregister(&exclusive_syscore);
	__cpuhp_remove_state_cpuslocked(hotplug_state, true);
	unregister_nmi_handler(NMI_LOCAL, "perfmon");
	release_counters(X86_REGISTERS);
}
