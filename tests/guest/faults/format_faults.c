// SPDX-License-Identifier: GPL-2.0-only
/*
 * Like call_faults.c, this suite lets every allocation fail in turn. It creates contexts that need
 * the module of a sampling format. It also loads and unloads such a module without a context.
 */
#include <fcntl.h>
#include <perfmon/perfmon_callchain.h>
#include <perfmon/perfmon_hist.h>
#include <perfmon/perfmon_nway.h>
#include <stdio.h>
#include <sys/syscall.h>

#include "formats.h"
#include "survive.h"

SUITE(format_faults, 600);

static const struct pfm_nway_arg nway = { .region_size = 8192, .regions = 2 };
static const struct pfm_hist_arg hist = { .entries = 256 };
static const struct pfm_callchain_arg callchain = { .buf_size = 16384 };

static const struct format {
	const char *name;
	const char *module;
	const void *argument;
	size_t size;
} formats[] = {
	{ PFM_NWAY_NAME, "perfmon_fmt_nway", &nway, sizeof(nway) },
	{ PFM_HIST_NAME, "perfmon_fmt_hist", &hist, sizeof(hist) },
	{ PFM_CALLCHAIN_NAME, "perfmon_fmt_callchain", &callchain, sizeof(callchain) },
};

static const struct format *format;

static void must_be_unloaded(void)
{
	if (module_is_loaded(format->module))
		must_do(module_unload(format->module), "unloading", format->module);
}

/* ---- contexts -------------------------------------------------------------------------- */

static int attempt_create(const struct operation *operation)
{
	(void)operation;
	return to_error(try_format(fd, format->name, format->argument, format->size));
}

/* Each attempt begins without the module, even if the previous attempt has loaded it. */
static void no_format(void)
{
	close(fd);
	must_be_unloaded();
	fd = pfm_open_device();
	ck_assert_int_ne(fd, -1);
}

/* After a failed attempt the module may still be loaded, but it must not be in use. */
static void must_be_all_or_nothing(int error)
{
	bool loaded = module_is_loaded(format->module);

	ck_assert_int_eq(module_users("perfmon"),
			 2 + loaded); /* 2: the descriptor and the PMU's module */
	ck_assert_int_eq(module_users(best_pmu_module()), error == 0);
	if (loaded)
		ck_assert_int_eq(module_users(format->module), error == 0);
	if (!error) {
		ck_assert_msg(loaded, "%sthe module is not loaded", subject);
		count_must_be_right(fd);
		return;
	}
	must_fail(fd, pfm_stop(fd), EINVAL, PFM_REASON_NO_CONTEXT, PFM_NO_INDEX);
	ck_assert_uint_eq(read_number(SYSFS "smpl_buffer_mem_cur"), 0);
	ck_assert_uint_eq(read_number(SYSFS "set_mem_cur"), 0);
	ck_assert_uint_eq(sessions(), 0);
}

static void check_creating(void)
{
	struct operation operation = {
		.attempt = attempt_create,
		.before = no_format,
		.verify = must_be_all_or_nothing,
		.allocates = true,
		.reason = true,
	};
	char name[64];
	int other;

	inject_open();
	other = make_context(); /* loads the PMU's module, installs the hooks */
	close(other);
	for (format = formats; format < formats + COUNT(formats); format++) {
		fd = pfm_open_device();
		snprintf(name, sizeof(name), "create, %s not loaded", format->name);
		operation.name = name;
		must_survive(&operation);
		close(fd);
		must_be_unloaded();
	}
	count_must_be_right(make_context());
}

static void check_creating_with_a_format_that_is_not_loaded(void)
{
	with_formats(check_creating);
}

FAULT_TEST(creating_with_a_format_that_is_not_loaded)

/* ---- modules ------------------------------------------------------------------------------ */

static int module_fd;

static int attempt_load_module(const struct operation *operation)
{
	(void)operation;
	return to_error(syscall(SYS_finit_module, module_fd, "", 0));
}

static int attempt_unload_module(const struct operation *operation)
{
	(void)operation;
	return module_unload(format->module);
}

static void must_be_loaded(void)
{
	if (!module_is_loaded(format->module))
		must_do(module_load(format->module, ""), "loading", format->module);
}

/* Checks that either all parts of the format are registered or none. */
static void format_must_be_whole(int error)
{
	bool loaded = module_is_loaded(format->module);
	char path[128];

	(void)error;
	snprintf(path, sizeof(path), SYSFS "formats/%s/version", format->name);
	ck_assert_msg(path_exists(path) == loaded, "%s%s is %s", subject, path,
		      loaded ? "missing" : "still there");
	/* The PMU's module always uses the core. */
	ck_assert_int_eq(module_users("perfmon"), 1 + loaded);
}

static void check_modules(void)
{
	static const char why[] =
		"uevents and a module's section files in sysfs are optional";
	static const struct operation operations[] = {
		{ .name = "load of a format",
		  .attempt = attempt_load_module,
		  .before = must_be_unloaded,
		  .verify = format_must_be_whole,
		  .allocates = true,
		  .absorbed = why },
		{ .name = "unload of a format",
		  .attempt = attempt_unload_module,
		  .before = must_be_loaded,
		  .verify = format_must_be_whole,
		  .absorbed = why },
	};

	inject_open();
	close(make_context()); /* loads the PMU's module */
	format = formats;
	module_fd = open(module_path(format->module), O_RDONLY | O_CLOEXEC);
	ck_assert_int_ne(module_fd, -1);
	all_must_survive(operations, COUNT(operations));
	fd = pfm_open_device();
	must(fd, attempt_create(NULL));
	count_must_be_right(fd);
}

static void check_loading_and_unloading_a_format(void)
{
	with_formats(check_modules);
}

FAULT_TEST(loading_and_unloading_a_format)
