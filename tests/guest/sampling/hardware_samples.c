// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests that a sampling format gets the data that the hardware recorded at an overflow. PMU "fake"
 * invents such data, and format "script" copies all data that it receives into its buffer. Both are
 * in tests/modules. The caller monitors itself.
 */
#include <sys/mman.h>

#include "perfmon_fake.h"
#include "perfmon_fmt_script.h"
#include "formats.h"
#include "samples.h"

SUITE(hardware_samples, 60);

#define NO_INDEX      PFM_NO_INDEX
/* Values from perfmon_format.h, which only kernel code can include. */
#define CONTROL_RESET 0x2
#define CONTROL_MASK  0x4

typedef const volatile struct script_buffer *buffer_t;

/* The fourth sample masks monitoring, so the buffer keeps this sample until the test reads it. */
static const struct script_argument four = {
	.handler = { CONTROL_RESET, CONTROL_RESET, CONTROL_RESET, CONTROL_MASK },
};

static struct pfarg_pmd sampled_counter(unsigned int counter)
{
	struct pfarg_pmd pmd = {
		.reg_num = counter,
		.reg_value = -3ull,
		.reg_short_reset = -3ull,
	};

	return pmd;
}

static void begin_on(int fd, unsigned int counter, buffer_t *buffer)
{
	struct pfarg_pmd pmd = sampled_counter(counter);

	*buffer = format_buffer(fd, page_size());
	add_to(pmd.reg_smpl_pmds, FAKE_NEAR);
	add_to(pmd.reg_smpl_pmds, FAKE_FAR);
	write_pmc(fd, counter, 1);
	write_one(fd, pmd);
	load_and_start(fd, thread_id());
}

static int begin(unsigned int counter, buffer_t *buffer)
{
	int fd = format_context("script", &four, sizeof(four));

	begin_on(fd, counter, buffer);
	return fd;
}

static void take_four(int fd, buffer_t buffer)
{
	spin_until_masked(fd);
	ck_assert_uint_eq(buffer->samples, 4);
}

static void end(int fd, buffer_t buffer)
{
	munmap((void *)buffer, page_size());
	close(fd);
}

static void with_fake(void (*check)(void))
{
	with_pmu("perfmon_fake", "", check);
}

/* ---- instruction and payload -------------------------------------------------------------- */

static void must_have_noted(buffer_t buffer, unsigned int counter)
{
	const uint64_t sequence = buffer->payload[0];

	ck_assert_uint_ge(sequence, 4);
	ck_assert_uint_eq(buffer->payload_size, sizeof(struct fake_payload));
	ck_assert_uint_eq(buffer->payload[1], counter);
	ck_assert_uint_eq(buffer->payload[2], ~sequence);
	ck_assert_uint_eq(buffer->payload[3], ~(uint64_t)counter);
	ck_assert_uint_eq(buffer->ip_is_exact, 1);
	ck_assert_uint_eq(buffer->ip, FAKE_IP(counter, sequence));
	ck_assert_uint_eq(buffer->pmd, counter);
}

static void check_both_counters(void)
{
	buffer_t buffer;
	unsigned int counter;
	int fd;

	for (counter = 0; counter < FAKE_COUNTERS; counter++) {
		fd = begin(counter, &buffer);
		take_four(fd, buffer);
		must_have_noted(buffer, counter);
		end(fd, buffer);
	}
}

static void check_instruction_and_payload(void)
{
	with_formats(check_both_counters);
}

TEST(a_format_gets_what_the_hardware_recorded_at_each_overflow)
{
	with_fake(check_instruction_and_payload);
}

/* The sample must have neither the address nor the payload that the hardware recorded. */
static void must_have_noted_nothing(buffer_t buffer)
{
	ck_assert_uint_eq(buffer->payload_size, 0);
	ck_assert_uint_eq(buffer->payload[0], 0);
	ck_assert_uint_eq(buffer->ip_is_exact, 0);
	ck_assert_uint_ne(buffer->ip, FAKE_IP(FAKE_KERNEL, buffer->value / 7));
}

static void check_ordinary_user(void)
{
	buffer_t buffer;
	int fd;

	become(USER_ID);
	fd = begin(FAKE_KERNEL, &buffer);
	take_four(fd, buffer);
	must_have_noted_nothing(buffer);
	end(fd, buffer);
	fd = begin(FAKE_USER, &buffer);
	take_four(fd, buffer);
	must_have_noted(buffer, FAKE_USER);
	end(fd, buffer);
}

static void check_privilege(void)
{
	with_formats(check_ordinary_user);
}

TEST(recorded_kernel_addresses_are_hidden_from_ordinary_users)
{
	with_fake(check_privilege);
}

/*
 * An ordinary user creates the context while perf_event_paranoid is 2. So the context is restricted
 * to user level, even if root loads it.
 */
static void check_user_level(void)
{
	buffer_t buffer;
	int fd;

	write_text(PARANOID, "2\n");
	ck_assert_int_eq(seteuid(USER_ID), 0);
	fd = format_context("script", &four, sizeof(four));
	ck_assert_int_eq(seteuid(0), 0);
	write_text(PARANOID, "1\n");
	begin_on(fd, FAKE_KERNEL, &buffer);
	take_four(fd, buffer);
	must_have_noted_nothing(buffer);
	end(fd, buffer);
	ck_assert_uint_eq(module_parameter("perfmon_fake", "privileged"), 0);
}

static void check_restricted_context(void)
{
	with_formats(check_user_level);
}

TEST(recorded_kernel_addresses_are_hidden_from_contexts_at_user_level)
{
	with_fake(check_restricted_context);
}

/* ---- registers of samples ------------------------------------------------------------------- */

static void check_values(void)
{
	buffer_t buffer;
	int fd = begin(FAKE_USER, &buffer);
	uint64_t sequence;

	take_four(fd, buffer);
	sequence = buffer->payload[0];
	ck_assert_uint_eq(buffer->value, FAKE_NEAR_VALUE(sequence));
	ck_assert_uint_eq(buffer->second_value, FAKE_FAR_VALUE(sequence));
	end(fd, buffer);
}

static void check_recorded_values(void)
{
	with_formats(check_values);
}

TEST(registers_of_samples_are_recorded)
{
	with_fake(check_recorded_values);
}

static void must_be_only_sampled(int fd, unsigned int n)
{
	struct pfarg_pmd pmd = { .reg_num = n };
	struct pfarg_pmr value = { .reg_num = n };

	must_fail(fd, pfm_write_pmds(fd, &pmd, 1), EINVAL, PFM_REASON_ONLY_SAMPLED, 0);
	must_fail(fd, pfm_read_pmds(fd, &pmd, 1), EINVAL, PFM_REASON_ONLY_SAMPLED, 0);
	must_fail(fd, pfm_read(fd, 0, PFM_RW_PMD, &value, sizeof(value)), EINVAL,
		  PFM_REASON_ONLY_SAMPLED, 0);
	pmd = sampled_counter(FAKE_USER);
	add_to(pmd.reg_reset_pmds, n);
	must_fail(fd, pfm_write_pmds(fd, &pmd, 1), EINVAL, PFM_REASON_RESET_PMDS, 0);
}

static void check_refusals(void)
{
	struct pfarg_pmd pmd = sampled_counter(FAKE_USER);
	int fd = make_context();

	add_to(pmd.reg_smpl_pmds, FAKE_NEAR);
	add_to(pmd.reg_smpl_pmds, FAKE_FAR);
	write_one(fd, pmd);
	must_be_only_sampled(fd, FAKE_NEAR);
	must_be_only_sampled(fd, FAKE_FAR);
	close(fd);
}

TEST(registers_of_samples_are_neither_read_nor_written)
{
	with_fake(check_refusals);
}

/* ---- which interrupts are ours ----------------------------------------------------------- */

static uint64_t fake_tells(const char *parameter)
{
	return module_parameter("perfmon_fake", parameter);
}

/* Every third tick of the fake PMU's timer is an overflow. The fourth overflow masks monitoring. */
static void check_interrupts(void)
{
	uint64_t ours = fake_tells("ours"), not_ours = fake_tells("not_ours");
	buffer_t buffer;
	int fd = begin(FAKE_USER, &buffer);

	take_four(fd, buffer);
	must(fd, pfm_stop(fd));
	ck_assert_uint_eq(fake_tells("ours") - ours, 4);
	ck_assert_uint_eq(fake_tells("not_ours") - not_ours, 4 * 2);
	end(fd, buffer);
}

static void check_whose_interrupt(void)
{
	with_formats(check_interrupts);
}

TEST(the_pmu_module_is_told_whose_interrupt_it_was)
{
	with_fake(check_whose_interrupt);
}
