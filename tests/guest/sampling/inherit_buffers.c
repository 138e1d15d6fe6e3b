// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests the buffers of a context with PFM_FL_INHERIT_*, which has a buffer for each CPU. The tests
 * are about full buffers, readers, mappings and limits, and about the time at which the buffers are
 * freed.
 */
#include <poll.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <perfmon/perfmon_hist.h>

#include "inherit_sampling.h"

SUITE(inherit_buffers, 240);

/* ---- full buffers -------------------------------------------------------------------------- */

static struct pfarg_ovfl_msg must_read(int fd)
{
	struct pfarg_ovfl_msg message;

	ck_assert_int_eq(read(fd, &message, sizeof(message)), sizeof(message));
	ck_assert_uint_eq(message.msg_type, PFM_MSG_OVFL);
	return message;
}

TEST(a_full_buffer_loses_samples_until_its_cpu_is_restarted)
{
	struct family family;
	struct pfarg_ovfl_msg message;
	header_t header;
	uint64_t lost;
	unsigned int turn;

	need_overflow_interrupts();
	pin(0);
	family = busy_family(PERIOD);
	header = linear_of(&family, 0);
	must_fail(family.fd, pfm_restart_cpu(family.fd, 0), EBUSY,
		  PFM_REASON_NOTHING_TO_RESTART, NO_INDEX);
	load_and_start(family.fd, thread_id());
	for (turn = 0; turn < 3; turn++) {
		lost = header->hdr_lost;
		while (header->hdr_lost < lost + 5)
			spin_turns(10000);
		ck_assert_uint_eq(state_of(family.fd), PFM_STATE_LOADED);
		must_be_whole(header, 0);
		ck_assert_uint_eq(header->hdr_overflows, turn + 1);
		message = must_read(family.fd);
		ck_assert_uint_eq(message.msg_ovfl_cpu, 0);
		ck_assert_uint_eq(message.msg_ovfl_pid, thread_id());
		ck_assert_uint_eq(message.msg_ovfl_pmds[0], BIT(pmu()->pmds[0]));
		/* When further samples are lost, there is no further message. */
		must_be_silent(family.fd);
		must_fail(family.fd, pfm_restart(family.fd), EBUSY,
			  PFM_REASON_NOTHING_TO_RESTART, NO_INDEX);
		must(family.fd, pfm_restart_cpu(family.fd, 0));
	}
	must(family.fd, pfm_stop(family.fd));
	close(family.fd);
}

/* The reader and the sampled thread are in different processes. The reader may run on any CPU. */
static void check_reader(void)
{
	const struct pfm_nway_arg argument = { .region_size = entry_bytes(pmds_in_all()),
					       .regions = 4 };
	uint64_t taken = samples_taken(), read_samples = 0, lost = 0, worked;
	const volatile struct pfm_nway_hdr *header;
	struct child child = child_new();
	struct pollfd waits;
	struct family family;
	unsigned int cpu, i;

	need_overflow_interrupts();
	child_call(&child, child_pin, cpus_online() - 1);
	family = family_of(PFM_FL_INHERIT_ALL, "nway", &argument, sizeof(argument));
	sample_promptly(family.fd, PERIOD, NOTIFY);
	load_and_start(family.fd, child.pid);
	worked = cpu_time_of(child.pid);
	loop_begin(&child);
	waits = (struct pollfd){ .fd = family.fd, .events = POLLIN };
	for (i = 0; i < 20; i++) {
		ck_assert_int_eq(poll(&waits, 1, -1), 1);
		cpu = must_read(family.fd).msg_ovfl_cpu;
		ck_assert_uint_eq(cpu, cpus_online() - 1);
		header = nway_of(&family, cpu);
		while (published(&header->filled) > header->released) {
			must(family.fd, pfm_restart_cpu(family.fd, cpu));
			read_samples++;
		}
		must_fail(family.fd, pfm_restart_cpu(family.fd, family.cpus), EINVAL,
			  PFM_REASON_NO_BUFFER, NO_INDEX);
	}
	loop_end(&child);
	worked = cpu_time_of(child.pid) - worked;
	must(family.fd, pfm_stop(family.fd));
	taken = samples_taken() - taken;
	for (cpu = 0; cpu < family.cpus; cpu++) {
		header = nway_of(&family, cpu);
		read_samples += header->filled - header->released;
		lost += header->lost;
	}
	ck_assert_uint_eq(read_samples + lost, taken);
	ck_assert_uint_ge(read_samples, 20);
	/* A period lasts PERIOD ns, and the interrupt at its end takes a part of a period. */
	if (overflows_are_prompt())
		must_be_between(taken,
				worked / (PERIOD + PERIOD / (is_debug_kernel() ? 1 : 10)),
				worked / PERIOD + 1);
	close(family.fd);
	child_exit(&child);
}

TEST(a_reader_is_woken_and_hands_back_what_it_has_read)
{
	with_formats(check_reader);
}

/* ---- other formats --------------------------------------------------------------------------- */

/*
 * Samples the events of fork_worker(), with exact_period(). If overflows are prompt, there is
 * exactly one sample for each of the worker's periods: the kernel causes none of these events, and
 * the loader causes only a part of a period.
 */
static void sample_worker(int fd)
{
	struct pfarg_pmd pmd = sampling(0, exact_period());

	if (overflows_are_prompt()) {
		pmd.reg_num = prompt_counter();
		write_pmc(fd, pmd.reg_num, prompt_cycles(AT_USER));
	} else {
		program_exact(fd, 1);
	}
	write_one(fd, pmd);
}

static void check_hist(void)
{
	const struct pfm_hist_arg argument = { .entries = 1024 };
	uint64_t taken = samples_taken(), produced = 0;
	const volatile struct pfm_hist_hdr *header;
	struct family family;
	unsigned int cpu;

	need_exact_work();
	family = family_of(PFM_FL_INHERIT_ALL, "hist", &argument, sizeof(argument));
	sample_worker(family.fd);
	load_and_start(family.fd, thread_id());
	must_exit_well(fork_worker(&family, cpus_online() - 1));
	must(family.fd, pfm_stop(family.fd));
	for (cpu = 0; cpu < family.cpus; cpu++) {
		header = family.buffers[cpu];
		ck_assert_uint_eq(header->entries, 1024);
		produced += header->produced;
	}
	ck_assert_uint_eq(produced, samples_taken() - taken);
	if (overflows_are_prompt())
		ck_assert_uint_eq(produced, PERIODS);
	else
		must_be_between(produced, 1, 2 * PERIODS);
	must_fail(family.fd, pfm_restart_cpu(family.fd, 0), EBUSY,
		  PFM_REASON_NOTHING_TO_RESTART, NO_INDEX);
	close(family.fd);
}

TEST(a_format_without_restart_has_a_table_for_each_cpu)
{
	with_formats(check_hist);
}

/* ---- the structure of the call ---------------------------------------------------------------- */

static int restart_sized(int fd, size_t size, const void *structure)
{
	return ioctl(fd, _IOC(_IOC_WRITE, PFM_IOC_TYPE, 17, size), structure);
}

TEST(the_structure_of_a_restart_may_grow)
{
	struct family family = default_family(PFM_FL_INHERIT_ALL);
	uint32_t structure[16] = {};
	unsigned int i;

	/*
	 * The sizes 32 and 64 are accepted: these calls fail only because there is nothing to hand
	 * back.
	 */
	must_fail(family.fd, restart_sized(family.fd, 32, structure), EBUSY,
		  PFM_REASON_NOTHING_TO_RESTART, NO_INDEX);
	must_fail(family.fd, restart_sized(family.fd, 64, structure), EBUSY,
		  PFM_REASON_NOTHING_TO_RESTART, NO_INDEX);
	for (i = 1; i < COUNT(structure); i++) {
		structure[i] = 1;
		must_fail(family.fd, restart_sized(family.fd, 64, structure),
			  i < 8 ? EINVAL : E2BIG,
			  i < 8 ? PFM_REASON_RESERVED : PFM_REASON_TAIL, NO_INDEX);
		structure[i] = 0;
	}
	must_fail(family.fd, restart_sized(family.fd, 31, structure), EINVAL,
		  PFM_REASON_SIZE, NO_INDEX);
	must_fail(family.fd, restart_sized(family.fd, 32, (void *)1), EFAULT,
		  PFM_REASON_FAULT, NO_INDEX);
	structure[0] = UINT32_MAX;
	must_fail(family.fd, restart_sized(family.fd, 32, structure), EINVAL,
		  PFM_REASON_NO_BUFFER, NO_INDEX);
	close(family.fd);
}

/* ---- mapping and memory --------------------------------------------------------------------- */

static void must_not_map(int fd, uint64_t offset)
{
	ck_assert_ptr_eq(mmap(NULL, page_size(), PROT_READ, MAP_SHARED, fd, offset),
			 MAP_FAILED);
	ck_assert_int_eq(errno, EINVAL);
}

TEST(each_cpu_has_a_buffer_at_its_offset)
{
	struct family family = default_family(PFM_FL_INHERIT_ALL);
	struct pfm_status status = status_of(family.fd);
	unsigned int cpu;
	int fd;

	ck_assert_uint_ge(family.cpus, cpus_online());
	ck_assert_uint_eq(status.buffer_size % page_size(), 0);
	ck_assert_uint_ge(status.buffer_size, least_size());
	for (cpu = 0; cpu < family.cpus; cpu++)
		ck_assert_uint_eq(linear_of(&family, cpu)->hdr_buf_size, least_size());
	must_not_map(family.fd, PFM_BUFFER_OFFSET(family.cpus));
	must_not_map(family.fd, PFM_BUFFER_OFFSET(0) + page_size());
	must_not_map(family.fd, PFM_BUFFER_OFFSET(1) - page_size());
	must_not_map(family.fd, PFM_BUFFER_OFFSET(100000));
	must_not_map(family.fd, 1ull << 62);
	close(family.fd);
	/* The buffers can be read after the close of the context, because they are still mapped. */
	for (cpu = 0; cpu < family.cpus; cpu++)
		ck_assert_uint_eq(linear_of(&family, cpu)->hdr_count, 0);

	fd = default_context(0, MIB);
	ck_assert_uint_eq(status_of(fd).buffer_size, MIB);
	ck_assert_uint_eq(status_of(fd).buffer_cpus, 0);
	must_not_map(fd, PFM_BUFFER_OFFSET(1));
	must_fail(fd, pfm_restart_cpu(fd, 0), EINVAL, PFM_REASON_NO_BUFFER, NO_INDEX);
	close(fd);
	fd = context_with_flags(PFM_FL_INHERIT_ALL);
	ck_assert_uint_eq(status_of(fd).buffer_size, 0);
	ck_assert_uint_eq(status_of(fd).buffer_cpus, 0);
	must_not_map(fd, 0);
	must_fail(fd, pfm_restart_cpu(fd, 0), EINVAL, PFM_REASON_NO_BUFFER, NO_INDEX);
	close(fd);
}

static char most_memory[32];

static void restore_most_memory(void)
{
	write_text(MEM_MAX, most_memory);
}

TEST(the_buffers_of_all_cpus_are_charged)
{
	const struct pfm_dfl_smpl_arg argument = { .buf_size = MIB };
	const uint64_t before = read_number(MEM_CUR);
	pfarg_ctx_t ctx = { .ctx_flags = PFM_FL_INHERIT_ALL };
	struct family family =
		family_of(PFM_FL_INHERIT_ALL, "default", &argument, sizeof(argument));
	char limit[32];
	int fd, result;

	ck_assert_uint_eq(read_number(MEM_CUR) - before, family.cpus * MIB);
	close(family.fd);
	for (unsigned int cpu = 0; cpu < family.cpus; cpu++)
		munmap((void *)family.buffers[cpu], MIB);
	wait_until(read_number(MEM_CUR) == before);

	/*
	 * Root may use twice as much memory as the limit. With the limit that is set here, there is
	 * no room for the last of the buffers.
	 */
	strcpy(most_memory, read_text(MEM_MAX));
	snprintf(limit, sizeof(limit), "%lu\n",
		 (before + family.cpus * MIB) / 2 - page_size());
	write_text(MEM_MAX, limit);
	fd = pfm_create_context(&ctx, "default", (void *)&argument, sizeof(argument));
	result = errno;
	restore_most_memory();
	ck_assert_int_eq(fd, -1);
	ck_assert_int_eq(result, ENOMEM);
	ck_assert_uint_eq(read_number(MEM_CUR), before);
}

/* ---- ends ------------------------------------------------------------------------------------ */

static void wait_for_message_of(const struct family *family, pid_t pid)
{
	struct pfarg_ovfl_msg message;

	do {
		message = must_read(family->fd);
		/* If another thread has filled the buffer, the message is about that thread. */
		pfm_restart_cpu(family->fd, message.msg_ovfl_cpu);
	} while (message.msg_ovfl_pid != (uint32_t)pid);
	ck_assert_uint_eq(message.msg_ovfl_tid, pid);
}

TEST(a_context_is_unloaded_and_closed_while_children_are_sampled)
{
	struct family family;
	header_t header;
	uint64_t lost;
	pid_t pid;

	need_overflow_interrupts();
	family = busy_family(PERIOD);
	header = linear_of(&family, 0);
	load_and_start(family.fd, thread_id());
	pid = fork_looper(&family, 0);
	wait_for_message_of(&family, pid);
	/* The buffer becomes full again. The next load drops the message about the full buffer. */
	lost = header->hdr_lost;
	wait_until(header->hdr_lost > lost);
	must(family.fd, pfm_unload_context(family.fd));
	end_looper(pid);
	load_and_start(family.fd, thread_id());
	pid = fork_looper(&family, 0);
	wait_for_message_of(&family, pid);
	close(family.fd);
	ck_assert_uint_eq(sessions(), 0);
	end_looper(pid);
}

/* ---- a CPU goes offline ------------------------------------------------------------------------ */

static void check_offline(void)
{
	struct family family = busy_family(PERIOD);
	header_t header = linear_of(&family, 1);
	struct pfarg_ovfl_msg message;
	pid_t pid;

	load_and_start(family.fd, thread_id());
	pid = fork_looper(&family, 1);
	wait_until(header->hdr_lost > 0);
	end_looper(pid);
	cpu_online(1, false);
	must_be_whole(header, 0);
	ck_assert_uint_gt(header->hdr_count, 0);
	do
		message = must_read(family.fd);
	while (message.msg_ovfl_cpu != 1);
	must(family.fd, pfm_restart_cpu(family.fd, 1));
	ck_assert_uint_eq(header->hdr_count, 0);
	cpu_online(1, true);
	pid = fork_looper(&family, 1);
	wait_until(header->hdr_count > 0);
	end_looper(pid);
	close(family.fd);
}

TEST(the_buffer_of_a_cpu_that_is_offline_is_read_and_handed_back)
{
	need_overflow_interrupts();
	need_cpus(2);
	with_all_cpus_back(check_offline);
}
