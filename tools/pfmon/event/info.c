// SPDX-License-Identifier: GPL-2.0-only
/* pfmon info: show the module, the PMU and its counters. */
#include <errno.h>
#include <getopt.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../commands.h"
#include "../common/errors.h"
#include "../common/first_line.h"
#include "../common/options.h"
#include "events.h"
#include "libpfm.h"
#include "pmus.h"
#include "precise.h"

static const struct option_row rows[] = {
	PMU_OPTION(0),
	{ 0 },
};

static const struct command_line line = {
	.name = "pfmon info",
	.synopsis = "[--pmu NAME]",
	.about =
		"Show the PMU, its registers, and the version and limits of the perfmon module.\n"
		"Root and users who may monitor CPUs also see what monitoring has cost on each\n"
		"CPU.\n",
	.options = rows,
};

#define SYSFS	    "/sys/kernel/perfmon"
#define VALUE_SIZE  64

#define LONG_SERIES 20

/* Returns the first line of the file @name below SYSFS, or "?" if it cannot be read. */
static const char *read_value(const char *name, char value[VALUE_SIZE])
{
	char path[128];

	snprintf(path, sizeof(path), SYSFS "/%s", name);
	return first_line(path, value, VALUE_SIZE) ? value : "?";
}

/* Read a sysfs attribute of a PMU register. */
static const char *read_attribute(const struct pfm_info *info, const char *kind,
				  unsigned int number, const char *attribute,
				  char value[VALUE_SIZE])
{
	char name[96];

	snprintf(name, sizeof(name), "pmus/%s/%s%u/%s", info->pmu_name, kind, number,
		 attribute);
	return read_value(name, value);
}

static void show_module(const struct pfm_info *info)
{
	static const struct {
		uint64_t bit;
		const char *name;
	} features[] = {
		{ PFM_FEATURE_PER_THREAD, "per-thread" },
		{ PFM_FEATURE_EMUL64, "64-bit-counters" },
		{ PFM_FEATURE_VIRTUAL, "virtual-counters" },
		{ PFM_FEATURE_SAMPLING, "sampling" },
		{ PFM_FEATURE_SETS, "event-sets" },
	};

	printf("version              %u.%u\n", PFM_VERSION_MAJOR(info->version),
	       PFM_VERSION_MINOR(info->version));
	printf("interface            %u.%u\n", PFM_VERSION_MAJOR(info->interface_version),
	       PFM_VERSION_MINOR(info->interface_version));
	printf("features            ");
	for (size_t i = 0; i < sizeof(features) / sizeof(features[0]); i++)
		if (info->features & features[i].bit)
			printf(" %s", features[i].name);
	putchar('\n');
}

/* Print a line with a parameter of the PMU's module, if the module has it. */
static void show_parameter(const char *pmu, const char *parameter, const char *title)
{
	char path[128], value[VALUE_SIZE];

	snprintf(path, sizeof(path), "/sys/module/perfmon_%s/parameters/%s", pmu,
		 parameter);
	if (first_line(path, value, VALUE_SIZE))
		printf("%-20s %s\n", title, value);
}

/* If several CPUs share the registers, show the scope of the registers and their owner CPUs. */
static void show_scope(const struct machine *machine)
{
	char *owners;

	if (!machine->scope[0])
		return;
	owners = scope_owners(machine->info.pmu_name);
	printf("scope                %s\n", machine->scope);
	printf("owner CPUs           %s\n", owners ? owners : "?");
	free(owners);
}

static void show_pmu(const struct machine *machine)
{
	const struct pfm_info *info = &machine->info;
	const char *model = libpfm_model();
	char names[PMU_NAMES], precise[PRECISE_TEXT];

	if (!info->pmu_name[0]) {
		printf("pmu                  none: no PMU description is loaded, and "
		       "none fits this machine\n");
		return;
	}
	printf("pmu                  %s%s\n", info->pmu_name,
	       machine->pmu ? "" : " (not known to this pfmon)");
	if (pmus_text(names))
		printf("PMUs                 %s\n", names);
	printf("model                %s\n", info->pmu_model);
	if (info->pmu_id)
		printf("id                   0x%llx\n", (unsigned long long)info->pmu_id);
	show_parameter(info->pmu_name, "ownership_now", "ownership");
	show_parameter(info->pmu_name, "cores", "cores");
	show_scope(machine);
	if (precise_text(machine, precise))
		printf("precise events       %s\n", precise);
	if (machine->pmu && machine->pmu->is_hardware)
		printf("event names          %s\n",
		       model ? model : "libpfm4 does not know this CPU");
}

static void show_limits(const struct pfm_info *info)
{
	char value[VALUE_SIZE];

	printf("bytes in a call      %llu\n", (unsigned long long)info->arg_mem_max);
	printf("event sets           %u\n", info->max_sets);
	printf("message queue        %u\n", info->message_queue_depth);
	printf("threads monitored    %s\n", read_value("task_sessions_count", value));
	printf("CPUs monitored       %s\n", read_value("sys_sessions_count", value));
	printf("policy               %s\n", read_value("policy", value));
	printf("group                %s\n", read_value("task_group", value));
}

static unsigned int count_bits(const uint64_t *set, unsigned int first, unsigned int last)
{
	unsigned int count = 0;

	for (unsigned int i = first; i < last; i++)
		count += register_in(set, i);
	return count;
}

static void show_counters(const struct pfm_info *info)
{
	uint64_t available[PFM_PMD_BV];

	for (unsigned int i = 0; i < PFM_PMD_BV; i++)
		available[i] = info->counter_pmds[i] & info->available_pmds[i];
	printf("counters             %u, %u of them available, and %u virtual\n",
	       count_bits(info->counter_pmds, 0, PFM_VIRTUAL_PMD_BASE),
	       count_bits(available, 0, PFM_VIRTUAL_PMD_BASE),
	       count_bits(info->implemented_pmds, PFM_VIRTUAL_PMD_BASE, PFM_MAX_PMDS));
}

static void show_pmd(const struct pfm_info *info, unsigned int pmd)
{
	char name[VALUE_SIZE], width[VALUE_SIZE];

	read_attribute(info, "pmd", pmd, "name", name);
	read_attribute(info, "pmd", pmd, "width", width);
	printf("%-8u %-24s %-6s %s%s\n", pmd, name, width,
	       pmd >= PFM_VIRTUAL_PMD_BASE	      ? "virtual"
	       : register_in(info->counter_pmds, pmd) ? "counter"
						      : "",
	       register_in(info->available_pmds, pmd) ? "" : ", held");
}

/*
 * Returns the number of consecutive PMDs, beginning with @first, that are neither counters nor
 * virtual.
 */
static unsigned int count_sampled(const struct pfm_info *info, unsigned int first)
{
	unsigned int end = first;

	while (end < PFM_VIRTUAL_PMD_BASE && register_in(info->implemented_pmds, end) &&
	       !register_in(info->counter_pmds, end))
		end++;
	return end - first;
}

/*
 * Show the PMDs. Intel's last branch records are up to 96 PMDs, and the other PMDs would be hard to
 * find among them. So only the first and the last PMD of a long series are shown.
 */
static void show_pmds(const struct pfm_info *info)
{
	unsigned int count;

	printf("\n%-8s %-24s %-6s kind\n", "PMD", "name", "width");
	for (unsigned int i = 0; i < PFM_MAX_PMDS; i++) {
		if (!register_in(info->implemented_pmds, i))
			continue;
		show_pmd(info, i);
		count = count_sampled(info, i);
		if (count < LONG_SERIES)
			continue;
		printf("%u-%u ...\n", i + 1, i + count - 2);
		i += count - 2;
	}
}

static void show_pmcs(const struct pfm_info *info)
{
	char name[VALUE_SIZE], value[VALUE_SIZE], reserved[VALUE_SIZE];

	printf("\n%-8s %-24s %-18s reserved\n", "PMC", "name", "default");
	for (unsigned int i = 0; i < PFM_MAX_PMCS; i++) {
		if (!register_in(info->implemented_pmcs, i))
			continue;
		read_attribute(info, "pmc", i, "name", name);
		read_attribute(info, "pmc", i, "dfl_val", value);
		read_attribute(info, "pmc", i, "rsvd_msk", reserved);
		printf("%-8u %-24s %-18s %s%s\n", i, name, value, reserved,
		       register_in(info->available_pmcs, i) ? "" : ", held");
	}
}

static void show_costs_of_cpu(int cpu, const struct pfm_statistics *costs)
{
	char mean[VALUE_SIZE] = "-";

	if (costs->timed_interrupts)
		snprintf(mean, sizeof(mean), "%.0f",
			 (double)costs->timed_ns / (double)costs->timed_interrupts);
	printf("%-8d %12ju %8s %10ju %12ju %8ju %9ju %12ju %12ju %8ju %12ju\n", cpu,
	       (uintmax_t)costs->interrupts, mean, (uintmax_t)costs->spurious,
	       (uintmax_t)costs->samples, (uintmax_t)costs->lost,
	       (uintmax_t)costs->throttled, (uintmax_t)costs->switches,
	       (uintmax_t)costs->set_switches, (uintmax_t)costs->copies,
	       (uintmax_t)costs->not_followed);
}

static void show_costs_heading(void)
{
	printf("\n%-8s %12s %8s %10s %12s %8s %9s %12s %12s %8s %12s\n", "CPU",
	       "interrupts", "ns each", "spurious", "samples", "lost", "throttled",
	       "switches", "set switches", "copies", "not followed");
}

/* Returns 0 or an errno. */
static int ask_costs(int fd, int cpu, struct pfm_statistics *costs)
{
	memset(costs, 0, sizeof(*costs));
	costs->flags = PFM_STATISTICS_CPU;
	costs->cpu = (uint32_t)cpu;
	return pfm_get_statistics(fd, costs) ? errno : 0;
}

/*
 * Show what monitoring has cost on each CPU, online or not. Shows nothing if the user may not see
 * the costs, or if the module is too old to report them.
 */
static void show_costs(void)
{
	const long count = sysconf(_SC_NPROCESSORS_CONF);
	struct pfm_statistics costs;
	int fd = pfm_open_device(), error;

	if (fd == -1)
		return;
	for (int cpu = 0; cpu < count; cpu++) {
		error = ask_costs(fd, cpu, &costs);
		if (error == EPERM || error == ENOTTY)
			break;
		if (!cpu)
			show_costs_heading();
		if (!error) /* the numbers of the CPUs may have gaps */
			show_costs_of_cpu(cpu, &costs);
	}
	close(fd);
}

int command_info(int argc, char **argv)
{
	struct machine machine = { 0 };
	const char *pmu = NULL;
	int result;

	result = options_parse(argc, argv, &line, &pmu);
	if (result)
		return result > 0 ? EXIT_SUCCESS : EXIT_PFMON;
	if (optind < argc) {
		fail("'pfmon info' takes no arguments: see 'pfmon info --help'");
		return EXIT_PFMON;
	}
	if (machine_look(&machine, pmu))
		return EXIT_PFMON;
	show_module(&machine.info);
	show_pmu(&machine);
	show_limits(&machine.info);
	show_counters(&machine.info);
	show_pmds(&machine.info);
	show_pmcs(&machine.info);
	show_costs();
	return EXIT_SUCCESS;
}
