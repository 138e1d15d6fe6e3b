/* SPDX-License-Identifier: GPL-2.0-only */
/* Add up samples by location: a tree of functions, threads, ... */
#ifndef PFMON_TREE_H
#define PFMON_TREE_H

#include "symbols.h"
#include "threads.h"

/**
 * struct key - samples with equal keys are added up; a field that is not used is zero
 * @event: event
 * @object: program, library, ...
 * @symbol: function
 * @offset: offset in @object, or an address, where no function is known
 * @thread: thread
 * @program: name of a program, NULL if it is not known; equal names have the same address
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
 * struct node - samples that were added up
 * @key: their key
 * @parent: the node that this is a part of
 * @first_child: its first part, 0 if it has none
 * @next: the next part of the same parent, 0 if it is the last
 * @child_count: number of its parts
 * @samples: number of samples of the node and its parts
 * @period: number of events that @samples stand for
 * @self: number of samples of the node itself, without its parts
 * @next_of_hash: the next node in the same place of the hash table, 0 if it is the last
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
 * @nodes: by number
 * @count: number of @nodes
 * @table: hash table; its number of places is a power of two
 * @places: number of places of @table
 */
struct tree {
	struct node *nodes;
	size_t count;
	node_number *table;
	size_t places;
};

/* Returns -1 if there is no memory, else 0; the caller calls tree_free() in any case. */
int tree_make(struct tree *tree);
void tree_free(struct tree *tree);

/*
 * Returns the part of @parent with @key, and creates it if there is none; 0 if there is
 * no memory.
 */
node_number tree_child(struct tree *tree, node_number parent, const struct key *key);

/*
 * Add @samples and @period to node @number, to all nodes that it is a part of, and to the
 * root.
 */
void tree_count(struct tree *tree, node_number number, uint64_t samples, uint64_t period);

/*
 * Returns a number less than, equal to or greater than 0 if @a comes before, with or
 * after @b.
 */
typedef int (*node_order)(const struct node *a, const struct node *b);

/*
 * Returns the parts of @parent in @order, an array of child_count elements that the
 * caller frees. Returns NULL if there is no memory.
 */
const struct node **tree_children(const struct tree *tree, node_number parent,
				  node_order order);

static inline node_number tree_number(const struct tree *tree, const struct node *node)
{
	return (node_number)(node - tree->nodes);
}

#endif
