/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * multiplex.c - two event sets take turns on one counter, and their counts are
 * scaled to the whole run; written like a program for perfmon2
 *
 * usage: multiplex [pmc value0 value1]
 */
#include <sys/types.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include <err.h>
#include <unistd.h>
#include <time.h>

#include <perfmon/perfmon.h>

#define NUM_SETS       2
#define SWITCH_TIMEOUT 10000000 /* ns */

int main(int argc, char **argv)
{
	pfarg_ctx_t ctx;
	pfarg_setdesc_t sets[NUM_SETS];
	pfarg_setinfo_t info[NUM_SETS];
	pfarg_pmc_t pc[NUM_SETS];
	pfarg_pmd_t pd[NUM_SETS];
	pfarg_start_t start_args;
	pfarg_load_t load_args;
	uint64_t total = 0;
	time_t end;
	int i, fd;

	memset(&ctx, 0, sizeof(ctx));
	memset(sets, 0, sizeof(sets));
	memset(info, 0, sizeof(info));
	memset(pc, 0, sizeof(pc));
	memset(pd, 0, sizeof(pd));
	memset(&start_args, 0, sizeof(start_args));
	memset(&load_args, 0, sizeof(load_args));

	if ((fd = pfm_create_context(&ctx, NULL, NULL, 0)) == -1)
		err(1, "cannot create PFM context");

	for (i = 0; i < NUM_SETS; i++) {
		sets[i].set_id = info[i].set_id = i;
		sets[i].set_flags = PFM_SETFL_TIME_SWITCH;
		sets[i].set_timeout = SWITCH_TIMEOUT;
		pc[i].reg_set = pd[i].reg_set = i;
		pc[i].reg_num = pd[i].reg_num = argc > 3 ? atoi(argv[1]) : 0;
		pc[i].reg_value = argc > 3 ? strtoull(argv[2 + i], NULL, 0) : i + 1;
	}

	if (pfm_create_evtsets(fd, sets, NUM_SETS))
		err(1, "pfm_create_evtsets");
	if (pfm_write_pmcs(fd, pc, NUM_SETS))
		err(1, "pfm_write_pmcs");
	if (pfm_write_pmds(fd, pd, NUM_SETS))
		err(1, "pfm_write_pmds");

	load_args.load_pid = getpid();
	load_args.load_set = 0;
	if (pfm_load_context(fd, &load_args))
		err(1, "pfm_load_context");

	start_args.start_set = 0;
	if (pfm_start(fd, &start_args))
		err(1, "pfm_start");

	for (end = time(NULL) + 2; time(NULL) < end;)
		;

	if (pfm_stop(fd))
		err(1, "pfm_stop");
	if (pfm_read_pmds(fd, pd, NUM_SETS))
		err(1, "pfm_read_pmds");
	if (pfm_getinfo_evtsets(fd, info, NUM_SETS))
		err(1, "pfm_getinfo_evtsets");
	if (pfm_unload_context(fd))
		err(1, "pfm_unload_context");
	if (pfm_delete_evtsets(fd, sets + 1, NUM_SETS - 1))
		err(1, "pfm_delete_evtsets");

	for (i = 0; i < NUM_SETS; i++)
		total += info[i].set_act_duration;
	for (i = 0; i < NUM_SETS; i++)
		printf("set%u runs %" PRIu64 " PMD%u %" PRIu64 " scaled %.0f\n",
		       info[i].set_id, info[i].set_runs, pd[i].reg_num, pd[i].reg_value,
		       info[i].set_act_duration ? (double)pd[i].reg_value * total /
							  info[i].set_act_duration
						: 0.0);

	close(fd);
	return 0;
}
