// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes allocations of one thread fail, on kernels without CONFIG_FAULT_INJECTION.
 *
 * These kernels still call should_failslab() before each allocation of an object, and
 * should_fail_alloc_page() before each allocation of pages.
 */
#include <linux/debugfs.h>
#include <linux/gfp.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/stacktrace.h>

#include "failing_allocations.h"

static struct failing_request request;
static struct failing_result result;
static bool failing;

/* Returns whether @wanted occurs in the text of the stack trace that the kernel would print now. */
static bool is_in_stack(const char *wanted)
{
	unsigned long entries[64];
	char name[KSYM_NAME_LEN + MODULE_NAME_LEN];
	unsigned int count = stack_trace_save(entries, ARRAY_SIZE(entries), 0), i;

	for (i = 0; i < count; i++) {
		snprintf(name, sizeof(name), "%ps", (void *)entries[i]);
		if (strstr(name, wanted))
			return true;
	}
	return false;
}

#define OUR_MODULES "[perfmon"

static bool is_counted(void)
{
	pid_t thread = READ_ONCE(request.thread);

	if (!in_task() || !thread)
		return false;
	return current->pid == thread ||
	       (request.workers && current->flags & PF_WQ_WORKER &&
		is_in_stack(OUR_MODULES));
}

/*
 * Counts this allocation if the request says so, and returns whether it must fail. Needs no lock,
 * because no two threads change the variable "result" at the same time. The thread whose
 * allocations are counted either wrote the request itself, or slept while another thread wrote the
 * request. A worker makes allocations for this thread only while the thread sleeps.
 */
static bool must_fail(gfp_t gfp)
{
	if (gfp & __GFP_NOFAIL || !is_counted())
		return false;
	if (result.left)
		failing = --result.left == 0;
	else
		failing &= request.rest;
	if (failing && !(gfp & __GFP_NOWARN)) {
		result.told = 1;
		result.ours |= is_in_stack(OUR_MODULES);
		result.reserve |= is_in_stack("alloc_vmap_area");
	}
	return failing;
}

/*
 * Returns argument @n of the probed function. Linux 6.1 has no regs_get_kernel_argument() on POWER.
 */
static unsigned long argument(struct pt_regs *regs, unsigned int n)
{
#ifdef CONFIG_PPC
	return regs->gpr[3 + n];
#else
	return regs_get_kernel_argument(regs, n);
#endif
}

static noinline notrace void do_nothing(void)
{
}

/* Makes the probed function return @value to its caller. */
static int return_with(struct pt_regs *regs, unsigned long value)
{
	regs_set_return_value(regs, value);
	instruction_pointer_set(regs, (unsigned long)do_nothing);
	return 1;
}

/* int should_failslab(struct kmem_cache *cache, gfp_t gfp) */
static int before_object(struct kprobe *probe, struct pt_regs *regs)
{
	if (!request.objects || !must_fail((__force gfp_t)argument(regs, 1)))
		return 0;
	return return_with(regs, -ENOMEM);
}

/* bool should_fail_alloc_page(gfp_t gfp, unsigned int order) */
static int before_pages(struct kprobe *probe, struct pt_regs *regs)
{
	if (!request.pages || !must_fail((__force gfp_t)argument(regs, 0)))
		return 0;
	return return_with(regs, true);
}

/*
 * Does nothing, but keeps the kernel from optimizing the probes: the kernel does not optimize a
 * probe that has a post handler. The handlers above skip the probed function and return an error in
 * its place. An optimized probe cannot skip a function.
 */
static void after(struct kprobe *probe, struct pt_regs *regs, unsigned long flags)
{
}

static struct kprobe object_probe = {
	.symbol_name = "should_failslab",
	.pre_handler = before_object,
	.post_handler = after,
};

static struct kprobe page_probe = {
	.symbol_name = "should_fail_alloc_page",
	.pre_handler = before_pages,
	.post_handler = after,
};

static struct kprobe *probes[] = { &object_probe, &page_probe };
static struct dentry *entry;

static ssize_t write_request(struct file *file, const char __user *from, size_t size,
			     loff_t *position)
{
	struct failing_request wanted;

	if (size != sizeof(wanted))
		return -EINVAL;
	if (copy_from_user(&wanted, from, size))
		return -EFAULT;
	WRITE_ONCE(request.thread, 0);
	failing = false;
	result = (struct failing_result){ .left = wanted.nth };
	request = wanted;
	return size;
}

static ssize_t read_result(struct file *file, char __user *to, size_t size,
			   loff_t *position)
{
	return simple_read_from_buffer(to, size, position, &result, sizeof(result));
}

static const struct file_operations operations = {
	.owner = THIS_MODULE,
	.read = read_result,
	.write = write_request,
};

static int __init failing_allocations_init(void)
{
	int error = register_kprobes(probes, ARRAY_SIZE(probes));

	if (!error)
		entry = debugfs_create_file("failing_allocations", 0600, NULL, NULL,
					    &operations);
	return error;
}

static void __exit failing_allocations_exit(void)
{
	debugfs_remove(entry);
	unregister_kprobes(probes, ARRAY_SIZE(probes));
}

module_init(failing_allocations_init);
module_exit(failing_allocations_exit);
MODULE_DESCRIPTION("Makes allocations of a thread fail, for tests");
MODULE_LICENSE("GPL");
