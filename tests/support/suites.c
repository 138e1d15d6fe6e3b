// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs suites. Every test has its own libcheck case and runner, so its result is printed before
 * the next test begins.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runner.h"
#include "suites.h"

#define SUITES_MAX 128

static struct suite *suites[SUITES_MAX];
static size_t suite_count;

/* Written by the test, which runs in another process. */
struct skipped {
	volatile int set;
	char why[256];
};

static struct skipped *skipped;

static unsigned int passed, failed, skip_count;

void suite_register(struct suite *suite)
{
	if (suite_count == SUITES_MAX)
		abort();
	suites[suite_count++] = suite;
}

void suite_add(struct suite *suite, const TTest *test)
{
	if (suite->count == SUITE_TESTS_MAX)
		abort();
	suite->tests[suite->count++] = test;
}

void skip(const char *why, ...)
{
	va_list arguments;

	va_start(arguments, why);
	vsnprintf(skipped->why, sizeof(skipped->why), why, arguments);
	va_end(arguments);
	skipped->set = 1;
	exit(EXIT_SUCCESS);
}

static int by_name(const void *a, const void *b)
{
	const struct suite *const *first = a, *const *second = b;

	return strcmp((*first)->name, (*second)->name);
}

static void report(const char *name, TestResult *result)
{
	if (tr_rtype(result) != CK_PASS) {
		failed++;
		printf("FAILED   %s: %s:%d: %s\n", name, tr_lfile(result), tr_lno(result),
		       tr_msg(result));
	} else if (the_program.is_clean && !the_program.is_clean()) {
		failed++;
		printf("FAILED   %s: it does not restore the initial state\n", name);
	} else if (skipped->set) {
		skip_count++;
		printf("skipped  %s: %s\n", name, skipped->why);
	} else {
		passed++;
		printf("passed   %s\n", name);
	}
}

static void run_test(const struct suite *suite, const TTest *test)
{
	char name[128];
	Suite *check_suite = suite_create(suite->name);
	TCase *tcase = tcase_create(test->name);
	SRunner *runner;
	TestResult **results;

	snprintf(name, sizeof(name), "%s/%s", suite->name, test->name);
	tcase_set_timeout(tcase, suite->seconds);
	tcase_add_test(tcase, test);
	suite_add_tcase(check_suite, tcase);
	runner = srunner_create(check_suite);
	srunner_set_fork_status(runner, CK_FORK);

	skipped->set = 0;
	fflush(stdout);
	srunner_run_all(runner, CK_SILENT);
	results = srunner_results(runner);
	report(name, results[0]);
	fflush(stdout);
	free(results);
	srunner_free(runner);
}

/* Returns whether @word is the folder of the suite's file, followed by a slash. */
static bool is_folder(const struct suite *suite, const char *word)
{
	const char *end = strrchr(suite->file, '/');
	const char *slash = end ? memrchr(suite->file, '/', end - suite->file) : NULL;
	const char *begin = slash ? slash + 1 : suite->file;

	return end && strlen(word) == (size_t)(end + 1 - begin) &&
	       !strncmp(word, begin, end + 1 - begin);
}

/* Returns whether @word names the test, as FOLDER/, SUITE or SUITE/TEST. */
static bool is_named(const struct suite *suite, const TTest *test, const char *word)
{
	size_t length = strlen(suite->name);

	if (is_folder(suite, word))
		return true;
	if (strncmp(word, suite->name, length))
		return false;
	return !word[length] ||
	       (word[length] == '/' && !strcmp(word + length + 1, test->name));
}

/*
 * Without words, every test is wanted. With words, a test that no word names is wanted only if the
 * first word begins with ^. A word that begins with ^ leaves out the tests that it names. If
 * several words name a test, the last one decides.
 */
static bool is_wanted(const struct suite *suite, const TTest *test, char **words)
{
	bool wanted = !*words || **words == '^';

	for (; *words; words++) {
		bool leaves_out = **words == '^';

		if (is_named(suite, test, *words + leaves_out))
			wanted = !leaves_out;
	}
	return wanted;
}

/* Ends the program with an error if @word fits no test, for example because it is misspelled. */
static void check_word(const char *word)
{
	const char *name = word + (*word == '^');
	size_t i, j;

	for (i = 0; i < suite_count; i++)
		for (j = 0; j < suites[i]->count; j++)
			if (is_named(suites[i], suites[i]->tests[j], name))
				return;
	fprintf(stderr, "%s: no suite or test \"%s\" (--list shows them)\n",
		program_invocation_short_name, name);
	exit(2);
}

static void check_words(char **words)
{
	qsort(suites, suite_count, sizeof(suites[0]), by_name);
	for (; *words; words++)
		check_word(*words);
}

void suites_list(char **words)
{
	size_t i, j;

	check_words(words);
	for (i = 0; i < suite_count; i++)
		for (j = 0; j < suites[i]->count; j++)
			if (is_wanted(suites[i], suites[i]->tests[j], words))
				printf("%s/%s\n", suites[i]->name,
				       suites[i]->tests[j]->name);
}

int suites_run(char **words, bool until_failure)
{
	size_t i, j;

	check_words(words);
	skipped = mmap(NULL, sizeof(*skipped), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (skipped == MAP_FAILED) {
		perror("mmap");
		return EXIT_FAILURE;
	}
	if (the_program.prepare)
		the_program.prepare();
	for (i = 0; i < suite_count; i++)
		for (j = 0; j < suites[i]->count; j++)
			if (is_wanted(suites[i], suites[i]->tests[j], words) &&
			    !(failed && until_failure))
				run_test(suites[i], suites[i]->tests[j]);
	printf("%u passed, %u failed, %u skipped\n", passed, failed, skip_count);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
