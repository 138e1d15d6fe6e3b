// SPDX-License-Identifier: GPL-2.0-only
/* Tests calls on descriptors that do not belong to perfmon, on a kernel without the module. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <perfmon/perfmon.h>

#include "suites.h"

SUITE(descriptor, 120);

static int call_create_nothing(int fd, int number)
{
	pfarg_pmc_t pmc = { 0 };
	pfarg_pmd_t pmd = { 0 };
	pfarg_pmr_t pmr = { 0 };
	pfarg_load_t load = { 0 };
	pfarg_setdesc_t set = { 0 };
	pfarg_setinfo_t setinfo = { 0 };
	struct pfm_info info;
	struct pfm_status status;
	struct pfm_statistics statistics = { 0 };
	struct pfm_error error;

	switch (number) {
	case 0:
		return pfm_write_pmcs(fd, &pmc, 1);
	case 1:
		return pfm_write_pmds(fd, &pmd, 1);
	case 2:
		return pfm_read_pmds(fd, &pmd, 1);
	case 3:
		return pfm_load_context(fd, &load);
	case 4:
		return pfm_start(fd, NULL);
	case 5:
		return pfm_stop(fd);
	case 6:
		return pfm_restart(fd);
	case 7:
		return pfm_create_evtsets(fd, &set, 1);
	case 8:
		return pfm_getinfo_evtsets(fd, &setinfo, 1);
	case 9:
		return pfm_delete_evtsets(fd, &set, 1);
	case 10:
		return pfm_unload_context(fd);
	case 11:
		return pfm_get_info(fd, &info);
	case 12:
		return pfm_get_status(fd, &status);
	case 13:
		return pfm_read(fd, 0, PFM_RW_PMD, &pmr, sizeof(pmr));
	case 14:
		return pfm_get_statistics(fd, &statistics);
	default:
		return pfm_get_error(fd, &error);
	}
}

#define CALLS 16

static void every_call_says_ebadf(int fd, int calls)
{
	for (int number = 0; number < calls; number++) {
		int result;

		errno = 0;
		result = call_create_nothing(fd, number);
		ck_assert_msg(result == -1 && errno == EBADF,
			      "case %d of call_create_nothing() returned %d: %s", number,
			      result, strerror(errno));
	}
}

TEST(closed_descriptor_is_ebadf)
{
	int fd = dup(0);

	close(fd);
	every_call_says_ebadf(fd, CALLS);
	/* The last call, pfm_get_error(), is left out because it accepts the descriptor -1. */
	every_call_says_ebadf(-1, CALLS - 1);
}

TEST(regular_file_is_ebadf)
{
	int fd = open("/proc/self/exe", O_RDONLY);

	ck_assert_int_ge(fd, 0);
	every_call_says_ebadf(fd, CALLS);
	close(fd);
}

TEST(character_device_is_ebadf)
{
	int fd = open("/dev/null", O_RDWR);

	ck_assert_int_ge(fd, 0);
	every_call_says_ebadf(fd, CALLS);
	close(fd);
}

TEST(pipe_and_socket_are_ebadf)
{
	int pipes[2], sockets[2];

	ck_assert_int_eq(pipe(pipes), 0);
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
	every_call_says_ebadf(pipes[0], CALLS);
	every_call_says_ebadf(sockets[0], CALLS);
}

TEST(last_error_distinguishes_closed_from_foreign)
{
	char text[PFM_LAST_ERROR_SIZE];
	int fd = open("/dev/null", O_RDWR);
	char expected[64];

	snprintf(expected, sizeof(expected), "descriptor %d does not belong to perfmon",
		 fd);
	ck_assert_str_eq(pfm_last_error(fd, text, sizeof(text)), expected);
	close(fd);
	snprintf(expected, sizeof(expected), "descriptor %d is not open", fd);
	ck_assert_str_eq(pfm_last_error(fd, text, sizeof(text)), expected);
}
