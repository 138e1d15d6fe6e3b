// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests two events of AMD's processors from family 17h on. Event 003H needs two counters. Event
 * FFFH makes two counters work as one. perfmon_amd always refuses event FFFH. It refuses event 003H
 * if the PMC selects a privilege level.
 */
#include <cpuid.h>
#include <errno.h>
#include <perfmon/perfmon_amd.h>

#include "measure.h"

SUITE(large_increments, 60);

#define FLOATING_POINT 0x003
#define MERGE	       0xf000000ff
#define ITS_NEIGHBOUR  0x002 /* an event that needs only one counter */

/*
 * Returns the processor's family: the base family plus the extended family. The extended family
 * is 0 if the base family is less than 0FH.
 */
static unsigned int family(void)
{
	unsigned int eax, ebx, ecx, edx;

	ck_assert(__get_cpuid(1, &eax, &ebx, &ecx, &edx));
	return (eax >> 8 & 0xf) + (eax >> 20 & 0xff);
}

static void need_family_17h(void)
{
	if (!pmu_is("amd") || family() < 0x17)
		skip("not an AMD processor of family 17h or later");
}

static int write_event(int fd, uint64_t event, uint64_t levels)
{
	struct pfarg_pmc pmc = { .reg_num = 0, .reg_value = event | 0xff00 | levels };

	return pfm_write_pmcs(fd, &pmc, 1);
}

TEST(an_event_that_needs_two_counters_is_refused)
{
	int fd;

	need_family_17h();
	fd = make_context();
	must_fail(fd, write_event(fd, FLOATING_POINT, PFM_AMD_PMC_USER), EINVAL,
		  PFM_REASON_PMC_VALUE, 0);
	must_fail(fd,
		  write_event(fd, FLOATING_POINT,
			      PFM_AMD_PMC_USER | PFM_AMD_PMC_EDGE | PFM_AMD_PMC_CMASK),
		  EINVAL, PFM_REASON_PMC_VALUE, 0);
	must_fail(fd, write_event(fd, FLOATING_POINT, PFM_AMD_PMC_KERNEL), EINVAL,
		  PFM_REASON_PMC_VALUE, 0);
	close(fd);
}

TEST(other_events_and_an_event_that_counts_at_no_level_are_accepted)
{
	int fd;

	need_family_17h();
	fd = make_context();
	must(fd, write_event(fd, ITS_NEIGHBOUR, PFM_AMD_PMC_USER));
	must(fd, write_event(fd, FLOATING_POINT | 1ull << 32, PFM_AMD_PMC_USER));
	must(fd, write_event(fd, FLOATING_POINT, 0));
	close(fd);
}

/*
 * Event FFFH makes two counters work as one, regardless of the privilege levels that the PMC
 * selects.
 */
TEST(the_event_that_makes_one_counter_of_two_is_refused)
{
	int fd;

	need_family_17h();
	fd = make_context();
	must_fail(fd, write_event(fd, MERGE, PFM_AMD_PMC_USER), EINVAL,
		  PFM_REASON_PMC_VALUE, 0);
	must_fail(fd, write_event(fd, MERGE, 0), EINVAL, PFM_REASON_PMC_VALUE, 0);
	must(fd, write_event(fd, MERGE & ~BIT(32), PFM_AMD_PMC_USER));
	close(fd);
}
