// SPDX-License-Identifier: GPL-2.0-only
/*
 * Like copy_faults.c, this suite lets every allocation of a call fail in turn. The contexts here
 * use registers that several CPUs share. Kernel workers create perf events as placeholders for
 * these registers, and the suite lets each allocation of these workers fail in turn, too.
 */
#include <stdio.h>

#include "attempts.h"
#include "measure.h"
#include "samples.h"
#include "system_wide.h"
#include "uncore.h"

SUITE(uncore_faults, 600);

static const struct part {
	const char *pmu;
	unsigned int counters;
	uint64_t event;
	void (*make_events)(unsigned int cpu, uint64_t count);
} parts[] = {
	{ "amd_l3", L3_COUNTERS, L3_ALL, look_up },
	{ "amd_df", DF_COUNTERS, DF_DRAM, access_memory },
};

static const struct part *part;

static int attempt_create(const struct operation *operation)
{
	(void)operation;
	return to_error(try_system_wide(fd, part->pmu));
}

static void open_anew(void)
{
	close(fd);
	fd = pfm_open_device();
	ck_assert_int_ne(fd, -1);
}

static void context_anew(void)
{
	unsigned int n;

	fd = system_wide_context_of(part->pmu);
	for (n = 0; n < 2; n++)
		use(fd, n, part->event, 0);
}

/*
 * Unloads the module, which releases all registers, and loads it again. So the next load of a
 * context has to claim the registers.
 */
static void module_anew(void)
{
	close(fd);
	must_do(module_unload(UNCORE_MODULE), "unloading", UNCORE_MODULE);
	must_do(module_load(UNCORE_MODULE, ""), "loading", UNCORE_MODULE);
	context_anew();
}

static void load_first(void)
{
	load(fd, 0);
}

static void load_and_start_first(void)
{
	load_and_start(fd, 0);
}

static void must_count(void)
{
	load_and_start_first();
	part->make_events(0, 100);
	must(fd, pfm_stop(fd));
	ck_assert_uint_eq(read_pmd(fd, 1), 100);
	write_pmd(fd, 1, 0);
	unload();
}

/*
 * @error: result of a load. Whether the load succeeded or failed, the context must count after the
 * next load.
 */
static void must_be_loaded_now_or_later(int error)
{
	must_be_loaded_or_not(error);
	if (!error)
		unload();
	must_count();
}

static void check_calls(void)
{
	static const struct operation create = {
		.name = "create",
		.attempt = attempt_create,
		.undo = open_anew,
		.verify = must_be_loaded_or_not,
		.allocates = true,
		.reason = true,
	};
	static const struct operation operations[] = {
		{ .name = "load, registers that are not claimed",
		  .attempt = attempt_load,
		  .before = module_anew,
		  .verify = must_be_loaded_now_or_later,
		  .reason = true },
		{ .name = "load",
		  .attempt = attempt_load,
		  .verify = must_be_loaded_now_or_later,
		  .reason = true },
		{ .name = "start",
		  .attempt = attempt_start,
		  .undo = unload,
		  .before = load_first,
		  .verify = must_be_loaded_or_not },
		{ .name = "read",
		  .attempt = attempt_read_pmd,
		  .undo = unload,
		  .before = load_and_start_first,
		  .verify = must_be_loaded_or_not,
		  .count = 1 },
		{ .name = "stop",
		  .attempt = attempt_stop,
		  .undo = unload,
		  .before = load_and_start_first,
		  .verify = must_be_loaded_or_not },
		{ .name = "statistics",
		  .attempt = attempt_statistics,
		  .undo = unload,
		  .before = load_and_start_first,
		  .verify = must_be_loaded_or_not },
		{ .name = "unload",
		  .attempt = attempt_unload,
		  .before = load_and_start_first,
		  .verify = must_be_loaded_or_not },
		{ .name = "close",
		  .attempt = attempt_close,
		  .undo = context_anew,
		  .before = load_and_start_first,
		  .verify = must_be_loaded_or_not },
	};

	printf("         %s\n", part->pmu);
	fd = pfm_open_device();
	must_survive(&create);
	close(fd);
	context_anew();
	all_must_survive(operations, COUNT(operations));
	close(fd);
}

/*
 * Checks the calls on contexts of both PMUs, and that perf can use the counters afterwards. If the
 * guest has several CPUs, the contexts are loaded on CPU 1, which does not own the registers.
 */
static void check_parts(void)
{
	inject_open();
	inject_workers();
	load_target = cpus_online() > 1;
	for (part = parts; part < parts + COUNT(parts); part++)
		check_calls();
	must_do(module_unload(UNCORE_MODULE), "unloading", UNCORE_MODULE);
	if (path_exists(PERF_DF)) {
		perf_must_have_all(0);
		perf_must_have_all(cpus_online() - 1);
	}
	must_do(module_load(UNCORE_MODULE, ""), "loading", UNCORE_MODULE);
}

static void survive_parts(void)
{
	survive_then_put_back(check_parts);
}

TEST(calls_on_contexts_of_shared_registers)
{
	with_uncore(survive_parts);
}
