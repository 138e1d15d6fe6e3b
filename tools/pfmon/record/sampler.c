// SPDX-License-Identifier: GPL-2.0-only
/* A thread or CPU that is sampled. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

/*
 * Let the processor record each call. The processor removes the record when the called function
 * returns.
 */
static int program_callers(struct session *session)
{
	const struct pfm_info *info = &session->machine.info;
	struct pfarg_pmc pmc = {
		.reg_num = PFM_INTEL_LBR_CONTROL,
		.reg_value = PFM_INTEL_LBR_CALLERS,
	};

	if (strcmp(info->pmu_name, "intel") ||
	    !register_in(info->implemented_pmcs, PFM_INTEL_LBR_CONTROL))
		return fail("--lbr: PMU %s does not record callers, use -g",
			    info->pmu_name);
	if (pfm_write_pmcs(session->fd, &pmc, 1))
		return fail_call(session->fd, "record the callers", errno);
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
	sampler->cut = calloc(count, sizeof(*sampler->cut));
	if (!sampler->rates || !sampler->dropped || !sampler->unsampled || !sampler->cut)
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

/*
 * Map a buffer for each CPU number below @count. For a number that no CPU has, mmap() fails with
 * EINVAL: skip this number.
 */
static int map_cpus(struct sampler *sampler, unsigned int count)
{
	int fd = sampler->session.fd;

	for (unsigned int cpu = 0; cpu < count; cpu++) {
		struct buffer *buffer = &sampler->buffers[sampler->buffer_count];
		int error =
			buffer_map(buffer, fd, PFM_BUFFER_OFFSET(cpu), sampler->format);

		if (error == EINVAL)
			continue;
		sampler->buffer_count++;
		buffer->cpu = (int)cpu;
		if (error)
			return error;
	}
	return 0;
}

static int map(struct sampler *sampler)
{
	int fd = sampler->session.fd, error;
	struct pfm_status status;

	if (pfm_get_status(fd, &status))
		return fail_call(fd, "ask for the state", errno);
	sampler->buffers = calloc(status.buffer_cpus + 1, sizeof(*sampler->buffers));
	if (!sampler->buffers)
		return fail("no memory");
	if (status.buffer_cpus) {
		error = map_cpus(sampler, status.buffer_cpus);
	} else {
		sampler->buffer_count = 1;
		error = buffer_map(sampler->buffers, fd, 0, sampler->format);
		if (sampler->is_cpu)
			sampler->buffers->cpu = sampler->target;
	}
	return error ? fail_call(fd, "map the sampling buffer", error) : 0;
}

int sampler_try_attach(struct sampler *sampler, int target)
{
	int error = session_try_attach(&sampler->session, target);

	sampler->target = target;
	return error ? error : map(sampler);
}

int sampler_attach(struct sampler *sampler, int target)
{
	int error = sampler_try_attach(sampler, target);

	return error > 0 ? fail_load(sampler->session.fd, target, error) : error;
}

/*
 * Restart the context. This fails if the thread has just ended, or the CPU has just gone offline.
 */
static int restart(const struct sampler *sampler, const struct buffer *buffer)
{
	int fd = sampler->session.fd;

	return sampler->session.is_inherited
		       ? pfm_restart_cpu(fd, (unsigned int)buffer->cpu)
		       : pfm_restart(fd);
}

/*
 * Hand back the buffer, or all regions that were taken. This includes regions that were taken while
 * the CPU was offline: they could not be handed back at that time.
 */
static void hand_back(struct sampler *sampler, struct buffer *buffer)
{
	while (drain_is_owed(&buffer->drain) && !restart(sampler, buffer))
		drain_handed_back(&buffer->drain);
}

/*
 * Take full buffers, and adapt the periods before each restart. With formats "default" and
 * "callchain", monitoring is masked until the restart. At the restart, the counter that has
 * overflowed begins a new period, whether its period was changed or not. So if the period is
 * changed before the restart, no events of this counter are lost.
 */
static int take_full(struct sampler *sampler, struct buffer *buffer,
		     struct data_writer *writer)
{
	int result;

	hand_back(sampler, buffer);
	while ((result = drain_full(&buffer->drain, writer)) == 1) {
		if (sampler_follow(sampler))
			return -1;
		hand_back(sampler, buffer);
	}
	return result ? -1 : buffer_write_losses(buffer, writer);
}

int sampler_take(struct sampler *sampler, struct data_writer *writer)
{
	for (size_t i = 0; i < sampler->buffer_count; i++)
		if (take_full(sampler, &sampler->buffers[i], writer))
			return -1;
	return 0;
}

int sampler_take_early(struct sampler *sampler, struct data_writer *writer)
{
	for (size_t i = 0; i < sampler->buffer_count; i++)
		if (buffer_take_early(&sampler->buffers[i], writer))
			return -1;
	return 0;
}

static void count_all(const struct sampler *sampler, struct drain_counts *sum)
{
	struct drain_counts counts;

	*sum = (struct drain_counts){ 0 };
	for (size_t i = 0; i < sampler->buffer_count; i++) {
		buffer_count(&sampler->buffers[i], &counts);
		drain_counts_add(sum, &counts);
	}
}

/* Store in @sum the sums over all samples so far. */
static void tally_all(const struct sampler *sampler, struct tally *sum)
{
	*sum = (struct tally){ 0 };
	for (size_t i = 0; i < sampler->buffer_count; i++)
		drain_add_tally(&sampler->buffers[i].drain, sum);
}

/* Returns whether samples have been lost, or monitoring was throttled, since the last call. */
static bool is_short(struct sampler *sampler)
{
	struct drain_counts counts;
	uint64_t before = sampler->missed;

	count_all(sampler, &counts);
	sampler->missed = counts.lost + counts.throttled;
	return sampler->missed != before;
}

/*
 * Returns the number of events since the last sample. If the counter has overflowed and has not
 * been reset, this is the number of events since the overflow.
 */
static uint64_t since_sample(const struct pfarg_pmd *pmd)
{
	if (!(pmd->reg_value >> 63))
		return pmd->reg_value;
	return pmd->reg_value - pmd->reg_last_reset_val;
}

/*
 * Write the period of @event to its counter. Returns 0 if the period was changed, 1 if it cannot be
 * changed because the context has copies, or -1 after reporting an error.
 */
static int write_period(struct sampler *sampler, size_t event)
{
	struct session *session = &sampler->session;
	struct pfm_error last;
	struct pfarg_pmd pmd;
	int error;

	set_period(&session->initial[event], &sampler->rates[event]);
	pmd = session->initial[event];
	if (!pfm_write_pmds(session->fd, &pmd, 1))
		return 0;
	error = errno;
	if (session->is_inherited && !pfm_get_error(session->fd, &last) &&
	    last.reason == PFM_REASON_COPIES)
		return 1;
	return fail_call(session->fd, "set the period", error);
}

/*
 * The caller has already stored the new period in @event's struct rate. Write it to the counter of
 * @event. The counter begins a new period, so the @partial events since the last sample are lost.
 * If the context has copies, its periods cannot be changed. In this case, store the old period,
 * @period, in @event's struct rate again.
 */
static int change_period(struct sampler *sampler, size_t event, uint64_t period,
			 uint64_t partial)
{
	struct rate *rate = &sampler->rates[event];
	int result = write_period(sampler, event);

	if (result < 0)
		return -1;
	if (result) {
		rate->period = period;
		set_period(&sampler->session.initial[event], rate);
		return 0;
	}
	rate->events -= partial;
	sampler->dropped[event] += partial;
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
	tally_all(sampler, &tally);
	has_losses = is_short(sampler);
	for (size_t i = 0; i < sampler->rate_count; i++) {
		const struct pfarg_pmd *pmd = &session->pmds[i];
		struct rate *rate = &sampler->rates[i];
		uint64_t partial = since_sample(pmd), period = rate->period;

		if (rate_follow(rate, tally.events[pmd->reg_num] + partial, time,
				has_losses) &&
		    change_period(sampler, i, period, partial))
			return -1;
	}
	return 0;
}

/*
 * With formats "default" and "callchain", a counter that has overflowed begins a new period at the
 * restart. If the CPU went offline before that, the context could not be restarted, so begin the
 * new period here.
 */
static int begin_overdue_periods(struct sampler *sampler)
{
	struct session *session = &sampler->session;

	if (session_read_pmds(session))
		return -1;
	for (size_t i = 0; i < sampler->rate_count; i++) {
		const struct pfarg_pmd *pmd = &session->pmds[i];

		if (!(pmd->reg_value >> 63) &&
		    change_period(sampler, i, sampler->rates[i].period,
				  since_sample(pmd)))
			return -1;
	}
	return 0;
}

int sampler_try_resume(struct sampler *sampler)
{
	int error = begin_overdue_periods(sampler);

	if (!error)
		error = session_resume(&sampler->session, sampler->target);
	if (error)
		return error;
	sampler->session.was_offline = true;
	for (size_t i = 0; i < sampler->buffer_count; i++)
		hand_back(sampler, &sampler->buffers[i]);
	return 0;
}

/* Returns the number of samples that were taken from the buffers. */
static uint64_t samples_taken(const struct sampler *sampler)
{
	uint64_t taken = 0;

	for (size_t i = 0; i < sampler->buffer_count; i++)
		taken += sampler->buffers[i].drain.taken;
	return taken;
}

/* Returns the number of new threads and processes that got a copy of the context. */
static uint64_t copies_made(const struct sampler *sampler)
{
	struct pfm_statistics statistics = { 0 };

	if (!sampler->session.is_inherited ||
	    pfm_get_statistics(sampler->session.fd, &statistics))
		return 0;
	return statistics.copies;
}

/*
 * Compare the counts of the witnesses (second counters of the same events, see witness.h) with the
 * samples. This shows how many occurrences of each event are in no sample. If samples were lost and
 * there are several events, this number is not known, because a lost sample may belong to any of
 * the events.
 */
static int ask_witnesses(struct sampler *sampler)
{
	struct session *session = &sampler->session;
	uint64_t copies = copies_made(sampler);
	size_t next = sampler->rate_count;
	struct drain_counts counts;
	struct tally tally;

	if (session_read_pmds(session))
		return -1;
	tally_all(sampler, &tally);
	count_all(sampler, &counts);
	for (size_t i = 0; i < sampler->rate_count; i++) {
		const struct pfarg_pmd *pmd = &session->pmds[i];
		const struct rate *rate = &sampler->rates[i];
		const struct explained explained = {
			.periods = tally.events[pmd->reg_num],
			.samples = tally.samples[pmd->reg_num],
			.period = rate->period,
			.rest = since_sample(pmd),
			.cut = copies * (rate->longest + rate->random_mask),
			.dropped = sampler->dropped[i],
			.lost = counts.produced - samples_taken(sampler),
			.lost_sum = counts.lost_sum,
		};

		if (witness_of(sampler->all, sampler->rate_count, i) < 0)
			continue;
		sampler->unsampled[i].context = sampler->buffers->drain.context;
		sampler->unsampled[i].pmd = pmd->reg_num;
		if (!explained.lost || sampler->rate_count == 1)
			sampler->cut[i] = witness_compare(&sampler->unsampled[i],
							  session->pmds[next].reg_value,
							  &explained);
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

/* Take the remaining samples from the buffers. */
static int take_rest(struct sampler *sampler, struct data_writer *writer)
{
	int result = 0;

	for (size_t i = 0; i < sampler->buffer_count; i++)
		result |= drain_rest(&sampler->buffers[i].drain, writer);
	return result;
}

static int write_losses(struct sampler *sampler, struct data_writer *writer)
{
	for (size_t i = 0; i < sampler->buffer_count; i++)
		if (buffer_write_losses(&sampler->buffers[i], writer))
			return -1;
	return 0;
}

int sampler_finish(struct sampler *sampler, struct data_writer *writer)
{
	struct pfm_status status;
	int result, failed;

	if (!sampler->buffer_count || sampler->is_over)
		return 0;
	sampler->is_over = true;
	result = session_detach(&sampler->session);
	failed = take_rest(sampler, writer);
	if (!pfm_get_status(sampler->session.fd, &status))
		sampler->buffers->homeless = status.lost_samples;
	failed |= ask_witnesses(sampler);
	return failed || write_losses(sampler, writer) ? -1 : result;
}

void sampler_close(struct sampler *sampler)
{
	for (size_t i = 0; i < sampler->buffer_count; i++)
		buffer_free(&sampler->buffers[i]);
	free(sampler->buffers);
	free(sampler->rates);
	free(sampler->dropped);
	free(sampler->unsampled);
	free(sampler->cut);
	session_close(&sampler->session);
	*sampler = (struct sampler){ .session.fd = -1 };
}
