// SPDX-License-Identifier: GPL-2.0-only
/* x86: claims and releases counters on all CPUs if the ownership is shared. */
#include <asm/nmi.h>
#include <linux/capability.h>
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/jiffies.h>

#include "compat/syscore.h"
#include "x86.h"
#include "x86_placeholders.h"

/*
 * When this module stops a counter, it may find a wrap before the NMI of this wrap comes.  On a
 * processor without a status register for overflows, perf does not recognize this late NMI.  So
 * this handler accepts it.
 */
static int handle_late_nmi(unsigned int type, struct pt_regs *regs)
{
	return x86_nmi_is_late() ? NMI_HANDLED : NMI_DONE;
}

/* Bitmap of the claimed PMDs.  begin_on() reads it for each CPU that comes online. */
static u64 shared_pmds;
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

/*
 * Stops our counters on the last online CPU before a suspend, which erases the CPU's registers.
 * Interrupts off.
 */
static int suspend_borrowed(PFM_SYSCORE_ARGUMENT)
{
	pfm_cpu_pause(&x86->pmu);
	x86_placeholders_suspend();
	return 0;
}

static void resume_borrowed(PFM_SYSCORE_ARGUMENT)
{
	x86_placeholders_resume();
	pfm_cpu_resume(&x86->pmu);
}

PFM_SYSCORE(shared_syscore, suspend_borrowed, resume_borrowed);

static int begin(void)
{
	int state;

	x86_placeholders_begin();
	state = register_nmi_handler(NMI_LOCAL, handle_late_nmi, 0, "perfmon");
	if (state)
		return state;
	state = cpuhp_setup_state_nocalls_cpuslocked(
		CPUHP_AP_ONLINE_DYN, "perfmon/x86:online", begin_on, end_on);
	if (state < 0) {
		unregister_nmi_handler(NMI_LOCAL, "perfmon");
		return state;
	}
	shared_hotplug_state = state;
	pfm_syscore_register(&shared_syscore);
	return 0;
}

static void end(void)
{
	pfm_syscore_unregister(&shared_syscore);
	__cpuhp_remove_state_cpuslocked(shared_hotplug_state, false);
	unregister_nmi_handler(NMI_LOCAL, "perfmon");
	x86_placeholders_end();
}

/*
 * perf uses the branch records itself, so they cannot be shared.
 *
 * Return: a bitmap of those PMDs from 64 * @word to 64 * @word + 63 that contain branch records.
 */
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

/**
 * struct answer - which PMDs others held when ask_perf() was last called
 * @held: bitmap of these PMDs, without those that this module has claimed since then
 * @until: the answer expires at this time (jiffies)
 * @is_known: ask_perf() has been called
 *
 * ask_perf() creates placeholders for a moment, and some of perf's events may miss counts during
 * this time.  So callers without CAP_PERFMON get the last answer if it is less than one second old.
 * The core never calls the operations @claim and @held_by_others of struct pfm_pmu_operations at
 * the same time, so the answer needs no lock.
 */
static struct answer {
	u64 held;
	unsigned long until;
	bool is_known;
} last_answer;

#define ANSWER_TICKS HZ

int x86_shared_claim(struct pfm_pmu *pmu, const u64 *pmds)
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
	last_answer.held &= ~pmds[0];
	return 0;
}

void x86_shared_release(struct pfm_pmu *pmu, const u64 *pmds)
{
	unsigned int cpu;

	shared_pmds &= ~pmds[0];
	for_each_online_cpu(cpu)
		x86_placeholders_keep(cpu, shared_pmds);
	if (!shared_pmds)
		end();
}

/*
 * Stores in last_answer which counters others hold on this CPU.  It is enough to check this CPU:
 * the watchdog and perf stat -a hold the same counters on each CPU.
 */
static void ask_perf(void)
{
	unsigned int n;
	u64 all = 0;

	for (n = 0; n < X86_REGISTERS; n++)
		if (x86->counters[n].value)
			all |= BIT_ULL(n);
	cpus_read_lock();
	last_answer.held = x86_placeholders_held(raw_smp_processor_id(), all);
	cpus_read_unlock();
	last_answer.until = jiffies + ANSWER_TICKS;
	last_answer.is_known = true;
}

void x86_shared_held_by_others(const struct pfm_pmu *pmu, u64 *pmds)
{
	unsigned int word;

	for (word = 0; word < PFM_HARDWARE_BV; word++)
		pmds[word] |= branch_pmds(pmu, word);
	if (perfmon_capable() || !last_answer.is_known ||
	    time_after(jiffies, last_answer.until))
		ask_perf();
	pmds[0] |= last_answer.held;
}
