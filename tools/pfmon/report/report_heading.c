// SPDX-License-Identifier: GPL-2.0-only
/*
 * Print the heading of a profile: what was recorded, where and when, and whether the
 * recording is complete.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../common/text.h"
#include "report_heading.h"

#define NS_PER_SECOND 1000000000u

static void print_time(FILE *file, uint64_t nanoseconds)
{
	time_t seconds = (time_t)(nanoseconds / NS_PER_SECOND);
	struct tm time;
	char text[64];

	if (localtime_r(&seconds, &time) &&
	    strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &time))
		fprintf(file, " %s", text);
}

static int print_title(FILE *file, const struct recording *recording)
{
	const struct data_command *command = recording->command.command;
	const char *threads = recording->command.threads;
	const char *cpus = recording->command.cpus;
	const char *processes = recording->command.processes;
	char *text = recording_command(recording);

	if (!text)
		return -1;
	if (command && cpus && *cpus)
		fprintf(file, "\n Profile of CPU%s %s", strchr(cpus, ',') ? "s" : "",
			cpus);
	else if (command && processes && *processes)
		fprintf(file, "\n Profile of process%s %s",
			strchr(processes, ',') ? "es" : "", processes);
	else if (command && threads && strchr(threads, ','))
		fprintf(file, "\n Profile of threads %s", threads);
	else if (command && command->tid)
		fprintf(file, "\n Profile of thread %" PRIu32, command->tid);
	else if (*text)
		fprintf(file, "\n Profile of '%s'", text);
	else
		fputs("\n Profile", file);
	putc('\n', file);
	free(text);
	return 0;
}

static void print_machine(FILE *file, const struct recording *recording)
{
	const char *const *strings = recording->strings;

	if (!recording->machine)
		return;
	fputs(" recorded", file);
	print_time(file, recording->machine->time);
	if (*strings[DATA_MACHINE_KERNEL])
		fprintf(file, " on Linux %s", strings[DATA_MACHINE_KERNEL]);
	if (*strings[DATA_MACHINE_ARCHITECTURE])
		fprintf(file, ", %s", strings[DATA_MACHINE_ARCHITECTURE]);
	if (*strings[DATA_MACHINE_PMU])
		fprintf(file, ", PMU %s", strings[DATA_MACHINE_PMU]);
	if (*strings[DATA_MACHINE_MODEL])
		fprintf(file, " (%s)", strings[DATA_MACHINE_MODEL]);
	putc('\n', file);
}

static const char *state_of(const struct recording *recording)
{
	if (!recording->end)
		return "the file was cut short";
	return recording->has_failed ? "the recording ended early"
				     : "the file is complete";
}

/*
 * Print the number of samples, the losses, and whether the file is complete. "none lost" is not
 * printed if monitoring was throttled or the PMU did not deliver all samples, because then
 * there are missing samples that are not counted as lost.
 */
static void print_state(FILE *file, const struct profile *profile)
{
	const struct recording *recording = profile->recording;
	uint64_t throttled = recording_throttled(recording);
	uint64_t undelivered = recording_undelivered(recording);
	uint64_t lost = recording_lost(recording);
	char text[COUNT_TEXT];

	fprintf(file, " %s %s", count_text(profile->samples, text),
		plural(profile->samples, "sample", "samples"));
	if (lost || (!throttled && !undelivered))
		fprintf(file, ", %s lost", lost ? count_text(lost, text) : "none");
	if (undelivered)
		fprintf(file, ", %s not delivered by the PMU",
			count_text(undelivered, text));
	if (throttled)
		fprintf(file, ", throttled %s time%s", count_text(throttled, text),
			throttled == 1 ? "" : "s");
	fprintf(file, "; %s\n", state_of(recording));
}

int report_heading(FILE *file, const struct profile *profile)
{
	if (print_title(file, profile->recording))
		return -1;
	print_machine(file, profile->recording);
	print_state(file, profile);
	return 0;
}
