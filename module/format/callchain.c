// SPDX-License-Identifier: GPL-2.0-only
/* The sampling format "callchain", see perfmon_callchain.h. */
#include <linux/device.h>
#include <linux/module.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/string.h>
#include <perfmon/perfmon_callchain.h>
#include "perfmon_format.h"

#include "stack.h"

/*
 * @kernel, @user: maximum number of addresses in the kernel's part and in the user's part of a call
 * chain; 0 if the part is left out.  The field hdr_buf_flags in the header of the buffer contains
 * the values of all four fields of this structure.
 */
struct limits {
	u16 kernel;
	u16 user;
	bool has_link;
	bool is_recorded;
};

static struct limits limits_asked_for(const struct pfm_callchain_arg *argument)
{
	struct limits limits = {
		.kernel = argument->max_kernel ?: PFM_CALLCHAIN_MAX_DEPTH,
		.user = argument->max_user ?: PFM_CALLCHAIN_MAX_DEPTH,
		.has_link = argument->flags & PFM_CALLCHAIN_LINK,
		.is_recorded = argument->flags & PFM_CALLCHAIN_RECORDED,
	};

	if (argument->flags & PFM_CALLCHAIN_NO_KERNEL)
		limits.kernel = 0;
	if (argument->flags & PFM_CALLCHAIN_NO_USER)
		limits.user = 0;
	return limits;
}

static struct limits limits_of(const struct pfm_dfl_smpl_hdr *header)
{
	return (struct limits){
		.kernel = header->hdr_buf_flags & (PFM_CALLCHAIN_HDR_LINK - 1),
		.user = header->hdr_buf_flags >> 16 & (PFM_CALLCHAIN_HDR_LINK - 1),
		.has_link = header->hdr_buf_flags & PFM_CALLCHAIN_HDR_LINK,
		.is_recorded = header->hdr_buf_flags & PFM_CALLCHAIN_HDR_RECORDED,
	};
}

static u64 largest_entry(const struct pfm_format_setup *setup)
{
	struct limits limits = limits_asked_for(setup->argument);

	return sizeof(struct pfm_callchain_entry) +
	       (setup->pmds + limits.kernel + limits.user) * sizeof(u64);
}

#define KNOWN_FLAGS                                                                      \
	(PFM_CALLCHAIN_NO_KERNEL | PFM_CALLCHAIN_NO_USER | PFM_CALLCHAIN_LINK |          \
	 PFM_CALLCHAIN_RECORDED)

static int callchain_buffer_size(const struct pfm_format_setup *setup, u64 *size)
{
	const struct pfm_callchain_arg *argument = setup->argument;

	if (!argument || argument->flags & ~KNOWN_FLAGS ||
	    argument->max_kernel > PFM_CALLCHAIN_MAX_DEPTH ||
	    argument->max_user > PFM_CALLCHAIN_MAX_DEPTH ||
	    memchr_inv(argument->reserved, 0, sizeof(argument->reserved)))
		return -EINVAL;
	if (argument->buf_size < sizeof(struct pfm_dfl_smpl_hdr) + largest_entry(setup))
		return -EINVAL;
	*size = argument->buf_size;
	return 0;
}

static int callchain_init(struct pfm_format_instance *instance,
			  const struct pfm_format_setup *setup)
{
	const struct pfm_callchain_arg *argument = setup->argument;
	struct limits limits = limits_asked_for(argument);
	struct pfm_dfl_smpl_hdr *header = instance->buffer;

	pfm_linear_init(header, argument->buf_size, largest_entry(setup),
			PFM_CALLCHAIN_VERSION);
	header->hdr_buf_flags = limits.kernel | limits.user << 16;
	if (limits.has_link)
		header->hdr_buf_flags |= PFM_CALLCHAIN_HDR_LINK;
	if (limits.is_recorded)
		header->hdr_buf_flags |= PFM_CALLCHAIN_HDR_RECORDED;
	return 0;
}

/*
 * Return: whether the CPU has completed the switch to sample->task.  Until then the stack and the
 * memory still belong to the previous thread.
 */
static bool is_current(const struct pfm_sample *sample)
{
	return likely(sample->task == current);
}

static unsigned int write_kernel(const struct pfm_sample *sample, u64 *to,
				 unsigned int most, bool *link)
{
	if (!most || !sample->may_see_kernel || user_mode(sample->regs))
		return 0;
	return pfm_kernel_stack(sample->regs, to, is_current(sample) ? most : 1, link);
}

/* Return: the user registers of the thread; NULL if it has none. */
static struct pt_regs *user_registers(const struct pfm_sample *sample)
{
	return user_mode(sample->regs) ? sample->regs : pfm_user_registers(sample->task);
}

static unsigned int write_user(const struct pfm_sample *sample, u64 *to,
			       unsigned int most, bool *link)
{
	struct pt_regs *regs = most ? user_registers(sample) : NULL;

	if (!regs)
		return 0;
	/* An exiting thread may have no mm. */
	return pfm_user_stack(regs, to, is_current(sample) && current->mm ? most : 1,
			      link);
}

static unsigned int write_recorded(const struct pfm_sample *sample, u64 *to,
				   unsigned int most)
{
	struct pt_regs *regs = most ? user_registers(sample) : NULL;

	if (!regs)
		return 0;
	to[0] = instruction_pointer(regs);
	return 1 + pfm_sample_callers(sample, to + 1, most - 1);
}

static u32 callchain_handler(struct pfm_format_instance *instance,
			     const struct pfm_sample *sample)
{
	struct pfm_dfl_smpl_hdr *header = instance->buffer;
	struct limits limits = limits_of(header);
	struct pfm_callchain_entry *entry = pfm_linear_next(header);
	bool kernel_link = false, user_link = false;
	u64 *end;

	if (unlikely(!entry))
		return pfm_linear_full();
	pfm_sample_write(&entry->sample, sample);
	entry->value_count = sample->value_count;
	end = pfm_sample_write_values((u64 *)(entry + 1), sample);
	entry->kernel_count = write_kernel(sample, end, limits.kernel,
					   limits.has_link ? &kernel_link : NULL);
	end += entry->kernel_count;
	if (limits.is_recorded)
		entry->user_count = write_recorded(sample, end, limits.user);
	else
		entry->user_count = write_user(sample, end, limits.user,
					       limits.has_link ? &user_link : NULL);
	end += entry->user_count;
	entry->flags = (kernel_link ? PFM_CALLCHAIN_KERNEL_LINK : 0) |
		       (user_link ? PFM_CALLCHAIN_USER_LINK : 0) |
		       (limits.is_recorded ? PFM_CALLCHAIN_USER_CALLS : 0);
	return pfm_linear_add(header, (void *)end - (void *)entry);
}

static struct pfm_format callchain_format = {
	.interface = PFM_FORMAT_INTERFACE,
	.name = PFM_CALLCHAIN_NAME,
	.uuid = PFM_CALLCHAIN_UUID,
	.version = PFM_CALLCHAIN_VERSION,
	.argument_size = sizeof(struct pfm_callchain_arg),
	.buffer_size = callchain_buffer_size,
	.init = callchain_init,
	.handler = callchain_handler,
	.restart = pfm_linear_restart,
	.throttled = pfm_linear_throttled,
};
module_driver(callchain_format, pfm_format_register, pfm_format_unregister);

MODULE_ALIAS(PFM_FORMAT_ALIAS(PFM_CALLCHAIN_NAME));
MODULE_ALIAS(PFM_FORMAT_ALIAS(PFM_CALLCHAIN_UUID));
MODULE_DESCRIPTION("perfmon: sampling format that stores the stack at each sample");
MODULE_LICENSE("GPL");
