// SPDX-License-Identifier: GPL-2.0-only
/* The notification queue of a context, and how user space empties it. */
#include <linux/pagemap.h>
#include <linux/uaccess.h>

#include "context.h"

/* In interrupt context, soon after a message was posted. */
static void queue_wake(struct irq_work *work)
{
	struct pfm_queue *queue = container_of(work, struct pfm_queue, wake);

	wake_up_interruptible_poll(&queue->waiters, EPOLLIN | EPOLLRDNORM);
	kill_fasync(&queue->fasync, SIGIO, POLL_IN);
}

void pfm_queue_init(struct pfm_queue *queue)
{
	init_waitqueue_head(&queue->waiters);
	init_irq_work(&queue->wake, queue_wake);
}

/* Nobody posts any more: wait until nobody wakes any more. */
void pfm_queue_drain(struct pfm_queue *queue)
{
	irq_work_sync(&queue->wake);
}

struct pfm_queue_mark pfm_queue_clear(struct pfm_queue *queue)
{
	const struct pfm_queue_mark mark = { queue->head, queue->count };

	queue->head = (queue->head + queue->count) % ARRAY_SIZE(queue->messages);
	queue->count = 0;
	return mark;
}

void pfm_queue_restore(struct pfm_queue *queue, const struct pfm_queue_mark *mark)
{
	queue->head = mark->head;
	queue->count = mark->count;
	/* For who came meanwhile and found nothing. */
	if (queue->count)
		irq_work_queue(&queue->wake);
}

/* Context lock held; at most once between two loads, so the slot is free. */
void pfm_queue_post_end(struct pfm_queue *queue)
{
	unsigned int slot = (queue->head + queue->count) % ARRAY_SIZE(queue->messages);

	queue->messages[slot] = (struct pfarg_ovfl_msg){ .msg_type = PFM_MSG_END };
	queue->count++;
	irq_work_queue(&queue->wake);
}

static bool queue_take(struct pfm_context *context, struct pfarg_ovfl_msg *message)
{
	struct pfm_queue *queue = &context->queue;
	unsigned long flags;
	bool found;

	raw_spin_lock_irqsave(&context->lock, flags);
	found = queue->count > 0;
	if (found) {
		*message = queue->messages[queue->head];
		queue->head = (queue->head + 1) % ARRAY_SIZE(queue->messages);
		queue->count--;
	}
	raw_spin_unlock_irqrestore(&context->lock, flags);
	return found;
}

/* One message a call, whatever the size; there is no end of file. */
ssize_t pfm_message_read(struct pfm_context *context, char __user *buffer, size_t size,
			 bool nonblock)
{
	struct pfarg_ovfl_msg message;

	if (size < sizeof(message))
		return -EINVAL;
	/* Before a message is taken that could not be delivered. */
	if (fault_in_safe_writeable(buffer, sizeof(message)))
		return -EFAULT;
	if (nonblock) {
		if (!queue_take(context, &message))
			return -EAGAIN;
	} else if (wait_event_interruptible(context->queue.waiters,
					    queue_take(context, &message))) {
		return -EINTR;
	}
	if (copy_to_user(buffer, &message, sizeof(message)))
		return -EFAULT;
	return sizeof(message);
}

__poll_t pfm_message_poll(struct pfm_context *context, struct file *file,
			  poll_table *wait)
{
	poll_wait(file, &context->queue.waiters, wait);
	return READ_ONCE(context->queue.count) ? EPOLLIN | EPOLLRDNORM : 0;
}
