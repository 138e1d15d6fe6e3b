// SPDX-License-Identifier: GPL-2.0-only
/* The sampling buffer: allocation and mapping. */
#include <linux/anon_inodes.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "base/error.h"
#include "base/limits.h"
#include "compat/mm.h"
#include "buffer.h"
#include "context.h"

static void free_pages_of(struct pfm_buffer *buffer, unsigned long count)
{
	while (count > 0)
		__free_page(buffer->pages[--count]);
	kvfree(buffer->pages);
}

/*
 * Allocate single pages: vm_map_pages_zero() maps such pages, and no contiguous memory is
 * needed.
 */
static int allocate(struct pfm_buffer *buffer, int node)
{
	const gfp_t flags = GFP_KERNEL_ACCOUNT | __GFP_ZERO | __GFP_NOWARN;
	unsigned long count = buffer->size >> PAGE_SHIFT, i;

	buffer->pages = kvmalloc_array(count, sizeof(*buffer->pages), flags);
	if (!buffer->pages)
		return -ENOMEM;
	for (i = 0; i < count; i++) {
		buffer->pages[i] = fatal_signal_pending(current)
					   ? NULL
					   : alloc_pages_node(node, flags, 0);
		if (!buffer->pages[i])
			goto free;
		cond_resched();
	}
	buffer->memory = vmap(buffer->pages, count, VM_MAP, PAGE_KERNEL);
	if (buffer->memory)
		return 0;
free:
	free_pages_of(buffer, i);
	return -ENOMEM;
}

struct pfm_buffer *pfm_buffer_create(struct pfm_context *context, u64 size, int node)
{
	struct pfm_buffer *buffer;
	int error;

	/* Do not try to allocate more memory than the machine has. */
	if (size > (u64)totalram_pages() << PAGE_SHIFT)
		return ERR_PTR(pfm_fail(context, -ENOMEM, PFM_REASON_MEMORY, size));
	buffer = kzalloc(sizeof(*buffer), GFP_KERNEL_ACCOUNT);
	if (!buffer)
		return ERR_PTR(pfm_fail(context, -ENOMEM, PFM_REASON_MEMORY, 0));
	refcount_set(&buffer->references, 1);
	buffer->size = PAGE_ALIGN(size);
	error = pfm_charge(context, PFM_MEMORY_BUFFERS, buffer->size);
	if (error)
		goto free;
	error = allocate(buffer, node);
	if (!error) {
		buffer->user = pfm_user_get(context->user);
		return buffer;
	}
	pfm_fail(context, error, PFM_REASON_MEMORY, size);
	pfm_uncharge(context->user, PFM_MEMORY_BUFFERS, buffer->size);
free:
	kfree(buffer);
	return ERR_PTR(error);
}

/* Called in process context, when a context is freed or the file of a mapping is released. */
void pfm_buffer_put(struct pfm_buffer *buffer)
{
	if (!refcount_dec_and_test(&buffer->references))
		return;
	vunmap(buffer->memory);
	free_pages_of(buffer, buffer->size >> PAGE_SHIFT);
	pfm_uncharge(buffer->user, PFM_MEMORY_BUFFERS, buffer->size);
	pfm_user_put(buffer->user);
	kfree(buffer);
}

static int mapping_release(struct inode *inode, struct file *file)
{
	pfm_buffer_put(file->private_data);
	return 0;
}

static const struct file_operations mapping_operations = {
	.owner = THIS_MODULE,
	.release = mapping_release,
};

/*
 * Make a file for a mapping.  The mapping refers to this file, not to the context's file, so the
 * context's file can be released while the mapping exists.
 */
static struct file *mapping_file(struct pfm_buffer *buffer)
{
	struct file *file;

	file = anon_inode_getfile("[perfmon-buffer]", &mapping_operations, buffer,
				  O_RDONLY);
	if (!IS_ERR(file))
		refcount_inc(&buffer->references);
	return file;
}

int pfm_buffer_map(struct pfm_buffer *buffer, struct vm_area_struct *vma)
{
	unsigned long count = vma_pages(vma);
	struct file *file;

	if (vma->vm_flags & VM_WRITE || count > buffer->size >> PAGE_SHIFT)
		return -EINVAL;
	file = mapping_file(buffer);
	if (IS_ERR(file))
		return PTR_ERR(file);
	vma_set_file(vma, file);
	fput(file); /* the mapping has its own reference */
	vm_flags_mod(vma, VM_DONTEXPAND | VM_DONTDUMP, VM_MAYWRITE);
	/* Map all pages now, so that reading a sample causes no page fault. */
	return vm_map_pages_zero(vma, buffer->pages, count);
}
