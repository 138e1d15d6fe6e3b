// SPDX-License-Identifier: GPL-2.0-only
/*
 * x86: share the counters with perf_event, one by one.
 *
 * perf owns all counters while it has a hardware event, and the NMI watchdog always has such an
 * event.  So we hold each of our counters with a *placeholder*: a pinned perf event of one CPU
 * (x86_placeholders.c).  perf treats a placeholder like its own events: it schedules the
 * placeholder, handles its interrupts, and may move it to another counter.
 *
 * perf assumes that a placeholder counts all the time.  While a set counts, its placeholders hold
 * the set's values.  At other times they are *parked*: their values are erased, and placeholders on
 * general counters count nothing.  If the set's values were not erased, a program could read them
 * with RDPMC (perf's attribute "rdpmc").  So start() and stop() write an event select and a
 * value for each counter.
 *
 * We write the registers directly.  perf keeps their contents in the fields prev_count, period_left
 * and config of a placeholder.  We keep these fields up to date.  So nothing is lost when perf
 * stops, moves or restarts a placeholder.
 *
 * When a counter wraps, perf's NMI handler adds the period to the value and calls our overflow
 * handler.  The period is the range of the PMD.  So the low bits of the counter stay as they
 * are, but the overflow flag no longer shows the wrap.  Instead, set->pending records the wrap.
 */
#include <asm/perf_event.h>
#include <linux/hardirq.h>
#include <linux/perf_event.h>
#include <linux/sched/task_stack.h>

#include "x86.h"
#include "x86_placeholders.h"

/*
 * Two contexts may count on a CPU at the same time, with different counters: a thread's context and
 * a system-wide context.
 */
enum {
	OF_THREAD,
	OF_CPU,
	SETS
};

/**
 * struct shared_set - the set of one of the two contexts that may count on a CPU
 * @loaded: the set whose values are in placeholders; NULL while its placeholders are parked
 * @pending: counters of @loaded whose wrap has not been acknowledged yet.  An NMI may set bits.
 * @is_loading: true while shared_start() writes the values or handles the wraps in @pending.
 *	During this time an NMI only sets bits in @pending.
 *
 * Only this CPU uses the structure, with interrupts off.
 */
struct shared_set {
	struct pfm_registers *loaded;
	u64 pending;
	bool is_loading;
};

static DEFINE_PER_CPU(struct shared_set[SETS], shared_sets);

static __always_inline struct shared_set *set_of(const struct pfm_registers *registers)
{
	return this_cpu_ptr(&shared_sets[registers->task ? OF_THREAD : OF_CPU]);
}

#define LEVELS (ARCH_PERFMON_EVENTSEL_OS | ARCH_PERFMON_EVENTSEL_USR)

/* ---- one placeholder ---------------------------------------------------------------------- */

/*
 * Bits of an event select that belong to us.  Other bits belong to perf, such as AMD's host
 * bit.
 */
static u64 own_bits(void)
{
	return x86->select_bits | X86_SELECT_INT;
}

/*
 * Return: what perf would write to the event select.  If virtualization is off, a counter with the
 * host bit would count nothing.  So perf clears this bit in the register, but not in the config.
 * This function takes the bit from the register.
 */
static u64 select_of(const struct perf_event *event)
{
	const u64 select = event->hw.config | X86_SELECT_EN;
	const u64 host = select & AMD64_EVENTSEL_HOSTONLY & ~own_bits();

	return host ? select & ~(host & ~x86_read_msr(event->hw.config_base)) : select;
}

/*
 * Return: whether the event has a counter that holds its value.  If perf has stopped the event to
 * move it, the value is only in the fields of the event.  If perf has stopped it because of too
 * many interrupts, the value is still in the counter.
 */
static __always_inline bool has_counter(const struct perf_event *event)
{
	return event->state == PERF_EVENT_STATE_ACTIVE &&
	       !(event->hw.state & PERF_HES_UPTODATE);
}

/* Return: the value of the event's counter, including its overflow flag. */
static __always_inline u64 read_value(struct perf_event *event)
{
	if (unlikely(!has_counter(event)))
		return -local64_read(&event->hw.period_left);
	return x86_rdpmc(event->hw.event_base_rdpmc);
}

/*
 * Let the counter continue from @value.  The PMD is only the low bits of the counter.  The other
 * bits are set, so the counter wraps when the PMD does.
 */
static __always_inline void load_value(struct perf_event *event,
				       const struct x86_counter *counter, u64 value)
{
	const u64 left = counter->mask + 1 - (value & counter->mask);

	local64_set(&event->hw.period_left, left);
	local64_set(&event->hw.prev_count, -left);
	if (likely(has_counter(event)))
		x86_write(event->hw.event_base, -left & pfm_width_mask(counter->bits));
}

/* Make a general counter count what @select says. */
static __always_inline void load_select(struct perf_event *event, u64 select)
{
	event->hw.config = (event->hw.config & ~own_bits()) | select;
	if (likely(has_counter(event)))
		x86_write(event->hw.config_base, select_of(event));
}

/*
 * Erase the value, and make the config neutral, because perf chooses the counter by the config.
 * The neutral config selects no level, so a general counter counts nothing.  A fixed counter
 * continues to count: it cannot be stopped cheaply, see set_levels().
 */
static __always_inline void park(struct perf_event *event, unsigned int n)
{
	if (n < X86_FIXED)
		load_select(event, X86_SELECT_INT | X86_NEUTRAL_EVENT);
	load_value(event, &x86->counters[n], 0);
}

/*
 * All fixed counters share one control register, and perf keeps a copy of its value.  perf writes
 * this copy to the register when its events have changed, and in an NMI when our handler has
 * returned.  So this function changes the levels in the config, and lets perf write the register.
 * If the counter has these levels already, this function does nothing.
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
 * If a fixed counter can count the event, perf would recognize the event in the config, and move
 * the placeholder to the fixed counter.  With the invert flag, perf does not recognize the event.
 * The processor ignores this flag if there is no counter mask (Intel SDM 3B, "Performance Event
 * Select Registers").
 */
static u64 keep_off_fixed(u64 select)
{
	return x86->fixed_control && !(select & ARCH_PERFMON_EVENTSEL_CMASK)
		       ? select | ARCH_PERFMON_EVENTSEL_INV
		       : select;
}

/* Return: the event select that the set needs; for a fixed counter, only its levels. */
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
 * Return: whether the counter of @event can count the event of PMC @n.  The counter of PMD @n can
 * always do so.  perf may have moved the placeholder to another general counter.  That counter is
 * right only if @may_move is true and all general counters can count the event.
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

static u64 loaded_counters(void)
{
	const struct shared_set *sets = this_cpu_ptr(shared_sets), *set;
	u64 counters = 0;

	for (set = sets; set < sets + SETS; set++)
		if (set->loaded)
			counters |= set->loaded->counters;
	return counters;
}

/*
 * Return: whether each placeholder of the set has a counter that can count the set's event.
 *
 * perf moves a placeholder when an event of perf needs the placeholder's counter.  All parked
 * placeholders are equal, so each may take the place of another.  A set that is already counting
 * continues, because perf moves the placeholder together with its value.
 *
 * An NMI may interrupt x86_placeholders_sort(), and switch to another set.  So in an NMI this
 * function does not sort: the set counts only if all its counters are right already.
 */
static bool shared_can_count(const struct pfm_registers *registers)
{
	if (x86_records_branches(registers))
		return false;
	if (likely(all_are_right(registers, false)))
		return true;
	if (!in_nmi())
		x86_placeholders_sort(~loaded_counters());
	return all_are_right(registers, true);
}

/* Does nothing: perf may change the event selects before the start, so start() writes them. */
static void shared_write_pmcs(const struct pfm_registers *registers,
			      const struct pfm_registers *programmed)
{
}

/* Before the start there is nothing to do: start() writes all values. */
static void shared_write_pmds(struct pfm_registers *registers, u64 pmds)
{
	unsigned int n;
	u64 rest;

	if (set_of(registers)->loaded != registers)
		return;
	pfm_for_each_bit(n, rest, pmds & registers->counters)
		load_value(x86_placeholder(n), &x86->counters[n], registers->pmds[n]);
}

static void load_all(struct shared_set *set, struct pfm_registers *registers)
{
	struct perf_event *event;
	unsigned int n;
	u64 rest;

	set->loaded = registers;
	pfm_for_each_bit(n, rest, registers->counters) {
		event = x86_placeholder(n);
		configure(event, wanted_select(registers, n), n);
		event->hw.sample_period = x86->counters[n].mask + 1;
		load_value(event, &x86->counters[n], registers->pmds[n]);
	}
}

static void set_loading(struct shared_set *set, bool is_loading)
{
	barrier();
	WRITE_ONCE(set->is_loading, is_loading);
	barrier();
}

/*
 * An NMI may have switched to another set.
 *
 * Return: the set that counts now in the context of @registers; NULL if none does.
 */
static struct pfm_registers *running_now(const struct pfm_registers *registers)
{
	const struct pfm_running running = pfm_running_sets(&x86->pmu);

	return registers->task ? running.thread : running.cpu;
}

/* @registers: the set that counts now.  Return: the set that counts next; NULL if none does. */
static struct pfm_registers *handle_overflows(const struct pfm_registers *registers,
					      struct pt_regs *regs)
{
	return pfm_overflow_of(&x86->pmu, registers, regs).next;
}

/*
 * The counters are loaded one after the other, so one may wrap before the last one is loaded.  The
 * NMI of this wrap must not look at counters that are not loaded yet, so the NMI leaves the wrap to
 * this function.  The sample of this overflow has the address where the thread entered the kernel.
 *
 * Before this function handles such wraps, set->is_loading is false for a moment.  An NMI at that
 * moment handles the wraps itself.  The NMI may also mask the context or switch sets, so
 * running_now() looks up the set that counts.
 */
static void shared_start(struct pfm_registers *registers)
{
	struct shared_set *set = set_of(registers);

	if (set->loaded == registers)
		return; /* the set continues after an overflow */
	do {
		set_loading(set, true);
		if (set->loaded != registers)
			load_all(set, registers);
		set_loading(set, false);
		if (likely(!READ_ONCE(set->pending)))
			return;
		set_loading(set, true);
		registers = running_now(registers);
		if (registers && set->pending)
			registers = handle_overflows(
				registers, task_pt_regs(registers->task ?: current));
	} while (registers);
	set_loading(set, false);
}

/*
 * Read the value of a counter, and find out whether the counter had wrapped at that moment.  If an
 * NMI moves a wrap from the counter to @set->pending during this time, read the counter and
 * @set->pending again.
 */
static __always_inline u64 read_counter(const struct shared_set *set,
					struct perf_event *event,
					const struct x86_counter *counter, unsigned int n,
					u64 *overflows)
{
	u64 pending, value;

	do {
		pending = READ_ONCE(set->pending);
		barrier();
		value = read_value(event);
		barrier();
	} while (unlikely(pending != READ_ONCE(set->pending)));
	if (unlikely(!(value & counter->flag) || pending & BIT_ULL(n)))
		*overflows |= BIT_ULL(n);
	return value;
}

static u64 shared_read(struct pfm_registers *registers, u64 *values)
{
	const struct shared_set *set = set_of(registers);
	const struct x86_counter *counter;
	u64 rest, value, overflows = 0;
	unsigned int n;

	pfm_for_each_bit(n, rest, registers->counters) {
		counter = &x86->counters[n];
		value = read_counter(set, x86_placeholder(n), counter, n, &overflows);
		values[n] = pfm_pmd_merge(registers->pmds[n], value, counter->mask);
	}
	return overflows;
}

/* A counter is treated as stopped as soon as it is read.  A later wrap is dropped. */
static u64 shared_stop(struct pfm_registers *registers)
{
	struct shared_set *set = set_of(registers);
	const struct x86_counter *counter;
	struct perf_event *event;
	u64 rest, value, overflows = 0;
	unsigned int n;

	pfm_for_each_bit(n, rest, registers->counters) {
		counter = &x86->counters[n];
		event = x86_placeholder(n);
		value = read_counter(set, event, counter, n, &overflows);
		park(event, n);
		registers->pmds[n] =
			pfm_pmd_merge(registers->pmds[n], value, counter->mask);
	}
	set->loaded = NULL;
	barrier();
	set->pending = 0;
	return overflows;
}

static u64 shared_overflows(const struct pfm_registers *registers)
{
	const struct shared_set *set = set_of(registers);
	u64 rest, overflows = set->pending;
	unsigned int n;

	pfm_for_each_bit(n, rest, registers->counters)
		if (!(read_value(x86_placeholder(n)) & x86->counters[n].flag))
			overflows |= BIT_ULL(n);
	return overflows;
}

/*
 * After a stop the placeholders are parked, and set->pending is 0: there is nothing to acknowledge.
 * If the stop has found a wrap, the NMI of this wrap may come late, see handle_late_nmi().  This
 * function does not call x86_expect_late(), because x86_expect_late() also unmasks the interrupt.
 * With shared ownership, only perf unmasks it.
 */
static void shared_acknowledge(struct pfm_registers *registers, u64 counters)
{
	struct shared_set *set = set_of(registers);
	struct perf_event *event;
	unsigned int n;
	u64 rest, value;

	if (!x86->global_acknowledge && !in_nmi())
		this_cpu_write(x86_noted_at, jiffies);
	if (set->loaded != registers)
		return;
	pfm_for_each_bit(n, rest, counters) {
		event = x86_placeholder(n);
		value = read_value(event);
		if (!(value & x86->counters[n].flag))
			load_value(event, &x86->counters[n], value);
	}
	set->pending &= ~counters;
}

/* ---- the interrupt ------------------------------------------------------------------------ */

/*
 * Halt the counters if @enable is false, or let them count again if it is true.  Called before and
 * after an overflow is handled.  If there is a global control register, perf's handler uses it to
 * halt all counters, and this function does nothing.  All other functions of this file leave the
 * enable bits set.
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

/* Return: the loaded set that gets the interrupts of counter @n; NULL if there is none. */
static struct shared_set *find_interrupted(unsigned int n)
{
	struct shared_set *sets = this_cpu_ptr(shared_sets), *set;

	for (set = sets; set < sets + SETS; set++)
		if (set->loaded && set->loaded->interrupting & BIT_ULL(n))
			return set;
	return NULL;
}

/* perf stores this value in hw.interrupts when it stops an event that has too many interrupts. */
#define THROTTLED (~0ull)

/*
 * perf stops an event that has too many interrupts, before or after it calls our overflow handler.
 * The core has a limit of its own, so we set perf's count of interrupts to 0 each time.  But perf
 * may allow only one interrupt per tick.  Then perf stops the event at its first interrupt, and we
 * restart it.
 */
static void go_on_counting(struct perf_event *event)
{
	if (unlikely(event->hw.interrupts == THROTTLED))
		x86_placeholders_restart();
	event->hw.interrupts = 0;
}

/* Called by perf in an NMI, after it has added the period to the counter. */
void x86_shared_overflow(struct perf_event *event, struct perf_sample_data *data,
			 struct pt_regs *regs)
{
	const unsigned int n = x86_placeholder_number(event);
	struct shared_set *set = find_interrupted(n);
	struct pfm_registers *loaded, *next;

	go_on_counting(event);
	if (!set)
		return;
	loaded = set->loaded;
	set->pending |= BIT_ULL(n);
	if (set->is_loading || running_now(loaded) != loaded)
		return;
	enable_each(loaded->counters, false);
	next = handle_overflows(loaded, regs);
	if (next)
		shared_start(next);
	enable_each(loaded->counters, true);
}

/*
 * perf uses the branch records itself, so they cannot be shared.  If the PMC of branch records is
 * written after the load, the set cannot count: see shared_can_count().
 */
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

struct pfm_pmu_operations x86_shared_operations = {
	.claim = x86_shared_claim,
	.release = x86_shared_release,
	.held_by_others = x86_shared_held_by_others,
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
