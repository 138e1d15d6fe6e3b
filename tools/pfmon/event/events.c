// SPDX-License-Identifier: GPL-2.0-only
/* Translate names of events to codes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../common/array.h"
#include "../common/errors.h"
#include "cpu_events.h"
#include "events.h"
#include "libpfm.h"
#include "modifiers.h"
#include "precise.h"
#include "raw_code.h"
#include "suggest.h"

/* The events that pfmon stat counts by default. */
static const char *const default_events[] = {
	"task-clock", "context-switches", "cpu-migrations", "page-faults",
	"cycles",     "instructions",	  "branches",	    "branch-misses",
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum parse_result {
	PARSE_OK,
	PARSE_UNKNOWN, /* no event of this type has the name; one of another type may have it */
	PARSE_NOT_SUPPORTED, /* the event is known, but this machine does not have it */
	PARSE_FAILED, /* the error has been reported */
};

static struct event *add_event(struct event_list *list, const char *name)
{
	struct event *event = array_add(&list->events, &list->count, sizeof(*event));

	if (!event)
		return NULL;
	event->name = strdup(name);
	return event->name ? event : NULL;
}

void events_free(struct event_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->events[i].name);
	for (size_t i = 0; i < list->set_count; i++) {
		free(list->sets[i].name);
		free(list->sets[i].position);
	}
	free(list->events);
	free(list->sets);
	memset(list, 0, sizeof(*list));
}

bool events_take_turns(const struct event_list *list)
{
	for (size_t i = 0; i < list->set_count; i++)
		if (list->sets[i].flags != PFM_SETFL_TIME_SWITCH)
			return false;
	return list->set_count > 1;
}

static bool is_hardware_pmu(const struct machine *machine)
{
	return machine->pmu && machine->pmu->is_hardware;
}

/*
 * Returns EVENT if @name has the form PMU::EVENT, where PMU is the name of the PMU of @machine, and
 * if this PMU has a scope. Otherwise returns @name.
 */
static const char *without_pmu(const char *name, const struct machine *machine)
{
	const char *event = NULL;

	if (machine->pmu && machine->pmu->has_scope)
		event = pmu_own_event(machine->pmu, name);
	return event ? event : name;
}

/* Returns whether the user can name the PMU's events by their codes. */
static bool has_codes(const struct machine *machine)
{
	return machine->pmu && (machine->pmu->is_hardware || machine->pmu->has_scope);
}

static enum parse_result parse_software(struct event *event, const char *name)
{
	const struct software_event *software = software_find(name);

	if (!software)
		return PARSE_UNKNOWN;
	event->set = EVERY_SET;
	event->role = software->role;
	event->is_time = software->is_time;
	memcpy(event->pmds, software->pmds, sizeof(event->pmds));
	event->pmd_count = software->pmd_count;
	return PARSE_OK;
}

/*
 * Returns the reason why event @code cannot be counted with @extra as the value of its second PMC.
 * Returns NULL if it can be counted.
 */
static const char *extra_refusal(const struct machine *machine, uint64_t code,
				 uint64_t extra, bool is_precise)
{
	const uint16_t pmc = pmu_extra_pmc(machine->pmu, code);

	if (!pmc)
		return extra ? "perfmon has no second register for it on this CPU" : NULL;
	if (!extra)
		return "it needs the value of a second register: write rCODE:VALUE";
	if (!register_in(machine->info.implemented_pmcs, pmc))
		return "it needs a second register, which perfmon has only with exclusive "
		       "ownership of the counters; in a virtual machine, the hypervisor must "
		       "also provide this register";
	if (pmc == machine->pmu->precise_extra && !is_precise)
		return "it has to be precise: add ':pp', and use 'pfmon record'";
	return NULL;
}

/*
 * Check that @code can be counted, and store it in @event. The check is necessary even for a raw
 * code, because the count of an event that the CPU does not implement would stay 0.
 */
static enum parse_result take_code(struct event *event, const char *name, uint64_t code,
				   uint64_t extra, const struct machine *machine)
{
	const struct pmu *pmu = machine->pmu;
	const char *reason = pmu_refusal(pmu, code & pmu->code_mask)
				     ?: extra_refusal(machine, code & pmu->code_mask,
						      extra, event->is_precise);

	if (pmu->has_code && !pmu->has_code(code & pmu->code_mask))
		return PARSE_NOT_SUPPORTED;
	if (reason) {
		fail("event '%s' cannot be counted, because %s", name, reason);
		return PARSE_FAILED;
	}
	event->code = code & pmu->code_mask;
	event->extra = extra;
	event->role = pmu_role(pmu, event->code);
	event->needs_counter = true;
	return PARSE_OK;
}

static enum parse_result parse_common(struct event *event, const char *name,
				      const struct machine *machine)
{
	const struct common_event *common;
	uint64_t code;

	if (!machine->pmu)
		return PARSE_UNKNOWN;
	common = pmu_common(machine->pmu, name);
	if (!common)
		return PARSE_UNKNOWN;
	if (!pmu_common_code(machine->pmu, common, &code))
		return PARSE_NOT_SUPPORTED;
	event->is_time = common->is_time;
	return take_code(event, name, code, 0, machine);
}

static enum parse_result parse_raw(struct event *event, const char *name,
				   const struct machine *machine)
{
	uint64_t code, extra;

	if (!raw_code_is(name) || !has_codes(machine))
		return PARSE_UNKNOWN;
	if (raw_code_parse(name, machine->pmu, &code, &extra))
		return PARSE_FAILED;
	return take_code(event, name, code, extra, machine);
}

static enum parse_result parse_libpfm(struct event *event, const char *name,
				      const struct machine *machine)
{
	const char *reason = "";
	uint64_t code, extra;

	if (!is_hardware_pmu(machine))
		return PARSE_UNKNOWN;
	switch (libpfm_encode(name, &code, &extra, &reason)) {
	case LIBPFM_OK:
		break;
	case LIBPFM_UNKNOWN:
		return PARSE_UNKNOWN;
	case LIBPFM_UMASK:
		fail("event '%s': %s; see 'pfmon list %.*s'", name, reason,
		     (int)strcspn(name, ":"), name);
		return PARSE_FAILED;
	case LIBPFM_FAILED:
		fail("event '%s' cannot be used: %s", name, reason);
		return PARSE_FAILED;
	}
	return take_code(event, name, code, extra, machine);
}

/*
 * Look for @name in the kernel's list of events. On Arm the kernel has such a list even if libpfm4
 * does not support the CPU.
 */
static enum parse_result parse_cpu_event(struct event *event, const char *name,
					 const struct machine *machine)
{
	const struct cpu_event *found;

	if (!is_hardware_pmu(machine))
		return PARSE_UNKNOWN;
	found = cpu_events_find(name);
	if (!found)
		return PARSE_UNKNOWN;
	return take_code(event, name, found->code, 0, machine);
}

/*
 * Returns whether @name is a hardware event: a common event of any hardware PMU, a raw code, or an
 * event that libpfm4 has for this machine's CPU.
 */
static bool is_hardware_name(const char *name)
{
	const char *reason;
	uint64_t code, extra;

	return pmu_names_hardware(name) || raw_code_is(name) ||
	       libpfm_encode(name, &code, &extra, &reason) == LIBPFM_OK;
}

bool events_have(const struct machine *machine, const char *name, uint64_t *code,
		 uint64_t *extra)
{
	const struct pmu *pmu = machine->pmu;
	const char *reason;

	if (!is_hardware_pmu(machine) ||
	    libpfm_encode(name, code, extra, &reason) != LIBPFM_OK)
		return false;
	*code &= pmu->code_mask;
	return (!pmu->has_code || pmu->has_code(*code)) && !pmu_refusal(pmu, *code) &&
	       !extra_refusal(machine, *code, *extra, true);
}

struct search {
	const struct machine *machine;
	struct suggestions near;
};

static void suggest_libpfm(void *data, const char *name, const char *description)
{
	struct search *search = data;
	uint64_t code, extra;

	(void)description;
	if (events_have(search->machine, name, &code, &extra))
		suggest(&search->near, name);
}

/* Find events of this machine whose names are similar to a wrong name. */
static void search_near(struct search *search)
{
	const struct pmu *pmu = search->machine->pmu;
	uint64_t code;

	for (size_t i = 0; i < software_event_count; i++)
		suggest(&search->near, software_events[i].name);
	for (size_t i = 0; pmu && i < pmu->common_count; i++)
		if (pmu_common_code(pmu, &pmu->common[i], &code))
			suggest(&search->near, pmu->common[i].name);
	if (is_hardware_pmu(search->machine))
		libpfm_for_each(suggest_libpfm, search);
}

static int fail_unknown(const char *name, const struct machine *machine)
{
	struct search search = {
		.machine = machine,
		.near.wanted = without_pmu(name, machine),
	};
	const struct suggestions *near = &search.near;

	search_near(&search);
	switch (near->count) {
	case 0:
		return fail("unknown event '%s': 'pfmon list' shows the events", name);
	case 1:
		return fail("unknown event '%s': did you mean '%s'?", name,
			    near->names[0]);
	case 2:
		return fail("unknown event '%s': did you mean '%s' or '%s'?", name,
			    near->names[0], near->names[1]);
	default:
		return fail("unknown event '%s': did you mean '%s', '%s' or '%s'?", name,
			    near->names[0], near->names[1], near->names[2]);
	}
}

static int fail_no_hardware(const char *name, const struct machine *machine)
{
	if (!machine->pmu)
		return fail("this pfmon does not know PMU '%s', so hardware event '%s' "
			    "is not available: count software events ('pfmon list' "
			    "shows them)",
			    machine->info.pmu_name, name);
	return fail("hardware event '%s' is not available on the software PMU: count "
		    "software events ('pfmon list' shows them)",
		    name);
}

static int fail_not_supported(const char *name)
{
	return fail("the CPU does not have event '%s': 'pfmon list' shows its events",
		    name);
}

/* Look for @name among the events of all types. @name has no modifiers. */
static enum parse_result parse_name(struct event *event, const char *name,
				    const struct machine *machine)
{
	enum parse_result result;

	name = without_pmu(name, machine);
	result = parse_software(event, name);
	if (result == PARSE_UNKNOWN)
		result = parse_common(event, name, machine);
	if (result == PARSE_UNKNOWN)
		result = parse_libpfm(event, name, machine);
	if (result == PARSE_UNKNOWN)
		result = parse_cpu_event(event, name, machine);
	if (result == PARSE_UNKNOWN)
		result = parse_raw(event, name, machine);
	return result;
}

/*
 * @rest is the part of @name that follows the name of the event. If the event is known, report that
 * the modifier @rest is unknown. Otherwise report that @name is unknown.
 */
static int fail_modifier(const char *name, const char *rest,
			 const struct machine *machine)
{
	struct event event = { 0 };
	char known[MAX_NAME];

	snprintf(known, sizeof(known), "%.*s", (int)(rest - name), name);
	switch (parse_name(&event, known, machine)) {
	case PARSE_OK:
		return fail("event '%s' has no modifier '%s': the modifiers are ':u', "
			    "':k', ':p' and ':pp'",
			    known, rest);
	case PARSE_FAILED:
		return -1;
	default:
		return fail_unknown(name, machine);
	}
}

static int fail_parse(enum parse_result result, const char *name,
		      const struct machine *machine)
{
	const struct pmu *other = pmu_to_give(name);
	const char *rest = modifiers_find(name);

	if (result == PARSE_FAILED)
		return -1;
	if (result == PARSE_NOT_SUPPORTED)
		return fail_not_supported(name);
	if (!strncmp(name, "soft::", 6) && is_hardware_pmu(machine))
		return fail("event '%s' belongs to the software PMU, but the PMU is "
			    "%s: leave out 'soft::', or give --pmu soft",
			    name, machine->info.pmu_name);
	if (other && other != machine->pmu)
		return fail("event '%s' belongs to PMU %s: give --pmu %s%s", name,
			    other->name, other->name,
			    other->has_scope ? ", and -a or -C" : "");
	if ((!machine->pmu || machine->pmu == &pmu_soft) && is_hardware_name(name))
		return fail_no_hardware(name, machine);
	if (rest)
		return fail_modifier(name, rest, machine);
	return fail_unknown(name, machine);
}

/* Refuse ":u" and ":k" if the event cannot be counted at one level only. */
static int check_modes(const struct event *event, const char *name,
		       const struct machine *machine)
{
	if (event->modes == MODE_BOTH)
		return 0;
	if (event->needs_counter && machine->pmu->has_modes)
		return 0;
	return fail("event '%s' cannot be counted at one level only: leave out "
		    "':%s'",
		    name, event->modes == MODE_USER ? "u" : "k");
}

static int check_precise(const struct event *event, const char *text,
			 const struct machine *machine)
{
	const char *reason;

	if (!event->is_precise)
		return 0;
	reason = event->needs_counter ? precise_refusal(machine, event->code)
				      : "it takes no counter of the PMU";
	return reason ? fail("event '%s' cannot be precise, because %s", text, reason)
		      : 0;
}

static void say_user_level(void)
{
	static bool is_said;

	if (!is_said)
		warn_user(
			"only user level is counted (shown as ':u'): kernel level needs "
			"CAP_PERFMON, or kernel.perf_event_paranoid below 2");
	is_said = true;
}

/*
 * If the context counts at user level only, mark the event as ':u'. If the user wants the event at
 * kernel level only, refuse the event instead.
 */
static int restrict_modes(struct event *event, const char *name,
			  const struct machine *machine)
{
	char *restricted;

	if (!machine->is_user_level || !event->needs_counter || !machine->pmu->has_modes)
		return 0;
	if (!(event->modes & MODE_USER))
		return fail("event '%s:k' cannot be counted: kernel level needs "
			    "CAP_PERFMON, or kernel.perf_event_paranoid below 2",
			    name);
	if (event->modes == MODE_USER)
		return 0;
	if (asprintf(&restricted, "%s:u", name) == -1)
		return fail("no memory");
	free(event->name);
	event->name = restricted;
	event->modes = MODE_USER;
	say_user_level();
	return 0;
}

static int parse_event(struct event_list *list, const char *text,
		       const struct machine *machine)
{
	struct event *event = add_event(list, text);
	enum parse_result result;
	unsigned int precision = 0;
	char name[MAX_NAME];

	if (!event)
		return fail("no memory");
	if (strlen(text) >= sizeof(name))
		return fail(
			"the event name '%s' is too long: 'pfmon list' shows the names",
			text);
	strcpy(name, text);
	event->modes = modifiers_cut(name, &precision);
	if (precision > MOST_PRECISE)
		return fail(
			"event '%s' cannot be that precise: ':pp' is the most precise "
			"modifier of pfmon",
			text);
	event->is_precise = precision > 0;
	if (!*name)
		return fail(
			"an event has no name: write a name before and after each comma");
	result = parse_name(event, name, machine);
	if (result != PARSE_OK)
		return fail_parse(result, name, machine);
	if (check_modes(event, name, machine) || check_precise(event, text, machine))
		return -1;
	return restrict_modes(event, name, machine);
}

/*
 * Parse an event. A brace before the event begins a group, and a brace after the event ends the
 * group.
 */
static int parse_member(struct event_list *list, char *name, bool *is_inside,
			const struct machine *machine)
{
	bool is_first = *name == '{', is_last;
	size_t length;

	if (is_first) {
		if (*is_inside)
			return fail("'%s': braces cannot be inside braces", name);
		*is_inside = true;
		list->group_count++;
		name++;
	}
	length = strlen(name);
	is_last = length && name[length - 1] == '}';
	if (is_last) {
		if (!*is_inside)
			return fail("'%s': a closing brace has no opening brace", name);
		name[length - 1] = '\0';
	}
	if (parse_event(list, name, machine))
		return -1;
	if (*is_inside)
		list->events[list->count - 1].group = list->group_count;
	*is_inside &= !is_last;
	return 0;
}

int events_parse(struct event_list *list, const char *text, const struct machine *machine)
{
	char *copy = strdup(text), *rest = copy, *name;
	bool is_inside = false;
	int result = 0;

	if (!copy)
		return fail("no memory");
	while (!result && (name = strsep(&rest, ",")))
		result = parse_member(list, name, &is_inside, machine);
	free(copy);
	if (!result && is_inside)
		return fail(
			"'%s' has an open brace: close it, and quote braces in a shell",
			text);
	return result;
}

int events_default(struct event_list *list, const struct machine *machine)
{
	for (size_t i = 0; i < COUNT(default_events); i++) {
		struct event *event = add_event(list, default_events[i]);

		if (!event)
			return fail("no memory");
		event->modes = MODE_BOTH;
		if (parse_name(event, default_events[i], machine) != PARSE_OK)
			event->state = EVENT_NOT_SUPPORTED;
		else if (restrict_modes(event, default_events[i], machine))
			return -1;
	}
	return 0;
}

int events_default_sampled(struct event_list *list, const struct machine *machine,
			   bool has_kernel)
{
	const struct pmu *pmu = machine->pmu;
	const struct common_event *cycles = pmu ? pmu_common(pmu, "cycles") : NULL;
	uint64_t code;

	if (!cycles || !pmu_common_code(pmu, cycles, &code))
		return events_parse(list, "task-clock", machine);
	return events_parse(list, pmu->has_modes && !has_kernel ? "cycles:u" : "cycles",
			    machine);
}

static int take_counter(struct event *event, const struct machine *machine)
{
	char name[MAX_NAME + 8];

	snprintf(name, sizeof(name), "soft::%s", event->name);
	if (parse_common(event, name, machine) == PARSE_OK) {
		event->set = 0;
		event->pmd_count = 0;
		return 0;
	}
	return fail(
		"event '%s' cannot be sampled or waited for: only counters overflow, and "
		"no counter of the PMU counts this event; 'pfmon list' shows other events",
		event->name);
}

int events_take_counters(struct event_list *list, const struct machine *machine)
{
	for (size_t i = 0; i < list->count; i++)
		if (!list->events[i].needs_counter &&
		    take_counter(&list->events[i], machine))
			return -1;
	return 0;
}
