// SPDX-License-Identifier: GPL-2.0-only
/* If another process holds what a call needs: find the number and the name of that process. */
#include <linux/ctype.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/sched/task.h>

#include "base/threads.h"
#include "copies.h"
#include "holder.h"

/* Number of bytes in ": ", in a process number of 7 digits ("[4194304]"), and in the final zero. */
#define AROUND_NAME 12

u32 pfm_holder_number(struct pid *loader)
{
	return loader && pid_has_task(loader, PIDTYPE_TGID) ? pid_vnr(loader) : 0;
}

/*
 * Return: the process that loaded the context.  For a copy, this is the process that loaded its
 * parent.  The caller has checked that the context is connected with a thread or a CPU.
 */
static struct pid *loader_of(const struct pfm_context *context)
{
	lockdep_assert_held(&context->lock);
	return pfm_is_copy(context) ? context->copies->parent->loader : context->loader;
}

u32 pfm_holder_of_thread(struct task_struct *task)
{
	struct pfm_context *context;
	unsigned long flags;
	u32 number = 0;

	local_irq_save(flags);
	context = pfm_thread_find(task);
	if (context) {
		raw_spin_lock(&context->lock);
		if (context->attachment.task == task)
			number = pfm_holder_number(loader_of(context));
		raw_spin_unlock(&context->lock);
	}
	local_irq_restore(flags);
	return number;
}

bool pfm_thread_is_held_by(struct task_struct *task, const struct pid *loader)
{
	struct pfm_context *context = pfm_thread_find(task);
	bool is_held = false;

	if (context) {
		raw_spin_lock(&context->lock);
		is_held = context->attachment.task == task &&
			  loader_of(context) == loader;
		raw_spin_unlock(&context->lock);
	}
	return is_held;
}

struct search {
	const struct pfm_use *use;
	struct pid *loader; /* with a reference */
};

/*
 * Return: whether @context has claimed search->use.  If so, its loader is stored in search->loader.
 * Called in an RCU read-side critical section.  The context may be unloaded at any time.
 */
static bool has_claimed(struct pfm_context *context, void *argument)
{
	struct search *search = argument;
	unsigned long flags;

	if (READ_ONCE(context->use) != search->use)
		return false;
	raw_spin_lock_irqsave(&context->lock, flags);
	if (READ_ONCE(context->use) == search->use &&
	    (context->attachment.task || context->cpu != PFM_NO_CPU))
		search->loader = get_pid(loader_of(context));
	raw_spin_unlock_irqrestore(&context->lock, flags);
	return search->loader;
}

static void search_cpus(struct pfm_cpu __percpu *cpus, struct search *search)
{
	struct pfm_context *context;
	int number;

	rcu_read_lock();
	for_each_possible_cpu(number) {
		context = READ_ONCE(per_cpu_ptr(cpus, number)->context);
		if (context && has_claimed(context, search))
			break;
	}
	rcu_read_unlock();
}

/*
 * Append the name and the number of process @loader to @text, which has room for @size bytes.
 * Names that are too long are cut.
 */
static void append_process(char *text, size_t size, struct pid *loader)
{
	struct task_struct *task = get_pid_task(loader, PIDTYPE_TGID);
	char name[TASK_COMM_LEN], *byte;
	size_t length = strlen(text);

	if (!task)
		return;
	get_task_comm(name, task);
	put_task_struct(task);
	for (byte = name; *byte; byte++)
		if (!isascii(*byte) || !isprint(*byte))
			*byte = '?';
	snprintf(text + length, size - length, ": %.*s[%u]",
		 (int)(size - length - AROUND_NAME), name, pid_vnr(loader));
}

void pfm_holder_of_use(const struct pfm_use *use, struct pfm_cpu __percpu *cpus,
		       char *text, size_t size)
{
	struct search search = { .use = use };

	if (cpus)
		search_cpus(cpus, &search);
	else
		pfm_threads_search(has_claimed, &search);
	strscpy(text, cpus ? "system-wide contexts" : "contexts on threads", size);
	if (pfm_holder_number(search.loader))
		append_process(text, size, search.loader);
	put_pid(search.loader);
}
