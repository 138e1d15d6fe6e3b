// SPDX-License-Identifier: GPL-2.0-only
/* Tests that modules can be unloaded whenever nobody uses them, even if work is pending. */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

#include "endings.h"
#include "measure.h"

SUITE(module_races, 900);

/*
 * When this is true, two threads end: the one that reads files, and the one that unloads modules.
 */
static volatile bool contexts_done;

/*
 * Reads files that are removed when the PMU's module or the core is unloaded. A read returns a line
 * or nothing.
 */
static void *read_files(void *unused)
{
	static const char *const files[] = {
		SYSFS "pmu_desc/model",
		SYSFS "pmu_desc/pmd0/width",
		SYSFS "task_sessions_count",
		DEBUGFS "cpu0/ctxswin_count",
		DEBUGFS "cpu1/ovfl_intr_all_count",
	};
	char text[256];
	size_t i = 0;

	while (!contexts_done) {
		i = (i + 1) % COUNT(files);
		if (!try_read_text(files[i], text, sizeof(text)))
			require(!*text || text[strlen(text) - 1] == '\n');
	}
	return unused;
}

struct module_counts {
	const char *pmu;
	volatile unsigned int tries;
	volatile unsigned int pmus, cores;
};

/*
 * While this is true, use_loaded_module() does not return, so that the PMU's module and the core
 * can be unloaded.
 */
static volatile bool held_off;

static bool try_unload(const char *module)
{
	int error = module_unload(module);

	require(!error || error == EAGAIN || error == EBUSY || error == ENOENT);
	return !error;
}

/* Loads the module. The creation of a context may load it at the same time. */
static void load_again(const char *module)
{
	int error = module_load(module, "");

	require(!error || error == EEXIST || error == EBUSY);
}

/*
 * Unloads the PMU's module and the core whenever nobody uses them. The last context may have left
 * hooks, pending work, or an object that is being freed. A context that is created while the PMU's
 * module is unloaded gets the software PMU.
 */
static void *unload_modules(void *argument)
{
	struct module_counts *counts = argument;

	pin(1);
	while (!contexts_done) {
		held_off = random_below(8) == 0;
		spin_turns(random_below(1 << random_below(18)));
		counts->tries++;
		if (!try_unload(counts->pmu) && !try_unload("perfmon_soft"))
			continue;
		counts->pmus++;
		/*
		 * In half of the cases, let the other thread continue if it waits. It may then open
		 * the device while this thread unloads the core.
		 */
		if (random_below(2))
			held_off = false;
		spin_turns(random_below(1 << random_below(12)));
		if (try_unload("perfmon")) {
			counts->cores++;
			load_again("perfmon");
		}
		load_again(counts->pmu);
	}
	held_off = false;
	try_unload("perfmon_soft");
	load_again(counts->pmu);
	return NULL;
}

/* Creates a context if a PMU is available, and leaves as much pending work as possible. */
static bool use_loaded_module(void)
{
	pfarg_ctx_t ctx = {};
	pfarg_pmc_t pmc = { .reg_num = pmu()->pmcs[0], .reg_value = pmu()->busy[0] };
	pfarg_pmd_t pmd = { .reg_num = pmu()->pmds[0] };
	int fd = pfm_create_context(&ctx, NULL, NULL, 0);

	if (fd == -1) {
		require(errno == ENOSYS || errno == ENXIO || errno == ENODEV);
		return false;
	}
	pmd.reg_value = -(uint64_t)random_below(100000);
	/* The software PMU, which replaces an unloaded PMU module, refuses this PMC value. */
	require(pfm_write_pmcs(fd, &pmc, 1) == 0 || errno == EINVAL);
	require(pfm_write_pmds(fd, &pmd, 1) == 0);
	require(try_load(fd, thread_id()) == 0);
	require(pfm_start(fd, NULL) == 0);
	spin_turns(random_below(1 << random_below(12)));
	require(close(fd) == 0);
	spin_turns(random_below(1 << random_below(18)));
	while (held_off && !contexts_done)
		sched_yield();
	return true;
}

/*
 * One iteration is an attempt to unload a module. It races with users of the module, so most
 * attempts are refused. In the next test, every iteration unloads the PMU's module.
 */
TEST(modules_can_be_unloaded_whenever_nobody_uses_them)
{
	struct module_counts counts = {};
	unsigned int wanted = iterations(), made = 0, missed = 0;
	pthread_t unloader, reader;
	char name[64];

	need_cpus(2);
	snprintf(name, sizeof(name), "%s", pmu_module());
	counts.pmu = name;
	pin(0);
	require(pthread_create(&unloader, NULL, unload_modules, &counts) == 0);
	require(pthread_create(&reader, NULL, read_files, NULL) == 0);
	/*
	 * There are fewer contexts than attempts, because this thread sometimes waits until the
	 * modules are loaded again.
	 */
	while (counts.tries < wanted || made < wanted / 8 || counts.pmus < wanted / 500 ||
	       !counts.cores || counts.tries == counts.pmus) {
		bool was_made = use_loaded_module();

		made += was_made;
		missed += !was_made;
	}
	contexts_done = true;
	pthread_join(unloader, NULL);
	pthread_join(reader, NULL);
	printf("         %u contexts created, %u creations failed; in %u attempts the "
	       "PMU's module was unloaded %u times, the core %u times\n",
	       made, missed, counts.tries, counts.pmus, counts.cores);
	fflush(stdout);
	pmu_forget();
	all_must_be_well();
}

/*
 * Number of iterations from one unload of the core to the next. The unload of the core takes a long
 * time, because it waits for RCU several times.
 */
#define CORE_EVERY    16

/*
 * Most iterations write 1 to this file. This makes unloads several times faster, but it does not
 * make kfree_rcu() faster.
 */
#define RCU_EXPEDITED "/sys/kernel/rcu_expedited"

/*
 * Unloads @module. Must be called when the last user of @module has gone. This user's reference to
 * @module may be dropped a moment later, and until then the unload is refused. Returns the number
 * of refusals.
 */
static unsigned int unload_at_last(const char *module)
{
	unsigned int refusals;
	int error;

	for (refusals = 0; (error = module_unload(module)); refusals++) {
		require(error == EAGAIN || error == EBUSY);
		sched_yield();
	}
	return refusals;
}

/*
 * Loads a context and closes it. The target ends at about the same time as the close, or after it.
 */
static void leave_work(enum ending ending)
{
	bool ends = random_below(2);
	int fd;

	target_begin(ending, 0);
	fd = create();
	require(try_load(fd, target.tid) == 0);
	require(pfm_start(fd, NULL) == 0);
	if (ends) {
		target_let_go();
		spin_turns(random_below(1 << random_below(14)));
	}
	/*
	 * After the close, kfree_rcu() and the irq_work of the END message may be pending, and the
	 * hooks stay for a second.
	 */
	require(close(fd) == 0);
	if (!ends)
		target_let_go();
}

/*
 * One iteration loads a context on a running target and closes it. Immediately after the close it
 * unloads the PMU's module. In some iterations it then unloads the core. When the unloads begin,
 * the hooks are still installed, kfree_rcu() has not freed the context yet, the target may be
 * exiting, and another thread reads files that the unloads remove. An unload may be refused at
 * first, but must succeed soon.
 */
TEST(modules_can_be_unloaded_with_work_outstanding)
{
	/* Each iteration takes a tenth of a second on a busy host. */
	unsigned int count = iterations() / 8, i, cores = 0, refused = 0;
	pthread_t thread, reader;
	char name[64], before[16];

	need_cpus(2);
	snprintf(name, sizeof(name), "%s", pmu_module());
	snprintf(before, sizeof(before), "%s", read_text(RCU_EXPEDITED));
	pmu();
	pin(0);
	require(pthread_create(&thread, NULL, make_targets, NULL) == 0);
	require(pthread_create(&reader, NULL, read_files, NULL) == 0);
	for (i = 0; i < count; i++) {
		write_text(RCU_EXPEDITED, i % 8 ? "1" : "0");
		leave_work(i % ENDINGS);
		refused += unload_at_last(name);
		if (i % CORE_EVERY == 0) {
			refused += unload_at_last("perfmon");
			cores++;
			require(module_load("perfmon", "") == 0);
		}
		target_reap();
		require(module_load(name, "") == 0);
	}
	write_text(RCU_EXPEDITED, before);
	contexts_done = true;
	pthread_join(reader, NULL);
	printf("         with pending work the PMU's module was unloaded %u times, "
	       "the core %u times, after %u refusals\n",
	       i, cores, refused);
	fflush(stdout);
	ck_assert_uint_ge(cores, count / 20);
	pmu_forget();
	all_must_be_well();
}
