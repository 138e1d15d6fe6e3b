// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which events can be counted at once.  What an event needs in the PMCs depends on
 * its counter, and what counters are left depends on the others, so events are taken
 * in one by one: those before, and this one, are matched with counters anew, but each
 * only with such counters as need nothing that another one must have otherwise.
 */
#include <stdlib.h>
#include <string.h>

#include "agree.h"

/* What an event needs in the PMCs. */
struct needs {
	struct pmc_bits bits[MAX_PMCS_PER_EVENT];
	unsigned int count;
};

/**
 * struct table - the events that are to be counted at once
 * @pmu: by which they are encoded
 * @events: which
 * @wanted: the counters that they can use if they are alone
 * @choices: those that are left to them
 * @count: how many events there are
 */
struct table {
	const struct pmu *pmu;
	const struct event **events;
	struct choice *wanted;
	struct choice *choices;
	size_t count;
};

static void encode(const struct table *table, size_t event, uint16_t pmd,
		   struct needs *needs)
{
	needs->count = table->pmu->encode(table->pmu, table->events[event]->code,
					  table->events[event]->modes, pmd, needs->bits);
}

static const struct pmc_bits *find(const struct needs *needs, uint16_t pmc)
{
	for (unsigned int i = 0; i < needs->count; i++)
		if (needs->bits[i].pmc == pmc)
			return &needs->bits[i];
	return NULL;
}

/* Do they need different bits in a PMC?  Its number into @pmc. */
static bool clash(const struct needs *a, const struct needs *b, uint16_t *pmc)
{
	for (unsigned int i = 0; i < a->count; i++) {
		const struct pmc_bits *mine = &a->bits[i];
		const struct pmc_bits *other = find(b, mine->pmc);

		if (!other || !((mine->value ^ other->value) & mine->mask & other->mask))
			continue;
		*pmc = mine->pmc;
		return true;
	}
	return false;
}

/* What an event needs on each of the counters that are left to it. */
static void encode_always(const struct table *table, size_t event, struct needs *always)
{
	const struct choice *choice = &table->choices[event];
	struct needs needs;

	encode(table, event, choice->pmds[0], always);
	for (unsigned int i = 1; i < choice->count; i++) {
		encode(table, event, choice->pmds[i], &needs);
		for (unsigned int j = 0; j < always->count; j++) {
			struct pmc_bits *bits = &always->bits[j];
			const struct pmc_bits *here = find(&needs, bits->pmc);

			bits->mask &= here ? here->mask & ~(bits->value ^ here->value)
					   : 0;
		}
	}
}

/*
 * Take from @event the counters on which it clashes with what @other always needs.
 * If both have only the same one, that is for the matching to find out.
 */
static bool narrow_one(const struct table *table, size_t event, size_t other,
		       uint16_t *pmc)
{
	struct choice *choice = &table->choices[event];
	const struct choice *others = &table->choices[other];
	struct needs always, needs;
	unsigned int left = 0;

	encode_always(table, other, &always);
	for (unsigned int i = 0; i < choice->count; i++) {
		uint16_t pmd = choice->pmds[i];

		encode(table, event, pmd, &needs);
		if ((others->count == 1 && others->pmds[0] == pmd) ||
		    !clash(&needs, &always, pmc))
			choice->pmds[left++] = pmd;
	}
	if (left == choice->count)
		return false;
	choice->count = left;
	return true;
}

/*
 * Narrow the choices of all until nothing changes, since who has fewer counters left
 * needs more always.  Fails with the rival in @verdict if one has none left; it is
 * the last event that is to go, as the others were there before.
 */
static bool narrow(const struct table *table, struct verdict *verdict)
{
	size_t last = table->count - 1;
	bool is_changed;

	do {
		is_changed = false;
		for (size_t i = 0; i < table->count; i++) {
			for (size_t j = 0; j < table->count; j++) {
				if (i == j || !narrow_one(table, i, j, &verdict->pmc))
					continue;
				is_changed = true;
				if (table->choices[i].count)
					continue;
				verdict->rival = table->events[i == last ? j : i];
				return false;
			}
		}
	} while (is_changed);
	return true;
}

/* Whatever narrowing has not seen. */
static bool check(const struct table *table, const int *assigned, struct verdict *verdict)
{
	struct needs needs, others;

	for (size_t i = 0; i < table->count; i++) {
		encode(table, i, (uint16_t)assigned[i], &needs);
		for (size_t j = 0; j < i; j++) {
			encode(table, j, (uint16_t)assigned[j], &others);
			if (!clash(&needs, &others, &verdict->pmc))
				continue;
			verdict->rival = table->events[j];
			return false;
		}
	}
	return true;
}

/* Can all events of @table be counted at once?  If so, on these counters. */
static bool fit(const struct table *table, int *assigned, struct verdict *verdict)
{
	memcpy(table->choices, table->wanted, table->count * sizeof(*table->choices));
	for (size_t i = 0; i < table->count; i++)
		if (!table->choices[i].count)
			return false;
	return narrow(table, verdict) &&
	       !assign_counters(table->choices, table->count, assigned) &&
	       check(table, assigned, verdict);
}

/* Takes the events in one by one; @places has for each in the table its verdict. */
static void take_in(struct table *table, const struct event *const *events, size_t count,
		    const struct pfm_info *info, int *assigned, struct verdict **places,
		    struct verdict *verdicts)
{
	for (size_t i = 0; i < count; i++) {
		struct choice *wanted = &table->wanted[table->count];

		verdicts[i] = (struct verdict){ .pmd = NO_COUNTER };
		table->events[table->count] = events[i];
		places[table->count++] = &verdicts[i];
		wanted->count =
			pmu_counters(table->pmu, info, events[i]->code, wanted->pmds);
		if (!fit(table, assigned, &verdicts[i])) {
			table->count--;
			continue;
		}
		for (size_t j = 0; j < table->count; j++)
			places[j]->pmd = assigned[j];
	}
}

int agree(const struct event *const *events, size_t count, const struct machine *machine,
	  struct verdict *verdicts)
{
	struct table table = { .pmu = machine->pmu };
	struct verdict **places = calloc(count, sizeof(struct verdict *));
	int *assigned = calloc(count, sizeof(*assigned));
	int result = -1;

	table.events = calloc(count, sizeof(struct event *));
	table.wanted = calloc(count, sizeof(*table.wanted));
	table.choices = calloc(count, sizeof(*table.choices));
	if (places && assigned && table.events && table.wanted && table.choices) {
		take_in(&table, events, count, &machine->info, assigned, places,
			verdicts);
		result = 0;
	}
	free(places);
	free(assigned);
	free(table.events);
	free(table.wanted);
	free(table.choices);
	return result;
}
