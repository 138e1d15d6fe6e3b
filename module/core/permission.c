// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who may look at whom: the kernel's own ptrace read check, security modules
 * included.  ptrace_may_access() is not exported, but opening /proc/TID/maps
 * asks it; our own mount of proc makes that independent of the caller's root
 * and mount namespace.
 */
#include <linux/capability.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/mount.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>

#include "permission.h"

static struct vfsmount *proc;

int pfm_permission_init(void)
{
	struct file_system_type *type;

	/* The mount has the pid namespace of who makes it. */
	if (task_active_pid_ns(current) != &init_pid_ns)
		return -EPERM;
	type = get_fs_type("proc");
	if (!type)
		return -ENODEV;
	proc = kern_mount(type);
	module_put(type->owner);
	return PTR_ERR_OR_ZERO(proc);
}

void pfm_permission_exit(void)
{
	kern_unmount(proc);
}

/* proc says that there is no such thread, too, when it has no memory for an inode. */
static int why_not_opened(struct task_struct *task, pid_t number, int error)
{
	switch (error) {
	case -EACCES:
		return -EPERM;
	case -ENOENT:
		return pid_alive(task) && task_pid_nr(task) == number ? -ENOMEM : -ESRCH;
	}
	return error;
}

/*
 * A thread without memory is exiting, or a helper of the kernel's (modprobe) on
 * its way to exec: opening its maps would succeed unchecked.
 */
int pfm_may_monitor(struct task_struct *task)
{
	const struct path root = { .mnt = proc, .dentry = proc->mnt_root };
	char name[sizeof("2147483648/maps")];
	pid_t number = task_pid_nr(task);
	struct file *file;

	if (same_thread_group(task, current) || perfmon_capable())
		return 0;
	if (!READ_ONCE(task->mm))
		return -EPERM;
	snprintf(name, sizeof(name), "%d/maps", number);
	file = file_open_root(&root, name, O_RDONLY, 0);
	if (IS_ERR(file))
		return why_not_opened(task, number, PTR_ERR(file));
	fput(file);
	/* The number may have been another thread's by then. */
	return pid_alive(task) ? 0 : -ESRCH;
}
