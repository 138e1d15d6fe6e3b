// SPDX-License-Identifier: GPL-2.0-only
/* The kinds of PMU that pfmon can program. */
#include <stdio.h>
#include <string.h>

#include "pmu.h"

/*
 * A description without is_model() fits every CPU, so it comes after the other descriptions with
 * the same name.
 */
static const struct pmu *const pmus[] = {
	&pmu_amd_k8,
	&pmu_amd_15h,
	&pmu_amd_17h,
	&pmu_amd_ibs,
	&pmu_amd_l3,
	&pmu_amd_df,
	&pmu_armv8,
	&pmu_intel_core2,
	&pmu_intel_nehalem,
	&pmu_intel_westmere,
	&pmu_intel_sandybridge,
	&pmu_intel_ivybridge,
	&pmu_intel_haswell,
	&pmu_intel_broadwell,
	&pmu_intel_skylake,
	&pmu_intel_icelake,
	&pmu_intel_sapphirerapids,
	&pmu_intel,
	&pmu_power8,
	&pmu_power9,
	&pmu_power10,
	&pmu_soft,
};

/* PMUs that pfmon uses only if the user names them. */
static const struct pmu *const further[] = { &pmu_amd_ibs, &pmu_amd_l3, &pmu_amd_df };

const struct pmu *pmu_find(const char *name, uint64_t id)
{
	for (size_t i = 0; i < sizeof(pmus) / sizeof(pmus[0]); i++)
		if (!strcmp(pmus[i]->name, name) &&
		    (!pmus[i]->is_model || pmus[i]->is_model(id)))
			return pmus[i];
	return NULL;
}

unsigned int pmu_encode_code(const struct pmu *pmu, uint64_t code, unsigned int modes,
			     uint16_t pmd, struct pmc_bits bits[MAX_PMCS_PER_EVENT])
{
	(void)pmu;
	(void)modes;
	bits[0] = (struct pmc_bits){ .pmc = pmd, .value = code, .mask = ~0ull };
	return 1;
}

static bool can_use(const struct pmu *pmu, const struct pfm_info *info, uint64_t code,
		    uint16_t pmd)
{
	struct pmc_bits bits[MAX_PMCS_PER_EVENT];
	unsigned int count;

	if (!register_in(info->available_pmds, pmd))
		return false;
	count = pmu->encode(pmu, code, MODE_BOTH, pmd, bits);
	for (unsigned int i = 0; i < count; i++)
		if (!register_in(info->available_pmcs, bits[i].pmc))
			return false;
	return count > 0;
}

static bool contains(const uint16_t *pmds, unsigned int count, uint16_t pmd)
{
	for (unsigned int i = 0; i < count; i++)
		if (pmds[i] == pmd)
			return true;
	return false;
}

static bool applies(const struct counter_rule *rule, uint64_t code)
{
	code &= rule->mask;
	return code == rule->code || (code > rule->code && code <= rule->upto);
}

unsigned int pmu_counters(const struct pmu *pmu, const struct pfm_info *info,
			  uint64_t code, uint16_t *pmds)
{
	unsigned int count = 0;

	for (size_t i = 0; i < pmu->rule_count; i++) {
		const struct counter_rule *rule = &pmu->rules[i];

		if (!applies(rule, code))
			continue;
		for (uint16_t pmd = rule->first; pmd <= rule->last; pmd++)
			if (can_use(pmu, info, code, pmd) && !contains(pmds, count, pmd))
				pmds[count++] = pmd;
		if (rule->only)
			break;
	}
	return count;
}

unsigned int pmu_counters_text(const struct pmu *pmu, const struct pfm_info *info,
			       uint64_t code, char text[PMU_COUNTERS_TEXT])
{
	uint16_t pmds[PFM_MAX_HARDWARE];
	unsigned int count = pmu_counters(pmu, info, code, pmds), end;
	int length = 0;

	strcpy(text, "-");
	for (unsigned int pmd = 0; pmd < PFM_MAX_HARDWARE; pmd = end + 1) {
		end = pmd;
		if (!contains(pmds, count, (uint16_t)pmd))
			continue;
		while (contains(pmds, count, (uint16_t)(end + 1)))
			end++;
		length += sprintf(text + length, "%s%u", length ? "," : "", pmd);
		if (end > pmd)
			length += sprintf(text + length, "-%u", end);
	}
	return count;
}

const struct common_event *pmu_common(const struct pmu *pmu, const char *name)
{
	for (size_t i = 0; i < pmu->common_count; i++) {
		const struct common_event *event = &pmu->common[i];

		if (!strcmp(event->name, name) ||
		    (event->alias && !strcmp(event->alias, name)))
			return event;
	}
	return NULL;
}

const char *pmu_own_event(const struct pmu *pmu, const char *name)
{
	size_t length = strlen(pmu->name);

	return !strncmp(name, pmu->name, length) && !strncmp(name + length, "::", 2)
		       ? name + length + 2
		       : NULL;
}

const struct pmu *pmu_further(size_t index)
{
	return index < sizeof(further) / sizeof(further[0]) ? further[index] : NULL;
}

const struct pmu *pmu_to_give(const char *name)
{
	const struct pmu *pmu;

	for (size_t i = 0; (pmu = pmu_further(i)); i++)
		if (pmu_own_event(pmu, name) || pmu_common(pmu, name))
			return pmu;
	return NULL;
}

bool pmu_names_hardware(const char *name)
{
	for (size_t i = 0; i < sizeof(pmus) / sizeof(pmus[0]); i++)
		if (pmus[i]->is_hardware && pmu_common(pmus[i], name))
			return true;
	return false;
}

const char *pmu_refusal(const struct pmu *pmu, uint64_t code)
{
	return pmu->refusal ? pmu->refusal(pmu, code) : NULL;
}

bool pmu_common_code(const struct pmu *pmu, const struct common_event *event,
		     uint64_t *code)
{
	for (unsigned int i = 0; i < event->code_count; i++) {
		if (!pmu->has_code || pmu->has_code(event->codes[i])) {
			*code = event->codes[i];
			return true;
		}
	}
	return false;
}

enum event_role pmu_role(const struct pmu *pmu, uint64_t code)
{
	for (size_t i = 0; i < pmu->common_count; i++)
		for (unsigned int j = 0; j < pmu->common[i].code_count; j++)
			if (pmu->common[i].codes[j] == code)
				return pmu->common[i].role;
	return ROLE_OTHER;
}
