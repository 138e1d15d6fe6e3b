// SPDX-License-Identifier: GPL-2.0-only
/* perfmon-emulator; see emulator.h. */
#if defined(__x86_64__)

#include <cpuid.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

#include "emulator.h"

#define AMD_PERFCTR_CORE BIT(23) /* CPUID 8000_0001 ECX */
#define AMD_PERFMON_V2	 BIT(0) /* CPUID 8000_0022 EAX */

static void ask_amd(struct x86_pmu *pmu)
{
	unsigned int eax = 0, ebx = 0, ecx = 0, edx = 0;

	__get_cpuid(0x80000001, &eax, &ebx, &ecx, &edx);
	pmu->counters = ecx & AMD_PERFCTR_CORE ? 6 : 4;
	if (__get_cpuid(0x80000022, &eax, &ebx, &ecx, &edx) && eax & AMD_PERFMON_V2) {
		pmu->version = 2;
		pmu->counters = ebx & 0xf;
	}
}

const struct x86_pmu *x86_pmu(void)
{
	static struct x86_pmu pmu;
	unsigned int eax, ebx, ecx, edx;

	if (pmu.counters)
		return &pmu;
	__cpuid(0, eax, ebx, ecx, edx);
	pmu.is_intel = ebx == signature_INTEL_ebx;
	if (!pmu.is_intel) {
		ask_amd(&pmu);
		return &pmu;
	}
	__cpuid(0xa, eax, ebx, ecx, edx);
	pmu.version = eax & 0xff;
	pmu.counters = eax >> 8 & 0xff;
	pmu.fixed = pmu.version >= 2 ? edx & 0x1f : 0;
	return &pmu;
}

int try_event(uint32_t type, uint64_t config, const struct wanted *wanted)
{
	struct perf_event_attr attr = {
		.type = type,
		.size = sizeof(attr),
		.config = config,
		.sample_period = wanted->period,
		.sample_type = PERF_SAMPLE_IP,
		.disabled = wanted->group == -1,
		.exclude_user = !wanted->user,
		.exclude_kernel = !wanted->kernel,
	};

	return syscall(SYS_perf_event_open, &attr, 0, -1, wanted->group,
		       PERF_FLAG_FD_CLOEXEC);
}

int event(uint32_t type, uint64_t config, const struct wanted *wanted)
{
	int fd = try_event(type, config, wanted);

	ck_assert_msg(fd != -1, "perf_event_open %u:%llx: %s", type,
		      (unsigned long long)config, strerror(errno));
	return fd;
}

void group_enable(int leader)
{
	ioctl(leader, PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP);
	ioctl(leader, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
}

void group_disable(int leader)
{
	ioctl(leader, PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP);
}

uint64_t value_of(int fd)
{
	uint64_t value;

	if (read(fd, &value, sizeof(value)) != sizeof(value))
		ck_abort_msg("read: %s", strerror(errno));
	return value;
}

uint64_t counted_in_loop(int leader, uint64_t instructions)
{
	group_enable(leader);
	loop(instructions);
	group_disable(leader);
	return value_of(leader);
}

const struct test_program the_program = {
	.about =
		"Test the x86 PMU that QEMU has for the guests of this project, with all suites,\n"
		"or with those that are named.  Run as root, while no PMU module is loaded.",
};

#endif
