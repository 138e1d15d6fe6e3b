// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests the sampling format "nway": its regions, and when the kernel and the reader may use a
 * region.
 */
#include <perfmon/perfmon_nway.h>

#include "formats.h"

SUITE(nway, 120);

#define NO_INDEX PFM_NO_INDEX
#define REGIONS	 4

/**
 * struct nway - a context with format "nway"
 * @region_size: size of a region in bytes
 * @values: number of values in an entry
 * @per_region: number of entries that fill a region
 * @cpus: number of CPUs that are online
 * @read: number of regions that were read
 * @time: time of the last entry that was read
 * @samples: number of entries that were read
 * @told: number of lost samples, as reported in the regions that were read
 */
struct nway {
	int fd;
	const volatile struct pfm_nway_hdr *header;
	uint64_t region_size;
	unsigned int values;
	uint64_t per_region;
	unsigned int cpus;
	uint64_t read;
	uint64_t time;
	uint64_t samples;
	uint64_t told;
};

/* Returns the smallest size of a region. A region must have room for the largest entry. */
static uint64_t smallest_region(void)
{
	return entry_bytes(pmds_in_all());
}

/* Creates a context in which no counter is sampled yet. Each entry will have @values values. */
static struct nway nway_without_counters(uint64_t region_size, unsigned int regions,
					 unsigned int values)
{
	const struct pfm_nway_arg argument = { .region_size = region_size,
					       .regions = regions };
	struct nway nway = {
		.region_size = region_size,
		.values = values,
		.cpus = cpus_online(),
		.per_region = (region_size - smallest_region()) / entry_bytes(values) + 1,
	};

	nway.fd = format_context("nway", &argument, sizeof(argument));
	nway.header = format_buffer(nway.fd, 128 + regions * 32 + regions * region_size);
	return nway;
}

static struct nway nway_new(uint64_t region_size, unsigned int regions,
			    const unsigned int *recorded, unsigned int values,
			    uint32_t flags)
{
	struct nway nway = nway_without_counters(region_size, regions, values);

	use_counters(nway.fd, 1);
	sample_counter(nway.fd, 0, format_period(), flags, recorded, values);
	return nway;
}

static void start_on(const struct nway *nway, pid_t tid)
{
	load(nway->fd, tid);
	must(nway->fd, pfm_start(nway->fd, NULL));
}

static const void *region_of(const struct nway *nway, uint64_t n)
{
	return (const char *)nway->header + nway->header->region_offset +
	       n % nway->header->regions * nway->region_size;
}

static const volatile struct pfm_nway_region *description_of(const struct nway *nway,
							     uint64_t n)
{
	return (const volatile struct pfm_nway_region *)(nway->header + 1) +
	       n % nway->header->regions;
}

/* ---- what is in a region ------------------------------------------------------------- */

/*
 * Checks an entry, which has the same fields as in format "default" (docs/interface.md 5.2).
 * Sampling continues during these checks, and even a successful assertion of the test library takes
 * a long time. So this function calls the test library only after a comparison has failed.
 */
static void must_be_entry(struct nway *nway, const void *entry, pid_t tid)
{
	const uint64_t time = number_at(entry, 24, 8);

	if (number_at(entry, 0, 4) != (uint32_t)tid ||
	    number_at(entry, 4, 2) != pmu()->pmds[0] ||
	    number_at(entry, 6, 2) != (1 << 12 | nway->values) ||
	    number_at(entry, 8, 8) != -format_period() || !number_at(entry, 16, 8) ||
	    number_at(entry, 32, 2) >= nway->cpus || number_at(entry, 34, 2) ||
	    number_at(entry, 36, 4) != (uint32_t)tid)
		ck_abort_msg("entry %ju of region %ju has a wrong field",
			     (uintmax_t)nway->samples, (uintmax_t)nway->read);
	if (time <= nway->time)
		ck_abort_msg(
			"time %ju of an entry is not after time %ju of the entry before",
			(uintmax_t)time, (uintmax_t)nway->time);
	nway->time = time;
}

/* Reads the next region, which may be full or only partly filled. */
static void look_at_region(struct nway *nway, pid_t tid)
{
	const volatile struct pfm_nway_region *description =
		description_of(nway, nway->read);
	const char *entries = region_of(nway, nway->read);
	uint64_t count = published(&description->count), i;

	ck_assert_uint_eq(description->size, count * entry_bytes(nway->values));
	ck_assert_uint_le(description->size, nway->region_size);
	for (i = 0; i < count; i++, nway->samples++)
		must_be_entry(nway, entries + i * entry_bytes(nway->values), tid);
	nway->told += description->lost;
	nway->read++;
}

static void look_at_full_region(struct nway *nway, pid_t tid)
{
	ck_assert_uint_lt(nway->read, published(&nway->header->filled));
	ck_assert_uint_eq(description_of(nway, nway->read)->count, nway->per_region);
	look_at_region(nway, tid);
}

/*
 * Must be called after stop or unload. Reads the remaining regions and compares the sums over all
 * regions with the header.
 */
static void look_at_rest(struct nway *nway, pid_t tid, uint64_t taken)
{
	while (nway->read < nway->header->filled)
		look_at_full_region(nway, tid);
	if (nway->read - nway->header->released < nway->header->regions)
		look_at_region(nway, tid);
	ck_assert_uint_eq(nway->samples, nway->header->written);
	ck_assert_uint_eq(nway->header->lost_told, nway->told);
	ck_assert_uint_eq(nway->header->produced,
			  nway->header->written + nway->header->lost);
	ck_assert_uint_eq(nway->header->produced, samples_taken() - taken);
}

/* For a caller that monitors itself: spins until @regions regions are full. */
static void fill(const struct nway *nway, uint64_t regions)
{
	while (nway->header->filled < regions)
		spin_turns(10000);
}

static void must_not_restart(int fd)
{
	must_fail(fd, pfm_restart(fd), EBUSY, PFM_REASON_NOTHING_TO_RESTART, NO_INDEX);
}

/* ---- layout and argument ----------------------------------------------------------------- */

static void check_layout(void)
{
	const unsigned int recorded[] = { pmu()->pmds[0], PFM_PMD_TASK_CLOCK };
	const pid_t self = thread_id();
	struct nway nway;
	const void *buffer, *entry;
	uint64_t taken, clock = 0, i;

	need_overflow_interrupts();
	nway = nway_new(2048, 3, recorded, 2, 0);
	write_pmd(nway.fd, PFM_PMD_TASK_CLOCK, 0);
	buffer = (const void *)nway.header;
	must_be_zero(buffer, 24, 48);
	must_be_zero(buffer, 80, 48 + 3 * 32 + 3 * 2048);
	taken = samples_taken();
	start_on(&nway, self);
	fill(&nway, 2);
	must(nway.fd, pfm_stop(nway.fd));

	ck_assert_uint_eq(number_at(buffer, 0, 4), 0x10001);
	ck_assert_uint_eq(number_at(buffer, 4, 4), 3);
	ck_assert_uint_eq(number_at(buffer, 8, 8), 2048);
	ck_assert_uint_eq(number_at(buffer, 16, 8), 128 + 3 * 32);
	ck_assert_uint_eq(number_at(buffer, 24, 8), 2);
	ck_assert_uint_eq(number_at(buffer, 32, 8), 0);
	ck_assert_uint_eq(number_at(buffer, 40, 8), samples_taken() - taken);
	ck_assert_uint_eq(number_at(buffer, 48, 8), samples_taken() - taken);
	ck_assert_uint_eq(number_at(buffer, 56, 8), 0);
	ck_assert_uint_eq(number_at(buffer, 72, 8), smallest_region());
	must_be_zero(buffer, 80, 48);
	for (i = 0; i < 2; i++) {
		ck_assert_uint_eq(number_at(buffer, 128 + 32 * i, 8), nway.per_region);
		ck_assert_uint_eq(number_at(buffer, 136 + 32 * i, 8),
				  nway.per_region * 56);
		must_be_zero(buffer, 144 + 32 * i, 16);
	}
	/*
	 * Each entry has two values: the value of the counter after its overflow, and the value of
	 * a clock that is never reset.
	 */
	for (i = 0; i < nway.per_region; i++) {
		entry = (const char *)buffer + 128 + 3 * 32 + 56 * i;
		ck_assert_uint_lt(number_at(entry, 40, 8), BIT(63));
		ck_assert_uint_gt(number_at(entry, 48, 8), clock);
		clock = number_at(entry, 48, 8);
	}
	look_at_rest(&nway, self, taken);
}

TEST(header_regions_and_entries_are_laid_out_as_described)
{
	with_formats(check_layout);
}

static void check_arguments(void)
{
	const uint64_t least = smallest_region();
	const struct pfm_nway_arg good = { .region_size = least, .regions = 2 };
	const struct pfm_nway_arg bad[] = {
		{ .region_size = 0, .regions = 2 },
		{ .region_size = least - 8, .regions = 2 },
		{ .region_size = least + 4, .regions = 2 },
		{ .region_size = least + 1, .regions = 2 },
		{ .region_size = least, .regions = 0 },
		{ .region_size = least, .regions = 1 },
		{ .region_size = least, .regions = 1025 },
		{ .region_size = least, .regions = UINT32_MAX },
		{ .region_size = least, .regions = 2, .flags = 1 },
		{ .region_size = least, .regions = 2, .flags = 0x80000000 },
		{ .region_size = least, .regions = 2, .reserved = { 1 } },
		{ .region_size = least, .regions = 2, .reserved = { [5] = BIT(63) } },
	};
	struct refusal refusals[COUNT(bad)];
	size_t i;

	for (i = 0; i < COUNT(bad); i++)
		refusals[i] = (struct refusal){ "bad argument: ", &bad[i], sizeof(bad[i]),
						PFM_REASON_FORMAT_ARGUMENT };
	must_refuse("nway", refusals, COUNT(bad), &good, sizeof(good));
}

TEST(bad_arguments_of_nway_are_refused)
{
	with_formats(check_arguments);
}

static void check_too_large(void)
{
	const struct pfm_nway_arg large[] = {
		{ .region_size = -8ull, .regions = 2 },
		{ .region_size = BIT(63), .regions = 2 },
		{ .region_size = BIT(54), .regions = 1024 },
		{ .region_size = BIT(40), .regions = 1024 },
	};
	int fd = pfm_open_device();
	size_t i;

	for (i = 0; i < COUNT(large); i++)
		must_fail(fd, try_format(fd, "nway", &large[i], sizeof(large[i])), ENOMEM,
			  PFM_REASON_MEMORY, NO_INDEX);
	ck_assert_uint_eq(read_number(SYSFS "smpl_buffer_mem_cur"), 0);
}

TEST(a_buffer_larger_than_memory_is_enomem)
{
	with_formats(check_too_large);
}

/*
 * The loop lasts @periods sampling periods, and there must be a sample for each period. The counter
 * counts not only the loop but also the start, the stop and interrupts, so there may be some more
 * samples.
 */
static void check_arithmetic(void)
{
	const uint64_t periods = 50, period = format_period();
	uint64_t time, produced;
	struct nway nway;

	need_overflow_interrupts();
	if (!is_deterministic())
		skip("a loop causes one interrupt in each period only with --icount");
	nway = nway_without_counters(65536, 2, 0);
	sample_promptly(nway.fd, period, 0);
	time = elapsed_time();
	start_on(&nway, thread_id());
	loop(periods * period + period / 2);
	must(nway.fd, pfm_stop(nway.fd));
	time = elapsed_time() - time;
	produced = nway.header->produced;
	must_be_between(produced, periods, time / period);
	ck_assert_uint_eq(nway.header->lost, 0);
	ck_assert_uint_eq(nway.header->written, produced);
	close(nway.fd);
}

TEST(a_loop_gives_a_sample_for_each_period)
{
	with_formats(check_arithmetic);
}

/* ---- ownership of regions ------------------------------------------------------------------- */

/*
 * The reader is slow, but fast enough: it hands back a region when all regions except one are full.
 */
static void check_slow_reader(void)
{
	const pid_t self = thread_id();
	struct nway nway;
	uint64_t taken;

	need_overflow_interrupts();
	nway = nway_new(smallest_region() + 400, REGIONS, NULL, 0, 0);
	taken = samples_taken();
	start_on(&nway, self);
	while (nway.read < 5 * REGIONS) {
		fill(&nway, nway.read + REGIONS - 1);
		ck_assert_uint_eq(nway.header->lost, 0);
		look_at_full_region(&nway, self);
		must(nway.fd, pfm_restart(nway.fd));
		ck_assert_uint_eq(nway.header->released, nway.read);
		ck_assert_uint_eq(status_of(nway.fd).state, PFM_STATE_LOADED);
	}
	must(nway.fd, pfm_stop(nway.fd));
	look_at_rest(&nway, self, taken);
	ck_assert_uint_eq(nway.header->lost, 0);
	ck_assert_uint_eq(nway.told, 0);
}

TEST(no_sample_is_lost_while_a_region_is_free)
{
	with_formats(check_slow_reader);
}

/* Must be called when all regions are full. Spins until @samples samples are lost. */
static void lose(const struct nway *nway, uint64_t samples)
{
	while (nway->header->lost < samples)
		spin_turns(10000);
	ck_assert_uint_eq(nway->header->filled - nway->header->released, REGIONS);
	ck_assert_uint_eq(status_of(nway->fd).state, PFM_STATE_LOADED);
}

static void check_losses(void)
{
	const pid_t self = thread_id();
	struct nway nway;
	uint64_t taken, lost, n;

	need_overflow_interrupts();
	nway = nway_new(smallest_region() + 400, REGIONS, NULL, 0, 0);
	taken = samples_taken();
	start_on(&nway, self);
	fill(&nway, REGIONS);
	lose(&nway, 20);
	ck_assert_uint_eq(nway.header->written, REGIONS * nway.per_region);
	/*
	 * The reader hands back region 0, so the kernel fills this region next. The region reports
	 * how many samples were lost before that.
	 */
	look_at_full_region(&nway, self);
	must(nway.fd, pfm_restart(nway.fd));
	lost = nway.header->lost;
	ck_assert_uint_ge(lost, 20);
	ck_assert_uint_eq(description_of(&nway, 0)->lost, lost);
	ck_assert_uint_eq(nway.header->lost_told, lost);
	fill(&nway, REGIONS + 1);
	lose(&nway, lost + 10);
	ck_assert_uint_eq(description_of(&nway, 0)->lost, lost);
	must(nway.fd, pfm_stop(nway.fd));

	for (n = 0; n < REGIONS; n++) {
		look_at_full_region(&nway, self);
		must(nway.fd, pfm_restart(nway.fd));
	}
	/*
	 * Region 0 reports the samples that were lost before region 0 was handed back. Region 1 was
	 * handed back next. It reports the samples that were lost after region 0 was handed back.
	 */
	ck_assert_uint_eq(description_of(&nway, 1)->lost, nway.header->lost - lost);
	must_not_restart(nway.fd);
	look_at_rest(&nway, self, taken);
}

TEST(samples_without_a_free_region_are_counted_as_lost)
{
	with_formats(check_losses);
}

static void check_nothing_full(void)
{
	struct nway nway;

	need_overflow_interrupts();
	nway = nway_new(65536, 2, NULL, 0, 0);
	must_fail(nway.fd, pfm_restart(nway.fd), EBUSY, PFM_REASON_UNLOADED, NO_INDEX);
	start_on(&nway, thread_id());
	must_not_restart(nway.fd);
	while (nway.header->written < 3)
		spin_turns(10000);
	must_not_restart(nway.fd);
	ck_assert_uint_eq(nway.header->released, 0);
	ck_assert_uint_eq(nway.header->lost, 0);
}

TEST(no_region_can_be_released_before_it_is_full)
{
	with_formats(check_nothing_full);
}

/* ---- messages ------------------------------------------------------------------------------ */

static void must_be_overflow(int fd)
{
	struct pfarg_ovfl_msg message;

	ck_assert_int_eq(read(fd, &message, sizeof(message)), sizeof(message));
	ck_assert_uint_eq(message.msg_type, PFM_MSG_OVFL);
	ck_assert_uint_eq(message.msg_ovfl_pmds[0], BIT(pmu()->pmds[0]));
}

/* The messages are read only at the end. So the queue becomes full, but monitoring continues. */
static void check_messages(void)
{
	const uint64_t depth = pmu()->info.message_queue_depth;
	struct nway nway;
	uint64_t n;

	need_overflow_interrupts();
	nway = nway_new(smallest_region(), REGIONS, NULL, 0, PFM_REGFL_OVFL_NOTIFY);
	ck_assert_uint_eq(nway.per_region, 1);
	start_on(&nway, thread_id());
	for (n = 1; n <= 2 * depth; n++) {
		fill(&nway, n);
		must(nway.fd, pfm_restart(nway.fd));
	}
	ck_assert_uint_eq(status_of(nway.fd).state, PFM_STATE_LOADED);
	must(nway.fd, pfm_stop(nway.fd));
	for (n = 0; n < depth; n++)
		must_be_overflow(nway.fd);
	must_be_silent(nway.fd);
}

TEST(a_full_region_sends_a_message_and_a_full_queue_stops_nothing)
{
	with_formats(check_messages);
}

static void check_no_messages(void)
{
	struct nway nway;

	need_overflow_interrupts();
	nway = nway_new(smallest_region(), REGIONS, NULL, 0, 0);
	start_on(&nway, thread_id());
	fill(&nway, REGIONS);
	lose(&nway, 5);
	must_be_silent(nway.fd);
}

TEST(without_ovfl_notify_there_is_no_message)
{
	with_formats(check_no_messages);
}

/* ---- a reader on another CPU --------------------------------------------------------------- */

static void check_other_cpu(void)
{
	struct child child = child_new();
	struct nway nway;
	uint64_t taken;

	need_overflow_interrupts();
	need_cpus(2);
	pin(0);
	child_call(&child, child_pin, 1);
	nway = nway_new(smallest_region() + 200, REGIONS, NULL, 0, 0);
	taken = samples_taken();
	start_on(&nway, child.pid);
	child_busy(&child);
	while (nway.read < 100) {
		/* The reader polls, so it reads each region as soon as the region is full. */
		while (published(&nway.header->filled) == nway.read)
			;
		look_at_full_region(&nway, child.pid);
		must(nway.fd, pfm_restart(nway.fd));
	}
	must(nway.fd, pfm_stop(nway.fd));
	child_rest(&child);
	look_at_rest(&nway, child.pid, taken);
	child_exit(&child);
}

TEST(a_reader_on_another_cpu_sees_whole_regions)
{
	with_formats(check_other_cpu);
}

static void check_end(void)
{
	struct child child = child_new();
	const pid_t tid = child.pid;
	struct nway nway;
	uint64_t taken;

	need_overflow_interrupts();
	nway = nway_new(smallest_region() + 200, REGIONS, NULL, 0, 0);
	taken = samples_taken();
	start_on(&nway, tid);
	child_busy(&child);
	wait_until(published(&nway.header->filled) >= 2);
	child_kill(&child);
	must_end(nway.fd);
	must_fail(nway.fd, pfm_restart(nway.fd), EBUSY, PFM_REASON_UNLOADED, NO_INDEX);
	close(nway.fd);
	look_at_rest(&nway, tid, taken);
	ck_assert_uint_ge(nway.samples, 2 * nway.per_region);
}

TEST(all_samples_can_be_read_after_the_thread_has_ended)
{
	with_formats(check_end);
}
