// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests what the core does for each value PFM_CONTROL_* that a sampling format returns. Format
 * "script" (tests/modules) returns the values that the test has passed in the format's argument.
 * The caller monitors itself.
 */
#include <sys/mman.h>

#include "perfmon_fmt_script.h"
#include "formats.h"
#include "samples.h"
#include "sets.h"

SUITE(format_answers, 60);

/* Values from perfmon_format.h, which only kernel code can include. */
#define CONTROL_NOTIFY 0x1
#define CONTROL_RESET  0x2
#define CONTROL_MASK   0x4
#define CONTROL_SWITCH 0x8

#define FULL	       (CONTROL_NOTIFY | CONTROL_MASK)
/*
 * After an overflow, the value of a counter that was not reset is below this number. Reset values
 * are negative, so the value of a counter that was reset, as an unsigned number, is far above this
 * number.
 */
#define MUCH	       BIT(62)

struct scripted {
	int fd;
	const volatile struct script_buffer *buffer;
};

static struct scripted begin(struct script_argument answers)
{
	struct scripted it = {
		.fd = format_context("script", &answers, sizeof(answers)),
	};

	it.buffer = format_buffer(it.fd, page_size());
	sample_busily(it.fd, PERIOD);
	return it;
}

static void end(struct scripted it)
{
	end_sampling(it.fd);
	munmap((void *)it.buffer, page_size());
	close(it.fd);
}

static void loop_until_samples(struct scripted it, uint64_t samples)
{
	while (it.buffer->samples < samples)
		sampled_loop(PERIOD / 10);
}

/*
 * Waits until the context is masked, reads the message, and stops monitoring, so that the counter's
 * value no longer changes. Returns this value.
 */
static uint64_t stop_when_full(struct scripted it)
{
	spin_until_masked(it.fd);
	next_overflow(it.fd);
	must(it.fd, pfm_stop(it.fd));
	ck_assert_uint_eq(it.buffer->samples, 1);
	ck_assert_uint_eq(state_of(it.fd), PFM_STATE_MASKED);
	return sampled_value(it.fd);
}

/* ---- what the handler returns -------------------------------------------------------------- */

static void check_reset(void)
{
	struct scripted it = begin(
		(struct script_argument){ .handler = { CONTROL_RESET, CONTROL_RESET,
						       CONTROL_RESET, CONTROL_RESET } });

	load_and_start(it.fd, thread_id());
	loop_until_samples(it, 6);
	must(it.fd, pfm_stop(it.fd));
	must_be_between(sampled_value(it.fd), -PERIOD, -1ull);
	ck_assert_uint_eq(state_of(it.fd), PFM_STATE_LOADED);
	ck_assert(!message_waits(it.fd));
	must_not_restart(it.fd);
	ck_assert_uint_eq(it.buffer->pmd, pmu()->pmds[0]);
	end(it);
}

TEST(a_reset_starts_a_new_period)
{
	need_overflow_interrupts();
	with_formats(check_reset);
}

static void check_nothing(void)
{
	struct scripted it = begin((struct script_argument){});
	uint64_t value;

	load_and_start(it.fd, thread_id());
	loop_until_samples(it, 1);
	value = sampled_value(it.fd);
	sampled_loop(5 * PERIOD);
	must_be_between(sampled_value(it.fd), value + 1, MUCH);
	ck_assert_uint_eq(it.buffer->samples, 1);
	ck_assert_uint_eq(state_of(it.fd), PFM_STATE_LOADED);
	ck_assert(!message_waits(it.fd));
	end(it);
}

TEST(without_an_answer_the_counter_continues)
{
	need_overflow_interrupts();
	with_formats(check_nothing);
}

static void check_message(void)
{
	struct scripted it = begin((struct script_argument){
		.handler = { CONTROL_NOTIFY }, .restart = { CONTROL_RESET } });

	load_and_start(it.fd, thread_id());
	spin_until_message(it.fd);
	next_overflow(it.fd);
	ck_assert_uint_eq(state_of(it.fd), PFM_STATE_LOADED);
	must(it.fd, pfm_stop(it.fd));
	must_be_between(sampled_value(it.fd), 0, MUCH);
	must(it.fd, pfm_restart(it.fd));
	ck_assert_uint_eq(it.buffer->active, 1);
	ck_assert_uint_eq(sampled_value(it.fd), -PERIOD);
	must_not_restart(it.fd);
	ck_assert_uint_eq(it.buffer->restarts, 1);
	end(it);
}

TEST(a_message_neither_masks_nor_resets)
{
	need_overflow_interrupts();
	with_formats(check_message);
}

static void check_mask(void)
{
	struct scripted it =
		begin((struct script_argument){ .handler = { CONTROL_MASK } });
	uint64_t value;

	load_and_start(it.fd, thread_id());
	spin_until_masked(it.fd);
	value = sampled_value(it.fd);
	must_be_between(value, 0, MUCH);
	sampled_loop(2 * PERIOD);
	ck_assert_uint_eq(sampled_value(it.fd), value);
	ck_assert(!message_waits(it.fd));
	must_not_restart(it.fd);
	ck_assert_uint_eq(it.buffer->restarts, 0);
	end(it);
}

TEST(a_mask_without_message_cannot_be_restarted)
{
	need_overflow_interrupts();
	with_formats(check_mask);
}

/* ---- what the restart function returns --------------------------------------------------- */

/*
 * Restarts the context once. The format returns @answer. The restart must leave the context in
 * state @state. If @is_reset, the restart must begin a new period.
 */
static void must_restart_to(__s32 answer, unsigned int state, bool is_reset)
{
	struct scripted it = begin(
		(struct script_argument){ .handler = { FULL }, .restart = { answer } });
	uint64_t value;

	load_and_start(it.fd, thread_id());
	value = stop_when_full(it);
	must_be_between(value, 0, MUCH);
	must(it.fd, pfm_restart(it.fd));
	ck_assert_uint_eq(it.buffer->active, 0);
	ck_assert_uint_eq(state_of(it.fd), state);
	ck_assert_uint_eq(sampled_value(it.fd), is_reset ? -PERIOD : value);
	must(it.fd, pfm_start(it.fd, NULL));
	sampled_loop(PERIOD / 2);
	must(it.fd, pfm_stop(it.fd));
	if (state == PFM_STATE_MASKED)
		ck_assert_uint_eq(sampled_value(it.fd), is_reset ? -PERIOD : value);
	else if (!is_reset)
		must_be_between(sampled_value(it.fd), value + 1, MUCH);
	must_not_restart(it.fd);
	end(it);
}

static void check_restarts(void)
{
	must_restart_to(0, PFM_STATE_LOADED, false);
	must_restart_to(CONTROL_RESET, PFM_STATE_LOADED, true);
	must_restart_to(CONTROL_MASK, PFM_STATE_MASKED, false);
	must_restart_to(CONTROL_MASK | CONTROL_RESET, PFM_STATE_MASKED, true);
}

TEST(a_restart_masks_and_resets_as_the_format_says)
{
	need_overflow_interrupts();
	with_formats(check_restarts);
}

static void check_refusal(void)
{
	struct scripted it = begin((struct script_argument){
		.handler = { FULL }, .restart = { -EBUSY, CONTROL_RESET } });
	uint64_t value;

	load_and_start(it.fd, thread_id());
	value = stop_when_full(it);
	must_not_restart(it.fd);
	ck_assert_uint_eq(it.buffer->restarts, 1);
	ck_assert_uint_eq(state_of(it.fd), PFM_STATE_MASKED);
	ck_assert_uint_eq(sampled_value(it.fd), value);
	must(it.fd, pfm_restart(it.fd));
	ck_assert_uint_eq(state_of(it.fd), PFM_STATE_LOADED);
	ck_assert_uint_eq(sampled_value(it.fd), -PERIOD);
	end(it);
}

TEST(a_restart_that_the_format_refuses_can_be_tried_again)
{
	need_overflow_interrupts();
	with_formats(check_refusal);
}

/* ---- set switches -------------------------------------------------------------------------- */

/*
 * Creates and starts a context with event sets 0 and 1. Both sets sample the same counter with the
 * same period. Set 0 is active first.
 */
static struct scripted begin_with_sets(struct script_argument answers)
{
	struct scripted it = begin(answers);
	struct pfarg_pmc pmc = { .reg_num = pmu()->pmcs[0],
				 .reg_set = 1,
				 .reg_value = pmu()->busy[0] };
	struct pfarg_pmd pmd = sampling(0, PERIOD);

	make_set(it.fd, 1, 0, 0);
	must(it.fd, pfm_write_pmcs(it.fd, &pmc, 1));
	pmd.reg_set = 1;
	write_one(it.fd, pmd);
	load_and_start(it.fd, thread_id());
	ck_assert_uint_eq(status_of(it.fd).active_set, 0);
	return it;
}

static void check_switch(void)
{
	struct scripted it = begin_with_sets((struct script_argument){
		.handler = { CONTROL_SWITCH, CONTROL_SWITCH, 0 } });

	loop_until_samples(it, 1);
	ck_assert_uint_eq(status_of(it.fd).active_set, 1);
	ck_assert_uint_eq(it.buffer->set, 0);
	loop_until_samples(it, 2);
	ck_assert_uint_eq(status_of(it.fd).active_set, 0);
	ck_assert_uint_eq(it.buffer->set, 1);
	ck_assert_uint_eq(state_of(it.fd), PFM_STATE_LOADED);
	end(it);
}

TEST(a_switch_is_made_at_once)
{
	need_overflow_interrupts();
	with_formats(check_switch);
}

/*
 * The handler of the format returns the value @handler for the first sample. After the restart,
 * event set @set must be active.
 */
static void must_restart_in(__u32 handler, unsigned int set)
{
	struct scripted it = begin_with_sets((struct script_argument){
		.handler = { handler }, .restart = { CONTROL_RESET } });

	stop_when_full(it);
	ck_assert_uint_eq(status_of(it.fd).active_set, 0);
	must(it.fd, pfm_restart(it.fd));
	ck_assert_uint_eq(status_of(it.fd).active_set, set);
	end(it);
}

static void check_late_switch(void)
{
	must_restart_in(FULL, 0);
	must_restart_in(FULL | CONTROL_SWITCH, 1);
}

TEST(a_switch_with_a_mask_is_made_at_the_restart)
{
	need_overflow_interrupts();
	with_formats(check_late_switch);
}

static void check_one_switch(void)
{
	struct scripted it = begin_with_sets(
		(struct script_argument){ .handler = { FULL | CONTROL_SWITCH, FULL },
					  .restart = { CONTROL_RESET, CONTROL_RESET } });

	stop_when_full(it);
	must(it.fd, pfm_restart(it.fd));
	must(it.fd, pfm_start(it.fd, NULL));
	spin_until_masked(it.fd);
	next_overflow(it.fd);
	ck_assert_uint_eq(it.buffer->set, 1);
	must(it.fd, pfm_restart(it.fd));
	ck_assert_uint_eq(status_of(it.fd).active_set, 1);
	end(it);
}

TEST(a_switch_at_a_restart_is_made_once)
{
	need_overflow_interrupts();
	with_formats(check_one_switch);
}
