// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests the files of /sys/kernel/perfmon: their names, modes and formats. Settings must refuse
 * invalid values.
 *
 * The table rows[] follows docs/interface.md 7.2 and the manual pages.
 */
#include <ftw.h>
#include <regex.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>

#include "guest.h"

SUITE(sysfs, 60);

#define NUMBER	    "(0|[1-9][0-9]*)\n"
#define GROUP	    "(-1|0|[1-9][0-9]*)\n"
#define HEXADECIMAL "0x[0-9a-f]+\n"
#define LINE	    "[^\n]+\n"
#define VERSION	    "[0-9]+\\.[0-9]+\n"
#define PMU	    "pmus/[a-z0-9_]+/" /* pmu_desc is a link to such a directory */

/**
 * struct row - files of one kind
 * @path: regular expression for the path below /sys/kernel/perfmon
 * @mode: 0444 if nobody may write the files, 0644 if root may write them. In both cases everybody
 *	may read them
 * @text: regular expression for the content
 */
static const struct row {
	const char *path;
	mode_t mode;
	const char *text;
} rows[] = {
	{ "version", 0444, "2\\.8\n" },
	{ "interface_version", 0444, VERSION },
	{ "syscall", 0444, NUMBER },
	{ "task_sessions_count", 0444, "0\n" },
	{ "sys_sessions_count", 0444, "0\n" },
	{ "smpl_buffer_mem_cur", 0444, "0\n" },
	{ "set_mem_cur", 0444, "0\n" },
	{ "arg_mem_max", 0644, NUMBER },
	{ "smpl_buffer_mem_max", 0644, NUMBER },
	{ "set_mem_max", 0644, NUMBER },
	{ "set_user_max", 0644, NUMBER },
	{ "max_sets", 0644, NUMBER },
	{ "max_copies", 0644, NUMBER },
	{ "max_interrupts_per_tick", 0644, NUMBER },
	{ "min_switch_timeout", 0644, NUMBER },
	{ "policy", 0644, "(perf|user|group)\n" },
	{ "sys_group", 0644, GROUP },
	{ "task_group", 0644, GROUP },
	{ "debug", 0644, "[0145]\n" },
	{ "reset_stats", 0644, "0\n" },
	{ "formats/[a-z]+/version", 0444, VERSION },
	{ "formats/[a-z]+/uuid", 0444, LINE },
	{ PMU "model", 0444, LINE },
	{ PMU "scope", 0444, "[a-z0-9_]+\n" },
	{ PMU "owner_cpus", 0444, "[0-9]+([-,][0-9]+)*\n" },
	{ PMU "pm[cd]"
	      "(0|[1-9][0-9]*)/name",
	  0444, LINE },
	{ PMU "pm[cd]"
	      "(0|[1-9][0-9]*)/dfl_val",
	  0444, HEXADECIMAL },
	{ PMU "pm[cd]"
	      "(0|[1-9][0-9]*)/rsvd_msk",
	  0444, HEXADECIMAL },
	{ PMU "pm[cd]"
	      "(0|[1-9][0-9]*)/addr",
	  0444, HEXADECIMAL },
	{ PMU "pm[cd]"
	      "(0|[1-9][0-9]*)/width",
	  0444, "([1-9]|[1-5][0-9]|6[0-4])\n" },
};

static bool matches(const char *pattern, const char *text)
{
	char whole[128];
	regex_t regex;
	bool result;

	snprintf(whole, sizeof(whole), "^(%s)$", pattern);
	ck_assert_int_eq(regcomp(&regex, whole, REG_EXTENDED | REG_NOSUB), 0);
	result = !regexec(&regex, text, 0, NULL, 0);
	regfree(&regex);
	return result;
}

static const struct row *row_of(const char *path)
{
	const char *below = path + strlen(SYSFS);
	size_t i;

	for (i = 0; i < COUNT(rows); i++)
		if (matches(rows[i].path, below))
			return &rows[i];
	ck_abort_msg("%s is not in the table", path);
}

/* Function that walk() calls for each file. */
static void (*do_file)(const char *path, const struct row *row,
		       const struct stat *status);

static int visit(const char *path, const struct stat *status, int type,
		 struct FTW *position)
{
	(void)position;
	ck_assert_msg(status->st_uid == 0 && status->st_gid == 0, "%s belongs to %u:%u",
		      path, status->st_uid, status->st_gid);
	if (type == FTW_D) {
		ck_assert_msg((status->st_mode & 07777) == 0755, "%s: mode %o", path,
			      status->st_mode & 07777);
		return 0;
	}
	if (type == FTW_SL && !strcmp(path, SYSFS "pmu_desc"))
		return 0;
	ck_assert_msg(type == FTW_F && S_ISREG(status->st_mode), "%s: not a file", path);
	do_file(path, row_of(path), status);
	return 0;
}

static void walk(void (*function)(const char *path, const struct row *row,
				  const struct stat *status))
{
	/* A PMU module must be loaded, because without one there is no directory below pmus/. */
	ck_assert_uint_ne(pmu()->info.pmu_name[0], '\0');
	do_file = function;
	ck_assert_int_eq(nftw("/sys/kernel/perfmon", visit, 16, FTW_PHYS), 0);
}

/* ---- all files ------------------------------------------------------------------------ */

static bool has_file[COUNT(rows)];

static void note_file(const char *path, const struct row *row, const struct stat *status)
{
	(void)path;
	(void)status;
	has_file[row - rows] = true;
}

TEST(every_row_of_the_table_has_a_file_and_every_file_a_row)
{
	size_t i;

	walk(note_file);
	for (i = 0; i < COUNT(rows); i++)
		ck_assert_msg(has_file[i], "no file matches %s", rows[i].path);
}

static void check_mode(const char *path, const struct row *row, const struct stat *status)
{
	ck_assert_msg((status->st_mode & 07777) == row->mode, "%s: mode %o", path,
		      status->st_mode & 07777);
}

TEST(files_have_the_modes_of_the_api)
{
	walk(check_mode);
}

static void check_text(const char *path, const struct row *row, const struct stat *status)
{
	const char *text = read_text(path);

	(void)status;
	ck_assert_msg(matches(row->text, text), "%s: \"%s\"", path, text);
}

TEST(files_have_the_formats_of_the_api)
{
	walk(check_text);
}

/*
 * Reads a setting and writes the same text back. If the file is not a setting, it must refuse the
 * write.
 */
static void write_back(const char *path, const struct row *row, const struct stat *status)
{
	char before[64];

	(void)status;
	if (row->mode == 0444) {
		ck_assert_msg(try_write_text(path, "1\n") == EACCES, "%s", path);
		return;
	}
	snprintf(before, sizeof(before), "%s", read_text(path));
	write_text(path, before);
	ck_assert_msg(!strcmp(read_text(path), before),
		      "%s reads \"%s\" after a write of \"%s\"", path, read_text(path),
		      before);
}

TEST(root_writes_settings_and_nothing_else)
{
	walk(write_back);
}

static void read_only(const char *path, const struct row *row, const struct stat *status)
{
	const char *text = read_text(path);

	(void)status;
	ck_assert_msg(matches(row->text, text), "%s: \"%s\"", path, text);
	ck_assert_msg(try_write_text(path, text) == EACCES, "%s", path);
}

TEST(an_ordinary_user_reads_all_and_writes_nothing)
{
	become(USER_ID);
	walk(read_only);
}

/* ---- settings ------------------------------------------------------------------------- */

static void must_show(const char *path, unsigned long long value)
{
	char text[32];

	snprintf(text, sizeof(text), "%llu\n", value);
	ck_assert_msg(!strcmp(read_text(path), text), "%s is %s, not %s", path,
		      read_text(path), text);
}

TEST(settings_have_their_defaults)
{
	const unsigned long page = sysconf(_SC_PAGESIZE);
	struct sysinfo machine;
	unsigned long sixteenth;

	ck_assert_int_eq(sysinfo(&machine), 0);
	sixteenth = machine.totalram * machine.mem_unit / page / 16 * page;
	must_show(SYSFS "arg_mem_max", page);
	must_show(SYSFS "smpl_buffer_mem_max", sixteenth);
	must_show(SYSFS "set_mem_max", sixteenth);
	must_show(SYSFS "set_user_max", (sixteenth / 4 + page - 1) / page * page);
	must_show(SYSFS "max_sets", 4096);
	must_show(SYSFS "max_copies", 32768);
	must_show(SYSFS "min_switch_timeout", 100000);
	must_show(SYSFS "debug", 0);
	ck_assert_str_eq(read_text(SYSFS "policy"), "perf\n");
	ck_assert_str_eq(read_text(SYSFS "task_group"), "-1\n");
	ck_assert_str_eq(read_text(SYSFS "sys_group"), "-1\n");
	/*
	 * The default allows 100,000 interrupts per second. Kernels have 100 to 1,000 ticks per
	 * second, so the default for one tick is between 100 and 1,000 interrupts.
	 */
	ck_assert_uint_ge(read_number(SYSFS "max_interrupts_per_tick"), 100);
	ck_assert_uint_le(read_number(SYSFS "max_interrupts_per_tick"), 1000);
}

static void must_refuse(const char *path, const char *text, int wanted)
{
	char before[64];
	int error;

	snprintf(before, sizeof(before), "%s", read_text(path));
	error = try_write_text(path, text);
	ck_assert_msg(error == wanted, "writing \"%s\" to %s: %s", text, path,
		      strerror(error));
	ck_assert_msg(!strcmp(read_text(path), before), "\"%s\" changes %s", text, path);
}

/*
 * Each setting must refuse these texts, which are not numbers. This function does not write to
 * reset_stats, because any text resets the statistics.
 */
static void refuse_what_is_no_number(const char *path, const struct row *row,
				     const struct stat *status)
{
	static const char *const texts[] = { "many\n", "\n",	"1 2\n", "1x\n",
					     "-2\n",   "1.5\n", "0x\n" };
	size_t i;

	(void)status;
	if (row->mode == 0444 || !strcmp(row->path, "reset_stats"))
		return;
	for (i = 0; i < COUNT(texts); i++)
		must_refuse(path, texts[i], EINVAL);
	must_refuse(path, "99999999999999999999999999\n",
		    strcmp(row->path, "policy") ? ERANGE : EINVAL);
}

TEST(a_text_that_is_not_a_number_is_einval_and_changes_nothing)
{
	walk(refuse_what_is_no_number);
}

TEST(values_out_of_range_are_einval_and_change_nothing)
{
	static const struct {
		const char *path;
		const char *text;
	} bad[] = {
		{ SYSFS "arg_mem_max", "0\n" },
		{ SYSFS "arg_mem_max", "-1\n" },
		{ SYSFS "smpl_buffer_mem_max", "0\n" },
		{ SYSFS "smpl_buffer_mem_max", "-1\n" },
		{ SYSFS "set_mem_max", "0\n" },
		{ SYSFS "set_mem_max", "-1\n" },
		{ SYSFS "set_user_max", "0\n" },
		{ SYSFS "max_sets", "0\n" },
		{ SYSFS "max_sets", "65537\n" },
		{ SYSFS "max_copies", "-1\n" },
		{ SYSFS "max_copies", "4294967296\n" },
		{ SYSFS "max_interrupts_per_tick", "0\n" },
		{ SYSFS "max_interrupts_per_tick", "4294967296\n" },
		{ SYSFS "min_switch_timeout", "0\n" },
		{ SYSFS "min_switch_timeout", "19999\n" },
		{ SYSFS "debug", "2\n" },
		{ SYSFS "debug", "8\n" },
		{ SYSFS "debug", "-1\n" },
		{ SYSFS "policy", "per\n" },
		{ SYSFS "policy", "perfect\n" },
	};
	size_t i;

	for (i = 0; i < COUNT(bad); i++)
		must_refuse(bad[i].path, bad[i].text, EINVAL);
	must_refuse(SYSFS "task_group", "2147483648\n", ERANGE);
	must_refuse(SYSFS "sys_group", "2147483648\n", ERANGE);
}

/* Valid values, mostly the lowest and the highest ones. */
TEST(settings_can_be_written_and_read_back)
{
	static const struct {
		const char *path;
		const char *text;
	} good[] = {
		{ SYSFS "arg_mem_max", "18446744073709551615\n" },
		{ SYSFS "set_mem_max", "18446744073709551615\n" },
		{ SYSFS "max_sets", "1\n" },
		{ SYSFS "max_sets", "65536\n" },
		{ SYSFS "max_copies", "0\n" },
		{ SYSFS "max_copies", "4294967295\n" },
		{ SYSFS "max_interrupts_per_tick", "1\n" },
		{ SYSFS "max_interrupts_per_tick", "4294967295\n" },
		{ SYSFS "min_switch_timeout", "20000\n" },
		{ SYSFS "min_switch_timeout", "18446744073709551615\n" },
		{ SYSFS "task_group", "0\n" },
		{ SYSFS "task_group", "2147483647\n" },
		{ SYSFS "sys_group", "0\n" },
		{ SYSFS "sys_group", "2147483647\n" },
		{ SYSFS "debug", "1\n" },
		{ SYSFS "debug", "4\n" },
		{ SYSFS "debug", "5\n" },
		{ SYSFS "policy", "user\n" },
		{ SYSFS "policy", "group\n" },
		{ SYSFS "policy", "perf\n" },
	};
	char before[64];
	size_t i;

	for (i = 0; i < COUNT(good); i++) {
		int error;
		bool same;

		snprintf(before, sizeof(before), "%s", read_text(good[i].path));
		error = try_write_text(good[i].path, good[i].text);
		same = !strcmp(read_text(good[i].path), good[i].text);
		write_text(good[i].path, before);
		ck_assert_msg(!error && same, "writing \"%s\" to %s: %s", good[i].text,
			      good[i].path, strerror(error));
	}
}

TEST(limits_of_memory_below_a_page_are_einval)
{
	static const char *const paths[] = { SYSFS "arg_mem_max",
					     SYSFS "smpl_buffer_mem_max",
					     SYSFS "set_mem_max", SYSFS "set_user_max" };
	const long page = sysconf(_SC_PAGESIZE);
	char text[32], before[32];
	size_t i;

	for (i = 0; i < COUNT(paths); i++) {
		snprintf(text, sizeof(text), "%ld\n", page - 1);
		must_refuse(paths[i], text, EINVAL);
		snprintf(before, sizeof(before), "%s", read_text(paths[i]));
		snprintf(text, sizeof(text), "%ld\n", page);
		write_text(paths[i], text);
		ck_assert_str_eq(read_text(paths[i]), text);
		write_text(paths[i], before);
	}
}
