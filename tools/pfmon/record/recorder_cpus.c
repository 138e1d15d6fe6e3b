// SPDX-License-Identifier: GPL-2.0-only
/* Sample CPUs, including CPUs that come online during the recording. */
#include <errno.h>
#include <stdlib.h>

#include "../common/array.h"
#include "../common/errors.h"
#include "../event/device_errors.h"
#include "recorder_attach.h"
#include "recorder_cpus.h"
#include "recorder_file.h"

static int add_id(struct id_list *list, int id)
{
	int *added = array_add(&list->ids, &list->count, sizeof(*added));

	if (!added)
		return fail("no memory");
	*added = id;
	return 0;
}

/* Load a context on @cpu. If the CPU is offline, append it to @offline instead. */
static int attach_cpu(struct recorder *recorder, int cpu, size_t *attached,
		      struct id_list *offline)
{
	struct sampler *sampler = &recorder->samplers[*attached];
	int error = sampler_try_attach(sampler, cpu);

	if (error == ENODEV)
		return add_id(offline, cpu);
	if (error)
		return error < 0 ? -1 : fail_load_cpu(sampler->session.fd, cpu, error);
	++*attached;
	return 0;
}

int recorder_attach_cpus(struct recorder *recorder)
{
	const struct id_list *cpus = &recorder->options->targets.cpus;
	struct id_list offline = { 0 };
	size_t attached = 0;
	int result = 0;

	for (size_t i = 0; !result && i < cpus->count; i++)
		result = attach_cpu(recorder, cpus->ids[i], &attached, &offline);
	if (!result) {
		recorder_drop_samplers(recorder, attached);
		result = cpus_warn_offline(&offline, attached, "sampled");
	}
	free(offline.ids);
	return result;
}

/* Start the sampler that was added last. Its CPU has come online during the recording. */
static int admit(struct recorder *recorder)
{
	struct sampler *sampler = &recorder->samplers[recorder->count - 1];

	sampler->session.came_later = true;
	if (recorder_list_sampler(recorder, sampler) ||
	    session_try_start(&sampler->session) < 0 ||
	    wait_for_one_more(&recorder->watch, recorder->contexts))
		return -1;
	recorder_reserve(recorder);
	return 0;
}

/* Begin to sample a CPU that has come online for the first time. */
static int begin(struct recorder *recorder, int cpu)
{
	int error = recorder_try_add_sampler(recorder);
	struct sampler *sampler;

	if (error > 0)
		cpus_warn_refused(-1, cpu, "sampled", error);
	if (error)
		return error < 0 ? -1 : 0;
	sampler = &recorder->samplers[recorder->count - 1];
	error = sampler_try_attach(sampler, cpu);
	if (!error)
		return admit(recorder);
	if (error > 0 && error != ENODEV)
		cpus_warn_refused(sampler->session.fd, cpu, "sampled", error);
	recorder_drop_samplers(recorder, recorder->count - 1);
	return error < 0 ? -1 : 0;
}

/* Continue to sample a CPU that went offline and has come online again. */
static int resume(struct sampler *sampler)
{
	int error;

	if (session_is_attached(&sampler->session))
		return 0;
	error = sampler_try_resume(sampler);
	if (error > 0 && error != ENODEV)
		cpus_warn_refused(sampler->session.fd, sampler->target, "sampled", error);
	return error < 0 ? -1 : 0;
}

static int follow_cpu(struct recorder *recorder, int cpu)
{
	for (size_t i = 0; i < recorder->count; i++)
		if (recorder->samplers[i].target == cpu)
			return resume(&recorder->samplers[i]);
	return begin(recorder, cpu);
}

int recorder_follow_cpus(struct recorder *recorder)
{
	struct id_list wanted = { 0 };
	int result = cpus_wanted(&recorder->options->targets, &wanted);

	for (size_t i = 0; !result && i < wanted.count; i++)
		result = follow_cpu(recorder, wanted.ids[i]);
	free(wanted.ids);
	return result;
}

int recorder_list_cpus(const struct recorder *recorder, struct id_list *cpus)
{
	for (size_t i = 0; i < recorder->count; i++)
		if (add_id(cpus, recorder->samplers[i].target))
			return -1;
	return 0;
}
