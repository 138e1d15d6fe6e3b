// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests the sampling format "callchain": its layout, its arguments, and the user-level part of a
 * stack.
 *
 * The sampled functions record their own return addresses. The samples must contain these
 * addresses.
 */

#include "callchain.h"

SUITE(callchain, 120);

/* ---- functions that record their callers ------------------------------------------------ */

/*
 * Each of these functions has a frame and records its return address. On arm64 and POWER a function
 * saves the link register if it calls other functions. SAVE_LINK makes innermost() save the link
 * register, although innermost() calls no function.
 */
#if defined(__aarch64__)
#define SAVE_LINK __asm__ volatile("" : : : "x30")
#elif defined(__powerpc64__)
#define SAVE_LINK __asm__ volatile("" : : : "lr")
#else
#define SAVE_LINK ((void)0)
#endif

struct nest {
	uint64_t returns[4]; /* innermost first */
};

static struct nest *nest_of(struct child_page *page)
{
	return (struct nest *)page->text;
}

static void note_return(unsigned int n, void *address)
{
	nest_of(child_own_page())->returns[n] = (uintptr_t)address;
}

NESTED static uint64_t innermost(struct child_page *page)
{
	nest_of(page)->returns[0] = (uintptr_t)__builtin_return_address(0);
	SAVE_LINK;
	while (!page->stop)
		page->turns++;
	return page->turns;
}

#define INNERMOST_SIZE 256 /* larger than the code of innermost() */

NESTED static uint64_t middle(struct child_page *page)
{
	note_return(1, __builtin_return_address(0));
	return innermost(page) + 1;
}

NESTED static uint64_t outer(struct child_page *page)
{
	note_return(2, __builtin_return_address(0));
	return middle(page) + 1;
}

/* Ends the chain of frames: while this function runs, its frame is the last one of the chain. */
NESTED static uint64_t outermost(uint64_t unused)
{
	uint64_t *frame = __builtin_frame_address(0), before = *frame, result;

	(void)unused;
	note_return(3, __builtin_return_address(0));
	*(volatile uint64_t *)frame = 0;
	result = outer(child_own_page());
	*(volatile uint64_t *)frame = before;
	return result;
}

/*
 * On POWER, a function saves its return address in the frame of its caller. outermost() clears the
 * pointer to its caller's frame, so the return address of outermost() is not found.
 */
#if defined(__powerpc64__)
#define NEST_DEPTH 4
#else
#define NEST_DEPTH 5
#endif

static void must_be_nest(entry_t entry, const struct nest *nest)
{
	const uint64_t *user = user_of(entry);
	unsigned int i;

	ck_assert_msg(user[0] >= (uintptr_t)innermost &&
			      user[0] < (uintptr_t)innermost + INNERMOST_SIZE,
		      "0x%jx is not in innermost(), which begins at 0x%jx",
		      (uintmax_t)user[0], (uintmax_t)(uintptr_t)innermost);
	ck_assert_uint_eq(entry->user_count, NEST_DEPTH);
	for (i = 1; i < NEST_DEPTH; i++)
		ck_assert_msg(user[i] == nest->returns[i - 1],
			      "caller %u is 0x%jx, not 0x%jx", i, (uintmax_t)user[i],
			      (uintmax_t)nest->returns[i - 1]);
}

static void begin_nest(const struct child *child)
{
	child_begin(child, outermost, 0);
	wait_until(child->page->turns);
}

static void check_nest(void)
{
	struct child child = child_new();
	struct callchain chain;
	entry_t entry;

	need_overflow_interrupts();
	chain = callchain_new(0);
	begin_nest(&child);
	callchain_start(&chain, child.pid);
	wait_for_samples(&chain, 100);
	must(chain.fd, pfm_stop(chain.fd));
	ck_assert_uint_ge(must_be_whole_chains(&chain, true), 100);
	for_each_entry(entry, &chain) {
		if (!is_in_switch(entry))
			must_be_nest(entry, nest_of(child.page));
	}
	child_rest(&child);
	child_exit(&child);
}

TEST(a_programs_stack_has_the_return_addresses_of_its_functions)
{
	with_formats(check_nest);
}

/* ---- link registers --------------------------------------------------------------------- */

/*
 * This function calls no other function and does not read its return address, so it has no frame on
 * arm64 and POWER.
 */
NESTED static uint64_t leaf(struct child_page *page)
{
	while (!page->stop)
		page->turns++;
	return page->turns;
}

NESTED static uint64_t caller_of_leaf(uint64_t unused)
{
	(void)unused;
	note_return(0, __builtin_return_address(0));
	return leaf(child_own_page()) + 1;
}

static bool is_code_of(uint64_t address, const void *function)
{
	return address >= (uintptr_t)function &&
	       address < (uintptr_t)function + INNERMOST_SIZE;
}

static void must_have_caller(entry_t entry, const struct nest *nest, uint32_t flags)
{
	const uint64_t *user = user_of(entry);
	const bool has_link = (HAS_LINK || pmu_is("power")) && flags & PFM_CALLCHAIN_LINK;
	const bool has_caller = pmu_is("power") || has_link;

	ck_assert_msg(is_code_of(user[0], leaf),
		      "0x%jx is not in leaf(), which begins at 0x%jx", (uintmax_t)user[0],
		      (uintmax_t)(uintptr_t)leaf);
	ck_assert_int_eq(!!(entry->flags & PFM_CALLCHAIN_USER_LINK), has_link);
#if defined(__x86_64__)
	/* The compiler chooses whether leaf() has a frame. */
	return;
#endif
	ck_assert_uint_ge(entry->user_count, 2 + has_caller);
	if (has_caller)
		ck_assert_msg(is_code_of(user[1], caller_of_leaf),
			      "0x%jx is not in caller_of_leaf(), which begins at 0x%jx",
			      (uintmax_t)user[1], (uintmax_t)(uintptr_t)caller_of_leaf);
	/* On POWER the next address may be one that an earlier call left on the stack. */
	if (HAS_LINK)
		ck_assert_uint_eq(user[1 + has_caller], nest->returns[0]);
}

static void check_leaf(uint32_t flags)
{
	struct child child = child_new();
	struct callchain chain = callchain_new(flags);
	entry_t entry;

	child_begin(&child, caller_of_leaf, 0);
	wait_until(child.page->turns);
	callchain_start(&chain, child.pid);
	wait_for_samples(&chain, 100);
	must(chain.fd, pfm_stop(chain.fd));
	ck_assert_uint_ge(must_be_whole_chains(&chain, true), 100);
	for_each_entry(entry, &chain) {
		if (!is_in_switch(entry))
			must_have_caller(entry, nest_of(child.page), flags);
	}
	callchain_free(&chain);
	child_rest(&child);
	child_exit(&child);
}

static void check_leaves(void)
{
	need_overflow_interrupts();
	check_leaf(PFM_CALLCHAIN_LINK);
	check_leaf(0);
}

TEST(the_link_register_gives_the_caller_of_a_leaf_function)
{
	with_formats(check_leaves);
}

/* ---- layout and argument ------------------------------------------------------------------ */

static void check_layout(void)
{
	const struct pfm_callchain_arg argument = { .buf_size = 65536,
						    .max_kernel = 20,
						    .max_user = 30 };
	const unsigned int task_clock = PFM_PMD_TASK_CLOCK;
	struct child child = child_new();
	struct callchain chain;
	struct pfarg_pmd pmd;
	const void *buffer;
	entry_t entry;
	uint64_t taken;

	need_overflow_interrupts();
	chain = callchain_of(&argument);
	write_pmd(chain.fd, task_clock, 0);
	pmd = callchain_pmd(chain.fd);
	pmd.reg_flags = 0;
	pmd.reg_smpl_pmds[pmd.reg_num / 64] |= BIT(pmd.reg_num % 64);
	pmd.reg_smpl_pmds[task_clock / 64] |= BIT(task_clock % 64);
	must(chain.fd, pfm_write_pmds(chain.fd, &pmd, 1));
	begin_nest(&child);
	taken = samples_taken();
	callchain_start(&chain, child.pid);
	wait_for_samples(&chain, 20);
	must(chain.fd, pfm_stop(chain.fd));

	taken = samples_taken() - taken;
	buffer = (const void *)chain.header;
	ck_assert_uint_eq(number_at(buffer, 0, 8), taken);
	ck_assert_uint_eq(number_at(buffer, 16, 8), 0);
	ck_assert_uint_eq(number_at(buffer, 24, 8), 65536);
	ck_assert_uint_eq(number_at(buffer, 32, 8), 48 + 8 * (pmds_in_all() + 20 + 30));
	ck_assert_uint_eq(number_at(buffer, 40, 4), 0x10003);
	ck_assert_uint_eq(number_at(buffer, 44, 4), 20 | 30 << 16);
	ck_assert_uint_eq(number_at(buffer, 48, 8), 0);
	must_be_zero(buffer, 64, 64);
	ck_assert_uint_eq(must_be_whole_chains(&chain, true), taken);

	for_each_entry(entry, &chain) {
		const size_t kernel = 48 + 2 * 8;
		const size_t user = kernel + 8 * number_at(entry, 42, 2);
		const uint64_t *values = (const uint64_t *)((const char *)entry + 48);

		ck_assert_uint_eq(number_at(entry, 0, 4), child.pid);
		ck_assert_uint_eq(number_at(entry, 4, 2), pmd.reg_num);
		ck_assert_uint_eq(number_at(entry, 8, 8), -format_period());
		ck_assert_uint_eq(number_at(entry, 36, 4), child.pid);
		ck_assert_uint_eq(number_at(entry, 40, 2), 2);
		ck_assert_uint_le(number_at(entry, 42, 2), 20);
		ck_assert_uint_eq(number_at(entry, 46, 2), 0);
		ck_assert_uint_lt(values[0], BIT(63));
		ck_assert_uint_ge(values[1], format_period() / 2);
		if (is_in_switch(entry))
			continue;
		ck_assert_uint_eq(number_at(entry, 44, 2), NEST_DEPTH);
		ck_assert_uint_eq(number_at(entry, user + 8, 8),
				  nest_of(child.page)->returns[0]);
	}
	child_rest(&child);
	child_exit(&child);
}

TEST(header_and_entries_are_laid_out_as_described)
{
	with_formats(check_layout);
}

static void check_arguments(void)
{
	const uint64_t all = 128 + 48 + 8 * pmds_in_all();
	const uint64_t least = all + 8 * 2 * DEEPEST;
	const struct pfm_callchain_arg good = { .buf_size = all + 8,
						.flags = 1,
						.max_user = 1 };
	const struct pfm_callchain_arg bad[] = {
		{ .buf_size = 0 },
		{ .buf_size = 128 },
		{ .buf_size = least - 1 },
		{ .buf_size = all + 16 - 1, .max_kernel = 1, .max_user = 1 },
		{ .buf_size = all + 8 * DEEPEST - 1, .flags = PFM_CALLCHAIN_NO_KERNEL },
		{ .buf_size = all + 8 * DEEPEST - 1, .flags = PFM_CALLCHAIN_NO_USER },
		{ .buf_size = all - 1, .flags = 3 },
		{ .buf_size = MIB, .flags = 16 },
		{ .buf_size = MIB, .flags = 0x80000000 },
		{ .buf_size = MIB, .max_kernel = DEEPEST + 1 },
		{ .buf_size = MIB, .max_user = DEEPEST + 1 },
		{ .buf_size = MIB, .max_user = UINT16_MAX },
		{ .buf_size = MIB, .reserved = { 1 } },
		{ .buf_size = MIB, .reserved = { [5] = BIT(63) } },
	};
	const struct pfm_callchain_arg also_good[] = {
		{ .buf_size = least },
		{ .buf_size = all + 16, .max_kernel = 1, .max_user = 1 },
		{ .buf_size = all, .flags = 3 },
		{ .buf_size = all, .flags = 7 },
		{ .buf_size = all, .flags = 15 },
		{ .buf_size = least, .max_kernel = DEEPEST, .max_user = DEEPEST },
	};
	struct refusal refusals[COUNT(bad)];
	size_t i;

	for (i = 0; i < COUNT(bad); i++)
		refusals[i] = (struct refusal){ "bad argument: ", &bad[i], sizeof(bad[i]),
						PFM_REASON_FORMAT_ARGUMENT };
	must_refuse("callchain", refusals, COUNT(bad), &good, sizeof(good));
	for (i = 0; i < COUNT(also_good); i++)
		close(format_context("callchain", &also_good[i], sizeof(also_good[i])));
}

TEST(bad_arguments_of_callchain_are_refused)
{
	with_formats(check_arguments);
}

/* ---- a full buffer -------------------------------------------------------------------------------- */

static void check_full(void)
{
	const struct pfm_callchain_arg argument = { .buf_size = 8192 };
	struct callchain chain;
	struct pfarg_pmd pmd;
	uint64_t taken, count, all = 0;
	int turn;

	need_overflow_interrupts();
	chain = callchain_of(&argument);
	pmd = callchain_pmd(chain.fd);
	pmd.reg_flags |= PFM_REGFL_OVFL_NOTIFY;
	must(chain.fd, pfm_write_pmds(chain.fd, &pmd, 1));
	taken = samples_taken();
	callchain_start(&chain, thread_id());
	for (turn = 1; turn <= 3; turn++) {
		struct pfarg_ovfl_msg message;

		while (status_of(chain.fd).state != PFM_STATE_MASKED)
			spin_turns(10000);
		ck_assert_int_eq(read(chain.fd, &message, sizeof(message)),
				 sizeof(message));
		count = must_be_whole_chains(&chain, true);
		ck_assert_uint_ge(count, 2);
		ck_assert_uint_lt(8192 - chain.header->hdr_cur_offs,
				  chain.header->hdr_min_buf_space);
		ck_assert_uint_eq(chain.header->hdr_overflows, turn);
		all += count;
		must(chain.fd, pfm_restart(chain.fd));
	}
	must(chain.fd, pfm_stop(chain.fd));
	all += must_be_whole_chains(&chain, true);
	ck_assert_uint_eq(all + chain.header->hdr_lost, samples_taken() - taken);
	ck_assert_uint_eq(chain.header->hdr_lost, 0);
}

TEST(a_full_buffer_masks_as_with_default)
{
	with_formats(check_full);
}
