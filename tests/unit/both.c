/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A program that uses libpfm4 and libpfmdev together.  headers.sh compiles it as C and C++, with
 * the headers of the two libraries in either order, and links it with both libraries.
 */
#ifdef PERFMON_FIRST
#include <perfmon/perfmon.h>
#include <perfmon/perfmon_armv8.h>
#include <perfmon/perfmon_soft.h>
#endif
#include <perfmon/pfmlib.h>
#include <perfmon/pfmlib_perf_event.h>
#ifndef PERFMON_FIRST
#include <perfmon/pfmdev.h>
#include <perfmon/perfmon_soft.h>
#include <perfmon/perfmon_armv8.h>
#endif
#include <stdio.h>
#include <string.h>

int main(void)
{
	char text[PFM_LAST_ERROR_SIZE];
	pfarg_ctx_t ctx;
	int fd;

	memset(&ctx, 0, sizeof(ctx));
	fd = pfm_create_context(&ctx, NULL, NULL, 0);
	if (fd == -1)
		puts(pfm_last_error(-1, text, sizeof(text)));
	if (pfm_initialize() != PFM_SUCCESS)
		puts("libpfm4 knows no PMU here");
	printf("libpfm4 %d.%d\n", PFM_MAJ_VERSION(pfm_get_version()),
	       PFM_MIN_VERSION(pfm_get_version()));
	pfm_terminate();
	return 0;
}
