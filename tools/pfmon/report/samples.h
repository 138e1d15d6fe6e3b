/* SPDX-License-Identifier: GPL-2.0-only */
/* The samples of a recording. */
#ifndef PFMON_SAMPLES_H
#define PFMON_SAMPLES_H

#include "recording.h"

/**
 * struct sample - one sample or, with the format hist, the sum of several samples
 * @event: the event that was sampled
 * @context: number of the context in the file
 * @tid: thread; 0 if the thread is not known (hist)
 * @tgid: process
 * @cpu: CPU
 * @time: time of the sample in ns; UINT64_MAX with hist
 * @count: number of samples; 1 except with hist
 * @period: number of events that all @count samples together stand for
 * @frames: addresses, innermost first: the interrupted instruction, then callers
 * @frame_count: number of @frames; 1 without a call chain
 * @kernel_count: number of frames in the kernel's part of a call chain; these frames come first in
 *	@frames
 * @kernel_link: the second frame of the kernel's part is the value of the link register
 * @user_link: the second frame of the program's part is the value of the link register
 * @user_calls: in the program's part, the addresses of callers are those of call instructions, not
 *	return addresses
 * @has_chain: the format records call chains
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
	bool user_calls;
	bool has_chain;
};

/*
 * Returns whether frame @index is the value of the link register, not an address from the stack.
 * This value is not always the address of a caller, see symbols_is_frame().
 */
static inline bool sample_is_link(const struct sample *sample, unsigned int index)
{
	if (index < sample->kernel_count)
		return sample->kernel_link && index == 1;
	return sample->user_link && index == sample->kernel_count + 1;
}

/* Returns 0 to continue. Any other value stops samples_each(), which returns that value. */
typedef int (*sample_function)(const struct sample *sample, void *argument);

/*
 * Call @function for all samples, in the order of the file. Stores in @bad the number of SAMPLES
 * records that could not be read to their ends. Stops when @function returns a value other than 0,
 * and returns this value. Otherwise returns 0.
 */
int samples_each(const struct recording *recording, sample_function function,
		 void *argument, size_t *bad);

#endif
