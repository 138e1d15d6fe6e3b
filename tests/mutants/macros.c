// SPDX-License-Identifier: GPL-2.0-only
/*
 * Mutation operators for macros: errno values, ordered accesses, numbers in definitions. This file
 * also has the names of barriers and locks.
 */
#include <stdlib.h>
#include <string.h>

#include "source.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static bool is_one_of(const struct text *text, struct range name,
		      const char *const *words, size_t count)
{
	while (count--)
		if (token_is(text, name, words[count]))
			return true;
	return false;
}

bool is_barrier(const struct text *text, struct range name)
{
	static const char *const barriers[] = {
		"barrier",
		"mb",
		"rmb",
		"wmb",
		"smp_mb",
		"smp_rmb",
		"smp_wmb",
		"smp_mb__before_atomic",
		"smp_mb__after_atomic",
		"isb",
		"dsb",
		"dmb",
		"isync",
		"synchronize_rcu",
		"synchronize_rcu_tasks",
		"synchronize_irq",
		"tracepoint_synchronize_unregister",
		"__atomic_thread_fence",
	};

	return is_one_of(text, name, barriers, COUNT(barriers));
}

/*
 * Ordered accesses, and their plain forms. READ_ONCE() and WRITE_ONCE() are not replaced by plain
 * accesses, because no test can show whether they are missing.
 */
static const struct {
	const char *name;
	unsigned int arguments;
	const char *before, *between, *after;
} accesses[] = {
	{ "smp_load_acquire", 1, "(*(", "))", "" },
	{ "smp_store_release", 2, "(*(", ") = (", "))" },
	{ "rcu_dereference", 1, "(", ")", "" },
	{ "rcu_assign_pointer", 2, "((", ") = (", "))" },
	{ "__atomic_load_n", 2, "(*(", "))", NULL },
	{ "__atomic_store_n", 3, "(*(", ") = (", "))" },
};

bool is_access(const struct text *text, struct range name)
{
	size_t i;

	for (i = 0; i < COUNT(accesses); i++)
		if (token_is(text, name, accesses[i].name))
			return true;
	return false;
}

bool is_errno(const struct text *text, struct range name)
{
	int number;

	for (number = 1; number < 200; number++) {
		const char *known = strerrorname_np(number);

		if (known && token_is(text, name, known))
			return true;
	}
	return false;
}

static const struct {
	const char *take, *release;
} locks[] = {
	{ "mutex_lock", "mutex_unlock" },
	{ "mutex_lock_nested", "mutex_unlock" },
	{ "spin_lock", "spin_unlock" },
	{ "spin_lock_irq", "spin_unlock_irq" },
	{ "spin_lock_irqsave", "spin_unlock_irqrestore" },
	{ "raw_spin_lock", "raw_spin_unlock" },
	{ "raw_spin_lock_irq", "raw_spin_unlock_irq" },
	{ "raw_spin_lock_irqsave", "raw_spin_unlock_irqrestore" },
	{ "read_lock", "read_unlock" },
	{ "write_lock", "write_unlock" },
	{ "down_read", "up_read" },
	{ "down_write", "up_write" },
	{ "mmap_read_lock", "mmap_read_unlock" },
	{ "mmap_write_lock", "mmap_write_unlock" },
	{ "cpus_read_lock", "cpus_read_unlock" },
	{ "rcu_read_lock", "rcu_read_unlock" },
	{ "rcu_read_lock_sched", "rcu_read_unlock_sched" },
	{ "local_irq_save", "local_irq_restore" },
	{ "local_irq_disable", "local_irq_enable" },
	{ "local_bh_disable", "local_bh_enable" },
	{ "preempt_disable", "preempt_enable" },
	{ "preempt_disable_notrace", "preempt_enable_notrace" },
	{ "migrate_disable", "migrate_enable" },
	{ "get_cpu", "put_cpu" },
	{ "pthread_mutex_lock", "pthread_mutex_unlock" },
};

bool lock_find(const struct text *text, const struct call *call, struct lock *lock)
{
	size_t i;

	lock->argument = call->arguments[0];
	for (i = 0; i < COUNT(locks); i++) {
		if (token_is(text, call->name, locks[i].take)) {
			lock->name = locks[i].take;
			lock->release = locks[i].release;
			return true;
		}
		if (token_is(text, call->name, locks[i].release)) {
			lock->name = locks[i].release;
			lock->release = NULL;
			return true;
		}
	}
	return false;
}

/* Replaces an ordered access by a plain one. */
void mutate_access(struct source *source, struct range range)
{
	const struct text *text = &source->text;
	char *first, *second;
	struct call call;
	size_t i;

	if (!range_is_call(text, range, &call))
		return;
	for (i = 0; i < COUNT(accesses); i++) {
		if (!token_is(text, call.name, accesses[i].name) ||
		    call.count != accesses[i].arguments)
			continue;
		first = range_squeeze(text, call.arguments[0]);
		second = call.count > 1 && accesses[i].after
				 ? range_squeeze(text, call.arguments[1])
				 : format("%s", "");
		mutant_add(source, "barrier", range,
			   format("%s%s%s%s%s", accesses[i].before, first,
				  accesses[i].between, second,
				  accesses[i].after ? accesses[i].after : ""));
		free(first);
		free(second);
	}
}

static void change_errno(struct source *source, struct range name)
{
	bool is_einval = token_is(&source->text, name, "EINVAL");

	mutant_add(source, "errno", name, format("%s", is_einval ? "EPERM" : "EINVAL"));
}

/*
 * Changes the numbers in a macro's definition. They cannot be changed where the macro is used,
 * because the file has only the macro's name there.
 */
static void definition(struct source *source, struct range range)
{
	const struct text *text = &source->text;
	struct range token;
	char *number, *from;

	from = range_squeeze(text, range);
	/* Skip the name. */
	if (!token_first(text, range, &token))
		return;
	range.start = token.end;
	for (; token_first(text, range, &token); range.start = token.end) {
		char byte = text->bytes[token.start];

		if (byte < '0' || byte > '9')
			continue;
		number = range_copy(text, token);
		mutant_add_named(source, "constant", token,
				 strtoull(number, NULL, 0) ? format("(%s + 1)", number)
							   : format("1"),
				 format("%s", from), NULL);
		free(number);
	}
	free(from);
}

void mutate_macro(struct source *source, CXCursor cursor)
{
	struct range range, name;

	if (!source_range(source, cursor, &range) ||
	    !token_first(&source->text, range, &name))
		return;
	if (clang_getCursorKind(cursor) == CXCursor_MacroDefinition)
		definition(source, range);
	else if (name.end == range.end && is_errno(&source->text, name))
		change_errno(source, name);
	else
		mutate_access(source, range);
}
