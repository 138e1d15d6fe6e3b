// SPDX-License-Identifier: GPL-2.0-only
/*
 * Records which functions of our modules are called, for tests/mutants.
 *
 * The modules are compiled with -finstrument-functions, so each of their functions first calls
 * __cyg_profile_func_enter(), with its own address. Inlined functions do so, too. To read
 * /proc/perfmon_reached prints the names of all functions that were called since the last write to
 * this file.
 */
#include <linux/hash.h>
#include <linux/kallsyms.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/proc_fs.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#define TABLE_BITS 13
#define TABLE_SIZE (1 << TABLE_BITS)
#define NAMES_SIZE (128 << 10)

void __cyg_profile_func_enter(void *function, void *caller);
void __cyg_profile_func_exit(void *function, void *caller);

/* A hash table of addresses. 0 is a free entry. Any context may add an entry, even an NMI. */
static unsigned long table[TABLE_SIZE];

static DEFINE_MUTEX(names_lock);
/* The names of functions, with a space before the first name and after each name. */
static char names[NAMES_SIZE] = " ";
static size_t names_length = 1;

/* Add @function to the table. Do nothing if the table is full. */
void __cyg_profile_func_enter(void *function, void *caller)
{
	unsigned long address = (unsigned long)function, old;
	unsigned int start = hash_long(address, TABLE_BITS), i;

	for (i = 0; i < TABLE_SIZE; i++) {
		unsigned long *entry = &table[(start + i) % TABLE_SIZE];

		old = READ_ONCE(*entry);
		if (!old)
			old = cmpxchg(entry, 0, address);
		if (!old || old == address)
			return;
	}
}
EXPORT_SYMBOL_GPL(__cyg_profile_func_enter);

void __cyg_profile_func_exit(void *function, void *caller)
{
}
EXPORT_SYMBOL_GPL(__cyg_profile_func_exit);

static void add_name(unsigned long address)
{
	char name[KSYM_SYMBOL_LEN + 3];
	size_t length;

	name[0] = ' ';
	sprint_symbol_no_offset(name + 1, address);
	/* The module's name follows the function's name. A dot begins the compiler's suffix. */
	length = 1 + strcspn(name + 1, " .");
	strscpy(name + length, " ", sizeof(name) - length);
	if (strstr(names, name))
		return;
	if (WARN_ON_ONCE(names_length + length + 1 > sizeof(names)))
		return;
	strscpy(names + names_length, name + 1, sizeof(names) - names_length);
	names_length += length;
}

/*
 * Replace the table's addresses with names. A function that is called meanwhile may be added to the
 * table again.
 */
static void find_names(void)
{
	unsigned int i;

	lockdep_assert_held(&names_lock);
	for (i = 0; i < TABLE_SIZE; i++) {
		unsigned long address = READ_ONCE(table[i]) ? xchg(&table[i], 0) : 0;

		if (address)
			add_name(address);
	}
}

/* The addresses are valid only as long as the module's code is there. */
static int module_changes(struct notifier_block *block, unsigned long state, void *module)
{
	if (state == MODULE_STATE_LIVE || state == MODULE_STATE_GOING) {
		mutex_lock(&names_lock);
		find_names();
		mutex_unlock(&names_lock);
	}
	return NOTIFY_OK;
}

static struct notifier_block module_notifier = {
	.notifier_call = module_changes,
	/* Before kallsyms forgets the symbols. */
	.priority = INT_MAX,
};

static ssize_t names_read(struct file *file, char __user *buffer, size_t size,
			  loff_t *offset)
{
	ssize_t result;

	mutex_lock(&names_lock);
	if (!*offset)
		find_names();
	result = simple_read_from_buffer(buffer, size, offset, names, names_length);
	mutex_unlock(&names_lock);
	return result;
}

static ssize_t names_clear(struct file *file, const char __user *buffer, size_t size,
			   loff_t *offset)
{
	mutex_lock(&names_lock);
	find_names();
	strscpy(names, " ", sizeof(names));
	names_length = 1;
	mutex_unlock(&names_lock);
	return size;
}

static const struct proc_ops names_ops = {
	.proc_read = names_read,
	.proc_write = names_clear,
};

static int __init reached_init(void)
{
	int error = register_module_notifier(&module_notifier);

	if (error)
		return error;
	if (!proc_create("perfmon_reached", 0600, NULL, &names_ops)) {
		unregister_module_notifier(&module_notifier);
		return -ENOMEM;
	}
	/* Stay when the other modules are removed: modprobe -r removes unused dependencies, too. */
	__module_get(THIS_MODULE);
	return 0;
}
module_init(reached_init);

MODULE_DESCRIPTION("Records which functions of perfmon's modules are called");
MODULE_LICENSE("GPL");
