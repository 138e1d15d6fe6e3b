// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests notifications: docs/interface.md 1.12, 3.4, 3.5, 4.4 to 4.6, and rows 8 to 16 of section
 * 10. Most tests monitor their own thread and use no format, so each overflow masks the context.
 */
#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/select.h>

#include "samples.h"
#include "workers.h"

SUITE(notification, 120);

/* ---- an overflow --------------------------------------------------------------------- */

TEST(an_overflow_masks_and_sends_a_message)
{
	struct child child = child_new();
	unsigned int cpu = cpus_online() - 1, turn;
	struct pfarg_ovfl_msg message;
	uint64_t value, turns;
	int fd;

	need_overflow_interrupts();
	child_call(&child, child_pin, cpu);
	fd = make_context();
	sample_busily(fd, PERIOD);
	load_and_start(fd, child.pid);
	loop_begin(&child);
	for (turn = 0; turn < 5; turn++) {
		message = next_overflow(fd);
		ck_assert_uint_eq(message.msg_ovfl_pid, child.pid);
		ck_assert_uint_eq(message.msg_ovfl_tid, child.pid);
		ck_assert_uint_eq(message.msg_active_set, 0);
		ck_assert_uint_eq(message.msg_ovfl_cpu, cpu);
		ck_assert_uint_ne(message.msg_ovfl_ip, 0);
		ck_assert_uint_eq(message.msg_ovfl_pmds[0], BIT(pmu()->pmds[0]));
		ck_assert_uint_eq(message.msg_ovfl_pmds[1] | message.msg_ovfl_pmds[4], 0);
		must_be_silent(fd);
		/* The thread continues, but its events are not counted. */
		ck_assert_uint_eq(state_of(fd), PFM_STATE_MASKED);
		ck_assert_uint_eq(status_of(fd).flags, PFM_STATUS_STARTED);
		value = sampled_value(fd);
		ck_assert_int_ge((int64_t)value, 0);
		turns = child.page->turns;
		wait_until(child.page->turns > turns + 2);
		ck_assert_uint_eq(sampled_value(fd), value);
		must(fd, pfm_restart(fd));
	}
	loop_end(&child);
	end_sampling(fd);
	count_must_be_right(fd);
}

/*
 * As in the perfmon2 interface, msg_ovfl_pid is the ID of the thread and msg_ovfl_tid is the ID of
 * the process.
 */
TEST(a_message_has_the_thread_as_pid_and_the_process_as_tid)
{
	struct pfarg_ovfl_msg message;
	struct spinner spinner = { .roams = true };
	header_t header;
	int fd;

	need_overflow_interrupts();
	spinner_begin(&spinner);
	fd = default_context(0, least_size());
	header = map_buffer(fd, least_size());
	sample_busily(fd, PERIOD);
	load_and_start(fd, spinner.tid);
	message = next_overflow(fd);
	ck_assert_uint_eq(message.msg_ovfl_pid, spinner.tid);
	ck_assert_uint_eq(message.msg_ovfl_tid, getpid());
	ck_assert_uint_eq(first_entry(header)->pid, spinner.tid);
	ck_assert_uint_eq(first_entry(header)->tgid, getpid());
	spinner_end(&spinner);
}

/* For an ordinary user, the message must have the address of an instruction in the program. */
TEST(a_message_has_the_instruction_of_the_overflow)
{
	int fd, turn, inside = 0;

	need_overflow_interrupts();
	become(USER_ID);
	fd = make_context();
	sample_busily(fd, 5 * PERIOD);
	load_and_start(fd, thread_id());
	for (turn = 0; turn < 20; turn++) {
		while (state_of(fd) != PFM_STATE_MASKED)
			sampled_loop(40 * PERIOD);
		inside += is_in_loop(next_overflow(fd).msg_ovfl_ip);
		must(fd, pfm_restart(fd));
	}
	ck_assert_int_ge(inside, 16);
}

TEST(without_notify_and_format_an_overflow_masks_until_the_next_load)
{
	struct pfarg_pmd pmd = sampling(0, PERIOD);
	uint64_t value;
	int fd;

	need_overflow_interrupts();
	fd = make_context();
	program_busy(fd, 2);
	pmd.reg_flags = 0;
	write_one(fd, pmd);
	/* PFM_REGFL_OVFL_NOTIFY of a PMD that does not overflow has no effect. */
	write_one(fd, sampling(1, BIT(60)));
	load_and_start(fd, thread_id());
	spin_until_masked(fd);
	must_be_silent(fd);
	must_not_restart(fd);
	value = sampled_value(fd);
	must(fd, pfm_stop(fd));
	must_not_restart(fd);
	must(fd, pfm_start(fd, NULL));
	sampled_loop(10 * PERIOD);
	must_not_restart(fd);
	ck_assert_uint_eq(state_of(fd), PFM_STATE_MASKED);
	ck_assert_uint_eq(sampled_value(fd), value);
	must_be_silent(fd);
	end_sampling(fd);
	count_must_be_right(fd);
}

/* The message includes PMDs without PFM_REGFL_OVFL_NOTIFY. */
TEST(a_message_names_all_pmds_that_overflowed)
{
	struct pfarg_pmd pmd = sampling(1, exact_period());
	struct pfarg_ovfl_msg message;
	int fd, turn;

	need_exact_work();
	fd = make_context();
	program_exact(fd, 2);
	write_one(fd, sampling(0, exact_period()));
	pmd.reg_flags = 0;
	write_one(fd, pmd);
	load_and_start(fd, thread_id());
	for (turn = 0; turn < 3; turn++) {
		while (!message_waits(fd))
			exact_work(exact_period());
		message = next_overflow(fd);
		ck_assert_uint_eq(message.msg_ovfl_pmds[0],
				  BIT(pmu()->pmds[0]) | BIT(pmu()->pmds[1]));
		ck_assert_uint_eq(set_of(fd, 0).set_ovfl_pmds[0],
				  message.msg_ovfl_pmds[0]);
		must_be_silent(fd);
		must(fd, pfm_restart(fd));
	}
	end_sampling(fd);
	count_must_be_right(fd);
}

/* ---- the queue ---------------------------------------------------------------------------- */

/* Lets counter @i overflow exactly once. */
static void overflow_of(int fd, unsigned int i)
{
	struct pfarg_pmd pmd = sampling(i, PERIOD);

	pmd.reg_long_reset = 0;
	write_one(fd, pmd);
	spin_until_masked(fd);
}

static unsigned int which(unsigned int message)
{
	return message * message % 3 % 2;
}

TEST(messages_stay_in_order_and_one_too_many_masks_without_message)
{
	struct pfarg_ovfl_msg message;
	unsigned int depth, i, turn;
	int fd;

	need_overflow_interrupts();
	depth = pmu()->info.message_queue_depth;
	ck_assert_uint_ge(depth, 8);
	fd = make_context();
	program_busy(fd, 2);
	for (turn = 0; turn < 2; turn++) {
		load_and_start(fd, thread_id());
		for (i = 0; i < depth; i++) {
			overflow_of(fd, which(i));
			must(fd, pfm_restart(fd));
		}
		/*
		 * The queue is full, so the next overflow masks the context without a notification
		 * and gives no credit.
		 */
		overflow_of(fd, 0);
		must_not_restart(fd);
		for (i = 0; i < depth; i++) {
			message = next_overflow(fd);
			ck_assert_msg(message.msg_ovfl_pmds[0] ==
					      BIT(pmu()->pmds[which(i)]),
				      "message %u is about the wrong PMDs, 0x%jx", i,
				      (uintmax_t)message.msg_ovfl_pmds[0]);
		}
		must_be_silent(fd);
		ck_assert_uint_eq(state_of(fd), PFM_STATE_MASKED);
		must_not_restart(fd);
		end_sampling(fd);
	}
	count_must_be_right(fd);
}

/*
 * When a message has been read from a full queue, the next overflow gives a message and a credit.
 */
TEST(reading_a_message_makes_room_for_another_and_its_credit)
{
	unsigned int depth, i;
	int fd;

	need_overflow_interrupts();
	depth = pmu()->info.message_queue_depth;
	fd = make_context();
	program_busy(fd, 2);
	load_and_start(fd, thread_id());
	for (i = 0; i < depth; i++) {
		overflow_of(fd, 0);
		must(fd, pfm_restart(fd));
	}
	next_overflow(fd);
	overflow_of(fd, 1);
	must(fd, pfm_restart(fd));
	for (i = 1; i < depth; i++)
		ck_assert_uint_eq(next_overflow(fd).msg_ovfl_pmds[0],
				  BIT(pmu()->pmds[0]));
	ck_assert_uint_eq(next_overflow(fd).msg_ovfl_pmds[0], BIT(pmu()->pmds[1]));
	must_be_silent(fd);
	end_sampling(fd);
	count_must_be_right(fd);
}

TEST(the_end_message_fits_into_a_full_queue)
{
	struct child child = child_new();
	unsigned int depth, i;
	int fd;

	need_overflow_interrupts();
	depth = pmu()->info.message_queue_depth;
	fd = make_context();
	sample_busily(fd, PERIOD);
	load_and_start(fd, child.pid);
	loop_begin(&child);
	for (i = 0; i < depth; i++) {
		wait_until(state_of(fd) == PFM_STATE_MASKED);
		must(fd, pfm_restart(fd));
	}
	wait_until(state_of(fd) == PFM_STATE_MASKED);
	must_not_restart(fd);
	child_kill(&child);
	for (i = 0; i < depth; i++)
		next_overflow(fd);
	must_end(fd);
	must_be_silent(fd);
	end_sampling(fd);
	count_must_be_right(fd);
}

TEST(reads_that_fail_lose_no_message)
{
	char buffer[sizeof(struct pfarg_ovfl_msg)];
	void *volatile nowhere = (void *)8;
	int fd;

	need_overflow_interrupts();
	fd = busy_self(0);
	spin_until_masked(fd);
	must(fd, pfm_restart(fd));
	spin_until_masked(fd);
	must_fail_errno(read(fd, buffer, 0), EINVAL);
	must_fail_errno(read(fd, buffer, sizeof(struct pfarg_ovfl_msg) - 1), EINVAL);
	must_fail_errno(read(fd, nowhere, sizeof(struct pfarg_ovfl_msg)), EFAULT);
	ck_assert_int_eq(read(fd, buffer, sizeof(buffer)), sizeof(buffer));
	ck_assert_int_eq(read(fd, buffer, sizeof(buffer)), sizeof(buffer));
	must_be_silent(fd);
	end_sampling(fd);
	count_must_be_right(fd);
}

/*
 * Counts the messages in the buffer. This function reads only the headers of the messages. So a
 * program can do the same with messages whose type it does not know.
 */
static unsigned int count_messages(const char *buffer, ssize_t size)
{
	unsigned int count = 0;
	ssize_t at = 0;

	while (at < size) {
		const struct pfm_msg_header *header = (const void *)(buffer + at);

		at += PFM_MSG_SIZE(header);
		count++;
	}
	ck_assert_int_eq(at, size);
	return count;
}

/*
 * read() returns as many whole messages as fit into the buffer. The messages that do not fit stay
 * in the queue.
 */
TEST(a_read_returns_as_many_messages_as_fit)
{
	union pfarg_msg messages[10];
	const size_t size = sizeof(messages[0]);
	unsigned int i;
	int fd;

	need_overflow_interrupts();
	fd = make_context();
	program_busy(fd, 2);
	load_and_start(fd, thread_id());
	for (i = 0; i < 5; i++) {
		overflow_of(fd, which(i));
		must(fd, pfm_restart(fd));
	}
	memset(messages, 0xee, sizeof(messages));
	ck_assert_int_eq(read(fd, messages, 3 * size - 1), 2 * size);
	ck_assert_uint_eq(count_messages((char *)messages, 2 * size), 2);
	ck_assert_uint_eq(messages[2].type, 0xeeeeeeee);
	ck_assert_int_eq(read(fd, messages + 2, 8 * size), 3 * size);
	ck_assert_uint_eq(count_messages((char *)messages, 5 * size), 5);
	ck_assert_uint_eq(messages[5].type, 0xeeeeeeee);
	for (i = 0; i < 5; i++) {
		ck_assert_uint_eq(messages[i].type, PFM_MSG_OVFL);
		ck_assert_uint_eq(messages[i].pfm_ovfl_msg.msg_ovfl_pmds[0],
				  BIT(pmu()->pmds[which(i)]));
	}
	must_be_silent(fd);
	end_sampling(fd);
	count_must_be_right(fd);
}

/*
 * A message that does not fit into the accessible memory stays in the queue. The messages that were
 * read leave the queue.
 */
TEST(a_read_into_memory_that_ends_returns_what_fits)
{
	const size_t size = sizeof(union pfarg_msg);
	const size_t page = sysconf(_SC_PAGESIZE);
	char *memory = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned int i;
	int fd;

	need_overflow_interrupts();
	ck_assert_ptr_ne(memory, MAP_FAILED);
	ck_assert_int_eq(mprotect(memory + page, page, PROT_NONE), 0);
	fd = busy_self(0);
	for (i = 0; i < 3; i++) {
		if (i)
			must(fd, pfm_restart(fd));
		spin_until_masked(fd);
	}
	ck_assert_int_eq(read(fd, memory + page - 2 * size - 8, 3 * size), 2 * size);
	ck_assert_int_eq(read(fd, memory, 3 * size), size);
	must_be_silent(fd);
	end_sampling(fd);
	count_must_be_right(fd);
}

/* ---- waiting --------------------------------------------------------------------------------- */

TEST(an_overflow_of_another_thread_wakes_a_reader)
{
	struct child child = child_new();
	struct pollfd one;
	struct epoll_event event = { .events = EPOLLIN };
	int fd, epoll;
	fd_set set;

	need_overflow_interrupts();
	fd = make_context();
	sample_busily(fd, 10 * PERIOD);
	load_and_start(fd, child.pid);
	one = (struct pollfd){ .fd = fd, .events = POLLIN };
	epoll = epoll_create1(EPOLL_CLOEXEC);
	ck_assert_int_eq(epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event), 0);
	ck_assert_int_eq(poll(&one, 1, 0), 0);
	ck_assert_int_eq(epoll_wait(epoll, &event, 1, 0), 0);
	loop_begin(&child);

	ck_assert_int_eq(poll(&one, 1, -1), 1);
	ck_assert_int_eq(one.revents, POLLIN);
	next_overflow(fd);
	ck_assert_int_eq(poll(&one, 1, 0), 0);
	must(fd, pfm_restart(fd));

	FD_ZERO(&set);
	FD_SET(fd, &set);
	ck_assert_int_eq(select(fd + 1, &set, NULL, NULL, NULL), 1);
	next_overflow(fd);
	must(fd, pfm_restart(fd));

	ck_assert_int_eq(epoll_wait(epoll, &event, 1, -1), 1);
	ck_assert_int_eq(event.events, EPOLLIN);
	next_overflow(fd);
	ck_assert_int_eq(epoll_wait(epoll, &event, 1, 0), 0);
	must(fd, pfm_restart(fd));
	next_overflow(fd); /* read() waits for the next overflow */
	loop_end(&child);
	end_sampling(fd);
	count_must_be_right(fd);
}

/*
 * With EPOLLET, epoll_wait() returns once for each message, even if the previous message has not
 * been read.
 */
TEST(each_message_is_an_edge_for_epoll)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLET };
	int fd, epoll, turn;

	need_overflow_interrupts();
	fd = busy_self(0);
	epoll = epoll_create1(EPOLL_CLOEXEC);
	ck_assert_int_eq(epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event), 0);
	for (turn = 0; turn < 3; turn++) {
		spin_until_masked(fd);
		ck_assert_int_eq(epoll_wait(epoll, &event, 1, -1), 1);
		ck_assert_int_eq(epoll_wait(epoll, &event, 1, 0), 0);
		must(fd, pfm_restart(fd));
	}
	end_sampling(fd);
	count_must_be_right(fd);
}

/* ---- without messages ------------------------------------------------------------------------------ */

/*
 * With PFM_FL_OVFL_NO_MSG, overflows send no messages, so they cannot fill the queue. Only the
 * message about the thread's end can be read.
 */
TEST(without_messages_each_overflow_can_be_restarted)
{
	struct child child = child_new();
	unsigned int i;
	int fd;

	need_overflow_interrupts();
	fd = context_with_flags(PFM_FL_OVFL_NO_MSG);
	sample_busily(fd, PERIOD);
	load_and_start(fd, child.pid);
	loop_begin(&child);
	for (i = 0; i < 3 * pmu()->info.message_queue_depth; i++) {
		wait_until(state_of(fd) == PFM_STATE_MASKED);
		ck_assert(!message_waits(fd));
		must(fd, pfm_restart(fd));
	}
	wait_until(state_of(fd) == PFM_STATE_MASKED);
	must_be_silent(fd);
	child_kill(&child);
	must_end(fd);
	must_be_silent(fd);
	end_sampling(fd);
	count_must_be_right(fd);
}

TEST(without_messages_a_full_buffer_can_be_restarted)
{
	header_t header;
	int fd, turn;

	need_overflow_interrupts();
	fd = default_context(PFM_FL_OVFL_NO_MSG, least_size());
	header = map_buffer(fd, least_size());
	sample_busily(fd, PERIOD);
	load_and_start(fd, thread_id());
	for (turn = 1; turn < 20; turn++) {
		spin_until_masked(fd);
		must_be_silent(fd);
		ck_assert_uint_eq(header->hdr_overflows, turn);
		must(fd, pfm_stop(fd));
		must(fd, pfm_restart(fd));
		must_not_restart(fd);
		must(fd, pfm_start(fd, NULL));
	}
	end_sampling(fd);
	count_must_be_right(fd);
}
