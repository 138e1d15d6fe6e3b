// SPDX-License-Identifier: GPL-2.0-only
/*
 * Like call_faults.c, this suite lets every allocation fail in turn. The operations here are kernel
 * operations that affect contexts or modules: a process forks, executes a program or exits; a file
 * is read or written; a CPU goes offline or online; a module is loaded or unloaded.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "attempts.h"
#include "measure.h"

SUITE(system_faults, 1200);

/* ---- processes --------------------------------------------------------------------------------- */

static void reap(void)
{
	ck_assert_int_gt(waitpid(-1, NULL, 0), 0);
}

/*
 * Returns 0, the errno of the exec, or EOWNERDEAD if the exec failed so late that the kernel killed
 * the process.
 */
static int attempt_exec(const struct operation *operation)
{
	uint64_t result;

	(void)operation;
	child_begin(&child, child_do_exec, 0);
	if (read(child.results, &result, sizeof(result)) == sizeof(result))
		return result;
	wait_until(thread_state(child.pid) == 'Z');
	return EOWNERDEAD;
}

static uint64_t leave(uint64_t unused)
{
	(void)unused;
	_exit(EXIT_SUCCESS);
}

static int attempt_exit(const struct operation *operation)
{
	(void)operation;
	child_begin(&child, leave, 0);
	wait_until(thread_state(child.pid) == 'Z');
	return 0;
}

/*
 * If the child has not ended, it must still be monitored, and its events must be counted. If the
 * child has ended, its end must be reported.
 */
static void must_be_watched_or_ended(int error)
{
	uint64_t faults;

	(void)error;
	if (thread_state(child.pid) != 'Z') {
		ck_assert_uint_eq(status_of(fd).target, child.pid);
		faults = read_pmd(fd, PFM_PMD_MINOR_FAULTS);
		child_call(&child, child_work, 20);
		ck_assert_uint_ge(read_pmd(fd, PFM_PMD_MINOR_FAULTS), faults + 20);
		child_begin(&child, leave, 0);
	}
	must_end(fd);
	ck_assert_uint_eq(status_of(fd).state, PFM_STATE_UNLOADED);
	ck_assert_uint_eq(sessions(), 0);
	ck_assert_int_eq(waitpid(child.pid, NULL, 0), child.pid);
	close(child.commands);
	close(child.results);
	count_must_be_right(fd);
	close(fd);
}

static void check_processes(void)
{
	static const char fork_why[] = "the kernel returns EAGAIN, or has a fallback";
	static const char exec_why[] =
		"the exec fails with E2BIG if it cannot copy the arguments; "
		"page faults of the new program are repeated; after the "
		"point of no return the kernel kills the process";
	static const struct operation operations[] = {
		{ .name = "fork",
		  .attempt = attempt_fork,
		  .undo = reap,
		  .foreign = fork_why,
		  .once = true },
		{ .name = "exec of a monitored process",
		  .attempt = attempt_exec,
		  .before = watch_new_child,
		  .verify = must_be_watched_or_ended,
		  .foreign = exec_why,
		  .once = true,
		  .process = &child.pid },
		{ .name = "exit of a monitored process",
		  .attempt = attempt_exit,
		  .before = watch_new_child,
		  .verify = must_be_watched_or_ended,
		  .once = true,
		  .process = &child.pid },
	};

	inject_open();
	fd = busy_context();
	must_survive(&operations[0]);
	close(fd);
	must_survive(&operations[1]);
	must_survive(&operations[2]);
}
FAULT_TEST(processes)

/* ---- files ---------------------------------------------------------------------------- */

static const char *file;

/* The value of the sysfs file "debug" that enables the static branch for time measurements. */
#define MEASURE_TIMES "4"

static int attempt_read_file(const struct operation *operation)
{
	int opened = open(file, O_RDONLY | O_CLOEXEC);
	char text[64];
	int error;

	(void)operation;
	if (opened == -1)
		return errno;
	error = to_error(read(opened, text, sizeof(text)));
	close(opened);
	return error;
}

static int attempt_write_file(const struct operation *operation)
{
	(void)operation;
	return try_write_text(file, MEASURE_TIMES);
}

static void read_sysfs(void)
{
	file = SYSFS "arg_mem_max";
}

static void read_description(void)
{
	file = SYSFS "pmu_desc/pmd0/name";
}

static void read_debugfs(void)
{
	file = DEBUGFS "cpu0/ctxswin_count";
}

static void write_reset_stats(void)
{
	file = SYSFS "reset_stats";
}

static void write_debug(void)
{
	write_text(SYSFS "debug", "0");
	file = SYSFS "debug";
}

static void debug_must_be(int error)
{
	ck_assert_str_eq(read_text(SYSFS "debug"), error ? "0\n" : MEASURE_TIMES "\n");
	write_text(SYSFS "debug", "0");
}

static void check_files(void)
{
	static const struct operation operations[] = {
		{ .name = "read of sysfs",
		  .attempt = attempt_read_file,
		  .before = read_sysfs },
		{ .name = "read of pmu_desc",
		  .attempt = attempt_read_file,
		  .before = read_description },
		{ .name = "read of debugfs",
		  .attempt = attempt_read_file,
		  .before = read_debugfs },
		{ .name = "write to reset_stats",
		  .attempt = attempt_write_file,
		  .before = write_reset_stats },
		{ .name = "write to debug",
		  .attempt = attempt_write_file,
		  .before = write_debug,
		  .verify = debug_must_be },
	};

	inject_open();
	fd = busy_context();
	all_must_survive(operations, COUNT(operations));
	count_must_be_right(fd);
}
FAULT_TEST(files)

/* ---- CPUs ------------------------------------------------------------------------ */

static int cpu_fd;

static int attempt_cpu(const struct operation *operation)
{
	const char digit = '0' + operation->count;

	return to_error(pwrite(cpu_fd, &digit, 1, 0));
}

/* Brings CPU 1 online if it is offline, and pins the monitored thread to it. */
static void cpu_up(void)
{
	if (cpus_online() == 1)
		cpu_online(1, true);
	child_call(&child, child_pin, 1);
}

static void cpu_down(void)
{
	if (cpus_online() == 2)
		cpu_online(1, false);
}

static void must_count_on(int error)
{
	uint64_t faults = read_pmd(fd, PFM_PMD_MINOR_FAULTS);

	(void)error;
	child_call(&child, child_work, 20);
	ck_assert_uint_ge(read_pmd(fd, PFM_PMD_MINOR_FAULTS), faults + 20);
	ck_assert_uint_eq(status_of(fd).state, PFM_STATE_LOADED);
}

static void check_cpus(void)
{
	static const char why[] =
		"if an allocation fails, the kernel's callbacks continue, or return EAGAIN";
	static const struct operation operations[] = {
		{ .name = "a CPU goes offline",
		  .attempt = attempt_cpu,
		  .before = cpu_up,
		  .verify = must_count_on,
		  .foreign = why,
		  .once = true,
		  .count = 0 },
		{ .name = "a CPU comes online",
		  .attempt = attempt_cpu,
		  .before = cpu_down,
		  .verify = must_count_on,
		  .foreign = why,
		  .once = true,
		  .count = 1 },
	};

	if (cpus_online() != 2)
		skip("not 2 CPUs");
	inject_open();
	cpu_fd = open("/sys/devices/system/cpu/cpu1/online", O_WRONLY | O_CLOEXEC);
	ck_assert_int_ne(cpu_fd, -1);
	watch_new_child();
	all_must_survive(operations, COUNT(operations));
	cpu_up();
	count_must_be_right(fd);
}
FAULT_TEST(cpus)

/* ---- modules -------------------------------------------------------------------------- */

static int module_fd = -1;

static void open_module(const char *name)
{
	close(module_fd);
	module_fd = open(module_path(name), O_RDONLY | O_CLOEXEC);
	ck_assert_int_ne(module_fd, -1);
}

static int attempt_load_module(const struct operation *operation)
{
	(void)operation;
	return to_error(syscall(SYS_finit_module, module_fd, "", 0));
}

static int attempt_unload_core(const struct operation *operation)
{
	(void)operation;
	return module_unload("perfmon");
}

/* The test finds the name before the attempts, because the search allocates memory. */
static const char *pmu_name;

static int attempt_unload_pmu(const struct operation *operation)
{
	(void)operation;
	return module_unload(pmu_name);
}

static void no_core(void)
{
	if (module_is_loaded("perfmon"))
		must_do(module_unload("perfmon"), "unloading", "perfmon");
}

static void with_core(void)
{
	if (!module_is_loaded("perfmon"))
		must_do(module_load("perfmon", ""), "loading", "perfmon");
}

static void with_core_and_pmu(void)
{
	with_core();
	if (!module_is_loaded(best_pmu_module()))
		must_do(module_load(best_pmu_module(), ""), "loading", best_pmu_module());
}

static void without_pmu(void)
{
	if (module_is_loaded(best_pmu_module()))
		must_do(module_unload(best_pmu_module()), "unloading", best_pmu_module());
}

static void must_exist(const char *path, bool wanted)
{
	ck_assert_msg(path_exists(path) == wanted, "%s%s is %s", subject, path,
		      wanted ? "missing" : "still there");
}

/* Checks that either all parts of the core are registered or none. */
static void core_must_be_whole(int error)
{
	bool loaded = module_is_loaded("perfmon");

	(void)error;
	must_exist(SYSFS "debug", loaded);
	must_exist(PFM_DEVICE, loaded);
	if (!loaded) {
		must_exist(SYSFS, false);
		must_exist("/sys/class/misc/perfmon", false);
		must_exist(DEBUGFS, false);
	}
}

/* The path of a sysfs file that describes one PMD of the hardware. */
static char a_pmd[64];

static void pmu_must_be_whole(int error)
{
	bool loaded = module_is_loaded(best_pmu_module());

	(void)error;
	must_exist(SYSFS "pmu_desc/model", loaded);
	must_exist(a_pmd, loaded);
	must_exist(SYSFS "pmu_desc/pmd261/width", loaded);
	if (!loaded)
		must_exist(SYSFS "pmu_desc", false);
	ck_assert_int_eq(module_users("perfmon"), loaded);
}

static const char optional_why[] =
	"statistics, uevents and a module's section files in sysfs are optional";

static void check_modules(void)
{
	static const struct operation core[] = {
		/* the core allocates its private mount of proc, its sysfs files and its device */
		{ .name = "load of the core",
		  .attempt = attempt_load_module,
		  .before = no_core,
		  .verify = core_must_be_whole,
		  .allocates = true,
		  .absorbed = optional_why },
		{ .name = "unload of the core",
		  .attempt = attempt_unload_core,
		  .before = with_core,
		  .verify = core_must_be_whole,
		  .absorbed = optional_why },
	};

	inject_open();
	without_pmu();
	open_module("perfmon");
	all_must_survive(core, COUNT(core));
	with_core_and_pmu();
	count_must_be_right(make_context());
}
FAULT_TEST(modules)

static void check_pmu_modules(void)
{
	static const struct operation operations[] = {
		{ .name = "load of the PMU",
		  .attempt = attempt_load_module,
		  .before = without_pmu,
		  .verify = pmu_must_be_whole,
		  .allocates = true,
		  .absorbed = optional_why },
		{ .name = "unload of the PMU",
		  .attempt = attempt_unload_pmu,
		  .before = with_core_and_pmu,
		  .verify = pmu_must_be_whole,
		  .absorbed = optional_why },
	};

	inject_open();
	snprintf(a_pmd, sizeof(a_pmd), SYSFS "pmu_desc/pmd%u/width", pmu()->pmds[0]);
	pmu_name = best_pmu_module();
	open_module(pmu_name);
	all_must_survive(operations, COUNT(operations));
	with_core_and_pmu();
	count_must_be_right(make_context());
}
FAULT_TEST(pmu_modules)
