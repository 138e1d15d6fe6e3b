// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs suites.  Every test has a libcheck case and a runner of its own, so that its
 * result is out before the next begins.
 */
#include <stdarg.h>
#include <stdio.h>
#include <sys/mman.h>
#include <time.h>

#include "guest.h"

#define SUITES_MAX 64
#define SKIPS_MAX  256

struct suite {
	const char *name;
	int seconds;
	const TTest **tests;
	size_t count;
};

static struct suite suites[SUITES_MAX];
static size_t suite_count;

/* Written by the test, which is another process. */
struct skipped {
	volatile int set;
	char why[256];
};

static struct skipped *skipped;

static char *skips[SKIPS_MAX];
static unsigned int passed, failed, skip_count;

void suite_register(const char *name, int seconds, const TTest *const *tests,
		    size_t count)
{
	struct suite *suite = &suites[suite_count++];

	if (suite_count > SUITES_MAX)
		abort();
	*suite = (struct suite){ name, seconds, calloc(count, sizeof(*tests)), count };
	memcpy(suite->tests, tests, count * sizeof(*tests));
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
	return strcmp(((const struct suite *)a)->name, ((const struct suite *)b)->name);
}

/* What the test began ends with it, but not before it. */
static bool sessions_left(void)
{
	const struct timespec pause = { .tv_nsec = 10000000 };
	char text[64];
	int tries;

	for (tries = 0; tries < 1000; tries++) {
		if (try_read_text(SYSFS "task_sessions_count", text, sizeof(text)) ||
		    !strcmp(text, "0\n"))
			return false;
		nanosleep(&pause, NULL);
	}
	return true;
}

static void report_failure(const char *name, TestResult *result)
{
	failed++;
	printf("FAILED   %s: %s:%d: %s\n", name, tr_lfile(result), tr_lno(result),
	       tr_msg(result));
}

static void report(const char *name, TestResult *result)
{
	if (tr_rtype(result) != CK_PASS) {
		report_failure(name, result);
	} else if (sessions_left()) {
		failed++;
		printf("FAILED   %s: a session is left\n", name);
	} else if (skipped->set) {
		printf("skipped  %s: %s\n", name, skipped->why);
		if (skip_count < SKIPS_MAX &&
		    asprintf(&skips[skip_count], "%s: %s", name, skipped->why) < 0)
			abort();
		skip_count++;
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

/* SUITE, or SUITE/TEST */
static bool is_named(const struct suite *suite, const TTest *test, const char *word)
{
	size_t length = strlen(suite->name);

	if (strncmp(word, suite->name, length))
		return false;
	return !word[length] ||
	       (word[length] == '/' && !strcmp(word + length + 1, test->name));
}

static bool is_wanted(const struct suite *suite, const TTest *test, char **words)
{
	if (!*words)
		return true;
	for (; *words; words++)
		if (is_named(suite, test, *words))
			return true;
	return false;
}

/* A word that names nothing is a mistake, not an empty success. */
static void check_word(char *word)
{
	char *words[] = { word, NULL };
	size_t i, j;

	for (i = 0; i < suite_count; i++)
		for (j = 0; j < suites[i].count; j++)
			if (is_wanted(&suites[i], suites[i].tests[j], words))
				return;
	fprintf(stderr, "%s: no suite or test \"%s\" (-l lists them)\n",
		program_invocation_short_name, word);
	exit(2);
}

static void for_each_wanted(char **words, void (*function)(const struct suite *suite,
							   const TTest *test))
{
	size_t i, j;

	for (i = 0; i < suite_count; i++)
		for (j = 0; j < suites[i].count; j++)
			if (is_wanted(&suites[i], suites[i].tests[j], words))
				function(&suites[i], suites[i].tests[j]);
}

static void list_test(const struct suite *suite, const TTest *test)
{
	printf("%s/%s\n", suite->name, test->name);
}

static void check_words(char **words)
{
	qsort(suites, suite_count, sizeof(suites[0]), by_name);
	for (; *words; words++)
		check_word(*words);
}

void suites_list(char **words)
{
	check_words(words);
	for_each_wanted(words, list_test);
}

int suites_run(char **words)
{
	unsigned int i;

	check_words(words);
	skipped = mmap(NULL, sizeof(*skipped), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (skipped == MAP_FAILED) {
		perror("mmap");
		return EXIT_FAILURE;
	}
	for_each_wanted(words, run_test);
	if (skip_count)
		puts("\nSkipped:");
	for (i = 0; i < skip_count && i < SKIPS_MAX; i++)
		printf("  %s\n", skips[i]);
	printf("%u passed, %u failed, %u skipped\n", passed, failed, skip_count);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
