// SPDX-License-Identifier: GPL-2.0-only
/* Names of threads. */
#include <stdlib.h>
#include <string.h>

#include "../common/array.h"
#include "threads.h"

static int compare_comms(const void *one, const void *other)
{
	const struct recorded_thread *a = one, *b = other;

	return strcmp(a->comm, b->comm);
}

static int compare_times(const void *one, const void *other)
{
	const struct data_thread *a = ((const struct recorded_thread *)one)->thread;
	const struct data_thread *b = ((const struct recorded_thread *)other)->thread;

	if (a->tid != b->tid)
		return a->tid < b->tid ? -1 : 1;
	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return (a > b) - (a < b); /* position in the file */
}

static int read_contexts(struct thread_names *names)
{
	for (size_t i = 0; i < names->count; i++) {
		uint32_t context = names->names[i].thread->context;
		size_t *first;

		if (context >= DATA_MAX_CONTEXTS)
			continue;
		first = array_reach(&names->of_context, &names->context_count, context,
				    sizeof(*first));
		if (!first)
			return -1;
		if (!*first)
			*first = i + 1;
	}
	return 0;
}

/*
 * Returns the index of the first name that @tid got after @time. If there is no such name, returns
 * the index at which a new name of @tid would be inserted.
 */
static size_t names_until(const struct thread_names *names, uint32_t tid, uint64_t time)
{
	size_t low = 0, high = names->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct data_thread *thread = names->names[middle].thread;

		if (thread->tid < tid || (thread->tid == tid && thread->time <= time))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * Returns the name of @tid at @time: the last name that the thread got between its beginning and
 * @time. If it got none, returns the name that it began with. If that name is not known either,
 * returns the first name that @tid got after @time, because pfmon may read a name late.
 */
static const char *name_at(const struct thread_names *names, uint32_t tid, uint64_t time)
{
	size_t until = names_until(names, tid, time);
	const struct recorded_thread *name = &names->names[until];
	long fork = forks_find(&names->forks, tid, time);

	if (until && name[-1].thread->tid == tid &&
	    (fork < 0 || name[-1].thread->time >= names->forks.list[fork]->time))
		return name[-1].comm;
	if (fork >= 0 && names->inherited[fork])
		return names->inherited[fork];
	return until < names->count && name->thread->tid == tid ? name->comm : NULL;
}

static int compare_forks(const void *one, const void *other, void *data)
{
	const struct forks *forks = data;
	size_t a = *(const size_t *)one, b = *(const size_t *)other;

	if (forks->list[a]->time != forks->list[b]->time)
		return forks->list[a]->time < forks->list[b]->time ? -1 : 1;
	return (a > b) - (a < b);
}

/*
 * For each thread, find the name that it began with, which is the name that its parent had at that
 * time. The loop takes the threads in the order in which they began, so the name of a parent is
 * known before the names of its children.
 */
static int inherit_names(struct thread_names *names)
{
	const struct forks *forks = &names->forks;
	size_t *order = calloc(forks->count + 1, sizeof(*order));

	names->inherited = calloc(forks->count + 1, sizeof(*names->inherited));
	for (size_t i = 0; order && i < forks->count; i++)
		order[i] = i;
	if (order)
		qsort_r(order, forks->count, sizeof(*order), compare_forks,
			(void *)forks);
	for (size_t i = 0; order && names->inherited && i < forks->count; i++) {
		const struct data_fork *fork = forks->list[order[i]];

		names->inherited[order[i]] = name_at(names, fork->parent_tid, fork->time);
	}
	free(order);
	return order && names->inherited ? 0 : -1;
}

int thread_names_make(struct thread_names *names, const struct recording *recording)
{
	size_t count = recording->thread_count;
	struct recorded_thread *all = calloc(count + 1, sizeof(*all));

	*names = (struct thread_names){ .names = all, .count = count };
	if (!all)
		return -1;
	for (size_t i = 0; i < count; i++)
		all[i] = recording->threads[i];
	qsort(all, count, sizeof(*all), compare_comms);
	for (size_t i = 1; i < count; i++)
		if (!compare_comms(&all[i - 1], &all[i]))
			all[i].comm = all[i - 1].comm;
	qsort(all, count, sizeof(*all), compare_times);
	if (forks_make(&names->forks, recording) || inherit_names(names))
		return -1;
	return read_contexts(names);
}

void thread_names_free(struct thread_names *names)
{
	free(names->names);
	free(names->of_context);
	free(names->inherited);
	forks_free(&names->forks);
	*names = (struct thread_names){ 0 };
}

struct named_thread thread_names_find(const struct thread_names *names,
				      const struct sample *sample)
{
	struct named_thread thread = { .tid = sample->tid };

	if (!thread.tid && sample->context < names->context_count &&
	    names->of_context[sample->context])
		thread.tid =
			names->names[names->of_context[sample->context] - 1].thread->tid;
	else if (!thread.tid)
		thread.tid = sample->tgid;
	thread.comm = name_at(names, thread.tid, sample->time);
	return thread;
}
