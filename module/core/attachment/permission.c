// SPDX-License-Identifier: GPL-2.0-only
/*
 * Permissions: who may count, and who may monitor a thread.
 *
 * The kernel does not export the functions that check these permissions.  So this module opens
 * files of a private mount of proc.  The first of these files, sys/kernel/perf_event_paranoid,
 * contains a setting.  The other files belong to threads: when such a file is opened, the kernel
 * checks the caller's permission.  The private mount makes the checks independent of the caller's
 * root and mount namespace.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/mount.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/security.h>
#include <linux/uidgid.h>
#include <linux/user_namespace.h>

#include "base/error.h"
#include "base/limits.h"
#include "compat/perf_event.h"
#include "context.h"
#include "permission.h"

static struct vfsmount *proc;
static const struct cred *kernel_credentials;

int pfm_permission_init(void)
{
	struct file_system_type *type;

	/* The mount shows the caller's pid namespace, which must therefore be the initial one. */
	if (task_active_pid_ns(current) != &init_pid_ns)
		return -EPERM;
	type = get_fs_type("proc");
	if (!type)
		return -ENODEV;
	kernel_credentials = prepare_kernel_cred(&init_task);
	if (!kernel_credentials) {
		module_put(type->owner);
		return -ENOMEM;
	}
	proc = kern_mount(type);
	module_put(type->owner);
	if (!IS_ERR(proc))
		return 0;
	put_cred(kernel_credentials);
	return PTR_ERR(proc);
}

void pfm_permission_exit(void)
{
	kern_unmount(proc);
	put_cred(kernel_credentials);
}

/* ---- who may count ---------------------------------------------------------------- */

/* Values of kernel.perf_event_paranoid. */
#define PARANOID_KERNEL 1 /* up to this value, all users may count even at kernel level */
#define PARANOID_USER	2 /* up to this value, all users may count at user level */
#define PARANOID_CLOSED 3

/*
 * Read kernel.perf_event_paranoid, which is a setting for the whole machine.  The file is read with
 * the credentials of the kernel, so that a security module cannot deny the caller the file.
 * Return: the number of bytes that were read into @text, or a negative errno.
 */
static ssize_t read_setting(char *text, size_t size)
{
	const struct path root = { .mnt = proc, .dentry = proc->mnt_root };
	const struct cred *caller = override_creds(kernel_credentials);
	loff_t position = 0;
	struct file *file;
	ssize_t length;

	file = file_open_root(&root, "sys/kernel/perf_event_paranoid", O_RDONLY, 0);
	if (IS_ERR(file)) {
		length = PTR_ERR(file);
	} else {
		length = kernel_read(file, text, size, &position);
		fput(file);
	}
	revert_creds(caller);
	return length;
}

/*
 * Store the setting in *@paranoid, or PARANOID_CLOSED if it cannot be read or parsed.  Return: 0,
 * or -ENOMEM if there was not enough memory to read it.
 */
static int read_paranoid(int *paranoid)
{
	char text[16] = "";
	ssize_t length = read_setting(text, sizeof(text) - 1);

	if (length == -ENOMEM)
		return -ENOMEM;
	if (length <= 0 || kstrtoint(text, 10, paranoid))
		*paranoid = PARANOID_CLOSED;
	return 0;
}

static bool is_in_group(int group)
{
	return group != -1 && in_egroup_p(make_kgid(&init_user_ns, group));
}

static bool is_in_task_group(void)
{
	return is_in_group(READ_ONCE(pfm_limits.task_group));
}

/* Return: whether a caller without CAP_PERFMON may count. */
static bool may_count(enum pfm_policy policy, int paranoid)
{
	switch (policy) {
	case PFM_POLICY_USER:
		return true;
	case PFM_POLICY_GROUP:
		return is_in_task_group();
	default:
		return paranoid <= PARANOID_USER || is_in_task_group();
	}
}

/*
 * Return: whether the security modules let the caller count at kernel level.  The security modules
 * are asked about every caller, even about a caller with CAP_PERFMON.
 */
static bool security_allows_kernel_level(void)
{
	return !perf_allow_kernel_level() && !security_locked_down(LOCKDOWN_PERF);
}

int pfm_may_create(struct pfm_context *context)
{
	enum pfm_policy policy = READ_ONCE(pfm_limits.policy);
	bool is_privileged = perfmon_capable();
	int paranoid = 0;

	if (!is_privileged && read_paranoid(&paranoid))
		return pfm_fail(context, -ENOMEM, PFM_REASON_MEMORY, 0);
	if (!is_privileged && !may_count(policy, paranoid))
		return pfm_fail(context, -EPERM,
				policy == PFM_POLICY_GROUP ? PFM_REASON_GROUP
							   : PFM_REASON_PARANOID,
				paranoid);
	context->user_level = (!is_privileged && paranoid > PARANOID_KERNEL) ||
			      !security_allows_kernel_level();
	return 0;
}

/*
 * A CPU runs threads of all users, so monitoring it needs CAP_PERFMON or membership in sys_group,
 * whatever the value of kernel.perf_event_paranoid is.
 */
int pfm_may_monitor_cpus(struct pfm_context *context)
{
	if (perfmon_capable() || is_in_group(READ_ONCE(pfm_limits.sys_group)))
		return 0;
	return pfm_fail(context, -EPERM, PFM_REASON_SYS_GROUP, 0);
}

/* ---- who may monitor a thread -------------------------------------------------------- */

/*
 * Opening a file of /proc/TID has failed with @error.  Return: the errno with which the user's call
 * fails.  ENOENT has two causes: thread TID has ended, or the proc filesystem has no memory for an
 * inode.
 */
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
 * Check the caller's permission by opening a file of /proc/TID.  ptrace_may_access() is not
 * exported, but the kernel calls it when such a file is opened, and ptrace_may_access() asks the
 * security modules.  If a thread has no mm, the kernel opens these files without a check, so
 * permission is denied here.  Such a thread is exiting, or is a usermode helper (such as modprobe)
 * before its exec.
 */
static int may_open(struct task_struct *task, const char *file_name)
{
	const struct path root = { .mnt = proc, .dentry = proc->mnt_root };
	char name[sizeof("2147483648/maps")];
	pid_t number = task_pid_nr(task);
	struct file *file;

	if (!READ_ONCE(task->mm))
		return -EPERM;
	snprintf(name, sizeof(name), "%d/%s", number, file_name);
	file = file_open_root(&root, name, O_RDONLY, 0);
	if (IS_ERR(file))
		return why_not_opened(task, number, PTR_ERR(file));
	fput(file);
	/* If the thread has ended, another thread with the same id may have been checked. */
	return pid_alive(task) ? 0 : -ESRCH;
}

/* Opening /proc/TID/maps checks PTRACE_MODE_READ: the permission to read data of a process. */
int pfm_may_monitor(struct task_struct *task)
{
	if (same_thread_group(task, current) || perfmon_capable())
		return 0;
	return may_open(task, "maps");
}

/*
 * Opening /proc/TID/mem checks PTRACE_MODE_ATTACH, as for a debugger.  The security module Yama may
 * deny this mode.
 */
int pfm_may_block(struct task_struct *task)
{
	if (is_global_init(task))
		return -EPERM;
	return same_thread_group(task, current) ? 0 : may_open(task, "mem");
}
