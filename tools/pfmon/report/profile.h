/* SPDX-License-Identifier: GPL-2.0-only */
/* Make a profile of a recording. */
#ifndef PFMON_PROFILE_H
#define PFMON_PROFILE_H

#include "tree.h"

/* Keys by which samples are added up. */
enum sort_key {
	SORT_SYMBOL,
	SORT_OBJECT,
	SORT_THREAD,
	SORT_KEYS,
};

/**
 * struct profile_options - what the user wants
 * @sort: by what
 * @sort_count: number of keys; 0: add up stacks, from the thread's name to the innermost
 *	function
 * @has_callers: below each entry its callers
 * @event: only this one; NULL for all
 * @demangles: functions have the names of their sources
 */
struct profile_options {
	enum sort_key sort[SORT_KEYS];
	unsigned int sort_count;
	bool has_callers;
	const char *event;
	bool demangles;
};

/**
 * struct profile - samples added up
 * @recording: of what
 * @options: how
 * @tree: the root's children are the events that have samples, their children are the
 *	entries, and below these are callers
 * @symbols: functions
 * @names: of threads
 * @samples: number of all samples, including those of events that are not wanted
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

/* Reports an error and returns -1, or returns 0; the caller frees it in any case. */
int profile_make(struct profile *profile, const struct recording *recording,
		 const struct profile_options *options);
void profile_free(struct profile *profile);

/* Returns the node of @event, NULL if it has no samples. */
const struct node *profile_event(const struct profile *profile,
				 const struct recorded_event *event);

/* Is @event wanted? */
bool profile_wants(const struct profile *profile, const struct recorded_event *event);

/*
 * The share of @node in @event, in percent: by periods, or by samples if there are no
 * periods.
 */
double profile_percent(const struct node *event, const struct node *node);

/* Sort by share of the event, the greatest first, then by name. */
int profile_order(const struct node *a, const struct node *b);

/*
 * Text for a function: its name, or else object and offset, or else the address.  Returns
 * the name itself, or @text, of LABEL_SIZE characters.
 */
#define LABEL_SIZE 160
const char *label_symbol(const struct key *key, char text[LABEL_SIZE]);

/* "libc.so.6", "[kernel]", "[unknown]". */
const char *label_object(const struct key *key);

/* "name (thread)". */
const char *label_thread(const struct key *key, char text[LABEL_SIZE]);

#endif
