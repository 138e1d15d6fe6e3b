// SPDX-License-Identifier: GPL-2.0-only
/*
 * These tests load and unload modules.
 *
 * The best PMU module is the module for the PMU of this machine. Each test that unloads modules
 * loads the best PMU module again at the end. If the test fails earlier, the creation of the next
 * context loads this module.
 */
#include <stdio.h>
#include <sys/ioctl.h>

#include "guest.h"
#include "measure.h"

SUITE(modules, 60);

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

/*
 * delete_module() with O_NONBLOCK fails with EAGAIN if the module is in use, and with EBUSY for
 * other reasons.
 */
static void must_not_unload(const char *name)
{
	int error = module_unload(name);

	ck_assert_msg(error == EAGAIN, "unloading %s: %s", name,
		      error ? strerror(error) : "done");
}

/* Unloads the module of the default PMU. */
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

TEST(a_query_for_information_loads_the_best_pmu)
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

/* Hides the module's file from modprobe, or shows it again. */
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

TEST(without_any_pmu_create_is_enosys_and_information_has_none)
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
	/*
	 * The PMU modules are no longer hidden, so a create now succeeds on the descriptor on which
	 * it failed before.
	 */
	must(fd, ioctl(fd, PFM_IOC_CREATE_CONTEXT, &create));
	count_must_be_right(fd);
}

TEST(the_software_pmu_beside_another_is_not_the_default)
{
	char link[256];
	int length, fd;

	if (!strcmp(best_pmu_module(), "perfmon_soft"))
		skip("only the software PMU fits this machine");
	must_load("perfmon_soft");
	ck_assert_str_eq(pmu_module(), best_pmu_module());
	fd = make_context();
	count_must_be_right(fd);
	close(fd);
	/* The default PMU does not depend on the order in which PMU modules are loaded. */
	unload_pmu();
	ck_assert_str_eq(info_now().pmu_name, "soft");
	must_load(best_pmu_module());
	ck_assert_str_eq(pmu_module(), best_pmu_module());
	ck_assert(path_exists(SYSFS "pmus/soft/pmd0/width"));
	length = readlink(SYSFS "pmu_desc", link, sizeof(link) - 1);
	ck_assert_int_gt(length, 0);
	link[length] = '\0';
	ck_assert_str_eq(strrchr(link, '/') + 1, pmu()->info.pmu_name);
	must_unload("perfmon_soft");
	ck_assert(!path_exists(SYSFS "pmus/soft"));
}

/*
 * Any user may name a PMU when they create a context, and then the core loads the module of this
 * PMU. The named PMU must not become the default PMU.
 */
TEST(the_default_is_not_the_pmu_that_was_named_first)
{
	struct pfm_create create = { .pmu_name = (uintptr_t) "soft" };
	int soft = pfm_open_device();

	if (!strcmp(best_pmu_module(), "perfmon_soft"))
		skip("only the software PMU fits this machine");
	unload_pmu();
	must(soft, ioctl(soft, PFM_IOC_CREATE_CONTEXT, &create));
	ck_assert_str_eq(pmu_module(), best_pmu_module());
	count_must_be_right(make_context());
	close(soft);
	must_unload("perfmon_soft");
}

#define FOR_NONE "perfmon-pmu:none:....................."
#define FOR_ALL	 "perfmon-pmu:**************************"

/*
 * Replaces @before by @after in the module's file and runs depmod. Does nothing if the file does
 * not contain @before.
 */
static void change_alias(const char *module, const char *before, const char *after)
{
	static char content[4 << 20];
	FILE *file = fopen(module_path(module), "r+");
	size_t size;
	char *alias;

	if (!file)
		abort();
	size = fread(content, 1, sizeof(content), file);
	alias = memmem(content, size, before, strlen(before));
	if (!alias) {
		fclose(file);
		return;
	}
	rewind(file);
	memcpy(alias, after, strlen(before));
	if (fwrite(content, 1, size, file) != size || fclose(file) || system("depmod"))
		abort();
}

/*
 * The alias of the example module matches no processor. The test changes the alias to match all
 * processors, and hides all other PMU modules of this tree.
 */
static void check_alias(void)
{
	unload_pmu();
	change_alias("perfmon_example", FOR_NONE, FOR_ALL);
	hide_all(true);
	ck_assert_str_eq(info_now().pmu_name, "example");
}

static void put_back_alias(void)
{
	hide_all(false);
	change_alias("perfmon_example", FOR_ALL, FOR_NONE);
	if (module_is_loaded("perfmon_example"))
		must_unload("perfmon_example");
	must_load(best_pmu_module());
}

TEST(an_unknown_pmu_module_loads_by_its_alias)
{
	then_put_back(check_alias, put_back_alias);
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

TEST(a_narrower_software_pmu_reports_its_width_and_counts_right)
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

TEST(the_description_disappears_with_the_pmu)
{
	unload_pmu();
	ck_assert(!path_exists(SYSFS "pmu_desc"));
	must_load(best_pmu_module());
	ck_assert(path_exists(SYSFS "pmu_desc/pmc0"));
}
