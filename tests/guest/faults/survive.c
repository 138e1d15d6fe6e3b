// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes each allocation of an operation fail in turn: first alone, then together with all later
 * allocations. After each attempt the state is checked.
 */
#include <poll.h>
#include <stdio.h>

#include "measure.h"
#include "survive.h"

int fd = -1;
int opened = -1;
struct child child;

/* State that a failed attempt must not change. */
struct state {
	struct pfm_status status;
	struct pfarg_setinfo set;
	pfarg_pmd_t pmds[3];
	uint64_t sessions;
	int core_users;
	int pmu_users;
	int events;
};

static struct state state_now(void)
{
	struct pollfd pollfd = { .fd = fd, .events = POLLIN };
	struct state state = {};

	state.sessions = sessions();
	state.core_users = module_users("perfmon");
	state.pmu_users = module_users(best_pmu_module());
	poll(&pollfd, 1, 0);
	state.events = pollfd.revents;
	if (pfm_get_status(fd, &state.status))
		return state; /* no context yet */
	state.set = set_of(fd, 0);
	state.pmds[0].reg_num = pmu()->pmds[0];
	state.pmds[1].reg_num = PFM_PMD_TASK_CLOCK;
	state.pmds[2].reg_num = PFM_PMD_MINOR_FAULTS;
	must(fd, pfm_read_pmds(fd, state.pmds, 3));
	return state;
}

#define must_be_unchanged(field)                                                         \
	ck_assert_msg(!memcmp(&before->field, &now.field, sizeof(now.field)),            \
		      "%sthe failure changed " #field, subject)

static void state_must_be(const struct state *before)
{
	const struct state now = state_now();

	must_be_unchanged(status);
	must_be_unchanged(set);
	must_be_unchanged(pmds);
	must_be_unchanged(sessions);
	must_be_unchanged(core_users);
	must_be_unchanged(pmu_users);
	must_be_unchanged(events);
}

static void check_failure(const struct operation *operation, int error, bool ours)
{
	struct pfm_error told;

	ck_assert_msg(error == ENOMEM || operation->foreign, "%s%s", subject,
		      strerror(error));
	if (!operation->reason || !ours)
		return;
	must(fd, pfm_get_error(fd, &told));
	ck_assert_msg(told.error == ENOMEM && told.reason == PFM_REASON_MEMORY &&
			      told.index == PFM_NO_INDEX,
		      "%slast error: errno %d, reason %u, index %d", subject, told.error,
		      told.reason, (int)told.index);
}

struct tally {
	unsigned int failed;
	unsigned int ours; /* failures whose logged stack shows a module of perfmon */
	unsigned int absorbed; /* failures for which the caller had a fallback */
	unsigned int tolerated; /* failures that operation->absorbed or ->foreign allows */
	unsigned int tried;
	unsigned int last; /* number of allocations that could fail */
};

/*
 * Maximum number of allocations that the debug kernel makes for its own records, after the last
 * allocation that an operation needs. If they fail, the kernel continues without these records.
 */
#define MOST_RECORDS 6

/*
 * If all further allocations fail, no fallback helps, and an operation of perfmon must fail. The
 * operation may succeed only in its last runs, in which only allocations for the kernel's records
 * fail. The test cannot distinguish these allocations from other allocations with __GFP_NOWARN. So
 * it limits the number of successful runs.
 */
static void check_success(const struct operation *operation, unsigned int nth,
			  const struct tally *tally)
{
	if (operation->absorbed || operation->foreign ||
	    !(operation->allocates || operation->reason))
		return;
	ck_assert_msg(nth > 1, "%sthe operation succeeds without any memory", subject);
	ck_assert_msg(tally->absorbed <= MOST_RECORDS,
		      "%sthe operation succeeded in %u runs although allocations failed",
		      subject, tally->absorbed);
}

static void judge(const struct operation *operation, int error, enum inject_kind kind,
		  unsigned int nth, const struct injected *found, struct tally *tally)
{
	if (error != operation->normally) {
		ck_assert_msg(found->injected, "%s%s, but no failure was injected",
			      subject, strerror(error));
		check_failure(operation, error, found->ours || kind == INJECT_REST);
		tally->failed++;
		tally->ours += found->ours;
	} else if (found->told && !found->reserve) {
		ck_assert_msg(operation->absorbed || operation->foreign,
			      "%sthe operation succeeds despite this failure", subject);
		tally->tolerated++;
	} else if (found->injected) {
		tally->absorbed++;
		if (kind == INJECT_REST)
			check_success(operation, nth, tally);
	}
}

static void arm(const struct operation *operation, unsigned int nth)
{
	if (operation->process)
		inject_arm_process(*operation->process, nth);
	else
		inject_arm(nth);
}

/*
 * INJECT_OBJECT and INJECT_PAGE are tried for every allocation. INJECT_REST is tried for each of
 * the first 100 allocations, and after them for every STRIDEth. STRIDE is an odd prime number, so
 * that every part of a repeating pattern is hit.
 */
#define STRIDE 13

static unsigned int step(enum inject_kind kind, unsigned int nth)
{
	return kind == INJECT_REST && nth > 100 ? STRIDE : 1;
}

static struct tally fail_in_turn(const struct operation *operation, enum inject_kind kind)
{
	static const char *const kinds[] = { "object", "page", "all from" };
	static char where[128];
	struct injected found;
	struct tally tally = {};
	struct state before;
	unsigned int nth;
	int error;

	inject_kind(kind);
	for (nth = 1;; nth += step(kind, nth)) {
		snprintf(where, sizeof(where), "%s, %s %u: ", operation->name,
			 kinds[kind], nth);
		subject = where;
		if (operation->before)
			operation->before();
		if (!operation->verify)
			before = state_now();
		arm(operation, nth);
		error = operation->attempt(operation);
		found = inject_disarm();
		judge(operation, error, kind, nth, &found, &tally);
		if (operation->verify)
			operation->verify(error);
		else if (error != operation->normally)
			state_must_be(&before);
		if (error == operation->normally && operation->undo)
			operation->undo();
		if (!found.injected)
			break;
		tally.tried++;
	}
	tally.last = nth - 1;
	subject = "";
	return tally;
}

static void print_tally(const struct operation *operation, const char *what,
			const struct tally *tally)
{
	if (!tally->failed && !tally->absorbed && !tally->tolerated)
		return;
	printf("         %s: %s: %u attempts failed", operation->name, what,
	       tally->failed);
	if (tally->ours)
		printf(" (%u of them inside perfmon)", tally->ours);
	if (tally->absorbed)
		printf(", %u succeeded with a fallback", tally->absorbed);
	if (tally->tolerated)
		printf(", %u were allowed to succeed: %s", tally->tolerated,
		       operation->absorbed ?: operation->foreign);
	if (tally->tried < tally->last)
		printf("; only %u of about %u were tried", tally->tried, tally->last);
	putchar('\n');
}

void must_survive(const struct operation *operation)
{
	struct tally object, page, rest = {};

	object = fail_in_turn(operation, INJECT_OBJECT);
	page = fail_in_turn(operation, INJECT_PAGE);
	if (!operation->once)
		rest = fail_in_turn(operation, INJECT_REST);
	print_tally(operation, "object", &object);
	print_tally(operation, "page", &page);
	if (!operation->once)
		print_tally(operation, "rest", &rest);
	fflush(stdout);
	if (operation->allocates)
		ck_assert_msg(object.ours + page.ours + rest.failed > 0,
			      "%s: no allocation of perfmon has failed", operation->name);
}

void all_must_survive(const struct operation *operations, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		must_survive(&operations[i]);
}

void close_opened(void)
{
	close(opened);
}

void watch_new_child(void)
{
	child = child_new();
	strcpy(child.page->text, "/proc/self/exe");
	fd = busy_context_on(child.pid);
}

void must_do(int error, const char *what, const char *name)
{
	ck_assert_msg(!error, "%s%s %s: %s", subject, what, name, strerror(error));
}

/* Undoes the changes that a failed test may have left. */
static void all_back(void)
{
	char page[32];

	all_cpus_back();
	inject_close();
	module_load("perfmon", "");
	module_load(best_pmu_module(), "");
	snprintf(page, sizeof(page), "%ld\n", sysconf(_SC_PAGESIZE));
	write_text(SYSFS "arg_mem_max", page);
}

void survive_then_put_back(void (*check)(void))
{
	then_put_back(check, all_back);
}
