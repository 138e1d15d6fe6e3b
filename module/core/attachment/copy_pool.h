/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PERFMON_COPY_POOL_H
#define PERFMON_COPY_POOL_H

#include <linux/types.h>

struct pfm_context;
struct pfm_copies;

/* Idle copies beyond this number are freed. */
#define PFM_IDLE_COPIES 64

/* Return: a copy that is in no list; NULL if there is not enough memory. */
struct pfm_context *pfm_copy_alloc(struct pfm_copies *copies, gfp_t gfp);
void pfm_copy_free(struct pfm_context *copy);

/* The callers of the next five functions hold the lock of @copies. */

/* Charge a new copy to the parent's user and make it idle.  Return: false if a limit is reached. */
bool pfm_copy_add(struct pfm_copies *copies, struct pfm_context *copy);

/* Put a copy that is in no list into the list of idle copies. */
void pfm_copy_put(struct pfm_copies *copies, struct pfm_context *copy);

/*
 * Take an idle copy out of its list.  If there is no idle copy, take the copy that has been in the
 * list "kept" for the longest time, and drop its counts.  Return: the copy, or NULL if both lists
 * are empty.
 */
struct pfm_context *pfm_copy_take(struct pfm_copies *copies);

/*
 * Move an unloaded copy from its list to the list of idle copies.  If there are too many idle
 * copies and no walk is in progress, take the copy out of its list instead, and uncharge it.
 * Return: the copy if it has to be freed, NULL if not.  After unlocking, the caller passes the
 * result to pfm_copy_free_surplus().
 */
struct pfm_context *pfm_copy_make_idle(struct pfm_copies *copies,
				       struct pfm_context *copy);

/*
 * Move an unloaded copy from its list to the list "kept", so that its counts can be read later.  If
 * this list gets too long, drop the counts of its first copy and make that copy idle.  Return: a
 * copy that the caller has to free, NULL if there is none (see pfm_copy_make_idle()).
 */
struct pfm_context *pfm_copy_keep(struct pfm_copies *copies, struct pfm_context *copy);

/*
 * Drop the unread counts of the copies that have ended: move all copies from the list "kept" to the
 * list of idle copies.
 */
void pfm_copies_forget_counts(struct pfm_copies *copies);

/*
 * Free @copy, or do nothing if @copy is NULL.  CPUs may still look at the copy, so it is freed
 * after an RCU grace period.
 */
void pfm_copy_free_surplus(struct pfm_context *copy);

/* Free idle copies until at most @most of them remain.  May sleep. */
void pfm_copies_trim(struct pfm_copies *copies, u32 most);

#endif
