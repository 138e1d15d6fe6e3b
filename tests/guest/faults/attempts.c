// SPDX-License-Identifier: GPL-2.0-only
#include <signal.h>
#include <sys/syscall.h>

#include "attempts.h"

pid_t load_target;

int attempt_load(const struct operation *operation)
{
	(void)operation;
	return to_error(try_load(fd, load_target));
}

int attempt_start(const struct operation *operation)
{
	(void)operation;
	return to_error(pfm_start(fd, NULL));
}

int attempt_stop(const struct operation *operation)
{
	(void)operation;
	return to_error(pfm_stop(fd));
}

int attempt_restart(const struct operation *operation)
{
	(void)operation;
	return to_error(pfm_restart(fd));
}

int attempt_read_pmd(const struct operation *operation)
{
	pfarg_pmd_t pmd = { .reg_num = operation->count };

	return to_error(pfm_read_pmds(fd, &pmd, 1));
}

int attempt_status(const struct operation *operation)
{
	struct pfm_status status;

	(void)operation;
	return to_error(pfm_get_status(fd, &status));
}

int attempt_statistics(const struct operation *operation)
{
	struct pfm_statistics statistics = {};

	(void)operation;
	return to_error(pfm_get_statistics(fd, &statistics));
}

int attempt_unload(const struct operation *operation)
{
	(void)operation;
	return to_error(pfm_unload_context(fd));
}

int attempt_close(const struct operation *operation)
{
	(void)operation;
	return to_error(close(fd));
}

int attempt_info(const struct operation *operation)
{
	static struct pfm_info info;
	int error;

	(void)operation;
	error = to_error(ioctl(fd, PFM_IOC_INFO, &info));
	return error ?: info.pmu_name[0] ? 0 : ENOSYS;
}

int attempt_fork(const struct operation *operation)
{
	pid_t pid = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);

	(void)operation;
	if (pid)
		return to_error(pid);
	touch_pages(FORK_PAGES);
	_exit(EXIT_SUCCESS);
}

void unload(void)
{
	must(fd, pfm_unload_context(fd));
}

void must_be_loaded_or_not(int error)
{
	struct pfm_status status = { .state = PFM_STATE_UNLOADED };

	ck_assert(error == 0 || error == ENOMEM);
	pfm_get_status(fd, &status); /* may be closed */
	ck_assert_uint_eq(read_number(SYSFS "sys_sessions_count"),
			  status.state != PFM_STATE_UNLOADED);
}
