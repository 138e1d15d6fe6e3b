// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests the sampling buffer and the format "default": docs/interface.md 1.7, 5.2, 5.5, and rows 31
 * and 32 of section 10.
 */
#include <signal.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "samples.h"

SUITE(buffer, 120);

/* ---- creation ------------------------------------------------------------------------ */

TEST(the_format_is_built_in_and_listed)
{
	ck_assert_str_eq(read_text(SYSFS "formats/default/version"), "1.1\n");
	ck_assert_str_eq(read_text(SYSFS "formats/default/uuid"), PFM_DFL_SMPL_UUID "\n");
}

TEST(a_new_buffer_has_its_header_and_nothing_else)
{
	const uint64_t sizes[] = { least_size(), least_size() + 1, 4096, 5000, MIB };
	const volatile uint64_t *words;
	header_t header;
	size_t i, word;
	int fd;

	for (i = 0; i < COUNT(sizes); i++) {
		fd = default_context(0, sizes[i]);
		header = map_buffer(fd, sizes[i]);
		ck_assert_uint_eq(header->hdr_count, 0);
		ck_assert_uint_eq(header->hdr_cur_offs, 128);
		ck_assert_uint_eq(header->hdr_overflows, 0);
		ck_assert_uint_eq(header->hdr_buf_size, sizes[i]);
		ck_assert_uint_eq(header->hdr_min_buf_space, largest_entry());
		ck_assert_uint_eq(header->hdr_version, 0x10001);
		ck_assert_uint_eq(header->hdr_buf_flags, 0);
		words = (const volatile uint64_t *)header;
		/* An assertion for each word would take longer than the rest of the test. */
		for (word = 6; word < sizes[i] / 8 && !words[word]; word++)
			continue;
		ck_assert_msg(word == sizes[i] / 8,
			      "buffer of %ju bytes: word %zu is 0x%jx, not 0",
			      (uintmax_t)sizes[i], word, (uintmax_t)words[word]);
		munmap((void *)header, sizes[i]);
		close(fd);
	}
}

/*
 * Arguments of a create call that must fail. After the failure, the same descriptor can be used for
 * another create call.
 */
struct wrong_format {
	const char *name;
	const void *argument;
	uint64_t size;
	int error;
	unsigned int reason;
};

static void must_refuse_format(int fd, const struct wrong_format *wrong)
{
	struct pfm_create create = { .format_name = (uintptr_t)wrong->name,
				     .format_argument = (uintptr_t)wrong->argument,
				     .format_size = wrong->size };

	must_fail(fd, ioctl(fd, PFM_IOC_CREATE_CONTEXT, &create), wrong->error,
		  wrong->reason, NO_INDEX);
	ck_assert_uint_eq(read_number(MEM_CUR), 0);
}

static void must_refuse_size(int fd, uint64_t size, int error, unsigned int reason)
{
	const pfm_dfl_smpl_arg_t argument = { .buf_size = size };

	must_refuse_format(fd, &(struct wrong_format){ "default", &argument,
						       sizeof(argument), error, reason });
}

static void must_create_after_all(int fd)
{
	pfm_dfl_smpl_arg_t argument = { .buf_size = least_size() };
	struct pfm_create create = { .format_name = (uintptr_t) "default",
				     .format_argument = (uintptr_t)&argument,
				     .format_size = sizeof(argument) };

	must(fd, ioctl(fd, PFM_IOC_CREATE_CONTEXT, &create));
	map_buffer(fd, least_size());
	count_must_be_right(fd);
}

TEST(a_buffer_too_small_for_the_largest_sample_is_einval)
{
	const uint64_t sizes[] = { 0, 1, 127, 128, 168, least_size() - 1 };
	int fd = pfm_open_device();
	size_t i;

	for (i = 0; i < COUNT(sizes); i++)
		must_refuse_size(fd, sizes[i], EINVAL, PFM_REASON_FORMAT_ARGUMENT);
	must_create_after_all(fd);
}

TEST(a_buffer_larger_than_memory_is_enomem)
{
	static const uint64_t sizes[] = { BIT(50), BIT(63), -4096ull, -4095ull, -1ull };
	int fd = pfm_open_device();
	size_t i;

	for (i = 0; i < COUNT(sizes); i++)
		must_refuse_size(fd, sizes[i], ENOMEM, PFM_REASON_MEMORY);
	must_create_after_all(fd);
}

TEST(an_argument_of_another_size_is_einval)
{
	static const uint64_t sizes[] = { 0, 1, 63, 65536 + 1, 1 << 20, -1ull };
	static char argument[1 << 20];
	int fd = pfm_open_device();
	size_t i;

	for (i = 0; i < COUNT(sizes); i++) {
		must_refuse_format(fd, &(struct wrong_format){ "default", argument,
							       sizes[i], EINVAL,
							       PFM_REASON_FORMAT_SIZE });
		if (sizes[i])
			must_refuse_format(fd, &(struct wrong_format){
						       "default", NULL, sizes[i], EINVAL,
						       PFM_REASON_FORMAT_SIZE });
	}
	must_refuse_format(fd, &(struct wrong_format){ "default", NULL, 64, EINVAL,
						       PFM_REASON_FORMAT_ARGUMENT });
	must_create_after_all(fd);
}

TEST(an_unknown_format_is_einval)
{
	static const char *const names[] = {
		"",
		"nosuch",
		"Default",
		"default ",
		"../perfmon",
		"default/version",
		"a-name-of-31-characters-no-more",
		"a-name-of-32-characters-is-long-",
		"d139b29e-62e8-40e4-b402-73078792e938",
	};
	const pfm_dfl_smpl_arg_t argument = { .buf_size = 4096 };
	char long_name[5000];
	int fd = pfm_open_device();
	size_t i;

	memset(long_name, 'a', sizeof(long_name));
	long_name[sizeof(long_name) - 1] = '\0';
	must_refuse_format(fd,
			   &(struct wrong_format){ long_name, &argument, sizeof(argument),
						   EINVAL, PFM_REASON_NO_FORMAT });
	for (i = 0; i < COUNT(names); i++) {
		subject = names[i];
		must_refuse_format(fd, &(struct wrong_format){ names[i], &argument,
							       sizeof(argument), EINVAL,
							       PFM_REASON_NO_FORMAT });
	}
	subject = "";
	must_create_after_all(fd);
}

TEST(a_format_or_argument_that_cannot_be_read_is_efault)
{
	const pfm_dfl_smpl_arg_t argument = { .buf_size = 4096 };
	char *memory = mmap(NULL, 2 * page_size(), PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *end = memory + page_size();
	int fd = pfm_open_device();

	ck_assert_int_eq(munmap(end, page_size()), 0);
	must_refuse_format(fd, &(struct wrong_format){ (char *)8, &argument, 64, EFAULT,
						       PFM_REASON_FAULT });
	memset(end - 3, 'x', 3);
	must_refuse_format(fd, &(struct wrong_format){ end - 3, &argument, 64, EFAULT,
						       PFM_REASON_FAULT });
	must_refuse_format(fd, &(struct wrong_format){ "default", (char *)8, 64, EFAULT,
						       PFM_REASON_FAULT });
	must_refuse_format(fd, &(struct wrong_format){ "default", end - 63, 64, EFAULT,
						       PFM_REASON_FAULT });
	must_create_after_all(fd);
}

TEST(a_format_can_be_named_by_its_uuid)
{
	pfm_dfl_smpl_arg_t argument = { .buf_size = 4096 };
	pfarg_ctx_t ctx = {};
	int fd = pfm_create_context(&ctx, PFM_DFL_SMPL_UUID, &argument, sizeof(argument));

	ck_assert_msg(fd != -1, "%s", sentence(-1));
	ck_assert_uint_eq(map_buffer(fd, 4096)->hdr_version, 0x10001);
	count_must_be_right(fd);
}

/* ---- a full buffer --------------------------------------------------------------------- */

/* Adds @values values (at most three) to each sample of @pmd. */
static void record(struct pfarg_pmd *pmd, unsigned int values)
{
	const unsigned int recorded[] = { pmu()->pmds[0], PFM_PMD_TASK_CLOCK,
					  PFM_PMD_MONOTONIC_TIME };
	unsigned int i;

	for (i = 0; i < values; i++)
		add_to(pmd->reg_smpl_pmds, recorded[i]);
}

/*
 * Fills a buffer three times. Monitoring must be masked as soon as the buffer has no room for
 * another sample of the largest size.
 */
static void must_fill(uint64_t size, unsigned int values)
{
	uint64_t period = size < 16384 ? PERIOD : PERIOD / 20;
	struct pfarg_pmd pmd = sampling(0, period);
	int fd = default_context(0, size);
	header_t header = map_buffer(fd, size);
	struct pfarg_ovfl_msg message;
	uint64_t count, turn, first;

	record(&pmd, values);
	program_busy(fd, 1);
	write_one(fd, pmd);
	load_and_start(fd, thread_id());
	for (turn = 1; turn <= 3; turn++) {
		spin_until_message(fd);
		ck_assert_uint_eq(state_of(fd), PFM_STATE_MASKED);
		ck_assert_uint_eq(header->hdr_count, entries_until_full(size, values));
		ck_assert_uint_eq(header->hdr_overflows, turn);
		ck_assert_uint_eq(header->hdr_lost, 0);
		must_be_whole(header, values);
		first = first_entry(header)->tstamp;
		ck_assert_uint_ne(first, 0);
		/* While the context is masked, nothing is counted and no further message comes. */
		count = read_pmd(fd, pmd.reg_num);
		sampled_loop(10 * period);
		ck_assert_uint_eq(read_pmd(fd, pmd.reg_num), count);
		message = next_overflow(fd);
		ck_assert_uint_eq(message.msg_ovfl_pmds[0], BIT(pmd.reg_num));
		must_be_silent(fd);
		must(fd, pfm_stop(fd));
		must(fd, pfm_restart(fd));
		ck_assert_uint_eq(state_of(fd), PFM_STATE_LOADED);
		/* The restart empties the buffer but does not overwrite the old entries. */
		ck_assert_uint_eq(header->hdr_count, 0);
		ck_assert_uint_eq(header->hdr_cur_offs, 128);
		ck_assert_uint_eq(header->hdr_overflows, turn);
		ck_assert_uint_eq(first_entry(header)->tstamp, first);
		must_not_restart(fd);
		must(fd, pfm_start(fd, NULL));
	}
	end_sampling(fd);
	count_must_be_right(fd);
	close(fd);
	munmap((void *)header, size);
}

TEST(a_full_buffer_masks_and_notifies_and_the_restart_empties_it)
{
	need_overflow_interrupts();
	must_fill(least_size(), 0);
	must_fill(least_size(), 3);
	must_fill(2 * least_size() + 4, 1);
	must_fill(page_size(), 2);
}

TEST(a_buffer_of_a_mib_fills_to_its_end)
{
	uint64_t size = MIB - 8 * least_size();

	need_overflow_interrupts();
	/*
	 * Filling this buffer would take minutes in a debug kernel. It would also take minutes with
	 * the software PMU, whose interrupts are at least 10 us apart.
	 */
	if (is_debug_kernel() || pmu_is("soft"))
		size = 16 * page_size();
	must_fill(size, 3);
}

/* Each sample must have @values values. After the samples, the buffer must contain only zeros. */
static void must_end_with_the_samples(unsigned int values)
{
	struct pfarg_pmd pmd = sampling(0, PERIOD);
	int fd = default_context(0, 4096);
	header_t header = map_buffer(fd, 4096);
	const volatile uint64_t *words = (const volatile uint64_t *)header;
	unsigned int i;

	record(&pmd, values);
	program_busy(fd, 1);
	write_one(fd, pmd);
	load_and_start(fd, thread_id());
	while (header->hdr_count < 3)
		sampled_loop(PERIOD);
	must(fd, pfm_stop(fd));
	must_be_whole(header, values);
	for (i = header->hdr_cur_offs / 8; i < 4096 / 8; i++)
		ck_assert_msg(!words[i],
			      "after samples with %u values, word %u is 0x%jx, not 0",
			      values, i, (uintmax_t)words[i]);
	end_sampling(fd);
	munmap((void *)header, 4096);
	close(fd);
}

TEST(nothing_is_written_after_the_samples)
{
	need_overflow_interrupts();
	must_end_with_the_samples(3);
	must_end_with_the_samples(1);
	must_end_with_the_samples(0);
}

static void must_be_masked_for_ever(int fd, header_t header)
{
	uint64_t overflows = header->hdr_overflows;

	ck_assert_uint_eq(header->hdr_count, 1);
	ck_assert_uint_eq(overflows, 1);
	must_be_silent(fd);
	must_not_restart(fd);
	ck_assert_uint_eq(state_of(fd), PFM_STATE_MASKED);
	must(fd, pfm_stop(fd));
	must(fd, pfm_start(fd, NULL));
	sampled_loop(10 * PERIOD);
	must_not_restart(fd);
	ck_assert_uint_eq(state_of(fd), PFM_STATE_MASKED);
	ck_assert_uint_eq(header->hdr_count, 1);
	/* After an unload and a load, the context is no longer masked. */
	end_sampling(fd);
	ck_assert_uint_eq(header->hdr_count, 1);
	count_must_be_right(fd);
}

/*
 * Fills a buffer with samples of a PMD that does not have PFM_REGFL_OVFL_NOTIFY. If @another is
 * true, a second PMD has the flag, but does not overflow.
 */
static void fill_without_notify(bool another)
{
	struct pfarg_pmd pmd = sampling(0, PERIOD);
	header_t header;
	int fd;

	need_overflow_interrupts();
	fd = default_context(0, least_size());
	header = map_buffer(fd, least_size());
	program_busy(fd, 2);
	pmd.reg_flags = 0;
	write_one(fd, pmd);
	if (another)
		write_one(fd, sampling(1, BIT(60)));
	load_and_start(fd, thread_id());
	spin_until_masked(fd);
	must_be_masked_for_ever(fd, header);
}

TEST(a_buffer_full_without_notify_masks_for_ever)
{
	fill_without_notify(false);
}

/*
 * A full buffer causes a message only if the PMD whose overflow filled the buffer has
 * PFM_REGFL_OVFL_NOTIFY.
 */
TEST(the_flag_of_another_pmd_does_not_help_a_full_buffer)
{
	fill_without_notify(true);
}

/* ---- lost samples ------------------------------------------------------------------------- */

/* Two counters overflow in the same interrupt, but the buffer has room for only one sample. */
TEST(a_sample_without_room_is_counted_as_lost)
{
	struct pfarg_ovfl_msg message;
	header_t header;
	int fd, i, turn;

	need_exact_work();
	fd = default_context(0, least_size());
	header = map_buffer(fd, least_size());
	program_exact(fd, 2);
	for (i = 0; i < 2; i++)
		write_one(fd, sampling(i, exact_period()));
	load_and_start(fd, thread_id());
	for (turn = 1; turn <= 3; turn++) {
		while (!message_waits(fd))
			exact_work(exact_period());
		message = next_overflow(fd);
		must_be_silent(fd);
		ck_assert_uint_eq(message.msg_ovfl_pmds[0],
				  BIT(pmu()->pmds[0]) | BIT(pmu()->pmds[1]));
		ck_assert_uint_eq(header->hdr_count, 1);
		ck_assert_uint_eq(first_entry(header)->ovfl_pmd, pmu()->pmds[0]);
		ck_assert_uint_eq(header->hdr_lost, turn);
		/* The buffer became full once per round. */
		ck_assert_uint_eq(header->hdr_overflows, turn);
		must(fd, pfm_restart(fd));
	}
	end_sampling(fd);
	count_must_be_right(fd);
}

/*
 * A reader that empties the buffer while the sampled thread continues. The sampled thread may be
 * killed at any moment.
 */
struct reader {
	int fd;
	header_t header;
	void (*take)(header_t header);
	uint64_t buffers; /* full buffers that were read */
	uint64_t read_overflows; /* hdr_overflows when the last full buffer was read */
	bool is_stale; /* the last full buffer was read but not emptied */
};

/*
 * Reads a message, and the samples in the buffer that have not been read yet. Returns false when
 * the thread has ended.
 */
static bool read_on(struct reader *reader)
{
	header_t header = reader->header;
	struct pfarg_ovfl_msg message;

	ck_assert_int_eq(read(reader->fd, &message, sizeof(message)), sizeof(message));
	if (message.msg_type == PFM_MSG_END) {
		if (reader->is_stale)
			ck_assert_uint_eq(header->hdr_overflows, reader->read_overflows);
		else
			reader->take(header);
		return false;
	}
	reader->take(header);
	reader->buffers++;
	reader->read_overflows = header->hdr_overflows;
	reader->is_stale = pfm_restart(reader->fd) == -1;
	/* The thread may have ended before the restart. */
	if (reader->is_stale)
		ck_assert_int_eq(errno, EBUSY);
	return true;
}

/*
 * Kills the child when at least @buffers full buffers have been read, while the child fills the
 * next one.
 */
static void read_and_kill(struct reader *reader, struct child *child, uint64_t buffers)
{
	bool is_killed = false;

	for (;;) {
		if (!is_killed && reader->buffers >= buffers &&
		    reader->header->hdr_count >= 10) {
			ck_assert_int_eq(kill(child->pid, SIGKILL), 0);
			is_killed = true;
		}
		if (!is_killed && !message_waits(reader->fd))
			usleep(200);
		else if (!read_on(reader))
			break;
	}
	child_kill(child);
}

static struct chain the_chain;

static void take_chain(header_t header)
{
	must_be_whole(header, 2);
	chain_follow(&the_chain, header);
}

static void kill_in_the_middle(uint64_t size, uint64_t buffers)
{
	struct child child = child_new();
	struct reader reader = { .take = take_chain };

	reader.fd = default_context(0, size);
	reader.header = map_buffer(reader.fd, size);
	program_exact(reader.fd, 2);
	the_chain = chain_begin(reader.fd, 0, 1, exact_period());
	load_and_start(reader.fd, child.pid);
	child_begin(&child, exact_work_until_stopped, 0);
	read_and_kill(&reader, &child, buffers);
	chain_end(&the_chain, reader.fd);
	ck_assert_uint_eq(reader.header->hdr_lost, 0);
	printf("         %ju samples in %ju buffers of %ju bytes\n",
	       (uintmax_t)the_chain.samples, (uintmax_t)reader.buffers + 1,
	       (uintmax_t)size);
	fflush(stdout);
	munmap((void *)reader.header, size);
	close(reader.fd);
}

TEST(all_samples_of_a_killed_thread_are_there)
{
	need_exact_work();
	kill_in_the_middle(page_size(), 3);
	kill_in_the_middle(MIB, 0);
}

static uint64_t taken[2];

static void take_pairs(header_t header)
{
	entry_t entry;

	must_be_whole(header, 0);
	for_each_entry(entry, header, 0)
		taken[entry->ovfl_pmd == pmu()->pmds[1]]++;
}

/* The two counters always overflow at the same time. */
TEST(all_samples_of_a_killed_thread_are_there_or_counted_as_lost)
{
	struct child child = child_new();
	struct reader reader = { .take = take_pairs };
	uint64_t size;
	int i;

	need_exact_work();
	/*
	 * The buffer has room for an odd number of entries, so it has no room for the second entry
	 * of the last pair.
	 */
	size = least_size() + 8 * sizeof(struct pfm_dfl_smpl_entry);
	reader.fd = default_context(0, size);
	reader.header = map_buffer(reader.fd, size);
	program_exact(reader.fd, 2);
	for (i = 0; i < 2; i++)
		write_one(reader.fd, sampling(i, exact_period()));
	load_and_start(reader.fd, child.pid);
	child_begin(&child, exact_work_until_stopped, 0);
	ck_assert_uint_eq(entries_until_full(size, 0), 9);
	while (reader.buffers < 20)
		ck_assert(read_on(&reader));
	ck_assert_int_eq(kill(child.pid, SIGKILL), 0);
	while (read_on(&reader))
		;
	ck_assert_uint_ge(reader.header->hdr_lost, 20);
	ck_assert_uint_eq(taken[1] + reader.header->hdr_lost, taken[0]);
	child_kill(&child);
}
