/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * self.c - counts an event in its own loop; written like a program for perfmon2
 *
 * usage: self [pmc value [pmd]]
 *
 * The defaults fit a PMU whose PMC0 drives PMD0 and accepts the value 1.
 */
#include <sys/types.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <stdarg.h>
#include <string.h>
#include <errno.h>
#include <unistd.h>

#include <perfmon/perfmon.h>

static void fatal_error(char *fmt, ...) __attribute__((noreturn));

static void fatal_error(char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	exit(1);
}

static volatile unsigned long sink;

static void noploop(unsigned long n)
{
	for (; n; n--)
		sink += n;
}

int main(int argc, char **argv)
{
	pfarg_ctx_t ctx[1];
	pfarg_pmc_t pc[1];
	pfarg_pmd_t pd[1];
	pfarg_load_t load_args;
	int fd;

	memset(ctx, 0, sizeof(ctx));
	memset(pc, 0, sizeof(pc));
	memset(pd, 0, sizeof(pd));
	memset(&load_args, 0, sizeof(load_args));

	pc[0].reg_num = argc > 2 ? atoi(argv[1]) : 0;
	pc[0].reg_value = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
	pd[0].reg_num = argc > 3 ? atoi(argv[3]) : pc[0].reg_num;

	fd = pfm_create_context(ctx, NULL, NULL, 0);
	if (fd == -1) {
		if (errno == ENOSYS)
			fatal_error("no perfmon on this machine\n");
		fatal_error("Can't create PFM context %s\n", strerror(errno));
	}

	if (pfm_write_pmcs(fd, pc, 1))
		fatal_error("pfm_write_pmcs error errno %d\n", errno);

	if (pfm_write_pmds(fd, pd, 1))
		fatal_error("pfm_write_pmds error errno %d\n", errno);

	load_args.load_pid = getpid();
	if (pfm_load_context(fd, &load_args))
		fatal_error("pfm_load_context error errno %d\n", errno);

	if (pfm_start(fd, NULL))
		fatal_error("pfm_start error errno %d\n", errno);

	noploop(10000000);

	if (pfm_stop(fd))
		fatal_error("pfm_stop error errno %d\n", errno);

	if (pfm_read_pmds(fd, pd, 1))
		fatal_error("pfm_read_pmds error errno %d\n", errno);

	printf("PMD%u %20" PRIu64 "\n", pd[0].reg_num, pd[0].reg_value);

	close(fd);
	return 0;
}
