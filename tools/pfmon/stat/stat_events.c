// SPDX-License-Identifier: GPL-2.0-only
/* What pfmon stat counts. */
#include "../common/errors.h"
#include "../event/assignment.h"
#include "../event/packing.h"
#include "../event/sets_file.h"
#include "stat_events.h"

static int find_events(struct event_list *events, const struct machine *machine,
		       const struct stat_options *options)
{
	bool is_default = !options->events.count;

	if (options->sets)
		return sets_file_read(events, options->sets, machine);
	if (is_default && machine->scope[0])
		return fail(
			"PMU %s has no default events: 'pfmon list --pmu %s' shows its "
			"events",
			machine->info.pmu_name, machine->info.pmu_name);
	if (is_default && events_default(events, machine))
		return -1;
	for (unsigned int i = 0; i < options->events.count; i++)
		if (events_parse(events, options->events.texts[i], machine))
			return -1;
	if (!options->takes_turns)
		return 0;
	return pack_into_sets(events, machine, options->interval, is_default);
}

static int check_modes(const struct event_list *events, const struct machine *machine)
{
	if (!machine->pmu || !machine->pmu->filters_samples)
		return 0;
	for (size_t i = 0; i < events->count; i++)
		if (events->events[i].needs_counter &&
		    events->events[i].modes != MODE_BOTH)
			return fail(
				"event '%s' cannot be counted: PMU %s counts user and "
				"kernel level together; 'pfmon record' can sample it",
				events->events[i].name, machine->info.pmu_name);
	return 0;
}

/*
 * Refuse ":p" and ":pp": they have an effect on samples only, but the user may expect that they
 * change the count.
 */
static int check_precise(const struct event_list *events)
{
	for (size_t i = 0; i < events->count; i++)
		if (events->events[i].is_precise)
			return fail(
				"event '%s' cannot be counted: ':p' and ':pp' are for samples, "
				"so leave them out, or use 'pfmon record'",
				events->events[i].name);
	return 0;
}

int stat_events_choose(struct event_list *events, const struct machine *machine,
		       const struct stat_options *options)
{
	bool is_default = !options->events.count && !options->sets;

	return find_events(events, machine, options) || check_precise(events) ||
			       check_modes(events, machine) ||
			       events_assign(events, machine, is_default)
		       ? -1
		       : 0;
}
