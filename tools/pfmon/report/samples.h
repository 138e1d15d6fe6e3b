/* SPDX-License-Identifier: GPL-2.0-only */
/* The samples of a recording. */
#ifndef PFMON_SAMPLES_H
#define PFMON_SAMPLES_H

#include "recording.h"

/**
 * struct sample - a sample, or what hist added up
 * @event: of which
 * @context: of which
 * @tid: thread, 0 if that is not known (hist)
 * @tgid: process
 * @cpu: CPU
 * @time: ns; of hist UINT64_MAX
 * @count: samples: 1, but of hist
 * @period: events that all of them stand for
 * @frames: addresses, innermost first: the interrupted instruction, then callers
 * @frame_count: 1 without a call chain
 * @kernel_count: of them, that are the kernel's part of a call chain
 * @kernel_link: the second of the kernel's part is what the link register had
 * @user_link: the second of the program's part is
 * @has_chain: the format keeps call chains
 */
struct sample {
	const struct recorded_event *event;
	uint32_t context;
	uint32_t tid;
	uint32_t tgid;
	uint32_t cpu;
	uint64_t time;
	uint64_t count;
	uint64_t period;
	const uint64_t *frames;
	unsigned int frame_count;
	unsigned int kernel_count;
	bool kernel_link;
	bool user_link;
	bool has_chain;
};

/*
 * Frame @index is not from the stack, but what the link register had: a caller perhaps
 * (see symbols_is_frame()).
 */
static inline bool sample_is_link(const struct sample *sample, unsigned int index)
{
	if (index < sample->kernel_count)
		return sample->kernel_link && index == 1;
	return sample->user_link && index == sample->kernel_count + 1;
}

/* Returns 0 to go on, else what samples_each() is to return. */
typedef int (*sample_function)(const struct sample *sample, void *argument);

/*
 * Call @function for all samples, those of a context in their order.  Into @bad, how
 * many blocks could not be read to their end.  Returns 0, or what @function did.
 */
int samples_each(const struct recording *recording, sample_function function,
		 void *argument, size_t *bad);

#endif
