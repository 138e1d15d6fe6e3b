// SPDX-License-Identifier: GPL-2.0-only
/*
 * x86: share the counters with perf_event, one by one.
 *
 * perf owns all counters while it has a hardware event, and the NMI watchdog always has one.
 * So each counter of ours is a perf event: a *placeholder*, pinned to the counter and to a CPU
 * (x86_placeholders.c). perf schedules it, handles its interrupts and may move it to another
 * counter, as with perf's own events.
 *
 * For perf a placeholder never stops.  While a set counts, its placeholders hold the set's
 * values.  In between they are *parked*: their values are erased, and general counters count
 * nothing, because a program may read all counters by RDPMC (perf's attribute "rdpmc").  So
 * start and stop write an event select and a value for each counter.
 *
 * The registers are written directly.  perf keeps notes of them: prev_count, period_left and
 * config.  The notes always say what the registers hold, so perf can stop, move and restart a
 * placeholder at any time, and nothing is lost.
 *
 * When a counter wraps, perf's NMI handler adds the period to the value and calls our overflow
 * handler.  The period is the range of the PMD.  So the low bits of the counter stay as they
 * are, and the flag of the wrap is set again: here cpu->pending has the wrap instead.
 */
#include <asm/nmi.h>
#include <asm/perf_event.h>
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/hardirq.h>
#include <linux/perf_event.h>
#include <linux/sched/task_stack.h>

#include "x86.h"
#include "x86_placeholders.h"

/**
 * struct shared_cpu - our counters on a CPU; used by that CPU only, interrupts off
 * @loaded: the set whose values the placeholders hold; NULL while all are parked
 * @pending: counters of @loaded that wrapped and were not acknowledged.  An NMI may set bits.
 * @is_loading: the values are being written: an NMI must only take a note
 */
struct shared_cpu {
	struct pfm_registers *loaded;
	u64 pending;
	bool is_loading;
};

static DEFINE_PER_CPU(struct shared_cpu, shared_cpus);

#define LEVELS (ARCH_PERFMON_EVENTSEL_OS | ARCH_PERFMON_EVENTSEL_USR)

/* ---- one placeholder ---------------------------------------------------------------------- */

/* Bits of an event select that belong to us.  perf has others, such as AMD's host bit. */
static u64 own_bits(void)
{
	return x86->select_bits | X86_SELECT_INT;
}

/*
 * What perf would write to the event select. perf clears the host bit where virtualization is
 * off, because with the bit set nothing would count; then the bit is clear in the register now.
 */
static u64 select_of(const struct perf_event *event)
{
	const u64 select = event->hw.config | X86_SELECT_EN;
	const u64 host = select & AMD64_EVENTSEL_HOSTONLY & ~own_bits();

	return host ? select & ~(host & ~x86_read_msr(event->hw.config_base)) : select;
}

/* Return: whether the event has a counter.  If perf has stopped it, only the notes are valid. */
static __always_inline bool has_counter(const struct perf_event *event)
{
	return event->state == PERF_EVENT_STATE_ACTIVE &&
	       !(event->hw.state & PERF_HES_STOPPED);
}

/* Return: the counter's bits. */
static __always_inline u64 read_value(struct perf_event *event)
{
	if (unlikely(!has_counter(event)))
		return -local64_read(&event->hw.period_left);
	return x86_rdpmc(event->hw.event_base_rdpmc);
}

/* Let the counter continue from @value.  Its wrap is one range of the PMD away, at most. */
static __always_inline void load_value(struct perf_event *event,
				       const struct x86_counter *counter, u64 value)
{
	const u64 left = counter->mask + 1 - (value & counter->mask);

	local64_set(&event->hw.period_left, left);
	local64_set(&event->hw.prev_count, -left);
	if (likely(has_counter(event)))
		x86_write(event->hw.event_base, -left & pfm_width_mask(counter->bits));
}

/* Let a general counter count as @select says. */
static __always_inline void load_select(struct perf_event *event, u64 select)
{
	event->hw.config = (event->hw.config & ~own_bits()) | select;
	if (likely(has_counter(event)))
		x86_write(event->hw.config_base, select_of(event));
}

/*
 * Erase the value.  The config is neutral, because perf's choice of a counter depends on it, and
 * without levels, so that a general counter counts nothing.  A fixed counter continues: it cannot
 * be stopped cheaply, see set_levels().
 */
static __always_inline void park(struct perf_event *event, unsigned int n)
{
	if (n < X86_FIXED)
		load_select(event, X86_SELECT_INT | X86_NEUTRAL_EVENT);
	load_value(event, &x86->counters[n], 0);
}

/*
 * Fixed counters have one control register, of which perf keeps a copy.  perf writes it when it
 * ends a change of its events.  In an NMI, perf's handler will write it when we return.  So only
 * the levels of a fixed counter change, and only if another set needs other ones.
 */
static void set_levels(struct perf_event *event, u64 levels)
{
	struct pmu *pmu = event->pmu;
	const bool inside = in_nmi();

	if ((event->hw.config & LEVELS) == levels)
		return;
	if (!inside)
		pmu->pmu_disable(pmu);
	pmu->stop(event, PERF_EF_UPDATE);
	event->hw.config = (event->hw.config & ~LEVELS) | levels;
	pmu->start(event, PERF_EF_RELOAD);
	if (!inside)
		pmu->pmu_enable(pmu);
}

/*
 * When perf looks at the config again, it would recognize an event that a fixed counter can
 * count, and move it there.  With the invert flag it does not recognize the event.  The processor
 * ignores this flag if there is no counter mask (Intel SDM 3B, "Performance Event Select
 * Registers").
 */
static u64 keep_off_fixed(u64 select)
{
	return x86->fixed_control && !(select & ARCH_PERFMON_EVENTSEL_CMASK)
		       ? select | ARCH_PERFMON_EVENTSEL_INV
		       : select;
}

/* The event select as the set needs it; for a fixed counter, only the levels. */
static u64 wanted_select(const struct pfm_registers *registers, unsigned int n)
{
	u64 field;

	if (n < X86_FIXED)
		return keep_off_fixed(registers->pmcs[n] & own_bits()) |
		       (registers->interrupting & BIT_ULL(n) ? X86_SELECT_INT : 0);
	field = registers->pmcs[X86_FIXED] >> X86_FIXED_SHIFT(n);
	return (field & X86_FIXED_KERNEL ? ARCH_PERFMON_EVENTSEL_OS : 0) |
	       (field & X86_FIXED_USER ? ARCH_PERFMON_EVENTSEL_USR : 0);
}

static void configure(struct perf_event *event, u64 select, unsigned int n)
{
	if (n >= X86_FIXED) {
		set_levels(event, select & LEVELS);
		return;
	}
	load_select(event, select);
}

/*
 * Whether the counter of @event can count the event of PMC @n.  The counter of PMD @n
 * always can; some events can also be counted by another one, to which perf may have
 * moved the placeholder.
 */
static bool is_right(const struct perf_event *event,
		     const struct pfm_registers *registers, unsigned int n, bool may_move)
{
	if (!event || !has_counter(event))
		return false;
	if (likely(event->hw.idx == x86_index_in_perf(n)))
		return true;
	return may_move && n < X86_FIXED && event->hw.idx < X86_FIXED &&
	       x86->counts_anywhere(registers->pmcs[n]);
}

static bool all_are_right(const struct pfm_registers *registers, bool may_move)
{
	unsigned int n;
	u64 rest;

	pfm_for_each_bit(n, rest, registers->counters)
		if (!is_right(x86_placeholder(n), registers, n, may_move))
			return false;
	return true;
}

/* ---- operations --------------------------------------------------------------------------- */

/*
 * perf moves a placeholder when an event of its own needs that counter.  All parked placeholders
 * are equal, so each may take the place of another.  A set that is already counting continues,
 * because perf moves the values with the placeholder.
 */
static bool shared_can_count(const struct pfm_registers *registers)
{
	if (x86_records_branches(registers))
		return false;
	if (likely(all_are_right(registers, false)))
		return true;
	x86_placeholders_sort();
	return all_are_right(registers, true);
}

/* Empty: start() writes the event selects, because perf may change them before the start. */
static void shared_write_pmcs(const struct pfm_registers *registers,
			      const struct pfm_registers *programmed)
{
}

/* Before the start there is nothing to do: start() writes all values. */
static void shared_write_pmds(struct pfm_registers *registers, u64 pmds)
{
	unsigned int n;
	u64 rest;

	if (this_cpu_read(shared_cpus.loaded) != registers)
		return;
	pfm_for_each_bit(n, rest, pmds & registers->counters)
		load_value(x86_placeholder(n), &x86->counters[n], registers->pmds[n]);
}

static void load_all(struct shared_cpu *cpu, struct pfm_registers *registers)
{
	struct perf_event *event;
	unsigned int n;
	u64 rest;

	cpu->loaded = registers;
	pfm_for_each_bit(n, rest, registers->counters) {
		event = x86_placeholder(n);
		configure(event, wanted_select(registers, n), n);
		event->hw.sample_period = x86->counters[n].mask + 1;
		load_value(event, &x86->counters[n], registers->pmds[n]);
	}
}

static void set_loading(struct shared_cpu *cpu, bool is_loading)
{
	barrier();
	WRITE_ONCE(cpu->is_loading, is_loading);
	barrier();
}

/* Return: the set that counts next; may be NULL. */
static struct pfm_registers *handle_overflows(struct pt_regs *regs)
{
	return pfm_overflow(&x86->pmu, regs, NULL).next;
}

/*
 * A counter may wrap before the last one is loaded.  Its NMI must not look at the others yet, so
 * it leaves the wrap to us.  The overflow then has the address where the thread entered the
 * kernel.  If an NMI comes while we look for such wraps, it handles them itself, and may mask
 * the context or switch sets.
 */
static void shared_start(struct pfm_registers *registers)
{
	struct shared_cpu *cpu = this_cpu_ptr(&shared_cpus);

	if (cpu->loaded == registers)
		return; /* the set continues after an overflow */
	do {
		set_loading(cpu, true);
		if (cpu->loaded != registers)
			load_all(cpu, registers);
		set_loading(cpu, false);
		if (likely(!READ_ONCE(cpu->pending)))
			return;
		set_loading(cpu, true);
		registers = cpu->pending ? handle_overflows(task_pt_regs(
						   registers->task ?: current))
					 : pfm_running_registers(&x86->pmu);
	} while (registers);
	set_loading(cpu, false);
}

/*
 * Take the value and the flag of a counter at the same moment: an NMI in between may have moved
 * the flag to @pending.
 */
static __always_inline u64 read_counter(const struct shared_cpu *cpu,
					struct perf_event *event,
					const struct x86_counter *counter, unsigned int n,
					u64 *overflows)
{
	u64 pending, value;

	do {
		pending = READ_ONCE(cpu->pending);
		barrier();
		value = read_value(event);
		barrier();
	} while (unlikely(pending != READ_ONCE(cpu->pending)));
	if (unlikely(!(value & counter->flag) || pending & BIT_ULL(n)))
		*overflows |= BIT_ULL(n);
	return value;
}

static u64 shared_read(struct pfm_registers *registers, u64 *values)
{
	const struct shared_cpu *cpu = this_cpu_ptr(&shared_cpus);
	const struct x86_counter *counter;
	u64 rest, value, overflows = 0;
	unsigned int n;

	pfm_for_each_bit(n, rest, registers->counters) {
		counter = &x86->counters[n];
		value = read_counter(cpu, x86_placeholder(n), counter, n, &overflows);
		values[n] = pfm_pmd_merge(registers->pmds[n], value, counter->mask);
	}
	return overflows;
}

/* A wrap between the reading and the parking comes after the stop: it is dropped. */
static u64 shared_stop(struct pfm_registers *registers)
{
	struct shared_cpu *cpu = this_cpu_ptr(&shared_cpus);
	const struct x86_counter *counter;
	struct perf_event *event;
	u64 rest, value, overflows = 0;
	unsigned int n;

	pfm_for_each_bit(n, rest, registers->counters) {
		counter = &x86->counters[n];
		event = x86_placeholder(n);
		value = read_counter(cpu, event, counter, n, &overflows);
		park(event, n);
		registers->pmds[n] =
			pfm_pmd_merge(registers->pmds[n], value, counter->mask);
	}
	cpu->loaded = NULL;
	barrier();
	cpu->pending = 0;
	return overflows;
}

static u64 shared_overflows(const struct pfm_registers *registers)
{
	const struct shared_cpu *cpu = this_cpu_ptr(&shared_cpus);
	u64 rest, overflows = cpu->pending;
	unsigned int n;

	pfm_for_each_bit(n, rest, registers->counters)
		if (!(read_value(x86_placeholder(n)) & x86->counters[n].flag))
			overflows |= BIT_ULL(n);
	return overflows;
}

/* After a stop the counters are parked, and their wraps are forgotten already. */
static void shared_acknowledge(struct pfm_registers *registers, u64 counters)
{
	struct shared_cpu *cpu = this_cpu_ptr(&shared_cpus);
	struct perf_event *event;
	unsigned int n;
	u64 rest, value;

	if (!x86->global_acknowledge && !in_nmi())
		x86_note_overflows(counters);
	if (cpu->loaded != registers)
		return;
	pfm_for_each_bit(n, rest, counters) {
		event = x86_placeholder(n);
		value = read_value(event);
		if (!(value & x86->counters[n].flag))
			load_value(event, &x86->counters[n], value);
	}
	cpu->pending &= ~counters;
}

/* ---- the interrupt ------------------------------------------------------------------------ */

/*
 * perf's handler halts all counters where there is a global control register.  Elsewhere ours
 * would count the handler.  Nothing but this function clears the enable bit.
 */
static void enable_each(u64 counters, bool enable)
{
	struct perf_event *event;
	unsigned int n;
	u64 rest, select;

	if (x86->global_control)
		return;
	pfm_for_each_bit(n, rest, counters) {
		event = x86_placeholder(n);
		select = select_of(event);
		x86_write(event->hw.config_base,
			  enable ? select : select & ~X86_SELECT_EN);
	}
}

/* Called by perf in an NMI, after it has added the period to the counter. */
void x86_shared_overflow(struct perf_event *event, struct perf_sample_data *data,
			 struct pt_regs *regs)
{
	struct shared_cpu *cpu = this_cpu_ptr(&shared_cpus);
	const unsigned int n = x86_placeholder_number(event);
	struct pfm_registers *loaded = cpu->loaded, *next;

	/* perf would stop an event that has too many interrupts.  The core has its own limit. */
	event->hw.interrupts = 0;
	if (!loaded || !(loaded->interrupting & BIT_ULL(n)))
		return;
	cpu->pending |= BIT_ULL(n);
	if (cpu->is_loading || pfm_running_registers(&x86->pmu) != loaded)
		return;
	enable_each(loaded->counters, false);
	next = handle_overflows(regs);
	if (next)
		shared_start(next);
	enable_each(loaded->counters, true);
}

/*
 * Without a status register perf does not recognize the NMI of a wrap that a stop has found
 * before.
 */
static int handle_late_nmi(unsigned int type, struct pt_regs *regs)
{
	return x86_nmi_is_late() ? NMI_HANDLED : NMI_DONE;
}

/* ---- claim and release -------------------------------------------------------------------- */

static u64 shared_pmds; /* also read when a CPU comes online */
static enum cpuhp_state shared_hotplug_state;

static int begin_on(unsigned int cpu)
{
	x86_placeholders_take(cpu, shared_pmds);
	return 0;
}

static int end_on(unsigned int cpu)
{
	pfm_cpu_goes_offline();
	x86_placeholders_keep(cpu, 0);
	return 0;
}

static int begin(void)
{
	int state = register_nmi_handler(NMI_LOCAL, handle_late_nmi, 0, "perfmon");

	if (state)
		return state;
	state = cpuhp_setup_state_nocalls_cpuslocked(
		CPUHP_AP_ONLINE_DYN, "perfmon/x86:online", begin_on, end_on);
	if (state < 0) {
		unregister_nmi_handler(NMI_LOCAL, "perfmon");
		return state;
	}
	shared_hotplug_state = state;
	return 0;
}

static void end(void)
{
	__cpuhp_remove_state_cpuslocked(shared_hotplug_state, false);
	unregister_nmi_handler(NMI_LOCAL, "perfmon");
}

/* perf has its own use for the records of branches, and does not lend them. */
static u64 branch_pmds(const struct pfm_pmu *pmu, unsigned int word)
{
	unsigned int n;
	u64 map = 0;

	for (n = word * 64; n < min(pmu->pmd_count, word * 64 + 64); n++)
		if (pmu->pmds[n].type & PFM_REG_SAMPLED)
			map |= BIT_ULL(n % 64);
	return map;
}

static int refuse_branches(const struct pfm_pmu *pmu, const u64 *pmds)
{
	unsigned int word;
	u64 refused;

	for (word = 0; word < PFM_HARDWARE_BV; word++) {
		refused = pmds[word] & branch_pmds(pmu, word);
		if (!refused)
			continue;
		pfm_pmu_blame("perf (ownership is shared)", word * 64 + __ffs64(refused));
		return -EBUSY;
	}
	return 0;
}

/* A set that gets the PMC of the branches later cannot count: shared_can_count(). */
static int shared_load(struct pfm_session *session)
{
	const struct pfm_registers *registers = NULL;

	while ((registers = pfm_session_next(session, registers))) {
		if (!x86_records_branches(registers))
			continue;
		strscpy(session->why, "branch records need exclusive ownership",
			sizeof(session->why));
		return -EBUSY;
	}
	return 0;
}

static int shared_claim(struct pfm_pmu *pmu, const u64 *pmds)
{
	unsigned int cpu;
	u64 missing = 0;
	int error = refuse_branches(pmu, pmds);

	if (!error && !shared_pmds)
		error = begin();
	if (error)
		return error;
	for_each_online_cpu(cpu) {
		missing = x86_placeholders_take(cpu, pmds[0]);
		if (missing)
			break;
	}
	if (missing) {
		pfm_pmu_blame("perf or the NMI watchdog", __ffs64(missing));
		for_each_online_cpu(cpu)
			x86_placeholders_keep(cpu, shared_pmds);
		if (!shared_pmds)
			end();
		return -EBUSY;
	}
	shared_pmds |= pmds[0];
	return 0;
}

static void shared_release(struct pfm_pmu *pmu, const u64 *pmds)
{
	unsigned int cpu;

	shared_pmds &= ~pmds[0];
	for_each_online_cpu(cpu)
		x86_placeholders_keep(cpu, shared_pmds);
	if (!shared_pmds)
		end();
}

/* Ask on this CPU: the watchdog, and perf stat -a, hold the same counter on each CPU. */
static void shared_held_by_others(const struct pfm_pmu *pmu, u64 *pmds)
{
	unsigned int n, word;
	u64 all = 0;

	for (word = 0; word < PFM_HARDWARE_BV; word++)
		pmds[word] |= branch_pmds(pmu, word);
	for (n = 0; n < X86_REGISTERS; n++)
		if (x86->counters[n].value)
			all |= BIT_ULL(n);
	cpus_read_lock();
	pmds[0] |= x86_placeholders_held(raw_smp_processor_id(), all);
	cpus_read_unlock();
}

struct pfm_pmu_operations x86_shared_operations = {
	.claim = shared_claim,
	.release = shared_release,
	.held_by_others = shared_held_by_others,
	.load = shared_load,
	.can_count = shared_can_count,
	.write_pmcs = shared_write_pmcs,
	.write_pmds = shared_write_pmds,
	.start = shared_start,
	.stop = shared_stop,
	.read = shared_read,
	.overflows = shared_overflows,
	.acknowledge = shared_acknowledge,
};
