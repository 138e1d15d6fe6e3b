// SPDX-License-Identifier: GPL-2.0-only
/* A monitoring context that is programmed with the events of a measurement. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../event/constraints.h"
#include "../event/device_errors.h"
#include "../common/errors.h"
#include "../common/text.h"
#include "open_files.h"
#include "session.h"

#define INHERIT_FLAGS (PFM_FL_INHERIT_THREADS | PFM_FL_INHERIT_ALL)

int session_create(struct session *session, const char *pmu, uint32_t flags,
		   const char *format, void *argument, size_t size)
{
	const struct pfm_create create = {
		.context.ctx_flags = flags,
		.format_name = (uintptr_t)format,
		.format_argument = (uintptr_t)argument,
		.format_size = size,
		.pmu_name = (uintptr_t)pmu,
	};

	memset(session, 0, sizeof(*session));
	session->is_inherited = flags & INHERIT_FLAGS;
	session->fd = pfm_create(&create);
	if (session->fd == -1)
		return -1;
	/* COMMAND must not inherit the descriptor. */
	fcntl(session->fd, F_SETFD, FD_CLOEXEC);
	return 0;
}

/* A system-wide context cannot use PMDs that count what happens to a single thread. */
static void leave_out_threads(struct machine *machine)
{
	static const uint16_t pmds[] = { PFM_PMD_CONTEXT_SWITCHES, PFM_PMD_CPU_MIGRATIONS,
					 PFM_PMD_MINOR_FAULTS, PFM_PMD_MAJOR_FAULTS };

	for (size_t i = 0; i < sizeof(pmds) / sizeof(*pmds); i++)
		machine->info.implemented_pmds[pmds[i] / 64] &= ~(1ull << pmds[i] % 64);
}

int session_ask(struct session *session, uint32_t flags)
{
	if (machine_ask(&session->machine, session->fd))
		return -1;
	session->machine.is_system_wide = flags & PFM_FL_SYSTEM_WIDE;
	if (session->machine.is_system_wide)
		leave_out_threads(&session->machine);
	return 0;
}

int session_open(struct session *session, const char *pmu, uint32_t flags)
{
	int error = session_create(session, pmu, flags, NULL, NULL, 0);

	/* Not every PMU module supports INHERIT_FLAGS. */
	if (error && errno == EOPNOTSUPP && session->is_inherited)
		error = session_create(session, pmu,
				       flags & ~(INHERIT_FLAGS | PFM_FL_KEEP_COUNTS),
				       NULL, NULL, 0);
	if (error)
		return fail_open(errno, pmu);
	return session_ask(session, flags);
}

void session_close(struct session *session)
{
	if (session->fd != -1)
		close(session->fd);
	session->fd = -1;
	if (session->is_twin)
		return;
	free(session->sets);
	free(session->pmcs);
	free(session->initial);
	free(session->pmds);
	free(session->values);
	session->sets = NULL;
	session->pmcs = NULL;
	session->initial = session->pmds = NULL;
	session->values = NULL;
}

/* Returns the largest number of elements of @size bytes that one call may pass to the kernel. */
static unsigned int vector_limit(const struct session *session, size_t size)
{
	uint64_t bytes = session->machine.info.arg_mem_max;

	return bytes < size ? 1 : (unsigned int)(bytes / size);
}

static unsigned int smaller(size_t a, size_t b)
{
	return (unsigned int)(a < b ? a : b);
}

static int list_sets(struct session *session, const struct event_list *events)
{
	session->set_count = events_set_count(events);
	if (!events->set_count)
		return 0;
	session->sets = calloc(events->set_count, sizeof(*session->sets));
	if (!session->sets)
		return fail("no memory");
	for (size_t i = 0; i < events->set_count; i++)
		session->sets[i] = (struct pfarg_setdesc){
			.set_id = (uint16_t)i,
			.set_flags = events->sets[i].flags,
			.set_timeout = events->sets[i].timeout,
		};
	return 0;
}

/*
 * Create the sets. In a set that already exists, this resets the PMCs, the number of runs, the
 * duration and the switch counts. The PMDs keep their values and their other properties.
 */
static int create_sets(struct session *session)
{
	unsigned int limit = vector_limit(session, sizeof(*session->sets));
	size_t count = session->sets ? session->set_count : 0;

	for (size_t i = 0; i < count; i += limit)
		if (pfm_create_evtsets(session->fd, session->sets + i,
				       (int)smaller(limit, count - i)))
			return fail_call(session->fd, "make event sets", errno);
	return 0;
}

/*
 * Add @bits to the PMCs of @set, which begin at @session->pmcs[@first]. If two events of @set need
 * the same PMC, the bits of both events are merged. events_assign() has checked that the events
 * need the same values in all bits that both of them use.
 */
static void merge_pmc(struct session *session, unsigned int first, size_t set,
		      const struct pmc_bits *bits)
{
	unsigned int i = first;

	while (i < session->pmc_count && session->pmcs[i].reg_num != bits->pmc)
		i++;
	session->pmcs[i].reg_num = bits->pmc;
	session->pmcs[i].reg_set = (uint16_t)set;
	session->pmcs[i].reg_value |= bits->value;
	if (i == session->pmc_count)
		session->pmc_count++;
}

static int list_pmcs(struct session *session, const struct event_list *events)
{
	const struct pmu *pmu = session->machine.pmu;
	struct pmc_bits bits[MAX_PMCS_PER_EVENT];
	unsigned int first, count;

	/* There is room for all sets, because an event with PMCs belongs to exactly one set. */
	session->pmcs =
		calloc(events->count * MAX_PMCS_PER_EVENT + 1, sizeof(*session->pmcs));
	if (!session->pmcs)
		return fail("no memory");
	for (size_t set = 0; set < session->set_count; set++) {
		first = session->pmc_count;
		for (size_t i = 0; i < events->count; i++) {
			const struct event *event = &events->events[i];

			if (!event_in_set(event, set) || !event->needs_counter)
				continue;
			count = event_encode(pmu, event, event->pmds[0], bits);
			for (unsigned int j = 0; j < count; j++)
				merge_pmc(session, first, set, &bits[j]);
		}
	}
	return 0;
}

static int write_pmcs(struct session *session)
{
	unsigned int limit = vector_limit(session, sizeof(*session->pmcs));

	for (unsigned int i = 0; i < session->pmc_count; i += limit)
		if (pfm_write_pmcs(session->fd, session->pmcs + i,
				   (int)smaller(limit, session->pmc_count - i)))
			return fail_call(session->fd, "program the PMU", errno);
	return 0;
}

static struct pfarg_pmd *add_pmd(struct session *session, uint16_t pmd, size_t set)
{
	struct pfarg_pmd *initial = &session->initial[session->pmd_count];
	struct pfarg_pmr *value = &session->values[session->pmd_count++];

	initial->reg_num = value->reg_num = pmd;
	initial->reg_set = value->reg_set = (uint16_t)set;
	return initial;
}

/*
 * Make @pmd overflow after @event->switch_after events. The overflow ends the set's turn, and
 * resets all counters that can end a turn of this set.
 */
static void make_switch(struct pfarg_pmd *pmd, const struct event_list *events,
			const struct event *event)
{
	pmd->reg_value = pmd->reg_long_reset = pmd->reg_short_reset =
		-event->switch_after;
	pmd->reg_ovfl_switch_cnt = 1;
	for (size_t i = 0; i < events->count; i++) {
		const struct event *other = &events->events[i];

		if (other->switch_after && other->set == event->set)
			pmd->reg_reset_pmds[other->pmds[0] / 64] |=
				1ull << other->pmds[0] % 64;
	}
}

/*
 * List the PMDs of a set one after the other. The kernel reads consecutive elements at the same
 * moment if they belong to the same set.
 */
static void list_set(struct session *session, const struct event_list *events, size_t set)
{
	for (size_t i = 0; i < events->count; i++) {
		const struct event *event = &events->events[i];

		for (unsigned int j = 0; event_in_set(event, set) && j < event->pmd_count;
		     j++) {
			struct pfarg_pmd *pmd = add_pmd(session, event->pmds[j], set);

			if (event->switch_after)
				make_switch(pmd, events, event);
		}
	}
	if (session->has_runtime)
		add_pmd(session, PFM_PMD_TASK_CLOCK, set);
}

static int list_pmds(struct session *session, const struct event_list *events)
{
	size_t most = session->set_count;

	for (size_t i = 0; i < events->count; i++)
		most += MAX_PMDS_PER_EVENT *
			(events->events[i].set == EVERY_SET ? session->set_count : 1);
	session->initial = calloc(most, sizeof(*session->initial));
	session->pmds = calloc(most, sizeof(*session->pmds));
	session->values = calloc(most, sizeof(*session->values));
	if (!session->initial || !session->pmds || !session->values)
		return fail("no memory");
	session->has_runtime =
		register_in(session->machine.info.implemented_pmds, PFM_PMD_TASK_CLOCK);
	for (size_t set = 0; set < session->set_count; set++)
		list_set(session, events, set);
	return 0;
}

int session_program(struct session *session, const struct event_list *events)
{
	if (list_sets(session, events) || list_pmcs(session, events) ||
	    list_pmds(session, events))
		return -1;
	if (create_sets(session))
		return -1;
	/* The kernel may have lengthened a timeout: store the actual timeouts. */
	for (size_t i = 0; i < events->set_count; i++)
		events->sets[i].timeout = session->sets[i].set_timeout;
	return write_pmcs(session);
}

int session_twin(const struct session *session, uint32_t flags, struct session *twin)
{
	const char *pmu = session->machine.info.pmu_name;
	struct session created;

	*twin = *session;
	twin->is_twin = true;
	twin->fd = -1;
	if (session_create(&created, pmu, flags, NULL, NULL, 0))
		return errno == EMFILE ? open_files_fail() : fail_open(errno, pmu);
	twin->fd = created.fd;
	twin->is_inherited = created.is_inherited;
	return create_sets(twin) || write_pmcs(twin) ? -1 : 0;
}

static int write_pmds(struct session *session)
{
	unsigned int limit = vector_limit(session, sizeof(struct pfarg_pmd));

	memcpy(session->pmds, session->initial,
	       session->pmd_count * sizeof(*session->pmds));
	for (unsigned int i = 0; i < session->pmd_count; i += limit)
		if (pfm_write_pmds(session->fd, session->pmds + i,
				   (int)smaller(limit, session->pmd_count - i)))
			return fail_call(session->fd, "set the counters", errno);
	return 0;
}

int session_try_attach(struct session *session, int tid)
{
	struct pfarg_load load = { .load_pid = (uint32_t)tid };

	/* Reset the state that an earlier run has left in the sets. */
	if (session->sets && (create_sets(session) || write_pmcs(session)))
		return -1;
	if (write_pmds(session))
		return -1;
	return pfm_load_context(session->fd, &load) ? errno : 0;
}

bool session_thread_is_gone(const struct session *session, int error)
{
	struct pfm_error last;

	return error == ESRCH || (error == EBUSY && !pfm_get_error(session->fd, &last) &&
				  last.reason == PFM_REASON_THREAD_ENDED);
}

bool session_has_thread(const struct session *session, int error)
{
	struct pfm_error last;

	return error == EEXIST && !pfm_get_error(session->fd, &last) &&
	       last.value == (uint64_t)getpid();
}

int session_attach(struct session *session, int tid)
{
	int error = session_try_attach(session, tid);

	return error > 0 ? fail_load(session->fd, tid, error) : error;
}

int session_try_start(struct session *session)
{
	struct pfm_status status;

	if (!pfm_start(session->fd, NULL))
		return 0;
	if (errno == EINVAL && !pfm_get_status(session->fd, &status) &&
	    status.state == PFM_STATE_UNLOADED)
		return 1;
	return fail_call(session->fd, "start counting", errno);
}

int session_resume(struct session *session, int cpu)
{
	struct pfarg_load load = { .load_pid = (uint32_t)cpu };

	return pfm_load_context(session->fd, &load) || pfm_start(session->fd, NULL)
		       ? errno
		       : 0;
}

bool session_is_attached(const struct session *session)
{
	struct pfm_status status;

	return !pfm_get_status(session->fd, &status) &&
	       status.state != PFM_STATE_UNLOADED;
}

int session_start(struct session *session)
{
	int result = session_try_start(session);

	return result > 0 ? fail("the thread has ended before it could be monitored")
			  : result;
}

int session_detach(struct session *session)
{
	struct pfm_status status;

	/* If the thread ends at this moment, the stop fails, but no counts are lost. */
	if (!pfm_get_status(session->fd, &status) && status.state != PFM_STATE_UNLOADED)
		pfm_stop(session->fd);
	if (pfm_unload_context(session->fd))
		return fail_call(session->fd, "unload the context", errno);
	return 0;
}

int session_read_pmds(struct session *session)
{
	unsigned int limit = vector_limit(session, sizeof(struct pfarg_pmd));

	for (unsigned int i = 0; i < session->pmd_count; i += limit)
		if (pfm_read_pmds(session->fd, session->pmds + i,
				  (int)smaller(limit, session->pmd_count - i)))
			return fail_call(session->fd, "read the counters", errno);
	return 0;
}

static int read_values(struct session *session)
{
	unsigned int limit = vector_limit(session, sizeof(*session->values));

	for (unsigned int i = 0; i < session->pmd_count; i += limit)
		if (pfm_read(session->fd, 0, PFM_RW_PMD, session->values + i,
			     smaller(limit, session->pmd_count - i) *
				     sizeof(*session->values)))
			return fail_call(session->fd, "read the counters", errno);
	return 0;
}

/* Compute @values and @times from @session->values, into which the PMDs were read. */
static void store_values(const struct session *session, const struct event_list *events,
			 uint64_t *values, uint64_t *times)
{
	const struct pfarg_pmr *next = session->values;

	memset(values, 0, events->count * sizeof(*values));
	for (size_t set = 0; set < session->set_count; set++) {
		for (size_t i = 0; i < events->count; i++) {
			const struct event *event = &events->events[i];

			for (unsigned int j = 0;
			     event_in_set(event, set) && j < event->pmd_count; j++)
				values[i] += next++->reg_value;
		}
		times[set] = session->has_runtime ? next++->reg_value : 0;
	}
}

int session_read(struct session *session, const struct event_list *events,
		 uint64_t *values, uint64_t *times)
{
	if (read_values(session))
		return -1;
	store_values(session, events, values, times);
	return 0;
}

int session_read_thread(struct session *session, const struct event_list *events,
			struct session_thread *thread, uint64_t *values, uint64_t *times)
{
	struct pfm_thread_counts counts = {
		.address = (uintptr_t)session->values,
		.count = (int)session->pmd_count,
		.which = thread->which,
	};

	if (pfm_read_thread(session->fd, &counts))
		return errno == ENOENT ? 1
				       : fail_call(session->fd,
						   "read the counts of a thread", errno);
	thread->tid = counts.tid;
	thread->tgid = counts.tgid;
	memcpy(thread->name, counts.name, sizeof(thread->name));
	store_values(session, events, values, times);
	return 0;
}

bool session_reads_at_once(const struct session *session)
{
	return session->pmd_count <= vector_limit(session, sizeof(*session->values));
}

uint64_t session_dropped_counts(const struct session *session)
{
	struct pfm_status status;

	return pfm_get_status(session->fd, &status) ? 0 : status.dropped_counts;
}

int session_read_activities(struct session *session, struct set_activity *activities)
{
	struct pfarg_setinfo info;

	for (size_t i = 0; i < session->set_count; i++) {
		memset(&info, 0, sizeof(info));
		info.set_id = (uint16_t)i;
		if (pfm_getinfo_evtsets(session->fd, &info, 1))
			return fail_call(session->fd, "ask about event sets", errno);
		activities[i].runs = info.set_runs;
		activities[i].duration = info.set_act_duration;
	}
	return 0;
}

bool session_ran_elsewhere(const struct session *session)
{
	struct pfm_status status;

	return !pfm_get_status(session->fd, &status) &&
	       status.flags & PFM_STATUS_FOREIGN_CPU;
}

bool session_was_closed(const struct session *session)
{
	struct pfm_status status;

	return !pfm_get_status(session->fd, &status) && status.flags & PFM_STATUS_CLOSED;
}

void session_add_unfollowed(const struct session *session, struct unfollowed *sum)
{
	struct pfm_status status;

	if (pfm_get_status(session->fd, &status))
		return;
	sum->threads += status.not_followed;
	sum->closed += status.closed_copies;
}

void unfollowed_warn(const struct unfollowed *unfollowed, const char *done)
{
	if (unfollowed->threads)
		warn_user("%llu %s not %s: see max_copies, set_user_max and "
			  "set_mem_max in /sys/kernel/perfmon, which root can raise",
			  (unsigned long long)unfollowed->threads,
			  plural(unfollowed->threads, "thread or process was",
				 "threads and processes were"),
			  done);
	if (unfollowed->closed)
		warn_user("%llu %s that you may not monitor: %s %s up to that moment",
			  (unsigned long long)unfollowed->closed,
			  plural(unfollowed->closed, "thread executed a program",
				 "threads executed programs"),
			  plural(unfollowed->closed, "it was", "they were"), done);
}
