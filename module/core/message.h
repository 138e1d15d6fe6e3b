/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PERFMON_MESSAGE_H
#define PERFMON_MESSAGE_H

#include <linux/fs.h>
#include <linux/poll.h>
#include <linux/wait.h>
#include <perfmon/perfmon_ioctl.h>

struct pfm_context;

#define PFM_QUEUE_DEPTH 8 /* messages of overflows */
#define PFM_QUEUE_SLOTS 16 /* a power of two, more than the depth and two ends */

/**
 * struct pfm_queue - messages that wait for read()
 *
 * @first and @last count all messages that ever were; those between are in the queue.
 *
 * Posting: in the monitored thread with interrupts off, the overflow handler among
 * it, perhaps in NMI.  There is one of them at a time and it takes no lock: it writes
 * the slot, then @last.
 * Taking and dropping messages, @first: under the context's lock.
 *
 * Beyond the depth there is room for the end of the thread, so that it is never lost.
 * It is posted at most once between two loads; a load empties the queue.
 */
struct pfm_queue {
	unsigned int first;
	unsigned int last;
	struct pfarg_ovfl_msg messages[PFM_QUEUE_SLOTS];
	wait_queue_head_t waiters;
	struct fasync_struct *fasync;
};

/* Where the messages were that pfm_queue_clear() dropped. */
struct pfm_queue_mark {
	unsigned int first;
	unsigned int last;
};

void pfm_queue_init(struct pfm_queue *queue);

static inline bool pfm_queue_is_full(const struct pfm_queue *queue)
{
	return queue->last - READ_ONCE(queue->first) >= PFM_QUEUE_DEPTH;
}

/* Who waits is to be woken afterwards: pfm_queue_wake(). */
void pfm_queue_post(struct pfm_queue *queue, const struct pfarg_ovfl_msg *message);

/* Wakes and signals who waits for messages; in hard interrupts, but not from NMI. */
void pfm_queue_wake(struct pfm_queue *queue);

/* Nobody posts: the thread has not been entered, or has been taken away. */
struct pfm_queue_mark pfm_queue_clear(struct pfm_queue *queue);
void pfm_queue_restore(struct pfm_queue *queue, const struct pfm_queue_mark *mark);

ssize_t pfm_message_read(struct pfm_context *context, char __user *buffer, size_t size,
			 bool nonblock);
__poll_t pfm_message_poll(struct pfm_context *context, struct file *file,
			  poll_table *wait);

#endif
