// SPDX-License-Identifier: GPL-2.0-only
/*
 * x86: AMD's instruction based sampling, PMU "amd_ibs".
 *
 * The emulated processor samples an instruction each time the count is reached, and raises the NMI
 * two instructions later. The number of ops is at most perf's count of instructions at all levels,
 * and at least the length of the loop.
 */
#if defined(__x86_64__)

#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <perfmon/perfmon_amd.h>
#include <perfmon/perfmon_callchain.h>
#include <perfmon/perfmon_dfl_smpl.h>
#include <perfmon/perfmon_hist.h>
#include <perfmon/perfmon_nway.h>

#include "formats.h"
#include "measure.h"

SUITE(ibs, 300);

#define DEVICES	   "/sys/bus/event_source/devices/"
#define ROOM	   (1ul << 20)
#define BOTH	   (PFM_AMD_IBS_USER | PFM_AMD_IBS_KERNEL)
#define OPS	   PFM_AMD_IBS_COUNT_OPS
#define LOAD_OP	   1 /* bits of IBS_OP_DATA3 */
#define LINEAR	   BIT(17)
#define FETCH_LAST BIT(50) /* of IBS_FETCH_CTL: the fetch completed */

/* PMDs that a sample records, and their order in it. */
static const unsigned int of_op[] = { PFM_AMD_IBS_OP_RIP, PFM_AMD_IBS_OP_DATA3,
				      PFM_AMD_IBS_DC_LINEAR, PFM_AMD_IBS_DC_PHYSICAL };
static const unsigned int of_fetch[] = { PFM_AMD_IBS_FETCH_LINEAR,
					 PFM_AMD_IBS_FETCH_PHYSICAL,
					 PFM_AMD_IBS_FETCH_DATA };

static void need_ibs(void)
{
	if (!path_exists(DEVICES "ibs_op"))
		skip("no IBS");
	ck_assert(pmu_is("amd"));
}

/* ---- work ---------------------------------------------------------------------------------- */

extern const char ibs_loop[], ibs_loop_end[];

static uint64_t word;

/* Ten instructions; the first loads from @word. */
__attribute__((noinline)) static void load_loop(uint64_t instructions)
{
	uint64_t tens = instructions / 10;

	__asm__ volatile(".globl ibs_loop, ibs_loop_end\n"
			 "ibs_loop: mov (%%rdi), %%rax\n"
			 "nop; nop; nop; nop; nop; nop; nop; dec %0; jnz ibs_loop\n"
			 "ibs_loop_end:"
			 : "+r"(tens)
			 : "D"(&word)
			 : "rax", "cc", "memory");
}

static bool is_in_loop(uint64_t ip)
{
	return ip >= (uintptr_t)ibs_loop && ip < (uintptr_t)ibs_loop_end;
}

static bool is_kernel(uint64_t address)
{
	return address >> 63;
}

/* ---- contexts ------------------------------------------------------------------------------ */

static int context(const char *format, const void *argument, size_t size)
{
	const struct pfm_create create = {
		.format_name = (uintptr_t)format,
		.format_argument = (uintptr_t)argument,
		.format_size = size,
		.pmu_name = (uintptr_t) "amd_ibs",
	};
	int fd = pfm_create(&create);

	ck_assert_msg(fd != -1, "pfm_create: %s", strerror(errno));
	return fd;
}

static void add(uint64_t *map, unsigned int n)
{
	map[n / 64] |= BIT(n % 64);
}

static void sample_unit(int fd, unsigned int pmc, uint64_t config, unsigned int n,
			uint64_t period, const unsigned int *recorded, size_t count)
{
	struct pfarg_pmd pmd = {
		.reg_num = n,
		.reg_value = -period,
		.reg_short_reset = -period,
		.reg_long_reset = -period,
	};

	while (count--)
		add(pmd.reg_smpl_pmds, recorded[count]);
	write_pmc(fd, pmc, config);
	must(fd, pfm_write_pmds(fd, &pmd, 1));
}

static void sample_ops(int fd, uint64_t levels, uint64_t period)
{
	sample_unit(fd, PFM_AMD_IBS_PMC_OP, OPS | levels, PFM_AMD_IBS_OP, period, of_op,
		    COUNT(of_op));
}

static void sample_fetches(int fd, uint64_t levels, uint64_t period)
{
	sample_unit(fd, PFM_AMD_IBS_PMC_FETCH, levels, PFM_AMD_IBS_FETCH, period,
		    of_fetch, COUNT(of_fetch));
}

static int default_context(void)
{
	static const struct pfm_dfl_smpl_arg argument = { .buf_size = ROOM };

	return context("default", &argument, sizeof(argument));
}

static const void *map(int fd, size_t size)
{
	const void *memory = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);

	ck_assert_ptr_ne(memory, MAP_FAILED);
	return memory;
}

/* What a run of the loop has counted and sampled. */
struct run {
	uint64_t instructions; /* perf's count at all levels; the loop has less */
	uint64_t samples;
	uint64_t unknown; /* NMIs */
};

/* After another suite has used the core counters, it may take a second until perf can have them. */
static int open_instructions(void)
{
	int event;

	wait_until((event = perf_open(0xc0, false, 0, -1, -1)) != -1);
	return event;
}

static struct run run_loop(int fd, uint64_t instructions)
{
	int all = open_instructions();
	struct run run;

	load(fd, thread_id());
	reports_begin();
	run.samples = statistic("fmt_handler_calls");
	perf_enable(all);
	must(fd, pfm_start(fd, NULL));
	load_loop(instructions);
	must(fd, pfm_stop(fd));
	perf_disable(all);
	run.samples = statistic("fmt_handler_calls") - run.samples;
	run.instructions = perf_read(all).value;
	run.unknown = reports_end(UNKNOWN_NMI);
	ck_assert_uint_ge(run.instructions, instructions);
	ck_assert_uint_eq(run.unknown, 0);
	close(all);
	return run;
}

/* ---- the contents of samples --------------------------------------------------------------- */

typedef const struct pfm_dfl_smpl_entry *entry_t;

static const uint64_t *values_of(entry_t entry)
{
	return (const uint64_t *)(entry + 1);
}

/*
 * Returns the number of samples in the loop. A sample that is taken during a stop has the address
 * of the system call.
 */
static uint64_t check_ops(const struct pfm_dfl_smpl_hdr *header, uint64_t *loads)
{
	entry_t entry = (entry_t)(header + 1);
	uint64_t i, inside = 0;

	for (i = 0; i < header->hdr_count; i++) {
		const uint64_t *values = values_of(entry);

		ck_assert_uint_eq(entry->ovfl_pmd, PFM_AMD_IBS_OP);
		ck_assert(is_kernel(values[0]) || entry->ip == values[0]);
		inside += is_in_loop(entry->ip);
		if (entry->ip == (uintptr_t)ibs_loop) {
			ck_assert_uint_eq(values[1] & (LOAD_OP | LINEAR),
					  LOAD_OP | LINEAR);
			ck_assert_uint_eq(values[2], (uintptr_t)&word);
			ck_assert_uint_eq(values[3] % 4096, (uintptr_t)&word % 4096);
			ck_assert_uint_ne(values[3] / 4096, 0);
			++*loads;
		} else if (is_in_loop(entry->ip)) {
			ck_assert_uint_eq(values[1], 0);
			ck_assert_uint_eq(values[2], 0);
		}
		entry = (entry_t)(values + COUNT(of_op));
	}
	return inside;
}

/*
 * Each period includes the ops of the NMI handler, whose number is always the same. So at least one
 * of the last four periods in the list yields samples of all instructions of the loop.
 */
TEST(ops_are_sampled_once_per_period)
{
	static const uint64_t periods[] = { 100000, 20001, 20002, 20003, 20004 };
	const struct pfm_dfl_smpl_hdr *header;
	uint64_t loop = 10 * MILLION, loads = 0;
	struct run run;
	size_t i;
	int fd;

	need_ibs();
	for (i = 0; i < COUNT(periods); i++) {
		fd = default_context();
		header = map(fd, ROOM);
		sample_ops(fd, BOTH, periods[i]);
		run = run_loop(fd, loop);
		ck_assert_uint_eq(header->hdr_count, run.samples);
		must_be_between(run.samples, loop / periods[i],
				run.instructions / periods[i]);
		ck_assert_uint_ge(check_ops(header, &loads), run.samples * 9 / 10);
		munmap((void *)header, ROOM);
		close(fd);
	}
	ck_assert_uint_ge(loads, 30);
}

TEST(fetches_are_sampled_once_per_period)
{
	const uint64_t period = 50000, loop = 10 * MILLION;
	int fd = (need_ibs(), default_context());
	const struct pfm_dfl_smpl_hdr *header = map(fd, ROOM);
	entry_t entry = (entry_t)(header + 1);
	uint64_t i, inside = 0;
	struct run run;

	sample_fetches(fd, BOTH, period);
	run = run_loop(fd, loop);
	ck_assert_uint_eq(header->hdr_count, run.samples);
	must_be_between(run.samples, loop / period, run.instructions / period);
	for (i = 0; i < header->hdr_count; i++) {
		const uint64_t *values = values_of(entry);

		ck_assert_uint_eq(entry->ovfl_pmd, PFM_AMD_IBS_FETCH);
		ck_assert_uint_eq(entry->ip, values[0]);
		ck_assert_uint_eq(values[1] % 4096, entry->ip % 4096);
		ck_assert(values[2] & FETCH_LAST);
		inside += is_in_loop(entry->ip);
		entry = (entry_t)(values + COUNT(of_fetch));
	}
	ck_assert_uint_ge(inside, run.samples * 9 / 10);
	close(fd);
}

/* A set uses both units; a sample of one unit has no data of the other. */
TEST(both_units_sample_at_once)
{
	static const unsigned int both[] = { PFM_AMD_IBS_FETCH_LINEAR,
					     PFM_AMD_IBS_OP_RIP };
	int fd = (need_ibs(), default_context());
	const struct pfm_dfl_smpl_hdr *header = map(fd, ROOM);
	entry_t entry = (entry_t)(header + 1);
	uint64_t i, count[8] = {}, joint = 0;
	struct run run;

	sample_unit(fd, PFM_AMD_IBS_PMC_OP, OPS | BOTH, PFM_AMD_IBS_OP, 70001, both, 2);
	sample_unit(fd, PFM_AMD_IBS_PMC_FETCH, BOTH, PFM_AMD_IBS_FETCH, 50000, both, 2);
	run = run_loop(fd, 10 * MILLION);
	ck_assert_uint_eq(header->hdr_count, run.samples);
	for (i = 0; i < header->hdr_count; i++) {
		const uint64_t *values = values_of(entry);
		bool is_op = entry->ovfl_pmd == PFM_AMD_IBS_OP;

		count[entry->ovfl_pmd]++;
		ck_assert_uint_eq(entry->ip, values[is_op]);
		joint += values[!is_op] != 0;
		entry = (entry_t)(values + 2);
	}
	/* Before the NMI of one unit is handled, the other unit may take a sample, too. */
	ck_assert_uint_le(joint, run.samples / 20);
	must_be_between(count[PFM_AMD_IBS_OP], 10 * MILLION / 70001,
			run.instructions / 70001);
	/* The low bits of the fetch counter are lost whenever the other unit takes a sample. */
	must_be_between(count[PFM_AMD_IBS_FETCH], 10 * MILLION / 50000 - 2,
			run.instructions / 50000);
	close(fd);
}

/* ---- other formats ------------------------------------------------------------------------- */

static void must_be_all(struct run run, uint64_t samples)
{
	ck_assert_uint_eq(samples, run.samples);
	must_be_between(samples, 100, run.instructions / 100000);
}

static struct run sample_with(int fd)
{
	sample_ops(fd, BOTH, 100000);
	return run_loop(fd, 10 * MILLION);
}

static void check_hist(void)
{
	const struct pfm_hist_arg argument = { .entries = 1024 };
	int fd = context("hist", &argument, sizeof(argument));
	const struct pfm_hist_hdr *header =
		map(fd, sizeof(*header) + 1024 * sizeof(struct pfm_hist_entry));
	const struct pfm_hist_entry *entries = (const void *)(header + 1);
	uint64_t sum = 0, inside = 0, i;
	struct run run = sample_with(fd);

	for (i = 0; i < header->entries; i++) {
		sum += entries[i].count;
		inside += is_in_loop(entries[i].ip) ? entries[i].count : 0;
	}
	must_be_all(run, sum);
	ck_assert_uint_eq(header->lost, 0);
	ck_assert_uint_ge(inside, sum * 9 / 10);
	close(fd);
}

TEST(format_hist_counts_sampled_instructions)
{
	need_ibs();
	with_formats(check_hist);
}

static void check_nway(void)
{
	const struct pfm_nway_arg argument = { .region_size = 65536, .regions = 4 };
	int fd = context("nway", &argument, sizeof(argument));
	const struct pfm_nway_hdr *header =
		mmap(NULL, 4 * 65536 + 4096, PROT_READ, MAP_SHARED, fd, 0);
	entry_t first;
	struct run run;

	ck_assert_ptr_ne(header, MAP_FAILED);
	run = sample_with(fd);
	must_be_all(run, header->written);
	ck_assert_uint_eq(header->lost, 0);
	first = (const void *)((const char *)header + header->region_offset);
	ck_assert_uint_eq(first->ip, values_of(first)[0]);
	close(fd);
}

TEST(format_nway_gets_all_samples)
{
	need_ibs();
	with_formats(check_nway);
}

static void check_callchain(void)
{
	const struct pfm_callchain_arg argument = { .buf_size = ROOM };
	int fd = context("callchain", &argument, sizeof(argument));
	const struct pfm_dfl_smpl_hdr *header = map(fd, ROOM);
	const struct pfm_callchain_entry *entry = (const void *)(header + 1);
	const uint64_t *values;
	uint64_t i, inside = 0;
	struct run run = sample_with(fd);

	must_be_all(run, header->hdr_count);
	for (i = 0; i < header->hdr_count; i++) {
		values = (const uint64_t *)(entry + 1);
		ck_assert_uint_eq(entry->value_count, COUNT(of_op));
		ck_assert_uint_eq(entry->sample.ip, values[0]);
		inside += is_in_loop(entry->sample.ip);
		entry = (const void *)(values + entry->value_count + entry->kernel_count +
				       entry->user_count);
	}
	ck_assert_uint_ge(inside, run.samples * 9 / 10);
	close(fd);
}

TEST(format_callchain_begins_at_the_interrupted_instruction)
{
	need_ibs();
	with_formats(check_callchain);
}

/* ---- what an ordinary user sees ------------------------------------------------------------ */

/* Most samples hit the kernel. */
static void sample_system_calls(int fd, uint64_t levels)
{
	int i;

	sample_ops(fd, levels, 10007);
	load(fd, thread_id());
	must(fd, pfm_start(fd, NULL));
	for (i = 0; i < 2000; i++) {
		syscall(SYS_getppid);
		load_loop(1000);
	}
	must(fd, pfm_stop(fd));
}

TEST(an_ordinary_user_sees_nothing_of_the_kernel)
{
	const struct pfm_dfl_smpl_hdr *header;
	const uint64_t *values;
	uint64_t i, j;
	entry_t entry;
	int fd;

	need_ibs();
	become(USER_ID);
	fd = default_context();
	header = map(fd, ROOM);
	sample_system_calls(fd, BOTH);
	ck_assert_uint_ge(header->hdr_count, 20);
	entry = (entry_t)(header + 1);
	for (i = 0; i < header->hdr_count; i++) {
		values = values_of(entry);
		ck_assert(!is_kernel(entry->ip));
		for (j = 0; j < COUNT(of_op); j++)
			ck_assert(!is_kernel(values[j]));
		ck_assert_uint_eq(values[3], 0);
		entry = (entry_t)(values + COUNT(of_op));
	}
	close(fd);
}

/*
 * For the same work root gets samples of the kernel. So in the test above there were such
 * samples, and the user did not get them.
 */
TEST(root_sees_both_levels_or_the_one_that_it_asks_for)
{
	static const uint64_t levels[] = { PFM_AMD_IBS_USER, PFM_AMD_IBS_KERNEL, BOTH };
	const struct pfm_dfl_smpl_hdr *header;
	uint64_t i, n;
	entry_t entry;
	int fd;

	need_ibs();
	for (n = 0; n < COUNT(levels); n++) {
		uint64_t seen[2] = {};

		fd = default_context();
		header = map(fd, ROOM);
		sample_system_calls(fd, levels[n]);
		entry = (entry_t)(header + 1);
		for (i = 0; i < header->hdr_count; i++) {
			seen[is_kernel(values_of(entry)[0])]++;
			entry = (entry_t)(values_of(entry) + COUNT(of_op));
		}
		if (levels[n] & PFM_AMD_IBS_USER)
			ck_assert_uint_ge(seen[0], 20);
		else
			ck_assert_uint_eq(seen[0], 0);
		if (levels[n] & PFM_AMD_IBS_KERNEL)
			ck_assert_uint_ge(seen[1], 3);
		else
			ck_assert_uint_eq(seen[1], 0);
		munmap((void *)header, ROOM);
		close(fd);
	}
}

/* ---- counts -------------------------------------------------------------------------------- */

/* The count continues beyond the maximum of the hardware's counter, and from start to start. */
TEST(ops_are_counted_with_64_bits)
{
	int fd = (need_ibs(), context(NULL, NULL, 0)), all;
	uint64_t i, count = 0, last;

	write_pmc(fd, PFM_AMD_IBS_PMC_OP, OPS | BOTH);
	write_pmd(fd, PFM_AMD_IBS_OP, 0);
	all = open_instructions();
	load(fd, thread_id());
	perf_enable(all);
	for (i = 1; i <= 5; i++) {
		last = count;
		must(fd, pfm_start(fd, NULL));
		load_loop(3 * MILLION);
		count = read_pmd(fd, PFM_AMD_IBS_OP);
		ck_assert_uint_ge(count, last + 3 * MILLION);
		must(fd, pfm_stop(fd));
		ck_assert_uint_ge(read_pmd(fd, PFM_AMD_IBS_OP), count);
		count = read_pmd(fd, PFM_AMD_IBS_OP);
	}
	perf_disable(all);
	must_be_between(count, 15 * MILLION, perf_read(all).value);
	close(all);
	close(fd);
}

/*
 * With one level, the PMD shows nothing of what has been counted, because the count includes the
 * other level. For the same work the PMD grows if both levels are chosen (see the test above).
 */
TEST(an_ordinary_user_reads_no_count_of_the_kernel)
{
	static const unsigned int numbers[] = { PFM_AMD_IBS_FETCH, PFM_AMD_IBS_OP };
	const uint64_t period = 1000 * MILLION;
	uint64_t values[2];
	int fd, i;

	need_ibs();
	become(USER_ID);
	fd = context(NULL, NULL, 0);
	sample_ops(fd, PFM_AMD_IBS_USER, period);
	sample_fetches(fd, PFM_AMD_IBS_USER, period);
	load(fd, thread_id());
	for (i = 0; i < 20; i++) {
		must(fd, i % 2 ? pfm_stop(fd) : pfm_start(fd, NULL));
		load_loop(MILLION);
		read_pmds(fd, numbers, values, 2);
		ck_assert_uint_eq(values[0], -period);
		ck_assert_uint_eq(values[1], -period);
	}
	close(fd);
}

#define PERIOD 100000

/* Starts and stops 100 times, with half a period in between. Returns the number of samples. */
static uint64_t samples_of_halves(int fd, bool writes)
{
	uint64_t before = statistic("fmt_handler_calls");
	int i;

	for (i = 0; i < 100; i++) {
		if (writes)
			sample_ops(fd, PFM_AMD_IBS_USER, PERIOD);
		must(fd, pfm_start(fd, NULL));
		load_loop(PERIOD / 2);
		must(fd, pfm_stop(fd));
	}
	return statistic("fmt_handler_calls") - before;
}

/* A period that the PMD does not show goes on at the next start. A write begins it again. */
TEST(a_period_of_one_level_goes_on_at_the_next_start)
{
	int fd = (need_ibs(), default_context());

	load(fd, thread_id());
	ck_assert_uint_eq(samples_of_halves(fd, true), 0);
	must_be_between(samples_of_halves(fd, false), 35, 60);
	close(fd);
}

/* ---- perf beside us ------------------------------------------------------------------------ */

static int perf_ibs(const char *unit, bool pinned)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.sample_period = 100000 / 16 * 16,
		.pinned = pinned,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED |
			       PERF_FORMAT_TOTAL_TIME_RUNNING,
	};
	char path[96];

	snprintf(path, sizeof(path), DEVICES "%s/type", unit);
	attr.type = read_number(path);
	return syscall(SYS_perf_event_open, &attr, -1, 0, -1, 0);
}

static uint64_t perf_counts(int fd)
{
	uint64_t before = perf_read(fd).value;

	load_loop(10 * MILLION);
	return perf_read(fd).value - before;
}

/*
 * Returns whether perf can use the op unit. If an event finds its unit in use, it stays in an error
 * state, and read() returns 0.
 */
static bool is_released(void)
{
	int fd = perf_ibs("ibs_op", true);
	struct perf_count unused;
	bool is = read(fd, &unused, sizeof(unused)) > 0;

	close(fd);
	return is;
}

static int ops_context(void)
{
	int fd = context(NULL, NULL, 0);

	write_pmc(fd, PFM_AMD_IBS_PMC_OP, OPS | BOTH);
	write_pmd(fd, PFM_AMD_IBS_OP, 0);
	return fd;
}

/* Opens an event of its own, because the unit may be in use by the other events of this test. */
static void must_work_in_perf(const char *unit)
{
	int fd = perf_ibs(unit, false);

	ck_assert_int_ne(fd, -1);
	ck_assert_uint_ge(perf_counts(fd), 9 * MILLION);
	close(fd);
}

TEST(perfs_pinned_event_keeps_its_unit)
{
	int pinned, fd;

	need_ibs();
	pin(0);
	wait_until(is_released());
	pinned = perf_ibs("ibs_op", true);
	ck_assert_int_ne(pinned, -1);
	fd = ops_context();
	must_fail(fd, try_load(fd, thread_id()), EBUSY, PFM_REASON_PMD_HELD, NO_INDEX);
	ck_assert_uint_ge(perf_counts(pinned), 9 * MILLION);
	close(pinned);
	load(fd, thread_id());
	ck_assert_uint_ge(count_loop(fd, PFM_AMD_IBS_OP, MILLION), MILLION);
	close(fd);
}

TEST(perf_waits_while_we_have_the_unit_and_works_afterwards)
{
	int waiting, fd;

	need_ibs();
	pin(0);
	wait_until(is_released());
	must_work_in_perf("ibs_op");
	fd = ops_context();
	load(fd, thread_id());
	waiting = perf_ibs("ibs_op", false);
	ck_assert_int_ne(waiting, -1);
	ck_assert_uint_eq(perf_counts(waiting), 0);
	ck_assert_uint_ge(count_loop(fd, PFM_AMD_IBS_OP, MILLION), MILLION);
	/* The other unit is perf's all the time. */
	must_work_in_perf("ibs_fetch");
	ck_assert_uint_ge(count_loop(fd, PFM_AMD_IBS_OP, MILLION), MILLION);
	close(waiting);
	close(fd);
	wait_until(is_released());
	must_work_in_perf("ibs_op");
	must_work_in_perf("ibs_fetch");
}

#endif
