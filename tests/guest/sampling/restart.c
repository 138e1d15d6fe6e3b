// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests the restart after an overflow: docs/interface.md 1.12, 3.4, 4.4, and rows 8 to 16 of
 * section 10. Most tests monitor their own thread and use no format, so each overflow masks the
 * context.
 */
#include <sys/wait.h>

#include "samples.h"

SUITE(restart, 120);

TEST(a_restart_before_an_overflow_is_refused)
{
	static const bool with_format[] = { false, true };
	size_t i;
	int fd;

	for (i = 0; i < COUNT(with_format); i++) {
		fd = with_format[i] ? default_context(0, 4096) : make_context();
		sample_busily(fd, BIT(60));
		must_fail_errno(pfm_restart(fd), EBUSY);
		load(fd, thread_id());
		must_not_restart(fd);
		must(fd, pfm_start(fd, NULL));
		must_not_restart(fd);
		must(fd, pfm_stop(fd));
		must_not_restart(fd);
		end_sampling(fd);
		count_must_be_right(fd);
		close(fd);
	}
}

/*
 * Each notification gives one credit, which is the right to one restart. An unload removes a credit
 * that has not been used.
 */
TEST(a_notification_can_be_restarted_once)
{
	int fd, turn;

	need_overflow_interrupts();
	fd = busy_self(0);
	for (turn = 0; turn < 3; turn++) {
		spin_until_message(fd);
		next_overflow(fd);
		must(fd, pfm_stop(fd));
		must(fd, pfm_restart(fd));
		must_not_restart(fd);
		must(fd, pfm_start(fd, NULL));
	}
	spin_until_masked(fd);
	must(fd, pfm_unload_context(fd));
	must_fail_errno(pfm_restart(fd), EBUSY);
	load_and_start(fd, thread_id());
	must_not_restart(fd);
	ck_assert_uint_eq(state_of(fd), PFM_STATE_LOADED);
	end_sampling(fd);
	count_must_be_right(fd);
}

TEST(a_restart_gives_the_long_period_and_counts_at_once)
{
	struct child child = child_new();
	struct pfarg_pmd pmd = sampling(0, PERIOD);
	uint64_t value;
	int fd, turn;

	need_overflow_interrupts();
	fd = make_context();
	program_busy(fd, 1);
	pmd.reg_short_reset = 1;
	pmd.reg_long_reset = -BIT(50);
	load_and_start(fd, child.pid);
	loop_begin(&child);
	for (turn = 0; turn < 3; turn++) {
		write_one(fd, pmd);
		next_overflow(fd);
		must(fd, pfm_restart(fd));
		/*
		 * Even if the monitored thread runs on another CPU, the restart must have taken
		 * effect when pfm_restart() returns.
		 */
		ck_assert_uint_eq(state_of(fd), PFM_STATE_LOADED);
		value = sampled_value(fd);
		must_be_between(value, -BIT(50), -BIT(49));
		wait_until(sampled_value(fd) > value);
	}
	loop_end(&child);
	end_sampling(fd);
	count_must_be_right(fd);
}

/*
 * docs/interface.md 3.4: set_ovfl_pmds shows an overflow until a restart, a load, or a write of the
 * PMD.
 */
TEST(the_set_shows_its_overflows_until_they_are_handled)
{
	uint64_t bit;
	int fd;

	need_overflow_interrupts();
	bit = BIT(pmu()->pmds[0]);
	fd = busy_self(0);
	spin_until_masked(fd);
	ck_assert_uint_eq(set_of(fd, 0).set_ovfl_pmds[0], bit);
	must(fd, pfm_stop(fd));
	ck_assert_uint_eq(set_of(fd, 0).set_ovfl_pmds[0], bit);
	must(fd, pfm_restart(fd));
	ck_assert_uint_eq(set_of(fd, 0).set_ovfl_pmds[0], 0);

	must(fd, pfm_start(fd, NULL));
	spin_until_masked(fd);
	write_one(fd, sampling(0, PERIOD));
	ck_assert_uint_eq(set_of(fd, 0).set_ovfl_pmds[0], 0);
	must(fd, pfm_restart(fd));

	spin_until_masked(fd);
	must(fd, pfm_unload_context(fd));
	ck_assert_uint_eq(set_of(fd, 0).set_ovfl_pmds[0], bit);
	load(fd, thread_id());
	ck_assert_uint_eq(set_of(fd, 0).set_ovfl_pmds[0], 0);
	end_sampling(fd);
	count_must_be_right(fd);
}

TEST(start_while_masked_waits_for_the_restart)
{
	uint64_t value;
	int fd;

	need_overflow_interrupts();
	fd = busy_self(0);
	spin_until_masked(fd);
	value = sampled_value(fd);
	must(fd, pfm_start(fd, NULL));
	ck_assert_uint_eq(state_of(fd), PFM_STATE_MASKED);
	sampled_loop(10 * PERIOD);
	ck_assert_uint_eq(sampled_value(fd), value);
	must(fd, pfm_restart(fd));
	next_overflow(fd);
	spin_until_message(fd);
	end_sampling(fd);
	count_must_be_right(fd);
}

TEST(a_restart_of_a_stopped_context_does_not_start_it)
{
	uint64_t value;
	int fd;

	need_overflow_interrupts();
	fd = busy_self(0);
	spin_until_masked(fd);
	must(fd, pfm_stop(fd));
	ck_assert_uint_eq(state_of(fd), PFM_STATE_MASKED);
	must(fd, pfm_restart(fd));
	ck_assert_uint_eq(state_of(fd), PFM_STATE_LOADED);
	value = sampled_value(fd);
	ck_assert_uint_eq(value, -PERIOD);
	sampled_loop(10 * PERIOD);
	ck_assert_uint_eq(sampled_value(fd), value);
	must(fd, pfm_start(fd, NULL));
	spin_until_masked(fd);
	end_sampling(fd);
	count_must_be_right(fd);
}

TEST(values_of_a_masked_context_outlive_unload_and_load)
{
	uint64_t value;
	int fd;

	need_overflow_interrupts();
	fd = busy_self(0);
	write_pmd(fd, PFM_PMD_TASK_CLOCK, 0);
	spin_until_masked(fd);
	value = sampled_value(fd);
	must(fd, pfm_unload_context(fd));
	ck_assert_uint_eq(state_of(fd), PFM_STATE_UNLOADED);
	ck_assert_uint_eq(sampled_value(fd), value);
	load(fd, thread_id());
	ck_assert_uint_eq(state_of(fd), PFM_STATE_LOADED);
	ck_assert_uint_eq(sampled_value(fd), value);
	end_sampling(fd);
	count_must_be_right(fd);
}

TEST(a_process_that_inherited_the_descriptor_may_read_and_restart)
{
	int fd, status, turn;
	pid_t pid;

	need_overflow_interrupts();
	fd = busy_self(0);
	for (turn = 0; turn < 3; turn++) {
		spin_until_message(fd);
		must(fd, pfm_stop(fd));
		pid = fork();
		if (pid == 0) {
			struct pfarg_ovfl_msg message;

			if (read(fd, &message, sizeof(message)) != sizeof(message))
				_exit(10);
			if (message.msg_type != PFM_MSG_OVFL || pfm_restart(fd))
				_exit(11);
			_exit(EXIT_SUCCESS);
		}
		ck_assert_int_eq(waitpid(pid, &status, 0), pid);
		ck_assert_int_eq(status, 0);
		must_be_silent(fd);
		ck_assert_uint_eq(state_of(fd), PFM_STATE_LOADED);
		must(fd, pfm_start(fd, NULL));
	}
	end_sampling(fd);
	count_must_be_right(fd);
}
