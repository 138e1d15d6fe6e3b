// SPDX-License-Identifier: GPL-2.0-only
/*
 * x86: precise sampling with Intel's PEBS. There are two references: a second counter, and a loop
 * where an address and a register identify the instruction that was executed.
 */
#include <cpuid.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
#include <perfmon/perfmon_callchain.h>
#include <perfmon/perfmon_hist.h>
#include <perfmon/perfmon_intel.h>
#include <perfmon/perfmon_nway.h>

#include "perfmon_fmt_script.h"
#include "formats.h"
#include "precise_loop.h"
#include "samples.h"
#include "x86_registers.h"

SUITE(pebs, 120);

#define LENGTH	     MILLION
#define PERIOD_10    9999 /* samples are a multiple of the loop's length apart */
#define PERIOD_7     10006 /* each sample is seven instructions further in the loop */
#define SAMPLED	     0 /* the counter */
#define BESIDE	     1 /* counts the same */
#define DTES64	     BIT(2) /* CPUID 1 ECX */
#define WRAP	     BIT(46)
#define CONTROL_MASK 0x4

#define PARAMETER    "/sys/module/perfmon_intel/parameters/pebs"

/* ---- whether there is PEBS ---------------------------------------------------------------- */

/* AMD's processors have no PEBS, so their module does not have the parameter. */
static bool is_intel(void)
{
	const bool is = pmu_is("intel");

	ck_assert_int_eq(access(PARAMETER, F_OK), is ? 0 : -1);
	return is;
}

static bool processor_has_pebs(void)
{
	unsigned int eax, ebx, ecx, edx;

	__cpuid(1, eax, ebx, ecx, edx);
	return ecx & DTES64;
}

/* Returns the format of the records, 0 to 6, or -1 if there is no precise sampling. */
static int format(void)
{
	int number;

	return sscanf(read_text(PARAMETER), "format %d", &number) == 1 ? number : -1;
}

/* Returns whether a record has the address of its instruction. Records have it from format 2 on. */
static bool is_exact(void)
{
	return format() >= 2;
}

static void must_be_refused(const char *why)
{
	struct pfarg_pmc pmc = { .reg_num = PFM_INTEL_PEBS, .reg_value = 1 };
	int fd = context_of(SAMPLED, instructions(AT_USER));

	ck_assert_str_eq(read_text(PARAMETER), why);
	must_fail(fd, pfm_write_pmcs(fd, &pmc, 1), EINVAL, PFM_REASON_NO_PMC, 0);
	close(fd);
}

static void check_shared(void)
{
	must_be_refused("no: the counters are shared with perf (load with "
			"ownership=exclusive)\n");
}

static void check_exclusive(void)
{
	int fd = context_of(SAMPLED, instructions(AT_USER));

	write_pmc(fd, PFM_INTEL_PEBS, 1);
	ck_assert_int_ge(format(), 0);
	close(fd);
}

/* Stage icount-isolated-x86_64 runs this with page-table isolation. */
TEST(precise_sampling_is_refused_with_the_reason_where_it_cannot_be)
{
	if (!is_intel())
		return;
	if (!processor_has_pebs()) {
		must_be_refused("no: this processor has none\n");
		return;
	}
	if (strstr(read_text("/proc/cpuinfo"), " pti ")) {
		must_be_refused("no: page-table isolation hides the buffer (boot with "
				"pti=off)\n");
		return;
	}
	with_pmu("perfmon_intel", "ownership=shared", check_shared);
	with_pmu("perfmon_intel", "ownership=exclusive", check_exclusive);
}

/* ---- contexts ----------------------------------------------------------------------------- */

static void check_without(void)
{
	ck_assert_int_eq(format(), -1);
}

/* If the processor has no PEBS, the test can only check that the module says so. */
static void with_pebs(void (*check)(void))
{
	if (!is_intel())
		return;
	with_own_counters(processor_has_pebs() ? check : check_without);
}

static void sample_precisely(int fd, uint64_t period, unsigned int levels)
{
	struct pfarg_pmd pmd = { .reg_num = SAMPLED,
				 .reg_flags = NOTIFY,
				 .reg_value = -period,
				 .reg_short_reset = -period,
				 .reg_long_reset = -period };

	write_pmc(fd, SAMPLED, instructions(levels));
	write_pmc(fd, BESIDE, instructions(levels));
	write_pmc(fd, PFM_INTEL_PEBS, BIT(SAMPLED));
	write_pmd(fd, BESIDE, 0);
	write_one(fd, pmd);
}

static void run(int fd, uint64_t length)
{
	int started, stopped;

	load(fd, thread_id());
	started = pfm_start(fd, NULL);
	precise_loop(length);
	stopped = pfm_stop(fd);
	must(fd, started);
	must(fd, stopped);
}

/*
 * Returns how many samples there must be. PEBS records the event after the overflow, and the next
 * period begins after that event.
 */
static uint64_t samples_wanted(int fd, uint64_t period)
{
	uint64_t events = read_pmd(fd, BESIDE);

	ck_assert_uint_ge(events, LENGTH);
	return events / (period + 1);
}

/* ---- instructions ------------------------------------------------------------------------- */

/*
 * Each sample is @distance instructions after the previous sample. If the record does not have the
 * address of its instruction, the sample has the interrupted address. Here this is the address of
 * the next instruction.
 */
static void must_follow(header_t header, uint64_t distance)
{
	unsigned int place, last = PRECISE_LENGTH;
	entry_t entry;

	must_be_whole(header, 0);
	for_each_entry(entry, header, 0) {
		place = precise_place(entry->ip);
		ck_assert_uint_lt(place, PRECISE_LENGTH);
		if (last != PRECISE_LENGTH)
			ck_assert_uint_eq(place, (last + distance) % PRECISE_LENGTH);
		last = place;
	}
}

static unsigned int first_place(uint64_t period)
{
	int fd = default_context(0, MIB);
	header_t header = map_buffer(fd, MIB);
	unsigned int place;

	sample_precisely(fd, period, AT_USER);
	run(fd, LENGTH);
	ck_assert_uint_eq(header->hdr_lost, 0);
	ck_assert_uint_eq(header->hdr_count, samples_wanted(fd, period));
	must_follow(header, period + 1);
	place = precise_place(first_entry(header)->ip);
	munmap((void *)header, MIB);
	close(fd);
	return place;
}

static void check_each(void)
{
	unsigned int place = first_place(PERIOD_10);

	ck_assert_uint_eq(first_place(PERIOD_7),
			  (place + PERIOD_7 - PERIOD_10) % PRECISE_LENGTH);
}

TEST(each_period_has_one_sample_with_the_right_instruction)
{
	with_pebs(check_each);
}

/* ---- records ------------------------------------------------------------------------------ */

/* The first sample masks the context, so the buffer keeps this sample. */
static const struct script_argument one = { .handler = { CONTROL_MASK } };

static struct script_buffer first_sample(uint64_t period, unsigned int levels)
{
	int fd = format_context("script", &one, sizeof(one));
	const struct script_buffer *buffer = format_buffer(fd, page_size());
	struct script_buffer copy;
	int i;

	sample_precisely(fd, period, levels);
	load_and_start(fd, thread_id());
	precise_loop(LENGTH);
	for (i = 0; i < (levels & AT_KERNEL ? 1000 : 0); i++)
		getppid();
	must(fd, pfm_stop(fd));
	copy = *buffer;
	munmap((void *)buffer, page_size());
	close(fd);
	ck_assert_uint_eq(copy.samples, 1);
	return copy;
}

/* Returns the number of the instruction that is in the record of the first sample. */
static uint64_t number_of_first(uint64_t period)
{
	struct script_buffer buffer = first_sample(period, AT_USER);
	struct pfm_intel_pebs record;
	uint64_t number;

	ck_assert_uint_eq(buffer.payload_size, sizeof(record));
	memcpy(&record, buffer.payload, sizeof(record));
	ck_assert_uint_eq(record.format, format());
	ck_assert_uint_eq(buffer.ip_is_exact, is_exact());
	number = precise_number_before(LENGTH, record.ip, record.ax);
	ck_assert_uint_ne(number, PRECISE_NOWHERE);
	if (!is_exact()) {
		ck_assert_uint_eq(record.instruction, 0);
		return number;
	}
	ck_assert_uint_eq(buffer.ip, record.instruction);
	ck_assert_uint_eq(precise_place(record.ip),
			  (precise_place(record.instruction) + 1) % PRECISE_LENGTH);
	ck_assert_uint_ge(record.sp, (uintptr_t)&record - MIB);
	ck_assert_uint_le(record.sp, (uintptr_t)&record + MIB);
	ck_assert(record.flags & BIT(9)); /* interrupts are on */
	ck_assert_uint_eq(precise_number(LENGTH, record.instruction, record.ax), number);
	return number;
}

static void check_record(void)
{
	uint64_t first = number_of_first(PERIOD_7);

	ck_assert_uint_eq(number_of_first(PERIOD_7 + 21) - first, 21);
	/* With a delay the interrupt comes later, but the record comes at the same instruction. */
	msr_write(TEST_DELAY, 3000);
	ck_assert_uint_eq(number_of_first(PERIOD_7), first);
}

static void check_records(void)
{
	with_formats(check_record);
}

TEST(the_record_is_of_the_event_even_if_the_interrupt_is_late)
{
	with_pebs(check_records);
}

/* ---- formats ------------------------------------------------------------------------------ */

/* With this delay, the interrupted instruction is not the instruction of the event. */
#define DELAY	      3
#define PERIOD_SLOWLY (PERIOD_10 - DELAY)

static void must_be_one_place(unsigned int *place, uint64_t ip)
{
	if (*place == PRECISE_LENGTH)
		*place = precise_place(ip);
	ck_assert_uint_lt(precise_place(ip), PRECISE_LENGTH);
	ck_assert_uint_eq(precise_place(ip), *place);
}

static unsigned int place_in_default(uint64_t samples)
{
	int fd = default_context(0, MIB);
	header_t header = map_buffer(fd, MIB);
	unsigned int place = PRECISE_LENGTH;
	entry_t entry;

	sample_precisely(fd, PERIOD_SLOWLY, AT_USER);
	run(fd, LENGTH);
	ck_assert_uint_eq(header->hdr_count, samples);
	for_each_entry(entry, header, 0)
		must_be_one_place(&place, entry->ip);
	close(fd);
	return place;
}

static unsigned int place_in_callchain(uint64_t samples)
{
	const struct pfm_callchain_arg argument = { .buf_size = MIB };
	int fd = format_context("callchain", &argument, sizeof(argument));
	header_t header = map_buffer(fd, MIB);
	const struct pfm_callchain_entry *entry;
	unsigned int place = PRECISE_LENGTH;
	uint64_t i;

	sample_precisely(fd, PERIOD_SLOWLY, AT_USER);
	run(fd, LENGTH);
	ck_assert_uint_eq(header->hdr_count, samples);
	entry = (const void *)first_entry(header);
	for (i = 0; i < samples; i++) {
		must_be_one_place(&place, entry->sample.ip);
		entry = (const void *)((const uint64_t *)(entry + 1) +
				       entry->value_count + entry->kernel_count +
				       entry->user_count);
	}
	close(fd);
	return place;
}

static unsigned int place_in_nway(uint64_t samples)
{
	const struct pfm_nway_arg argument = { .region_size = MIB, .regions = 2 };
	int fd = format_context("nway", &argument, sizeof(argument));
	const struct pfm_nway_hdr *header = format_buffer(fd, 2 * MIB + 192);
	unsigned int place = PRECISE_LENGTH;
	entry_t entry;
	uint64_t i;

	sample_precisely(fd, PERIOD_SLOWLY, AT_USER);
	run(fd, LENGTH);
	ck_assert_uint_eq(header->written, samples);
	entry = (entry_t)((const char *)header + header->region_offset);
	for (i = 0; i < samples; i++)
		must_be_one_place(&place, entry[i].ip);
	close(fd);
	return place;
}

static unsigned int place_in_hist(uint64_t samples)
{
	const struct pfm_hist_arg argument = { .entries = 16 };
	int fd = format_context("hist", &argument, sizeof(argument));
	const struct pfm_hist_hdr *header = format_buffer(fd, 128 + 16 * 32);
	const struct pfm_hist_entry *entry = (const void *)(header + 1);
	unsigned int place = PRECISE_LENGTH, i;

	sample_precisely(fd, PERIOD_SLOWLY, AT_USER);
	run(fd, LENGTH);
	ck_assert_uint_eq(header->produced, samples);
	ck_assert_uint_eq(header->used, 1);
	for (i = 0; i < 16; i++) {
		if (!entry[i].count)
			continue;
		must_be_one_place(&place, entry[i].ip);
		ck_assert_uint_eq(entry[i].count, samples);
	}
	close(fd);
	return place;
}

static void check_format(void)
{
	const uint64_t samples = LENGTH / (PERIOD_SLOWLY + 1 + DELAY);
	unsigned int place;

	msr_write(TEST_DELAY, DELAY);
	place = place_in_default(samples);
	ck_assert_uint_eq(place_in_callchain(samples), place);
	ck_assert_uint_eq(place_in_nway(samples), place);
	ck_assert_uint_eq(place_in_hist(samples), place);
}

static void check_formats(void)
{
	with_formats(check_format);
}

TEST(every_format_has_the_recorded_instruction)
{
	with_pebs(check_formats);
}

/* ---- counts ------------------------------------------------------------------------------- */

static void must_count_across(uint64_t distance)
{
	int fd = context_of(BESIDE, instructions(AT_USER));

	use(fd, SAMPLED, instructions(AT_USER), WRAP - distance);
	write_pmc(fd, PFM_INTEL_PEBS, BIT(SAMPLED));
	run(fd, LENGTH);
	ck_assert_uint_eq(read_pmd(fd, SAMPLED) - (WRAP - distance),
			  read_pmd(fd, BESIDE));
	close(fd);
}

/*
 * The counts are right even if the last instruction before the stop makes the counter wrap, so
 * that no record comes.
 */
static void check_counts(void)
{
	int fd = context_of(BESIDE, instructions(AT_USER));
	uint64_t all, distance;

	run(fd, LENGTH);
	all = read_pmd(fd, BESIDE);
	close(fd);
	must_count_across(LENGTH / 2);
	for (distance = all - 3; distance <= all + 3; distance++)
		must_count_across(distance);
}

TEST(a_count_across_the_processors_reset_is_exact)
{
	with_pebs(check_counts);
}

/* A record that was due at the stop does not come in the next run. */
static void check_disarmed(void)
{
	int fd = context_of(BESIDE, instructions(AT_USER)), i;
	uint64_t all;

	run(fd, LENGTH);
	all = read_pmd(fd, BESIDE);
	close(fd);
	fd = context_of(BESIDE, instructions(AT_USER));
	use(fd, SAMPLED, instructions(AT_USER), WRAP - all);
	write_pmc(fd, PFM_INTEL_PEBS, BIT(SAMPLED));
	run(fd, LENGTH);
	for (i = 0; i < 3; i++) {
		must(fd, pfm_start(fd, NULL));
		precise_loop(LENGTH);
		must(fd, pfm_stop(fd));
	}
	ck_assert_uint_eq(read_pmd(fd, SAMPLED) - (WRAP - all), read_pmd(fd, BESIDE));
	close(fd);
}

TEST(a_record_that_was_due_at_the_stop_does_not_come_later)
{
	with_pebs(check_disarmed);
}

/* ---- threads and users -------------------------------------------------------------------- */

static uint64_t child_loop(uint64_t times)
{
	while (times--)
		precise_loop(LENGTH);
	return 0;
}

static int sample_child(struct child *child, uint64_t period, header_t *header)
{
	int fd = default_context(0, MIB);

	*child = child_new();
	*header = map_buffer(fd, MIB);
	sample_precisely(fd, period, AT_USER);
	load_and_start(fd, child->pid);
	return fd;
}

/* Nearly all samples are in the loop. A few are around it, where the child reads its commands. */
static void must_be_in_loop(header_t header)
{
	uint64_t elsewhere = 0;
	entry_t entry;

	for_each_entry(entry, header, 0)
		elsewhere += precise_place(entry->ip) == PRECISE_LENGTH;
	ck_assert_uint_ge(header->hdr_count, 1000);
	ck_assert_uint_le(elsewhere, 3);
}

/* The children share a CPU, and are switched at ticks. */
static void check_two_threads(void)
{
	struct child children[2];
	header_t headers[2];
	int fds[2], i;

	for (i = 0; i < 2; i++)
		fds[i] =
			sample_child(&children[i], i ? PERIOD_7 : PERIOD_10, &headers[i]);
	for (i = 0; i < 2; i++)
		child_begin(&children[i], child_loop, 20);
	for (i = 0; i < 2; i++)
		child_finish(&children[i]);
	for (i = 0; i < 2; i++) {
		must(fds[i], pfm_stop(fds[i]));
		ck_assert_uint_eq(headers[i]->hdr_lost, 0);
		must_be_in_loop(headers[i]);
		close(fds[i]);
	}
}

TEST(two_threads_have_their_own_records)
{
	with_pebs(check_two_threads);
}

/* Samples at both levels; returns how many of them are in the kernel. */
static uint64_t samples_in_kernel(uint64_t *all)
{
	int fd = default_context(0, MIB);
	header_t header = map_buffer(fd, MIB);
	uint64_t in_kernel = 0;
	entry_t entry;
	int i;

	sample_precisely(fd, 9973, AT_BOTH);
	load_and_start(fd, thread_id());
	for (i = 0; i < 10000; i++)
		getppid();
	must(fd, pfm_stop(fd));
	for_each_entry(entry, header, 0)
		in_kernel += is_kernel_address(entry->ip);
	*all = header->hdr_count;
	munmap((void *)header, MIB);
	close(fd);
	return in_kernel;
}

static void check_levels(void)
{
	struct script_buffer buffer;
	uint64_t all, in_kernel = samples_in_kernel(&all);

	ck_assert_uint_ge(in_kernel, 50);
	let_users_count();
	become(USER_ID);
	ck_assert_uint_eq(samples_in_kernel(&all), 0);
	/*
	 * The user gets samples of the kernel, but no addresses. Interrupts add samples to each
	 * run.
	 */
	ck_assert_uint_ge(all, in_kernel - in_kernel / 20);
	buffer = first_sample(PERIOD_7, AT_KERNEL);
	ck_assert_uint_eq(buffer.payload_size, 0);
	ck_assert_uint_eq(buffer.ip_is_exact, 0);
	buffer = first_sample(PERIOD_7, AT_USER);
	ck_assert_uint_eq(buffer.payload_size, sizeof(struct pfm_intel_pebs));
}

static void check_users(void)
{
	with_formats(check_levels);
}

TEST(an_ordinary_user_gets_no_record_of_the_kernel)
{
	with_pebs(check_users);
}

/* ---- endings ------------------------------------------------------------------------------ */

/* Each time, the context is closed or the thread is killed at a different moment of a period. */
static void check_endings(void)
{
	struct child child;
	header_t header;
	unsigned int i;
	int fd;

	for (i = 0; i < 100; i++) {
		fd = sample_child(&child, 100, &header);
		child_begin(&child, child_loop, 1000);
		loop(100000 + 70 * i);
		if (i % 2)
			child_kill(&child);
		munmap((void *)header, MIB);
		close(fd);
		if (i % 2 == 0)
			child_kill(&child);
	}
	first_place(PERIOD_7);
}

TEST(threads_and_contexts_may_end_at_any_moment)
{
	with_pebs(check_endings);
}
