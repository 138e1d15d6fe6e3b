/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * task.c - counts events of a command from its exec to its end; written like a
 * program for perfmon2. ptrace stops the child until counting has started.
 *
 * usage: task pmc value command [arguments]
 */
#include <sys/types.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include <err.h>
#include <unistd.h>
#include <fcntl.h>

#include <perfmon/perfmon.h>

#define NUM_PMCS PFM_MAX_PMCS
#define NUM_PMDS PFM_MAX_PMDS

static pid_t create_child(char **arg)
{
	pid_t pid = fork();

	if (pid == 0) {
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
			err(1, "ptrace");
		execvp(arg[0], arg);
		err(1, "%s", arg[0]);
	}
	return pid;
}

int main(int argc, char **argv)
{
	static pfarg_pmc_t pc[NUM_PMCS];
	static pfarg_pmd_t pd[NUM_PMDS];
	pfarg_ctx_t ctx;
	pfarg_load_t load_args;
	pfarg_setinfo_t setf;
	pfarg_msg_t msg;
	ssize_t r;
	pid_t pid;
	int fd, status;

	if (argc < 4)
		errx(1, "usage: task pmc value command [arguments]");

	memset(&ctx, 0, sizeof(ctx));
	memset(&load_args, 0, sizeof(load_args));
	memset(&setf, 0, sizeof(setf));

	if ((fd = pfm_create_context(&ctx, NULL, NULL, 0)) == -1) {
		if (errno == ENOSYS)
			errx(1,
			     "your kernel does not have performance monitoring support");
		err(1, "cannot create PFM context");
	}
	/* the command must not inherit the context's descriptor */
	if (fcntl(fd, F_SETFD, FD_CLOEXEC))
		err(1, "fcntl");

	pc[0].reg_num = pd[0].reg_num = atoi(argv[1]);
	pc[0].reg_value = strtoull(argv[2], NULL, 0);

	if (pfm_getinfo_evtsets(fd, &setf, 1))
		err(1, "pfm_getinfo_evtsets");
	if ((setf.set_avail_pmcs[pc[0].reg_num / 64] >> (pc[0].reg_num % 64) & 1) == 0)
		errx(1, "PMC%u is not available", pc[0].reg_num);

	if (pfm_write_pmcs(fd, pc, 1))
		err(1, "pfm_write_pmcs");
	if (pfm_write_pmds(fd, pd, 1))
		err(1, "pfm_write_pmds");

	if ((pid = create_child(argv + 3)) == -1)
		err(1, "fork");
	waitpid(pid, &status, WUNTRACED);
	if (WIFEXITED(status))
		errx(1, "command exited too early, status %d", WEXITSTATUS(status));

	load_args.load_pid = pid;
	if (pfm_load_context(fd, &load_args))
		err(1, "pfm_load_context");
	if (pfm_start(fd, NULL))
		err(1, "pfm_start");

	ptrace(PTRACE_DETACH, pid, NULL, 0);

	do {
		r = read(fd, &msg, sizeof(msg));
		if (r != sizeof(msg))
			err(1, "read");
	} while (msg.type != PFM_MSG_END);

	waitpid(pid, &status, 0);

	if (pfm_read_pmds(fd, pd, 1))
		err(1, "pfm_read_pmds");
	printf("PMD%u %20" PRIu64 "\n", pd[0].reg_num, pd[0].reg_value);

	close(fd);
	return 0;
}
