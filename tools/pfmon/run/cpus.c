// SPDX-License-Identifier: GPL-2.0-only
/* Load contexts on CPUs. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../common/array.h"
#include "../common/errors.h"
#include "../common/text.h"
#include "cpus.h"

#define POSSIBLE "/sys/devices/system/cpu/possible"

/*
 * Returns the last number in the file POSSIBLE, which contains a list such as 0-3,8-11. "%*c" skips
 * the character after each number.
 */
int cpus_highest(void)
{
	FILE *file = fopen(POSSIBLE, "re");
	int last = -1;

	while (file && fscanf(file, "%d%*c", &last) == 1)
		;
	if (file)
		fclose(file);
	return last >= 0 ? last : (int)sysconf(_SC_NPROCESSORS_CONF) - 1;
}

static bool is_shared(const struct group *group)
{
	return group->first->machine.scope[0];
}

static int add(struct id_list *cpus, int cpu)
{
	int *id = array_add(&cpus->ids, &cpus->count, sizeof(*id));

	if (!id)
		return fail("no memory");
	*id = cpu;
	return 0;
}

/* Append the CPUs of the text @list or, if @list is NULL, the CPUs that are online. */
static int add_list(struct id_list *cpus, const char *list)
{
	struct pfm_cpu_context *found = NULL, *larger;
	int room = 64, count = -1, result = 0;

	errno = ENOSPC;
	while (count < 0 && errno == ENOSPC) {
		room *= 2;
		larger = reallocarray(found, (size_t)room, sizeof(*found));
		if (!larger)
			break;
		found = larger;
		count = pfm_cpus_parse(list, found, room);
	}
	if (count < 0)
		result = fail("cannot find the CPUs: %s", strerror(errno));
	for (int i = 0; !result && i < count; i++)
		result = add(cpus, found[i].cpu);
	free(found);
	return result;
}

int cpus_wanted(const struct targets *targets, struct id_list *wanted)
{
	int result = 0;

	if (targets->is_whole_machine)
		return add_list(wanted, NULL);
	for (size_t i = 0; !result && i < targets->cpus.count; i++)
		result = add(wanted, targets->cpus.ids[i]);
	return result;
}

/*
 * Store in @wanted the CPUs on which contexts shall count. If @targets is the whole machine and
 * CPUs share registers, @wanted gets only the owners of the registers. The caller frees
 * @wanted->ids in any case.
 */
static int list_wanted(const struct targets *targets, const struct group *group,
		       struct id_list *wanted)
{
	char *owners;
	int result;

	if (!targets->is_whole_machine || !is_shared(group))
		return cpus_wanted(targets, wanted);
	owners = scope_owners(group->first->machine.info.pmu_name);
	if (!owners)
		return fail("cannot read which CPUs own registers of PMU %s",
			    group->first->machine.info.pmu_name);
	result = add_list(wanted, owners);
	free(owners);
	return result;
}

/*
 * Warn if another CPU owns the registers of @cpu. The counts are then not those of @cpu alone, but
 * those of all CPUs that share these registers.
 */
static void say_owner(const struct group *group, int cpu)
{
	const struct session *session = group_session(group, group->attached - 1);

	if (session->cpu != cpu)
		warn_user(
			"CPU %d owns the %s registers of CPU %d: the counts are those of "
			"all CPUs that share these registers",
			session->cpu, session->machine.scope, cpu);
}

/*
 * group_attach_cpu() failed with @error. Returns whether it failed because the CPU shares registers
 * with a CPU on which this pfmon process has a context already.
 */
static bool is_counted(const struct group *group, int error)
{
	return is_shared(group) && session_has_thread(group_failed(group), error);
}

/*
 * Load a context on @cpu. If the CPU is offline, append it to @offline; its context is loaded when
 * the CPU comes online.
 */
static int attach_cpu(struct group *group, int cpu, struct id_list *offline)
{
	int error = group_attach_cpu(group, cpu);

	if (!error)
		say_owner(group, cpu);
	if (error == ENODEV)
		return add(offline, cpu);
	if (error <= 0 || is_counted(group, error))
		return error < 0 ? -1 : 0;
	return group_fail_attach_cpu(group, cpu, error);
}

int cpus_warn_offline(const struct id_list *offline, size_t attached, const char *done)
{
	if (!attached)
		return fail(
			"none of the CPUs is online: bring one online, or name others");
	for (size_t i = 0; i < offline->count; i++)
		warn_user("CPU %d is offline: it will be %s as soon as it comes online",
			  offline->ids[i], done);
	return 0;
}

int cpus_attach(const struct targets *targets, struct group *group)
{
	struct id_list wanted = { 0 }, offline = { 0 };
	int result = list_wanted(targets, group, &wanted);

	for (size_t i = 0; !result && i < wanted.count; i++)
		result = attach_cpu(group, wanted.ids[i], &offline);
	if (!result)
		result = cpus_warn_offline(&offline, group->attached, "counted");
	free(wanted.ids);
	free(offline.ids);
	return result;
}

/* ---- CPUs that come online ----------------------------------------------------------------- */

void cpus_warn_refused(int fd, int cpu, const char *done, int error)
{
	char reason[PFM_LAST_ERROR_SIZE];
	static bool is_said;

	errno = error;
	if (!is_said)
		warn_user("CPU %d came online, but is not %s: %s", cpu, done,
			  pfm_last_error(fd, reason, sizeof(reason)));
	is_said = true;
}

/* If the CPU of context @index went offline, try to count on it again. */
static void resume(struct group *group, size_t index)
{
	struct session *session = group_session(group, index);
	int error;

	if (session_is_attached(session))
		return;
	error = group_resume_cpu(group, index);
	if (error && error != ENODEV)
		cpus_warn_refused(session->fd, session->cpu, "counted", error);
}

static int begin(struct group *group, int cpu)
{
	int error = group_attach_cpu(group, cpu);
	struct session *session;

	if (error < 0)
		return -1;
	if (error) {
		session = group_session(group, group->attached);
		if (error != ENODEV && !is_counted(group, error))
			cpus_warn_refused(session->fd, cpu, "counted", error);
		return 0;
	}
	session = group_session(group, group->attached - 1);
	session->came_later = true;
	return session_try_start(session) < 0 ? -1 : 0;
}

static int follow_cpu(struct group *group, int cpu)
{
	for (size_t i = 0; i < group->attached; i++) {
		if (group_session(group, i)->cpu != cpu)
			continue;
		resume(group, i);
		return 0;
	}
	return begin(group, cpu);
}

int cpus_follow(const struct targets *targets, struct group *group)
{
	struct id_list wanted = { 0 };
	int result = list_wanted(targets, group, &wanted);

	for (size_t i = 0; !result && i < wanted.count; i++)
		result = follow_cpu(group, wanted.ids[i]);
	free(wanted.ids);
	return result;
}

void cpus_add_change(const struct session *session, struct cpu_changes *changes)
{
	if (!session_is_attached(session))
		changes->away++;
	else if (session->was_offline)
		changes->back++;
	changes->later += session->came_later;
}

void cpus_add_changes(const struct group *group, struct cpu_changes *changes)
{
	for (size_t i = 0; i < group->attached; i++)
		cpus_add_change(group_session(group, i), changes);
}

void cpus_warn(const struct cpu_changes *changes, const char *what)
{
	if (changes->away)
		warn_user("%zu of the CPUs went offline: %s %s end at that moment",
			  changes->away, plural(changes->away, "its", "their"), what);
	if (changes->back)
		warn_user("%zu of the CPUs went offline and came online again: %s %s "
			  "leave out the time in between",
			  changes->back, plural(changes->back, "its", "their"), what);
	if (changes->later)
		warn_user("%zu of the CPUs came online later: %s %s begin at that "
			  "moment",
			  changes->later, plural(changes->later, "its", "their"), what);
}

static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

int cpus_list(const struct group *group, struct id_list *cpus)
{
	cpus->count = 0;
	for (size_t i = 0; i < group->attached; i++)
		if (add(cpus, group_session(group, i)->cpu))
			return -1;
	if (cpus->count)
		qsort(cpus->ids, cpus->count, sizeof(*cpus->ids), compare);
	return 0;
}
