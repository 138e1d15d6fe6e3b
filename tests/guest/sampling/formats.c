// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests sampling formats that are modules: these modules are loaded on demand, pinned while in use,
 * and listed in sysfs. Invalid names are refused. No test leaves a format loaded.
 */
#include <ctype.h>
#include <stdio.h>
#include <sys/stat.h>
#include <perfmon/perfmon_callchain.h>
#include <perfmon/perfmon_dfl_smpl.h>
#include <perfmon/perfmon_hist.h>
#include <perfmon/perfmon_nway.h>

#include "formats.h"

SUITE(formats, 120);

#define NO_INDEX PFM_NO_INDEX

/* Argument of the example format. */
struct last_argument {
	uint64_t entries;
};

static const pfm_dfl_smpl_arg_t default_argument = { .buf_size = 65536 };
static const struct pfm_nway_arg nway_argument = { .region_size = 8192, .regions = 4 };
static const struct pfm_callchain_arg callchain_argument = { .buf_size = 65536 };
static const struct pfm_hist_arg hist_argument = { .entries = 1024 };
static const struct last_argument last_argument = { .entries = 64 };

/* The UUIDs are written out here, so a test fails if a UUID in a header changes. */
static const struct known_format {
	const char *name;
	const char *uuid;
	const char *version;
	const char *module; /* NULL: built in */
	const void *argument;
	size_t size;
} formats[] = {
	{ "default", "d139b29e-62e8-40e4-b402-73078792e937", "1.1\n", NULL,
	  &default_argument, 64 },
	{ "nway", "a58d2c1e-6f0b-4a3d-9b52-3c6e0d7f1a94", "1.1\n", "perfmon_fmt_nway",
	  &nway_argument, 64 },
	{ "callchain", "3b1e7d52-90c4-4f6e-8a1d-57e2c40b96f3", "1.3\n",
	  "perfmon_fmt_callchain", &callchain_argument, 64 },
	{ "hist", "c7409b6a-2d15-4e8b-b3f0-8ad1e95c2647", "1.0\n", "perfmon_fmt_hist",
	  &hist_argument, 64 },
	{ "last", "e1f3a7c2-5b84-4d09-9c36-0a7d48be2f15", "1.0\n", "perfmon_fmt_last",
	  &last_argument, 8 },
};

#define for_each_format(format)                                                          \
	for ((format) = formats; (format) < formats + COUNT(formats); (format)++)

static int context_of_format(const struct known_format *format)
{
	return format_context(format->name, format->argument, format->size);
}

static bool is_in_sysfs(const struct known_format *format)
{
	char path[128];

	snprintf(path, sizeof(path), SYSFS "formats/%s", format->name);
	return path_exists(path);
}

static void must_be_loaded(const struct known_format *format, bool loaded)
{
	if (format->module)
		ck_assert_msg(module_is_loaded(format->module) == loaded, "%s is %s",
			      format->module, loaded ? "not loaded" : "loaded");
	ck_assert_msg(is_in_sysfs(format) == (loaded || !format->module),
		      "sysfs must list %s while it is loaded, and only then",
		      format->name);
}

static void must_unload(const char *module)
{
	int error = module_unload(module);

	ck_assert_msg(!error, "unloading %s: %s", module, strerror(error));
}

/* ---- loading ---------------------------------------------------------------------- */

/* Creating a context with @text, the name or UUID of the format, must load the format. */
static void must_load_by(const struct known_format *format, const char *text)
{
	int fd = pfm_open_device();

	subject = text;
	must_be_loaded(format, false);
	must(fd, try_format(fd, text, format->argument, format->size));
	must_be_loaded(format, true);
	count_must_be_right(fd);
	close(fd);
	if (format->module)
		must_unload(format->module);
	must_be_loaded(format, false);
}

static void check_names(void)
{
	const struct known_format *format;

	for_each_format(format)
		must_load_by(format, format->name);
}

TEST(a_format_is_loaded_by_its_name)
{
	with_formats(check_names);
}

static void check_uuids(void)
{
	const struct known_format *format;

	for_each_format(format)
		must_load_by(format, format->uuid);
}

TEST(a_format_is_loaded_by_its_uuid)
{
	with_formats(check_uuids);
}

static void check_capitals(void)
{
	const struct known_format *format;
	char text[64];
	size_t i;

	for_each_format(format) {
		for (i = 0; i <= strlen(format->uuid); i++)
			text[i] = toupper(format->uuid[i]);
		must_load_by(format, text);
	}
}

TEST(a_uuid_may_be_in_capitals)
{
	with_formats(check_capitals);
}

static void check_ordinary_user(void)
{
	const struct known_format *format;
	struct pfm_create create = {};
	int fd;

	/*
	 * Root creates a context first, so that a PMU module is loaded. Another suite tests what
	 * happens if no PMU module is loaded.
	 */
	fd = pfm_open_device();
	must(fd, ioctl(fd, PFM_IOC_CREATE_CONTEXT, &create));
	become(USER_ID);
	for_each_format(format) {
		must_be_loaded(format, false);
		count_must_be_right(context_of_format(format));
		must_be_loaded(format, true);
	}
}

TEST(an_ordinary_users_context_loads_a_format)
{
	with_formats(check_ordinary_user);
}

/* ---- in use ------------------------------------------------------------------------ */

/*
 * delete_module() with O_NONBLOCK fails with EAGAIN if the module is in use, and with EBUSY for
 * other reasons.
 */
static void must_be_pinned(const struct known_format *format)
{
	int error = module_unload(format->module);

	ck_assert_msg(error == EAGAIN, "unloading %s: %s", format->module,
		      error ? strerror(error) : "done");
}

static void must_be_pinned_while_used(const struct known_format *format)
{
	struct child child = child_new();
	int fd = context_of_format(format), other;

	must_be_pinned(format);
	use_counters(fd, 1);
	sample_counter(fd, 0, format_period(), 0, NULL, 0);
	load(fd, child.pid);
	must(fd, pfm_start(fd, NULL));
	child_busy(&child);
	must_be_pinned(format);
	child_rest(&child);
	must(fd, pfm_unload_context(fd));
	must_be_pinned(format);
	/* A second context has its own reference to the format's module. */
	other = context_of_format(format);
	ck_assert_int_eq(module_users(format->module), 2);
	close(fd);
	must_be_pinned(format);
	close(other);
	child_exit(&child);
	must_unload(format->module);
	must_be_loaded(format, false);
}

static void check_pinned(void)
{
	const struct known_format *format;

	need_overflow_interrupts();
	for_each_format(format) {
		if (format->module)
			must_be_pinned_while_used(format);
	}
}

TEST(a_format_in_use_cannot_be_unloaded)
{
	with_formats(check_pinned);
}

/* The buffer belongs to the core, so a program that reads it does not need the format. */
static void check_mapping(void)
{
	const struct last_argument argument = { 64 };
	const volatile uint64_t *buffer;
	uint64_t count;
	int fd;

	need_overflow_interrupts();
	fd = format_context("last", &argument, sizeof(argument));
	buffer = format_buffer(fd, 8 * (2 + 64));
	use_counters(fd, 1);
	sample_counter(fd, 0, format_period(), 0, NULL, 0);
	load(fd, thread_id());
	must(fd, pfm_start(fd, NULL));
	while (buffer[1] < 3)
		spin_turns(10000);
	close(fd);
	must_unload("perfmon_fmt_last");
	count = buffer[1];
	ck_assert_uint_ge(count, 3);
	ck_assert_uint_eq(buffer[0], 64);
	spin_turns(100000);
	ck_assert_uint_eq(buffer[1], count);
}

TEST(a_mapping_outlives_context_and_format)
{
	with_formats(check_mapping);
}

/* ---- sysfs --------------------------------------------------------------------------- */

static void check_sysfs(void)
{
	const struct known_format *format;
	char path[128], text[64];
	int fd;

	for_each_format(format) {
		fd = context_of_format(format);
		snprintf(path, sizeof(path), SYSFS "formats/%s/version", format->name);
		ck_assert_str_eq(read_text(path), format->version);
		snprintf(path, sizeof(path), SYSFS "formats/%s/uuid", format->name);
		snprintf(text, sizeof(text), "%s\n", format->uuid);
		ck_assert_str_eq(read_text(path), text);
		close(fd);
	}
}

TEST(sysfs_shows_version_and_uuid)
{
	with_formats(check_sysfs);
}

/* ---- invalid names -------------------------------------------------------------------- */

static void check_strange_names(void)
{
	static char of_100[101], of_40[41], of_39[40];
	const char *const names[] = {
		"nothing",
		"00000000-0000-0000-0000-000000000000",
		"",
		" ",
		"nway ",
		" nway",
		"nway\n",
		"nway/../nway",
		"../../../bin/sh",
		"/",
		"nway;reboot",
		"nway*",
		"n?ay",
		"%s%s%s%n",
		"-r",
		"a58d2c1e-6f0b-4a3d-9b52-3c6e0d7f1a9",
		"{a58d2c1e-6f0b-4a3d-9b52-3c6e0d7f1a94}",
		"\xff\xfe",
		of_39,
		of_40,
		of_100,
	};
	const struct known_format *format;
	int fd = pfm_open_device();
	size_t i;

	memset(of_100, 'x', sizeof(of_100) - 1);
	memset(of_40, 'x', sizeof(of_40) - 1);
	memset(of_39, 'x', sizeof(of_39) - 1);
	for (i = 0; i < COUNT(names); i++) {
		subject = names[i];
		must_fail(fd, try_format(fd, names[i], &nway_argument, 64), EINVAL,
			  PFM_REASON_NO_FORMAT, NO_INDEX);
	}
	subject = "";
	for_each_format(format)
		must_be_loaded(format, false);
	must_fail(fd, try_format(fd, (char *)16, &nway_argument, 64), EFAULT,
		  PFM_REASON_FAULT, NO_INDEX);
	must(fd, try_format(fd, "nway", &nway_argument, 64));
	count_must_be_right(fd);
}

TEST(an_invalid_name_is_refused)
{
	with_formats(check_strange_names);
}

#define MODPROBE "/proc/sys/kernel/modprobe"
#define ASKED	 "/tmp/asked"

static char modprobe[128];

static void put_modprobe_back(void)
{
	write_text(MODPROBE, modprobe);
	unlink("/tmp/modprobe");
	unlink(ASKED);
}

/* A script that logs its arguments takes the place of modprobe. */
static void check_what_modprobe_gets(void)
{
	static const char script[] = "#!/bin/sh\necho \"$*\" >>" ASKED "\n";
	static const char *const names[] = { "",    "a b", "a/b", "../a", "a*",
					     "a\n", "%s",  "a;b", "a.b" };
	int fd = pfm_open_device();
	FILE *file = fopen("/tmp/modprobe", "w");
	size_t i;

	ck_assert_ptr_ne(file, NULL);
	fputs(script, file);
	fclose(file);
	ck_assert_int_eq(chmod("/tmp/modprobe", 0700), 0);
	write_text(MODPROBE, "/tmp/modprobe");
	for (i = 0; i < COUNT(names); i++) {
		subject = names[i];
		must_fail(fd, try_format(fd, names[i], &nway_argument, 64), EINVAL,
			  PFM_REASON_NO_FORMAT, NO_INDEX);
		ck_assert(!path_exists(ASKED));
	}
	subject = "";
	must_fail(fd, try_format(fd, "No_such-format2", &nway_argument, 64), EINVAL,
		  PFM_REASON_NO_FORMAT, NO_INDEX);
	ck_assert_str_eq(read_text(ASKED), "-q -- perfmon-format-no_such-format2\n");
}

/* Any user can pass an invalid name, but modprobe runs as root and must not get such a name. */
TEST(no_invalid_name_reaches_modprobe)
{
	snprintf(modprobe, sizeof(modprobe), "%s", read_text(MODPROBE));
	modprobe[strcspn(modprobe, "\n")] = '\0';
	then_put_back(check_what_modprobe_gets, put_modprobe_back);
}

/* ---- arguments that every format refuses ------------------------------------------------- */

static void must_refuse_sizes(const struct known_format *format)
{
	static char page[65536 + 1];
	const struct refusal refusals[] = {
		{ "no size: ", format->argument, 0, PFM_REASON_FORMAT_SIZE },
		{ "a byte less: ", format->argument, format->size - 1,
		  PFM_REASON_FORMAT_SIZE },
		{ "more than a page: ", page, sizeof(page), PFM_REASON_FORMAT_SIZE },
		{ "a very large size: ", format->argument, SIZE_MAX,
		  PFM_REASON_FORMAT_SIZE },
		{ "no argument: ", NULL, format->size, PFM_REASON_FORMAT_ARGUMENT },
	};

	must_refuse(format->name, refusals, COUNT(refusals), format->argument,
		    format->size);
}

/* The format must accept a longer argument if all bytes after the known fields are zero. */
static void must_take_later_version(const struct known_format *format)
{
	char argument[100] = {};
	int fd = pfm_open_device();

	memcpy(argument, format->argument, format->size);
	argument[format->size] = 1;
	must_fail(fd, try_format(fd, format->name, argument, sizeof(argument)), E2BIG,
		  PFM_REASON_TAIL, NO_INDEX);
	argument[format->size] = 0;
	must(fd, try_format(fd, format->name, argument, sizeof(argument)));
	close(fd);
}

static void check_sizes(void)
{
	const struct known_format *format;
	int fd = pfm_open_device();

	for_each_format(format) {
		must_refuse_sizes(format);
		must_take_later_version(format);
		must_fail(fd, try_format(fd, format->name, (char *)16, format->size),
			  EFAULT, PFM_REASON_FAULT, NO_INDEX);
	}
}

TEST(an_argument_of_another_size_is_refused_unless_it_is_of_a_later_version)
{
	with_formats(check_sizes);
}

/* ---- the example --------------------------------------------------------------------------- */

static void check_example(void)
{
	static const struct last_argument bad[] = { { 0 }, { 65537 }, { UINT64_MAX } };
	static const struct last_argument good = { 16 };
	const struct refusal refusals[] = {
		{ "0 entries: ", &bad[0], 8, PFM_REASON_FORMAT_ARGUMENT },
		{ "65537 entries: ", &bad[1], 8, PFM_REASON_FORMAT_ARGUMENT },
		{ "far too many entries: ", &bad[2], 8, PFM_REASON_FORMAT_ARGUMENT },
	};
	const volatile uint64_t *buffer;
	uint64_t taken, i;
	int fd;

	need_overflow_interrupts();
	must_refuse("last", refusals, COUNT(refusals), &good, sizeof(good));
	fd = format_context("last", &good, sizeof(good));
	buffer = format_buffer(fd, 8 * (2 + 16));
	use_counters(fd, 1);
	sample_counter(fd, 0, format_period(), 0, NULL, 0);
	load(fd, thread_id());
	taken = samples_taken();
	must(fd, pfm_start(fd, NULL));
	while (buffer[1] < 40)
		spin_turns(10000);
	must(fd, pfm_stop(fd));
	ck_assert_uint_eq(buffer[0], 16);
	ck_assert_uint_eq(buffer[1], samples_taken() - taken);
	for (i = 0; i < 16; i++)
		ck_assert_msg(buffer[2 + i], "entry %ju is 0", (uintmax_t)i);
	ck_assert_uint_eq(status_of(fd).state, PFM_STATE_LOADED);
}

TEST(the_example_keeps_the_last_instructions)
{
	with_formats(check_example);
}
