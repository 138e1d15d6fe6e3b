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
 * The context and each mapping have a reference.  When the last reference is put, the buffer is
 * freed.  All fields except @references are fixed after creation.
 *
 * @size: size in bytes, a multiple of the page size
 * @memory: the kernel's mapping of @pages
 * @pages: the pages
 * @user: the user who is charged for the buffer
 */
struct pfm_buffer {
	refcount_t references;
	size_t size;
	void *memory;
	struct page **pages;
	struct pfm_user *user;
};

/*
 * Process context, may sleep.  The buffer has @size bytes, rounded up to whole pages.  It is
 * zeroed, and is on memory node @node if possible.  Return: the buffer.  If there is no memory or a
 * limit is reached, return the error pointer -ENOMEM and put the reason into context->error.
 */
struct pfm_buffer *pfm_buffer_create(struct pfm_context *context, u64 size, int node);
void pfm_buffer_put(struct pfm_buffer *buffer);

/* Called by mmap() of a context, with mmap_lock held, but without the context's mutex. */
int pfm_buffer_map(struct pfm_buffer *buffer, struct vm_area_struct *vma);

#endif
