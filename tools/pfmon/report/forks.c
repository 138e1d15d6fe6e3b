// SPDX-License-Identifier: GPL-2.0-only
/* Find out when threads began. */
#include <stdlib.h>

#include "forks.h"

static int compare(const void *one, const void *other)
{
	const struct data_fork *a = *(const struct data_fork *const *)one;
	const struct data_fork *b = *(const struct data_fork *const *)other;

	if (a->tid != b->tid)
		return a->tid < b->tid ? -1 : 1;
	return (a->time > b->time) - (a->time < b->time);
}

int forks_make(struct forks *forks, const struct recording *recording)
{
	size_t count = recording->fork_count;

	*forks = (struct forks){ .list = calloc(count + 1, sizeof(*forks->list)) };
	if (!forks->list)
		return -1;
	for (size_t i = 0; i < count; i++)
		forks->list[i] = recording->forks[i];
	qsort(forks->list, count, sizeof(*forks->list), compare);
	forks->count = count;
	return 0;
}

void forks_free(struct forks *forks)
{
	free(forks->list);
	*forks = (struct forks){ 0 };
}

long forks_find(const struct forks *forks, uint32_t tid, uint64_t time)
{
	size_t low = 0, high = forks->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct data_fork *fork = forks->list[middle];

		if (fork->tid < tid || (fork->tid == tid && fork->time <= time))
			low = middle + 1;
		else
			high = middle;
	}
	return low && forks->list[low - 1]->tid == tid ? (long)low - 1 : -1;
}
