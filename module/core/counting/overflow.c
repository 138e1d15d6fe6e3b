// SPDX-License-Identifier: GPL-2.0-only
/*
 * Overflows: the emulation of 64-bit counters, and what happens when a 64-bit value
 * overflows.
 *
 * The handler may run in an NMI, so it takes no lock.  It uses a context only while the pointer
 * "running" of this CPU points to one of the context's sets: see struct pfm_context.
 */
#include <linux/export.h>
#include <linux/hardirq.h>
#include <linux/perf_event.h>
#include <linux/pid_namespace.h>
#include <linux/preempt.h>
#include <linux/ptrace.h>
#include <linux/sched/clock.h>
#include <linux/sched/task_stack.h>
#include <asm/irq_regs.h>

#include "clock.h"
#include "copies.h"
#include "cpu.h"
#include "instances.h"
#include "outcome.h"
#include "overflow.h"
#include "reset.h"
#include "set_switch.h"
#include "switch.h"
#include "throttle.h"
#include "virtual.h"

/*
 * Add the hardware's wraps to the 64-bit values.  A counter whose 64-bit emulation is
 * off (PFM_REGFL_NO_EMUL64) has only the width of the hardware, so its wrap is ignored.
 *
 * Return: bitmap of the PMDs whose 64-bit values have overflowed.
 */
static __always_inline u64 carry(const struct pfm_pmu *pmu,
				 struct pfm_registers *registers, u64 overflows)
{
	u64 rest, wrapped = 0;
	unsigned int n;

	pfm_for_each_bit(n, rest, overflows & registers->interrupting) {
		unsigned int width = pmu->pmds[n].width;

		if (width < 64)
			registers->pmds[n] += 1ull << width;
		if (width == 64 || !(registers->pmds[n] >> width))
			wrapped |= BIT_ULL(n);
	}
	return wrapped;
}

/* Return: the address at which @task entered the kernel, or 0 if @task runs no user code. */
static noinline u64 user_ip(struct task_struct *task)
{
	struct pt_regs *regs = pfm_user_registers(task);

	return regs ? instruction_pointer(regs) : 0;
}

/*
 * Return: the address of the interrupted instruction.  If this is a kernel address that the user
 * may not see, return the address at which the thread entered the kernel.  For a context on a
 * thread, current may be the wrong thread: in an NMI right after the probe of sched_switch, current
 * is still the previous thread, and the user must not see the addresses of that thread.
 */
static __always_inline u64 visible_ip(const struct pfm_context *context,
				      struct pt_regs *regs)
{
	if (!pfm_may_see_kernel(context) && !user_mode(regs))
		return user_ip(pfm_is_bound(context) ? current
						     : context->attachment.task);
	return instruction_pointer(regs);
}

/*
 * Store in @sample the running thread and its numbers.  The numbers are 0 if the thread is exiting
 * and has no numbers any more, or if it is not in the pid namespace of the context's creator.
 */
static noinline void tell_running_thread(const struct pfm_context *context,
					 struct pfm_sample *sample)
{
	struct pid_namespace *namespace = ns_of_pid(context->creator);

	sample->task = current;
	sample->tid = task_pid_nr_ns(current, namespace);
	sample->tgid = task_tgid_nr_ns(current, namespace);
}

/* Store in @sample the thread to which the sample belongs. */
static __always_inline void tell_thread(const struct pfm_context *context,
					struct pfm_sample *sample)
{
	if (pfm_is_bound(context)) {
		tell_running_thread(context, sample);
		return;
	}
	sample->task = context->attachment.task;
	sample->tid = context->attachment.tid;
	sample->tgid = context->attachment.tgid;
}

/* Collect the values of the PMDs that the sample records; the counters are halted. */
static noinline unsigned int gather(struct pfm_cpu *cpu, struct pfm_context *context,
				    struct pfm_set *set,
				    const struct pfm_pmd_attributes *attributes)
{
	const struct pfm_pmu_operations *operations = context->pmu->operations;
	unsigned int word, n, count = 0;
	u64 rest;

	if (context->counting)
		operations->read(&set->registers, set->registers.pmds);
	if (operations->sample)
		operations->sample(&set->registers, attributes->smpl_pmds,
				   set->registers.pmds);
	for (word = 0; word < PFM_MAX_HARDWARE / 64; word++)
		pfm_for_each_bit(n, rest, attributes->smpl_pmds[word])
			cpu->values[count++] = set->registers.pmds[word * 64 + n];
	pfm_for_each_bit(n, rest, attributes->smpl_pmds[PFM_VIRTUAL_PMD_BASE / 64])
		cpu->values[count++] =
			pfm_virtual_read(context, set, PFM_VIRTUAL_PMD_BASE + n);
	return count;
}

/*
 * Return: the hardware's record of the overflow of counter @n; NULL if there is no such record, or
 * if the user may not see it.
 */
static const struct pfm_hardware_sample *
find_noted(const struct pfm_context *context, const struct pfm_hardware_sample *noted,
	   unsigned int n)
{
	while (noted->counters && !(noted->counters & BIT_ULL(n)))
		noted++;
	if (!noted->counters || (noted->is_kernel && !pfm_may_see_kernel(context)))
		return NULL;
	return noted;
}

/* Pass @sample to the format, with the hardware's record added for this call only. */
static noinline u32 handle_noted(struct pfm_context *context,
				 struct pfm_format_instance *instance,
				 struct pfm_sample *sample,
				 const struct pfm_hardware_sample *noted)
{
	const struct pfm_format *format = context->format;
	const u64 ip = sample->ip;
	u32 control;

	noted = find_noted(context, noted, sample->pmd);
	if (!noted)
		return format->handler(instance, sample);
	sample->ip_is_exact = noted->ip;
	if (noted->ip)
		sample->ip = noted->ip;
	sample->payload = noted->payload;
	sample->payload_size = noted->payload_size;
	control = format->handler(instance, sample);
	sample->ip_is_exact = false;
	sample->ip = ip;
	sample->payload = NULL;
	sample->payload_size = 0;
	return control;
}

static noinline void count_lost(struct pfm_cpu *cpu, struct pfm_context *context)
{
	cpu->statistics.fmt_lost_count++;
	context->statistics.lost++;
}

/*
 * Pass one sample for each overflow to the format.  Return: the format's requests,
 * PFM_CONTROL_*.
 */
static __always_inline u32 sample_all(struct pfm_cpu *cpu, struct pfm_context *context,
				      struct pfm_format_instance *instance,
				      struct pfm_set *set, u64 wrapped,
				      struct pt_regs *regs, bool has_notes)
{
	u64 begun = static_branch_unlikely(&pfm_timing) ? pfm_clock() : 0;
	const struct pfm_format *format = context->format;
	struct pfm_sample *sample = &cpu->sample;
	u32 answer, control = 0;
	u64 rest = wrapped;

	sample->may_see_kernel = pfm_may_see_kernel(context);
	sample->ip = visible_ip(context, regs);
	sample->regs = regs;
	sample->set = set->id;
	tell_thread(context, sample);
	sample->time = local_clock();
	do { /* at least one bit of @wrapped is set */
		const unsigned int n = __ffs64(rest);
		const struct pfm_pmd_attributes *attributes = &set->attributes[n];

		pfm_reset_note(set, n);
		sample->pmd = n;
		sample->last_reset = attributes->last_reset;
		sample->event_id = attributes->event_id;
		sample->value_count = unlikely(attributes->records)
					      ? gather(cpu, context, set, attributes)
					      : 0;
		if (has_notes)
			answer = handle_noted(context, instance, sample, cpu->noted);
		else
			answer = format->handler(instance, sample);
		if (unlikely(answer & PFM_CONTROL_LOST))
			count_lost(cpu, context);
		control |= answer;
		cpu->statistics.fmt_handler_calls++;
		context->statistics.samples++;
	} while (rest &= rest - 1);
	pfm_timing_add(&cpu->statistics.fmt_handler_ns, &begun);
	return control;
}

/* Like sample_all(), for hardware that has its own records of the overflows: cpu->noted. */
static noinline u32 sample_noted(struct pfm_cpu *cpu, struct pfm_context *context,
				 struct pfm_set *set, u64 wrapped, struct pt_regs *regs)
{
	return sample_all(cpu, context, &context->instance, set, wrapped, regs, true);
}

static void note_all(struct pfm_set *set, u64 wrapped)
{
	unsigned int n;
	u64 rest;

	pfm_for_each_bit(n, rest, wrapped)
		pfm_reset_note(set, n);
}

/*
 * Count all samples as lost: this CPU has been added to the machine since the context was made, so
 * it has no instance.
 */
static u32 lose_all(struct pfm_context *context, struct pfm_set *set, u64 wrapped)
{
	note_all(set, wrapped);
	atomic_add(hweight64(wrapped), &context->instances->lost);
	return PFM_CONTROL_RESET;
}

/* Like sample_all(), for a context with PFM_FL_INHERIT_*, and for its copies. */
static noinline u32 sample_shared(struct pfm_cpu *cpu, struct pfm_context *context,
				  struct pfm_set *set, u64 wrapped, struct pt_regs *regs)
{
	struct pfm_cpu_instance *here = pfm_cpu_instance(context->instances);
	const bool was_full = here->is_full;
	u32 control;

	if (unlikely(!here->is_set_up))
		return lose_all(context, set, wrapped);
	control =
		sample_all(cpu, context, &here->instance, set, wrapped, regs, cpu->noted);
	here->is_full |= control & PFM_CONTROL_MASK;
	return pfm_control_of_shared(control, was_full);
}

/* Return: PFM_CONTROL_SWITCH if a switch count has come to 0; if not, 0. */
static noinline u32 count_down(struct pfm_set *set, u64 wrapped)
{
	unsigned int n;
	u32 control = 0;
	u64 rest;

	pfm_for_each_bit(n, rest, wrapped & pfm_set_triggers(set)) {
		struct pfm_pmd_attributes *attributes = &set->attributes[n];

		if (attributes->switch_remaining && !--attributes->switch_remaining)
			control = PFM_CONTROL_SWITCH;
	}
	return control;
}

/* Return: PFM_CONTROL_MASK if the queue is full and the context has to be masked; otherwise 0. */
static noinline u32 notify(struct pfm_cpu *cpu, struct pfm_context *context,
			   struct pfm_set *set, u64 wrapped, struct pt_regs *regs)
{
	struct pfarg_ovfl_msg message = {
		.msg_type = PFM_MSG_OVFL,
		.msg_active_set = set->id,
		.msg_ovfl_cpu = smp_processor_id(),
		.msg_ovfl_ip = visible_ip(context, regs),
		.msg_ovfl_pmds = { wrapped },
	};
	const bool is_silent = context->flags & PFM_FL_OVFL_NO_MSG;
	u32 control = 0;

	cpu->statistics.ovfl_notify_count++;
	context->statistics.notifications++;
	tell_thread(context, &cpu->sample);
	message.msg_ovfl_pid = cpu->sample.tid;
	message.msg_ovfl_tid = cpu->sample.tgid;
	if (context->instances) {
		if (!is_silent)
			pfm_instances_post(context->instances, &message);
		irq_work_queue(&context->copies->parent->notification);
		return 0;
	}
	if (context->attachment.block)
		pfm_block_want(context->attachment.block);
	if (is_silent || !pfm_queue_is_full(&context->queue)) {
		if (!is_silent)
			pfm_queue_post(&context->queue, &message);
		context->credit++;
	} else {
		control = pfm_control_of_full_queue(context->format);
	}
	irq_work_queue(&context->notification);
	return control;
}

/* What handle_wrapped() does instead of sample_all() if the context has no format. */
static u32 note_without_format(struct pfm_set *set, u64 wrapped, u32 control)
{
	note_all(set, wrapped);
	return pfm_control_without_format(set, wrapped, control);
}

/*
 * Handle overflows of 64-bit values: steps 2, 3 and 6 of docs/interface.md 3.5.
 *
 * Return: which steps remain to be done: any of PFM_CONTROL_MASK, _SWITCH and _RESET.
 */
static __always_inline u32 handle_wrapped(struct pfm_cpu *cpu,
					  struct pfm_context *context,
					  struct pfm_set *set, u64 wrapped,
					  struct pt_regs *regs)
{
	u32 control = 0;

	set->overflowed[0] = wrapped;
	if (unlikely(wrapped & set->triggers))
		control = count_down(set, wrapped);
	if (!context->format)
		control |= note_without_format(set, wrapped, control);
	else if (unlikely(context->instances))
		control |= sample_shared(cpu, context, set, wrapped, regs);
	else if (unlikely(cpu->noted))
		control |= sample_noted(cpu, context, set, wrapped, regs);
	else
		control |= sample_all(cpu, context, &context->instance, set, wrapped,
				      regs, false);
	if (control & PFM_CONTROL_NOTIFY && wrapped & set->notifying)
		control |= notify(cpu, context, set, wrapped, regs);
	return control;
}

/*
 * Overflows were found when the counters were stopped.  Return: the pt_regs for the samples.
 * Sometimes an overflow at user level is found only when the thread leaves the CPU, for example if
 * the last instruction before a system call caused it.  Then the sample gets the address at which
 * the thread entered the kernel.  If an interrupt stops a system-wide context, the sample gets the
 * address of the interrupted instruction.  If a kernel thread, such as the idle thread, stops the
 * context, the sample gets the address of the code that stops it.  The registers of this code are
 * stored in @here.
 */
static __always_inline struct pt_regs *
registers_of_stop(const struct pfm_context *context, struct pt_regs *here)
{
	struct pt_regs *regs = pfm_is_bound(context) ? get_irq_regs() : NULL;

	regs = regs ?: pfm_user_registers(current);
	if (regs)
		return regs;
	memset(here, 0, sizeof(*here));
	perf_fetch_caller_regs(here);
	return here;
}

/* If a set switch is due, it has to wait for the restart. */
static void mask(struct pfm_context *context, u32 control)
{
	context->switch_due |= control & PFM_CONTROL_SWITCH;
	pfm_monitoring_mask(context);
}

void pfm_overflow_collect(struct pfm_context *context, u64 overflows)
{
	struct pfm_cpu *cpu = pfm_here(context);
	struct pfm_set *set = context->active;
	u64 wrapped = carry(context->pmu, &set->registers, overflows);
	struct pt_regs here;
	u32 control;

	pfm_assert_here(context);
	cpu->statistics.ovfl_intr_replay_count++;
	context->pmu->operations->acknowledge(&set->registers, overflows);
	if (!wrapped)
		return;
	cpu->noted = NULL;
	control = handle_wrapped(cpu, context, set, wrapped,
				 registers_of_stop(context, &here));
	switch (pfm_outcome_of_overflow(control)) {
	case PFM_OUTCOME_MASK:
		mask(context, control);
		break;
	case PFM_OUTCOME_SWITCH:
		pfm_set_switch(context, false, pfm_clock());
		break;
	case PFM_OUTCOME_RESET:
		pfm_reset_in_memory(context, set, false);
		cpu->statistics.reset_pmds_count++;
		break;
	case PFM_OUTCOME_NONE:
		break;
	}
}

/* Return: the registers of the set that counts next; NULL if no set counts. */
static __always_inline struct pfm_registers *
handle_overflows(struct pfm_cpu *cpu, const struct pfm_pmu *pmu,
		 struct pfm_context *context, struct pfm_set *set, u64 overflows,
		 struct pt_regs *regs)
{
	const struct pfm_pmu_operations *operations = pmu->operations;
	u64 wrapped = carry(pmu, &set->registers, overflows);
	u32 control;

	pfm_assert_here(context);
	operations->acknowledge(&set->registers, overflows);
	if (!wrapped)
		return &set->registers;
	control = handle_wrapped(cpu, context, set, wrapped, regs);
	switch (pfm_outcome_of_overflow(control)) {
	case PFM_OUTCOME_MASK:
		pfm_monitoring_end(context);
		mask(context, control);
		return NULL;
	case PFM_OUTCOME_SWITCH:
		return pfm_set_switch_running(context, set, pfm_clock());
	case PFM_OUTCOME_RESET:
		operations->write_pmds(&set->registers, pfm_reset(context, set, false));
		cpu->statistics.reset_pmds_count++;
		break;
	case PFM_OUTCOME_NONE:
		break;
	}
	return &set->registers;
}

static noinline struct pfm_registers *throttle(struct pfm_cpu *cpu,
					       struct pfm_context *context,
					       struct pfm_set *set,
					       struct pfm_registers *next)
{
	const struct pfm_format *format = context->format;
	struct pfm_format_instance *instance = pfm_instance_here(context);

	cpu->statistics.ovfl_throttle_count++;
	context->statistics.throttled++;
	if (format && format->throttled && instance)
		format->throttled(instance);
	return pfm_throttle(context, set, next);
}

/* Return: the set that counts here; NULL if there is none, or if its context does not use @pmu. */
static __always_inline struct pfm_set *running_set(const struct pfm_cpu *cpu,
						   const struct pfm_pmu *pmu)
{
	struct pfm_set *set = READ_ONCE(cpu->running);

	return set && cpu->context->pmu == pmu ? set : NULL;
}

/*
 * Called only for PMUs whose counters are not independent.  On such a PMU, contexts on threads and
 * system-wide contexts never count at the same time (claim.c), so at most one context counts on
 * this CPU.  For other PMUs, the modules call pfm_running_sets() and pfm_overflow_of() instead.
 *
 * Return: the struct pfm_cpu that the counting context uses on this CPU.
 */
static __always_inline struct pfm_cpu *cpu_of(const struct pfm_pmu *pmu)
{
	if (static_branch_unlikely(&pfm_bound_contexts)) {
		struct pfm_cpu *cpu = this_cpu_ptr(pmu->cpu_data ?: pfm_cpu_bound);

		if (running_set(cpu, pmu))
			return cpu;
	}
	return this_cpu_ptr(&pfm_cpu);
}

static __always_inline struct pfm_overflow_result
handle(struct pfm_cpu *cpu, const struct pfm_pmu *pmu, struct pt_regs *regs,
       const struct pfm_hardware_sample *noted)
{
	struct pfm_set *set = running_set(cpu, pmu);
	struct pfm_context *context = cpu->context;
	struct pfm_registers *next;
	u64 begun, overflows = 0;

	if (set)
		overflows = pmu->operations->overflows(&set->registers);
	if (!overflows) {
		cpu->statistics.ovfl_intr_spurious_count++;
		next = set ? &set->registers : NULL;
		return (struct pfm_overflow_result){ next, .ours = false };
	}
	begun = pfm_throttle_begin(&set->budget);
	cpu->statistics.ovfl_intr_regular_count++;
	cpu->overflow_sequence++;
	context->statistics.interrupts++;
	cpu->noted = noted;
	next = handle_overflows(cpu, pmu, context, set, overflows, regs);
	if (unlikely(begun) && pfm_throttle_is_due(context, set, begun) && next)
		next = throttle(cpu, context, set, next);
	return (struct pfm_overflow_result){ next, .ours = true };
}

static __always_inline struct pfm_overflow_result
handle_interrupt(struct pfm_cpu *cpu, const struct pfm_pmu *pmu, struct pt_regs *regs,
		 const struct pfm_hardware_sample *noted)
{
	u64 begun = static_branch_unlikely(&pfm_timing) ? pfm_clock() : 0;
	struct pfm_overflow_result result;

	cpu->statistics.ovfl_intr_all_count++;
	if (in_nmi())
		cpu->statistics.ovfl_intr_nmi_count++;
	result = handle(cpu, pmu, regs, noted);
	pfm_timing_add(&cpu->statistics.ovfl_intr_ns, &begun);
	return result;
}

struct pfm_overflow_result pfm_overflow(const struct pfm_pmu *pmu, struct pt_regs *regs,
					const struct pfm_hardware_sample *noted)
{
	return handle_interrupt(cpu_of(pmu), pmu, regs, noted);
}
EXPORT_SYMBOL_GPL(pfm_overflow);

unsigned int pfm_sample_callers(const struct pfm_sample *sample, u64 *to,
				unsigned int most)
{
	const struct pfm_cpu *cpu = container_of(sample, struct pfm_cpu, sample);
	const struct pfm_context *context = cpu->context;
	const struct pfm_pmu_operations *operations = context->pmu->operations;

	/* If the context monitors a CPU, branch records may contain calls of earlier threads. */
	if (!operations->callers || pfm_is_bound(context))
		return 0;
	return operations->callers(&context->active->registers, to, most);
}
EXPORT_SYMBOL_GPL(pfm_sample_callers);

static __always_inline struct pfm_registers *running_on(const struct pfm_cpu *cpu,
							const struct pfm_pmu *pmu)
{
	struct pfm_set *set = running_set(cpu, pmu);

	return set ? &set->registers : NULL;
}

struct pfm_registers *pfm_running_registers(const struct pfm_pmu *pmu)
{
	return running_on(cpu_of(pmu), pmu);
}
EXPORT_SYMBOL_GPL(pfm_running_registers);

struct pfm_running pfm_running_sets(const struct pfm_pmu *pmu)
{
	struct pfm_running running = { running_on(this_cpu_ptr(&pfm_cpu), pmu), NULL };

	if (static_branch_unlikely(&pfm_bound_contexts))
		running.cpu = running_on(this_cpu_ptr(pfm_cpu_bound), pmu);
	return running;
}
EXPORT_SYMBOL_GPL(pfm_running_sets);

struct pfm_overflow_result pfm_overflow_of(const struct pfm_pmu *pmu,
					   const struct pfm_registers *running,
					   struct pt_regs *regs)
{
	struct pfm_cpu *cpu = this_cpu_ptr(&pfm_cpu);

	if (static_branch_unlikely(&pfm_bound_contexts)) {
		struct pfm_cpu *bound = this_cpu_ptr(pfm_cpu_bound);

		if (running_on(bound, pmu) == running)
			cpu = bound;
	}
	return handle_interrupt(cpu, pmu, regs, NULL);
}
EXPORT_SYMBOL_GPL(pfm_overflow_of);
