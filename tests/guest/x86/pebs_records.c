// SPDX-License-Identifier: GPL-2.0-only
/*
 * x86: tests precise sampling with Intel's PEBS: what the record of an event contains, which
 * instruction each format gets, and what ordinary users see.
 */
#include <sys/mman.h>
#include <unistd.h>
#include <perfmon/perfmon_callchain.h>
#include <perfmon/perfmon_hist.h>
#include <perfmon/perfmon_nway.h>

#include "perfmon_fmt_script.h"
#include "formats.h"
#include "pebs.h"
#include "x86_registers.h"

SUITE(pebs_records, 120);

#define CONTROL_MASK 0x4

/* ---- records ------------------------------------------------------------------------------ */

/*
 * Returns true if a record contains the address of the sampled instruction. Records of format 2 and
 * higher contain it.
 */
static bool is_exact(void)
{
	return pebs_format() >= 2;
}

/*
 * With this argument, format "script" masks the context at the first sample, so its buffer keeps
 * this sample.
 */
static const struct script_argument one = { .handler = { CONTROL_MASK } };

static struct script_buffer first_sample(uint64_t period, unsigned int levels,
					 void (*work)(void))
{
	int fd = format_context("script", &one, sizeof(one));
	const struct script_buffer *buffer = format_buffer(fd, page_size());
	struct script_buffer copy;

	sample_precisely(fd, period, levels);
	load_and_start(fd, thread_id());
	work();
	must(fd, pfm_stop(fd));
	copy = *buffer;
	munmap((void *)buffer, page_size());
	close(fd);
	ck_assert_uint_eq(copy.samples, 1);
	return copy;
}

static void work_at_user_level(void)
{
	precise_loop(LENGTH);
}

static void work_in_kernel(void)
{
	int i;

	for (i = 0; i < 1000; i++)
		getppid();
}

/* Executes LENGTH instructions while the stack pointer is 0. */
static void work_with_stack_at_0(void)
{
	uint64_t turns = LENGTH / 2;

	__asm__ volatile("mov %%rsp, %%rbx\n\t"
			 "xor %%esp, %%esp\n"
			 "1:\tdec %0\n\t"
			 "jnz 1b\n\t"
			 "mov %%rbx, %%rsp"
			 : "+a"(turns)
			 :
			 : "rbx", "cc");
}

/*
 * Samples the loop. The record of the first sample describes one instruction that the loop has
 * executed. Returns how many instructions of the loop were executed before this one.
 */
static uint64_t number_of_first(uint64_t period)
{
	struct script_buffer buffer = first_sample(period, AT_USER, work_at_user_level);
	struct pfm_intel_pebs record;
	uint64_t number;

	ck_assert_uint_eq(buffer.payload_size, sizeof(record));
	memcpy(&record, buffer.payload, sizeof(record));
	ck_assert_uint_eq(record.format, pebs_format());
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
	/* With a delay the interrupt comes later, but the record describes the same instruction. */
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

/*
 * Number of instructions by which the interrupt is delayed, so that the interrupted instruction is
 * not the instruction of the event.
 */
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
	run_precisely(fd, LENGTH);
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
	run_precisely(fd, LENGTH);
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
	run_precisely(fd, LENGTH);
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
	run_precisely(fd, LENGTH);
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

/* ---- users -------------------------------------------------------------------------------- */

/*
 * Takes samples at both levels. Stores the number of all samples in @all, and returns the number of
 * samples in the kernel.
 */
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
	 * The user also gets the samples that were taken in the kernel, but without the kernel's
	 * addresses. Root and the user have different numbers of samples, because interrupts add
	 * samples.
	 */
	ck_assert_uint_ge(all, in_kernel - in_kernel / 20);
	buffer = first_sample(PERIOD_7, AT_KERNEL, work_in_kernel);
	ck_assert_uint_eq(buffer.payload_size, 0);
	ck_assert_uint_eq(buffer.ip_is_exact, 0);
	buffer = first_sample(PERIOD_7, AT_USER, work_at_user_level);
	ck_assert_uint_eq(buffer.payload_size, sizeof(struct pfm_intel_pebs));
	/*
	 * A stack pointer of 0 is not an address of the kernel: only the upper half of all
	 * addresses belongs to the kernel.
	 */
	buffer = first_sample(PERIOD_7, AT_USER, work_with_stack_at_0);
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
