// SPDX-License-Identifier: GPL-2.0-only
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "families.h"

struct progress *progress;

static void map_buffers(struct family *family)
{
	unsigned int cpu;

	for (cpu = 0; cpu < FAMILY_CPUS; cpu++) {
		family->buffers[cpu] = mmap(NULL, least_size(), PROT_READ, MAP_SHARED,
					    family->fd, PFM_BUFFER_OFFSET(cpu));
		require(family->buffers[cpu] != MAP_FAILED);
	}
}

static void make_family_context(struct family *family, bool is_sampled)
{
	const struct pfm_dfl_smpl_arg argument = { .buf_size = least_size() };
	pfarg_ctx_t ctx = { .ctx_flags = PFM_FL_INHERIT_ALL };
	pfarg_pmd_t pmd = sampling(0, 10000 + random_below(100000));

	family->fd = pfm_create_context(&ctx, is_sampled ? "default" : NULL,
					is_sampled ? (void *)&argument : NULL,
					is_sampled ? sizeof(argument) : 0);
	require(family->fd != -1);
	use_busy_counters(family->fd);
	if (!is_sampled)
		return;
	require(pfm_write_pmds(family->fd, &pmd, 1) == 0);
	require(fcntl(family->fd, F_SETFL, O_NONBLOCK) == 0);
	map_buffers(family);
}

/*
 * Repeats three steps: tells family_wait() that the process is ready, sleeps until family_let_go(),
 * and calls @run.
 */
static void __attribute__((noreturn))
run_when_let_go(const int *gate, const int *finished, void (*run)(void))
{
	char byte = 0;

	close(gate[1]);
	close(finished[0]);
	while (write(finished[1], &byte, 1) == 1 && read(gate[0], &byte, 1) == 1) {
		run();
		progress->finished = true;
	}
	_exit(EXIT_SUCCESS);
}

struct family family_begin(void (*run)(void))
{
	struct family family = { .fd = -1 };
	int gate[2], finished[2];

	if (!progress)
		progress = mmap(NULL, sizeof(*progress), PROT_READ | PROT_WRITE,
				MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	require(progress != MAP_FAILED);
	require(pipe2(gate, O_CLOEXEC) == 0 && pipe2(finished, O_CLOEXEC) == 0);
	family.pid = check_fork();
	require(family.pid != -1);
	if (family.pid == 0)
		run_when_let_go(gate, finished, run);
	close(gate[0]);
	close(finished[1]);
	family.gate = gate[1];
	family.finished = finished[0];
	family_wait(&family);
	return family;
}

void family_load(struct family *family, bool is_sampled)
{
	make_family_context(family, is_sampled);
	require(try_load(family->fd, family->pid) == 0);
	require(pfm_start(family->fd, NULL) == 0);
	family->faults = minor_faults_of_family(family->pid);
}

void family_let_go(struct family *family)
{
	*progress = (struct progress){};
	require(write(family->gate, "", 1) == 1);
}

void family_wait(const struct family *family)
{
	char byte;

	/* If the pipe is closed, the process has ended or has executed a program. */
	if (read(family->finished, &byte, 1) != 1)
		require(waitid(P_PID, family->pid, NULL, WEXITED | WNOWAIT) == 0);
	else
		/*
		 * The process writes to the pipe just before it sleeps. Until it sleeps, it may
		 * still have page faults.
		 */
		wait_until(thread_state(family->pid) == 'S');
}

uint64_t family_faults(const struct family *family)
{
	return minor_faults_of_family(family->pid) - family->faults;
}

void family_forget(struct family *family)
{
	unsigned int cpu;

	if (family->fd != -1)
		require(close(family->fd) == 0);
	family->fd = -1;
	for (cpu = 0; cpu < FAMILY_CPUS && family->buffers[cpu]; cpu++) {
		must_be_whole(family->buffers[cpu], 0);
		require(munmap((void *)family->buffers[cpu], least_size()) == 0);
		family->buffers[cpu] = NULL;
	}
}

void family_end(struct family *family)
{
	int status;

	close(family->gate);
	close(family->finished);
	require(waitpid(family->pid, &status, 0) == family->pid);
	require(status == 0);
}

pid_t make_child(void (*last)(void))
{
	pid_t pid;

	__atomic_fetch_add(&progress->begun, 1, __ATOMIC_SEQ_CST);
	pid = fork();
	require(pid != -1);
	if (pid)
		return pid;
	touch_pages(FAMILY_PAGES);
	if (last)
		last();
	_exit(EXIT_SUCCESS);
}

static int be_light_child(void *unused)
{
	(void)unused;
	touch_pages(FAMILY_PAGES);
	syscall(SYS_exit, EXIT_SUCCESS);
	return 0;
}

pid_t make_light_child(void)
{
	static char stack[16384] __attribute__((aligned(16)));
	pid_t pid;

	progress->begun++;
	pid = clone(be_light_child, stack + sizeof(stack), CLONE_VM | SIGCHLD, NULL);
	require(pid != -1);
	return pid;
}

int keep_hooks(void)
{
	int fd = busy_context();

	require(try_load(fd, thread_id()) == 0);
	return fd;
}
