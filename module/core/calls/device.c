// SPDX-License-Identifier: GPL-2.0-only
/* /dev/perfmon: each open file of this device has a struct pfm_context. */
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/poll.h>

#include "attachment/attach.h"
#include "counting/instances.h"
#include "counting/message.h"
#include "context.h"
#include "device.h"
#include "ioctl.h"

static int device_open(struct inode *inode, struct file *file)
{
	file->private_data = pfm_context_alloc();
	return file->private_data ? stream_open(inode, file) : -ENOMEM;
}

/*
 * Called when the last descriptor has been closed: no call on the context is running, and no
 * further call will come.
 */
static int device_release(struct inode *inode, struct file *file)
{
	struct pfm_context *context = file->private_data;

	pfm_unload(context);
	pfm_context_free(context);
	return 0;
}

static ssize_t device_read(struct file *file, char __user *buffer, size_t size,
			   loff_t *position)
{
	return pfm_message_read(file->private_data, buffer, size,
				file->f_flags & O_NONBLOCK);
}

static __poll_t device_poll(struct file *file, poll_table *wait)
{
	return pfm_message_poll(file->private_data, file, wait);
}

static int device_fasync(int fd, struct file *file, int on)
{
	struct pfm_context *context = file->private_data;

	return fasync_helper(fd, file, on, &context->queue.fasync);
}

/* Called at each close(), and at the end of each process that has the file open. */
static int device_flush(struct file *file, fl_owner_t files)
{
	if (current->flags & PF_EXITING)
		pfm_loader_ends(file->private_data);
	return 0;
}

/* Do not take the mutex here: mmap_lock is held, and other calls take mmap_lock under the mutex. */
static int device_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct pfm_context *context = file->private_data;
	struct pfm_buffer *buffer = pfm_instances_buffer(context, vma->vm_pgoff);

	return buffer ? pfm_buffer_map(buffer, vma) : -EINVAL;
}

static const struct file_operations operations = {
	.owner = THIS_MODULE,
	.open = device_open,
	.flush = device_flush,
	.release = device_release,
	.read = device_read,
	.poll = device_poll,
	.fasync = device_fasync,
	.mmap = device_mmap,
	.unlocked_ioctl = pfm_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
};

/* All users may open the device, to monitor their own threads.  The calls check permissions. */
static struct miscdevice device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "perfmon",
	.mode = 0666,
	.fops = &operations,
};

int pfm_device_init(void)
{
	return misc_register(&device);
}

void pfm_device_exit(void)
{
	misc_deregister(&device);
}
