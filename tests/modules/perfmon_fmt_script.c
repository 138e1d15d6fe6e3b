// SPDX-License-Identifier: GPL-2.0-only
#include <linux/device.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include "perfmon_format.h"
#include "perfmon_fmt_script.h"

static int script_buffer_size(const struct pfm_format_setup *setup, u64 *size)
{
	if (!setup->argument)
		return -EINVAL;
	*size = PAGE_SIZE;
	return 0;
}

static void script_init(void *memory, const struct pfm_format_setup *setup)
{
	struct script_buffer *buffer = memory;

	buffer->answers = *(const struct script_argument *)setup->argument;
}

static unsigned int answer_of(u64 count)
{
	return min_t(u64, count, SCRIPT_ANSWERS - 1);
}

static u32 script_handler(void *memory, const struct pfm_sample *sample)
{
	struct script_buffer *buffer = memory;
	u32 answer = buffer->answers.handler[answer_of(buffer->samples)];

	buffer->pmd = sample->pmd;
	buffer->set = sample->set;
	buffer->value = sample->value_count ? sample->values[0] : 0;
	pfm_format_publish(&buffer->samples, buffer->samples + 1);
	return answer;
}

static int script_restart(void *memory, bool active)
{
	struct script_buffer *buffer = memory;
	int answer = buffer->answers.restart[answer_of(buffer->restarts)];

	buffer->active = active;
	pfm_format_publish(&buffer->restarts, buffer->restarts + 1);
	return answer;
}

static struct pfm_format script_format = {
	.interface = PFM_FORMAT_INTERFACE,
	.name = "script",
	.uuid = "5d0e8b7a-94c1-4f63-a2d8-71b6e03c9f48",
	.version = 0x10000, /* 1.0 */
	.argument_size = sizeof(struct script_argument),
	.buffer_size = script_buffer_size,
	.init = script_init,
	.handler = script_handler,
	.restart = script_restart,
};
module_driver(script_format, pfm_format_register, pfm_format_unregister);
MODULE_ALIAS(PFM_FORMAT_ALIAS("script"));
MODULE_DESCRIPTION("perfmon: a sampling format whose answers tests choose");
MODULE_LICENSE("GPL");
