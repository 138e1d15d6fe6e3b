/* SPDX-License-Identifier: GPL-2.0-only */
/* Make a profile of a recording. */
#ifndef PFMON_PROFILE_H
#define PFMON_PROFILE_H

#include "tree.h"

/* Sort keys. Samples with the same values of the chosen keys are added up. */
enum sort_key {
	SORT_SYMBOL,
	SORT_OBJECT,
	SORT_THREAD,
	SORT_PROGRAM,
	SORT_CPU,
	SORT_KEYS,
};

/**
 * struct profile_options - the user's choices
 * @sort: sort keys. If samples have the same values of all these keys, they are added up
 * @sort_count: number of keys in @sort; 0: add up whole stacks. A stack begins with the thread's
 *	name and ends with the innermost function
 * @has_callers: show the callers of each entry, below the entry
 * @counts_processes: below each entry of the tree, add a node for each process that has samples in
 *	this entry. In this node, key.thread.tid is the number of the process
 * @event: name of the only event to show; NULL: show all events
 * @demangles: show the names that functions have in the source
 * @earlier: objects of an earlier profile, see objects_take_over(); NULL: there is no earlier
 *	profile
 */
struct profile_options {
	enum sort_key sort[SORT_KEYS];
	unsigned int sort_count;
	bool has_callers;
	bool counts_processes;
	const char *event;
	bool demangles;
	struct object_list *earlier;
};

/**
 * struct profile - the samples of a recording, added up
 * @recording: the recording with the samples
 * @options: the user's choices
 * @tree: the root's children are the events that have samples. An event's children are its entries,
 *	and an entry's children are its callers or its processes. Without sort keys, an event's
 *	children are threads, and below each thread are its stacks
 * @symbols: functions
 * @names: names of threads
 * @samples: number of all samples, including those of events that are not shown
 * @has_chains: the recording has call chains
 */
struct profile {
	const struct recording *recording;
	const struct profile_options *options;
	struct tree tree;
	struct symbols symbols;
	struct thread_names names;
	uint64_t samples;
	bool has_chains;
};

/* Returns 0, or -1 after reporting an error. The caller calls profile_free() in any case. */
int profile_make(struct profile *profile, const struct recording *recording,
		 const struct profile_options *options);
void profile_free(struct profile *profile);

/*
 * Returns true if the user sorts by symbol, by object or by both. In other cases, the entries can
 * be found without the mappings.
 */
bool profile_needs_objects(const struct profile_options *options);

/* Returns the node of @event, or NULL if @event has no samples. */
const struct node *profile_event(const struct profile *profile,
				 const struct recorded_event *event);

/* Returns whether @event is to be shown. */
bool profile_wants(const struct profile *profile, const struct recorded_event *event);

/*
 * Returns the share of @event that belongs to @node, in percent. The share is computed from the
 * sums of periods or, if there are no periods, from the numbers of samples.
 */
double profile_percent(const struct node *event, const struct node *node);

/*
 * Compare two nodes for tree_children(). The node with the greater share of the event comes first.
 * Nodes with equal shares are sorted by name.
 */
int profile_order(const struct node *a, const struct node *b);

/*
 * Returns a text for a function. If the name of the function is known, returns a pointer to the
 * name itself. Otherwise returns @text, which then contains the object and the offset. If the
 * object is not known either, @text contains the address.
 */
#define LABEL_SIZE 160
const char *label_symbol(const struct key *key, char text[LABEL_SIZE]);

/* Returns a text for an object, such as "libc.so.6", "[kernel]" or "[unknown]". */
const char *label_object(const struct key *key);

/* Returns a text for a program: its name, or "[unknown]". */
const char *label_program(const struct key *key);

/* Stores the number of a CPU as text in @text, and returns @text. */
const char *label_cpu(const struct key *key, char text[LABEL_SIZE]);

/* Returns a text for a thread, of the form "name (number)". */
const char *label_thread(const struct key *key, char text[LABEL_SIZE]);

#endif
