// SPDX-License-Identifier: GPL-2.0-only
/*
 * x86: tests the samples of AMD's instruction based sampling, PMU "amd_ibs".
 *
 * The emulated processor samples an instruction each time a unit has counted up to its maximum, and
 * raises the NMI two instructions later. Each instruction is one op. So a run has at least as many
 * ops as the loop executes instructions, and at most as many as perf counts instructions at all
 * levels.
 */
#include <sys/syscall.h>
#include <perfmon/perfmon_callchain.h>
#include <perfmon/perfmon_hist.h>
#include <perfmon/perfmon_nway.h>

#include "formats.h"
#include "ibs.h"

SUITE(ibs, 300);

#define LOAD_OP 1 /* bits of IBS_OP_DATA3 */
#define LINEAR	BIT(17)

static bool is_kernel(uint64_t address)
{
	return address >> 63;
}

/*
 * Returns a number that means "most of @samples": nine tenths in a stock kernel, three quarters in
 * a debug kernel, because interrupt handlers take longer there.
 */
static uint64_t most_of(uint64_t samples)
{
	return is_debug_kernel() ? samples * 3 / 4 : samples * 9 / 10;
}

/* ---- the contents of samples --------------------------------------------------------------- */

/*
 * Checks that @entry has the address of the sampled instruction. If a sample was taken in the
 * kernel during a stop, its entry->ip is the address at which the thread entered the kernel. This
 * is the address of a system call or of an interrupted instruction.
 */
static void must_be_at(entry_t entry, uint64_t address)
{
	const bool in_stop = is_kernel(address) && !is_kernel(entry->ip);

	ck_assert_msg(entry->ip == address || in_stop,
		      "the entry has address %jx, not %jx", (uintmax_t)entry->ip,
		      (uintmax_t)address);
}

/*
 * Checks the values in samples of ops, and returns the number of samples in the loop. Adds the
 * number of samples of the load instruction to @loads. The values belong to the sampled
 * instruction, but entry->ip may be the address of another instruction; see must_be_at().
 */
static uint64_t check_ops(const struct pfm_dfl_smpl_hdr *header, uint64_t *loads)
{
	entry_t entry = (entry_t)(header + 1);
	uint64_t i, inside = 0;

	for (i = 0; i < header->hdr_count; i++) {
		const uint64_t *values = ibs_values(entry);

		ck_assert_uint_eq(entry->ovfl_pmd, PFM_AMD_IBS_OP);
		must_be_at(entry, values[0]);
		inside += is_in_load_loop(values[0]);
		if (values[0] == (uintptr_t)ibs_loop) {
			ck_assert_uint_eq(values[1] & (LOAD_OP | LINEAR),
					  LOAD_OP | LINEAR);
			ck_assert_uint_eq(values[2], (uintptr_t)&ibs_word);
			ck_assert_uint_eq(values[3] % 4096, (uintptr_t)&ibs_word % 4096);
			ck_assert_uint_ne(values[3] / 4096, 0);
			++*loads;
		} else if (is_in_load_loop(values[0])) {
			ck_assert_uint_eq(values[1], 0);
			ck_assert_uint_eq(values[2], 0);
		}
		entry = (entry_t)(values + COUNT(of_op));
	}
	return inside;
}

/*
 * A turn of the loop has ten instructions. Each period includes the ops of the NMI handler, whose
 * number is always the same. The rest of the period is the number of instructions from one sample
 * in the loop to the next. With at least one of the last four periods below, this number is
 * divisible neither by two nor by five, so every instruction of the loop is sampled.
 */
TEST(ops_are_sampled_once_per_period)
{
	static const uint64_t periods[] = { 100000, 20001, 20002, 20003, 20004 };
	const struct pfm_dfl_smpl_hdr *header;
	uint64_t loop = 10 * MILLION, loads = 0;
	struct ibs_run run;
	size_t i;
	int fd;

	need_ibs();
	for (i = 0; i < COUNT(periods); i++) {
		fd = ibs_buffer_context();
		header = ibs_map(fd, MIB);
		sample_ops(fd, BOTH, periods[i]);
		run = ibs_sample_loop(fd, loop);
		ck_assert_uint_eq(header->hdr_count, run.samples);
		must_be_between(run.samples, loop / periods[i],
				run.instructions / periods[i]);
		ck_assert_uint_ge(check_ops(header, &loads), most_of(run.samples));
		munmap((void *)header, MIB);
		close(fd);
	}
	ck_assert_uint_ge(loads, 30);
}

TEST(fetches_are_sampled_once_per_period)
{
	const uint64_t period = 50000, loop = 10 * MILLION;
	int fd = (need_ibs(), ibs_buffer_context());
	const struct pfm_dfl_smpl_hdr *header = ibs_map(fd, MIB);
	entry_t entry = (entry_t)(header + 1);
	uint64_t i, inside = 0;
	struct ibs_run run;

	sample_fetches(fd, BOTH, period);
	run = ibs_sample_loop(fd, loop);
	ck_assert_uint_eq(header->hdr_count, run.samples);
	must_be_between(run.samples, loop / period, run.instructions / period);
	for (i = 0; i < header->hdr_count; i++) {
		const uint64_t *values = ibs_values(entry);

		ck_assert_uint_eq(entry->ovfl_pmd, PFM_AMD_IBS_FETCH);
		must_be_at(entry, values[0]);
		ck_assert_uint_eq(values[1] % 4096, values[0] % 4096);
		ck_assert(values[2] & FETCH_LAST);
		inside += is_in_load_loop(values[0]);
		entry = (entry_t)(values + COUNT(of_fetch));
	}
	ck_assert_uint_ge(inside, most_of(run.samples));
	close(fd);
}

/*
 * A set uses both units. Nearly all samples contain data of one unit only: the registers of the
 * other unit are 0.
 */
TEST(both_units_sample_at_once)
{
	static const unsigned int both[] = { PFM_AMD_IBS_FETCH_LINEAR,
					     PFM_AMD_IBS_OP_RIP };
	int fd = (need_ibs(), ibs_buffer_context());
	const struct pfm_dfl_smpl_hdr *header = ibs_map(fd, MIB);
	entry_t entry = (entry_t)(header + 1);
	uint64_t i, count[8] = {}, joint = 0;
	struct ibs_run run;

	sample_unit(fd, PFM_AMD_IBS_PMC_OP, OPS | BOTH, PFM_AMD_IBS_OP, 70001, both, 2);
	sample_unit(fd, PFM_AMD_IBS_PMC_FETCH, BOTH, PFM_AMD_IBS_FETCH, 50000, both, 2);
	run = ibs_sample_loop(fd, 10 * MILLION);
	ck_assert_uint_eq(header->hdr_count, run.samples);
	for (i = 0; i < header->hdr_count; i++) {
		const uint64_t *values = ibs_values(entry);
		bool is_op = entry->ovfl_pmd == PFM_AMD_IBS_OP;

		count[entry->ovfl_pmd]++;
		must_be_at(entry, values[is_op]);
		joint += values[!is_op] != 0;
		entry = (entry_t)(values + 2);
	}
	/*
	 * A sample has data of both units if the second unit takes a sample before the handler of
	 * the first unit's NMI has read the registers. In a debug kernel the handler takes longer,
	 * so this happens more often.
	 */
	ck_assert_uint_le(joint, run.samples / (is_debug_kernel() ? 10 : 20));
	must_be_between(count[PFM_AMD_IBS_OP], 10 * MILLION / 70001,
			run.instructions / 70001);
	/* The low bits of the fetch counter are lost whenever the other unit takes a sample. */
	must_be_between(count[PFM_AMD_IBS_FETCH], 10 * MILLION / 50000 - 2,
			run.instructions / 50000);
	close(fd);
}

/* ---- other formats ------------------------------------------------------------------------- */

static void must_be_all(struct ibs_run run, uint64_t samples)
{
	ck_assert_uint_eq(samples, run.samples);
	must_be_between(samples, 100, run.instructions / 100000);
}

static struct ibs_run sample_with(int fd)
{
	sample_ops(fd, BOTH, 100000);
	return ibs_sample_loop(fd, 10 * MILLION);
}

static void check_hist(void)
{
	const struct pfm_hist_arg argument = { .entries = 1024 };
	int fd = ibs_context("hist", &argument, sizeof(argument));
	const struct pfm_hist_hdr *header =
		ibs_map(fd, sizeof(*header) + 1024 * sizeof(struct pfm_hist_entry));
	const struct pfm_hist_entry *entries = (const void *)(header + 1);
	uint64_t sum = 0, inside = 0, i;
	struct ibs_run run = sample_with(fd);

	for (i = 0; i < header->entries; i++) {
		sum += entries[i].count;
		inside += is_in_load_loop(entries[i].ip) ? entries[i].count : 0;
	}
	must_be_all(run, sum);
	ck_assert_uint_eq(header->lost, 0);
	ck_assert_uint_ge(inside, most_of(sum));
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
	int fd = ibs_context("nway", &argument, sizeof(argument));
	const struct pfm_nway_hdr *header =
		mmap(NULL, 4 * 65536 + 4096, PROT_READ, MAP_SHARED, fd, 0);
	entry_t first;
	struct ibs_run run;

	ck_assert_ptr_ne(header, MAP_FAILED);
	run = sample_with(fd);
	must_be_all(run, header->written);
	ck_assert_uint_eq(header->lost, 0);
	first = (const void *)((const char *)header + header->region_offset);
	ck_assert_uint_eq(first->ip, ibs_values(first)[0]);
	close(fd);
}

TEST(format_nway_gets_all_samples)
{
	need_ibs();
	with_formats(check_nway);
}

static void check_callchain(void)
{
	const struct pfm_callchain_arg argument = { .buf_size = MIB };
	int fd = ibs_context("callchain", &argument, sizeof(argument));
	const struct pfm_dfl_smpl_hdr *header = ibs_map(fd, MIB);
	const struct pfm_callchain_entry *entry = (const void *)(header + 1);
	const uint64_t *values;
	uint64_t i, inside = 0;
	struct ibs_run run = sample_with(fd);

	must_be_all(run, header->hdr_count);
	for (i = 0; i < header->hdr_count; i++) {
		values = (const uint64_t *)(entry + 1);
		ck_assert_uint_eq(entry->value_count, COUNT(of_op));
		ck_assert_uint_eq(entry->sample.ip, values[0]);
		inside += is_in_load_loop(entry->sample.ip);
		entry = (const void *)(values + entry->value_count + entry->kernel_count +
				       entry->user_count);
	}
	ck_assert_uint_ge(inside, most_of(run.samples));
	close(fd);
}

TEST(format_callchain_begins_at_the_interrupted_instruction)
{
	need_ibs();
	with_formats(check_callchain);
}

/* ---- what an ordinary user sees ------------------------------------------------------------ */

/* Samples a thread that calls the kernel again and again, so there are samples at both levels. */
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
	fd = ibs_buffer_context();
	header = ibs_map(fd, MIB);
	sample_system_calls(fd, BOTH);
	ck_assert_uint_ge(header->hdr_count, 20);
	entry = (entry_t)(header + 1);
	for (i = 0; i < header->hdr_count; i++) {
		values = ibs_values(entry);
		ck_assert(!is_kernel(entry->ip));
		for (j = 0; j < COUNT(of_op); j++)
			ck_assert(!is_kernel(values[j]));
		ck_assert_uint_eq(values[3], 0);
		entry = (entry_t)(values + COUNT(of_op));
	}
	close(fd);
}

/*
 * Root does the same work and gets samples of the kernel. So such samples were taken in the test
 * above as well, but the user did not get them.
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

		fd = ibs_buffer_context();
		header = ibs_map(fd, MIB);
		sample_system_calls(fd, levels[n]);
		entry = (entry_t)(header + 1);
		for (i = 0; i < header->hdr_count; i++) {
			seen[is_kernel(ibs_values(entry)[0])]++;
			entry = (entry_t)(ibs_values(entry) + COUNT(of_op));
		}
		if (levels[n] & PFM_AMD_IBS_USER)
			ck_assert_uint_ge(seen[0], 20);
		else
			ck_assert_uint_eq(seen[0], 0);
		if (levels[n] & PFM_AMD_IBS_KERNEL)
			ck_assert_uint_ge(seen[1], 3);
		else
			ck_assert_uint_eq(seen[1], 0);
		munmap((void *)header, MIB);
		close(fd);
	}
}
