// SPDX-License-Identifier: GPL-2.0-only
/* Helpers for the suites about PFM_FL_NOTIFY_BLOCK: a context and a child that is blocked. */
#include "blocking.h"

unsigned int soon_ms(void)
{
	return is_debug_kernel() ? 1000 : 100;
}

void spin_begin(const struct child *child)
{
	child->page->turns = 0;
	child->page->stop = 0;
	child_begin(child, loop_until_stopped, 0);
}

bool is_blocked(pid_t tid)
{
	return thread_state(tid) == 'D';
}

void must_be_blocked(const struct child *child)
{
	uint64_t turns;

	wait_until(is_blocked(child->pid));
	turns = child->page->turns;
	usleep(50000);
	ck_assert(is_blocked(child->pid));
	ck_assert_uint_eq(child->page->turns, turns);
}

void must_go_on(const struct child *child)
{
	uint64_t turns = child->page->turns;

	wait_until(child->page->turns > turns + 2);
}

int blocking_context(void)
{
	int fd = context_with_flags(PFM_FL_NOTIFY_BLOCK);

	sample_busily(fd, PERIOD);
	return fd;
}

int blocked_child(struct child *child)
{
	int fd;

	*child = child_new();
	fd = blocking_context();
	load_and_start(fd, child->pid);
	spin_begin(child);
	must_be_blocked(child);
	return fd;
}

void spin_end(const struct child *child)
{
	child->page->stop = 1;
	child_finish(child);
}
