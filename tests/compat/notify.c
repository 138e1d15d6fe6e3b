/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * notify.c - gets a SIGIO at each overflow of a counter that counts events of
 * the program itself; written like a program for perfmon2
 *
 * usage: notify [pmc value period]
 */
#define _GNU_SOURCE
#include <sys/types.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include <err.h>
#include <unistd.h>
#include <signal.h>
#include <fcntl.h>

#include <perfmon/perfmon.h>

#define BPL  (sizeof(uint64_t) << 3)
#define LBPL 6

static volatile unsigned long notification_received;
static pfarg_pmd_t pd[2];
static int ctx_fd;

static inline void pfm_bv_set(uint64_t *bv, uint16_t rnum)
{
	bv[rnum >> LBPL] |= 1ULL << (rnum & (BPL - 1));
}

static void sigio_handler(int n, siginfo_t *info, void *sc)
{
	pfarg_msg_t msg;

	if (info->si_fd != ctx_fd)
		return;
	if (read(ctx_fd, &msg, sizeof(msg)) != sizeof(msg))
		_exit(2);
	if (msg.type != PFM_MSG_OVFL)
		_exit(3);
	if ((msg.pfm_ovfl_msg.msg_ovfl_pmds[0] & 1ULL << pd[0].reg_num) == 0)
		_exit(4);
	notification_received++;
	if (pfm_restart(ctx_fd))
		_exit(5);
}

int main(int argc, char **argv)
{
	pfarg_ctx_t ctx;
	pfarg_pmc_t pc[1];
	pfarg_load_t load_args;
	struct sigaction act;
	uint64_t period;
	volatile double a = 0.0;

	memset(&ctx, 0, sizeof(ctx));
	memset(pc, 0, sizeof(pc));
	memset(&load_args, 0, sizeof(load_args));
	memset(&act, 0, sizeof(act));

	act.sa_sigaction = sigio_handler;
	act.sa_flags = SA_SIGINFO;
	sigaction(SIGIO, &act, NULL);

	ctx_fd = pfm_create_context(&ctx, NULL, NULL, 0);
	if (ctx_fd == -1)
		err(1, "cannot create PFM context");

	pc[0].reg_num = argc > 3 ? atoi(argv[1]) : 0;
	pc[0].reg_value = argc > 3 ? strtoull(argv[2], NULL, 0) : 1;
	period = argc > 3 ? strtoull(argv[3], NULL, 0) : 1000000;

	pd[0].reg_num = pc[0].reg_num;
	pd[0].reg_flags |= PFM_REGFL_OVFL_NOTIFY;
	pd[0].reg_value = -period;
	pd[0].reg_long_reset = -period;
	pd[0].reg_short_reset = -period;
	pfm_bv_set(pd[0].reg_reset_pmds, pd[0].reg_num);

	if (pfm_write_pmcs(ctx_fd, pc, 1))
		err(1, "pfm_write_pmcs");
	if (pfm_write_pmds(ctx_fd, pd, 1))
		err(1, "pfm_write_pmds");

	load_args.load_pid = getpid();
	if (pfm_load_context(ctx_fd, &load_args))
		err(1, "pfm_load_context");

	if (fcntl(ctx_fd, F_SETFL, fcntl(ctx_fd, F_GETFL, 0) | O_ASYNC) == -1)
		err(1, "cannot set ASYNC");
	if (fcntl(ctx_fd, F_SETOWN, getpid()) == -1)
		err(1, "cannot setown");
	if (fcntl(ctx_fd, F_SETSIG, SIGIO) == -1)
		err(1, "cannot setsig");

	if (pfm_start(ctx_fd, NULL))
		err(1, "pfm_start");

	while (notification_received < 20)
		a += 1.0;

	if (pfm_stop(ctx_fd))
		err(1, "pfm_stop");
	printf("%lu notifications\n", notification_received);

	if (pfm_unload_context(ctx_fd))
		err(1, "pfm_unload_context");
	close(ctx_fd);
	return 0;
}
