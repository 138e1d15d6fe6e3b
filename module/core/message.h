/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PERFMON_MESSAGE_H
#define PERFMON_MESSAGE_H

#include <linux/fs.h>
#include <linux/irq_work.h>
#include <linux/poll.h>
#include <linux/wait.h>
#include <perfmon/perfmon.h>

struct pfm_context;

#define PFM_QUEUE_DEPTH 8 /* messages of overflows */

/**
 * struct pfm_queue - messages that wait for read()
 *
 * Under the context's lock, but for @waiters and @fasync which have their own.
 * One slot more than the depth is kept for the end of the thread, so that it
 * is never lost.
 *
 * @wake: wakes readers and signals; posting happens where neither is allowed
 */
struct pfm_queue {
	unsigned int head;
	unsigned int count;
	struct pfarg_ovfl_msg messages[PFM_QUEUE_DEPTH + 1];
	struct irq_work wake;
	wait_queue_head_t waiters;
	struct fasync_struct *fasync;
};

/* Where the messages were that pfm_queue_clear() dropped. */
struct pfm_queue_mark {
	unsigned int head;
	unsigned int count;
};

void pfm_queue_init(struct pfm_queue *queue);
void pfm_queue_drain(struct pfm_queue *queue);
struct pfm_queue_mark pfm_queue_clear(struct pfm_queue *queue);
/*
 * As before that.  If the queue was full, an end posted meanwhile has taken the
 * place of its oldest message.
 */
void pfm_queue_restore(struct pfm_queue *queue, const struct pfm_queue_mark *mark);
void pfm_queue_post_end(struct pfm_queue *queue);

ssize_t pfm_message_read(struct pfm_context *context, char __user *buffer, size_t size,
			 bool nonblock);
__poll_t pfm_message_poll(struct pfm_context *context, struct file *file,
			  poll_table *wait);

#endif
