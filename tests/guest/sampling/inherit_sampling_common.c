// SPDX-License-Identifier: GPL-2.0-only
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "inherit_sampling.h"

static void map_all(struct family *family)
{
	const struct pfm_status status = status_of(family->fd);
	unsigned int cpu;

	family->cpus = status.buffer_cpus;
	must_be_between(family->cpus, 1, MOST_CPUS);
	for (cpu = 0; cpu < family->cpus; cpu++) {
		family->buffers[cpu] = mmap(NULL, status.buffer_size, PROT_READ,
					    MAP_SHARED, family->fd,
					    PFM_BUFFER_OFFSET(cpu));
		ck_assert_msg(family->buffers[cpu] != MAP_FAILED, "CPU %u: %s", cpu,
			      strerror(errno));
	}
}

struct family family_of(uint32_t flags, const char *format, const void *argument,
			size_t size)
{
	pfarg_ctx_t ctx = { .ctx_flags = flags };
	struct family family = { .fd = pfm_create_context(&ctx, (char *)format,
							  (void *)argument, size) };

	ck_assert_msg(family.fd != -1, "%s: %s", format, sentence(-1));
	map_all(&family);
	return family;
}

struct family nway_family(uint32_t flags)
{
	const struct pfm_nway_arg argument = { .region_size = 65536, .regions = REGIONS };

	return family_of(flags, "nway", &argument, sizeof(argument));
}

struct family default_family(uint32_t flags)
{
	const struct pfm_dfl_smpl_arg argument = { .buf_size = least_size() };

	return family_of(flags, "default", &argument, sizeof(argument));
}

struct family busy_family(uint64_t period)
{
	struct family family = default_family(PFM_FL_INHERIT_ALL);

	sample_busily(family.fd, period);
	return family;
}

const volatile struct pfm_nway_hdr *nway_of(const struct family *family, unsigned int cpu)
{
	return family->buffers[cpu];
}

header_t linear_of(const struct family *family, unsigned int cpu)
{
	return family->buffers[cpu];
}

bool overflows_are_prompt(void)
{
	return selects_levels() && is_deterministic();
}

pid_t fork_worker(const struct family *family, unsigned int cpu)
{
	pid_t pid = check_fork();

	ck_assert_int_ne(pid, -1);
	if (pid)
		return pid;
	close(family->fd);
	pin(cpu);
	exact_work(PERIODS * exact_period());
	_exit(EXIT_SUCCESS);
}

pid_t fork_looper(const struct family *family, unsigned int cpu)
{
	int gate[2];
	char byte;
	pid_t pid;

	ck_assert_int_eq(pipe(gate), 0);
	pid = check_fork();
	ck_assert_int_ne(pid, -1);
	if (pid) {
		ck_assert_int_eq(read(gate[0], &byte, 1), 1);
		close(gate[0]);
		close(gate[1]);
		return pid;
	}
	close(family->fd);
	pin(cpu);
	if (write(gate[1], "", 1) != 1)
		_exit(EXIT_FAILURE);
	for (;;)
		sampled_loop(MILLION);
}

void end_looper(pid_t pid)
{
	ck_assert_int_eq(kill(pid, SIGKILL), 0);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
}
