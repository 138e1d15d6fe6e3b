// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <sys/mman.h>

#include "callchain.h"

struct pfarg_pmd callchain_pmd(int fd)
{
	const uint64_t period = format_period();
	struct pfarg_pmd pmd = {
		.reg_num = pmu()->pmds[0],
		.reg_flags = PFM_REGFL_RANDOM,
		.reg_value = -period,
		.reg_short_reset = -period,
		.reg_long_reset = -period,
		.reg_random_mask = 0xffff,
		.reg_random_seed = 1,
	};

	use_counters(fd, 1);
	/*
	 * On Armv8, QEMU raises the interrupt of the cycle counter in time. Interrupts of other
	 * counters come late.
	 */
	if (pmu_is("armv8")) {
		pmd.reg_num = PFM_ARMV8_CYCLE_COUNTER;
		write_pmc(fd, pmd.reg_num, 0);
	}
	return pmd;
}

struct callchain callchain_of(const struct pfm_callchain_arg *argument)
{
	struct callchain chain;
	struct pfarg_pmd pmd;

	chain.fd = format_context("callchain", argument, sizeof(*argument));
	chain.header = format_buffer(chain.fd, argument->buf_size);
	pmd = callchain_pmd(chain.fd);
	must(chain.fd, pfm_write_pmds(chain.fd, &pmd, 1));
	return chain;
}

struct callchain callchain_new(uint32_t flags)
{
	const struct pfm_callchain_arg argument = { .buf_size = MIB, .flags = flags };

	return callchain_of(&argument);
}

void callchain_free(struct callchain *chain)
{
	munmap((void *)chain->header, chain->header->hdr_buf_size);
	close(chain->fd);
}

void callchain_start(const struct callchain *chain, pid_t tid)
{
	load(chain->fd, tid);
	must(chain->fd, pfm_start(chain->fd, NULL));
}

void wait_for_samples(const struct callchain *chain, uint64_t samples)
{
	wait_until(published(&chain->header->hdr_count) >= samples);
}

/* ---- entries ------------------------------------------------------------------------ */

/*
 * An entry may have flags only if the link register was requested and the machine has a link
 * register.
 */
static void must_be_flags(entry_t entry, bool is_asked)
{
#if defined(__x86_64__)
	is_asked = false;
#endif
	if (!is_asked)
		ck_assert_uint_eq(entry->flags, 0);
	ck_assert_uint_le(entry->flags, 3);
	if (entry->flags & PFM_CALLCHAIN_KERNEL_LINK)
		ck_assert_uint_ge(entry->kernel_count, 2);
	if (entry->flags & PFM_CALLCHAIN_USER_LINK)
		ck_assert_uint_ge(entry->user_count, 2);
}

static void must_be_entry(entry_t entry, bool is_root)
{
	bool hit_kernel = is_of_kernel(entry->sample.ip);
	unsigned int i;

	ck_assert_uint_eq(PFM_SMPL_VALUES(entry->sample.values), entry->value_count);
	ck_assert_uint_eq(PFM_SMPL_CLOCK(entry->sample.values), PFM_SMPL_CLOCK_SCHEDULER);
	ck_assert_uint_le(entry->kernel_count, DEEPEST);
	ck_assert_uint_le(entry->user_count, DEEPEST);
	ck_assert_msg(is_root || !hit_kernel,
		      "an ordinary user sees the kernel address 0x%jx",
		      (uintmax_t)entry->sample.ip);
	ck_assert_msg(hit_kernel == (entry->kernel_count > 0),
		      "%u kernel addresses are wrong for an interrupt at 0x%jx",
		      entry->kernel_count, (uintmax_t)entry->sample.ip);
	for (i = 0; i < entry->kernel_count; i++)
		ck_assert_msg(is_of_kernel(kernel_of(entry)[i]),
			      "0x%jx in the kernel's part is no kernel address",
			      (uintmax_t)kernel_of(entry)[i]);
	if (hit_kernel)
		ck_assert_uint_eq(kernel_of(entry)[0], entry->sample.ip);
	else
		ck_assert_uint_eq(user_of(entry)[0], entry->sample.ip);
}

uint64_t must_be_whole_chains(const struct callchain *chain, bool is_root)
{
	uint64_t count = 0;
	entry_t entry;

	for_each_entry(entry, chain) {
		must_be_entry(entry, is_root);
		must_be_flags(entry,
			      chain->header->hdr_buf_flags & PFM_CALLCHAIN_HDR_LINK);
		count++;
	}
	ck_assert_ptr_eq(entry, end_of(chain));
	ck_assert_uint_eq(chain->header->hdr_count, count);
	return count;
}

/* ---- the kernel's functions ----------------------------------------------------------- */

/* Reads /proc/kallsyms. A function ends at the symbol with the next higher address. */
struct function find_function(const char *name)
{
	struct function function = { .end = UINT64_MAX };
	char line[512], symbol[256], type;
	FILE *file = fopen("/proc/kallsyms", "r");
	unsigned long long address;

	ck_assert_ptr_ne(file, NULL);
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "%llx %c %255s", &address, &type, symbol) == 3 &&
		    !strcmp(symbol, name))
			function.begin = address;
	ck_assert_msg(function.begin, "the kernel has no %s", name);
	rewind(file);
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "%llx", &address) == 1 && address > function.begin &&
		    address < function.end)
			function.end = address;
	fclose(file);
	return function;
}

bool passes(entry_t entry, const struct function *function)
{
	unsigned int i;

	for (i = 0; i < entry->kernel_count; i++)
		if (is_in(kernel_of(entry)[i], function))
			return true;
	return false;
}

struct function find_module(const char *name)
{
	struct function module = {};
	char path[128], line[512];
	unsigned long long begin, size;
	FILE *file = fopen("/proc/modules", "r");

	snprintf(path, sizeof(path), "%s ", name);
	while (fgets(line, sizeof(line), file))
		if (!strncmp(line, path, strlen(path)) &&
		    sscanf(line, "%*s %llu %*s %*s %*s %llx", &size, &begin) == 2)
			module = (struct function){ begin, begin + size };
	fclose(file);
	ck_assert_msg(module.begin, "%s is not loaded, or has no address", name);
	return module;
}
