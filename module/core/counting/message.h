/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PERFMON_MESSAGE_H
#define PERFMON_MESSAGE_H

#include <linux/fs.h>
#include <linux/poll.h>
#include <linux/wait.h>
#include <perfmon/perfmon_ioctl.h>

struct pfm_context;

#define PFM_QUEUE_DEPTH 8 /* maximum number of messages about overflows in a queue */
#define PFM_QUEUE_SLOTS 16 /* a power of two, larger than the depth */

/**
 * struct pfm_queue - messages that wait for read()
 *
 * @first is the number of messages taken so far, and @last is the number of messages posted so far.
 * Their difference is the number of messages in the queue.
 *
 * Messages are posted with interrupts off, in the monitored thread or on the monitored CPU.  The
 * writer may be the overflow handler, perhaps in an NMI.  There is only one writer at a time, so
 * writers need no lock.  The writer fills the slot before it changes @last.  Messages are taken and
 * dropped under the context's lock, which protects @first.
 *
 * There are more slots than PFM_QUEUE_DEPTH, so there is always a slot for PFM_MSG_END, which
 * reports that the thread has ended or the CPU has gone offline.  There is at most one such message
 * in the queue: it is posted at most once between two loads, and a load empties the queue.
 */
struct pfm_queue {
	unsigned int first;
	unsigned int last;
	struct pfarg_ovfl_msg messages[PFM_QUEUE_SLOTS];
	wait_queue_head_t waiters;
	struct fasync_struct *fasync;
};

void pfm_queue_init(struct pfm_queue *queue);

static inline bool pfm_queue_is_full(const struct pfm_queue *queue)
{
	return queue->last - READ_ONCE(queue->first) >= PFM_QUEUE_DEPTH;
}

/* The caller must make sure that pfm_queue_wake() is called afterwards. */
void pfm_queue_post(struct pfm_queue *queue, const struct pfarg_ovfl_msg *message);

/* Wake readers and send signals.  May be called in hard interrupts, but not in NMIs. */
void pfm_queue_wake(struct pfm_queue *queue);

/*
 * Drop all messages.  The caller holds the context's lock, and the context is unloaded,
 * so nobody posts a message.
 */
void pfm_queue_clear(struct pfm_queue *queue);

ssize_t pfm_message_read(struct pfm_context *context, char __user *buffer, size_t size,
			 bool nonblock);
__poll_t pfm_message_poll(struct pfm_context *context, struct file *file,
			  poll_table *wait);

#endif
