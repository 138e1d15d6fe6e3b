/* SPDX-License-Identifier: GPL-2.0-only */
/* Add up samples in a tree of events, functions, threads and so on. */
#ifndef PFMON_TREE_H
#define PFMON_TREE_H

#include "symbols.h"
#include "threads.h"

/**
 * struct key - what the samples of a node have in common. Samples with equal keys are added up. A
 *	field that is not used is zero
 * @event: event
 * @object: program, library or part of the kernel
 * @symbol: function
 * @offset: offset in @object, or the address if @object is NULL; used only if the function is not
 *	known
 * @thread: thread
 * @program: name of a program; NULL if the name is not known. Equal names have the same pointer
 * @cpu: CPU
 * @is_kernel: the location is in the kernel
 * @has_offset: @offset is used
 */
struct key {
	const struct recorded_event *event;
	const struct object *object;
	const struct symbol *symbol;
	uint64_t offset;
	struct named_thread thread;
	const char *program;
	uint32_t cpu;
	bool is_kernel;
	bool has_offset;
};

/* Index of a node; 0 is the root. */
typedef size_t node_number;

/**
 * struct node - the sum of some samples
 * @key: the key of these samples
 * @parent: number of the parent
 * @first_child: number of the first child, 0 if there are no children
 * @next: number of the parent's next child, 0 if this node is the last child
 * @child_count: number of children
 * @samples: number of samples of the node and its descendants
 * @period: number of events that @samples stand for
 * @self: number of samples of the node itself, without its descendants
 * @next_of_hash: number of the next node in the same bucket of the hash table, 0 if this node is
 *	the last one
 */
struct node {
	struct key key;
	node_number parent;
	node_number first_child;
	node_number next;
	size_t child_count;
	uint64_t samples;
	uint64_t period;
	uint64_t self;
	node_number next_of_hash;
};

/**
 * struct tree - all nodes
 * @nodes: the nodes; the index of a node is its number
 * @count: number of @nodes
 * @table: hash table: for each bucket, the number of its first node; 0 if the bucket is empty
 * @buckets: number of buckets in @table, a power of two
 */
struct tree {
	struct node *nodes;
	size_t count;
	node_number *table;
	size_t buckets;
};

/* Returns -1 if there is no memory, else 0; the caller calls tree_free() in any case. */
int tree_make(struct tree *tree);
void tree_free(struct tree *tree);

/*
 * Returns the child of @parent with the key @key. Creates the child if @parent has no such child.
 * Returns 0 if there is no memory.
 */
node_number tree_child(struct tree *tree, node_number parent, const struct key *key);

/* Add @samples and @period to node @number and to all its ancestors up to the root. */
void tree_count(struct tree *tree, node_number number, uint64_t samples, uint64_t period);

/*
 * Returns a number less than 0 if @a comes before @b, 0 if both are equal, and a number greater
 * than 0 if @a comes after @b.
 */
typedef int (*node_order)(const struct node *a, const struct node *b);

/*
 * Returns an array of the children of @parent, sorted by @order. The caller frees the array. It has
 * as many elements as @parent has children (node.child_count). Returns NULL if there is no memory.
 */
const struct node **tree_children(const struct tree *tree, node_number parent,
				  node_order order);

static inline node_number tree_number(const struct tree *tree, const struct node *node)
{
	return (node_number)(node - tree->nodes);
}

#endif
