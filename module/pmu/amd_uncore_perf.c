// SPDX-License-Identifier: GPL-2.0-only
/*
 * PMU descriptions "amd_l3" and "amd_df": who owns the registers, and how to share them with perf.
 *
 * In many kernels perf's driver amd_uncore is built in; in others it is a module.  The driver gives
 * a register to one event at a time, and has no function to reserve registers.  So each register
 * that we use is held by a placeholder, a pinned event of perf.  Each register of a PMU can count
 * every event.  So each of our counters uses the register that its placeholder has at the moment,
 * and perf can use the other registers.  When perf's own events change, perf may stop placeholders
 * and start them again, perhaps on other registers.  perf then moves each count to the new
 * register.  perf also writes the field hw.config of the placeholder to the control register, so
 * uncore_select() stores our event in this field.
 *
 * If perf's driver is loaded, perf chooses the CPU that accesses the registers: the placeholders
 * are on this CPU.  If perf's driver is not loaded, we choose the CPU, and the driver cannot be
 * loaded while we hold registers.
 */
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/device.h>
#include <linux/err.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/smp.h>
#include <linux/workqueue.h>

#include "amd_uncore.h"
#include "perf_pmus.h"

#define DRIVER "amd_uncore"

static struct uncore *const all[] = { &amd_l3, &amd_df };

/* Protects placeholders, claims and owners.  Nests inside the lock of CPU hotplug. */
static DEFINE_MUTEX(owning);
static bool driver_arrives; /* perf's driver is being loaded */
static struct device
	*any_pmu; /* the device of any PMU of perf; all these devices are on one bus */
static enum cpuhp_state hotplug_state;

/* ---- in a kernel thread, because perf checks whether the caller may create an event ----- */

static bool find_type(const struct uncore *uncore, u32 *type)
{
	const struct pmu *pmu = perf_pmu_named(any_pmu, uncore->name_in_perf);

	if (pmu)
		*type = pmu->type;
	return pmu;
}

/* Return: the event, or an error pointer. */
static struct perf_event *create(const struct uncore *uncore, int cpu, bool disabled)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.pinned = 1,
		.disabled = disabled,
	};

	if (!find_type(uncore, &attr.type))
		return ERR_PTR(-ENODEV);
	return perf_event_create_kernel_counter(&attr, cpu, NULL, NULL, NULL);
}

struct job {
	struct uncore *uncore;
	u64 counters;
	int cpu;
};

/*
 * Return: the CPU that accesses the registers, or a negative errno.  perf moves each new event to
 * the CPU that accesses the registers, so this function creates an event and returns its CPU.
 */
static long ask_for_owner(void *info)
{
	const struct job *job = info;
	struct perf_event *event = create(job->uncore, job->cpu, true);
	int owner;

	if (IS_ERR(event))
		return PTR_ERR(event) == -ENOMEM ? -ENOMEM : -ENODEV;
	owner = event->cpu;
	perf_event_release_kernel(event);
	return owner;
}

/*
 * Create a placeholder on this CPU.  A pinned event that gets no register stays in an error state
 * forever, so it is released.
 *
 * Return: the placeholder; NULL if perf gives us no register; an error pointer if there is no
 * memory.
 */
static struct perf_event *create_placeholder(const struct uncore *uncore)
{
	struct perf_event *event = create(uncore, smp_processor_id(), false);

	if (IS_ERR(event))
		return PTR_ERR(event) == -ENOMEM ? event : NULL;
	if (event->state == PERF_EVENT_STATE_ACTIVE)
		return event;
	perf_event_release_kernel(event);
	return NULL;
}

/*
 * Take the job's counters on this CPU, unless we hold them already.  Each counter that we hold
 * afterwards is removed from the job.
 * Return: 0 or -ENOMEM.
 */
static long take_here(void *info)
{
	struct job *job = info;
	struct uncore_cpu *cpu = raw_cpu_ptr(job->uncore->cpus);
	struct perf_event *event;
	unsigned long flags;
	unsigned int n;
	u64 rest;

	pfm_for_each_bit(n, rest, job->counters) {
		if (cpu->counters[n].placeholder)
			goto held;
		event = job->uncore->is_known ? create_placeholder(job->uncore) : NULL;
		if (IS_ERR(event))
			return PTR_ERR(event);
		if (job->uncore->is_known && !event)
			continue;
		local_irq_save(flags);
		cpu->counters[n].placeholder = event;
		uncore_select(cpu, n, 0);
		local_irq_restore(flags);
held:
		job->counters &= ~BIT_ULL(n);
	}
	return 0;
}

static long drop_here(void *info)
{
	struct job *job = info;
	struct uncore_cpu *cpu = raw_cpu_ptr(job->uncore->cpus);
	struct perf_event *event;
	unsigned long flags;
	unsigned int n;
	u64 rest;

	pfm_for_each_bit(n, rest, job->counters) {
		local_irq_save(flags);
		event = cpu->counters[n].placeholder;
		cpu->counters[n].placeholder = NULL;
		local_irq_restore(flags);
		if (event)
			perf_event_release_kernel(event);
	}
	return 0;
}

/* ---- the owner ---------------------------------------------------------------------------- */

static void find_instance(void *info)
{
	struct uncore *uncore = info;

	this_cpu_ptr(uncore->cpus)->instance = uncore->instance_of();
}

/*
 * Return: the owner of the registers of CPU @number.  If the registers have no owner, the
 * lowest online CPU that shares them becomes the owner.
 */
static int choose_owner(struct uncore *uncore, int number)
{
	int instance, cpu, owner = number;
	struct uncore_cpu *data;

	for_each_online_cpu(cpu)
		if (per_cpu_ptr(uncore->cpus, cpu)->instance < 0)
			smp_call_function_single(cpu, find_instance, uncore, true);
	instance = per_cpu_ptr(uncore->cpus, number)->instance;
	if (instance < 0)
		return -ENODEV;
	for_each_possible_cpu(cpu) {
		data = per_cpu_ptr(uncore->cpus, cpu);
		if (data->instance != instance)
			continue;
		if (cpu_online(cpu) && data->is_owner)
			return cpu;
		data->is_owner = false;
	}
	for_each_online_cpu(cpu)
		if (per_cpu_ptr(uncore->cpus, cpu)->instance == instance) {
			owner = cpu;
			break;
		}
	per_cpu_ptr(uncore->cpus, owner)->is_owner = true;
	return owner;
}

static int find_owner(struct uncore *uncore, int number)
{
	struct job job = { .uncore = uncore, .cpu = number };
	u32 type;

	lockdep_assert_held(&owning);
	if (uncore->claimed ? uncore->is_known : find_type(uncore, &type))
		return work_on_cpu(number, ask_for_owner, &job);
	return choose_owner(uncore, number);
}

int uncore_owner(const struct pfm_pmu *pmu, int number)
{
	int owner;

	mutex_lock(&owning);
	owner = find_owner(uncore_of(pmu), number);
	mutex_unlock(&owning);
	return owner;
}

/* ---- claim and release -------------------------------------------------------------------- */

static void drop_on_all(struct uncore *uncore, u64 counters)
{
	struct job job = { .uncore = uncore, .counters = counters };
	int cpu;

	for_each_online_cpu(cpu)
		work_on_cpu(cpu, drop_here, &job);
}

static int take_on_owner(struct uncore *uncore, u64 counters, int cpu)
{
	struct job job = { .uncore = uncore, .counters = counters };
	int error = work_on_cpu(cpu, take_here, &job);

	if (error || !job.counters)
		return error;
	pfm_pmu_blame("perf", __ffs64(job.counters));
	return -EBUSY;
}

static int take_on_all(struct uncore *uncore, u64 counters)
{
	int cpu, owner, error = 0;

	for_each_online_cpu(cpu) {
		owner = find_owner(uncore, cpu);
		if (owner == -ENOMEM)
			return owner;
		if (owner == cpu)
			error = take_on_owner(uncore, counters, cpu);
		if (error)
			return error;
	}
	return 0;
}

static int claim(struct uncore *uncore, u64 counters)
{
	int error;
	u32 type;

	lockdep_assert_held(&owning);
	if (!uncore->claimed)
		uncore->is_known = find_type(uncore, &type);
	if (!uncore->is_known && driver_arrives) {
		pfm_pmu_blame(DRIVER, PFM_WHOLE_PMU);
		return -EBUSY;
	}
	error = take_on_all(uncore, counters);
	if (error) {
		drop_on_all(uncore, counters);
		return error;
	}
	uncore->claimed |= counters;
	return 0;
}

int uncore_claim(struct pfm_pmu *pmu, const u64 *pmds)
{
	int error;

	mutex_lock(&owning);
	error = claim(uncore_of(pmu), pmds[0]);
	mutex_unlock(&owning);
	return error;
}

void uncore_release(struct pfm_pmu *pmu, const u64 *pmds)
{
	struct uncore *uncore = uncore_of(pmu);

	mutex_lock(&owning);
	drop_on_all(uncore, pmds[0]);
	uncore->claimed &= ~pmds[0];
	mutex_unlock(&owning);
}

/*
 * Take the claimed counters if the session's CPU does not hold them yet.  This CPU may have just
 * become the owner, because the previous owner went offline.  If perf has no PMU for the registers,
 * this function does nothing: the claim has prepared the registers, and another context may be
 * counting with them.
 * The field is_known is read without the mutex, because it does not change while counters are
 * claimed.
 */
int uncore_load(struct pfm_session *session)
{
	struct uncore *uncore = uncore_of(session->pmu);
	struct job job = { .uncore = uncore };
	int error = 0;

	if (!uncore->is_known)
		return 0;
	cpus_read_lock();
	mutex_lock(&owning);
	job.counters = uncore->claimed;
	if (cpu_online(session->cpu))
		error = work_on_cpu(session->cpu, take_here, &job);
	mutex_unlock(&owning);
	cpus_read_unlock();
	if (error)
		return error;
	if (!job.counters || !cpu_online(session->cpu))
		return 0; /* if the CPU is offline, the load fails later */
	strscpy(session->why, "perf holds counters of this CPU", sizeof(session->why));
	return -EBUSY;
}

/* Release the placeholders.  Otherwise perf would move them to another CPU after this callback. */
static int goes_offline(unsigned int number)
{
	unsigned int i;

	pfm_cpu_goes_offline();
	mutex_lock(&owning);
	for (i = 0; i < ARRAY_SIZE(all); i++) {
		struct job job = { .uncore = all[i], .counters = all[i]->claimed };

		if (all[i]->cpus)
			drop_here(&job);
	}
	mutex_unlock(&owning);
	return 0;
}

/* ---- perf's driver as a module ------------------------------------------------------------ */

static bool is_held_against_driver(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(all); i++)
		if (all[i]->claimed && !all[i]->is_known)
			return true;
	return false;
}

static int module_changes(struct notifier_block *block, unsigned long state, void *data)
{
	const struct module *module = data;
	int error = 0;

	if (strcmp(module->name, DRIVER))
		return NOTIFY_DONE;
	mutex_lock(&owning);
	if (state == MODULE_STATE_COMING && is_held_against_driver())
		error = -EBUSY;
	else
		driver_arrives = state == MODULE_STATE_COMING;
	mutex_unlock(&owning);
	return notifier_from_errno(error);
}

static struct notifier_block module_notifier = { .notifier_call = module_changes };

/* ---- module init and exit ----------------------------------------------------------------- */

static int __init find_any_pmu(void)
{
	struct perf_event *event = perf_idle_event(
		raw_smp_processor_id(), PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);

	if (IS_ERR(event))
		return PTR_ERR(event);
	any_pmu = get_device(event->pmu->dev);
	perf_event_release_kernel(event);
	return any_pmu ? 0 : -ENODEV;
}

int __init uncore_perf_init(void)
{
	int state, error = find_any_pmu();

	if (error)
		return error;
	error = register_module_notifier(&module_notifier);
	if (error)
		goto no_notifier;
	state = cpuhp_setup_state_nocalls(
		CPUHP_AP_ONLINE_DYN, "perfmon_amd_uncore:online", NULL, goes_offline);
	if (state < 0) {
		error = state;
		goto no_state;
	}
	hotplug_state = state;
	return 0;

no_state:
	unregister_module_notifier(&module_notifier);
no_notifier:
	put_device(any_pmu);
	return error;
}

void uncore_perf_exit(void)
{
	cpuhp_remove_state_nocalls(hotplug_state);
	unregister_module_notifier(&module_notifier);
	put_device(any_pmu);
}
