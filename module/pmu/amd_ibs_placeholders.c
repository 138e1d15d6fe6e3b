// SPDX-License-Identifier: GPL-2.0-only
/*
 * PMU description "amd_ibs": take the units of IBS from perf, and return them to perf.
 *
 * A placeholder is a pinned perf event that holds one unit of one CPU.  If another pinned event
 * has this unit, the placeholder cannot be created.  If an event that is not pinned has this unit,
 * perf takes the unit from that event, which then counts nothing.
 */
#include <asm/nmi.h>
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/err.h>
#include <linux/smp.h>
#include <linux/workqueue.h>

#include "amd_ibs.h"
#include "perf_pmus.h"
#include "x86_placeholders.h"

static struct pmu *pmus_of_perf[UNITS] __ro_after_init;

/* Return: whether perf has a PMU for each unit.  If so, perf's driver has set up the interrupt. */
bool __init amd_ibs_find_units(void)
{
	struct perf_event *event = perf_idle_event(
		raw_smp_processor_id(), PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);

	if (IS_ERR(event))
		return false;
	if (event->pmu->dev) {
		pmus_of_perf[FETCH] = perf_pmu_named(event->pmu->dev, "ibs_fetch");
		pmus_of_perf[OP] = perf_pmu_named(event->pmu->dev, "ibs_op");
	}
	perf_event_release_kernel(event);
	return pmus_of_perf[FETCH] && pmus_of_perf[OP];
}

/* perf would stop an event that has too many interrupts, so set its number of interrupts to 0. */
static void perf_took_sample(struct perf_event *event, struct perf_sample_data *data,
			     struct pt_regs *regs)
{
	event->hw.interrupts = 0;
}

/* ---- claim and release -------------------------------------------------------------------- */

/* The claimed counters.  begin_on() reads them when a CPU comes online. */
static u64 claimed;
static enum cpuhp_state hotplug_state;

static struct perf_event *create(enum unit unit)
{
	struct perf_event_attr attr = {
		.type = pmus_of_perf[unit]->type,
		.sample_period = IBS_MOST_BASIC,
	};

	return x86_placeholders_create(&attr, perf_took_sample);
}

/*
 * Take the units of the counters in *@info on this CPU, unless we hold them already.  Afterwards
 * *@info contains only the counters whose units could not be taken.  Runs in a kernel thread,
 * because perf checks whether the current thread may create an event.
 */
static long take_here(void *info)
{
	struct ibs_cpu *cpu = raw_cpu_ptr(&ibs_cpus);
	u64 *counters = info, rest;
	struct perf_event *event;
	unsigned long flags;
	unsigned int n;

	pfm_for_each_bit(n, rest, *counters) {
		event = cpu->placeholders[unit_of(n)] ?: create(unit_of(n));
		if (!event)
			continue;
		*counters &= ~BIT_ULL(n);
		if (cpu->placeholders[unit_of(n)])
			continue;
		local_irq_save(flags);
		amd_ibs_expect_late(cpu);
		amd_ibs_park(event, unit_of(n));
		amd_ibs_expect_late(cpu);
		cpu->placeholders[unit_of(n)] = event;
		local_irq_restore(flags);
	}
	return 0;
}

/* Release the units of this CPU, except those of the counters in *@info. */
static long keep_here(void *info)
{
	struct ibs_cpu *cpu = raw_cpu_ptr(&ibs_cpus);
	struct perf_event *event;
	const u64 *counters = info;
	unsigned int n;
	u64 rest;

	pfm_for_each_bit(n, rest, IBS_COUNTERS & ~*counters) {
		event = cpu->placeholders[unit_of(n)];
		WRITE_ONCE(cpu->placeholders[unit_of(n)], NULL);
		if (event)
			perf_event_release_kernel(event);
	}
	return 0;
}

static void keep_on_all(u64 counters)
{
	unsigned int cpu;

	for_each_online_cpu(cpu)
		work_on_cpu(cpu, keep_here, &counters);
}

static int begin_on(unsigned int cpu)
{
	u64 counters = claimed;

	work_on_cpu(cpu, take_here, &counters);
	return 0;
}

static int end_on(unsigned int cpu)
{
	u64 none = 0;

	pfm_cpu_goes_offline();
	work_on_cpu(cpu, keep_here, &none);
	return 0;
}

static void unregister_handlers(void)
{
	unregister_nmi_handler(NMI_LOCAL, "perfmon_ibs_end");
	unregister_nmi_handler(NMI_LOCAL, "perfmon_ibs");
}

/* Between these two handlers the kernel calls perf's handler, which was registered at boot. */
static int register_handlers(void)
{
	int error = register_nmi_handler(NMI_LOCAL, amd_ibs_nmi, NMI_FLAG_FIRST,
					 "perfmon_ibs");

	if (error)
		return error;
	error = register_nmi_handler(NMI_LOCAL, amd_ibs_nmi_end, 0, "perfmon_ibs_end");
	if (error)
		unregister_nmi_handler(NMI_LOCAL, "perfmon_ibs");
	return error;
}

static int begin(void)
{
	int state = register_handlers();

	if (state)
		return state;
	state = cpuhp_setup_state_nocalls_cpuslocked(
		CPUHP_AP_ONLINE_DYN, "perfmon/ibs:online", begin_on, end_on);
	if (state < 0) {
		unregister_handlers();
		return state;
	}
	hotplug_state = state;
	return 0;
}

static void end(void)
{
	__cpuhp_remove_state_cpuslocked(hotplug_state, false);
	unregister_handlers();
}

int amd_ibs_claim(struct pfm_pmu *pmu, const u64 *pmds)
{
	const u64 wanted = pmds[0] & IBS_COUNTERS;
	u64 missing = 0;
	unsigned int cpu;
	int error;

	if (!wanted)
		return 0;
	error = claimed ? 0 : begin();
	if (error)
		return error;
	for_each_online_cpu(cpu) {
		missing = wanted;
		work_on_cpu(cpu, take_here, &missing);
		if (missing)
			break;
	}
	if (!missing) {
		claimed |= wanted;
		return 0;
	}
	pfm_pmu_blame("perf", __ffs64(missing));
	keep_on_all(claimed);
	if (!claimed)
		end();
	return -EBUSY;
}

void amd_ibs_release(struct pfm_pmu *pmu, const u64 *pmds)
{
	if (!(claimed & pmds[0]))
		return;
	claimed &= ~pmds[0];
	keep_on_all(claimed);
	if (!claimed)
		end();
}
