// SPDX-License-Identifier: GPL-2.0-only
/* pfmon list: events that can be counted on this machine. */
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
		"Show the events that can be counted on this machine, one per line, with what\n"
		"they count.  With WORD, show only lines that contain it, in capitals or not.\n",
	.options = rows,
	.notes =
		"Use the names with 'pfmon stat -e'.  rHEX counts the hardware event with the\n"
		"code HEX, even if the event is not shown.\n"
		"\n"
		"Examples:\n"
		"  pfmon list\n"
		"  pfmon list cache\n",
};

/**
 * struct listing - what is to be shown
 * @machine: the machine whose events are shown
 * @word: show only the lines that contain this word; NULL: show all lines
 * @count: number of lines shown
 */
struct listing {
	struct machine machine;
	const char *word;
	unsigned int count;
};

static void show(struct listing *listing, const char *name, const char *description)
{
	if (listing->word && !strcasestr(name, listing->word) &&
	    !strcasestr(description, listing->word))
		return;
	/* Print only the first line of a description of libpfm4. */
	printf("  %-32s %.*s\n", name, (int)strcspn(description, "\n"), description);
	listing->count++;
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
			show(listing, event->name, event->description);
	}
}

static void show_common(struct listing *listing)
{
	const struct pmu *pmu = listing->machine.pmu;
	uint64_t code;

	for (size_t i = 0; i < pmu->common_count; i++)
		if (pmu_common_code(pmu, &pmu->common[i], &code))
			show(listing, pmu->common[i].name, pmu->common[i].description);
}

static void show_libpfm(void *data, const char *name, const char *description)
{
	struct listing *listing = data;

	if (events_have(&listing->machine, name))
		show(listing, name, description);
}

/*
 * Show the kernel's list of events: it has names even if libpfm4 does not know the CPU.
 */
static void show_cpu_events(struct listing *listing)
{
	const struct cpu_event *events;
	char description[64];
	size_t count;

	events = cpu_events_list(&count);
	for (size_t i = 0; i < count; i++) {
		snprintf(description, sizeof(description), "event 0x%llx of the CPU",
			 (unsigned long long)events[i].code);
		show(listing, events[i].name, description);
	}
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
	show_all(&listing);
	if (!listing.count) {
		fail("no event has '%s' in its line: 'pfmon list' shows all",
		     listing.word ? listing.word : "");
		return EXIT_PFMON;
	}
	return EXIT_SUCCESS;
}
