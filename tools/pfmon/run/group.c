// SPDX-License-Identifier: GPL-2.0-only
/* Contexts that count the same events, each on a thread or CPU of its own. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../common/array.h"
#include "../common/errors.h"
#include "../event/device_errors.h"
#include "group.h"
#include "open_files.h"

int group_prepare(struct group *group, struct session *first,
		  const struct event_list *events)
{
	*group = (struct group){ .first = first };
	group->values = calloc(events->count + 1, sizeof(*group->values));
	group->times = calloc(events_set_count(events), sizeof(*group->times));
	return group->values && group->times ? 0 : fail("no memory");
}

struct session *group_session(const struct group *group, size_t index)
{
	return index ? &group->twins[index - 1] : group->first;
}

static int add_twin(struct group *group, uint32_t flags)
{
	struct session *twin =
		array_add(&group->twins, &group->twin_count, sizeof(*twin));

	if (!twin)
		return fail("no memory");
	open_files_raise();
	return session_twin(group->first, flags, twin);
}

int group_attach(struct group *group, int tid, uint32_t flags)
{
	int result;

	if (group->attached > group->twin_count && add_twin(group, flags))
		return -1;
	result = session_try_attach(group_session(group, group->attached), tid);
	if (!result)
		group->attached++;
	return result;
}

/*
 * Store the CPU that the context was loaded on. If several CPUs share registers, this is the CPU
 * that owns the registers. The user may have named a different CPU.
 */
static void note_owner(struct session *session)
{
	struct pfm_status status;

	if (!pfm_get_status(session->fd, &status) && status.state != PFM_STATE_UNLOADED)
		session->cpu = (int)status.target;
}

int group_attach_cpu(struct group *group, int cpu)
{
	int error = group_attach(group, cpu, PFM_FL_SYSTEM_WIDE);
	struct session *session;

	if (error)
		return error;
	session = group_session(group, group->attached - 1);
	session->cpu = cpu;
	session->came_later = session->was_offline = false;
	note_owner(session);
	return 0;
}

/* A load resets the context's statistics, so @group->earlier keeps those from before the load. */
int group_resume_cpu(struct group *group, size_t index)
{
	struct session *session = group_session(group, index);
	struct pfm_statistics statistics = { 0 };
	bool is_known = !pfm_get_statistics(session->fd, &statistics);
	int error = session_resume(session, session->cpu);

	if (error)
		return error;
	session->was_offline = true;
	note_owner(session);
	if (is_known)
		costs_add(&group->earlier, &statistics);
	return 0;
}

struct session *group_failed(const struct group *group)
{
	return group_session(group, group->attached);
}

int group_fail_attach(const struct group *group, int tid, int error)
{
	return fail_load(group_failed(group)->fd, tid, error);
}

int group_fail_attach_cpu(const struct group *group, int cpu, int error)
{
	return fail_load_cpu(group_failed(group)->fd, cpu, error);
}

int group_start(struct group *group)
{
	size_t ended = 0;
	int result;

	for (size_t i = 0; i < group->attached; i++) {
		result = session_try_start(group_session(group, i));
		if (result < 0)
			return -1;
		ended += (size_t)result;
	}
	if (ended < group->attached)
		return 0;
	return fail("the %s ended before %s could be monitored",
		    ended > 1 ? "threads have" : "thread has", ended > 1 ? "they" : "it");
}

int group_detach(struct group *group)
{
	for (size_t i = 0; i < group->attached; i++)
		if (session_detach(group_session(group, i)))
			return -1;
	return 0;
}

int group_read(struct group *group, const struct event_list *events, uint64_t *values,
	       uint64_t *times)
{
	memset(values, 0, events->count * sizeof(*values));
	memset(times, 0, events_set_count(events) * sizeof(*times));
	for (size_t i = 0; i < group->attached; i++) {
		if (session_read(group_session(group, i), events, group->values,
				 group->times))
			return -1;
		for (size_t j = 0; j < events->count; j++)
			values[j] += group->values[j];
		for (size_t j = 0; j < events_set_count(events); j++)
			times[j] += group->times[j];
	}
	return 0;
}

int group_read_activities(struct group *group, struct set_activity *activities)
{
	const size_t count = group->first->set_count;
	struct set_activity *one = calloc(count + 1, sizeof(*one));
	int result = one ? 0 : fail("no memory");

	memset(activities, 0, count * sizeof(*activities));
	for (size_t i = 0; !result && i < group->attached; i++) {
		result = session_read_activities(group_session(group, i), one);
		for (size_t j = 0; !result && j < count; j++) {
			activities[j].runs += one[j].runs;
			activities[j].duration += one[j].duration;
		}
	}
	free(one);
	return result;
}

void group_add_losses(const struct group *group, struct group_losses *losses)
{
	for (size_t i = 0; i < group->attached; i++) {
		const struct session *session = group_session(group, i);

		losses->ran_elsewhere |= session_ran_elsewhere(session);
		losses->closed += session_was_closed(session);
		session_add_unfollowed(session, &losses->unfollowed);
	}
}

void group_add_costs(const struct group *group, struct costs *costs)
{
	struct pfm_statistics statistics;

	if (group->earlier.is_known)
		costs_add(costs, &group->earlier.sum);
	for (size_t i = 0; i < group->attached; i++) {
		memset(&statistics, 0, sizeof(statistics));
		if (!pfm_get_statistics(group_session(group, i)->fd, &statistics))
			costs_add(costs, &statistics);
	}
}

void group_close(struct group *group)
{
	for (size_t i = 0; i < group->twin_count; i++)
		session_close(&group->twins[i]);
	free(group->twins);
	free(group->values);
	free(group->times);
	*group = (struct group){ 0 };
}
