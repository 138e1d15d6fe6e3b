// SPDX-License-Identifier: GPL-2.0-only
/* Counting with perfmon, through libpfmdev. */
#include <err.h>
#include <string.h>
#include <unistd.h>
#include <perfmon/pfmdev.h>
#include <perfmon/perfmon_armv8.h>
#include <perfmon/perfmon_power.h>
#include <perfmon/perfmon_soft.h>

#include "tool.h"

#define ARMV8_INST_RETIRED 0x08
#define ARMV8_CPU_CYCLES   0x11
#define POWER_INST_CMPL	   0x02020202 /* PM_INST_CMPL on PMC1 to PMC4 */
#define POWER_CYC	   0x1e1e1e1e /* PM_CYC on PMC1 to PMC4 */

struct counter {
	uint16_t pmc;
	uint64_t value;
	uint16_t pmd;
};

static const struct pmu {
	const char *name;
	struct counter counters[MOST_COUNTERS];
	uint64_t other; /* value of the PMCs in the sets that have other events */
	struct counter cycles; /* QEMU sees overflows of this counter at once */
} pmus[] = {
	{ "armv8",
	  { { 0, ARMV8_INST_RETIRED, 0 },
	    { 1, ARMV8_INST_RETIRED, 1 },
	    { 2, ARMV8_INST_RETIRED, 2 },
	    { 3, ARMV8_INST_RETIRED, 3 },
	    { 4, ARMV8_INST_RETIRED, 4 },
	    { 5, ARMV8_INST_RETIRED, 5 } },
	  ARMV8_CPU_CYCLES,
	  { PFM_ARMV8_CYCLE_COUNTER, 0, PFM_ARMV8_CYCLE_COUNTER } },
	{ "power",
	  { { PFM_POWER_MMCR1, POWER_INST_CMPL, 1 },
	    { PFM_POWER_MMCR1, POWER_INST_CMPL, 2 },
	    { PFM_POWER_MMCR1, POWER_INST_CMPL, 3 },
	    { PFM_POWER_MMCR1, POWER_INST_CMPL, 4 },
	    { PFM_POWER_MMCR0, 0, PFM_POWER_PMC5 },
	    { PFM_POWER_MMCR0, 0, PFM_POWER_PMC6 } },
	  POWER_CYC,
	  { PFM_POWER_MMCR0, 0, PFM_POWER_PMC6 } },
	{ "soft",
	  { { 0, PFM_SOFT_TIME_COUNTER, 0 },
	    { 1, PFM_SOFT_TASK_CLOCK, 1 },
	    { 2, PFM_SOFT_TIME_COUNTER, 2 },
	    { 3, PFM_SOFT_TASK_CLOCK, 3 },
	    { 4, PFM_SOFT_TIME_COUNTER, 4 },
	    { 5, PFM_SOFT_TASK_CLOCK, 5 } },
	  PFM_SOFT_CONTEXT_SWITCHES,
	  { 0, PFM_SOFT_TIME_COUNTER, 0 } },
};

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

static const struct pmu *find_pmu(void)
{
	static const struct pmu *found;
	struct pfm_info info;
	size_t i;

	if (found)
		return found;
	perfmon_describe(&info);
	for (i = 0; i < sizeof(pmus) / sizeof(pmus[0]); i++)
		if (strcmp(pmus[i].name, info.pmu_name) == 0)
			return found = &pmus[i];
	errx(1, "no events known for the PMU \"%s\"", info.pmu_name);
}

static void perfmon_create(void *argument)
{
	struct session *session = argument;
	struct pfarg_ctx context = { 0 };

	session->fd = pfm_create_context(&context, NULL, NULL, 0);
	must(session->fd, session->fd);
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

void perfmon_set_up(struct session *session, unsigned int count)
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
	perfmon_create(session);
	must(session->fd, pfm_write_pmcs(session->fd, pmcs, count));
	must(session->fd, pfm_write_pmds(session->fd, session->pmds, count));
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
	const struct counter *counters = switch_period ? &find_pmu()->cycles
						       : find_pmu()->counters;
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
			if (differ && set.set_id % 2 && pmc.reg_value)
				pmc.reg_value = find_pmu()->other;
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
