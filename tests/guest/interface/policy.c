// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests who may count, sample, and block threads, for each value of kernel.perf_event_paranoid,
 * each value of /sys/kernel/perfmon/policy, and each kind of user. The results are printed as a
 * table.
 */
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <perfmon/perfmon_armv8.h>

#include "guest.h"
#include "measure.h"
#include "../sampling/samples.h"

SUITE(policy, 300);

#define GROUP_ID 12345

/* ---- users -------------------------------------------------------------------------- */

static uint64_t become_user(uint64_t unused)
{
	(void)unused;
	become(USER_ID);
	return 0;
}

static uint64_t become_member(uint64_t unused)
{
	const gid_t group = GROUP_ID;

	(void)unused;
	if (setgroups(1, &group) || setresgid(USER_ID, USER_ID, USER_ID) ||
	    setresuid(USER_ID, USER_ID, USER_ID))
		abort();
	return child_set_dumpable(1);
}

static uint64_t become_holder(uint64_t unused)
{
	(void)unused;
	become_with_capability(USER_ID, CAP_PERFMON);
	return 0;
}

static uint64_t stay_root(uint64_t unused)
{
	return unused;
}

/*
 * The caller gets all capabilities in a new user namespace, but no capability in the initial
 * namespace.
 */
static uint64_t become_root_of_a_namespace(uint64_t unused)
{
	(void)unused;
	become(USER_ID);
	if (unshare(CLONE_NEWUSER | CLONE_NEWNS) ||
	    try_write_text("/proc/self/setgroups", "deny") ||
	    try_write_text("/proc/self/uid_map", "0 1000 1") ||
	    try_write_text("/proc/self/gid_map", "0 1000 1") || geteuid() != 0)
		abort();
	return 0;
}

/**
 * struct person - a user who tries to count
 * @is_privileged: the user has CAP_PERFMON
 * @is_root: the user may attach to all processes with ptrace
 */
struct person {
	const char *name;
	child_function become;
	bool is_privileged;
	bool is_root;
	bool is_member;
};

static const struct person people[] = {
	{ .name = "user", become_user },
	{ .name = "group member", become_member, .is_member = true },
	{ .name = "CAP_PERFMON", become_holder, .is_privileged = true },
	{ .name = "root", stay_root, .is_privileged = true, .is_root = true },
	{ .name = "root of a userns", become_root_of_a_namespace },
};

/* ---- what one user can do ------------------------------------------------------------ */

enum {
	COUNTS_USER = 0x1,
	COUNTS_KERNEL = 0x2,
	SAMPLES = 0x4,
	SEES_ADDRESSES = 0x8, /* of the kernel */
	BLOCKS_OWN = 0x10, /* a child process of the user */
	BLOCKS_OTHER = 0x20, /* another user's process */
	BLOCKS_INIT = 0x40,
	WRONG = 0x80, /* status and counters disagree, or a call failed for a wrong reason */
};

#define REASON_SHIFT 8

static int try_context(uint32_t flags)
{
	pfarg_ctx_t ctx = { .ctx_flags = flags };

	return pfm_create_context(&ctx, NULL, NULL, 0);
}

/*
 * Counts with @fd and closes it. Returns the levels at which something was counted, and WRONG if
 * the status contradicts the counters. Counter 0 shows whether anything is counted. If the PMU can
 * select levels, counter 1 counts at kernel level only.
 */
static uint64_t try_counting(int fd)
{
	bool is_told = !(status_of(fd).flags & PFM_STATUS_USER_LEVEL);
	bool is_known = selects_levels();
	uint64_t result = 0;
	bool counts_kernel;

	use_busy_counters(fd);
	if (is_known) {
		write_pmc(fd, pmu()->pmcs[1], cycles(AT_KERNEL));
		write_pmd(fd, pmu()->pmds[1], 0);
	}
	load(fd, thread_id());
	must(fd, pfm_start(fd, NULL));
	touch_pages(100);
	spin_turns(10000);
	must(fd, pfm_stop(fd));
	if (read_pmd(fd, pmu()->pmds[0]) > 0)
		result |= COUNTS_USER;
	counts_kernel = is_known ? read_pmd(fd, pmu()->pmds[1]) > 0 : is_told;
	if (counts_kernel)
		result |= COUNTS_KERNEL;
	if (counts_kernel != is_told)
		result |= WRONG;
	close(fd);
	return result;
}

static bool has_kernel_address(header_t header)
{
	entry_t entry;

	for_each_entry(entry, header, 0)
		if (is_kernel_address(entry->ip))
			return true;
	return false;
}

/*
 * Samples a thread that calls getrandom() again and again. The result tells whether sampling is
 * possible, and whether a sample has an address of the kernel. A single sample may be at user
 * level, so several samples are taken.
 */
static uint64_t try_sampling(void)
{
	int fd = try_default(0, page_size()), turn;
	uint64_t result = SAMPLES;
	char bytes[4096];
	header_t header;

	if (fd == -1)
		return 0;
	header = map_buffer(fd, page_size());
	sample_promptly(fd, PERIOD / 40, NOTIFY);
	load_and_start(fd, thread_id());
	for (turn = 0; turn < 8 && !(result & SEES_ADDRESSES); turn++) {
		while (!message_waits(fd)) {
			if (getrandom(bytes, sizeof(bytes), 0) == -1)
				abort();
			spin_turns(500);
		}
		if (has_kernel_address(header))
			result |= SEES_ADDRESSES;
		next_overflow(fd);
		must(fd, pfm_restart(fd));
	}
	close(fd);
	munmap((void *)header, page_size());
	return result;
}

/*
 * Tries to load a context that can block process @pid. Returns @bit if the load succeeds. If the
 * load fails, the reason must be @wanted. The load first checks whether the user may monitor the
 * process, and then whether the user may block it.
 */
static uint64_t try_blocking(pid_t pid, uint64_t bit, unsigned int wanted)
{
	int fd = try_context(PFM_FL_NOTIFY_BLOCK);
	struct pfm_error error = { .reason = PFM_REASON_NONE };

	if (fd == -1)
		return WRONG;
	if (!try_load(fd, pid)) {
		close(fd);
		return bit;
	}
	must(fd, pfm_get_error(fd, &error));
	close(fd);
	return error.error == EPERM && error.reason == wanted ? 0 : WRONG;
}

static uint64_t try_blocking_a_child(void)
{
	pid_t pid = fork();
	uint64_t result;

	if (pid == 0) {
		pause();
		_exit(EXIT_SUCCESS);
	}
	result = try_blocking(pid, BLOCKS_OWN, PFM_REASON_NONE);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return result;
}

static uint64_t try_everything(uint64_t other)
{
	int fd = try_context(0);
	struct pfm_error error;
	unsigned int reason;
	uint64_t result;

	if (fd == -1)
		return pfm_get_error(-1, &error) ? WRONG
						 : (uint64_t)error.reason << REASON_SHIFT;
	result = try_counting(fd) | try_sampling() | try_blocking_a_child();
	reason = result & SEES_ADDRESSES ? PFM_REASON_MAY_NOT_BLOCK
					 : PFM_REASON_PERMISSION;
	return result | try_blocking(other, BLOCKS_OTHER, reason) |
	       try_blocking(1, BLOCKS_INIT, reason);
}

/* ---- the table ------------------------------------------------------------------------- */

struct row {
	int paranoid;
	const char *policy;
	bool has_group;
	const struct person *person;
};

static bool may_count(const struct row *row)
{
	bool is_member = row->has_group && row->person->is_member;

	if (row->person->is_privileged || is_member)
		return true;
	if (!strcmp(row->policy, "perf"))
		return row->paranoid <= 2;
	return !strcmp(row->policy, "user");
}

static uint64_t expected(const struct row *row)
{
	const struct person *person = row->person;
	uint64_t result = COUNTS_USER | SAMPLES | BLOCKS_OWN;

	if (!may_count(row))
		return (uint64_t)(strcmp(row->policy, "group") ? PFM_REASON_PARANOID
							       : PFM_REASON_GROUP)
		       << REASON_SHIFT;
	if (person->is_privileged || row->paranoid <= 1)
		result |= COUNTS_KERNEL;
	if (person->is_privileged)
		result |= SEES_ADDRESSES;
	if (person->is_root)
		result |= BLOCKS_OTHER;
	return result;
}

static const char *answer(uint64_t result, unsigned int bit)
{
	return result & bit ? "yes" : "-";
}

static void print_row(const struct row *row, uint64_t result)
{
	printf("%8d  %-6s  %-5s  %-16s  %-4s  %-6s  %-7s  %-9s  %-5s  %-7s  %s\n",
	       row->paranoid, row->policy, row->has_group ? "set" : "-",
	       row->person->name, answer(result, COUNTS_USER),
	       answer(result, COUNTS_KERNEL), answer(result, SAMPLES),
	       answer(result, SEES_ADDRESSES), answer(result, BLOCKS_OWN),
	       answer(result, BLOCKS_OTHER), answer(result, BLOCKS_INIT));
	fflush(stdout);
}

static void print_head(void)
{
	printf("paranoid  policy  group  person            user  kernel  samples  "
	       "addresses  blocks: child  other's  process 1\n");
}

static void set_number(const char *path, int number)
{
	char text[16];

	snprintf(text, sizeof(text), "%d\n", number);
	write_text(path, text);
}

static void try_row(const struct row *row, pid_t other)
{
	struct child child;
	uint64_t result;

	set_number(PARANOID, row->paranoid);
	set_number(SYSFS "task_group", row->has_group ? GROUP_ID : -1);
	write_text(SYSFS "policy", row->policy);
	child = child_new();
	child_call(&child, row->person->become, 0);
	result = child_call(&child, try_everything, other);
	child_exit(&child);
	print_row(row, result);
	ck_assert_msg(result == expected(row),
		      "paranoid %d, policy %s, %s group, %s: 0x%jx, should be 0x%jx",
		      row->paranoid, row->policy, row->has_group ? "with" : "without",
		      row->person->name, (uintmax_t)result, (uintmax_t)expected(row));
}

static void put_back(void)
{
	write_text(SYSFS "policy", "perf");
	write_text(SYSFS "task_group", "-1");
	write_text(PARANOID, "1");
}

static const char *policy_tried;

static void try_policy(void)
{
	struct child other = child_new();
	struct row row = { .policy = policy_tried };
	size_t i;

	child_call(&other, child_set_uid, OTHER_ID);
	pmu();
	print_head();
	for (row.paranoid = 3; row.paranoid >= -1; row.paranoid--)
		for (i = 0; i < 2 * COUNT(people); i++) {
			row.has_group = i >= COUNT(people);
			row.person = &people[i % COUNT(people)];
			try_row(&row, other.pid);
		}
}

TEST(by_default_the_rules_are_those_of_perf)
{
	need_overflow_interrupts();
	policy_tried = "perf";
	then_put_back(try_policy, put_back);
}

TEST(user_level_can_be_allowed_to_everybody)
{
	need_overflow_interrupts();
	policy_tried = "user";
	then_put_back(try_policy, put_back);
}

TEST(counting_can_be_restricted_to_a_group)
{
	need_overflow_interrupts();
	policy_tried = "group";
	then_put_back(try_policy, put_back);
}

/* ---- a forged setting, ptrace_scope, and a later change of user --------------------------- */

static uint64_t forge_the_setting(uint64_t unused)
{
	become_root_of_a_namespace(unused);
	if (mount("/tmp/forged", PARANOID, NULL, MS_BIND, NULL) ||
	    strcmp(read_text(PARANOID), "0\n"))
		return 0;
	return try_context(0) == -1 ? errno : 0;
}

static void check_forgery(void)
{
	struct child child = child_new();
	int fd = open("/tmp/forged", O_WRONLY | O_CREAT | O_TRUNC, 0644);

	ck_assert_int_eq(write(fd, "0\n", 2), 2);
	close(fd);
	write_text(PARANOID, "3");
	ck_assert_uint_eq(child_call(&child, forge_the_setting, 0), EPERM);
}

TEST(a_file_mounted_over_the_setting_has_no_effect)
{
	then_put_back(check_forgery, put_back);
	unlink("/tmp/forged");
}

#define PTRACE_SCOPE "/proc/sys/kernel/yama/ptrace_scope"

static uint64_t reason_of_blocking(uint64_t pid)
{
	struct pfm_error error = { .reason = PFM_REASON_NONE };
	int fd;

	become(USER_ID);
	fd = try_context(PFM_FL_NOTIFY_BLOCK);
	if (try_load(fd, pid))
		pfm_get_error(fd, &error);
	close(fd);
	return error.reason;
}

/*
 * Sets ptrace_scope to @scope while a child tries to block process @pid. The child and @pid belong
 * to the same user, and @pid is not a descendant of the child. Returns the reason for the refusal,
 * or PFM_REASON_NONE if the child may block the process.
 */
static unsigned int reason_with_scope(const char *scope, pid_t pid)
{
	char before[16];
	struct child child = child_new();
	unsigned int reason;

	snprintf(before, sizeof(before), "%s", read_text(PTRACE_SCOPE));
	write_text(PTRACE_SCOPE, scope);
	reason = child_call(&child, reason_of_blocking, pid);
	write_text(PTRACE_SCOPE, before);
	child_exit(&child);
	return reason;
}

TEST(ptrace_scope_decides_who_may_block_a_thread)
{
	struct child other = child_new();

	child_call(&other, child_set_uid, USER_ID);
	pmu();
	ck_assert_uint_eq(reason_with_scope("0", other.pid), PFM_REASON_NONE);
	ck_assert_uint_eq(reason_with_scope("1", other.pid), PFM_REASON_MAY_NOT_BLOCK);
}

/*
 * As with perf, the rights of the user who creates a context decide whether it may count at kernel
 * level. The decision does not change if the process later becomes another user.
 */
TEST(the_level_is_decided_when_the_context_is_made)
{
	int restricted = context_at_user_level(), free;

	ck_assert(status_of(restricted).flags & PFM_STATUS_USER_LEVEL);
	free = make_context();
	become(USER_ID);
	ck_assert(!(status_of(free).flags & PFM_STATUS_USER_LEVEL));
	count_must_be_right(restricted);
	count_must_be_right(free);
}
