// SPDX-License-Identifier: GPL-2.0-only
/*
 * Intel: tests precise samples that contain the latency of a load. The emulated PMU of Skylake
 * records each event as if it were a load that takes one cycle longer than the threshold.
 */
#include <errno.h>
#include <sys/mman.h>
#include <perfmon/perfmon_intel.h>

#include "perfmon_fmt_script.h"
#include "formats.h"
#include "samples.h"
#include "x86_registers.h"

SUITE(load_latency, 60);

#define CONTROL_MASK	  0x4
#define PEBS_ENABLE	  0x3f1
#define LATENCY_THRESHOLD 0x3f6
#define THRESHOLD	  100
#define DISTANCE	  10000

static bool has_latency(void)
{
	return pmu()->info.implemented_pmcs[0] & BIT(PFM_INTEL_LOAD_LATENCY);
}

static void need_latency(void)
{
	if (!has_latency())
		skip("this model has no load latency");
}

/*
 * Returns a context that samples instructions at user level. @pebs is the value of PMC
 * PFM_INTEL_PEBS, and @threshold is the value of PMC PFM_INTEL_LOAD_LATENCY. The first sample masks
 * the context, so the buffer keeps this sample.
 */
static int sampling_context(uint64_t pebs, uint64_t threshold)
{
	static const struct script_argument one = { .handler = { CONTROL_MASK } };
	int fd = format_context("script", &one, sizeof(one));

	write_pmc(fd, 0, instructions(AT_USER));
	write_pmc(fd, PFM_INTEL_PEBS, pebs);
	write_pmc(fd, PFM_INTEL_LOAD_LATENCY, threshold);
	write_one(fd, (struct pfarg_pmd){ .reg_num = 0,
					  .reg_value = -DISTANCE,
					  .reg_long_reset = -DISTANCE,
					  .reg_short_reset = -DISTANCE,
					  .reg_flags = NOTIFY });
	return fd;
}

static uint64_t latency_of_first(uint64_t pebs, uint64_t threshold)
{
	int fd = sampling_context(pebs, threshold);
	const struct script_buffer *buffer = format_buffer(fd, page_size());
	struct pfm_intel_pebs record;

	load_and_start(fd, thread_id());
	loop(10 * DISTANCE);
	must(fd, pfm_stop(fd));
	ck_assert_uint_eq(buffer->samples, 1);
	ck_assert_uint_eq(buffer->payload_size, sizeof(record));
	memcpy(&record, buffer->payload, sizeof(record));
	munmap((void *)buffer, page_size());
	close(fd);
	return record.latency;
}

static void check_records(void)
{
	const uint64_t precise = BIT(0),
		       with_latency = BIT(0) | BIT(PFM_INTEL_PEBS_LATENCY);

	need_latency();
	ck_assert_uint_eq(latency_of_first(with_latency, THRESHOLD), THRESHOLD + 1);
	ck_assert_uint_eq(latency_of_first(with_latency, 3 * THRESHOLD),
			  3 * THRESHOLD + 1);
	ck_assert_uint_eq(latency_of_first(precise, THRESHOLD), 0);
	ck_assert_uint_eq(latency_of_first(with_latency, THRESHOLD), THRESHOLD + 1);
}

static void with_script(void)
{
	with_formats(check_records);
}

TEST(the_record_has_the_latency_of_the_load)
{
	with_own_counters(with_script);
}

/*
 * If a counter is not sampled precisely, the module must not set the counter's bit for load latency
 * in IA32_PEBS_ENABLE.
 */
static void check_bits(void)
{
	int fd;

	need_latency();
	fd = sampling_context(BIT(0) | BIT(PFM_INTEL_PEBS_LATENCY) |
				      BIT(PFM_INTEL_PEBS_LATENCY + 1),
			      THRESHOLD);
	load(fd, thread_id());
	must(fd, pfm_start(fd, NULL));
	ck_assert_uint_eq(msr_read(PEBS_ENABLE), BIT(0) | BIT(PFM_INTEL_PEBS_LATENCY));
	ck_assert_uint_eq(msr_read(LATENCY_THRESHOLD), THRESHOLD);
	close(fd);
}

static void check_bits_with_script(void)
{
	with_formats(check_bits);
}

TEST(only_counters_that_are_sampled_precisely_have_a_latency)
{
	with_own_counters(check_bits_with_script);
}

static void check_threshold(void)
{
	pfarg_pmc_t pmc = { .reg_num = PFM_INTEL_LOAD_LATENCY, .reg_value = 0x10000 };
	int fd;

	need_latency();
	fd = make_context();
	must_fail(fd, pfm_write_pmcs(fd, &pmc, 1), EINVAL, PFM_REASON_PMC_VALUE, 0);
	close(fd);
}

TEST(the_threshold_has_16_bits)
{
	with_own_counters(check_threshold);
}
