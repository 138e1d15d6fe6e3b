// SPDX-License-Identifier: GPL-2.0-only
/*
 * Modules that come and go, and what /sys/kernel/perfmon and debugfs tell.
 *
 * Each test that unloads modules loads the best PMU again at its end; when it
 * fails before that, the next first use does.
 */
#include <stdio.h>
#include <sys/klog.h>
#include <sys/stat.h>

#include "guest.h"

SUITE(registry, 60);

#define NO_INDEX PFM_NO_INDEX

static void must_load(const char *name)
{
	int error = module_load(name, "");

	ck_assert_msg(!error, "loading %s: %s", name, strerror(error));
}

static void must_unload(const char *name)
{
	int error = module_unload(name);

	ck_assert_msg(!error, "unloading %s: %s", name, strerror(error));
}

/* delete_module() with O_NONBLOCK; EAGAIN is "in use", EBUSY something else. */
static void must_not_unload(const char *name)
{
	int error = module_unload(name);

	ck_assert_msg(error == EAGAIN, "unloading %s: %s", name,
		      error ? strerror(error) : "done");
}

/* No PMU is loaded from here on. */
static void unload_pmu(void)
{
	must_unload(pmu_module());
	pmu_forget();
}

static struct pfm_info info_now(void)
{
	struct pfm_info info;
	int fd = pfm_open_device();

	ck_assert_int_ne(fd, -1);
	must(fd, pfm_get_info(fd, &info));
	close(fd);
	return info;
}

/* ---- modules ---------------------------------------------------------------------- */

TEST(the_first_context_loads_the_best_pmu)
{
	int fd;

	unload_pmu();
	fd = make_context();
	ck_assert_msg(module_is_loaded(best_pmu_module()), "%s is not loaded",
		      best_pmu_module());
	ck_assert_str_eq(pmu_module(), best_pmu_module());
	count_must_be_right(fd);
}

TEST(asking_for_information_loads_the_best_pmu)
{
	unload_pmu();
	ck_assert_str_eq(pmu_module(), best_pmu_module());
	ck_assert(module_is_loaded(best_pmu_module()));
}

TEST(an_ordinary_users_first_context_loads_the_best_pmu)
{
	unload_pmu();
	become(USER_ID);
	count_must_be_right(make_context());
	ck_assert_str_eq(pmu_module(), best_pmu_module());
}

static const char *const pmu_modules[] = { "perfmon_armv8", "perfmon_power",
					   "perfmon_intel", "perfmon_amd",
					   "perfmon_soft" };

/* modprobe does not find it. */
static void hide(const char *name, bool hidden)
{
	char path[256], other[300];

	snprintf(path, sizeof(path), "%s", module_path(name));
	snprintf(other, sizeof(other), "%s.hidden", path);
	if (rename(hidden ? path : other, hidden ? other : path) && errno != ENOENT)
		ck_abort_msg("%s: %s", path, strerror(errno));
}

static void hide_all(bool hidden)
{
	size_t i;

	for (i = 0; i < COUNT(pmu_modules); i++)
		hide(pmu_modules[i], hidden);
}

TEST(a_machine_without_its_pmu_gets_the_software_pmu)
{
	struct pfm_info info;
	size_t i;
	int fd;

	unload_pmu();
	for (i = 0; i < COUNT(pmu_modules) - 1; i++)
		hide(pmu_modules[i], true);
	info = info_now();
	hide_all(false);
	ck_assert_str_eq(info.pmu_name, "soft");
	fd = make_context();
	count_must_be_right(fd);
	close(fd);
	unload_pmu();
	must_load(best_pmu_module());
}

TEST(without_any_pmu_create_is_enosys_and_information_says_none)
{
	struct pfm_create create = {};
	pfarg_ctx_t ctx = {};
	struct pfm_info info;
	struct pfm_error error = {};
	int fd = pfm_open_device(), result, library_result, library_error;

	unload_pmu();
	hide_all(true);
	result = ioctl(fd, PFM_IOC_CREATE_CONTEXT, &create);
	pfm_get_error(fd, &error);
	library_result = pfm_create_context(&ctx, NULL, NULL, 0);
	library_error = errno;
	info = info_now();
	hide_all(false);

	ck_assert_int_eq(result, -1);
	ck_assert_int_eq(error.error, ENOSYS);
	ck_assert_uint_eq(error.reason, PFM_REASON_NO_PMU);
	ck_assert_int_eq(library_result, -1);
	ck_assert_int_eq(library_error, ENOSYS);
	ck_assert_ptr_ne(strstr(sentence(-1), "no PMU description"), NULL);
	ck_assert_str_eq(info.pmu_name, "");
	ck_assert_str_eq(info.pmu_model, "");
	ck_assert_uint_eq(info.version, PFM_VERSION);
	ck_assert(!path_exists(SYSFS "pmu_desc"));
	/* and the same descriptor works when there is one */
	must(fd, ioctl(fd, PFM_IOC_CREATE_CONTEXT, &create));
	count_must_be_right(fd);
}

TEST(a_second_pmu_is_refused)
{
	if (!strcmp(best_pmu_module(), "perfmon_soft"))
		skip("only the software PMU fits this machine");
	ck_assert_int_eq(module_load("perfmon_soft", ""), EBUSY);
	ck_assert_str_eq(pmu_module(), best_pmu_module());
	count_must_be_right(make_context());
}

TEST(a_pmu_in_use_cannot_be_unloaded)
{
	int fd = make_context();

	must_not_unload(pmu_module());
	count_must_be_right(fd);
	close(fd);
	unload_pmu();
	must_load(best_pmu_module());
	count_must_be_right(make_context());
}

TEST(an_open_descriptor_without_context_does_not_hold_the_pmu)
{
	int fd = pfm_open_device();

	unload_pmu();
	close(fd);
	must_load(best_pmu_module());
}

TEST(the_core_cannot_be_unloaded_while_open_or_with_a_pmu)
{
	int fd = pfm_open_device();

	must_not_unload("perfmon");
	unload_pmu();
	must_not_unload("perfmon");
	close(fd);
	must_unload("perfmon");
	ck_assert(!path_exists(SYSFS));
	ck_assert(!path_exists(PFM_DEVICE));
	must_load("perfmon");
	must_load(best_pmu_module());
	count_must_be_right(make_context());
}

TEST(without_the_core_create_is_enosys_and_says_what_to_do)
{
	pfarg_ctx_t ctx = {};
	int result, error;

	unload_pmu();
	must_unload("perfmon");
	result = pfm_create_context(&ctx, NULL, NULL, 0);
	error = errno;
	must_load("perfmon");
	must_load(best_pmu_module());
	ck_assert_int_eq(result, -1);
	ck_assert_msg(error == ENOSYS, "%s", strerror(error));
	ck_assert_ptr_ne(strstr(sentence(-1), "modprobe perfmon"), NULL);
}

TEST(the_pmu_can_be_changed_between_contexts)
{
	int fd = make_context(), turn;

	count_must_be_right(fd);
	close(fd);
	for (turn = 0; turn < 3; turn++) {
		unload_pmu();
		must_load("perfmon_soft");
		ck_assert(pmu_is("soft"));
		fd = make_context();
		count_must_be_right(fd);
		close(fd);
		unload_pmu();
		must_load(best_pmu_module());
		fd = make_context();
		count_must_be_right(fd);
		close(fd);
	}
}

TEST(the_software_pmu_refuses_an_impossible_width)
{
	unload_pmu();
	ck_assert_int_eq(module_load("perfmon_soft", "counter_width=15"), EINVAL);
	ck_assert_int_eq(module_load("perfmon_soft", "counter_width=65"), EINVAL);
	must_load(best_pmu_module());
}

TEST(a_narrower_software_pmu_says_so_and_counts_as_well)
{
	int fd;

	unload_pmu();
	ck_assert_int_eq(module_load("perfmon_soft", "counter_width=20"), 0);
	ck_assert_uint_eq(read_number(SYSFS "pmu_desc/pmd0/width"), 20);
	fd = make_context();
	count_must_be_right(fd);
	close(fd);
	unload_pmu();
	must_load(best_pmu_module());
}

/* ---- information -------------------------------------------------------------------- */

TEST(information_agrees_with_sysfs)
{
	struct pfm_info info = info_now();
	char model[sizeof(info.pmu_model) + 1];

	ck_assert_uint_eq(info.version, PFM_VERSION);
	ck_assert_uint_eq(info.arg_mem_max, read_number(SYSFS "arg_mem_max"));
	snprintf(model, sizeof(model), "%s\n", info.pmu_model);
	ck_assert_str_eq(read_text(SYSFS "pmu_desc/model"), model);
	ck_assert_uint_eq(info.features & (PFM_FEATURE_PER_THREAD | PFM_FEATURE_EMUL64 |
					   PFM_FEATURE_VIRTUAL),
			  PFM_FEATURE_PER_THREAD | PFM_FEATURE_EMUL64 |
				  PFM_FEATURE_VIRTUAL);
	ck_assert_uint_ge(info.message_queue_depth, 8);
	ck_assert_uint_ge(info.max_sets, 1);
}

static bool has(const uint64_t *map, unsigned int n)
{
	return map[n / 64] >> (n % 64) & 1;
}

TEST(what_is_available_and_counts_is_implemented)
{
	struct pfm_info info = info_now();
	unsigned int n;

	for (n = 0; n < PFM_MAX_PMDS; n++) {
		if (has(info.available_pmcs, n))
			ck_assert_msg(has(info.implemented_pmcs, n), "PMC %u", n);
		if (has(info.available_pmds, n) || has(info.counter_pmds, n))
			ck_assert_msg(has(info.implemented_pmds, n), "PMD %u", n);
	}
	for (n = PFM_PMD_TASK_CLOCK; n <= PFM_PMD_CPU; n++)
		ck_assert_msg(has(info.available_pmds, n), "PMD %u", n);
}

/* ---- /sys/kernel/perfmon --------------------------------------------------------------- */

TEST(the_version_is_2_8)
{
	ck_assert_str_eq(read_text(SYSFS "version"), "2.8\n");
}

TEST(settings_have_their_defaults_and_formats)
{
	char page[32];

	snprintf(page, sizeof(page), "%ld\n", sysconf(_SC_PAGESIZE));
	ck_assert_str_eq(read_text(SYSFS "arg_mem_max"), page);
	ck_assert_str_eq(read_text(SYSFS "task_group"), "-1\n");
	ck_assert_str_eq(read_text(SYSFS "sys_group"), "-1\n");
	ck_assert_str_eq(read_text(SYSFS "task_sessions_count"), "0\n");
	ck_assert_str_eq(read_text(SYSFS "sys_sessions_count"), "0\n");
	ck_assert_str_eq(read_text(SYSFS "reset_stats"), "0\n");
	ck_assert_str_eq(read_text(SYSFS "debug"), "0\n");
	ck_assert_str_eq(read_text(SYSFS "smpl_buffer_mem_cur"), "0\n");
	ck_assert_str_eq(read_text(SYSFS "smpl_buffer_mem_max"),
			 "18446744073709551615\n");
	ck_assert_uint_gt(read_number(SYSFS "max_interrupts_per_tick"), 0);
}

TEST(files_have_the_modes_of_the_api)
{
	static const struct {
		const char *path;
		mode_t mode;
	} files[] = {
		{ SYSFS "version", 0444 },
		{ SYSFS "task_sessions_count", 0444 },
		{ SYSFS "sys_sessions_count", 0444 },
		{ SYSFS "arg_mem_max", 0644 },
		{ SYSFS "sys_group", 0644 },
		{ SYSFS "task_group", 0644 },
		{ SYSFS "reset_stats", 0644 },
		{ SYSFS "debug", 0644 },
		{ SYSFS "smpl_buffer_mem_cur", 0444 },
		{ SYSFS "smpl_buffer_mem_max", 0644 },
		{ SYSFS "max_interrupts_per_tick", 0644 },
		{ SYSFS "formats/default/version", 0444 },
		{ SYSFS "formats/default/uuid", 0444 },
		{ SYSFS "pmu_desc/model", 0444 },
		{ SYSFS "pmu_desc/pmc0/name", 0444 },
		{ SYSFS "pmu_desc/pmd0/width", 0444 },
	};
	struct stat status;
	size_t i;

	for (i = 0; i < COUNT(files); i++) {
		ck_assert_msg(stat(files[i].path, &status) == 0, "%s: %s", files[i].path,
			      strerror(errno));
		ck_assert_msg((status.st_mode & 07777) == files[i].mode, "%s: %o",
			      files[i].path, status.st_mode & 07777);
	}
}

TEST(bad_settings_are_einval_and_change_nothing)
{
	static const struct {
		const char *path;
		const char *text;
	} bad[] = {
		{ SYSFS "arg_mem_max", "0\n" },
		{ SYSFS "arg_mem_max", "1023\n" },
		{ SYSFS "arg_mem_max", "-1\n" },
		{ SYSFS "arg_mem_max", "many\n" },
		{ SYSFS "arg_mem_max", "\n" },
		{ SYSFS "arg_mem_max", "65536 x\n" },
		{ SYSFS "task_group", "-2\n" },
		{ SYSFS "task_group", "root\n" },
		{ SYSFS "task_group", "1 2\n" },
		{ SYSFS "task_group", "\n" },
		{ SYSFS "sys_group", "-2\n" },
		{ SYSFS "sys_group", "root\n" },
		{ SYSFS "debug", "2\n" },
		{ SYSFS "debug", "8\n" },
		{ SYSFS "debug", "-1\n" },
		{ SYSFS "debug", "all\n" },
		{ SYSFS "smpl_buffer_mem_max", "0\n" },
		{ SYSFS "smpl_buffer_mem_max", "4095\n" },
		{ SYSFS "smpl_buffer_mem_max", "-1\n" },
		{ SYSFS "smpl_buffer_mem_max", "all\n" },
		{ SYSFS "max_interrupts_per_tick", "0\n" },
		{ SYSFS "max_interrupts_per_tick", "-1\n" },
		{ SYSFS "max_interrupts_per_tick", "few\n" },
	};
	char before[32];
	size_t i;
	int error;

	for (i = 0; i < COUNT(bad); i++) {
		strcpy(before, read_text(bad[i].path));
		error = try_write_text(bad[i].path, bad[i].text);
		ck_assert_msg(error == EINVAL, "\"%s\" to %s: %s", bad[i].text,
			      bad[i].path, strerror(error));
		ck_assert_str_eq(read_text(bad[i].path), before);
	}
}

TEST(a_number_too_large_is_erange)
{
	ck_assert_int_eq(try_write_text(SYSFS "task_group", "4294967296\n"), ERANGE);
	ck_assert_int_eq(try_write_text(SYSFS "arg_mem_max",
					"99999999999999999999999999\n"),
			 ERANGE);
}

static void must_be_a_page_at_least(const char *path)
{
	long page = sysconf(_SC_PAGESIZE);
	char text[32], before[32];

	strcpy(before, read_text(path));
	snprintf(text, sizeof(text), "%ld\n", page - 1);
	ck_assert_int_eq(try_write_text(path, text), EINVAL);
	ck_assert_str_eq(read_text(path), before);
	snprintf(text, sizeof(text), "%ld\n", page);
	write_text(path, text);
	ck_assert_str_eq(read_text(path), text);
	write_text(path, before);
}

TEST(limits_of_memory_below_a_page_are_einval)
{
	must_be_a_page_at_least(SYSFS "arg_mem_max");
	must_be_a_page_at_least(SYSFS "smpl_buffer_mem_max");
}

TEST(settings_can_be_written_and_read_back)
{
	write_text(SYSFS "task_group", "0\n");
	ck_assert_str_eq(read_text(SYSFS "task_group"), "0\n");
	write_text(SYSFS "task_group", "-1");
	ck_assert_str_eq(read_text(SYSFS "task_group"), "-1\n");
	write_text(SYSFS "sys_group", "12\n");
	ck_assert_str_eq(read_text(SYSFS "sys_group"), "12\n");
	write_text(SYSFS "sys_group", "-1\n");
	ck_assert_str_eq(read_text(SYSFS "sys_group"), "-1\n");
}

TEST(what_is_read_only_cannot_be_written)
{
	static const char *const files[] = { SYSFS "version",
					     SYSFS "task_sessions_count",
					     SYSFS "sys_sessions_count",
					     SYSFS "smpl_buffer_mem_cur",
					     SYSFS "formats/default/version",
					     SYSFS "pmu_desc/model",
					     SYSFS "pmu_desc/pmc0/dfl_val" };
	size_t i;

	for (i = 0; i < COUNT(files); i++)
		ck_assert_msg(try_write_text(files[i], "1\n") == EACCES, "%s", files[i]);
}

/* ---- pmu_desc ------------------------------------------------------------------------------ */

static const char *register_file(const char *kind, unsigned int n, const char *file)
{
	static char path[128];

	snprintf(path, sizeof(path), SYSFS "pmu_desc/%s%u/%s", kind, n, file);
	return path;
}

static void must_be_hexadecimal(const char *path)
{
	const char *text = read_text(path);
	size_t digits = strspn(text + 2, "0123456789abcdef");

	ck_assert_msg(!strncmp(text, "0x", 2) && digits > 0 &&
			      !strcmp(text + 2 + digits, "\n"),
		      "%s: \"%s\"", path, text);
}

static void check_register(const char *kind, unsigned int n)
{
	const char *name = read_text(register_file(kind, n, "name"));
	uint64_t width;

	ck_assert_msg(strlen(name) > 1 && strchr(name, '\n') == name + strlen(name) - 1,
		      "%s%u: \"%s\"", kind, n, name);
	must_be_hexadecimal(register_file(kind, n, "dfl_val"));
	must_be_hexadecimal(register_file(kind, n, "rsvd_msk"));
	must_be_hexadecimal(register_file(kind, n, "addr"));
	width = read_number(register_file(kind, n, "width"));
	ck_assert_msg(width >= 1 && width <= 64, "%s%u: width %ju", kind, n,
		      (uintmax_t)width);
}

TEST(every_register_has_a_description_and_nothing_else_has)
{
	struct pfm_info info = info_now();
	unsigned int n;

	for (n = 0; n < PFM_MAX_PMDS; n++) {
		if (has(info.implemented_pmcs, n))
			check_register("pmc", n);
		else
			ck_assert_msg(!path_exists(register_file("pmc", n, "")), "pmc%u",
				      n);
		if (has(info.implemented_pmds, n))
			check_register("pmd", n);
		else
			ck_assert_msg(!path_exists(register_file("pmd", n, "")), "pmd%u",
				      n);
	}
}

TEST(the_description_goes_with_the_pmu)
{
	unload_pmu();
	ck_assert(!path_exists(SYSFS "pmu_desc"));
	must_load(best_pmu_module());
	ck_assert(path_exists(SYSFS "pmu_desc/pmc0"));
}

/* ---- statistics ------------------------------------------------------------------------------ */

static uint64_t statistic(unsigned int cpu, const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), DEBUGFS "cpu%u/%s", cpu, name);
	return read_number(path);
}

TEST(each_cpu_has_statistics)
{
	static const char *const names[] = {
		"ovfl_intr_all_count",
		"ovfl_intr_regular_count",
		"ovfl_intr_spurious_count",
		"ovfl_intr_nmi_count",
		"ovfl_intr_ns",
		"ovfl_intr_replay_count",
		"ctxswin_count",
		"ctxswin_ns",
		"ctxswout_count",
		"ctxswout_ns",
	};
	unsigned int cpu;
	size_t i;

	for (cpu = 0; cpu < cpus_online(); cpu++)
		for (i = 0; i < COUNT(names); i++)
			statistic(cpu, names[i]);
}

TEST(switches_of_watched_threads_are_counted_where_they_happen)
{
	const unsigned int cpu = cpus_online() - 1, turns = 20;
	struct child child = child_new();
	uint64_t in, out;
	unsigned int turn;

	child_call(&child, child_pin, cpu);
	busy_context_on(child.pid);
	in = statistic(cpu, "ctxswin_count");
	out = statistic(cpu, "ctxswout_count");
	for (turn = 0; turn < turns; turn++) {
		child_call(&child, child_work, 1); /* wakes, and sleeps again */
		wait_until(thread_state(child.pid) == 'S');
	}
	in = statistic(cpu, "ctxswin_count") - in;
	out = statistic(cpu, "ctxswout_count") - out;
	ck_assert_msg(in >= turns && out >= turns, "%ju in, %ju out", (uintmax_t)in,
		      (uintmax_t)out);
}

TEST(switches_of_other_threads_are_not_counted)
{
	struct child child = child_new(), idle = child_new();
	unsigned int cpu, turn;
	uint64_t before[64] = {}, all = 0;

	wait_until(thread_state(idle.pid) == 'S');
	busy_context_on(idle.pid);
	for (cpu = 0; cpu < cpus_online(); cpu++)
		before[cpu] = statistic(cpu, "ctxswin_count");
	for (turn = 0; turn < 50; turn++)
		child_call(&child, child_work, 1);
	for (cpu = 0; cpu < cpus_online(); cpu++)
		all += statistic(cpu, "ctxswin_count") - before[cpu];
	ck_assert_uint_eq(all, 0);
}

TEST(reset_stats_puts_statistics_at_zero)
{
	const unsigned int cpu = 0;
	struct child child = child_new();

	child_call(&child, child_pin, cpu);
	busy_context_on(child.pid);
	child_call(&child, child_work, 1);
	wait_until(thread_state(child.pid) == 'S');
	ck_assert_uint_gt(statistic(cpu, "ctxswin_count"), 0);
	write_text(SYSFS "reset_stats", "0\n");
	ck_assert_uint_eq(statistic(cpu, "ctxswin_count"), 0);
	ck_assert_uint_eq(statistic(cpu, "ctxswout_count"), 0);
}

#define SYSLOG_ACTION_READ_ALL 3 /* linux/syslog.h, which only the kernel has */

/* What the kernel logged last. */
static const char *kernel_log(void)
{
	static char text[16384];
	int length = klogctl(SYSLOG_ACTION_READ_ALL, text, sizeof(text) - 1);

	ck_assert_int_ge(length, 0);
	text[length] = '\0';
	return text;
}

#define CALLS_ARE_LOGGED 1
#define TIME_IS_MEASURED 4

static void set_debug(int bits)
{
	char text[16];

	snprintf(text, sizeof(text), "%d\n", bits);
	write_text(SYSFS "debug", text);
	ck_assert_str_eq(read_text(SYSFS "debug"), text);
}

/* Neither call may be made of a context that is not loaded. */
TEST(failing_calls_are_logged_if_asked_for)
{
	int fd = make_context();
	char start[128], stop[128];

	snprintf(start, sizeof(start), "[%d]: call %u: error %d,", thread_id(),
		 (unsigned int)_IOC_NR(PFM_IOC_START), -EINVAL);
	snprintf(stop, sizeof(stop), "[%d]: call %u: error %d,", thread_id(),
		 (unsigned int)_IOC_NR(PFM_IOC_STOP), -EINVAL);
	must_fail_errno(pfm_start(fd, NULL), EINVAL);
	ck_assert_msg(!strstr(kernel_log(), start), "logged without being asked for");
	set_debug(CALLS_ARE_LOGGED);
	must_fail_errno(pfm_start(fd, NULL), EINVAL);
	set_debug(0);
	ck_assert_msg(strstr(kernel_log(), start), "no \"%s\"", start);
	must_fail_errno(pfm_stop(fd), EINVAL);
	ck_assert_msg(!strstr(kernel_log(), stop), "still logged");
}

TEST(time_is_measured_if_asked_for)
{
	const unsigned int cpu = 0;
	struct child child = child_new();

	child_call(&child, child_pin, cpu);
	busy_context_on(child.pid);
	write_text(SYSFS "reset_stats", "0\n");
	child_call(&child, child_work, 1);
	wait_until(thread_state(child.pid) == 'S');
	ck_assert_uint_gt(statistic(cpu, "ctxswin_count"), 0);
	ck_assert_uint_eq(statistic(cpu, "ctxswin_ns"), 0);
	set_debug(TIME_IS_MEASURED);
	child_call(&child, child_work, 1);
	wait_until(statistic(cpu, "ctxswin_ns") > 0 && statistic(cpu, "ctxswout_ns") > 0);
	/* Writing 0 puts statistics at zero, too. */
	wait_until(thread_state(child.pid) == 'S');
	set_debug(0);
	ck_assert_uint_eq(statistic(cpu, "ctxswin_count"), 0);
	ck_assert_uint_eq(statistic(cpu, "ctxswin_ns"), 0);
}
