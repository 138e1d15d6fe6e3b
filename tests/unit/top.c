// SPDX-License-Identifier: GPL-2.0-only
/* Tests the command line and the tables of pfmon top, and what it does with the terminal. */
#include <fcntl.h>
#include <getopt.h>
#include <pty.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../tools/pfmon/common/errors.h"
#include "../../tools/pfmon/top/screen.h"
#include "../../tools/pfmon/top/top_options.h"
#include "../../tools/pfmon/top/view.h"
#include "suites.h"
#include "synthetic.h"

SUITE(top, 120);

#define PERIOD 1000

/* Parse @line as the arguments of pfmon top. Single blanks separate the arguments. */
static int parse(const char *line, struct top_options *options)
{
	static char copy[256];
	static char *words[16];
	char *rest = copy;
	int count = 1;

	snprintf(copy, sizeof(copy), "%s", line);
	words[0] = (char *)"pfmon top";
	while (rest && *rest)
		words[count++] = strsep(&rest, " ");
	words[count] = NULL;
	optind = 0;
	return top_options_parse(count, words, options);
}

TEST(by_default_programs_are_shown_every_two_seconds)
{
	struct top_options options;

	ck_assert_int_eq(parse("", &options), 0);
	ck_assert_uint_eq(options.record.rotation.time, 2 * SECOND);
	ck_assert_uint_eq(options.record.frequency, 1000);
	ck_assert_uint_ge(options.record.targets.cpus.count, 1);
	ck_assert_ptr_null(options.record.output);
	ck_assert_int_eq(options.profile.sort[0], SORT_PROGRAM);
	ck_assert_uint_eq(options.profile.sort_count, 1);
	ck_assert_uint_eq(options.refreshes, 0);
	record_options_free(&options.record);
}

TEST(a_time_without_unit_is_in_seconds)
{
	static const struct {
		const char *text;
		uint64_t time;
	} times[] = {
		{ "-d 1", SECOND },
		{ "-d 0.5", SECOND / 2 },
		{ "-d 100ms", SECOND / 10 },
		{ "-d 60s", 60 * SECOND },
	};
	struct top_options options;

	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		ck_assert_int_eq(parse(times[i].text, &options), 0);
		ck_assert_uint_eq(options.record.rotation.time, times[i].time);
		record_options_free(&options.record);
	}
}

TEST(invalid_options_are_refused)
{
	static const char *const lines[] = {
		"-d 0",	  "-d 99ms",   "-d 2d",		"-d -1",	   "-n 0",
		"-e a,b", "-e a -e b", "-c 100 -F 100", "--sort function", "app",
		"-C 0-",  "--help-me",
	};
	struct top_options options;

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		ck_assert_msg(parse(lines[i], &options) == -1, "%s", lines[i]);
		record_options_free(&options.record);
	}
}

/* Add @count samples of the first thread of process @tid on CPU @cpu. */
static void add(struct data_writer *writer, uint32_t cpu, uint32_t tid,
		unsigned int count)
{
	struct pfm_dfl_smpl_entry entry;

	while (count--) {
		entry = synthetic_entry(tid, tid, CYCLES_PMD, 1, count, PERIOD);
		entry.cpu = cpu;
		synthetic_samples(writer, DATA_FORMAT_NWAY, cpu, 1, &entry,
				  sizeof(entry));
	}
}

static void end(struct data_writer *writer, uint32_t cpus, uint64_t lost)
{
	for (uint32_t i = 0; i < cpus; i++) {
		const struct data_cpu cpu = { .context = i,
					      .cpu = i,
					      .lost = i ? 0 : lost };

		ck_assert_int_eq(data_write_cpu(writer, &cpu), 0);
	}
	synthetic_end(writer, 0, lost);
}

/*
 * Make an interval of 2 s with 1000 samples: 750 of two processes "app", 248 of "other", and one
 * each of "first" and "second". 40 samples of CPU 0 were lost, and CPU 1 went offline.
 */
static void make(struct interval *interval, const char *sort)
{
	static struct top_options options;
	struct interval none = { 0 };
	const char *path = synthetic_path();
	struct data_writer writer;
	int fd;

	ck_assert_int_eq(parse(sort, &options), 0);
	synthetic_begin(&writer, path);
	synthetic_event(&writer, "cycles", CYCLES_PMD, PERIOD, 0);
	synthetic_thread(&writer, 100, 100, DATA_NO_CONTEXT, "app");
	synthetic_thread(&writer, 101, 101, DATA_NO_CONTEXT, "app");
	synthetic_thread(&writer, 102, 102, DATA_NO_CONTEXT, "other");
	synthetic_thread(&writer, 103, 103, DATA_NO_CONTEXT, "first");
	synthetic_thread(&writer, 104, 104, DATA_NO_CONTEXT, "second");
	add(&writer, 0, 100, 700);
	add(&writer, 1, 101, 50);
	add(&writer, 2, 102, 248);
	add(&writer, 2, 103, 1);
	add(&writer, 2, 104, 1);
	end(&writer, 3, 40);
	fd = open(path, O_RDONLY);
	ck_assert_int_eq(interval_read(interval, fd, 3), 0);
	close(fd);
	warn_no_more();
	ck_assert_int_eq(interval_sort(interval, &options.profile, &none), 0);
	interval->seconds = 2;
	interval->cpus[0].busy = 1;
	interval->cpus[1].is_offline = true;
	interval->cpus[2].busy = 0.1234;
	for (uint32_t i = 0; i < 3; i++)
		interval->cpus[i].cpu = i;
}

static const char *printed(const struct interval *interval, uint64_t names_lost,
			   const struct view_style *style)
{
	char *text = NULL;
	size_t size;
	FILE *memory = open_memstream(&text, &size);

	ck_assert_ptr_nonnull(memory);
	ck_assert_int_eq(view_print(memory, interval, names_lost, style), 0);
	fclose(memory);
	return text;
}

TEST(the_table_has_all_cpus_and_the_programs_by_their_share)
{
	static const char expected[] =
		" 2.00 s: cycles, one in 1,000: 1,000 samples, 40 lost, 3 program names "
		"lost\n"
		"\n"
		"     CPU    Busy            Events/s       Samples       Lost\n"
		"       0  100.0%             350,000           700         40\n"
		"       1 offline              25,000            50          0\n"
		"       2   12.3%             125,000           250          0\n"
		"\n"
		" Percent       Samples  Processes  Program\n"
		"  75.00%           750          2  app\n"
		"  24.80%           248          1  other\n"
		"   0.20%             2             2 more below 0.5%\n";
	const struct view_style style = { .columns = 80 };
	struct interval interval;

	make(&interval, "");
	ck_assert_str_eq(printed(&interval, 3, &style), expected);
	interval_free(&interval);
}

TEST(a_screen_shows_what_there_is_room_for)
{
	/*
	 * The CPUs take three rows, and other lines, such as headings, take seven. So a screen of
	 * nine rows has no room for an entry, but one entry is always shown.
	 */
	static const char expected[] =
		"\n"
		" Percent       Samples  Processes                    CPU  Program\n"
		"  70.00%           700          1  ################  0    app\n"
		"  30.00%           300                               4 more\n";
	const struct view_style style = { .columns = 80, .rows = 9, .has_bars = true };
	struct interval interval;
	const char *text;

	make(&interval, "--sort cpu,program");
	text = strstr(printed(&interval, 0, &style), "\n Percent");
	ck_assert_ptr_nonnull(text);
	ck_assert_str_eq(text, expected);
	interval_free(&interval);
}

TEST(the_busiest_cpus_are_shown_if_there_are_too_many)
{
	static const char expected[] =
		"       0  100.0%             350,000           700         40\n"
		"       2   12.3%             125,000           250          0\n"
		"          1 more CPU\n";
	const struct view_style style = { .columns = 80, .rows = 6 };
	struct interval interval;

	make(&interval, "");
	ck_assert_ptr_nonnull(strstr(printed(&interval, 0, &style), expected));
	interval_free(&interval);
}

TEST(another_sort_order_needs_no_other_interval)
{
	struct top_options options;
	const struct view_style style = { .columns = 80 };
	struct interval interval;

	make(&interval, "");
	ck_assert_int_eq(parse("-s thread", &options), 0);
	ck_assert_int_eq(interval_sort(&interval, &options.profile, &interval), 0);
	ck_assert_ptr_nonnull(strstr(printed(&interval, 0, &style),
				     "   5.00%            50          1  app (101)\n"));
	interval_free(&interval);
}

TEST(lines_are_cut_at_the_width_of_the_screen)
{
	char *text = NULL;
	size_t size;
	FILE *memory = open_memstream(&text, &size);

	/* A block character has three bytes in UTF-8, but takes up one column. */
	screen_write(memory, "12345678\n\u2588\u258f3456\n\n1234\nno room", 4, 5);
	fclose(memory);
	ck_assert_str_eq(text, "12345\n\u2588\u258f345\n\n1234");
	free(text);
}

static bool echoes(int terminal)
{
	struct termios settings;

	ck_assert_int_eq(tcgetattr(terminal, &settings), 0);
	return settings.c_lflag & ECHO;
}

/*
 * The child process: print the terminal's size. Then print each key that is pressed, and R whenever
 * the screen must be drawn again. After q, show a screen of two lines and end.
 */
static void use_screen(void)
{
	struct screen screen;
	char key = 0;

	if (screen_begin(&screen))
		_exit(1);
	printf("<%u %u>", screen.columns, screen.rows);
	fflush(stdout);
	while (key != SCREEN_QUIT) {
		key = screen_key(&screen);
		if (key)
			printf("<%c>", key == SCREEN_REDRAW ? 'R' : key);
		fflush(stdout);
		usleep(1000);
	}
	screen_show(&screen, "one\ntwo");
	screen_end(&screen);
	_exit(0);
}

/* Read from the terminal until the characters that were read so far contain @text. */
static void expect(int terminal, const char *text)
{
	static char all[4096];
	static size_t size;

	while (!strstr(all, text)) {
		ssize_t got = read(terminal, all + size, sizeof(all) - 1 - size);

		ck_assert_msg(got > 0, "no '%s' in '%s'", text, all);
		size += (size_t)got;
	}
}

TEST(the_terminal_is_as_before_at_the_end)
{
	struct winsize size = { .ws_col = 100, .ws_row = 30 };
	int terminal, status, slave;
	pid_t pid;

	pid = forkpty(&terminal, NULL, NULL, &size);
	ck_assert_int_ge(pid, 0);
	if (!pid)
		use_screen();
	slave = open(ptsname(terminal), O_RDWR | O_NOCTTY);
	ck_assert_int_ge(slave, 0);
	expect(terminal, "<100 30>");
	ck_assert(!echoes(slave));
	ck_assert_int_eq(write(terminal, "s", 1), 1);
	expect(terminal, "<s>");
	size.ws_row = 20;
	ck_assert_int_eq(ioctl(terminal, TIOCSWINSZ, &size), 0);
	expect(terminal, "<R>");
	ck_assert_int_eq(write(terminal, "\x1a", 1), 1);
	ck_assert_int_eq(waitpid(pid, &status, WUNTRACED), pid);
	ck_assert(WIFSTOPPED(status));
	ck_assert(echoes(slave));
	ck_assert_int_eq(kill(pid, SIGCONT), 0);
	expect(terminal, "<R><R>");
	ck_assert(!echoes(slave));
	ck_assert_int_eq(write(terminal, "q", 1), 1);
	expect(terminal, "\033[H\033[Jone\r\ntwo");
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFEXITED(status) && !WEXITSTATUS(status));
	ck_assert(echoes(slave));
	close(slave);
	close(terminal);
}
