// SPDX-License-Identifier: GPL-2.0-only
/* Tests which users see kernel addresses in samples. */
#include <sys/mman.h>

#include "samples.h"

SUITE(kernel_addresses, 120);

/* Causes page faults, and thereby events at kernel level, until there is a message. */
static void call_the_kernel(int fd)
{
	while (!message_waits(fd))
		touch_pages(100);
}

static uint64_t kernel_addresses(uint64_t *messages)
{
	int fd = default_context(0, 4096), turn;
	header_t header = map_buffer(fd, 4096);
	uint64_t found = 0;
	entry_t entry;

	*messages = 0;
	sample_promptly(fd, PERIOD / 4, NOTIFY);
	load_and_start(fd, thread_id());
	for (turn = 0; turn < 4; turn++) {
		call_the_kernel(fd);
		for_each_entry(entry, header, 0) {
			ck_assert_uint_ne(entry->ip, 0);
			found += is_kernel_address(entry->ip);
		}
		*messages += is_kernel_address(next_overflow(fd).msg_ovfl_ip);
		must(fd, pfm_restart(fd));
	}
	close(fd);
	munmap((void *)header, 4096);
	return found;
}

TEST(root_sees_addresses_of_the_kernel)
{
	uint64_t messages;

	need_overflow_interrupts();
	ck_assert_uint_gt(kernel_addresses(&messages), 0);
}

TEST(a_user_sees_no_address_of_the_kernel)
{
	uint64_t messages;

	need_overflow_interrupts();
	become(USER_ID);
	ck_assert_uint_eq(kernel_addresses(&messages), 0);
	ck_assert_uint_eq(messages, 0);
}

/*
 * If an ordinary user loads a context, its samples show no kernel addresses, even if root created
 * the context.
 */
TEST(a_user_with_roots_context_sees_no_address_of_the_kernel)
{
	uint64_t found = 0;
	header_t header;
	entry_t entry;
	int fd;

	need_overflow_interrupts();
	fd = default_context(0, 4096);
	header = map_buffer(fd, 4096);
	sample_promptly(fd, PERIOD / 4, NOTIFY);
	become(USER_ID);
	load_and_start(fd, thread_id());
	call_the_kernel(fd);
	for_each_entry(entry, header, 0)
		found += is_kernel_address(entry->ip);
	ck_assert_uint_eq(found, 0);
	ck_assert(!is_kernel_address(next_overflow(fd).msg_ovfl_ip));
}

/*
 * A sample has the address at which the loop was interrupted, not the address at which the counters
 * were read.
 */
TEST(a_users_samples_of_a_loop_are_in_the_loop)
{
	uint64_t elsewhere = 0, samples;
	header_t header;
	entry_t entry;
	int fd, started, stopped;

	need_overflow_interrupts();
	become(USER_ID);
	fd = default_context(0, 4096);
	header = map_buffer(fd, 4096);
	sample_busily(fd, PERIOD);
	load(fd, thread_id());
	started = pfm_start(fd, NULL);
	while (header->hdr_count < 50)
		sampled_loop(20 * PERIOD);
	stopped = pfm_stop(fd);
	must(fd, started);
	must(fd, stopped);
	samples = header->hdr_count;
	for_each_entry(entry, header, 0)
		elsewhere += !is_in_loop(entry->ip);
	ck_assert_msg(elsewhere <= samples / 10,
		      "%ju of %ju samples are outside the loop", (uintmax_t)elsewhere,
		      (uintmax_t)samples);
}
