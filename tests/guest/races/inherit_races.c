// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests calls on a context while its monitored processes fork, end and execute programs. The calls
 * read the sum of all counts, and start, stop, unload and close the context.
 */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "families.h"
#include "meeting.h"

SUITE(inherit_races, 900);

#define MANY		     20 /* children of a family */
#define FEW		     2
/*
 * Maximum number of page faults that are not counted when @threads threads end. Some kernels report
 * the end of a thread before the thread's last page fault, so this page fault is not counted.
 */
#define LAST_FAULTS(threads) (threads)

/*
 * Memory that the test shares with a crowd. A crowd consists of a process that makes children all
 * the time, and of all its descendants.
 */
struct crowd {
	volatile bool stop;
	volatile unsigned int forks;
};

static struct crowd *crowd;

static void __attribute__((noreturn)) live_shortly(unsigned int generations)
{
	pid_t pid = 0;

	touch_pages(3);
	if (generations && random_below(2))
		pid = fork();
	if (generations && pid == 0)
		live_shortly(generations - 1);
	if (random_below(32) == 0)
		execl("/proc/self/exe", "perfmon-tests", "-h", NULL);
	if (pid > 0 && random_below(2))
		waitpid(pid, NULL, 0);
	_exit(EXIT_SUCCESS);
}

/* Makes children, on any CPU, until crowd->stop is set. */
static void __attribute__((noreturn)) run_crowd(void)
{
	pid_t pid;

	close_range(3, ~0u, 0);
	require(open("/dev/null", O_WRONLY) != -1 && dup2(3, STDOUT_FILENO) != -1);
	while (!crowd->stop) {
		pid = fork();
		if (pid == 0)
			live_shortly(2);
		require(pid != -1);
		crowd->forks++;
		while (waitpid(-1, NULL, random_below(4) ? WNOHANG : 0) > 0)
			;
	}
	while (waitpid(-1, NULL, 0) > 0)
		;
	_exit(EXIT_SUCCESS);
}

static pid_t crowd_begin(void)
{
	pid_t pid;

	crowd = mmap(NULL, sizeof(*crowd), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	require(crowd != MAP_FAILED);
	pid = check_fork();
	require(pid != -1);
	if (pid == 0)
		run_crowd();
	wait_until(crowd->forks > 0);
	return pid;
}

static void crowd_end(pid_t pid)
{
	int status;

	crowd->stop = true;
	require(waitpid(pid, &status, 0) == pid && status == 0);
	munmap(crowd, sizeof(*crowd));
}

static int inheriting_on(pid_t pid)
{
	pfarg_ctx_t ctx = { .ctx_flags = PFM_FL_INHERIT_ALL };
	int fd = pfm_create_context(&ctx, NULL, NULL, 0);

	require(fd != -1);
	use_busy_counters(fd);
	require(try_load(fd, pid) == 0);
	return fd;
}

static void wait_for_forks(unsigned int count)
{
	unsigned int before = crowd->forks;

	while (crowd->forks - before < count)
		spin_turns(1000);
}

/* The sum of all counts never decreases, even if a thread ends during a read. */
TEST(forks_and_ends_may_race_with_reads)
{
	unsigned int count = iterations(), i;
	uint64_t faults, counter, last_faults = 0, last_counter = 0;
	pid_t pid = crowd_begin();
	int fd = inheriting_on(pid);

	require(pfm_start(fd, NULL) == 0);
	wait_for_forks(2);
	for (i = 0; i < count; i++) {
		faults = peek_pmd(fd, PFM_PMD_MINOR_FAULTS);
		counter = peek_pmd(fd, pmu()->pmds[0]);
		require(faults >= last_faults && counter >= last_counter);
		last_faults = faults;
		last_counter = counter;
	}
	require(pfm_unload_context(fd) == 0);
	require(peek_pmd(fd, PFM_PMD_MINOR_FAULTS) >= last_faults);
	require(last_faults > 0 && last_counter > 0);
	require(sessions() == 0);
	crowd_end(pid);
	close(fd);
	all_must_be_well();
}

/* ---- samples ----------------------------------------------------------------------------- */

/*
 * Makes a context that samples @pid and its descendants, and starts it. Maps the context's small
 * buffers and stores their addresses in @headers.
 */
static int sampling_on(pid_t pid, header_t *headers)
{
	const struct pfm_dfl_smpl_arg argument = { .buf_size = least_size() };
	pfarg_ctx_t ctx = { .ctx_flags = PFM_FL_INHERIT_ALL };
	pfarg_pmc_t pmc = { .reg_num = pmu()->pmcs[0], .reg_value = pmu()->busy[0] };
	pfarg_pmd_t pmd = sampling(0, 10000 + random_below(100000));
	int fd = pfm_create_context(&ctx, "default", (void *)&argument, sizeof(argument));
	unsigned int cpu;

	require(fd != -1);
	for (cpu = 0; cpu < FAMILY_CPUS; cpu++) {
		headers[cpu] = mmap(NULL, argument.buf_size, PROT_READ, MAP_SHARED, fd,
				    PFM_BUFFER_OFFSET(cpu));
		require(headers[cpu] != MAP_FAILED);
	}
	require(fcntl(fd, F_SETFL, O_NONBLOCK) == 0);
	require(pfm_write_pmcs(fd, &pmc, 1) == 0);
	require(pfm_write_pmds(fd, &pmd, 1) == 0);
	require(try_load(fd, pid) == 0);
	require(pfm_start(fd, NULL) == 0);
	return fd;
}

static void end_sampling_on(int fd, const header_t *headers)
{
	unsigned int cpu;

	require(close(fd) == 0);
	require(sessions() == 1);
	for (cpu = 0; cpu < FAMILY_CPUS; cpu++)
		munmap((void *)headers[cpu], least_size());
}

/*
 * Makes a random call on the context while both CPUs may write samples. Returns whether the call
 * handed back a buffer.
 */
static bool disturb(int fd, pid_t pid)
{
	struct pfarg_ovfl_msg message;
	unsigned int cpu = random_below(FAMILY_CPUS);

	switch (random_below(16)) {
	case 0:
		require(pfm_stop(fd) == 0 && pfm_start(fd, NULL) == 0);
		return false;
	case 1:
		require(pfm_unload_context(fd) == 0 && try_load(fd, pid) == 0 &&
			pfm_start(fd, NULL) == 0);
		return false;
	case 2:
		require(read_pmd(fd, pmu()->pmds[0]) != 0);
		return false;
	case 3:
		require(read(fd, &message, sizeof(message)) == sizeof(message) ||
			errno == EAGAIN);
		return false;
	default:
		if (pfm_restart_cpu(fd, cpu) == 0)
			return true;
		require(errno == EBUSY);
		spin_turns(random_below(2000));
		return false;
	}
}

/*
 * One iteration is one call of disturb(). The test continues until the number of restarts is more
 * than a twentieth of the wanted iterations.
 */
TEST(samples_of_forks_may_race_with_restart_unload_and_close)
{
	unsigned int count = iterations(), restarts = 0, i;
	int hooks = keep_hooks(), fd;
	pid_t pid = crowd_begin();
	header_t headers[FAMILY_CPUS];

	fd = sampling_on(pid, headers);
	for (i = 0; i < count || restarts < count / 20 + 1; i++) {
		restarts += disturb(fd, pid);
		if (random_below(64))
			continue;
		end_sampling_on(fd, headers);
		fd = sampling_on(pid, headers);
	}
	end_sampling_on(fd, headers);
	crowd_end(pid);
	close(hooks);
	all_must_be_well();
}

/* ---- ends ---------------------------------------------------------------------------------- */

TEST(forks_may_race_with_unload_and_close)
{
	unsigned int count = iterations(), i;
	int hooks = keep_hooks(), fd;
	pid_t pid = crowd_begin();

	for (i = 0; i < count; i++) {
		fd = inheriting_on(pid);
		require(pfm_start(fd, NULL) == 0);
		if (random_below(4) == 0)
			wait_for_forks(1 + random_below(2));
		else
			spin_turns(random_below(20000));
		if (random_below(2))
			require(pfm_unload_context(fd) == 0);
		require(close(fd) == 0);
		require(sessions() == 1);
	}
	crowd_end(pid);
	close(hooks);
	all_must_be_well();
}

TEST(forks_may_race_with_start_and_stop)
{
	unsigned int count = iterations(), i;
	int hooks = keep_hooks();
	pid_t pid = crowd_begin();
	int fd = inheriting_on(pid);
	uint64_t stopped;

	for (i = 0; i < count; i++) {
		require(pfm_start(fd, NULL) == 0);
		spin_turns(random_below(2000));
		require(pfm_stop(fd) == 0);
		/* Nothing is counted any more, not even in children that are being made. */
		stopped = peek_pmd(fd, pmu()->pmds[0]);
		spin_turns(random_below(2000));
		require(peek_pmd(fd, pmu()->pmds[0]) == stopped);
	}
	require(status_of(fd).not_followed == 0);
	crowd_end(pid);
	close(fd);
	close(hooks);
	all_must_be_well();
}

/* ---- a family whose page faults are known --------------------------------------------------- */

/*
 * Makes MANY children. Each time it has made one, it waits for a random number of the existing
 * children.
 */
static void make_many_children(void)
{
	unsigned int i;

	for (i = 0; i < MANY; i++) {
		make_child(NULL);
		while (waitpid(-1, NULL, random_below(2) ? WNOHANG : 0) > 0)
			;
	}
	while (waitpid(-1, NULL, 0) > 0)
		;
}

/*
 * If a child ends during a read, its page faults must not be counted twice or forgotten. Each child
 * that has ended counts as an iteration.
 */
TEST(the_sum_is_exact_after_reads_at_any_time)
{
	struct family family = family_begin(make_many_children);
	unsigned int count = iterations(), ended, reads = 0;
	int hooks = keep_hooks();
	uint64_t faults, last, now;

	for (ended = 0; ended < count; ended += MANY) {
		family_load(&family, random_below(2));
		family_let_go(&family);
		for (last = 0; !progress->finished; last = now, reads++) {
			now = peek_pmd(family.fd, PFM_PMD_MINOR_FAULTS);
			require(now >= last);
		}
		family_wait(&family);
		faults = family_faults(&family);
		now = peek_pmd(family.fd, PFM_PMD_MINOR_FAULTS);
		require(now >= last && now <= faults);
		require(now + LAST_FAULTS(MANY) >= faults);
		family_forget(&family);
	}
	family_end(&family);
	close(hooks);
	printf("         %u ends of children, %u reads\n", ended, reads);
	fflush(stdout);
	all_must_be_well();
}

static void make_few_children(void)
{
	unsigned int i;
	pid_t pid;

	pin(1);
	for (i = 0; i < FEW; i++) {
		pid = random_below(8) ? make_light_child() : make_child(NULL);
		require(waitpid(pid, NULL, 0) == pid);
		progress->done++;
	}
}

/*
 * Unloads the context while the process makes children, or soon after. Returns whether a child
 * existed or was being made when the context was unloaded.
 */
static bool unload_while_children_are_made(struct family *family)
{
	unsigned int begun = 1 + random_below(FEW), done;
	struct pfm_statistics statistics = {};
	uint64_t count;

	family_load(family, random_below(2));
	family_let_go(family);
	while (progress->begun < begun)
		;
	spin_turns(random_below(1 << random_below(16)));
	done = progress->done;
	require(pfm_unload_context(family->fd) == 0);
	begun = progress->begun;
	require(sessions() == 1);
	count = peek_pmd(family->fd, PFM_PMD_MINOR_FAULTS);
	require(count >= done * FAMILY_PAGES);
	require(pfm_get_statistics(family->fd, &statistics) == 0);
	require(statistics.copies >= done && statistics.copies <= begun);
	require(statistics.not_followed == 0);
	family_wait(family);
	require(count <= family_faults(family));
	require(peek_pmd(family->fd, PFM_PMD_MINOR_FAULTS) == count);
	family_forget(family);
	return begun > done;
}

/*
 * The page faults of each child are counted until the unload. An unload counts as an iteration only
 * if a child exists or is being made at that time.
 */
TEST(children_are_counted_until_the_unload)
{
	struct family family = family_begin(make_few_children);
	unsigned int count = iterations(), met = 0, made;
	int hooks = keep_hooks();

	need_cpus(2);
	pin(0);
	for (made = 0; met < count; made++)
		met += unload_while_children_are_made(&family);
	family_end(&family);
	close(hooks);
	printf("         %u unloads, %u of them while a child was being made or was alive\n",
	       made, met);
	fflush(stdout);
	all_must_be_well();
}

/* ---- the last threads ----------------------------------------------------------------------- */

/*
 * Two processes, or the two threads of a process, end at nearly the same time. The first one makes
 * the second one. They share all memory of the test, so it takes little time to make them. They use
 * no thread-local storage.
 */
static struct {
	bool has_thread;
	unsigned int patience[2];
	volatile bool go;
	volatile unsigned int ended;
	volatile pid_t pids[2];
	char stacks[2][16384] __attribute__((aligned(16)));
} pair;

#define SHARED (CLONE_VM | CLONE_FS | CLONE_FILES)

static int spin_and_end(void *number)
{
	spin_turns(pair.patience[(uintptr_t)number]);
	__atomic_fetch_add(&pair.ended, 1, __ATOMIC_SEQ_CST);
	syscall(SYS_exit, EXIT_SUCCESS);
	return 0;
}

static int make_the_other(void *unused)
{
	const int flags = pair.has_thread ? SHARED | CLONE_SIGHAND | CLONE_THREAD
					  : SHARED;

	while (!pair.go)
		;
	/* If this clone() makes a process, the test is its parent and waits for it. */
	pair.pids[1] = clone(spin_and_end, pair.stacks[1] + sizeof(pair.stacks[1]),
			     pair.has_thread ? flags : flags | CLONE_PARENT | SIGCHLD,
			     (void *)1);
	spin_and_end(unused);
	return 0;
}

/*
 * Makes the first process of a pair. Each of the two processes or threads spins for at least @wait
 * iterations of a loop before it ends. On some kernels, such as PREEMPT_RT, the close of a context
 * takes a long time. On these kernels, @wait must be large so that the close returns before the
 * processes or threads end.
 */
static void pair_begin(unsigned int wait)
{
	pair.has_thread = random_below(2);
	pair.patience[0] = wait + random_below(1 << random_below(16));
	pair.patience[1] = wait + random_below(1 << random_below(16));
	pair.go = false;
	pair.ended = 0;
	pair.pids[1] = 0;
	pair.pids[0] = clone(make_the_other, pair.stacks[0] + sizeof(pair.stacks[0]),
			     SHARED | SIGCHLD, NULL);
	require(pair.pids[0] != -1);
}

static void pair_reap(void)
{
	require(waitpid(pair.pids[0], NULL, 0) == pair.pids[0]);
	require(pair.pids[1] > 0);
	require(pair.has_thread || waitpid(pair.pids[1], NULL, 0) == pair.pids[1]);
	require(pair.ended == 2);
}

static enum order close_while_the_last_end(int lead)
{
	struct family family = {};
	struct pfm_status status;
	bool before;

	pair_begin(lead < 0 ? -lead : 0);
	family.pid = pair.pids[0];
	family_load(&family, random_below(2));
	pair.go = true;
	while (!pair.pids[1])
		;
	spin_turns(lead > 0 ? lead : 0);
	require(pfm_get_status(family.fd, &status) == 0);
	require(close(family.fd) == 0);
	before = pair.ended < 2;
	require(sessions() == 1);
	family.fd = -1;
	pair_reap();
	family_forget(&family);
	if (status.state == PFM_STATE_UNLOADED && !status.copies)
		return AFTER;
	return before ? BEFORE : DURING;
}

/*
 * The context is closed when its own thread and the thread of its last copy are about to end. After
 * the close, the sets of the context and of its copies must use no memory.
 */
TEST(the_last_ends_may_race_with_close)
{
	unsigned int count = iterations(), i;
	struct meeting meeting = {};
	int hooks = keep_hooks();
	uint64_t memory = read_number(SYSFS "set_mem_cur");

	for (i = 0; i < count || !both_have_happened(&meeting); i++) {
		note_order(&meeting, close_while_the_last_end(choose_lead(&meeting)));
		require(read_number(SYSFS "set_mem_cur") == memory);
	}
	close(hooks);
	print_orders(&meeting, "the close");
	all_must_be_well();
}
