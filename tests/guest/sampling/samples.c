// SPDX-License-Identifier: GPL-2.0-only
#include <poll.h>
#include <sys/mman.h>

#include "samples.h"

/* ---- contexts ------------------------------------------------------------------------ */

int try_default(uint32_t flags, uint64_t size)
{
	pfm_dfl_smpl_arg_t argument = { .buf_size = size };
	pfarg_ctx_t ctx = { .ctx_flags = flags };

	return pfm_create_context(&ctx, PFM_DFL_SMPL_NAME, &argument, sizeof(argument));
}

int default_context(uint32_t flags, uint64_t size)
{
	int fd = try_default(flags, size);

	ck_assert_msg(fd != -1, "format \"default\": %s", sentence(-1));
	return fd;
}

int context_with_flags(uint32_t flags)
{
	pfarg_ctx_t ctx = { .ctx_flags = flags };
	int fd = pfm_create_context(&ctx, NULL, NULL, 0);

	ck_assert_msg(fd != -1, "flags %#x: %s", flags, sentence(-1));
	return fd;
}

void load_and_start(int fd, pid_t tid)
{
	load(fd, tid);
	must(fd, pfm_start(fd, NULL));
}

void program_busy(int fd, unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++)
		write_pmc(fd, pmu()->pmcs[i], pmu()->busy[i]);
}

struct pfarg_pmd sampling(unsigned int i, uint64_t period)
{
	return (struct pfarg_pmd){
		.reg_num = pmu()->pmds[i],
		.reg_flags = NOTIFY,
		.reg_value = -period,
		.reg_short_reset = -period,
		.reg_long_reset = -period,
	};
}

void add_to(uint64_t *map, unsigned int pmd)
{
	map[pmd / 64] |= BIT(pmd % 64);
}

void write_one(int fd, struct pfarg_pmd pmd)
{
	must(fd, pfm_write_pmds(fd, &pmd, 1));
}

void sample_busily(int fd, uint64_t period)
{
	program_busy(fd, 1);
	write_one(fd, sampling(0, period));
}

void program_quietly(int fd)
{
	write_pmc(fd, pmu()->pmcs[0], pmu()->busy[0]);
	write_pmc(fd, pmu()->pmcs[1], pmu()->quiet[1]);
}

struct pfarg_pmd read_back(int fd, unsigned int n)
{
	struct pfarg_pmd pmd = { .reg_num = n };

	must(fd, pfm_read_pmds(fd, &pmd, 1));
	return pmd;
}

int busy_self(uint32_t flags)
{
	int fd = context_with_flags(flags);

	sample_busily(fd, PERIOD);
	load_and_start(fd, thread_id());
	return fd;
}

uint64_t sampled_value(int fd)
{
	return read_pmd(fd, pmu()->pmds[0]);
}

void end_sampling(int fd)
{
	unsigned int i;

	must(fd, pfm_unload_context(fd));
	for (i = 0; i < COUNT(pmu()->pmds); i++)
		write_pmd(fd, pmu()->pmds[i], 0);
}

/* ---- messages ------------------------------------------------------------------------- */

bool message_waits(int fd)
{
	struct pollfd one = { .fd = fd, .events = POLLIN };

	ck_assert_int_ne(TEMP_FAILURE_RETRY(poll(&one, 1, 0)), -1);
	return one.revents & POLLIN;
}

struct pfarg_ovfl_msg next_overflow(int fd)
{
	struct pfarg_ovfl_msg message;
	ssize_t size = read(fd, &message, sizeof(message));

	ck_assert_msg(size == sizeof(message), "read: %zd (%s)", size,
		      size < 0 ? strerror(errno) : "bytes");
	ck_assert_uint_eq(message.msg_type, PFM_MSG_OVFL);
	return message;
}

void spin_until_message(int fd)
{
	while (!message_waits(fd))
		sampled_loop(10000);
}

unsigned int state_of(int fd)
{
	return status_of(fd).state;
}

void spin_until_masked(int fd)
{
	while (state_of(fd) != PFM_STATE_MASKED)
		sampled_loop(10000);
}

void must_not_restart(int fd)
{
	must_fail(fd, pfm_restart(fd), EBUSY, PFM_REASON_NOTHING_TO_RESTART,
		  PFM_NO_INDEX);
}

/* ---- buffers ---------------------------------------------------------------------------- */

header_t map_buffer(int fd, size_t size)
{
	void *memory = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);

	ck_assert_msg(memory != MAP_FAILED, "mmap of %zu bytes: %s", size,
		      strerror(errno));
	return memory;
}

uint64_t largest_entry(void)
{
	const uint64_t *implemented = pmu()->info.implemented_pmds;
	unsigned int word, pmds = 0;

	for (word = 0; word < PFM_PMD_BV; word++)
		pmds += __builtin_popcountll(implemented[word]);
	return sizeof(struct pfm_dfl_smpl_entry) + 8 * pmds;
}

uint64_t least_size(void)
{
	return sizeof(struct pfm_dfl_smpl_hdr) + largest_entry();
}

uint64_t entries_until_full(uint64_t size, unsigned int values)
{
	uint64_t entry = sizeof(struct pfm_dfl_smpl_entry) + 8 * values;

	return (size - least_size()) / entry + 1;
}

void fill_to(header_t header, uint64_t entries)
{
	while (header->hdr_count < entries)
		sampled_loop(10000);
}

void must_be_whole(header_t header, unsigned int values)
{
	uint64_t entry = sizeof(struct pfm_dfl_smpl_entry) + 8 * values;

	ck_assert_msg(header->hdr_cur_offs == sizeof(*header) + header->hdr_count * entry,
		      "%ju entries end at offset %ju", (uintmax_t)header->hdr_count,
		      (uintmax_t)header->hdr_cur_offs);
	ck_assert_uint_le(header->hdr_cur_offs, header->hdr_buf_size);
}

/* ---- work with an exact count ------------------------------------------------------------- */

void need_exact_work(void)
{
	need_overflow_interrupts();
	if (!pmu_is("soft") && !is_deterministic())
		skip("the counters of %s agree exactly only with --icount",
		     pmu()->info.pmu_name);
}

/*
 * Returns whether exact_event() selects kernel level as well as user level. If counters start one
 * after the other, their counts are equal only at user level. In a debug kernel, a few system calls
 * or interrupts cause as many events as a whole period has, so exact_event() selects only user
 * level there.
 */
static bool counts_the_kernel(void)
{
	return starts_at_once() && !counters_are_shared() && !is_debug_kernel();
}

uint64_t exact_event(unsigned int i)
{
	if (pmu_is("soft"))
		return PFM_SOFT_MINOR_FAULTS;
	return counts_the_kernel() ? pmu()->busy[i] : cycles(AT_USER);
}

void program_exact(int fd, unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++)
		write_pmc(fd, pmu()->pmcs[i], exact_event(i));
}

void exact_work(uint64_t events)
{
	const uint64_t most = 1000;

	if (!pmu_is("soft")) {
		sampled_loop(events / 10 * 10 + 10);
		return;
	}
	for (; events > most; events -= most)
		touch_pages(most);
	touch_pages(events);
}

/*
 * The software PMU counts page faults. A timer reads their number only once per millisecond, so
 * this PMU may notice an overflow up to one millisecond late.
 */
uint64_t exact_period(void)
{
	return pmu_is("soft") ? 300 : 100000;
}

uint64_t exact_work_until_stopped(uint64_t unused)
{
	struct child_page *page = child_own_page();

	(void)unused;
	while (!page->stop) {
		exact_work(exact_period());
		page->turns++;
	}
	page->stop = 0;
	return page->turns;
}

/* clang-format off */
#if defined(__x86_64__)
#define LOOP_START ""
#define LOOP_BODY  "nop; nop; nop; nop; nop; nop; nop; nop; dec %0; jnz 1b"
#define LOOP_LOST  "cc"
#elif defined(__aarch64__)
#define LOOP_START ""
#define LOOP_BODY  "nop; nop; nop; nop; nop; nop; nop; nop; subs %0, %0, #1; b.ne 1b"
#define LOOP_LOST  "cc"
#elif defined(__powerpc64__)
#define LOOP_START "mtctr %0\n.balign 64\n" /* as in loop() */
#define LOOP_BODY  "nop; nop; nop; nop; nop; nop; nop; nop; nop; bdnz 1b"
#define LOOP_LOST  "ctr"
#endif
/* clang-format on */

extern const char sampled_loop_begin[], sampled_loop_end[];

/*
 * The function is not inlined or cloned, because its two symbols must exist only once in the
 * program.
 */
__attribute__((noinline, noclone)) void sampled_loop(uint64_t instructions)
{
	unsigned long tens = instructions / 10;

	__asm__ volatile(".globl sampled_loop_begin, sampled_loop_end\n" LOOP_START
			 "sampled_loop_begin: 1: " LOOP_BODY "\n"
			 "sampled_loop_end:"
			 : "+r"(tens)
			 :
			 : LOOP_LOST);
}

bool is_in_loop(uint64_t ip)
{
	return ip >= (uintptr_t)sampled_loop_begin && ip <= (uintptr_t)sampled_loop_end;
}

uint64_t loop_until_stopped(uint64_t unused)
{
	struct child_page *page = child_own_page();

	(void)unused;
	while (!page->stop) {
		sampled_loop(1000000);
		page->turns++;
	}
	page->stop = 0;
	return page->turns;
}

void loop_begin(const struct child *child)
{
	child->page->turns = 0;
	child->page->stop = 0;
	child_begin(child, loop_until_stopped, 0);
	wait_until(child->page->turns);
}

void loop_end(const struct child *child)
{
	child->page->stop = 1;
	child_finish(child);
}

/* ---- chains --------------------------------------------------------------------------------- */

struct chain chain_begin(int fd, unsigned int i, unsigned int other, uint64_t period)
{
	struct chain chain = {
		.pmd = pmu()->pmds[i],
		.other = pmu()->pmds[other],
		.period = period,
	};
	struct pfarg_pmd pmd = sampling(i, period);

	add_to(pmd.reg_smpl_pmds, chain.pmd);
	add_to(pmd.reg_smpl_pmds, chain.other);
	write_pmd(fd, chain.other, 0);
	write_one(fd, pmd);
	return chain;
}

static void must_fit(struct chain *chain, uint64_t value, uint64_t other)
{
	uint64_t events = other - chain->last;

	ck_assert_msg(
		value + chain->period == events,
		"PMD %u after %ju samples: the value is %jd, but the period is %ju and the "
		"last sample was %ju events ago",
		chain->pmd, (uintmax_t)chain->samples, (intmax_t)value,
		(uintmax_t)chain->period, (uintmax_t)events);
}

void chain_follow(struct chain *chain, header_t header)
{
	entry_t entry;

	for_each_entry(entry, header, 2) {
		if (entry->ovfl_pmd != chain->pmd)
			continue;
		must_fit(chain, values_of(entry)[0], values_of(entry)[1]);
		ck_assert_msg(
			(int64_t)values_of(entry)[0] >= 0,
			"a sample of PMD %u before its overflow: the value is 0x%jx",
			chain->pmd, (uintmax_t)values_of(entry)[0]);
		ck_assert_uint_eq(entry->last_reset_val, -chain->period);
		chain->last = values_of(entry)[1];
		chain->residue = values_of(entry)[0];
		chain->skid += chain->residue;
		chain->samples++;
	}
}

void chain_end(struct chain *chain, int fd)
{
	const unsigned int numbers[] = { chain->pmd, chain->other };
	uint64_t values[2];

	read_pmds(fd, numbers, values, 2);
	/*
	 * If both values are the same as in the last sample, this sample has masked the context.
	 * Nothing has been counted since, so there is nothing to check.
	 */
	if (chain->samples && values[1] == chain->last && values[0] == chain->residue)
		return;
	must_fit(chain, values[0], values[1]);
	ck_assert_msg((int64_t)values[0] < 0,
		      "PMD %u is %ju: an overflow without a sample", chain->pmd,
		      (uintmax_t)values[0]);
}

/* ---- the limit on interrupts ----------------------------------------------------------------- */

static char limit_before[32];

static void limit_back(void)
{
	write_text(INTERRUPT_LIMIT, limit_before);
}

void with_interrupt_limit(void (*check)(void))
{
	pmu(); /* the process that runs @check inherits what pmu() has found */
	strcpy(limit_before, read_text(INTERRUPT_LIMIT));
	then_put_back(check, limit_back);
}

uint64_t ticks(void)
{
	const char *line = strstr(read_text("/proc/timer_list"), "\njiffies: ");

	ck_assert_ptr_ne(line, NULL);
	return strtoull(line + strlen("\njiffies: "), NULL, 10);
}
