// SPDX-License-Identifier: GPL-2.0-only
/* pfmon list: show the events that can be counted on this machine. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../commands.h"
#include "../common/errors.h"
#include "../common/options.h"
#include "cpu_events.h"
#include "events.h"
#include "libpfm.h"

static const struct option_row rows[] = {
	PMU_OPTION(0),
	{ 0 },
};

static const struct command_line line = {
	.name = "pfmon list",
	.synopsis = "[--pmu NAME] [WORD]",
	.about =
		"Show the events that can be counted on this machine, one per line: the name, the\n"
		"code, the counters that can count the event, and a description.  '-' means none.\n"
		"With WORD, show only events whose name or description contains WORD, in\n"
		"upper or lower case.\n",
	.options = rows,
	.notes =
		"Use the names with 'pfmon stat -e'.  rHEX counts the hardware event with the\n"
		"code HEX, even if the event is not shown.  rHEX:HEX also gives the value of\n"
		"a second register, which some events on Intel processors need.\n"
		"\n"
		"'pfmon record -e EVENT:pp' samples the instruction that caused the event.  This\n"
		"works if one of the counters 0 to 3 can count the event, and if 'pfmon info'\n"
		"says that the PMU has precise events.\n"
		"\n"
		"Some PMUs are shared by several CPUs.  Their events, such as amd_l3::l3-misses,\n"
		"need the options --pmu amd_l3 and -a or -C of 'pfmon stat'.\n"
		"'pfmon list --pmu amd_l3' also shows the counters of these events.\n"
		"\n"
		"Examples:\n"
		"  pfmon list\n"
		"  pfmon list cache\n",
};

/**
 * struct listing - the events to show, and the number of events that have been shown
 * @machine: the machine whose events are shown
 * @word: show only the lines that contain this word; NULL: show all lines
 * @count: number of lines that have been shown
 */
struct listing {
	struct machine machine;
	const char *word;
	unsigned int count;
};

static bool is_wanted(const struct listing *listing, const char *name,
		      const char *description)
{
	return !listing->word || strcasestr(name, listing->word) ||
	       strcasestr(description, listing->word);
}

static void show(struct listing *listing, const char *name, const char *code,
		 const char *counters, const char *description)
{
	if (!is_wanted(listing, name, description))
		return;
	/* A description from libpfm4 may have several lines: print only the first one. */
	printf("  %-32s %-8s %-9s %.*s\n", name, code, counters,
	       (int)strcspn(description, "\n"), description);
	listing->count++;
}

/*
 * Show an event of the PMU, its code and its counters. The code has the form that 'pfmon stat -e'
 * accepts. An event that no counter can count is not shown: for example, ref-cycles on a machine
 * without fixed counters.
 */
static void show_code(struct listing *listing, const char *name, uint64_t code,
		      uint64_t extra, const char *description)
{
	const struct machine *machine = &listing->machine;
	bool has_codes = machine->pmu->is_hardware || machine->pmu->has_scope;
	char counters[PMU_COUNTERS_TEXT], raw[40] = "-";

	if (!pmu_counters_text(machine->pmu, &machine->info, code, counters))
		return;
	if (has_codes && extra)
		snprintf(raw, sizeof(raw), "r%llx:%llx", (unsigned long long)code,
			 (unsigned long long)extra);
	else if (has_codes)
		snprintf(raw, sizeof(raw), "r%llx", (unsigned long long)code);
	show(listing, name, raw, counters, description);
}

static void show_software(struct listing *listing)
{
	for (size_t i = 0; i < software_event_count; i++) {
		const struct software_event *event = &software_events[i];
		bool has_all = true;

		for (unsigned int j = 0; j < event->pmd_count; j++)
			has_all &= register_in(listing->machine.info.implemented_pmds,
					       event->pmds[j]);
		if (has_all)
			show(listing, event->name, "-", "-", event->description);
	}
}

static void show_common(struct listing *listing)
{
	const struct pmu *pmu = listing->machine.pmu;
	uint64_t code;

	for (size_t i = 0; i < pmu->common_count; i++)
		if (pmu_common_code(pmu, &pmu->common[i], &code))
			show_code(listing, pmu->common[i].name, code, 0,
				  pmu->common[i].description);
}

static void show_libpfm(void *data, const char *name, const char *description)
{
	struct listing *listing = data;
	uint64_t code, extra;

	if (is_wanted(listing, name, description) &&
	    events_have(&listing->machine, name, &code, &extra))
		show_code(listing, name, code, extra, description);
}

/*
 * Show the kernel's list of events. On Arm the kernel has such a list even if libpfm4 does not
 * support the CPU.
 */
static void show_cpu_events(struct listing *listing)
{
	const struct cpu_event *events;
	size_t count;

	events = cpu_events_list(&count);
	for (size_t i = 0; i < count; i++)
		show_code(listing, events[i].name, events[i].code, 0, "event of the CPU");
}

static void show_of_other(struct listing *listing, const struct pmu *pmu)
{
	char name[64], code[24], description[160];

	for (size_t i = 0; i < pmu->common_count; i++) {
		const struct common_event *event = &pmu->common[i];

		snprintf(name, sizeof(name), "%s::%s", pmu->name, event->name);
		snprintf(code, sizeof(code), "r%llx",
			 (unsigned long long)event->codes[0]);
		snprintf(description, sizeof(description), "%s (--pmu %s -a)",
			 event->description, pmu->name);
		show(listing, name, code, "-", description);
	}
}

/* Show the events of those registered PMUs that several CPUs share. */
static void show_shared(struct listing *listing)
{
	char scope[SCOPE_TEXT];
	const struct pmu *pmu;

	for (size_t i = 0; (pmu = pmu_further(i)); i++)
		if (pmu->has_scope && scope_find(pmu->name, scope))
			show_of_other(listing, pmu);
}

/* Treat all registers as available, so that the list does not depend on who holds counters. */
static void take_implemented(struct pfm_info *info)
{
	memcpy(info->available_pmds, info->implemented_pmds,
	       sizeof(info->available_pmds));
	memcpy(info->available_pmcs, info->implemented_pmcs,
	       sizeof(info->available_pmcs));
}

static void show_all(struct listing *listing)
{
	show_software(listing);
	if (!listing->machine.pmu)
		return;
	show_common(listing);
	if (!listing->machine.pmu->is_hardware)
		return;
	if (libpfm_model())
		libpfm_for_each(show_libpfm, listing);
	else
		show_cpu_events(listing);
}

int command_list(int argc, char **argv)
{
	struct listing listing = { 0 };
	const char *pmu = NULL;
	int result;

	result = options_parse(argc, argv, &line, &pmu);
	if (result)
		return result > 0 ? EXIT_SUCCESS : EXIT_PFMON;
	if (argc - optind > 1) {
		fail("more than one WORD: see 'pfmon list --help'");
		return EXIT_PFMON;
	}
	listing.word = argv[optind];
	if (machine_look(&listing.machine, pmu))
		return EXIT_PFMON;
	take_implemented(&listing.machine.info);
	show_all(&listing);
	if (!pmu)
		show_shared(&listing);
	if (!listing.count) {
		fail("no event has '%s' in its name or description: 'pfmon list' shows all events",
		     listing.word ? listing.word : "");
		return EXIT_PFMON;
	}
	return EXIT_SUCCESS;
}
