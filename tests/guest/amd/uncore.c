// SPDX-License-Identifier: GPL-2.0-only
#include <linux/perf_event.h>
#include <stdio.h>
#include <sys/syscall.h>

#include "measure.h"
#include "system_wide.h"
#include "uncore.h"
#include "x86_registers.h"

static void (*to_check)(void);

static void check_with_module(void)
{
	with_parameters(UNCORE_MODULE, "", to_check);
}

void with_uncore(void (*check)(void))
{
	if (access(module_path(UNCORE_MODULE), F_OK) ||
	    !strstr(read_text("/proc/cpuinfo"), " perfctr_llc"))
		skip("no L3 counters of AMD");
	to_check = check;
	with_test_registers(check_with_module);
}

void look_up(unsigned int cpu, uint64_t lookups)
{
	pin(cpu);
	msr_write(TEST_L3, lookups);
}

void access_memory(unsigned int cpu, uint64_t accesses)
{
	pin(cpu);
	msr_write(TEST_DF, accesses);
}

int l3_context(unsigned int cpu)
{
	int fd = system_wide_context_of("amd_l3");

	use(fd, 0, L3_MISS, 0);
	use(fd, 1, L3_ALL, 0);
	load(fd, cpu);
	return fd;
}

int df_context(unsigned int cpu)
{
	int fd = system_wide_context_of("amd_df");

	use(fd, 0, DF_DRAM, 0);
	load(fd, cpu);
	return fd;
}

bool has_two_packages(void)
{
	char path[80];

	snprintf(path, sizeof(path),
		 "/sys/devices/system/cpu/cpu%u/topology/physical_package_id",
		 cpus_online() - 1);
	return read_number(path) == 1;
}

int perf_df(unsigned int cpu)
{
	struct perf_event_attr attr = {
		.type = read_number(PERF_DF "type"),
		.size = sizeof(attr),
		.config = DF_DRAM,
		.pinned = 1,
	};
	int fd = syscall(SYS_perf_event_open, &attr, -1, cpu, -1, 0);

	ck_assert_msg(fd >= 0, "perf_event_open: %s", strerror(errno));
	return fd;
}

uint64_t perf_count(int fd)
{
	uint64_t count;

	ck_assert_int_eq(read(fd, &count, sizeof(count)), sizeof(count));
	return count;
}

void perf_must_have_all(unsigned int cpu)
{
	int perf[DF_COUNTERS];
	unsigned int n;

	for (n = 0; n < DF_COUNTERS; n++)
		perf[n] = perf_df(cpu);
	access_memory(cpu, 10);
	for (n = 0; n < DF_COUNTERS; n++) {
		ck_assert_uint_eq(perf_count(perf[n]), 10);
		close(perf[n]);
	}
}
