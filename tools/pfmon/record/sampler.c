// SPDX-License-Identifier: GPL-2.0-only
/* A thread or CPU that is sampled. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <perfmon/perfmon_intel.h>

#include "../data/data_write.h"
#include "../event/device_errors.h"
#include "../common/errors.h"
#include "sampler.h"
#include "sampling_format.h"

int sampler_create(struct sampler *sampler, const char *pmu, uint32_t flags,
		   enum data_format format, uint64_t size, bool has_recorded)
{
	union sampling_argument argument;

	*sampler = (struct sampler){
		.is_cpu = flags & PFM_FL_SYSTEM_WIDE,
		.format = format,
		.has_recorded = has_recorded,
	};
	sampling_format_argument(format, size, has_recorded, &argument);
	return session_create(&sampler->session, pmu, flags, sampling_format_name(format),
			      &argument, sizeof(argument));
}

static void set_period(struct pfarg_pmd *pmd, const struct rate *rate)
{
	pmd->reg_value = pmd->reg_short_reset = pmd->reg_long_reset = -rate->period;
}

/* Have the processor record the calls of the program that have not returned. */
static int program_callers(struct session *session)
{
	const struct pfm_info *info = &session->machine.info;
	struct pfarg_pmc pmc = {
		.reg_num = PFM_INTEL_LBR_CONTROL,
		.reg_value = PFM_INTEL_LBR_CALLERS,
	};

	if (strcmp(info->pmu_name, "intel") ||
	    !register_in(info->implemented_pmcs, PFM_INTEL_LBR_CONTROL))
		return fail("--lbr: PMU %s does not record callers", info->pmu_name);
	if (pfm_write_pmcs(session->fd, &pmc, 1))
		return fail_call(session->fd, "have the callers recorded", errno);
	return 0;
}

int sampler_program(struct sampler *sampler, const struct event_list *events,
		    size_t count, uint64_t period, uint64_t frequency,
		    uint64_t random_mask)
{
	struct session *session = &sampler->session;

	if (session_program(session, events) ||
	    (sampler->has_recorded && program_callers(session)))
		return -1;
	sampler->all = events;
	sampler->rate_count = count;
	sampler->rates = calloc(count, sizeof(*sampler->rates));
	sampler->dropped = calloc(count, sizeof(*sampler->dropped));
	sampler->unsampled = calloc(count, sizeof(*sampler->unsampled));
	if (!sampler->rates || !sampler->dropped || !sampler->unsampled)
		return fail("no memory");
	for (size_t i = 0; i < count; i++) {
		struct pfarg_pmd *pmd = &session->initial[i];

		if (period)
			rate_fix(&sampler->rates[i], period, random_mask);
		else
			rate_begin(&sampler->rates[i], frequency, random_mask,
				   &events->events[i], session->machine.pmu);
		if (sampler->is_cpu)
			rate_expect_busy(&sampler->rates[i]);
		set_period(pmd, &sampler->rates[i]);
		pmd->reg_flags = PFM_REGFL_OVFL_NOTIFY;
		if (random_mask)
			pmd->reg_flags |= PFM_REGFL_RANDOM;
		pmd->reg_random_mask = random_mask;
		pmd->reg_smpl_eventid = i;
	}
	return 0;
}

static int map(struct sampler *sampler)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	int fd = sampler->session.fd;
	void *header;

	header = mmap(NULL, page, PROT_READ, MAP_SHARED, fd, 0);
	if (header == MAP_FAILED)
		return fail_call(fd, "map the sampling buffer", errno);
	sampler->size = sampling_format_size(sampler->format, header);
	munmap(header, page);
	sampler->buffer = mmap(NULL, sampler->size, PROT_READ, MAP_SHARED, fd, 0);
	if (sampler->buffer == MAP_FAILED) {
		sampler->buffer = NULL;
		return fail_call(fd, "map the sampling buffer", errno);
	}
	sampler->drain = (struct drain){
		.format = sampler->format,
		.context = sampler->number,
		.buffer = sampler->buffer,
		.size = sampler->size,
	};
	return 0;
}

int sampler_attach(struct sampler *sampler, int target)
{
	struct session *session = &sampler->session;
	int error = session_try_attach(session, target);

	sampler->target = target;
	if (error > 0 && sampler->is_cpu)
		return fail_load_cpu(session->fd, target, error);
	if (error > 0)
		return fail_load(session->fd, target, error);
	return error ? -1 : map(sampler);
}

void sampler_count(const struct sampler *sampler, bool is_last,
		   struct drain_counts *counts)
{
	const struct drain_counts *earlier = &sampler->earlier;

	*counts = (struct drain_counts){ 0 };
	if (!sampler->buffer)
		return;
	drain_count(&sampler->drain, counts);
	counts->produced -= earlier->produced;
	counts->written -= earlier->written;
	counts->lost -= earlier->lost;
	counts->lost_sum -= earlier->lost_sum;
	counts->throttled -= earlier->throttled;
	if (!is_last)
		counts->produced = counts->written + counts->lost;
}

void sampler_begin_file(struct sampler *sampler)
{
	struct drain_counts own;

	sampler_count(sampler, false, &own);
	sampler->earlier.produced += own.produced;
	sampler->earlier.written += own.written;
	sampler->earlier.lost += own.lost;
	sampler->earlier.lost_sum += own.lost_sum;
	sampler->earlier.throttled += own.throttled;
	sampler->told = (struct data_losses){ 0 };
}

/*
 * A record is written only if more samples were lost, or monitoring was throttled again,
 * since the last record.
 */
int sampler_write_losses(struct sampler *sampler, struct data_writer *writer)
{
	struct data_losses losses = { .context = sampler->number };
	struct drain_counts counts;

	sampler_count(sampler, true, &counts);
	losses.lost = counts.lost;
	losses.lost_sum = counts.lost_sum;
	losses.throttled = counts.throttled;
	if (!writer || (losses.lost == sampler->told.lost &&
			losses.throttled == sampler->told.throttled))
		return 0;
	sampler->told = losses;
	return data_write_losses(writer, &losses);
}

/*
 * Adapt the periods before each restart.  With formats "default" and "callchain" this
 * loses no events: monitoring is masked until the restart, and the restart begins a new
 * period in any case.
 */
int sampler_take(struct sampler *sampler, struct data_writer *writer)
{
	int result;

	while ((result = drain_full(&sampler->drain, writer)) == 1) {
		if (sampler_follow(sampler))
			return -1;
		/* The restart fails if the thread has just ended. */
		if (!pfm_restart(sampler->session.fd))
			drain_handed_back(&sampler->drain);
	}
	return result ? -1 : sampler_write_losses(sampler, writer);
}

int sampler_take_early(struct sampler *sampler, struct data_writer *writer)
{
	if (!sampler->buffer || drain_early(&sampler->drain, writer))
		return sampler->buffer ? -1 : 0;
	return sampler_write_losses(sampler, writer);
}

/* Have samples been lost, or was monitoring throttled, since the last call? */
static bool is_short(struct sampler *sampler)
{
	struct drain_counts counts;
	uint64_t before = sampler->missed;

	drain_count(&sampler->drain, &counts);
	sampler->missed = counts.lost + counts.throttled;
	return sampler->missed != before;
}

/*
 * Returns the events since the last sample.  If the counter has overflowed and has not
 * been reset, these are the events since the overflow.
 */
static uint64_t since_sample(const struct pfarg_pmd *pmd)
{
	if (!(pmd->reg_value >> 63))
		return pmd->reg_value;
	return pmd->reg_value - pmd->reg_last_reset_val;
}

static int write_period(struct sampler *sampler, size_t event)
{
	struct session *session = &sampler->session;
	struct pfarg_pmd pmd;

	set_period(&session->initial[event], &sampler->rates[event]);
	pmd = session->initial[event];
	if (pfm_write_pmds(session->fd, &pmd, 1))
		return fail_call(session->fd, "set the period", errno);
	return 0;
}

static bool has_frequency(const struct sampler *sampler)
{
	for (size_t i = 0; i < sampler->rate_count; i++)
		if (sampler->rates[i].frequency)
			return true;
	return false;
}

int sampler_follow(struct sampler *sampler)
{
	struct session *session = &sampler->session;
	struct tally tally;
	uint64_t time;
	bool has_losses;

	if (!has_frequency(sampler) || !session->has_runtime)
		return 0;
	if (session_read_pmds(session))
		return -1;
	time = session->pmds[session->pmd_count - 1].reg_value;
	drain_tally(&sampler->drain, &tally);
	has_losses = is_short(sampler);
	for (size_t i = 0; i < sampler->rate_count; i++) {
		const struct pfarg_pmd *pmd = &session->pmds[i];
		struct rate *rate = &sampler->rates[i];
		uint64_t partial = since_sample(pmd);

		if (!rate_follow(rate, tally.events[pmd->reg_num] + partial, time,
				 has_losses))
			continue;
		/*
		 * The new period restarts the counter: the events since the last sample
		 * are lost.
		 */
		rate->events -= partial;
		sampler->dropped[i] += partial;
		if (write_period(sampler, i))
			return -1;
	}
	return 0;
}

/*
 * Find out from the witnesses which events are in no sample.  If samples were lost and
 * there are several events, this is not known, because a lost sample may belong to any of
 * the events.
 */
static int ask_witnesses(struct sampler *sampler)
{
	struct session *session = &sampler->session;
	size_t next = sampler->rate_count;
	struct drain_counts counts;
	struct tally tally;

	if (session_read_pmds(session))
		return -1;
	drain_tally(&sampler->drain, &tally);
	drain_count(&sampler->drain, &counts);
	for (size_t i = 0; i < sampler->rate_count; i++) {
		const struct pfarg_pmd *pmd = &session->pmds[i];
		const struct explained explained = {
			.periods = tally.events[pmd->reg_num],
			.samples = tally.samples[pmd->reg_num],
			.period = sampler->rates[i].period,
			.rest = since_sample(pmd),
			.dropped = sampler->dropped[i],
			.lost = counts.produced - sampler->drain.taken,
			.lost_sum = counts.lost_sum,
		};

		if (witness_of(sampler->all, sampler->rate_count, i) < 0)
			continue;
		sampler->unsampled[i].context = sampler->number;
		sampler->unsampled[i].pmd = pmd->reg_num;
		if (!explained.lost || sampler->rate_count == 1)
			witness_compare(&sampler->unsampled[i],
					session->pmds[next].reg_value, &explained);
		next++;
	}
	return 0;
}

int sampler_write_unsampled(const struct sampler *sampler, struct data_writer *writer)
{
	for (size_t i = 0; i < sampler->rate_count; i++)
		if (sampler->unsampled[i].counted &&
		    data_write_unsampled(writer, &sampler->unsampled[i]))
			return -1;
	return 0;
}

int sampler_finish(struct sampler *sampler, struct data_writer *writer)
{
	int result, failed;

	if (!sampler->buffer || sampler->drain.is_over)
		return 0;
	result = session_detach(&sampler->session);
	failed = drain_rest(&sampler->drain, writer);
	failed |= ask_witnesses(sampler);
	return failed || sampler_write_losses(sampler, writer) ? -1 : result;
}

void sampler_close(struct sampler *sampler)
{
	if (sampler->buffer)
		munmap(sampler->buffer, sampler->size);
	drain_free(&sampler->drain);
	free(sampler->rates);
	free(sampler->dropped);
	free(sampler->unsampled);
	session_close(&sampler->session);
	*sampler = (struct sampler){ .session.fd = -1 };
}
