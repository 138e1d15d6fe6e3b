// SPDX-License-Identifier: GPL-2.0-only
#include <sys/ioctl.h>

#include "first_calls.h"
#include "samples.h"

static void fill_load(void *structure)
{
	*(uint32_t *)structure = thread_id();
}

static void fill_pmc(void *structure)
{
	struct pfarg_pmc *pmc = structure;

	pmc->reg_num = pmu()->pmcs[0];
	pmc->reg_value = pmu()->busy[0];
}

static void fill_pmd(void *structure)
{
	*(uint16_t *)structure = pmu()->pmds[0];
}

static void fill_set(void *structure)
{
	*(uint16_t *)structure = 1;
}

const struct call first_calls[] = {
	{ "create, ", 0, IN, 96, OPENED, NULL, true, {}, NO_FLAGS, 0 },
	{ "create: context, ", 0, IN, 96, OPENED, NULL, false, { { 4, 60 } }, 0, 0x793 },
	{ "write_pmcs, ", 1, VECTOR, 48, CREATED, fill_pmc, false, { { 16, 32 } }, 4, 4 },
	{ "write_pmds, ", 2, VECTOR, 176, CREATED, fill_pmd, false, { { 148, 28 } }, 4, 3 },
	{ "read_pmds, ",
	  3,
	  VECTOR,
	  176,
	  CREATED,
	  fill_pmd,
	  false,
	  /* the call ignores the flags at offset 4 and returns them unchanged */
	  { { 4, 4 }, { 148, 28 } },
	  NO_FLAGS,
	  0 },
	{ "load, ",
	  4,
	  IN,
	  32,
	  CREATED,
	  fill_load,
	  true,
	  { { 6, 2 }, { 8, 24 } },
	  NO_FLAGS,
	  0 },
	{ "start, ", 5, IN, 32, LOADED, NULL, true, { { 2, 6 }, { 8, 24 } }, NO_FLAGS, 0 },
	{ "stop, ", 6, NONE, 0, LOADED, NULL, false, {}, NO_FLAGS, 0 },
	{ "create_evtsets, ",
	  8,
	  VECTOR,
	  64,
	  CREATED,
	  fill_set,
	  false,
	  { { 2, 2 }, { 16, 48 } },
	  4,
	  3 },
	{ "getinfo_evtsets, ",
	  9,
	  VECTOR,
	  200,
	  CREATED,
	  fill_set,
	  false,
	  { { 2, 2 }, { 152, 48 } },
	  NO_FLAGS,
	  0 },
	{ "delete_evtsets, ",
	  10,
	  VECTOR,
	  64,
	  CREATED,
	  fill_set,
	  false,
	  { { 2, 2 }, { 4, 4 }, { 16, 48 } },
	  NO_FLAGS,
	  0 },
	{ "unload, ", 11, NONE, 0, LOADED, NULL, false, {}, NO_FLAGS, 0 },
	{ "info, ",
	  12,
	  OUT,
	  392,
	  OPENED,
	  NULL,
	  false,
	  { { 364, 4 }, { 368, 24 } },
	  NO_FLAGS,
	  0 },
	{ "last_error, ", 13, OUT, 64, OPENED, NULL, false, {}, NO_FLAGS, 0 },
	{ "status, ", 14, OUT, 64, CREATED, NULL, false, { { 24, 40 } }, NO_FLAGS, 0 },
	{ "read, ", 15, VECTOR, 16, CREATED, fill_pmd, false, {}, 4, 0 },
	{ "statistics, ", 16, IN, 192, CREATED, NULL, true, { { 4, 4 } }, 0, 1 },
	{},
};

int prepare_call(const struct call *call)
{
	pfarg_setdesc_t set = { .set_id = 1 };
	int fd;

	if (call->state == OPENED)
		return pfm_open_device();
	fd = make_context();
	use_busy_counters(fd);
	must(fd, pfm_create_evtsets(fd, &set, 1));
	if (call->state == LOADED)
		load(fd, thread_id());
	return fd;
}

void fill_argument(const struct call *call, void *structure)
{
	if (call->fill)
		call->fill(structure);
}

int do_ioctl(int fd, const struct call *call, unsigned int direction, size_t size,
	     void *argument)
{
	return ioctl(fd, _IOC(direction, 0xf3, call->number, size), argument);
}

int do_call(int fd, const struct call *call, size_t size, void *structure)
{
	struct pfm_vector vector = { (uintptr_t)structure, 1, size };

	if (call->kind == VECTOR)
		return do_ioctl(fd, call, _IOC_WRITE, sizeof(vector), &vector);
	return do_ioctl(fd, call, _IOC_WRITE, size, structure);
}
