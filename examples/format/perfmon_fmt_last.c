// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sampling format "last": keeps the instruction pointers of the last samples.  They show what a
 * thread did before it ended.  The user chooses how many samples are kept.  See
 * docs/writing-a-sampling-format.md.
 */
#include <linux/device.h>
#include <linux/module.h>
#include "perfmon_format.h"

struct last_argument {
	u64 entries; /* 1 to 65536 */
};

struct last_buffer {
	u64 entries;
	u64 count; /* number of samples so far; sample n is stored in ips[n % entries] */
	u64 ips[];
};

static int last_buffer_size(const struct pfm_format_setup *setup, u64 *size)
{
	const struct last_argument *argument = setup->argument;

	if (!argument || argument->entries < 1 || argument->entries > 65536)
		return -EINVAL;
	*size = sizeof(struct last_buffer) + argument->entries * sizeof(u64);
	return 0;
}

static int last_init(struct pfm_format_instance *instance,
		     const struct pfm_format_setup *setup)
{
	const struct last_argument *argument = setup->argument;
	struct last_buffer *buffer = instance->buffer;

	buffer->entries = argument->entries;
	return 0;
}

static u32 last_handler(struct pfm_format_instance *instance,
			const struct pfm_sample *sample)
{
	struct last_buffer *buffer = instance->buffer;

	WRITE_ONCE(buffer->ips[buffer->count % buffer->entries], sample->ip);
	pfm_format_publish(&buffer->count, buffer->count + 1);
	return PFM_CONTROL_RESET;
}

static struct pfm_format last_format = {
	.interface = PFM_FORMAT_INTERFACE,
	.name = "last",
	.uuid = "e1f3a7c2-5b84-4d09-9c36-0a7d48be2f15",
	.version = 0x10000, /* 1.0 */
	.argument_size = sizeof(struct last_argument),
	.buffer_size = last_buffer_size,
	.init = last_init,
	.handler = last_handler,
};
module_driver(last_format, pfm_format_register, pfm_format_unregister);
MODULE_ALIAS(PFM_FORMAT_ALIAS("last"));
MODULE_ALIAS(PFM_FORMAT_ALIAS("e1f3a7c2-5b84-4d09-9c36-0a7d48be2f15"));
MODULE_DESCRIPTION("perfmon: example of a sampling format");
MODULE_LICENSE("GPL");
