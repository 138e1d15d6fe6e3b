/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The sampling format of a context, and its buffers.
 *
 * Usually a context has one instance of its format.  A context with PFM_FL_INHERIT_* has one
 * instance for each CPU instead, and shares these instances with its copies.  Such an instance is
 * used only on its CPU, with interrupts off, and a CPU runs only one thread at a time.  So the
 * overflow handler needs no lock, and there are only as many buffers as CPUs, even if there are
 * 10,000 copies.
 *
 * No copy waits for the user.  When a CPU's buffer is full, the format asks the core to mask the
 * context.  The core ignores this request, and the context goes on counting.  Until the user has
 * handed back this buffer, the format counts samples as lost.
 */
#ifndef PERFMON_INSTANCES_H
#define PERFMON_INSTANCES_H

#include <linux/atomic.h>
#include <linux/bitmap.h>
#include <linux/cache.h>

#include "context.h"

/**
 * struct pfm_cpu_instance - the instance for a CPU
 * @instance: the CPU's instance of the context's format
 * @buffer: the buffer of @instance; NULL: none
 * @is_set_up: whether the CPU was in the machine when the context was made; fixed
 * @is_full: the format has asked the core to mask the context, and the user has not handed back the
 *	buffer since then
 * @message: the last message about an overflow on this CPU; it does not change while it waits to
 *	be read
 */
struct pfm_cpu_instance {
	struct pfm_format_instance instance;
	struct pfm_buffer *buffer;
	bool is_set_up;
	bool is_full;
	struct pfarg_ovfl_msg message;
} ____cacheline_aligned_in_smp;

/**
 * struct pfm_instances - the instances for all CPUs
 * @count: number of elements of @cpus.  CPUs that were not in the machine when the context was made
 *	have elements, too, but no instances: @is_set_up is false there
 * @lost: number of samples that were lost on CPUs without an instance
 * @waiting: CPUs whose messages wait to be read.  The overflow handler sets the bit of its CPU.
 *	A read clears a bit, with the context's lock held; a load clears all bits
 * @next: number of the CPU at which the next read begins its search for a message; protected by the
 *	context's lock
 * @cpus: indexed by the number of the CPU
 */
struct pfm_instances {
	unsigned int count;
	atomic_t lost;
	unsigned long *waiting;
	unsigned int next;
	struct pfm_cpu_instance cpus[];
};

/*
 * Return: the buffer that begins at @page of the context's file, for mmap(); NULL if no buffer
 * begins there.  @context need not have instances.
 */
struct pfm_buffer *pfm_instances_buffer(struct pfm_context *context, unsigned long page);

/* Fill in those fields of @status that describe buffers, and lost_samples.  Mutex held. */
void pfm_instances_status(struct pfm_context *context, struct pfm_status *status);

/* Drop all messages.  The caller holds the mutex, and the context and its copies are unloaded. */
void pfm_instances_forget(struct pfm_instances *instances);

/* Interrupts off, perhaps NMI.  Return: this CPU's instance of a context with copies. */
static inline struct pfm_cpu_instance *pfm_cpu_instance(struct pfm_instances *instances)
{
	return &instances->cpus[smp_processor_id()];
}

/* Interrupts off, perhaps NMI.  Return: the instance for samples on this CPU; NULL: none. */
static inline struct pfm_format_instance *pfm_instance_here(struct pfm_context *context)
{
	struct pfm_cpu_instance *here;

	if (likely(!context->instances))
		return &context->instance;
	here = pfm_cpu_instance(context->instances);
	return here->is_set_up ? &here->instance : NULL;
}

/*
 * Post a message about an overflow on this CPU.  Interrupts off, perhaps NMI.  A CPU has room for
 * one message.  Until this message is read, further overflows on this CPU post no message.  The
 * caller wakes the reader.
 */
void pfm_instances_post(struct pfm_instances *instances,
			const struct pfarg_ovfl_msg *message);

/* Take the message of one CPU.  The context's lock is held.  Return: false if no message waits. */
bool pfm_instances_take(struct pfm_instances *instances, struct pfarg_ovfl_msg *message);

static inline bool pfm_instances_wait(const struct pfm_instances *instances)
{
	return instances && !bitmap_empty(instances->waiting, instances->count);
}

#endif
