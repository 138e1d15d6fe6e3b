// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests Intel's last branch records in samples. The tests use code whose branches are known. They
 * check the recorded branches, the chains of callers, how the module uses the processor's
 * registers, and that the module refuses to record branches if the ownership is shared.
 */
#include <perfmon/perfmon_callchain.h>

#include "x86_lbr.h"

SUITE(x86_lbr, 300);

#define DEBUG_CONTROL 0x1d9
#define FREEZE_LBRS   BIT(11)

static void must_be_branch(struct branch record, struct branch wanted, unsigned int i)
{
	ck_assert_msg(record.from == wanted.from && record.to == wanted.to &&
			      record.type == wanted.type,
		      "record %u: 0x%jx to 0x%jx, type %u, not 0x%jx to 0x%jx, type %u",
		      i, (uintmax_t)record.from, (uintmax_t)record.to, record.type,
		      (uintmax_t)wanted.from, (uintmax_t)wanted.to, wanted.type);
}

/* ---- the branches before a sample ------------------------------------------------------------ */

/*
 * The youngest branch records of @entry must be the known branches that @filter selects. Record 0
 * is the branch that was taken last.
 */
static void must_be_known(entry_t entry, uint64_t filter)
{
	const struct branch *known = known_branches();
	unsigned int i = 0;
	int n;

	/*
	 * Skip the records of returns from interrupts. For example, the interrupt of the previous
	 * sample ended with such a return.
	 */
	while (record_of(entry, i).from == LBR_FROM_OTHER_LEVEL)
		i++;
	if (filter & PFM_INTEL_LBR_RETURN) {
		ck_assert_uint_eq(record_of(entry, i).to, (uint64_t)none_begins);
		i++;
	}
	for (n = KNOWN_BRANCHES - 1; n >= 0; n--) {
		if (!(known[n].kind & filter))
			continue;
		must_be_branch(record_of(entry, i), known[n], i);
		i++;
	}
	if (filter & PFM_INTEL_LBR_CALL)
		must_be_branch(record_of(entry, i),
			       (struct branch){
				       .from = (uint64_t)calls_known_branches,
				       .to = (uint64_t)take_known_branches,
				       .type = 4,
			       },
			       i);
}

/*
 * Returns a context that has sampled the known branches. A switch to another thread clears the
 * branch records. After such a switch, the function begins again with a new context.
 */
static int sample_known(uint64_t filter)
{
	uint64_t switches;
	int fd;

	for (;;) {
		fd = lbr_context(PFM_INTEL_LBR_USER | filter, AT_USER, PERIOD);
		load(fd, thread_id());
		switches = statistic("ctxswin_count");
		must(fd, pfm_start(fd, NULL));
		branches_then_none();
		must(fd, pfm_stop(fd));
		if (statistic("ctxswin_count") == switches)
			return fd;
		close(fd);
	}
}

static void must_sample_known(uint64_t filter)
{
	int fd = sample_known(filter);
	const struct pfm_dfl_smpl_hdr *header = map_samples(fd);
	unsigned int samples = 0;
	entry_t entry;

	for_each_entry(entry, header) {
		if (!is_in_none(entry->ip))
			continue;
		must_be_known(entry, filter);
		samples++;
	}
	must_be_between(samples, 3, 4);
	munmap((void *)header, SIZE);
	close(fd);
}

static void check_known(void)
{
	static const uint64_t filters[] = {
		PFM_INTEL_LBR_ALL,    PFM_INTEL_LBR_CONDITIONAL,
		PFM_INTEL_LBR_JUMP,   PFM_INTEL_LBR_INDIRECT_JUMP,
		PFM_INTEL_LBR_CALL,   PFM_INTEL_LBR_INDIRECT_CALL,
		PFM_INTEL_LBR_RETURN, PFM_INTEL_LBR_CALL | PFM_INTEL_LBR_RETURN,
	};
	unsigned int i;

	for (i = 0; i < COUNT(filters); i++)
		must_sample_known(filters[i]);
}

TEST(a_sample_has_the_branches_before_it)
{
	with_lbr(check_known);
}

/*
 * If PMC 30 (PFM_INTEL_LBR_CONTROL) is 0, samples have no branches, even if the processor's
 * registers still contain branch records of an earlier run.
 */
static void check_without_control(void)
{
	int fd = sampling_context();
	const struct pfm_dfl_smpl_hdr *header = map_samples(fd);
	unsigned int samples = 0;
	entry_t entry;

	must_sample_known(PFM_INTEL_LBR_ALL);
	write_sampled(fd, AT_USER, PERIOD);
	load(fd, thread_id());
	must(fd, pfm_start(fd, NULL));
	branches_then_none();
	must(fd, pfm_stop(fd));
	for_each_entry(entry, header) {
		ck_assert_uint_eq(count_records(entry), 0);
		ck_assert_uint_eq(record_of(entry, 0).from, 0);
		samples++;
	}
	ck_assert_uint_ge(samples, 3);
	close(fd);
}

TEST(a_set_that_does_not_ask_gets_no_branches)
{
	with_lbr(check_without_control);
}

/* A start clears the branch records, so no sample contains a branch from before the start. */
static void check_start(void)
{
	int fd = lbr_context(PFM_INTEL_LBR_USER | PFM_INTEL_LBR_ALL, AT_USER, PERIOD);
	const struct pfm_dfl_smpl_hdr *header = map_samples(fd);
	unsigned int turn, i;
	entry_t entry;

	load(fd, thread_id());
	must(fd, pfm_start(fd, NULL));
	for (turn = 0; turn < 3; turn++) {
		branches_then_none();
		must(fd, pfm_stop(fd));
		must(fd, pfm_start(fd, NULL));
	}
	must(fd, pfm_stop(fd));
	for_each_entry(entry, header) {
		unsigned int known = 0;

		for (i = 0; i < count_records(entry); i++)
			known += record_of(entry, i).to == (uint64_t)take_known_branches;
		ck_assert_uint_le(known, 1);
	}
	ck_assert_uint_ge(header->hdr_count, 9);
	close(fd);
}

TEST(a_start_forgets_the_branches_before_it)
{
	with_lbr(check_start);
}

static void check_calls(void)
{
	int fd = lbr_context(PFM_INTEL_LBR_USER, AT_USER, PERIOD);
	struct pfarg_pmd pmd = { .reg_num = PFM_INTEL_LBR_FROM(0) };

	must_fail(fd, pfm_write_pmds(fd, &pmd, 1), EINVAL, PFM_REASON_ONLY_SAMPLED, 0);
	must_fail(fd, pfm_read_pmds(fd, &pmd, 1), EINVAL, PFM_REASON_ONLY_SAMPLED, 0);
	close(fd);
}

TEST(branches_can_only_be_sampled)
{
	with_lbr(check_calls);
}

/* ---- the chain of callers --------------------------------------------------------------------- */

/* The asm statement keeps the compiler from turning the call into a jump. */
static __attribute__((noipa)) void call_to(unsigned int depth)
{
	call_deep(depth, branches_then_none);
	__asm__ volatile("");
}

typedef const struct pfm_callchain_entry *chain_t;

static const uint64_t *user_part(chain_t entry)
{
	return (const uint64_t *)(entry + 1) + entry->value_count + entry->kernel_count;
}

/*
 * Largest number of recorded callers. The known branches include two nested calls. If no record is
 * free, these calls overwrite the records of the two outermost calls. When the nested calls return,
 * the overwritten records become empty.
 */
#define MOST_CALLERS (LBR_MOST - 2)

static void must_be_chain(chain_t entry, unsigned int depth)
{
	const uint64_t *user = user_part(entry);
	unsigned int i;

	ck_assert_uint_eq(entry->flags, PFM_CALLCHAIN_USER_CALLS);
	ck_assert_uint_eq(entry->kernel_count, 0);
	ck_assert_uint_eq(user[0], entry->sample.ip);
	ck_assert_uint_eq(user[1], (uint64_t)call_deep_bottom);
	for (i = 2; i < 1 + depth && i < 1 + MOST_CALLERS; i++)
		ck_assert_uint_eq(user[i], (uint64_t)call_deep_itself);
	ck_assert_uint_eq(entry->user_count,
			  1 + (depth + 2 < MOST_CALLERS ? depth + 2 : MOST_CALLERS));
	if (depth + 2 > MOST_CALLERS)
		return;
	/*
	 * user[depth + 1] is the address after the call of call_deep(), in call_to(). The next
	 * element of user[] is the address after the call of call_to(). It is the last element,
	 * because all earlier calls were made before the recording began.
	 */
	ck_assert(user[depth + 1] - (uint64_t)call_to < 64);
}

/* Creates a context that samples chains of callers, and maps its buffer. @flags are ctx_flags. */
static int chain_context(unsigned int flags, const struct pfm_dfl_smpl_hdr **header)
{
	const struct pfm_callchain_arg argument = { .buf_size = SIZE,
						    .flags = PFM_CALLCHAIN_RECORDED };
	struct pfarg_pmd pmd = sampled_pmd(PERIOD);
	pfarg_ctx_t ctx = { .ctx_flags = flags };
	int fd = pfm_create_context(&ctx, PFM_CALLCHAIN_NAME, (void *)&argument,
				    sizeof(argument));

	ck_assert_msg(fd != -1, "callchain: %s", sentence(-1));
	*header = map_samples(fd);
	write_pmc(fd, PFM_INTEL_LBR_CONTROL, PFM_INTEL_LBR_CALLERS);
	write_pmc(fd, 0, instructions(AT_USER));
	must(fd, pfm_write_pmds(fd, &pmd, 1));
	return fd;
}

#define for_each_chain(entry, header)                                                    \
	for (entry = (chain_t)((header) + 1);                                            \
	     (const char *)entry < (const char *)(header) + (header)->hdr_cur_offs;      \
	     entry = (chain_t)(user_part(entry) + entry->user_count))

/*
 * Returns a context that has sampled chains of @depth callers. As in sample_known(), begins again
 * after a switch to another thread.
 */
static int sample_chains(unsigned int depth, const struct pfm_dfl_smpl_hdr **header)
{
	uint64_t switches;
	int fd;

	for (;;) {
		fd = chain_context(0, header);
		load(fd, thread_id());
		switches = statistic("ctxswin_count");
		must(fd, pfm_start(fd, NULL));
		call_to(depth);
		must(fd, pfm_stop(fd));
		if (statistic("ctxswin_count") == switches)
			return fd;
		munmap((void *)*header, SIZE);
		close(fd);
	}
}

static void must_have_chains(unsigned int depth)
{
	const struct pfm_dfl_smpl_hdr *header;
	int fd = sample_chains(depth, &header);
	unsigned int samples = 0;
	chain_t entry;

	for_each_chain(entry, header) {
		if (!is_in_none(entry->sample.ip))
			continue;
		must_be_chain(entry, depth);
		samples++;
	}
	must_be_between(samples, 3, 4);
	munmap((void *)header, SIZE);
	close(fd);
}

static void check_chains(void)
{
	static const unsigned int depths[] = { 1, 2, 3, 10, 27, 28, 29, 30, 40, 100 };
	unsigned int i;

	for (i = 0; i < COUNT(depths); i++)
		must_have_chains(depths[i]);
}

TEST(so_many_calls_are_so_many_callers)
{
	with_lbr(check_chains);
}

/*
 * Samples of a system-wide context have no callers, because the recorded callers might belong to
 * another thread.
 */
static void check_cpu(void)
{
	const struct pfm_dfl_smpl_hdr *header;
	int fd = chain_context(PFM_FL_SYSTEM_WIDE, &header);
	unsigned int samples = 0;
	chain_t entry;

	load(fd, 0);
	must(fd, pfm_start(fd, NULL));
	call_to(10);
	must(fd, pfm_stop(fd));
	for_each_chain(entry, header) {
		ck_assert_uint_le(entry->user_count, 1);
		samples += is_in_none(entry->sample.ip);
	}
	must_be_between(samples, 3, 4);
	munmap((void *)header, SIZE);
	close(fd);
}

TEST(samples_of_a_cpu_have_no_recorded_callers)
{
	with_lbr(check_cpu);
}

/* Returns the number of samples of the idle thread, which is a kernel thread. */
static unsigned int samples_of_idle(const struct pfm_dfl_smpl_hdr *header)
{
	unsigned int samples = 0;
	chain_t entry;

	for_each_chain(entry, header) {
		if (entry->sample.pid)
			continue;
		ck_assert_uint_eq(entry->user_count, 0);
		samples++;
	}
	return samples;
}

static void check_kernel_thread(void)
{
	const struct pfm_dfl_smpl_hdr *header;
	int fd = chain_context(PFM_FL_SYSTEM_WIDE, &header);

	write_pmc(fd, 0, instructions(AT_KERNEL));
	load(fd, 0);
	must(fd, pfm_start(fd, NULL));
	wait_until(samples_of_idle(header));
	must(fd, pfm_stop(fd));
	munmap((void *)header, SIZE);
	close(fd);
}

/*
 * A chain of callers begins at the user registers of a thread, and a kernel thread has no such
 * registers.
 */
TEST(samples_of_a_kernel_thread_have_no_recorded_callers)
{
	with_lbr(check_kernel_thread);
}

static void exec_now(void)
{
	child_do_exec(0);
}

static uint64_t exec_deep(uint64_t depth)
{
	call_deep(depth, exec_now);
	return EINVAL;
}

extern const char _start[];

/* Nothing calls _start. So if _start is in a chain, it must be the last caller. */
static void check_exec(void)
{
	const struct pfm_dfl_smpl_hdr *header;
	int fd = chain_context(0, &header);
	unsigned int i, samples = 0;
	struct child child = child_new();
	chain_t entry;

	load(fd, child.pid);
	must(fd, pfm_start(fd, NULL));
	strcpy(child.page->text, "/proc/self/exe");
	for (i = 0; i < 5; i++)
		ck_assert_uint_eq(child_call(&child, exec_deep, 10), 0);
	must(fd, pfm_stop(fd));
	for_each_chain(entry, header)
		for (i = 1; i < entry->user_count; i++) {
			if (user_part(entry)[i] - (uint64_t)_start >= 64)
				continue;
			ck_assert_uint_eq(i, entry->user_count - 1);
			samples++;
		}
	ck_assert_uint_ge(samples, 3);
	child_exit(&child);
	munmap((void *)header, SIZE);
	close(fd);
}

TEST(a_program_has_no_callers_of_the_program_before_it)
{
	with_lbr(check_exec);
}

/* ---- registers ---------------------------------------------------------------------------------- */

static unsigned int entries_left(void)
{
	unsigned int i, left = 0;

	for (i = 0; i < LBR_MOST; i++)
		left += msr_read(LBR_FROM + i) || msr_read(LBR_TO + i) ||
			msr_read(LBR_INFO + i);
	return left;
}

/* The module releases the counters and clears FREEZE_LBRS some time after the context is closed. */
static void check_left(void)
{
	must_sample_known(PFM_INTEL_LBR_ALL);
	ck_assert_uint_eq(msr_read(LBR_CONTROL), 0);
	wait_until(!(msr_read(DEBUG_CONTROL) & FREEZE_LBRS));
	ck_assert_uint_eq(msr_read(LBR_CONTROL), 0);
	ck_assert_uint_eq(entries_left(), 0);
}

TEST(nothing_is_left_after_the_close)
{
	with_lbr(check_left);
}

/*
 * A start clears the branch records, unfreezes them and starts the recording. A stop ends the
 * recording. If another thread runs between the start and the stop, the test measures both again.
 */
static void check_costs(void)
{
	uint64_t switches, starts, others, acknowledges, reads, selects;
	int fd = make_context();

	use(fd, 0, instructions(AT_USER), 0);
	write_pmc(fd, PFM_INTEL_LBR_CONTROL, PFM_INTEL_LBR_USER | PFM_INTEL_LBR_ALL);
	load(fd, thread_id());
	must(fd, pfm_start(fd, NULL));
	must(fd, pfm_stop(fd));
	do {
		switches = statistic("ctxswin_count");
		accesses_reset();
		must(fd, pfm_start(fd, NULL));
		starts = accesses(ACCESS_GLOBAL_CONTROL);
		others = accesses(ACCESS_OTHER);
		acknowledges = accesses(ACCESS_ACKNOWLEDGE);
		must(fd, pfm_stop(fd));
		reads = accesses(ACCESS_RDMSR);
		selects = accesses(ACCESS_SELECT);
	} while (statistic("ctxswin_count") != switches);
	ck_assert_uint_eq(starts, 1);
	ck_assert_uint_eq(others, 2);
	ck_assert_uint_eq(acknowledges, 1);
	ck_assert_uint_eq(reads, 0);
	ck_assert_uint_eq(selects, 0);
	close(fd);
}

TEST(a_start_writes_three_registers_more)
{
	if (is_debug_kernel())
		skip("a debug kernel switches threads in each measurement");
	with_lbr(check_costs);
}

/* ---- ownership ---------------------------------------------------------------------------------- */

static void check_shared(void)
{
	int fd;

	pmu_forget();
	ck_assert(!(pmu()->info.available_pmds[0] & BIT(PFM_INTEL_LBR_FROM(0))));
	ck_assert(pmu()->info.implemented_pmds[0] & BIT(PFM_INTEL_LBR_FROM(0)));
	fd = context_of(0, instructions(AT_USER));
	write_pmc(fd, PFM_INTEL_LBR_CONTROL, PFM_INTEL_LBR_USER);
	ck_assert_int_eq(try_load(fd, thread_id()), -1);
	ck_assert_int_eq(errno, EBUSY);
	ck_assert_msg(strstr(sentence(fd), "exclusive ownership"), "%s", sentence(fd));
	close(fd);
	fd = sampling_context();
	write_sampled(fd, AT_USER, PERIOD);
	ck_assert_int_eq(try_load(fd, thread_id()), -1);
	ck_assert_int_eq(errno, EBUSY);
	ck_assert_msg(strstr(sentence(fd), "perf (ownership is shared)"), "%s",
		      sentence(fd));
	close(fd);
	/*
	 * This time PMC 30 is written after the load, so the load succeeds. But the set counts
	 * nothing.
	 */
	fd = context_of(0, instructions(AT_USER));
	load(fd, thread_id());
	write_pmc(fd, PFM_INTEL_LBR_CONTROL, PFM_INTEL_LBR_USER);
	ck_assert_uint_eq(count_loop(fd, 0, 10000), 0);
	ck_assert_uint_ge(status_of(fd).foreign_runs, 1);
	close(fd);
}

TEST(shared_ownership_refuses_branches)
{
	if (!has_lbr())
		skip("the processor has no last branch records");
	with_pmu("perfmon_intel", "ownership=shared", check_shared);
}
