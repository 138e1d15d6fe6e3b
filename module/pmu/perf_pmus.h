/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Functions that find perf's PMUs, for the PMU modules that share hardware with perf.  Kernels
 * export neither a list of these PMUs nor their bus.  But an event points to its PMU, and a PMU's
 * device points to the bus.
 */
#ifndef PERFMON_PERF_PMUS_H
#define PERFMON_PERF_PMUS_H

#include <linux/device.h>
#include <linux/perf_event.h>

/**
 * perf_idle_event() - create an event that does not count
 * @cpu: the event's CPU, which must be online
 * @type: PERF_TYPE_*
 * @config: PERF_COUNT_*; with PERF_TYPE_RAW, the event's number in the PMU
 *
 * Process context, may sleep.
 *
 * The caller releases the event with perf_event_release_kernel().
 *
 * Return: the event, or an error pointer, which is -ENOENT if no PMU of perf has the event
 */
static inline struct perf_event *perf_idle_event(int cpu, u32 type, u64 config)
{
	struct perf_event_attr attr = {
		.type = type,
		.size = sizeof(attr),
		.config = config,
		.disabled = 1,
	};

	return perf_event_create_kernel_counter(&attr, cpu, NULL, NULL, NULL);
}

/**
 * perf_pmu_named() - find one of perf's PMUs
 * @any: the device of any of perf's PMUs
 * @name: as in /sys/bus/event_source/devices
 *
 * Process context.  The caller makes sure that the PMU's driver stays loaded during this call and
 * while the returned PMU is used.
 *
 * Return: the PMU; NULL if perf has no PMU of this name
 */
static inline struct pmu *perf_pmu_named(const struct device *any, const char *name)
{
	struct device *device = bus_find_device_by_name(any->bus, NULL, name);
	struct pmu *pmu = device ? dev_get_drvdata(device) : NULL;

	put_device(device);
	return pmu;
}

#endif /* PERFMON_PERF_PMUS_H */
