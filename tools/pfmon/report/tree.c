// SPDX-License-Identifier: GPL-2.0-only
/* Add up samples in a tree of events, functions, threads and so on. */
#include <stdlib.h>

#include "../common/array.h"
#include "../common/sum.h"
#include "tree.h"

#define FIRST_BUCKETS 1024

int tree_make(struct tree *tree)
{
	*tree = (struct tree){ .buckets = FIRST_BUCKETS };
	tree->table = calloc(FIRST_BUCKETS, sizeof(*tree->table));
	if (!tree->table || !array_add(&tree->nodes, &tree->count, sizeof(*tree->nodes)))
		return -1;
	return 0;
}

void tree_free(struct tree *tree)
{
	free(tree->nodes);
	free(tree->table);
	*tree = (struct tree){ 0 };
}

static bool are_equal(const struct key *a, const struct key *b)
{
	return a->event == b->event && a->object == b->object && a->symbol == b->symbol &&
	       a->offset == b->offset && a->thread.tid == b->thread.tid &&
	       a->thread.comm == b->thread.comm && a->program == b->program &&
	       a->cpu == b->cpu && a->is_kernel == b->is_kernel &&
	       a->has_offset == b->has_offset;
}

/*
 * Mix @value into @hash. The multiplier is odd and its bits have no pattern, so the high bits of
 * the product depend on all bits of @hash and @value.
 */
static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * 0x9e3779b97f4a7c15ull;
	return hash ^ hash >> 32;
}

static size_t bucket_of(const struct tree *tree, node_number parent,
			const struct key *key)
{
	uint64_t hash = mix(0, parent);

	hash = mix(hash, (uintptr_t)key->event);
	hash = mix(hash, (uintptr_t)key->object);
	hash = mix(hash, (uintptr_t)key->symbol);
	hash = mix(hash, key->offset);
	hash = mix(hash, (uintptr_t)key->thread.comm);
	hash = mix(hash, key->thread.tid);
	hash = mix(hash, (uintptr_t)key->program);
	hash = mix(hash, key->cpu);
	return hash & (tree->buckets - 1);
}

static void insert(struct tree *tree, node_number number)
{
	struct node *node = &tree->nodes[number];
	node_number *bucket = &tree->table[bucket_of(tree, node->parent, &node->key)];

	node->next_of_hash = *bucket;
	*bucket = number;
}

/* Double the size of the hash table, because the tree has more nodes than the table has buckets. */
static int grow(struct tree *tree)
{
	size_t buckets = 2 * tree->buckets;
	node_number *table = calloc(buckets, sizeof(*table));

	if (!table)
		return -1;
	free(tree->table);
	tree->table = table;
	tree->buckets = buckets;
	for (node_number i = 1; i < tree->count; i++)
		insert(tree, i);
	return 0;
}

node_number tree_child(struct tree *tree, node_number parent, const struct key *key)
{
	node_number number = tree->table[bucket_of(tree, parent, key)];
	struct node *node;

	for (; number; number = node->next_of_hash) {
		node = &tree->nodes[number];
		if (node->parent == parent && are_equal(&node->key, key))
			return number;
	}
	if (tree->count > tree->buckets && grow(tree))
		return 0;
	number = tree->count;
	node = array_add(&tree->nodes, &tree->count, sizeof(*node));
	if (!node)
		return 0;
	node->key = *key;
	node->parent = parent;
	node->next = tree->nodes[parent].first_child;
	tree->nodes[parent].first_child = number;
	tree->nodes[parent].child_count++;
	insert(tree, number);
	return number;
}

void tree_count(struct tree *tree, node_number number, uint64_t samples, uint64_t period)
{
	struct node *node = &tree->nodes[number];

	node->self = sum(node->self, samples);
	for (;;) {
		node->samples = sum(node->samples, samples);
		node->period = sum(node->period, period);
		if (!number)
			break;
		number = node->parent;
		node = &tree->nodes[number];
	}
}

static int compare(const void *one, const void *other, void *order)
{
	const struct node *const *a = one, *const *b = other;

	return (*(node_order *)order)(*a, *b);
}

const struct node **tree_children(const struct tree *tree, node_number parent,
				  node_order order)
{
	size_t count = tree->nodes[parent].child_count, filled = 0;
	const struct node **children = calloc(count + 1, sizeof(*children));

	if (!children)
		return NULL;
	for (node_number i = tree->nodes[parent].first_child; i; i = tree->nodes[i].next)
		children[filled++] = &tree->nodes[i];
	qsort_r(children, count, sizeof(*children), compare, &order);
	return children;
}
