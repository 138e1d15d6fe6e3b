// SPDX-License-Identifier: GPL-2.0-only
#include <linux/device.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>
#include "perfmon_format.h"
#include "perfmon_fmt_script.h"

static unsigned int begun, ended, late;
module_param(begun, uint, 0444);
module_param(ended, uint, 0444);
module_param(late, uint, 0444);
static unsigned long last_samples;
module_param(last_samples, ulong, 0444);

static int script_buffer_size(const struct pfm_format_setup *setup, u64 *size)
{
	const struct script_argument *argument = setup->argument;

	if (!argument)
		return -EINVAL;
	*size = argument->without_buffer ? 0 : PAGE_SIZE;
	return 0;
}

/* Private data of an instance. If the instance has no buffer, it uses @here instead. */
struct script {
	bool has_ended;
	struct script_buffer here;
	struct script_buffer *buffer;
};

/*
 * Data of the instance that ended last. It is kept, so that buffer_of() can detect a callback of
 * this instance after its end.
 */
static struct script *former;

static int script_init(struct pfm_format_instance *instance,
		       const struct pfm_format_setup *setup)
{
	const struct script_argument *argument = setup->argument;
	struct script *script;

	if (argument->init)
		return argument->init;
	script = kzalloc(sizeof(*script), GFP_KERNEL_ACCOUNT);
	if (!script)
		return -ENOMEM;
	script->buffer = instance->buffer ?: &script->here;
	script->buffer->answers = *argument;
	instance->private = script;
	begun++;
	return 0;
}

static void script_exit(struct pfm_format_instance *instance)
{
	struct script *script = instance->private;

	script->has_ended = true;
	last_samples = script->buffer->samples;
	script->buffer = &script->here;
	kfree(xchg(&former, script));
	ended++;
}

static struct script_buffer *buffer_of(struct pfm_format_instance *instance)
{
	struct script *script = instance->private;

	if (script->has_ended)
		late++;
	return script->buffer;
}

static unsigned int answer_of(u64 count)
{
	return min_t(u64, count, SCRIPT_ANSWERS - 1);
}

static void note_hardware_sample(struct script_buffer *buffer,
				 const struct pfm_sample *sample)
{
	buffer->ip = sample->ip;
	buffer->ip_is_exact = sample->ip_is_exact;
	buffer->payload_size = sample->payload_size;
	memset(buffer->payload, 0, sizeof(buffer->payload));
	if (sample->payload)
		memcpy(buffer->payload, sample->payload,
		       min_t(size_t, sample->payload_size, sizeof(buffer->payload)));
}

static u32 script_handler(struct pfm_format_instance *instance,
			  const struct pfm_sample *sample)
{
	struct script_buffer *buffer = buffer_of(instance);
	u32 answer = buffer->answers.handler[answer_of(buffer->samples)];

	buffer->pmd = sample->pmd;
	buffer->set = sample->set;
	buffer->value = sample->value_count ? sample->values[0] : 0;
	buffer->second_value = sample->value_count > 1 ? sample->values[1] : 0;
	note_hardware_sample(buffer, sample);
	pfm_format_publish(&buffer->samples, buffer->samples + 1);
	return answer;
}

static int script_restart(struct pfm_format_instance *instance, bool active)
{
	struct script_buffer *buffer = buffer_of(instance);
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
	.argument_first_size = offsetof(struct script_argument, without_buffer),
	.buffer_size = script_buffer_size,
	.init = script_init,
	.exit = script_exit,
	.handler = script_handler,
	.restart = script_restart,
};

static int __init script_module_init(void)
{
	return pfm_format_register(&script_format);
}
module_init(script_module_init);

static void __exit script_module_exit(void)
{
	pfm_format_unregister(&script_format);
	kfree(former);
}
module_exit(script_module_exit);

MODULE_ALIAS(PFM_FORMAT_ALIAS("script"));
MODULE_DESCRIPTION("perfmon: a sampling format; tests choose what its handler returns");
MODULE_LICENSE("GPL");
