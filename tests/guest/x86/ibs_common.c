// SPDX-License-Identifier: GPL-2.0-only
#include "ibs.h"

void need_ibs(void)
{
	if (!path_exists(DEVICES "ibs_op"))
		skip("no IBS");
	ck_assert(pmu_is("amd"));
}

/* ---- work ---------------------------------------------------------------------------------- */

uint64_t ibs_word;

__attribute__((noinline)) void load_loop(uint64_t instructions)
{
	uint64_t tens = instructions / 10;

	__asm__ volatile(".globl ibs_loop, ibs_loop_end\n"
			 "ibs_loop: mov (%%rdi), %%rax\n"
			 "nop; nop; nop; nop; nop; nop; nop; dec %0; jnz ibs_loop\n"
			 "ibs_loop_end:"
			 : "+r"(tens)
			 : "D"(&ibs_word)
			 : "rax", "cc", "memory");
}

/* ---- contexts ------------------------------------------------------------------------------ */

int ibs_context(const char *format, const void *argument, size_t size)
{
	const struct pfm_create create = {
		.format_name = (uintptr_t)format,
		.format_argument = (uintptr_t)argument,
		.format_size = size,
		.pmu_name = (uintptr_t) "amd_ibs",
	};
	int fd = pfm_create(&create);

	ck_assert_msg(fd != -1, "pfm_create: %s", strerror(errno));
	return fd;
}

void sample_unit(int fd, unsigned int pmc, uint64_t config, unsigned int n,
		 uint64_t period, const unsigned int *recorded, size_t count)
{
	struct pfarg_pmd pmd = {
		.reg_num = n,
		.reg_value = -period,
		.reg_short_reset = -period,
		.reg_long_reset = -period,
	};

	while (count--)
		add_to(pmd.reg_smpl_pmds, recorded[count]);
	write_pmc(fd, pmc, config);
	must(fd, pfm_write_pmds(fd, &pmd, 1));
}

int ibs_buffer_context(void)
{
	static const struct pfm_dfl_smpl_arg argument = { .buf_size = MIB };

	return ibs_context("default", &argument, sizeof(argument));
}

const void *ibs_map(int fd, size_t size)
{
	const void *memory = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);

	ck_assert_ptr_ne(memory, MAP_FAILED);
	return memory;
}

int open_instructions(void)
{
	int event;

	wait_until((event = perf_open(0xc0, false, 0, -1, -1)) != -1);
	return event;
}

struct ibs_run ibs_sample_loop(int fd, uint64_t instructions)
{
	int all = open_instructions();
	struct ibs_run run;

	load(fd, thread_id());
	reports_begin();
	run.samples = statistic("fmt_handler_calls");
	perf_enable(all);
	must(fd, pfm_start(fd, NULL));
	load_loop(instructions);
	must(fd, pfm_stop(fd));
	perf_disable(all);
	run.samples = statistic("fmt_handler_calls") - run.samples;
	run.instructions = perf_read(all).value;
	ck_assert_uint_ge(run.instructions, instructions);
	ck_assert_uint_eq(reports_end(UNKNOWN_NMI), 0);
	close(all);
	return run;
}
