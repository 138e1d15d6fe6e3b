/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PERFMON_CORE_BUFFER_H
#define PERFMON_CORE_BUFFER_H

#include <linux/refcount.h>
#include <linux/types.h>

struct page;
struct pfm_context;
struct pfm_user;
struct vm_area_struct;

/**
 * struct pfm_buffer - a sampling buffer
 *
 * Belongs to its context and to each mapping of it; the last frees it.  Fixed after
 * creation.
 *
 * @size: bytes, whole pages
 * @memory: where the kernel has it
 * @pages: what it is made of
 * @user: who is charged for it
 */
struct pfm_buffer {
	refcount_t references;
	size_t size;
	void *memory;
	struct page **pages;
	struct pfm_user *user;
};

/*
 * Process context, may sleep.  A zeroed buffer of @size bytes, rounded up to pages, or
 * an error pointer: -ENOMEM, and the context knows why.
 */
struct pfm_buffer *pfm_buffer_create(struct pfm_context *context, u64 size);
void pfm_buffer_put(struct pfm_buffer *buffer);

/* mmap() of a context.  It is called under mmap_lock: the context's mutex is not. */
int pfm_buffer_map(struct pfm_buffer *buffer, struct vm_area_struct *vma);

#endif
