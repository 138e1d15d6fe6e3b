// SPDX-License-Identifier: GPL-2.0-only
/* A monitoring context with the events of a measurement in it. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "errors.h"
#include "session.h"

int session_create(struct session *session, const char *format, void *argument,
		   size_t size)
{
	struct pfarg_ctx context = { 0 };

	memset(session, 0, sizeof(*session));
	session->fd = pfm_create_context(&context, (char *)format, argument, size);
	if (session->fd == -1)
		return -1;
	/* COMMAND must not have it. */
	fcntl(session->fd, F_SETFD, FD_CLOEXEC);
	return 0;
}

int session_open(struct session *session)
{
	if (session_create(session, NULL, NULL, 0))
		return fail_open(errno);
	return machine_ask(&session->machine, session->fd);
}

void session_close(struct session *session)
{
	if (session->fd != -1)
		close(session->fd);
	free(session->initial);
	free(session->pmds);
	session->initial = session->pmds = NULL;
	session->fd = -1;
}

static bool is_counted(const struct event *event)
{
	return event->state == EVENT_COUNTED;
}

/*
 * Add @bits to @pmcs, merged with what other events need in the same PMC; that
 * they agree where their masks meet was seen to when counters were assigned.
 */
static unsigned int merge_pmc(struct pfarg_pmc *pmcs, unsigned int count,
			      const struct pmc_bits *bits)
{
	unsigned int i = 0;

	while (i < count && pmcs[i].reg_num != bits->pmc)
		i++;
	pmcs[i].reg_num = bits->pmc;
	pmcs[i].reg_value |= bits->value;
	return i < count ? count : count + 1;
}

/* The elements of @size bytes that fit into one call. */
static unsigned int vector_limit(const struct session *session, size_t size)
{
	uint64_t bytes = session->machine.info.arg_mem_max;

	return bytes < size ? 1 : (unsigned int)(bytes / size);
}

static unsigned int smaller(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

static int write_pmcs(struct session *session, const struct event_list *events)
{
	unsigned int limit = vector_limit(session, sizeof(struct pfarg_pmc));
	const struct pmu *pmu = session->machine.pmu;
	struct pmc_bits bits[MAX_PMCS_PER_EVENT];
	unsigned int count = 0, own_count;
	struct pfarg_pmc *pmcs;
	int result = 0;

	pmcs = calloc(events->count * MAX_PMCS_PER_EVENT + 1, sizeof(*pmcs));
	if (!pmcs)
		return fail("no memory");
	for (size_t i = 0; i < events->count; i++) {
		const struct event *event = &events->events[i];

		if (!is_counted(event) || !event->needs_counter)
			continue;
		own_count =
			pmu->encode(pmu, event->code, event->modes, event->pmds[0], bits);
		for (unsigned int j = 0; j < own_count; j++)
			count = merge_pmc(pmcs, count, &bits[j]);
	}
	for (unsigned int i = 0; i < count && !result; i += limit)
		if (pfm_write_pmcs(session->fd, pmcs + i, (int)smaller(limit, count - i)))
			result = fail_call(session->fd, "program the PMU", errno);
	free(pmcs);
	return result;
}

static void list_pmds(struct session *session, const struct event_list *events)
{
	for (size_t i = 0; i < events->count; i++) {
		const struct event *event = &events->events[i];

		if (!is_counted(event))
			continue;
		for (unsigned int j = 0; j < event->pmd_count; j++)
			session->initial[session->pmd_count++].reg_num = event->pmds[j];
	}
	if (register_in(session->machine.info.implemented_pmds, PFM_PMD_TASK_CLOCK)) {
		session->initial[session->pmd_count++].reg_num = PFM_PMD_TASK_CLOCK;
		session->has_runtime = true;
	}
}

int session_program(struct session *session, const struct event_list *events)
{
	size_t most = events->count * MAX_PMDS_PER_EVENT + 1;

	session->initial = calloc(most, sizeof(*session->initial));
	session->pmds = calloc(most, sizeof(*session->pmds));
	if (!session->initial || !session->pmds)
		return fail("no memory");
	list_pmds(session, events);
	return write_pmcs(session, events);
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

int session_attach(struct session *session, int tid)
{
	struct pfarg_load load = { .load_pid = (uint32_t)tid };

	if (write_pmds(session))
		return -1;
	if (pfm_load_context(session->fd, &load))
		return fail_load(session->fd, tid, errno);
	return 0;
}

int session_start(struct session *session)
{
	struct pfm_status status;

	if (!pfm_start(session->fd, NULL))
		return 0;
	/* The thread may have ended between attach and here. */
	if (errno == EINVAL && !pfm_get_status(session->fd, &status) &&
	    status.state == PFM_STATE_UNLOADED)
		return fail("the thread has ended before it could be monitored");
	return fail_call(session->fd, "start counting", errno);
}

int session_detach(struct session *session)
{
	struct pfm_status status;

	/* Stopping fails if the thread ends at this moment: nothing is lost. */
	if (!pfm_get_status(session->fd, &status) && status.state != PFM_STATE_UNLOADED)
		pfm_stop(session->fd);
	if (pfm_unload_context(session->fd))
		return fail_call(session->fd, "detach", errno);
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

int session_read(struct session *session, const struct event_list *events,
		 uint64_t *values, uint64_t *runtime)
{
	unsigned int next = 0;

	if (session_read_pmds(session))
		return -1;
	for (size_t i = 0; i < events->count; i++) {
		const struct event *event = &events->events[i];

		values[i] = 0;
		for (unsigned int j = 0; is_counted(event) && j < event->pmd_count; j++)
			values[i] += session->pmds[next++].reg_value;
	}
	*runtime = session->has_runtime ? session->pmds[next].reg_value : 0;
	return 0;
}

bool session_ran_elsewhere(const struct session *session)
{
	struct pfm_status status;

	return !pfm_get_status(session->fd, &status) &&
	       status.flags & PFM_STATUS_FOREIGN_CPU;
}
