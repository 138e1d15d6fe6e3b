/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What every libcheck program of this directory has in common.
 *
 *	TESTS("name", test, ...)	makes main(), which runs them
 */
#ifndef UNIT_MAIN_H
#define UNIT_MAIN_H

#include <check.h>
#include <stdlib.h>

#define TESTS(name, ...)                                                                 \
	int main(void)                                                                   \
	{                                                                                \
		const TTest *tests[] = { __VA_ARGS__ };                                  \
		return run_tests(name, tests, sizeof(tests) / sizeof(tests[0]));         \
	}

static int run_tests(const char *name, const TTest *const tests[], size_t count)
{
	Suite *suite = suite_create(name);
	TCase *tcase = tcase_create(name);
	SRunner *runner;
	int failed;

	/* Not libcheck's 4: a machine may be slow, and have other things to do. */
	tcase_set_timeout(tcase, 120);
	for (size_t i = 0; i < count; i++)
		tcase_add_test(tcase, tests[i]);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

#endif
