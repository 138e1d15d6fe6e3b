// SPDX-License-Identifier: GPL-2.0-only
#include "x86_lbr.h"

__asm__(".text\n"
	".p2align 4\n"
	".globl branches_then_none, calls_known_branches, none_begins, none_ends\n"
	".type branches_then_none, @function\n"
	"branches_then_none:\n"
	"calls_known_branches: call take_known_branches\n"
	"none_begins:\n"
	".rept 8000\n"
	"	nop\n"
	".endr\n"
	"none_ends: ret\n"
	".size branches_then_none, . - branches_then_none\n");

void with_lbr(void (*check)(void))
{
	if (!has_lbr())
		skip("the processor has no last branch records");
	with_own_counters(check);
}

static void add(uint64_t *map, unsigned int pmd)
{
	map[pmd / 64] |= BIT(pmd % 64);
}

struct pfarg_pmd sampled_pmd(uint64_t period)
{
	struct pfarg_pmd pmd = {
		.reg_num = 0,
		.reg_value = -period,
		.reg_short_reset = -period,
		.reg_long_reset = -period,
	};

	return pmd;
}

void write_sampled(int fd, unsigned int levels, uint64_t period)
{
	struct pfarg_pmd pmd = sampled_pmd(period);
	unsigned int i;

	for (i = 0; i < LBR_MOST; i++) {
		add(pmd.reg_smpl_pmds, PFM_INTEL_LBR_FROM(i));
		add(pmd.reg_smpl_pmds, PFM_INTEL_LBR_TO(i));
		add(pmd.reg_smpl_pmds, PFM_INTEL_LBR_INFO(i));
	}
	write_pmc(fd, 0, instructions(levels));
	must(fd, pfm_write_pmds(fd, &pmd, 1));
}

int sampling_context(void)
{
	pfm_dfl_smpl_arg_t argument = { .buf_size = SIZE };
	pfarg_ctx_t ctx = {};
	int fd = pfm_create_context(&ctx, PFM_DFL_SMPL_NAME, &argument, sizeof(argument));

	ck_assert_msg(fd != -1, "format default: %s", sentence(-1));
	return fd;
}

int lbr_context(uint64_t control, unsigned int levels, uint64_t period)
{
	int fd = sampling_context();

	write_pmc(fd, PFM_INTEL_LBR_CONTROL, control);
	write_sampled(fd, levels, period);
	return fd;
}

const struct pfm_dfl_smpl_hdr *map_samples(int fd)
{
	void *header = mmap(NULL, SIZE, PROT_READ, MAP_SHARED, fd, 0);

	ck_assert_ptr_ne(header, MAP_FAILED);
	return header;
}

/*
 * A sample contains the PMDs in the order of their numbers: first the PMDs FROM and TO of each
 * record, then the PMDs INFO of all records.
 */
struct branch record_of(entry_t entry, unsigned int i)
{
	const uint64_t *values = (const uint64_t *)(entry + 1);

	return (struct branch){
		.from = values[2 * i],
		.to = values[2 * i + 1],
		.type = LBR_TYPE(values[2 * LBR_MOST + i]),
	};
}

unsigned int count_records(entry_t entry)
{
	unsigned int n = LBR_MOST;

	while (n && !record_of(entry, n - 1).to)
		n--;
	return n;
}
