// SPDX-License-Identifier: GPL-2.0-only
/* Tests overflows, samples and event sets of system-wide contexts. */
#include "samples.h"
#include "system_wide.h"

SUITE(system_wide_sampling, 120);

TEST(a_message_tells_the_thread_that_ran)
{
	struct child child = child_new();
	unsigned int cpu = cpus_online() - 1, turn, seen = 0;
	struct pfarg_ovfl_msg message;
	int fd;

	need_overflow_interrupts();
	child_call(&child, child_pin, cpu);
	fd = system_wide_context();
	sample_busily(fd, PERIOD);
	load_and_start(fd, cpu);
	loop_begin(&child);
	for (turn = 0; turn < 1000 && seen < 3; turn++) {
		message = next_overflow(fd);
		ck_assert_uint_eq(message.msg_ovfl_cpu, cpu);
		ck_assert_uint_eq(message.msg_ovfl_pmds[0], BIT(pmu()->pmds[0]));
		ck_assert_uint_eq(state_of(fd), PFM_STATE_MASKED);
		if (message.msg_ovfl_pid == (uint32_t)child.pid) {
			ck_assert_uint_eq(message.msg_ovfl_tid, child.pid);
			seen++;
		}
		must(fd, pfm_restart(fd));
	}
	ck_assert_uint_eq(seen, 3);
	loop_end(&child);
	close(fd);
	child_exit(&child);
}

/* Returns true if the buffer has, for each child, more than 10 samples in sampled_loop(). */
static bool both_are_sampled(header_t header, const struct child *children,
			     unsigned int cpu)
{
	unsigned int in_loop[2] = {}, i;
	entry_t entry;

	for_each_entry(entry, header, 0) {
		ck_assert_uint_eq(entry->cpu, cpu);
		if (!is_in_loop(entry->ip))
			continue;
		i = entry->pid == (uint32_t)children[1].pid;
		ck_assert_uint_eq(entry->pid, children[i].pid);
		ck_assert_uint_eq(entry->tgid, children[i].pid);
		in_loop[i]++;
	}
	return in_loop[0] > 10 && in_loop[1] > 10;
}

/*
 * Two programs take turns on the CPU. Each sample with an address in sampled_loop() belongs to one
 * of the two programs.
 */
TEST(samples_of_a_cpu_have_all_its_programs)
{
	struct child children[2] = { child_new(), child_new() };
	unsigned int cpu = cpus_online() - 1, i;
	header_t header;
	int fd;

	need_overflow_interrupts();
	fd = default_context(PFM_FL_SYSTEM_WIDE, MIB);
	header = map_buffer(fd, MIB);
	sample_busily(fd, PERIOD);
	load_and_start(fd, cpu);
	for (i = 0; i < COUNT(children); i++) {
		child_call(&children[i], child_pin, cpu);
		loop_begin(&children[i]);
	}
	wait_until(both_are_sampled(header, children, cpu));
	must(fd, pfm_stop(fd));
	for (i = 0; i < COUNT(children); i++) {
		loop_end(&children[i]);
		child_exit(&children[i]);
	}
	close(fd);
}

/* The timeouts of sets elapse even if the CPU is idle. */
TEST(sets_take_turns_on_an_idle_cpu)
{
	struct pfarg_setdesc sets[] = {
		{ .set_id = 0, .set_flags = PFM_SETFL_TIME_SWITCH, .set_timeout = MS },
		{ .set_id = 1, .set_flags = PFM_SETFL_TIME_SWITCH, .set_timeout = MS },
	};
	unsigned int cpu = cpus_online() - 1, i;
	uint64_t least, most, sum = 0;
	int fd = system_wide_context();

	must(fd, pfm_create_evtsets(fd, sets, COUNT(sets)));
	load(fd, cpu);
	most = monotonic_time();
	must(fd, pfm_start(fd, NULL));
	least = monotonic_time();
	wait_until(set_of(fd, 1).set_runs >= 20);
	least = monotonic_time() - least;
	must(fd, pfm_stop(fd));
	most = monotonic_time() - most;
	for (i = 0; i < COUNT(sets); i++) {
		ck_assert_uint_ge(set_of(fd, i).set_runs, 20);
		sum += set_of(fd, i).set_act_duration;
	}
	must_be_between(sum, least - least / 100, most);
	close(fd);
}
