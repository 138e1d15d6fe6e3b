// SPDX-License-Identifier: GPL-2.0-only
/*
 * The settings, and the accounting of the memory that contexts use, for each user and in total.
 *
 * Memory is charged to a user, not to a process, because a process may end while other processes
 * still have its descriptors.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/hashtable.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/time64.h>
#include <linux/uidgid.h>
#include <linux/user_namespace.h>

#include "context.h"
#include "error.h"
#include "limits.h"

struct pfm_limits pfm_limits = {
	.arg_mem_max = PAGE_SIZE,
	.sys_group = -1,
	.task_group = -1,
	/* 100,000 interrupts a second, the default of perf's limit. */
	.max_interrupts_per_tick = DIV_ROUND_UP(100000, HZ),
	.max_sets = 4096,
	/* At most ten thousand set switches a second. */
	.min_switch_timeout = 100 * NSEC_PER_USEC,
	/* The kernel's default of pid_max on a machine with up to 32 CPUs. */
	.max_copies = 32768,
};

/* Sets the defaults that depend on the machine. */
void pfm_limits_init(void)
{
	unsigned long sixteenth = (totalram_pages() / 16) << PAGE_SHIFT;

	pfm_limits.smpl_buffer_mem_max = sixteenth;
	pfm_limits.set_mem_max = sixteenth;
	pfm_limits.set_user_max = PAGE_ALIGN(sixteenth / 4);
}

/* ---- users ------------------------------------------------------------------------- */

/**
 * struct pfm_user - a user who has contexts or buffers
 * @node: node in the hash table "users"
 * @uid: the user
 * @references: number of contexts and buffers; protected by users_lock
 * @bytes: for each kind of memory, the number of bytes that these contexts and buffers use
 */
struct pfm_user {
	struct hlist_node node;
	kuid_t uid;
	unsigned int references;
	atomic_long_t bytes[PFM_MEMORY_KINDS];
};

static DEFINE_MUTEX(users_lock);
static DEFINE_HASHTABLE(users, 6);

/*
 * A user can get many uids by creating user namespaces.  So charge the user who created the
 * outermost of these namespaces.
 */
static kuid_t caller(void)
{
	const struct user_namespace *namespace;
	kuid_t uid = current_uid();

	for (namespace = current_user_ns(); namespace->parent;
	     namespace = namespace->parent)
		uid = namespace->owner;
	return uid;
}

static struct pfm_user *find_user_of(kuid_t uid)
{
	struct pfm_user *user;

	lockdep_assert_held(&users_lock);
	hash_for_each_possible(users, user, node, __kuid_val(uid))
		if (uid_eq(user->uid, uid))
			return user;
	return NULL;
}

struct pfm_user *pfm_user_of_caller(void)
{
	kuid_t uid = caller();
	struct pfm_user *user;

	mutex_lock(&users_lock);
	user = find_user_of(uid);
	if (!user) {
		user = kzalloc(sizeof(*user), GFP_KERNEL_ACCOUNT);
		if (!user)
			goto unlock;
		user->uid = uid;
		hash_add(users, &user->node, __kuid_val(uid));
	}
	user->references++;
unlock:
	mutex_unlock(&users_lock);
	return user;
}

struct pfm_user *pfm_user_get(struct pfm_user *user)
{
	mutex_lock(&users_lock);
	user->references++;
	mutex_unlock(&users_lock);
	return user;
}

void pfm_user_put(struct pfm_user *user)
{
	mutex_lock(&users_lock);
	if (!--user->references) {
		hash_del(&user->node);
		kfree(user);
	}
	mutex_unlock(&users_lock);
}

/* ---- memory ------------------------------------------------------------------------- */

static atomic_long_t in_use[PFM_MEMORY_KINDS];

unsigned long pfm_memory_in_use(enum pfm_memory memory)
{
	return atomic_long_read(&in_use[memory]);
}

struct bounds {
	unsigned long all;
	unsigned long share; /* limit of one user */
};

static struct bounds bounds_of(enum pfm_memory memory)
{
	switch (memory) {
	case PFM_MEMORY_BUFFERS:
		return (struct bounds){ READ_ONCE(pfm_limits.smpl_buffer_mem_max),
					rlimit(RLIMIT_MEMLOCK) };
	default:
		return (struct bounds){ READ_ONCE(pfm_limits.set_mem_max),
					READ_ONCE(pfm_limits.set_user_max) };
	}
}

static const struct {
	enum pfm_reason all;
	enum pfm_reason share;
} reasons[PFM_MEMORY_KINDS] = {
	[PFM_MEMORY_BUFFERS] = { PFM_REASON_BUFFER_LIMIT, PFM_REASON_BUFFER_MEMLOCK },
	[PFM_MEMORY_SETS] = { PFM_REASON_SET_MEMORY, PFM_REASON_SET_SHARE },
};

/*
 * Charge @user.  If @privileged is true, there is no limit per user, and the limit for all users
 * together is doubled.  So unprivileged users cannot use up the memory that privileged users need.
 * Return: PFM_REASON_NONE, or the limit that is reached; then nothing is charged.
 */
static enum pfm_reason charge(struct pfm_user *user, enum pfm_memory memory, size_t size,
			      bool privileged)
{
	const struct bounds bounds = bounds_of(memory);
	unsigned long all = atomic_long_add_return(size, &in_use[memory]);
	unsigned long own = atomic_long_add_return(size, &user->bytes[memory]);

	if (privileged ? all / 2 <= bounds.all : all <= bounds.all && own <= bounds.share)
		return PFM_REASON_NONE;
	pfm_uncharge(user, memory, size);
	return all > bounds.all ? reasons[memory].all : reasons[memory].share;
}

/* perfmon_capable() may call a security module, so it is called only if a limit is reached. */
int pfm_charge(struct pfm_context *context, enum pfm_memory memory, size_t size)
{
	enum pfm_reason limit = charge(context->user, memory, size, false);

	if (limit && perfmon_capable())
		limit = charge(context->user, memory, size, true);
	return limit ? pfm_fail(context, -ENOMEM, limit, size) : 0;
}

bool pfm_charge_copy(struct pfm_user *user, size_t size, bool privileged)
{
	return !charge(user, PFM_MEMORY_SETS, size, privileged);
}

void pfm_uncharge(struct pfm_user *user, enum pfm_memory memory, size_t size)
{
	atomic_long_sub(size, &user->bytes[memory]);
	atomic_long_sub(size, &in_use[memory]);
}
