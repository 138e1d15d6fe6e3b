/* SPDX-License-Identifier: GPL-2.0-only */
/* Functions for tests of PMUs "amd_l3" and "amd_df". The patched QEMU simulates their events. */
#ifndef UNCORE_H
#define UNCORE_H

#include <perfmon/perfmon_amd_uncore.h>
#include <stdbool.h>
#include <stdint.h>

#define UNCORE_MODULE "perfmon_amd_uncore"
#define L3_MISS	      0x0104ull
#define L3_ALL	      0xff04ull
#define DF_DRAM	      0x3807ull
#define L3_COUNTERS   6
#define DF_COUNTERS   4

/* Loads the modules perfmon_msr and perfmon_amd_uncore, and calls @check on CPU 0. */
void with_uncore(void (*check)(void));

/* Simulates @lookups lookups in the L3 of @cpu. A quarter of them are misses. */
void look_up(unsigned int cpu, uint64_t lookups);
/* Simulates @accesses accesses to memory from the package of @cpu. */
void access_memory(unsigned int cpu, uint64_t accesses);

/* Returns a context on @cpu that counts L3_MISS in PMD 0 and L3_ALL in PMD 1. */
int l3_context(unsigned int cpu);
/* Returns a context on @cpu that counts DF_DRAM in PMD 0. */
int df_context(unsigned int cpu);

/* Returns whether one half of the CPUs is in one package and the other half in another package. */
bool has_two_packages(void);

/* The folder of perf's PMU, which exists if perf has a driver for the data fabric. */
#define PERF_DF "/sys/bus/event_source/devices/amd_df/"
/* Opens a pinned perf event that counts DF_DRAM on @cpu. */
int perf_df(unsigned int cpu);
uint64_t perf_count(int fd);
/* perf must be able to use all counters of the data fabric on @cpu. */
void perf_must_have_all(unsigned int cpu);

#endif
