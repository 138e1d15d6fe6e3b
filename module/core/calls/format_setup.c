// SPDX-License-Identifier: GPL-2.0-only
/* Set up the sampling format of a context: one instance, or one for each CPU. */
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/topology.h>

#include "base/error.h"
#include "counting/instances.h"
#include "registry/format.h"
#include "format_setup.h"

/* Record why the format failed.  -EINVAL means that the format does not accept its argument. */
static int format_fails(struct pfm_context *context, int error)
{
	switch (error) {
	case -EINVAL:
		return pfm_fail(context, error, PFM_REASON_FORMAT_ARGUMENT, 0);
	case -ENOMEM:
		return pfm_fail(context, error, PFM_REASON_MEMORY, 0);
	default:
		return pfm_fail(context, error, PFM_REASON_FORMAT, 0);
	}
}

/* Return: the format's buffer, NULL if it needs none, or an error pointer. */
static struct pfm_buffer *make_buffer(struct pfm_context *context,
				      const struct pfm_format *format,
				      const struct pfm_format_setup *setup, int node)
{
	u64 size = 0;
	int error = format->buffer_size ? format->buffer_size(setup, &size) : 0;

	if (error)
		return ERR_PTR(format_fails(context, error));
	return size > 0 ? pfm_buffer_create(context, size, node) : NULL;
}

/*
 * Create the buffer of @instance, and let the format initialize the instance.  After this call, and
 * until format_ends(), the format's functions may be called with @instance.
 * @node: memory node of the buffer.  Return: what make_buffer() returns.
 */
static struct pfm_buffer *format_begins(struct pfm_context *context,
					const struct pfm_format *format,
					const struct pfm_format_setup *setup, int node,
					struct pfm_format_instance *instance)
{
	struct pfm_buffer *buffer = make_buffer(context, format, setup, node);
	int error;

	if (IS_ERR(buffer))
		return buffer;
	*instance = (struct pfm_format_instance){};
	if (buffer) {
		instance->buffer = buffer->memory;
		instance->buffer_size = buffer->size;
	}
	error = format->init ? format->init(instance, setup) : 0;
	if (!error)
		return buffer;
	if (buffer)
		pfm_buffer_put(buffer);
	return ERR_PTR(format_fails(context, error));
}

static void format_ends(const struct pfm_format *format,
			struct pfm_format_instance *instance, struct pfm_buffer *buffer)
{
	if (format->exit)
		format->exit(instance);
	if (buffer)
		pfm_buffer_put(buffer);
}

/* ---- one for each CPU -------------------------------------------------------------------- */

static void free_instances(const struct pfm_format *format,
			   struct pfm_instances *instances)
{
	unsigned int cpu;

	for (cpu = 0; cpu < instances->count; cpu++) {
		struct pfm_cpu_instance *on = &instances->cpus[cpu];

		if (on->is_set_up)
			format_ends(format, &on->instance, on->buffer);
	}
	bitmap_free(instances->waiting);
	kvfree(instances);
}

static struct pfm_instances *alloc_instances(void)
{
	const unsigned int count = nr_cpu_ids;
	struct pfm_instances *instances =
		kvzalloc(struct_size(instances, cpus, count), GFP_KERNEL_ACCOUNT);

	if (!instances)
		return NULL;
	instances->count = count;
	instances->waiting = bitmap_zalloc(count, GFP_KERNEL_ACCOUNT);
	if (instances->waiting)
		return instances;
	kvfree(instances);
	return NULL;
}

/*
 * Set up an instance for each CPU that is present.
 * CPUs that are offline may come online later, so they get buffers, too.  CPUs that may be added
 * to the machine later get none, because some virtual machines allow very many such CPUs.
 */
static int begin_on_cpus(struct pfm_context *context, const struct pfm_format *format,
			 const struct pfm_format_setup *setup)
{
	struct pfm_instances *instances = alloc_instances();
	unsigned int cpu;

	if (!instances)
		return pfm_fail(context, -ENOMEM, PFM_REASON_MEMORY, 0);
	for_each_present_cpu(cpu) {
		struct pfm_cpu_instance *on = &instances->cpus[cpu];
		struct pfm_buffer *buffer = format_begins(
			context, format, setup, cpu_to_node(cpu), &on->instance);

		if (IS_ERR(buffer)) {
			free_instances(format, instances);
			return PTR_ERR(buffer);
		}
		on->buffer = buffer;
		on->is_set_up = true;
	}
	context->format = format;
	/* mmap() and poll() read context->instances without the mutex. */
	smp_store_release(&context->instances, instances);
	return 0;
}

/* ---- one, or several ---------------------------------------------------------------------- */

int pfm_format_begin(struct pfm_context *context, const struct pfm_format *format,
		     const struct pfm_format_setup *setup)
{
	struct pfm_buffer *buffer;

	if (context->copies)
		return begin_on_cpus(context, format, setup);
	buffer = format_begins(context, format, setup, NUMA_NO_NODE, &context->instance);
	if (IS_ERR(buffer))
		return PTR_ERR(buffer);
	context->format = format;
	/* mmap() reads context->buffer without the mutex. */
	smp_store_release(&context->buffer, buffer);
	return 0;
}

void pfm_format_end(struct pfm_context *context)
{
	const struct pfm_format *format = context->format;

	if (!format)
		return;
	if (context->instances)
		free_instances(format, context->instances);
	else
		format_ends(format, &context->instance, context->buffer);
	pfm_format_put(format);
}
