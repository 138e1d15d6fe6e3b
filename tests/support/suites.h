/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The runner of all test programs.
 *
 * A suite is a file.  Its tests register themselves, and run in the order of the file:
 *
 *	SUITE(name, seconds);
 *
 *	TEST(what_must_hold)
 *	{
 *		if (!pmu()->can_narrow)
 *			skip("each counter of this PMU needs emulation");
 *		ck_assert_int_eq(1 + 1, 2);
 *	}
 *
 * Each test is a process of its own. If it runs longer than the given number of seconds, it is
 * killed with all its children.
 */
#ifndef SUITES_H
#define SUITES_H

#include <check.h>
#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>

#define SUITE_TESTS_MAX 64

/**
 * struct suite - tests of one file
 * @name: name on the command line
 * @seconds: time limit of each test
 * @file: path of the source; on the command line, FOLDER/ stands for all suites whose sources are
 *	in a folder of this name
 */
struct suite {
	const char *name;
	int seconds;
	const char *file;
	const TTest *tests[SUITE_TESTS_MAX];
	size_t count;
};

void suite_register(struct suite *suite);
void suite_add(struct suite *suite, const TTest *test);

#define SUITE(suite_name, suite_seconds)                                                  \
	static struct suite this_suite = { #suite_name, suite_seconds, __FILE__, {}, 0 }; \
	__attribute__((constructor)) static void register_this_suite(void)                \
	{                                                                                 \
		suite_register(&this_suite);                                              \
	}                                                                                 \
	struct suite

#define TEST(test)                                                                       \
	static void test##_function(int unused);                                         \
	__attribute__((constructor)) static void register_##test(void)                   \
	{                                                                                \
		static const TTest registered = { #test, test##_function, __FILE__,      \
						  __LINE__ };                            \
		suite_add(&this_suite, &registered);                                     \
	}                                                                                \
	static void test##_function(__attribute__((unused)) int unused)

/* Ends the test, which is then reported as skipped. @why: why the test cannot run here. */
void skip(const char *why, ...) __attribute__((noreturn, format(printf, 1, 2)));

/**
 * struct test_program - what a test program adds to the runner; only @about is required
 * @about: what it tests and where, for --help
 * @begin: called first, with main()'s arguments
 * @prepare: called once, before the first test
 * @options: the options of this program, ended by an element of zeros; each has a long and a
 *	short form
 * @options_help: lines about these options in --help
 * @take_option: handles one of @options; returns false if the argument is wrong
 * @is_clean: called after each test that did not fail; returns false if something that the test
 *	made, such as a loaded context, still exists. It waits a little, because some of these
 *	things disappear only a short time after the test.
 */
struct test_program {
	const char *about;
	void (*begin)(int argc, char **argv);
	void (*prepare)(void);
	const struct option *options;
	const char *options_help;
	bool (*take_option)(int option, char *argument);
	bool (*is_clean)(void);
};

extern const struct test_program the_program;

#endif
