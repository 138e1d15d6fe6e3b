// SPDX-License-Identifier: GPL-2.0-only
/*
 * Measures what counting costs with perfmon and with perf_event. The floor of a cost is a lower
 * bound: no implementation can need less.
 *
 * Runs as root in a guest of tests/vm/run --icount. tests/bench/bench starts it.
 */
#include <err.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "fork.h"
#include "measure.h"
#include "operations.h"
#include "rotation.h"
#include "sample.h"

static const char *const names[] = {
#define ROW_KEY(name, title) [ROW_##name] = #name,
	ROWS(ROW_KEY)
};

static const char *const titles[] = {
#define ROW_TITLE(name, title) [ROW_##name] = title,
	ROWS(ROW_TITLE)
};

/*
 * Each row that this table names is the cost of a system call. So its floor is ROW_IOCTL, the cost
 * of a system call that does nothing.
 */
static const enum row floors[ROW_COUNT] = {
	[ROW_START_1... ROW_READ_OTHER_6] = ROW_IOCTL,
};

static double ours[ROW_COUNT], perf[ROW_COUNT], neither[ROW_COUNT];

static double floor_of(enum row row)
{
	return floors[row] ? neither[floors[row]] : neither[row];
}

static void measure_all(void)
{
	int row;

	for (row = 0; row < ROW_COUNT; row++)
		ours[row] = perf[row] = neither[row] = NOT_MEASURED;
	measure_init();
	measure_floors(neither);
	measure_unloaded(ours);
	/*
	 * From here on, loaded contexts install the scheduler hooks. The hooks stay for up to a
	 * second after the last context is unloaded.
	 */
	measure_virtual(ours);
	measure_tool(&perfmon_tool, neither[ROW_SWITCH], ours);
	sleep(2);
	measure_tool(&perf_tool, neither[ROW_SWITCH], perf);
	measure_samples(ours, perf);
	measure_rotations(ours, perf);
	measure_forks(ours, perf, neither);
}

static void print_cell(double value, int decimals)
{
	if (isnan(value))
		printf(" %9s", "-");
	else
		printf(" %9.*f", decimals, value);
}

static void print_table(const struct pfm_info *info, const struct utsname *system)
{
	int row;

	printf("Guest instructions, %d repetitions; Linux %s, PMU \"%s\" (%s)\n\n",
	       REPETITIONS, system->release, info->pmu_name, info->pmu_model);
	printf("%-46s %9s %9s %9s %9s\n", "", "perfmon", "perf", "ratio", "floor");
	for (row = 0; row < ROW_COUNT; row++) {
		printf("%-46s", titles[row]);
		print_cell(ours[row], 0);
		print_cell(perf[row], 0);
		print_cell(ours[row] / perf[row], 2);
		print_cell(floor_of(row), 0);
		printf("\n");
	}
}

static void print_number(FILE *file, const char *name, double value)
{
	if (isnan(value))
		fprintf(file, ", \"%s\": null", name);
	else
		fprintf(file, ", \"%s\": %.1f", name, value);
}

static void write_json(const char *path, const struct pfm_info *info,
		       const struct utsname *system)
{
	FILE *file = fopen(path, "w");
	int row;

	if (!file)
		err(1, "%s", path);
	fprintf(file, "{\n\t\"unit\": \"guest instructions\",\n");
	fprintf(file, "\t\"repetitions\": %d,\n", REPETITIONS);
	fprintf(file, "\t\"machine\": \"%s\",\n", system->machine);
	fprintf(file, "\t\"kernel\": \"%s\",\n", system->release);
	fprintf(file, "\t\"pmu\": \"%s\",\n", info->pmu_name);
	fprintf(file, "\t\"rows\": [");
	for (row = 0; row < ROW_COUNT; row++) {
		fprintf(file, "%s\n\t\t{ \"name\": \"%s\", \"title\": \"%s\"",
			row ? "," : "", names[row], titles[row]);
		print_number(file, "perfmon", ours[row]);
		print_number(file, "perf", perf[row]);
		print_number(file, "floor", floor_of(row));
		fprintf(file, " }");
	}
	fprintf(file, "\n\t]\n}\n");
	if (fclose(file))
		err(1, "%s", path);
}

static void usage(FILE *file)
{
	fputs("Usage: pfm-bench [--json FILE]\n"
	      "\n"
	      "Print what perfmon and perf_event cost in guest instructions.\n"
	      "\n"
	      "      --json FILE  write the figures to FILE as well\n"
	      "  -h, --help       this text\n",
	      file);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "json", required_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	const char *json = NULL;
	struct utsname system;
	struct pfm_info info;
	int option;

	while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		switch (option) {
		case 'j':
			json = optarg;
			break;
		case 'h':
			usage(stdout);
			return 0;
		default:
			usage(stderr);
			return 2;
		}
	}
	if (optind != argc) {
		usage(stderr);
		return 2;
	}

	measure_all();
	uname(&system);
	perfmon_describe(&info);
	print_table(&info, &system);
	if (json)
		write_json(json, &info, &system);
	return 0;
}
