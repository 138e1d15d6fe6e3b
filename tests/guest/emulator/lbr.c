// SPDX-License-Identifier: GPL-2.0-only
/* Tests the last branch records of the emulated PMU. The tests use the registers, not perf. */
#if defined(__x86_64__)

#include <fcntl.h>
#include <stdio.h>

#include "emulator.h"
#include "x86_branches.h"

SUITE(lbr, 120);

#define DEBUG_CONTROL	   0x1d9
#define FREEZE_LBRS	   BIT(11)
#define EVENT_SELECT	   0x186
#define COUNTER_FULL	   0x4c1
#define GLOBAL_STATUS	   0x38e
#define GLOBAL_CONTROL	   0x38f
#define GLOBAL_ACKNOWLEDGE 0x390
#define LBR_FROZEN	   BIT(58)
/* Event select of counter 0: count instructions at user level, raise interrupts, enable. */
#define SELECT_USER	   (RAW_INSTRUCTIONS | 0x510000)

static void must_have_lbr(void)
{
	if (!has_lbr())
		skip("the processor has no last branch records");
}

static unsigned int read_records(struct branch *records)
{
	unsigned int n, count = 0;

	for (n = 0; n < LBR_MOST; n++) {
		records[n] = (struct branch){
			.from = msr_read(LBR_FROM + n),
			.to = msr_read(LBR_TO + n),
			.type = LBR_TYPE(msr_read(LBR_INFO + n)),
		};
		if (records[n].to)
			count = n + 1;
	}
	return count;
}

/*
 * The file to which record() writes, and the text that switches the recording on. Both are prepared
 * before the recording begins, so that the program itself executes only few branches during the
 * recording.
 */
static struct {
	int file;
	char on[32];
} recording;

static void stop_recording(void)
{
	if (write(recording.file, "0", 1) != 1)
		abort();
}

/*
 * Switches the recording on, calls @work and switches the recording off. Returns the number of
 * records.
 */
static unsigned int record(uint64_t control, void (*work)(void), struct branch *records)
{
	int length = snprintf(recording.on, sizeof(recording.on), "%#llx",
			      (unsigned long long)control | LBR_ENABLE);

	msr_write(LBR_DEPTH, LBR_MOST);
	msr_choose(LBR_CONTROL, 0);
	recording.file = open("/sys/module/perfmon_msr/parameters/value", O_WRONLY);
	if (write(recording.file, recording.on, length) != length)
		abort();
	work();
	stop_recording();
	close(recording.file);
	return read_records(records);
}

static bool is_same(const struct branch *record, const struct branch *branch)
{
	return record->from == branch->from && record->to == branch->to &&
	       record->type == branch->type;
}

/*
 * The records begin with the youngest one. They must contain the known branches that the filter
 * lets through, and no other branch between these known branches.
 */
static void must_have_known(const struct branch *records, unsigned int count,
			    uint64_t filter)
{
	const struct branch *known = known_branches();
	unsigned int n, at = 0;
	int i;

	for (i = KNOWN_BRANCHES - 1; i >= 0; i--) {
		if (!(known[i].kind & filter))
			continue;
		for (n = at; n < count && !is_same(&records[n], &known[i]); n++)
			;
		ck_assert_msg(n < count && (!at || n == at),
			      "filter %#llx: branch %d from %#llx is entry %u, not %u",
			      (unsigned long long)filter, i,
			      (unsigned long long)known[i].from, n, at);
		at = n + 1;
	}
}

static void must_have_none(const struct branch *records, unsigned int count,
			   uint64_t filter)
{
	const struct branch *known = known_branches();
	unsigned int n, i;

	for (n = 0; n < count; n++)
		for (i = 0; i < KNOWN_BRANCHES; i++)
			ck_assert_msg(known[i].kind & filter ||
					      !is_same(&records[n], &known[i]),
				      "filter %#llx: branch %u is recorded",
				      (unsigned long long)filter, i);
}

static void check_kinds(void)
{
	static const uint64_t filters[] = {
		LBR_ALL,  LBR_CONDITIONAL,   LBR_JUMP,	 LBR_INDIRECT_JUMP,
		LBR_CALL, LBR_INDIRECT_CALL, LBR_RETURN, LBR_CALL | LBR_RETURN,
	};
	struct branch records[LBR_MOST];
	unsigned int i, count;

	for (i = 0; i < COUNT(filters); i++) {
		count = record(LBR_USER | filters[i], take_known_branches, records);
		must_have_known(records, count, filters[i]);
		must_have_none(records, count, filters[i]);
	}
}

TEST(each_kind_of_branch_is_recorded)
{
	must_have_lbr();
	with_test_registers(check_kinds);
}

static bool is_kernel(uint64_t address)
{
	return address >> 63;
}

static void check_levels(void)
{
	struct branch records[LBR_MOST];
	unsigned int n, count, entries = 0;

	count = record(LBR_USER | LBR_ALL, take_known_branches, records);
	for (n = 0; n < count; n++) {
		ck_assert(!is_kernel(records[n].to));
		entries += records[n].from == LBR_FROM_OTHER_LEVEL;
		ck_assert(records[n].from == LBR_FROM_OTHER_LEVEL ||
			  !is_kernel(records[n].from));
	}
	/* The recording begins in a system call, so at least the return from it is recorded. */
	ck_assert_uint_ge(entries, 1);
	count = record(LBR_KERNEL | LBR_ALL, take_known_branches, records);
	ck_assert_uint_eq(count, LBR_MOST);
	for (n = 0; n < count; n++)
		ck_assert(is_kernel(records[n].to));
}

TEST(levels_are_kept_apart)
{
	must_have_lbr();
	with_test_registers(check_levels);
}

#define DEPTH 9

/*
 * Stops the recording in the innermost of DEPTH nested calls. The asm statement keeps the compiler
 * from turning the last call into a jump.
 */
static __attribute__((noinline)) void go_deep(void)
{
	/* These calls return, so they leave no entry. */
	call_deep(3, take_known_branches);
	call_deep(DEPTH, stop_recording);
	__asm__ volatile("");
}

/* The entries must be the calls that have not returned, the innermost call first. */
static void check_call_stack(void)
{
	struct branch records[LBR_MOST];
	unsigned int n = 0, calls = 0;
	unsigned int count =
		record(LBR_USER | LBR_CALL_STACK | LBR_CALLS, go_deep, records);

	while (n < count && records[n].from != (uint64_t)call_deep_bottom)
		n++;
	ck_assert_uint_lt(n, count);
	ck_assert_uint_eq(records[n].to, (uint64_t)stop_recording);
	for (n++; n < count && records[n].from == (uint64_t)call_deep_itself; n++) {
		ck_assert_uint_eq(records[n].to, (uint64_t)call_deep);
		calls++;
	}
	ck_assert_uint_eq(calls, DEPTH - 1);
	/* The last two entries: go_deep() calls call_deep(), and the test calls go_deep(). */
	ck_assert_uint_eq(records[n].to, (uint64_t)call_deep);
	ck_assert_uint_eq(records[n + 1].to, (uint64_t)go_deep);
	ck_assert_uint_eq(count, n + 2);
}

TEST(in_call_stack_mode_a_return_removes_its_call)
{
	must_have_lbr();
	with_test_registers(check_call_stack);
}

static void overflow_in_loop(void)
{
	loop(200000);
	take_known_branches();
}

static void put_back_counter(void)
{
	msr_write(GLOBAL_CONTROL, 0);
	msr_write(EVENT_SELECT, 0);
	msr_write(GLOBAL_ACKNOWLEDGE, LBR_FROZEN | 1);
	msr_write(DEBUG_CONTROL, 0);
}

/*
 * Records the branches of a loop, and then the known branches. Counter 0 overflows during the loop.
 */
static unsigned int record_with_overflow(uint64_t debug_control, struct branch *records)
{
	unsigned int count;

	msr_write(TEST_DO, DO_MASK);
	msr_write(DEBUG_CONTROL, debug_control);
	msr_write(COUNTER_FULL, BIT(48) - 100000);
	msr_write(EVENT_SELECT, SELECT_USER);
	msr_write(GLOBAL_CONTROL, 1);
	count = record(LBR_USER | LBR_ALL, overflow_in_loop, records);
	msr_write(GLOBAL_CONTROL, 0);
	return count;
}

/*
 * If FREEZE_LBRS is set, an overflow must freeze the records. They stay frozen until LBR_FROZEN is
 * acknowledged. The test masks the interrupt of the overflow, because perf would not expect this
 * interrupt. The mask must not prevent the freeze.
 */
static void check_freeze(void)
{
	struct branch records[LBR_MOST];
	unsigned int count;

	count = record_with_overflow(0, records);
	ck_assert_uint_eq(msr_read(GLOBAL_STATUS), 1);
	must_have_known(records, count, LBR_ALL);
	count = record_with_overflow(FREEZE_LBRS, records);
	ck_assert_uint_eq(msr_read(GLOBAL_STATUS), LBR_FROZEN | 1);
	ck_assert_uint_eq(count, LBR_MOST);
	must_have_none(records, count, 0);
	count = record(LBR_USER | LBR_ALL, take_known_branches, records);
	ck_assert_uint_eq(count, 0);
	msr_write(GLOBAL_ACKNOWLEDGE, LBR_FROZEN);
	count = record(LBR_USER | LBR_ALL, take_known_branches, records);
	must_have_known(records, count, LBR_ALL);
}

static void freeze_and_put_back(void)
{
	then_put_back(check_freeze, put_back_counter);
}

TEST(records_freeze_at_an_overflow)
{
	must_have_lbr();
	with_test_registers(freeze_and_put_back);
}

static void must_write(uint32_t msr, uint64_t value, bool works)
{
	ck_assert_msg(msr_try_write(msr, value) == (works ? 0 : EIO),
		      "MSR %#x: wrong result of a write of %#llx", msr,
		      (unsigned long long)value);
}

static void check_registers(void)
{
	struct branch records[LBR_MOST];

	must_write(LBR_DEPTH, 8, true);
	ck_assert_uint_eq(msr_read(LBR_DEPTH), 8);
	must_write(LBR_DEPTH, 16, true);
	must_write(LBR_DEPTH, 24, false);
	must_write(LBR_DEPTH, 40, false);
	must_write(LBR_DEPTH, 0, false);
	must_write(LBR_CONTROL, BIT(4), false);
	must_write(LBR_CONTROL, BIT(23), false);
	must_write(LBR_CONTROL, 0, true);
	record(LBR_USER | LBR_ALL, take_known_branches, records);
	must_write(LBR_FROM + 3, 0x1234, true);
	ck_assert_uint_eq(msr_read(LBR_FROM + 3), 0x1234);
	/* A write to LBR_DEPTH clears the entries. */
	must_write(LBR_DEPTH, LBR_MOST, true);
	ck_assert_uint_eq(read_records(records), 0);
}

TEST(registers_are_as_in_the_manual)
{
	must_have_lbr();
	with_test_registers(check_registers);
}

#endif
