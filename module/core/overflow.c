// SPDX-License-Identifier: GPL-2.0-only
/*
 * Overflows: 64-bit emulation, and what an overflow of 64 bits does.
 *
 * The handler may be an NMI: it takes no lock and touches only what belongs to
 * this CPU as long as "running" says so, see struct pfm_context.
 */
#include <linux/export.h>
#include <linux/hardirq.h>
#include <linux/preempt.h>

#include "clock.h"
#include "overflow.h"
#include "switch.h"

/*
 * Adds what the hardware could not hold.  A counter without interrupt keeps
 * the hardware's width: its wrap means nothing.
 *
 * Return: PMDs that wrapped at 64 bits.
 */
static u64 carry(const struct pfm_pmu *pmu, struct pfm_registers *registers,
		 u64 overflows)
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

/*
 * perfmon-api 3.5: without notification and format an overflow of 64 bits
 * suspends monitoring and nothing takes it up again ("saturation").
 *
 * Return: whether monitoring has to be suspended.
 */
static bool note(struct pfm_context *context, struct pfm_set *set, u64 overflows)
{
	u64 wrapped = carry(context->pmu, &set->registers, overflows);

	context->pmu->operations->acknowledge(&set->registers, overflows);
	if (!wrapped)
		return false;
	memset(set->overflowed, 0, sizeof(set->overflowed));
	set->overflowed[0] = wrapped;
	return true;
}

void pfm_overflow_collect(struct pfm_context *context, u64 overflows)
{
	this_cpu_inc(pfm_cpu.statistics.ovfl_intr_replay_count);
	if (note(context, context->active, overflows))
		pfm_monitoring_mask(context);
}

static struct pfm_registers *handle(struct pfm_cpu *cpu)
{
	struct pfm_set *set = READ_ONCE(cpu->running);
	struct pfm_context *context = cpu->context;
	u64 overflows = 0;

	if (set)
		overflows = context->pmu->operations->overflows(&set->registers);
	if (!overflows) {
		cpu->statistics.ovfl_intr_spurious_count++;
		return set ? &set->registers : NULL;
	}
	cpu->statistics.ovfl_intr_regular_count++;
	cpu->overflow_sequence++;
	if (note(context, set, overflows)) {
		pfm_monitoring_end(context);
		pfm_monitoring_mask(context);
		return NULL;
	}
	return &set->registers;
}

struct pfm_registers *pfm_overflow(struct pt_regs *regs)
{
	struct pfm_cpu *cpu = this_cpu_ptr(&pfm_cpu);
	u64 begun = static_branch_unlikely(&pfm_timing) ? pfm_clock() : 0;
	struct pfm_registers *registers;

	cpu->statistics.ovfl_intr_all_count++;
	if (in_nmi())
		cpu->statistics.ovfl_intr_nmi_count++;
	registers = handle(cpu);
	pfm_timing_add(&cpu->statistics.ovfl_intr_ns, &begun);
	return registers;
}
EXPORT_SYMBOL_GPL(pfm_overflow);

struct pfm_registers *pfm_running_registers(void)
{
	struct pfm_set *set = this_cpu_read(pfm_cpu.running);

	return set ? &set->registers : NULL;
}
EXPORT_SYMBOL_GPL(pfm_running_registers);
