// SPDX-License-Identifier: GPL-2.0-only
/* Uses perf_event to test that the emulated PMU counts exactly what is executed. */
#if defined(__x86_64__)

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "emulator.h"

SUITE(counts, 120);

/*
 * Ten instructions of loop() must count as @in_ten_instructions events. The program also executes a
 * few instructions between the start of the counter and the loop, and between the loop and the
 * stop. These instructions must always cause the same number of events.
 */
static void must_count(uint32_t type, uint64_t config, unsigned int in_ten_instructions)
{
	int fd = event(type, config, AT_USER_LEVEL), length, again;
	uint64_t around, beside = 0;

	for (length = 1; length <= 4; length *= 2) {
		for (again = 0; again < 5; again++) {
			around = counted_in_loop(fd, length * MILLION) -
				 length * MILLION / 10 * in_ten_instructions;
			if (!beside)
				beside = around;
			ck_assert_uint_eq(around, beside);
		}
	}
	must_be_between(beside, 1, 99);
	close(fd);
}

TEST(events_of_loops)
{
	must_count(HARDWARE(INSTRUCTIONS), 10);
	must_count(HARDWARE(CPU_CYCLES), 10);
	must_count(HARDWARE(BRANCH_INSTRUCTIONS), 1);
	must_count(RAW(RAW_INSTRUCTIONS), 10);
	/* perf can count this event only on a fixed counter. */
	if (x86_pmu()->fixed)
		must_count(HARDWARE(REF_CPU_CYCLES), 10);
}

static uint64_t counted_in_copy(int fd, uint64_t bytes)
{
	static char from[4096], to[4096];
	char *source = from, *target = to;

	memset(from, 1, sizeof(from));
	memset(to, 1, sizeof(to));
	group_enable(fd);
	__asm__ volatile("rep movsb"
			 : "+D"(target), "+S"(source), "+c"(bytes)
			 :
			 : "memory");
	group_disable(fd);
	return value_of(fd);
}

TEST(a_string_instruction_with_repeats_counts_once)
{
	int fd = event(HARDWARE(INSTRUCTIONS), AT_USER_LEVEL);

	counted_in_copy(fd, 10);
	ck_assert_uint_eq(counted_in_copy(fd, 10), counted_in_copy(fd, 4000));
}

/*
 * A PMU before version 2 has no register that stops all counters at the same time, so the counters
 * of a group stop one by one.
 */
TEST(user_and_kernel_add_up)
{
	uint64_t apart = x86_pmu()->version >= 2 ? 0 : 2000;
	int user, kernel, both, i;

	user = event(HARDWARE(INSTRUCTIONS), AT_USER_LEVEL);
	kernel = event(HARDWARE(INSTRUCTIONS),
		       &(struct wanted){ .kernel = true, .group = user });
	both = event(HARDWARE(INSTRUCTIONS),
		     &(struct wanted){ .user = true, .kernel = true, .group = user });
	group_enable(user);
	for (i = 0; i < 1000; i++)
		getppid();
	group_disable(user);
	must_be_between(value_of(user), 4000, 20000);
	must_be_between(value_of(kernel), 50000, 500000);
	must_be_near(value_of(both), value_of(user) + value_of(kernel), apart);
}

TEST(all_counters_of_a_group_count_the_same)
{
	unsigned int n, counters = x86_pmu()->counters;
	int fds[32];

	/* A boot parameter turns off the NMI watchdog, which would use a counter. */
	fds[0] = event(RAW(RAW_INSTRUCTIONS), AT_USER_LEVEL);
	for (n = 1; n < counters; n++)
		fds[n] = event(RAW(RAW_INSTRUCTIONS),
			       &(struct wanted){ .user = true, .group = fds[0] });
	ck_assert_uint_gt(counted_in_loop(fds[0], MILLION), MILLION);
	for (n = 1; n < counters; n++)
		ck_assert_uint_eq(value_of(fds[n]), value_of(fds[0]));
}

static uint64_t loop_often(uint64_t times)
{
	while (times--)
		loop(MILLION);
	return 0;
}

/* An event of one process does not count the instructions of another process. */
TEST(another_process_is_not_counted)
{
	int fd = event(HARDWARE(INSTRUCTIONS), AT_USER_LEVEL);
	struct child child = child_new();
	uint64_t alone, together;

	alone = counted_in_loop(fd, 20 * MILLION);
	child_begin(&child, loop_often, 20);
	together = counted_in_loop(fd, 20 * MILLION);
	child_finish(&child);
	ck_assert_uint_eq(together, alone);
	child_exit(&child);
}

static uint64_t rdpmc(uint32_t index)
{
	uint32_t low, high;

	__asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(index));
	return low | (uint64_t)high << 32;
}

/* Reads the counter as linux/perf_event.h describes, without the parts for several CPUs. */
static uint64_t read_by_program(volatile struct perf_event_mmap_page *page)
{
	unsigned int beyond = 64 - page->pmc_width;

	ck_assert(page->cap_user_rdpmc);
	ck_assert_uint_ne(page->index, 0);
	return page->offset + ((int64_t)(rdpmc(page->index - 1) << beyond) >> beyond);
}

TEST(a_program_reads_its_counter)
{
	int fd = event(HARDWARE(INSTRUCTIONS), AT_USER_LEVEL), i;
	volatile struct perf_event_mmap_page *page;
	uint64_t before, after = 0, beside = 0;

	page = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, 0);
	ck_assert_ptr_ne((void *)page, MAP_FAILED);
	group_enable(fd);
	for (i = 0; i < 5; i++) {
		uint32_t index = page->index - 1;

		before = rdpmc(index);
		loop(MILLION);
		after = rdpmc(index) - before;
		if (!beside)
			beside = after - MILLION;
		ck_assert_uint_eq(after, MILLION + beside);
	}
	must_be_between(beside, 1, 20);
	after = read_by_program(page);
	group_disable(fd);
	must_be_between(value_of(fd) - after, 1, 1000);
}

static uint64_t read_counter_of_nobody(uint64_t index)
{
	int fd = event(HARDWARE(INSTRUCTIONS), AT_USER_LEVEL);

	mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, 0);
	return rdpmc(index);
}

TEST(a_missing_counter_faults)
{
	static const uint32_t indices[] = { 31, 0x40000007 };
	struct child child;
	size_t i;
	int status;

	for (i = 0; i < COUNT(indices); i++) {
		child = child_new();
		child_begin(&child, read_counter_of_nobody, indices[i]);
		ck_assert_int_eq(waitpid(child.pid, &status, 0), child.pid);
		ck_assert(WIFSIGNALED(status));
		ck_assert_int_eq(WTERMSIG(status), SIGSEGV);
	}
}

#endif
