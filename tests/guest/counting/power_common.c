// SPDX-License-Identifier: GPL-2.0-only
/* POWER: helpers that the suites about its PMU share. */
#if defined(__powerpc64__)

#include "power.h"

void need_exact_power(void)
{
	need_power();
	if (!is_deterministic())
		skip("QEMU counts instructions only with --icount");
}

/* From POWER10 on, the kernel disables the branch history buffer with bit 37 of MMCRA. */
uint64_t idle_mmcra(void)
{
	return pmu()->info.pmu_id >> 16 >= 0x80 ? BIT(37) : 0;
}

uint64_t select_event(unsigned int n, uint64_t event)
{
	return event << PFM_POWER_MMCR1_SELECT_SHIFT(n);
}

uint64_t most_around(uint64_t instructions)
{
	return 100000 + instructions / 50;
}

void must_get_back(void)
{
	int event;

	while ((event = perf_open(CYCLES_1_TO_4, false, 0, -1, -1)) == -1)
		usleep(20000); /* the kernel logs each attempt, so make only a few */
	close(event);
}

int four_counters(void)
{
	int fd = make_context();
	unsigned int n;

	write_pmc(fd, PFM_POWER_MMCR1,
		  select_event(1, INSTRUCTIONS_1_TO_4) | select_event(2, CYCLES_1_TO_4));
	for (n = 1; n <= 2; n++) {
		write_pmd(fd, n, 0);
		write_pmd(fd, PMC5 + n - 1, 0);
	}
	return fd;
}

#endif
