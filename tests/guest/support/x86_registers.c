// SPDX-License-Identifier: GPL-2.0-only
#include <fcntl.h>
#include <stdio.h>

#include "measure.h"
#include "x86_registers.h"

#define MSR_PARAMETERS "/sys/module/perfmon_msr/parameters/"
#define WANTED_ID      0x504d5501

/* ---- model-specific registers ----------------------------------------------------------- */

static void choose(uint32_t msr)
{
	char text[16];

	snprintf(text, sizeof(text), "%#x", msr);
	write_text(MSR_PARAMETERS "number", text);
}

uint64_t msr_read(uint32_t msr)
{
	choose(msr);
	return strtoull(read_text(MSR_PARAMETERS "value"), NULL, 0);
}

int msr_try_write(uint32_t msr, uint64_t value)
{
	char text[32];

	choose(msr);
	snprintf(text, sizeof(text), "%#llx", (unsigned long long)value);
	return try_write_text(MSR_PARAMETERS "value", text);
}

void msr_write(uint32_t msr, uint64_t value)
{
	int error = msr_try_write(msr, value);

	ck_assert_msg(!error, "MSR %#x = %#llx: %s", msr, (unsigned long long)value,
		      strerror(error));
}

static struct {
	int file;
	char text[32];
	size_t length;
} chosen;

void msr_choose(uint32_t msr, uint64_t value)
{
	choose(msr);
	if (!chosen.file)
		chosen.file = open(MSR_PARAMETERS "value", O_WRONLY | O_CLOEXEC);
	ck_assert_msg(chosen.file > 0, "perfmon_msr: %s", strerror(errno));
	chosen.length = snprintf(chosen.text, sizeof(chosen.text), "%#llx",
				 (unsigned long long)value);
}

void msr_write_chosen(void)
{
	if (write(chosen.file, chosen.text, chosen.length) != (ssize_t)chosen.length)
		ck_abort_msg("%s: %s", chosen.text, strerror(errno));
}

/* ---- the emulated PMU's registers for tests ---------------------------------------------- */

static void (*to_check)(void);

static void put_back(void)
{
	msr_write(TEST_DELAY, 0);
	msr_write(TEST_LOSE, 0);
}

static bool has_test_registers(void)
{
	char text[32];

	choose(TEST_ID);
	return try_read_text(MSR_PARAMETERS "value", text, sizeof(text)) != -1 &&
	       strtoull(text, NULL, 0) == WANTED_ID;
}

static void check_with_registers(void)
{
	if (!has_test_registers())
		skip("no emulated x86 PMU with registers for tests");
	then_put_back(to_check, put_back);
}

void with_test_registers(void (*check)(void))
{
	if (access(module_path("perfmon_msr"), F_OK))
		skip("no x86 processor");
	to_check = check;
	pin(0);
	with_module("perfmon_msr", check_with_registers);
}

void with_own_counters(void (*check)(void))
{
	need_x86();
	need_known_instructions();
	if (counters_are_shared())
		skip("the counters are shared with perf");
	with_test_registers(check);
}

void accesses_reset(void)
{
	unsigned int kind;

	for (kind = 0; kind < ACCESSES; kind++)
		msr_write(TEST_ACCESSES + kind, 0);
}

uint64_t accesses(enum access kind)
{
	return msr_read(TEST_ACCESSES + kind);
}

void wait_for_unknown_nmi_reports(void)
{
	sleep(6);
	reports_begin();
	msr_write(TEST_DO, DO_FOREIGN_NMI);
	reports_end(UNKNOWN_NMI);
	usleep(10000);
}

uint64_t interrupts(const char *name)
{
	char *line = strstr(read_text("/proc/interrupts"), name), *end;
	uint64_t sum = 0, number;

	ck_assert_msg(line, "/proc/interrupts has no %s", name);
	for (line += strlen(name);; line = end) {
		number = strtoull(line, &end, 10);
		if (end == line)
			return sum;
		sum += number;
	}
}
