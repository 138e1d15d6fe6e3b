// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests modules whose description of a PMU or of a sampling format has one mistake. The core must
 * refuse to register such a description, whether other modules are registered or not.
 */
#include <stdio.h>

#include "measure.h"
#include "perfmon_wrong.h"

SUITE(descriptions, 60);

struct wrong {
	const char *name;
	unsigned int what;
};

#define ROW(name, change) { #name, name },

static int try_load_wrong(unsigned int what)
{
	char parameter[32];

	snprintf(parameter, sizeof(parameter), "what=%u", what);
	return module_load("perfmon_wrong", parameter);
}

static void must_be_refused(const struct wrong *wrong, size_t count, int wanted)
{
	size_t i;
	int error;

	for (i = 0; i < count; i++) {
		error = try_load_wrong(wrong[i].what);
		ck_assert_msg(error == wanted, "%s: %s, not %s", wrong[i].name,
			      strerror(error), strerror(wanted));
	}
}

static void must_be_taken(unsigned int what)
{
	ck_assert_int_eq(try_load_wrong(what), 0);
	ck_assert_int_eq(module_unload("perfmon_wrong"), 0);
}

TEST(a_pmu_with_a_mistake_is_refused)
{
	static const struct wrong pmus[] = { WRONG_PMUS(ROW) };

	count_must_be_right(make_context()); /* loads another PMU module */
	must_be_refused(pmus, COUNT(pmus), EINVAL);
	must_be_taken(RIGHT_PMU);
	count_must_be_right(make_context());
}

/*
 * The kernel's log must say that the module was built for version @theirs of the @kind interface,
 * and that perfmon has version @ours.
 */
static void must_be_logged(const char *kind, unsigned int theirs, unsigned int ours)
{
	char sentence[256];

	snprintf(sentence, sizeof(sentence),
		 "perfmon: perfmon_wrong was built for %s interface %u, but this perfmon "
		 "has %u: rebuild it against the headers of this perfmon\n",
		 kind, theirs, ours);
	ck_assert_msg(strstr(kernel_log(), sentence), "not logged: %s", sentence);
}

/*
 * The value of PFM_PMU_INTERFACE and PFM_FORMAT_INTERFACE. Only kernel code can include the headers
 * that define them.
 */
#define INTERFACE 1

TEST(a_pmu_built_for_another_interface_is_refused_with_a_log_message)
{
	static const struct wrong pmus[] = { PMUS_OF_OTHERS(ROW) };

	must_be_refused(pmus, COUNT(pmus), ENOEXEC);
	must_be_logged("PMU", INTERFACE + 1, INTERFACE);
	must_be_logged("PMU", 0, INTERFACE);
}

TEST(a_format_built_for_another_interface_is_refused_with_a_log_message)
{
	static const struct wrong formats[] = { FORMATS_OF_OTHERS(ROW) };

	must_be_refused(formats, COUNT(formats), ENOEXEC);
	must_be_logged("format", INTERFACE + 1, INTERFACE);
	must_be_logged("format", 0, INTERFACE);
}

static void check_largest_pmu(void)
{
	int fd = pfm_open_device();
	struct pfm_info info;

	must(fd, pfm_get_info(fd, &info));
	ck_assert_str_eq(info.pmu_name, "wrong");
	ck_assert_uint_eq(info.counter_pmds[0], 1ull << 63 | 1);
	ck_assert_uint_eq(info.implemented_pmds[0], 1ull << 63 | 1);
	ck_assert_uint_eq(info.implemented_pmds[1], 1);
	close(fd);
}

TEST(a_pmu_may_have_the_maximum_of_everything)
{
	with_pmu("perfmon_wrong", "what=0", check_largest_pmu);
}

TEST(a_format_with_a_mistake_is_refused)
{
	static const struct wrong formats[] = { WRONG_FORMATS(ROW) };
	static const struct wrong taken[] = { TAKEN_FORMATS(ROW) };

	must_be_refused(formats, COUNT(formats), EINVAL);
	must_be_refused(taken, COUNT(taken), EBUSY);
	must_be_taken(RIGHT_FORMAT);
}
