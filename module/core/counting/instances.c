// SPDX-License-Identifier: GPL-2.0-only
/* The instances of a sampling format, one for each CPU: their buffers and messages. */
#include <linux/bitops.h>
#include <linux/mm.h>
#include <linux/nospec.h>

#include "instances.h"

/* The buffer of a CPU is at PFM_BUFFER_OFFSET(cpu). */
struct pfm_buffer *pfm_instances_buffer(struct pfm_context *context, unsigned long page)
{
	struct pfm_instances *instances = smp_load_acquire(&context->instances);
	const unsigned long cpu = page / (PFM_BUFFER_OFFSET(1) >> PAGE_SHIFT);

	if (!instances)
		return page ? NULL : smp_load_acquire(&context->buffer);
	if (page != PFM_BUFFER_OFFSET(cpu) >> PAGE_SHIFT || cpu >= instances->count)
		return NULL;
	return instances->cpus[array_index_nospec(cpu, instances->count)].buffer;
}

void pfm_instances_status(struct pfm_context *context, struct pfm_status *status)
{
	struct pfm_instances *instances = context->instances;
	unsigned int cpu;

	if (!instances) {
		status->buffer_size = context->buffer ? context->buffer->size : 0;
		return;
	}
	for (cpu = 0; cpu < instances->count; cpu++) {
		if (!instances->cpus[cpu].buffer)
			continue;
		status->buffer_size = instances->cpus[cpu].buffer->size;
		status->buffer_cpus = cpu + 1;
	}
	status->lost_samples = atomic_read(&instances->lost);
}

void pfm_instances_forget(struct pfm_instances *instances)
{
	unsigned int cpu;

	bitmap_zero(instances->waiting, instances->count);
	for (cpu = 0; cpu < instances->count; cpu++)
		instances->cpus[cpu].is_full = false;
}

/* ---- messages ---------------------------------------------------------------------------- */

/*
 * The first barrier pairs with the last one in pfm_instances_take().  If this function finds that
 * the last message has been read, it posts another one.  If the last message still waits to be
 * read, its reader will see everything that the format published before this call.
 */
void pfm_instances_post(struct pfm_instances *instances,
			const struct pfarg_ovfl_msg *message)
{
	struct pfm_cpu_instance *here = pfm_cpu_instance(instances);
	const unsigned int cpu = smp_processor_id();

	smp_mb();
	if (test_bit(cpu, instances->waiting))
		return;
	here->message = *message;
	smp_mb__before_atomic(); /* publish the message */
	set_bit(cpu, instances->waiting);
}

/*
 * The search begins after the CPU whose message was read last, so no CPU's message waits for
 * ever.
 */
bool pfm_instances_take(struct pfm_instances *instances, struct pfarg_ovfl_msg *message)
{
	const unsigned int count = instances->count;
	unsigned long cpu = find_next_bit(instances->waiting, count, instances->next);

	if (cpu >= count)
		cpu = find_first_bit(instances->waiting, count);
	if (cpu >= count)
		return false;
	smp_rmb(); /* pairs with the barrier that publishes the message */
	*message = instances->cpus[cpu].message;
	smp_mb__before_atomic(); /* the message may be replaced from here on */
	clear_bit(cpu, instances->waiting);
	smp_mb__after_atomic();
	instances->next = cpu + 1;
	return true;
}
