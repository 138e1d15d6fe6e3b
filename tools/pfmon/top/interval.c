// SPDX-License-Identifier: GPL-2.0-only
/* Read the file of an interval of pfmon top, and make a profile of its samples. */
#include <stdlib.h>

#include "../common/errors.h"
#include "../common/sum.h"
#include "interval.h"

static int add_sample(const struct sample *sample, void *data)
{
	struct interval *interval = data;
	struct cpu_row *row;

	if (sample->context >= interval->cpu_count)
		return 0;
	row = &interval->cpus[sample->context];
	row->samples = sum(row->samples, sample->count);
	row->events = sum(row->events, sample->period);
	return 0;
}

int interval_read(struct interval *interval, int fd, size_t cpu_count)
{
	struct recording *recording = &interval->recording;
	size_t bad;

	*interval = (struct interval){ .cpu_count = cpu_count };
	interval->cpus = calloc(cpu_count, sizeof(*interval->cpus));
	if (!interval->cpus)
		return fail("no memory");
	if (data_open_memory(&recording->file, fd) || recording_read(recording))
		return -1;
	for (size_t i = 0; i < cpu_count && i < recording->cpu_count; i++) {
		const struct data_cpu *cpu = recording->cpus[i];

		if (cpu)
			interval->cpus[i] =
				(struct cpu_row){ .cpu = cpu->cpu, .lost = cpu->lost };
	}
	return samples_each(recording, add_sample, interval, &bad);
}

int interval_sort(struct interval *interval, struct profile_options *options,
		  struct interval *earlier)
{
	struct profile before = earlier->profile;
	int result;

	options->earlier = &before.symbols.objects;
	result = profile_make(&interval->profile, &interval->recording, options);
	options->earlier = NULL;
	if (earlier == interval)
		profile_free(&before);
	else
		earlier->profile = before;
	return result;
}

void interval_free(struct interval *interval)
{
	profile_free(&interval->profile);
	recording_free(&interval->recording);
	free(interval->cpus);
	*interval = (struct interval){ 0 };
}
