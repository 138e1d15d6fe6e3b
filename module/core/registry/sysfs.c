// SPDX-License-Identifier: GPL-2.0-only
/*
 * /sys/kernel/perfmon: settings, the numbers of sessions, and descriptions of the PMUs and of the
 * sampling formats.  Section 7.2 of docs/interface.md describes the files.
 */
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/kobject.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/sysfs.h>

#include "attachment/bound.h"
#include "base/limits.h"
#include "base/threads.h"
#include "counting/scope.h"
#include "counting/statistics.h"
#include "counting/virtual.h"
#include "format.h"
#include "set.h"
#include "sysfs.h"

static struct kobject *root;

static ssize_t version_show(struct kobject *kobject, struct kobj_attribute *attribute,
			    char *buffer)
{
	return sysfs_emit(buffer, "%u.%u\n", PFM_VERSION_MAJOR(PFM_VERSION),
			  PFM_VERSION_MINOR(PFM_VERSION));
}

static ssize_t interface_version_show(struct kobject *kobject,
				      struct kobj_attribute *attribute, char *buffer)
{
	return sysfs_emit(buffer, "%u.%u\n", PFM_VERSION_MAJOR(PFM_INTERFACE_VERSION),
			  PFM_VERSION_MINOR(PFM_INTERFACE_VERSION));
}

/*
 * The file "syscall": perfmon2 reported the number of its first system call here.  If the file did
 * not exist, libpfm 3 would use a fixed number, which now belongs to another system call.  The
 * number reported here and the next eleven numbers are unused on every architecture: a system call
 * with one of these numbers fails with ENOSYS.
 */
static ssize_t syscall_show(struct kobject *kobject, struct kobj_attribute *attribute,
			    char *buffer)
{
	return sysfs_emit(buffer, "%d\n", 100000);
}

static ssize_t task_sessions_count_show(struct kobject *kobject,
					struct kobj_attribute *attribute, char *buffer)
{
	return sysfs_emit(buffer, "%u\n", pfm_threads_count());
}

static ssize_t sys_sessions_count_show(struct kobject *kobject,
				       struct kobj_attribute *attribute, char *buffer)
{
	return sysfs_emit(buffer, "%u\n", pfm_bound_count());
}

/* A file that contains a numeric limit. */
struct limit_attribute {
	struct kobj_attribute attribute;
	unsigned long *limit;
	unsigned long minimum; /* smallest value that can be written */
	unsigned long maximum;
};

static struct limit_attribute *to_limit(struct kobj_attribute *attribute)
{
	return container_of(attribute, struct limit_attribute, attribute);
}

static ssize_t limit_show(struct kobject *kobject, struct kobj_attribute *attribute,
			  char *buffer)
{
	return sysfs_emit(buffer, "%lu\n", *to_limit(attribute)->limit);
}

static ssize_t limit_store(struct kobject *kobject, struct kobj_attribute *attribute,
			   const char *buffer, size_t size)
{
	const struct limit_attribute *limit = to_limit(attribute);
	unsigned long value;
	int error = kstrtoul(buffer, 0, &value);

	if (error)
		return error;
	if (value < limit->minimum || value > limit->maximum)
		return -EINVAL;
	WRITE_ONCE(*limit->limit, value);
	return size;
}

#define LIMIT(name, least, most)                                                         \
	static struct limit_attribute name = {                                           \
		.attribute = __ATTR(name, 0644, limit_show, limit_store),                \
		.limit = &pfm_limits.name,                                               \
		.minimum = (least),                                                      \
		.maximum = (most),                                                       \
	}

LIMIT(arg_mem_max, PAGE_SIZE, ULONG_MAX);
LIMIT(smpl_buffer_mem_max, PAGE_SIZE, ULONG_MAX);
LIMIT(max_interrupts_per_tick, 1, UINT_MAX);
LIMIT(max_sets, 1, U16_MAX + 1);
LIMIT(max_copies, 0, U32_MAX);
LIMIT(set_mem_max, PAGE_SIZE, ULONG_MAX);
LIMIT(set_user_max, PAGE_SIZE, ULONG_MAX);
/* A shorter timeout would leave little time between timer interrupts. */
LIMIT(min_switch_timeout, 20 * NSEC_PER_USEC, ULONG_MAX);

static ssize_t smpl_buffer_mem_cur_show(struct kobject *kobject,
					struct kobj_attribute *attribute, char *buffer)
{
	return sysfs_emit(buffer, "%lu\n", pfm_memory_in_use(PFM_MEMORY_BUFFERS));
}

static ssize_t set_mem_cur_show(struct kobject *kobject, struct kobj_attribute *attribute,
				char *buffer)
{
	return sysfs_emit(buffer, "%lu\n", pfm_memory_in_use(PFM_MEMORY_SETS));
}

static const char *const policies[] = {
	[PFM_POLICY_PERF] = "perf",
	[PFM_POLICY_USER] = "user",
	[PFM_POLICY_GROUP] = "group",
};

static ssize_t policy_show(struct kobject *kobject, struct kobj_attribute *attribute,
			   char *buffer)
{
	return sysfs_emit(buffer, "%s\n", policies[READ_ONCE(pfm_limits.policy)]);
}

static ssize_t policy_store(struct kobject *kobject, struct kobj_attribute *attribute,
			    const char *buffer, size_t size)
{
	int policy = sysfs_match_string(policies, buffer);

	if (policy < 0)
		return policy;
	WRITE_ONCE(pfm_limits.policy, policy);
	return size;
}

static ssize_t group_store(int *group, const char *buffer, size_t size)
{
	int value;
	int error = kstrtoint(buffer, 0, &value);

	if (error)
		return error;
	if (value < -1)
		return -EINVAL;
	WRITE_ONCE(*group, value);
	return size;
}

static ssize_t sys_group_show(struct kobject *kobject, struct kobj_attribute *attribute,
			      char *buffer)
{
	return sysfs_emit(buffer, "%d\n", pfm_limits.sys_group);
}

static ssize_t sys_group_store(struct kobject *kobject, struct kobj_attribute *attribute,
			       const char *buffer, size_t size)
{
	return group_store(&pfm_limits.sys_group, buffer, size);
}

static ssize_t task_group_show(struct kobject *kobject, struct kobj_attribute *attribute,
			       char *buffer)
{
	return sysfs_emit(buffer, "%d\n", pfm_limits.task_group);
}

static ssize_t task_group_store(struct kobject *kobject, struct kobj_attribute *attribute,
				const char *buffer, size_t size)
{
	return group_store(&pfm_limits.task_group, buffer, size);
}

static ssize_t debug_show(struct kobject *kobject, struct kobj_attribute *attribute,
			  char *buffer)
{
	return sysfs_emit(buffer, "%d\n", pfm_limits.debug);
}

static ssize_t debug_store(struct kobject *kobject, struct kobj_attribute *attribute,
			   const char *buffer, size_t size)
{
	int value;
	int error = kstrtoint(buffer, 0, &value);

	if (error)
		return error;
	if (value & ~(PFM_DEBUG_CALLS | PFM_DEBUG_TIMING))
		return -EINVAL;
	WRITE_ONCE(pfm_limits.debug, value);
	if (value & PFM_DEBUG_TIMING)
		static_branch_enable(&pfm_timing);
	else
		static_branch_disable(&pfm_timing);
	if (!value)
		pfm_statistics_reset();
	return size;
}

static ssize_t reset_stats_show(struct kobject *kobject, struct kobj_attribute *attribute,
				char *buffer)
{
	return sysfs_emit(buffer, "0\n");
}

static ssize_t reset_stats_store(struct kobject *kobject,
				 struct kobj_attribute *attribute, const char *buffer,
				 size_t size)
{
	pfm_statistics_reset();
	return size;
}

static struct kobj_attribute version = __ATTR_RO(version);
static struct kobj_attribute interface_version = __ATTR_RO(interface_version);
static struct kobj_attribute syscall = __ATTR_RO(syscall);
static struct kobj_attribute task_sessions_count = __ATTR_RO(task_sessions_count);
static struct kobj_attribute sys_sessions_count = __ATTR_RO(sys_sessions_count);
static struct kobj_attribute smpl_buffer_mem_cur = __ATTR_RO(smpl_buffer_mem_cur);
static struct kobj_attribute set_mem_cur = __ATTR_RO(set_mem_cur);
static struct kobj_attribute policy = __ATTR_RW(policy);
static struct kobj_attribute sys_group = __ATTR_RW(sys_group);
static struct kobj_attribute task_group = __ATTR_RW(task_group);
static struct kobj_attribute debug = __ATTR_RW(debug);
static struct kobj_attribute reset_stats = __ATTR_RW(reset_stats);

static struct attribute *root_attrs[] = {
	&version.attr,
	&interface_version.attr,
	&syscall.attr,
	&task_sessions_count.attr,
	&sys_sessions_count.attr,
	&arg_mem_max.attribute.attr,
	&policy.attr,
	&sys_group.attr,
	&task_group.attr,
	&debug.attr,
	&reset_stats.attr,
	&smpl_buffer_mem_cur.attr,
	&smpl_buffer_mem_max.attribute.attr,
	&max_interrupts_per_tick.attribute.attr,
	&max_sets.attribute.attr,
	&max_copies.attribute.attr,
	&set_mem_cur.attr,
	&set_mem_max.attribute.attr,
	&set_user_max.attribute.attr,
	&min_switch_timeout.attribute.attr,
	NULL,
};
ATTRIBUTE_GROUPS(root);

static struct kobject *formats;
static struct kobject *pmus;

int pfm_sysfs_init(void)
{
	int error;

	root = kobject_create_and_add("perfmon", kernel_kobj);
	if (!root)
		return -ENOMEM;
	error = sysfs_create_groups(root, root_groups);
	if (error)
		goto put;
	error = -ENOMEM;
	formats = kobject_create_and_add("formats", root);
	if (!formats)
		goto put;
	pmus = kobject_create_and_add("pmus", root);
	if (pmus)
		return 0;
	kobject_put(formats);
put:
	kobject_put(root);
	return error;
}

void pfm_sysfs_exit(void)
{
	kobject_put(pmus);
	kobject_put(formats);
	kobject_put(root);
}

/* The directory of a sampling format; freed after the last file in it is closed. */
struct pfm_format_directory {
	struct kobject kobject;
	u32 version;
	char uuid[PFM_FORMAT_NAME_SIZE];
};

static struct pfm_format_directory *to_format_directory(struct kobject *kobject)
{
	return container_of(kobject, struct pfm_format_directory, kobject);
}

static ssize_t format_version_show(struct kobject *kobject,
				   struct kobj_attribute *attribute, char *buffer)
{
	u32 value = to_format_directory(kobject)->version;

	return sysfs_emit(buffer, "%u.%u\n", PFM_VERSION_MAJOR(value),
			  PFM_VERSION_MINOR(value));
}

static ssize_t uuid_show(struct kobject *kobject, struct kobj_attribute *attribute,
			 char *buffer)
{
	return sysfs_emit(buffer, "%s\n", to_format_directory(kobject)->uuid);
}

static struct kobj_attribute format_version =
	__ATTR(version, 0444, format_version_show, NULL);
static struct kobj_attribute uuid = __ATTR_RO(uuid);

static struct attribute *format_attrs[] = {
	&format_version.attr,
	&uuid.attr,
	NULL,
};
ATTRIBUTE_GROUPS(format);

static void free_format_directory(struct kobject *kobject)
{
	kfree(to_format_directory(kobject));
}

static const struct kobj_type format_type = {
	.release = free_format_directory,
	.sysfs_ops = &kobj_sysfs_ops,
	.default_groups = format_groups,
};

struct pfm_format_directory *pfm_sysfs_add_format(const struct pfm_format *format)
{
	struct pfm_format_directory *directory;
	int error;

	directory = kzalloc(sizeof(*directory), GFP_KERNEL);
	if (!directory)
		return ERR_PTR(-ENOMEM);
	directory->version = format->version;
	strscpy(directory->uuid, format->uuid, sizeof(directory->uuid));
	error = kobject_init_and_add(&directory->kobject,
				     (struct kobj_type *)&format_type, formats, "%s",
				     format->name);
	if (!error)
		return directory;
	kobject_put(&directory->kobject);
	return ERR_PTR(error);
}

void pfm_sysfs_remove_format(struct pfm_format_directory *directory)
{
	kobject_put(&directory->kobject);
}

/* The directory of a register; freed after the last file in it is closed. */
struct register_directory {
	struct kobject kobject;
	struct list_head node;
	struct pfm_register description;
};

static struct register_directory *to_directory(struct kobject *kobject)
{
	return container_of(kobject, struct register_directory, kobject);
}

static ssize_t name_show(struct kobject *kobject, struct kobj_attribute *attribute,
			 char *buffer)
{
	return sysfs_emit(buffer, "%s\n", to_directory(kobject)->description.name);
}

static ssize_t dfl_val_show(struct kobject *kobject, struct kobj_attribute *attribute,
			    char *buffer)
{
	return sysfs_emit(buffer, "0x%llx\n",
			  to_directory(kobject)->description.default_value);
}

static ssize_t rsvd_msk_show(struct kobject *kobject, struct kobj_attribute *attribute,
			     char *buffer)
{
	return sysfs_emit(buffer, "0x%llx\n",
			  to_directory(kobject)->description.reserved);
}

static ssize_t width_show(struct kobject *kobject, struct kobj_attribute *attribute,
			  char *buffer)
{
	return sysfs_emit(buffer, "%d\n", to_directory(kobject)->description.width ?: 64);
}

static ssize_t addr_show(struct kobject *kobject, struct kobj_attribute *attribute,
			 char *buffer)
{
	return sysfs_emit(buffer, "0x%lx\n", to_directory(kobject)->description.address);
}

static struct kobj_attribute name = __ATTR_RO(name);
static struct kobj_attribute dfl_val = __ATTR_RO(dfl_val);
static struct kobj_attribute rsvd_msk = __ATTR_RO(rsvd_msk);
static struct kobj_attribute width = __ATTR_RO(width);
static struct kobj_attribute addr = __ATTR_RO(addr);

static struct attribute *register_attrs[] = {
	&name.attr, &dfl_val.attr, &rsvd_msk.attr, &width.attr, &addr.attr, NULL,
};
ATTRIBUTE_GROUPS(register);

static void free_directory(struct kobject *kobject)
{
	kfree_const(to_directory(kobject)->description.name);
	kfree(to_directory(kobject));
}

static const struct kobj_type register_type = {
	.release = free_directory,
	.sysfs_ops = &kobj_sysfs_ops,
	.default_groups = register_groups,
};

/* The directory of a PMU; freed after the last file in it is closed. */
struct pfm_pmu_directory {
	struct kobject kobject;
	struct list_head registers; /* directories of its registers */
	char *model;
	const struct pfm_pmu *pmu; /* stays registered as long as the files are in sysfs */
};

static struct pfm_pmu_directory *to_pmu_directory(struct kobject *kobject)
{
	return container_of(kobject, struct pfm_pmu_directory, kobject);
}

static ssize_t model_show(struct kobject *kobject, struct kobj_attribute *attribute,
			  char *buffer)
{
	return sysfs_emit(buffer, "%s\n", to_pmu_directory(kobject)->model);
}

static ssize_t scope_show(struct kobject *kobject, struct kobj_attribute *attribute,
			  char *buffer)
{
	return sysfs_emit(buffer, "%s\n", to_pmu_directory(kobject)->pmu->scope ?: "cpu");
}

/* The owners of the registers: a system-wide context can be bound only to one of these CPUs. */
static ssize_t owner_cpus_show(struct kobject *kobject, struct kobj_attribute *attribute,
			       char *buffer)
{
	const struct pfm_pmu *pmu = to_pmu_directory(kobject)->pmu;
	cpumask_var_t owners;
	ssize_t length;
	int cpu;

	if (!zalloc_cpumask_var(&owners, GFP_KERNEL))
		return -ENOMEM;
	cpus_read_lock();
	for_each_cpu_and(cpu, &pmu->cpus, cpu_online_mask)
		if (pfm_scope_owner(pmu, cpu) == cpu)
			cpumask_set_cpu(cpu, owners);
	cpus_read_unlock();
	length = sysfs_emit(buffer, "%*pbl\n", cpumask_pr_args(owners));
	free_cpumask_var(owners);
	return length;
}

static struct kobj_attribute model = __ATTR_RO(model);
static struct kobj_attribute scope = __ATTR_RO(scope);
static struct kobj_attribute owner_cpus = __ATTR_RO(owner_cpus);

static struct attribute *pmu_attrs[] = { &model.attr, &scope.attr, &owner_cpus.attr,
					 NULL };
ATTRIBUTE_GROUPS(pmu);

static void free_pmu_directory(struct kobject *kobject)
{
	kfree(to_pmu_directory(kobject)->model);
	kfree(to_pmu_directory(kobject));
}

static const struct kobj_type pmu_type = {
	.release = free_pmu_directory,
	.sysfs_ops = &kobj_sysfs_ops,
	.default_groups = pmu_groups,
};

static int add_register(struct pfm_pmu_directory *pmu,
			const struct pfm_register *description, const char *kind,
			unsigned int n)
{
	struct register_directory *directory;
	int error;

	directory = kzalloc(sizeof(*directory), GFP_KERNEL);
	if (!directory)
		return -ENOMEM;
	directory->description = *description;
	directory->description.name = kstrdup_const(description->name, GFP_KERNEL);
	list_add(&directory->node, &pmu->registers);
	error = kobject_init_and_add(&directory->kobject,
				     (struct kobj_type *)&register_type, &pmu->kobject,
				     "%s%u", kind, n);
	return directory->description.name ? error : -ENOMEM;
}

static int add_registers(struct pfm_pmu_directory *pmu,
			 const struct pfm_register *descriptions, unsigned int count,
			 const char *kind)
{
	unsigned int n;
	int error = 0;

	for (n = 0; n < count && !error; n++)
		if (descriptions[n].name)
			error = add_register(pmu, &descriptions[n], kind, n);
	return error;
}

static int add_virtual(struct pfm_pmu_directory *directory, const struct pfm_pmu *pmu)
{
	unsigned int n;
	int error = 0;
	u64 rest;

	pfm_for_each_bit(n, rest, pfm_virtual_pmds(pmu)) {
		struct pfm_register description = {
			.name = pfm_virtual_name(pmu, PFM_VIRTUAL_PMD_BASE + n),
			.width = 64,
		};

		error = add_register(directory, &description, "pmd",
				     PFM_VIRTUAL_PMD_BASE + n);
		if (error)
			break;
	}
	return error;
}

int pfm_sysfs_add_pmu(struct pfm_pmu *pmu)
{
	struct pfm_pmu_directory *directory = kzalloc(sizeof(*directory), GFP_KERNEL);
	int error;

	if (!directory)
		return -ENOMEM;
	INIT_LIST_HEAD(&directory->registers);
	directory->model = kstrdup(pmu->model, GFP_KERNEL);
	directory->pmu = pmu;
	pmu->directory = directory;
	error = kobject_init_and_add(&directory->kobject, (struct kobj_type *)&pmu_type,
				     pmus, "%s", pmu->name)
			?: add_registers(directory, pmu->pmcs, pmu->pmc_count, "pmc")
			?: add_registers(directory, pmu->pmds, pmu->pmd_count, "pmd")
			?: add_virtual(directory, pmu);
	if (!error && !directory->model)
		error = -ENOMEM;
	if (error)
		pfm_sysfs_remove_pmu(pmu);
	return error;
}

void pfm_sysfs_remove_pmu(struct pfm_pmu *pmu)
{
	struct pfm_pmu_directory *directory = pmu->directory;
	struct register_directory *one, *next;

	list_for_each_entry_safe(one, next, &directory->registers, node) {
		list_del(&one->node);
		kobject_put(&one->kobject);
	}
	kobject_put(&directory->kobject);
}

/* Make pmu_desc a link to the directory of @pmu.  Programs written for perfmon2 read it. */
int pfm_sysfs_set_default_pmu(const struct pfm_pmu *pmu)
{
	sysfs_remove_link(root, "pmu_desc");
	return pmu ? sysfs_create_link(root, &pmu->directory->kobject, "pmu_desc") : 0;
}
