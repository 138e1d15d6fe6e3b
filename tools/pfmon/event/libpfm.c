// SPDX-License-Identifier: GPL-2.0-only
/*
 * All uses of libpfm4 are in this file, because the headers of libpfm4 and libpfmdev
 * define the same names.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <perfmon/pfmlib.h>

#include "libpfm.h"

static bool is_ready(void)
{
	static bool is_tried, is_up;

	if (!is_tried) {
		is_tried = true;
		is_up = pfm_initialize() == PFM_SUCCESS;
	}
	return is_up;
}

/*
 * Returns whether @pmu is a PMU of this machine's cores. libpfm4 also has PMUs for the events of
 * perf, and for counters outside the cores. Stores libpfm4's description of @pmu in @info.
 */
static bool is_core_pmu(pfm_pmu_t pmu, pfm_pmu_info_t *info)
{
	memset(info, 0, sizeof(*info));
	info->size = sizeof(*info);
	return pfm_get_pmu_info(pmu, info) == PFM_SUCCESS && info->is_present &&
	       info->type == PFM_PMU_TYPE_CORE;
}

static enum libpfm_result encode_for(const pfm_pmu_info_t *pmu, const char *name,
				     uint64_t *code, uint64_t *extra, const char **reason)
{
	pfm_pmu_encode_arg_t argument = { .size = sizeof(argument) };
	enum libpfm_result result = LIBPFM_OK;
	char full[256];
	int error;

	if ((size_t)snprintf(full, sizeof(full), "%s%s%s",
			     strstr(name, "::") ? "" : pmu->name,
			     strstr(name, "::") ? "" : "::", name) >= sizeof(full))
		return LIBPFM_UNKNOWN;
	error = pfm_get_os_event_encoding(full, PFM_PLM0 | PFM_PLM3, PFM_OS_NONE,
					  &argument);
	switch (error) {
	case PFM_SUCCESS:
		if (argument.count != 1 && argument.count != 2) {
			*reason = "it needs more than two registers";
			result = LIBPFM_FAILED;
		} else {
			*code = argument.codes[0];
			*extra = argument.count == 2 ? argument.codes[1] : 0;
		}
		free(argument.codes);
		return result;
	case PFM_ERR_NOTFOUND:
		return LIBPFM_UNKNOWN;
	case PFM_ERR_UMASK:
	case PFM_ERR_ATTR:
	case PFM_ERR_ATTR_VAL:
	case PFM_ERR_FEATCOMB:
		*reason = pfm_strerror(error);
		return LIBPFM_UMASK;
	default:
		*reason = pfm_strerror(error);
		return LIBPFM_FAILED;
	}
}

enum libpfm_result libpfm_encode(const char *name, uint64_t *code, uint64_t *extra,
				 const char **reason)
{
	enum libpfm_result result = LIBPFM_UNKNOWN;
	const char *prefix_end = strstr(name, "::");
	pfm_pmu_info_t info;
	int pmu;

	if (!is_ready())
		return LIBPFM_UNKNOWN;
	pfm_for_all_pmus(pmu)
	{
		if (!is_core_pmu(pmu, &info))
			continue;
		if (prefix_end && (strlen(info.name) != (size_t)(prefix_end - name) ||
				   strncmp(info.name, name, prefix_end - name)))
			continue;
		result = encode_for(&info, name, code, extra, reason);
		if (result != LIBPFM_UNKNOWN)
			break;
	}
	return result;
}

const char *libpfm_model(void)
{
	pfm_pmu_info_t info;
	int pmu;

	if (!is_ready())
		return NULL;
	pfm_for_all_pmus(pmu) if (is_core_pmu(pmu, &info)) return info.desc;
	return NULL;
}

static void visit_event(const pfm_event_info_t *event,
			void (*visit)(void *, const char *, const char *), void *data)
{
	pfm_event_attr_info_t attribute;
	char name[256];
	int i;

	visit(data, event->name, event->desc);
	pfm_for_each_event_attr(i, event)
	{
		memset(&attribute, 0, sizeof(attribute));
		attribute.size = sizeof(attribute);
		if (pfm_get_event_attr_info(event->idx, i, PFM_OS_NONE, &attribute) !=
			    PFM_SUCCESS ||
		    attribute.type != PFM_ATTR_UMASK)
			continue;
		snprintf(name, sizeof(name), "%s:%s", event->name, attribute.name);
		visit(data, name, attribute.desc);
	}
}

void libpfm_for_each(void (*visit)(void *data, const char *name, const char *description),
		     void *data)
{
	pfm_event_info_t event;
	pfm_pmu_info_t info;
	int pmu;

	if (!is_ready())
		return;
	pfm_for_all_pmus(pmu)
	{
		if (!is_core_pmu(pmu, &info))
			continue;
		for (int i = info.first_event; i != -1; i = pfm_get_event_next(i)) {
			memset(&event, 0, sizeof(event));
			event.size = sizeof(event);
			if (pfm_get_event_info(i, PFM_OS_NONE, &event) == PFM_SUCCESS)
				visit_event(&event, visit, data);
		}
	}
}
