// SPDX-License-Identifier: GPL-2.0-only
/* Print a profile as stacks, for scripts that make flame graphs. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <perfmon/perfmon_callchain.h>

#include "report_folded.h"

/*
 * Maximum depth of a stack: one level for the thread, the others for the functions of the program
 * and of the kernel.
 */
#define MAX_DEPTH (1 + 2 * PFM_CALLCHAIN_MAX_DEPTH)

/* A stack: the nodes from the thread to the innermost function. */
struct stack {
	const struct node *nodes[MAX_DEPTH];
	size_t depth;
};

/* Semicolons separate names, so a semicolon in a name is printed as a colon. */
static void print_name(FILE *file, const char *name)
{
	for (; *name; name++)
		putc(*name == ';' ? ':' : *name, file);
}

static void print_thread(FILE *file, const struct named_thread *thread)
{
	if (thread->comm && *thread->comm)
		print_name(file, thread->comm);
	else
		fprintf(file, ":%" PRIu32, thread->tid);
}

static const char *function_name(const struct key *key)
{
	return key->symbol ? key->symbol->name : label_object(key);
}

/* Print the name of a function. If it is not known, print the name of the object in brackets. */
static void print_function(FILE *file, const struct key *key)
{
	const char *name = function_name(key);
	bool is_bare = !key->symbol && *name != '[';

	fputs(is_bare ? "[" : "", file);
	print_name(file, name);
	fputs(is_bare ? "]" : "", file);
}

static void print_stack(FILE *file, const struct stack *stack)
{
	print_thread(file, &stack->nodes[0]->key.thread);
	for (size_t i = 1; i < stack->depth; i++) {
		putc(';', file);
		print_function(file, &stack->nodes[i]->key);
	}
	fprintf(file, " %" PRIu64 "\n", stack->nodes[stack->depth - 1]->self);
}

/* Order by name, so that the order of the lines does not depend on the counts. */
static int by_name(const struct node *a, const struct node *b)
{
	char one[LABEL_SIZE], other[LABEL_SIZE];
	int order = strcmp(label_thread(&a->key, one), label_thread(&b->key, other));

	if (!order)
		order = strcmp(function_name(&a->key), function_name(&b->key));
	return order;
}

static int print_below(FILE *file, const struct tree *tree, const struct node *node,
		       struct stack *stack)
{
	const struct node **children =
		tree_children(tree, tree_number(tree, node), by_name);
	int result = 0;

	if (!children)
		return -1;
	for (size_t i = 0; !result && i < node->child_count; i++) {
		stack->nodes[stack->depth++] = children[i];
		if (children[i]->self)
			print_stack(file, stack);
		result = print_below(file, tree, children[i], stack);
		stack->depth--;
	}
	free(children);
	return result;
}

int report_folded(FILE *file, const struct profile *profile)
{
	const struct recording *recording = profile->recording;
	struct stack stack = { .depth = 0 };

	for (size_t i = 0; i < recording->event_count; i++) {
		const struct node *event = profile_event(profile, &recording->events[i]);

		if (event && print_below(file, &profile->tree, event, &stack))
			return -1;
	}
	return 0;
}
