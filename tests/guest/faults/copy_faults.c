// SPDX-License-Identifier: GPL-2.0-only
/*
 * Like call_faults.c and create_faults.c, this suite lets every allocation of a call fail in turn.
 * The contexts here have copies or a buffer for each CPU, or they are system-wide.
 */
#include <perfmon/perfmon_hist.h>
#include <perfmon/perfmon_nway.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "attempts.h"
#include "formats.h"
#include "samples.h"

SUITE(copy_faults, 600);

/* ---- creation ------------------------------------------------------------------------------ */

#define BUFFER_SIZE 16384 /* takes several pages, and an array of their addresses */

static const struct pfm_dfl_smpl_arg linear = { .buf_size = BUFFER_SIZE };
static const struct pfm_nway_arg nway = { .region_size = 8192, .regions = 2 };
static const struct pfm_hist_arg hist = { .entries = 256 };

static const struct wish {
	uint32_t flags;
	const char *format;
	const void *argument;
	size_t size;
} wishes[] = {
	{ PFM_FL_INHERIT_ALL, NULL, NULL, 0 },
	{ PFM_FL_INHERIT_ALL, PFM_DFL_SMPL_NAME, &linear, sizeof(linear) },
	{ PFM_FL_INHERIT_THREADS, PFM_NWAY_NAME, &nway, sizeof(nway) },
	{ PFM_FL_INHERIT_ALL, PFM_HIST_NAME, &hist, sizeof(hist) },
	{ PFM_FL_SYSTEM_WIDE, PFM_DFL_SMPL_NAME, &linear, sizeof(linear) },
	{ PFM_FL_SYSTEM_WIDE, PFM_NWAY_NAME, &nway, sizeof(nway) },
};

/* Creates the context that wishes[operation->count] describes. */
static int attempt_create(const struct operation *operation)
{
	const struct wish *wish = &wishes[operation->count];
	struct pfm_create create = {
		.context.ctx_flags = wish->flags,
		.format_name = (uintptr_t)wish->format,
		.format_argument = (uintptr_t)wish->argument,
		.format_size = wish->size,
	};

	return to_error(ioctl(fd, PFM_IOC_CREATE_CONTEXT, &create));
}

static void open_anew(void)
{
	close(fd);
	fd = pfm_open_device();
	ck_assert_int_ne(fd, -1);
}

/*
 * Asserts that no buffer exists: a failed call must have freed all buffers, including those that it
 * allocated before the failure.
 */
static void nothing_is_left(void)
{
	ck_assert_uint_eq(read_number(MEM_CUR), 0);
}

#define CREATION(name_, wish)                                                            \
	{                                                                                \
		.name = "create, " name_, .attempt = attempt_create, .undo = open_anew,  \
		.before = nothing_is_left, .count = wish, .allocates = true,             \
		.reason = true                                                           \
	}

static void check_creating(void)
{
	static const struct operation operations[] = {
		CREATION("inherited", 0),
		CREATION("inherited, with default", 1),
		CREATION("inherited, with nway", 2),
		CREATION("inherited, with hist", 3),
		CREATION("system-wide, with default", 4),
		CREATION("system-wide, with nway", 5),
	};

	inject_open();
	close(make_context()); /* loads the PMU's module */
	module_load("perfmon_fmt_nway", "");
	module_load("perfmon_fmt_hist", "");
	fd = pfm_open_device();
	all_must_survive(operations, COUNT(operations));
	nothing_is_left();
	close(fd);
	count_must_be_right(make_context());
}

static void check_creating_with_formats(void)
{
	with_formats(check_creating);
}

FAULT_TEST(creating_with_formats)

/* ---- a context that has copies ---------------------------------------------------------------- */

/* The context monitors this process. Copies of the context monitor the children of the process. */
static struct child outsider;

static uint64_t fork_sleeper(uint64_t unused)
{
	pid_t pid = fork();

	(void)unused;
	if (pid)
		return pid;
	touch_pages(20);
	pause();
	_exit(EXIT_FAILURE);
}

static pid_t sleeper;

/* Loads the context on @outsider, which then makes a child. */
static void load_with_a_copy(void)
{
	load_and_start(fd, outsider.pid);
	sleeper = child_call(&outsider, fork_sleeper, 0);
	wait_until(thread_state(sleeper) == 'S');
	ck_assert_uint_eq(status_of(fd).copies, 1);
}

static uint64_t end_sleeper(uint64_t pid)
{
	kill(pid, SIGKILL);
	return waitpid(pid, NULL, 0);
}

static void without_the_copy(void)
{
	pfm_unload_context(fd);
	child_call(&outsider, end_sleeper, sleeper);
	ck_assert_uint_eq(sessions(), 0);
}

static int attempt_restart_cpu(const struct operation *operation)
{
	(void)operation;
	return to_error(pfm_restart_cpu(fd, 0));
}

static void sampled_family(void)
{
	fd = default_context(PFM_FL_INHERIT_ALL, least_size());
	use_busy_counters(fd);
	write_one(fd, sampling(0, PERIOD));
}

static void sampled_family_anew(void)
{
	child_call(&outsider, end_sleeper, sleeper);
	ck_assert_uint_eq(sessions(), 0);
	sampled_family();
}

/* Loads the context on @outsider, which then fills the buffer of CPU 0. */
static void load_and_fill(void)
{
	header_t header = map_buffer(fd, least_size());
	uint64_t before = header->hdr_overflows;

	child_call(&outsider, child_pin, 0);
	load_and_start(fd, outsider.pid);
	child_busy(&outsider);
	wait_until(header->hdr_overflows > before);
	child_rest(&outsider);
	munmap((void *)header, least_size());
}

#define WITH_A_COPY(name_, function)                                                     \
	{                                                                                \
		.name = name_ " with a copy", .attempt = function,                       \
		.undo = without_the_copy, .before = load_with_a_copy,                    \
		.count = PFM_PMD_MINOR_FAULTS                                            \
	}

static void check_calls(void)
{
	static const struct operation operations[] = {
		{ .name = "load, inherited",
		  .attempt = attempt_load,
		  .undo = unload,
		  .reason = true },
		WITH_A_COPY("start", attempt_start),
		WITH_A_COPY("stop", attempt_stop),
		WITH_A_COPY("read", attempt_read_pmd),
		WITH_A_COPY("status", attempt_status),
		WITH_A_COPY("statistics", attempt_statistics),
		WITH_A_COPY("unload", attempt_unload),
		{ .name = "close with a copy",
		  .attempt = attempt_close,
		  .undo = sampled_family_anew,
		  .before = load_with_a_copy },
		{ .name = "restart_cpu, no full buffer",
		  .attempt = attempt_restart_cpu,
		  .normally = EBUSY },
	};
	static const struct operation full = { .name = "restart_cpu, a full buffer",
					       .attempt = attempt_restart_cpu,
					       .undo = unload,
					       .before = load_and_fill };

	inject_open();
	outsider = child_new();
	load_target = outsider.pid;
	sampled_family();
	all_must_survive(operations, COUNT(operations));
	need_overflow_interrupts();
	must_survive(&full);
	child_exit(&outsider);
	close(fd);
	nothing_is_left();
	count_must_be_right(make_context());
}

FAULT_TEST(calls)

/* ---- copies --------------------------------------------------------------------------------- */

static unsigned int followed, not_followed;

/*
 * Loads the context again. After a load the context has no idle copies, so the fork has to allocate
 * a copy.
 */
static void load_self(void)
{
	must(fd, pfm_unload_context(fd));
	load_and_start(fd, thread_id());
}

/*
 * If there is no memory for a copy, the child is not monitored, and the statistic not_followed
 * counts the child.
 */
static void must_be_followed_or_told(int error)
{
	struct pfm_statistics statistics = {};

	if (error) {
		ck_assert_uint_eq(status_of(fd).copies, 0);
		return;
	}
	ck_assert_int_gt(waitpid(-1, NULL, 0), 0);
	must(fd, pfm_get_statistics(fd, &statistics));
	ck_assert_uint_eq(statistics.copies + statistics.not_followed, 1);
	ck_assert_uint_eq(status_of(fd).not_followed, statistics.not_followed);
	ck_assert_uint_eq(status_of(fd).copies, 0);
	if (statistics.copies)
		ck_assert_uint_ge(read_pmd(fd, PFM_PMD_MINOR_FAULTS), FORK_PAGES);
	followed += statistics.copies;
	not_followed += statistics.not_followed;
}

static void check_forks(void)
{
	static const struct operation operation = {
		.name = "fork of a monitored process",
		.attempt = attempt_fork,
		.before = load_self,
		.verify = must_be_followed_or_told,
		.foreign = "the child has no copy, or the kernel returns EAGAIN",
		.once = true,
	};

	inject_open();
	sampled_family();
	must_survive(&operation);
	ck_assert_uint_gt(followed, 0);
	ck_assert_uint_gt(not_followed, 0);
	close(fd);
	count_must_be_right(make_context());
}

FAULT_TEST(forks)

/* ---- system-wide contexts ------------------------------------------------------------------------ */

static void load_cpu(void)
{
	load(fd, 0);
}

static void load_and_start_cpu(void)
{
	load_and_start(fd, 0);
}

/* Fills the buffer, so that monitoring is masked. */
static void overflow_cpu(void)
{
	write_one(fd, sampling(0, PERIOD));
	load_and_start_cpu();
	spin_until_masked(fd);
}

static void cpu_context(void)
{
	fd = default_context(PFM_FL_SYSTEM_WIDE, least_size());
	program_busy_counter(fd, pmu()->pmds[0]);
	write_one(fd, sampling(0, PERIOD));
	write_pmd(fd, PFM_PMD_TASK_CLOCK, 0);
}

static void check_cpus(void)
{
	static const struct operation operations[] = {
		{ .name = "load, a CPU",
		  .verify = must_be_loaded_or_not,
		  .attempt = attempt_load,
		  .undo = unload,
		  .reason = true },
		{ .name = "start, a CPU",
		  .verify = must_be_loaded_or_not,
		  .attempt = attempt_start,
		  .undo = unload,
		  .before = load_cpu },
		{ .name = "stop, a CPU",
		  .verify = must_be_loaded_or_not,
		  .attempt = attempt_stop,
		  .undo = unload,
		  .before = load_and_start_cpu },
		{ .name = "statistics, a CPU",
		  .verify = must_be_loaded_or_not,
		  .attempt = attempt_statistics,
		  .undo = unload,
		  .before = load_and_start_cpu },
		{ .name = "unload, a CPU",
		  .verify = must_be_loaded_or_not,
		  .attempt = attempt_unload,
		  .before = load_and_start_cpu },
		{ .name = "close, a CPU",
		  .verify = must_be_loaded_or_not,
		  .attempt = attempt_close,
		  .undo = cpu_context,
		  .before = load_and_start_cpu },
		{ .name = "restart, a masked context on a CPU",
		  .verify = must_be_loaded_or_not,
		  .attempt = attempt_restart,
		  .undo = unload,
		  .before = overflow_cpu },
	};

	need_overflow_interrupts();
	inject_open();
	pin(0);
	load_target = 0;
	cpu_context();
	all_must_survive(operations, COUNT(operations));
	close(fd);
	nothing_is_left();
	count_must_be_right(make_context());
}

FAULT_TEST(cpus)
