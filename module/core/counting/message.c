// SPDX-License-Identifier: GPL-2.0-only
/* The message queue of a context, and read(2). */
#include <linux/pagemap.h>
#include <linux/uaccess.h>

#include "context.h"
#include "instances.h"

void pfm_queue_init(struct pfm_queue *queue)
{
	init_waitqueue_head(&queue->waiters);
}

void pfm_queue_wake(struct pfm_queue *queue)
{
	wake_up_interruptible_poll(&queue->waiters, EPOLLIN | EPOLLRDNORM);
	kill_fasync(&queue->fasync, SIGIO, POLL_IN);
}

static struct pfarg_ovfl_msg *slot(struct pfm_queue *queue, unsigned int number)
{
	return &queue->messages[number % PFM_QUEUE_SLOTS];
}

void pfm_queue_post(struct pfm_queue *queue, const struct pfarg_ovfl_msg *message)
{
	*slot(queue, queue->last) = *message;
	smp_store_release(&queue->last, queue->last + 1); /* publish the message */
}

void pfm_queue_clear(struct pfm_queue *queue)
{
	WRITE_ONCE(queue->first, queue->last);
}

static bool is_empty(const struct pfm_queue *queue)
{
	return READ_ONCE(queue->first) == smp_load_acquire(&queue->last);
}

static bool queue_take(struct pfm_context *context, struct pfarg_ovfl_msg *message)
{
	struct pfm_queue *queue = &context->queue;
	unsigned long flags;
	bool found;

	raw_spin_lock_irqsave(&context->lock, flags);
	found = !is_empty(queue);
	if (found) {
		*message = *slot(queue, queue->first);
		/* The slot may be reused from here on: it has been read. */
		smp_store_release(&queue->first, queue->first + 1);
	} else if (context->instances) {
		found = pfm_instances_take(context->instances, message);
	}
	raw_spin_unlock_irqrestore(&context->lock, flags);
	return found;
}

/* Return: size of the message that was read, or a negative errno. */
static ssize_t read_one(struct pfm_context *context, char __user *buffer, bool nonblock)
{
	struct pfarg_ovfl_msg message;

	/* Check the buffer first: a fault after a message was taken would lose the message. */
	if (fault_in_safe_writeable(buffer, sizeof(message)))
		return -EFAULT;
	if (nonblock) {
		if (!queue_take(context, &message))
			return -EAGAIN;
	} else if (wait_event_interruptible(context->queue.waiters,
					    queue_take(context, &message))) {
		return -EINTR;
	}
	return copy_to_user(buffer, &message, sizeof(message)) ? -EFAULT
							       : sizeof(message);
}

/* read(2) waits for the first message only; it never returns 0. */
ssize_t pfm_message_read(struct pfm_context *context, char __user *buffer, size_t size,
			 bool nonblock)
{
	const size_t message = sizeof(struct pfarg_ovfl_msg);
	size_t done = 0;
	ssize_t result;

	if (size < message)
		return -EINVAL;
	do {
		result = read_one(context, buffer + done, nonblock || done);
		if (result > 0)
			done += result;
	} while (result > 0 && size - done >= message);
	return done ?: result;
}

__poll_t pfm_message_poll(struct pfm_context *context, struct file *file,
			  poll_table *wait)
{
	poll_wait(file, &context->queue.waiters, wait);
	if (is_empty(&context->queue) &&
	    !pfm_instances_wait(smp_load_acquire(&context->instances)))
		return 0;
	return EPOLLIN | EPOLLRDNORM;
}
