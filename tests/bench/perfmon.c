// SPDX-License-Identifier: GPL-2.0-only
/* Counts with perfmon, through libpfmdev. */
#include <err.h>
#include <unistd.h>
#include <perfmon/pfmdev.h>

#include "pmus.h"
#include "tool.h"

static void must(int fd, int result)
{
	char reason[PFM_LAST_ERROR_SIZE];

	if (result == -1)
		errx(1, "%s", pfm_last_error(fd, reason, sizeof(reason)));
}

void perfmon_describe(struct pfm_info *info)
{
	int fd = pfm_open_device();

	must(fd, fd);
	must(fd, pfm_get_info(fd, info));
	close(fd);
}

static void create_with(struct session *session, uint32_t flags)
{
	struct pfarg_ctx context = { .ctx_flags = flags };

	session->fd = pfm_create_context(&context, NULL, NULL, 0);
	must(session->fd, session->fd);
}

static void perfmon_create(void *argument)
{
	create_with(argument, 0);
}

static void perfmon_close(void *argument)
{
	struct session *session = argument;

	close(session->fd);
}

static void perfmon_attach(void *argument)
{
	struct session *session = argument;

	must(session->fd, pfm_load_context(session->fd, &session->load));
}

static void perfmon_detach(void *argument)
{
	struct session *session = argument;

	must(session->fd, pfm_unload_context(session->fd));
}

static void attach_to(struct session *session, pid_t thread)
{
	session->load = (struct pfarg_load){ .load_pid = thread ?: gettid() };
	perfmon_attach(session);
}

static void set_up(struct session *session, unsigned int count, uint32_t flags)
{
	const struct counter *counters = find_pmu()->counters;
	struct pfarg_pmc pmcs[MOST_COUNTERS] = { 0 };
	unsigned int i;

	*session = (struct session){ .count = count };
	for (i = 0; i < count; i++) {
		pmcs[i].reg_num = counters[i].pmc;
		pmcs[i].reg_value = counters[i].value;
		session->pmds[i].reg_num = counters[i].pmd;
		session->pmrs[i].reg_num = counters[i].pmd;
	}
	create_with(session, flags);
	must(session->fd, pfm_write_pmcs(session->fd, pmcs, count));
	must(session->fd, pfm_write_pmds(session->fd, session->pmds, count));
}

void perfmon_set_up(struct session *session, unsigned int count)
{
	set_up(session, count, 0);
}

void perfmon_open_flags(struct session *session, unsigned int count, uint32_t flags)
{
	set_up(session, count, flags);
	attach_to(session, 0);
}

static bool perfmon_open(struct session *session, unsigned int count, pid_t thread)
{
	perfmon_set_up(session, count);
	attach_to(session, thread);
	return true;
}

void perfmon_open_sets(struct session *session, unsigned int count, unsigned int sets,
		       bool differ, const struct pfarg_setdesc *kind,
		       uint64_t switch_period)
{
	const struct pmu *pmu = find_pmu();
	const struct counter *counters = switch_period ? &pmu->cycles : pmu->counters;
	struct pfarg_setdesc set = *kind;
	struct pfarg_pmc pmc;
	struct pfarg_pmd pmd;
	unsigned int i;

	*session = (struct session){ .count = count };
	perfmon_create(session);
	for (set.set_id = 0; set.set_id < sets; set.set_id++) {
		must(session->fd, pfm_create_evtsets(session->fd, &set, 1));
		for (i = 0; i < count; i++) {
			pmc = (struct pfarg_pmc){ .reg_set = set.set_id,
						  .reg_num = counters[i].pmc,
						  .reg_value = counters[i].value };
			if (differ && set.set_id % 2)
				pmc.reg_value = counters[i].other;
			pmd = (struct pfarg_pmd){ .reg_set = set.set_id,
						  .reg_num = counters[i].pmd };
			if (switch_period) {
				pmd.reg_value = pmd.reg_short_reset = -switch_period;
				pmd.reg_ovfl_switch_cnt = 1;
			}
			must(session->fd, pfm_write_pmcs(session->fd, &pmc, 1));
			must(session->fd, pfm_write_pmds(session->fd, &pmd, 1));
		}
	}
	session->load = (struct pfarg_load){ .load_pid = gettid() };
	perfmon_attach(session);
}

static bool virtual_open(struct session *session, unsigned int count, pid_t thread)
{
	unsigned int i;

	*session = (struct session){ .count = count };
	for (i = 0; i < count; i++)
		session->pmds[i].reg_num = PFM_VIRTUAL_PMD_BASE + i;
	perfmon_create(session);
	must(session->fd, pfm_write_pmds(session->fd, session->pmds, count));
	attach_to(session, thread);
	return true;
}

static void perfmon_start(void *argument)
{
	struct session *session = argument;

	must(session->fd, pfm_start(session->fd, NULL));
}

static void perfmon_stop(void *argument)
{
	struct session *session = argument;

	must(session->fd, pfm_stop(session->fd));
}

static void perfmon_read(void *argument)
{
	struct session *session = argument;

	must(session->fd, pfm_read_pmds(session->fd, session->pmds, session->count));
}

static void perfmon_read_values(void *argument)
{
	struct session *session = argument;

	must(session->fd, pfm_read(session->fd, 0, PFM_RW_PMD, session->pmrs,
				   session->count * sizeof(session->pmrs[0])));
}

static uint64_t perfmon_value(const struct session *session, unsigned int n)
{
	return session->pmds[n].reg_value;
}

#define PERFMON_TOOL(open_function)                                                      \
	{                                                                                \
		.create = perfmon_create, .destroy = perfmon_close,                      \
		.open = (open_function), .close = perfmon_close,                         \
		.attach = perfmon_attach, .detach = perfmon_detach,                      \
		.start = perfmon_start, .stop = perfmon_stop, .read = perfmon_read,      \
		.read_values = perfmon_read_values, .value = perfmon_value,              \
	}

const struct tool perfmon_tool = PERFMON_TOOL(perfmon_open);
const struct tool virtual_tool = PERFMON_TOOL(virtual_open);
