// SPDX-License-Identifier: GPL-2.0-only
/*
 * Find out which events can be counted at the same time although they share PMCs. Events are added
 * one by one. The PMC bits that an event needs depend on its counter, so each new event may change
 * the counters of all earlier events.
 *
 * Suppose that event A needs a PMC bit to be 1, whichever counter A gets. Then event B cannot use a
 * counter on which B needs the same bit to be 0.
 */
#include <stdlib.h>
#include <string.h>

#include "constraints.h"

/* The PMC bits that an event needs. */
struct needs {
	struct pmc_bits bits[MAX_PMCS_PER_EVENT];
	unsigned int count;
};

/**
 * struct table - the events that are to be counted at the same time
 * @pmu: pfmon's description of the PMU
 * @events: the events
 * @wanted: for each event, the counters that it could use if it were the only event
 * @choices: for each event, the counters of @wanted that do not conflict with the other events
 * @count: number of events
 */
struct table {
	const struct pmu *pmu;
	const struct event **events;
	struct choice *wanted;
	struct choice *choices;
	size_t count;
};

unsigned int event_encode(const struct pmu *pmu, const struct event *event, uint16_t pmd,
			  struct pmc_bits bits[MAX_PMCS_PER_EVENT])
{
	unsigned int count = pmu->encode(pmu, event->code, event_modes(event), pmd, bits);

	if (count && event->extra)
		bits[count++] = (struct pmc_bits){
			.pmc = pmu_extra_pmc(pmu, event->code),
			.value = event->extra,
			.mask = ~0ull,
		};
	return count;
}

static void encode(const struct table *table, size_t event, uint16_t pmd,
		   struct needs *needs)
{
	needs->count = event_encode(table->pmu, table->events[event], pmd, needs->bits);
}

static const struct pmc_bits *find(const struct needs *needs, uint16_t pmc)
{
	for (unsigned int i = 0; i < needs->count; i++)
		if (needs->bits[i].pmc == pmc)
			return &needs->bits[i];
	return NULL;
}

/*
 * Returns whether @a and @b need different values of the same PMC bit. If so, stores the number of
 * the PMC in @pmc.
 */
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

/*
 * The PMC bits that @event needs depend on its counter. Store in @always those bits whose value is
 * the same for all counters in the choices of @event.
 */
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
 * Remove from the choices of @event the counters that conflict with @other. On such a counter,
 * @event needs one value of a PMC bit, but @other needs the other value, whichever counter @other
 * gets. There is one exception: if @other can use only one counter, this counter stays in the
 * choices of @event. It causes no conflict, because matching_find() never gives one counter to two
 * events. Returns whether a counter was removed. If so, stores in @pmc the number of the PMC with
 * the conflict.
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
 * Narrow the choices of all events until nothing changes. This may take several rounds: when an
 * event loses a counter, its remaining counters may have more PMC bits in common, and these bits
 * may rule out a counter of another event.
 *
 * If an event has no counter left, the cause is the last event of @table, because all other events
 * had counters before the last one was added. Then this function returns false and stores in
 * @verdict an event that conflicts with the last event, either directly or because of a third
 * event. The caller must leave out the last event.
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

/*
 * Check that no two events conflict in the final assignment, because narrow() does not find all
 * conflicts. If two events conflict, stores one of them in @verdict and returns false.
 */
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

/*
 * Try to give a counter to each event of @table, so that all can be counted at the same time. If
 * this succeeds, returns true and stores the counters in @assigned. Tries only the assignment of
 * matching_find(), so the result may be false even if a different assignment would have no
 * conflict.
 */
static bool fit(const struct table *table, int *assigned, struct verdict *verdict)
{
	memcpy(table->choices, table->wanted, table->count * sizeof(*table->choices));
	for (size_t i = 0; i < table->count; i++)
		if (!table->choices[i].count)
			return false;
	return narrow(table, verdict) &&
	       !matching_find(table->choices, table->count, assigned) &&
	       check(table, assigned, verdict);
}

/*
 * Leave out the counters that cannot count @event, for example because they cannot count in the
 * modes that the user chose. For such a counter, encode() sets needs.count to 0.
 */
static void leave_out(const struct table *table, size_t event)
{
	struct choice *wanted = &table->wanted[event];
	unsigned int left = 0;
	struct needs needs;

	for (unsigned int i = 0; i < wanted->count; i++) {
		encode(table, event, wanted->pmds[i], &needs);
		if (needs.count)
			wanted->pmds[left++] = wanted->pmds[i];
	}
	wanted->count = left;
}

/*
 * Add the events to @table one by one, and leave out each event that does not fit. @verdict_of[i]
 * points to the verdict on event i of @table.
 */
static void add_all(struct table *table, const struct event *const *events, size_t count,
		    const struct pfm_info *info, int *assigned,
		    struct verdict **verdict_of, struct verdict *verdicts)
{
	for (size_t i = 0; i < count; i++) {
		struct choice *wanted = &table->wanted[table->count];

		verdicts[i] = (struct verdict){ .pmd = NO_COUNTER };
		table->events[table->count] = events[i];
		verdict_of[table->count++] = &verdicts[i];
		wanted->count =
			pmu_counters(table->pmu, info, events[i]->code, wanted->pmds);
		leave_out(table, table->count - 1);
		if (!fit(table, assigned, &verdicts[i])) {
			table->count--;
			continue;
		}
		for (size_t j = 0; j < table->count; j++)
			verdict_of[j]->pmd = assigned[j];
	}
}

int constraints_assign(const struct event *const *events, size_t count,
		       const struct machine *machine, struct verdict *verdicts)
{
	struct table table = { .pmu = machine->pmu };
	struct verdict **verdict_of = calloc(count, sizeof(struct verdict *));
	int *assigned = calloc(count, sizeof(*assigned));
	int result = -1;

	table.events = calloc(count, sizeof(struct event *));
	table.wanted = calloc(count, sizeof(*table.wanted));
	table.choices = calloc(count, sizeof(*table.choices));
	if (verdict_of && assigned && table.events && table.wanted && table.choices) {
		add_all(&table, events, count, &machine->info, assigned, verdict_of,
			verdicts);
		result = 0;
	}
	free(verdict_of);
	free(assigned);
	free(table.events);
	free(table.wanted);
	free(table.choices);
	return result;
}
