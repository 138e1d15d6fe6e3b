/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PERFMON_COPY_POOL_H
#define PERFMON_COPY_POOL_H

#include <linux/types.h>

struct pfm_context;
struct pfm_copies;

/* Idle copies beyond this number are freed. */
#define PFM_IDLE_COPIES 64

/* Return: a copy that is in no list, or NULL. */
struct pfm_context *pfm_copy_alloc(struct pfm_copies *copies, gfp_t gfp);
void pfm_copy_free(struct pfm_context *copy);

/* The lock of @copies is held for the next five functions. */

/* Charge a new copy to the parent's user and make it idle.  Return: false if a limit is reached. */
bool pfm_copy_add(struct pfm_copies *copies, struct pfm_context *copy);

/* The copy, which is in no list, becomes idle. */
void pfm_copy_put(struct pfm_copies *copies, struct pfm_context *copy);

/*
 * Return: an idle copy, which is in no list any more, or NULL.  If there is none, the counts that were
 * kept first are dropped.
 */
struct pfm_context *pfm_copy_take(struct pfm_copies *copies);

/*
 * The copy, which is in a list, is unloaded.  Return: NULL, or the copy if it has to be freed; the
 * caller then passes it to pfm_copy_free_surplus() without the lock.
 */
struct pfm_context *pfm_copy_make_idle(struct pfm_copies *copies,
				       struct pfm_context *copy);

/*
 * The copy, which is in a list, is unloaded; its counts are kept.  If there are too many of them,
 * the first ones are dropped.  Return: what pfm_copy_make_idle() returns.
 */
struct pfm_context *pfm_copy_keep(struct pfm_copies *copies, struct pfm_context *copy);

/* Nobody will read the counts that are kept. */
void pfm_copies_forget_counts(struct pfm_copies *copies);

/* @copy may be NULL.  CPUs may still look at it. */
void pfm_copy_free_surplus(struct pfm_context *copy);

/* Free idle copies until @most remain.  May sleep. */
void pfm_copies_trim(struct pfm_copies *copies, u32 most);

#endif
