// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <sys/mman.h>

#include "formats.h"

/* ---- modules -------------------------------------------------------------------- */

static const char *const modules[] = { "perfmon_fmt_nway", "perfmon_fmt_callchain",
				       "perfmon_fmt_hist", "perfmon_fmt_last",
				       "perfmon_fmt_script" };

static void unload_formats(void)
{
	size_t i;
	int error;

	for (i = 0; i < COUNT(modules); i++) {
		error = module_unload(modules[i]);
		ck_assert_msg(!error || error == ENOENT, "unloading %s: %s", modules[i],
			      strerror(error));
	}
}

void with_formats(void (*check)(void))
{
	then_put_back(check, unload_formats);
}

/* ---- contexts ------------------------------------------------------------------- */

int try_format(int fd, const char *name, const void *argument, size_t size)
{
	struct pfm_create create = {
		.format_name = (uintptr_t)name,
		.format_argument = (uintptr_t)argument,
		.format_size = size,
	};

	return ioctl(fd, PFM_IOC_CREATE_CONTEXT, &create);
}

int format_context(const char *name, const void *argument, size_t size)
{
	int fd = pfm_open_device();

	ck_assert_int_ne(fd, -1);
	must(fd, try_format(fd, name, argument, size));
	return fd;
}

const void *format_buffer(int fd, size_t size)
{
	const void *buffer = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);

	ck_assert_msg(buffer != MAP_FAILED, "mmap of %zu bytes: %s", size,
		      strerror(errno));
	return buffer;
}

void must_refuse(const char *name, const struct refusal *refusals, size_t count,
		 const void *argument, size_t size)
{
	int fd = pfm_open_device();
	size_t i;

	ck_assert_int_ne(fd, -1);
	for (i = 0; i < count; i++) {
		subject = refusals[i].what;
		must_fail(fd,
			  try_format(fd, name, refusals[i].argument, refusals[i].size),
			  EINVAL, refusals[i].reason, PFM_NO_INDEX);
		must_fail(fd, pfm_start(fd, NULL), EINVAL, PFM_REASON_NO_CONTEXT,
			  PFM_NO_INDEX);
	}
	subject = "";
	must(fd, try_format(fd, name, argument, size));
	count_must_be_right(fd);
	close(fd);
}

uint64_t format_period(void)
{
	static uint64_t period;

	if (!period)
		period = is_debug_kernel() ? 4 * MS : MS;
	return period;
}

void use_counters(int fd, unsigned int counters)
{
	unsigned int i;

	for (i = 0; i < counters; i++) {
		write_pmc(fd, pmu()->pmcs[i], pmu()->busy[i]);
		write_pmd(fd, pmu()->pmds[i], 0);
	}
}

void sample_counter(int fd, unsigned int i, uint64_t period, uint32_t flags,
		    const unsigned int *recorded, size_t count)
{
	pfarg_pmd_t pmd = {
		.reg_num = pmu()->pmds[i],
		.reg_flags = flags,
		.reg_value = -period,
		.reg_short_reset = -period,
		.reg_long_reset = -period,
	};
	size_t n;

	for (n = 0; n < count; n++)
		pmd.reg_smpl_pmds[recorded[n] / 64] |= BIT(recorded[n] % 64);
	must(fd, pfm_write_pmds(fd, &pmd, 1));
}

/* ---- counts and sizes -------------------------------------------------------------- */

uint64_t samples_taken(void)
{
	return statistic("fmt_handler_calls");
}

unsigned int pmds_in_all(void)
{
	unsigned int word, count = 0;

	for (word = 0; word < PFM_PMD_BV; word++)
		count += __builtin_popcountll(pmu()->info.implemented_pmds[word]);
	return count;
}

size_t entry_bytes(unsigned int values)
{
	return 40 + 8 * values;
}

/* ---- bytes --------------------------------------------------------------------------- */

/* All guests are little-endian. */
uint64_t number_at(const void *memory, size_t offset, size_t bytes)
{
	uint64_t number = 0;

	memcpy(&number, (const char *)memory + offset, bytes);
	return number;
}

void must_be_zero(const void *memory, size_t offset, size_t bytes)
{
	const char *begin = memory;
	size_t i;

	for (i = offset; i < offset + bytes; i++)
		ck_assert_msg(!begin[i], "byte %zu is %d, not 0", i, begin[i]);
}
