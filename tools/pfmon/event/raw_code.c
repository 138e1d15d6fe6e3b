// SPDX-License-Identifier: GPL-2.0-only
/* Read raw codes, and say which bits of a code are wrong. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../common/errors.h"
#include "raw_code.h"

static bool is_hexadecimal(const char *digits, size_t length)
{
	return length > 0 && strspn(digits, "0123456789abcdefABCDEF") >= length;
}

bool raw_code_is(const char *name)
{
	const char *colon = strchr(name, ':');
	size_t length = colon ? (size_t)(colon - name) : strlen(name);

	return name[0] == 'r' && is_hexadecimal(name + 1, length - 1) &&
	       (!colon || is_hexadecimal(colon + 1, strlen(colon + 1)));
}

static int fail_too_large(const char *name, const struct pmu *pmu)
{
	return fail("event code '%s' is too large: the codes of PMU %s go up to r%llx",
		    name, pmu->name, (unsigned long long)pmu->code_mask);
}

/*
 * Refuse @code if it has a bit that no code of @pmu has. Such a bit may lie between valid bits, as
 * bit 21 does on Intel.
 */
static int check_bits(const char *name, const struct pmu *pmu, uint64_t code)
{
	const uint64_t wrong = code & ~pmu->code_mask;
	const char *reason;

	if (!wrong)
		return 0;
	if (wrong > pmu->code_mask)
		return fail_too_large(name, pmu);
	reason = pmu_refusal(pmu, code);
	if (reason)
		return fail("event '%s' cannot be counted, because %s", name, reason);
	return fail("event code '%s' is wrong: bit %d does not belong to the codes of "
		    "PMU %s",
		    name, __builtin_ctzll(wrong), pmu->name);
}

int raw_code_parse(const char *name, const struct pmu *pmu, uint64_t *code,
		   uint64_t *extra)
{
	char *end;

	errno = 0;
	*code = strtoull(name + 1, &end, 16);
	if (errno)
		return fail_too_large(name, pmu);
	*extra = *end ? strtoull(end + 1, NULL, 16) : 0;
	if (errno)
		return fail(
			"event code '%s' is too large: the second register has 64 bits",
			name);
	return check_bits(name, pmu, *code);
}
