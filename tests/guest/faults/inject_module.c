// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes allocations fail with tests/modules/failing_allocations.c, in kernels without fault
 * injection.
 */
#include <failing_allocations.h>
#include <fcntl.h>

#include "injector.h"

static int file =
	-1; /* opened at the beginning, because the test may change to another user later */
static struct failing_request request;
static bool with_workers;

static void open_file(void)
{
	if (!module_is_loaded(INJECT_MODULE))
		ck_assert_int_eq(module_load(INJECT_MODULE, ""), 0);
	file = inject_file(FAILING_ALLOCATIONS, O_RDWR);
}

static void set_kind(enum inject_kind kind)
{
	request = (struct failing_request){
		.objects = kind != INJECT_PAGE,
		.pages = kind != INJECT_OBJECT,
		.rest = kind == INJECT_REST,
		.workers = with_workers,
	};
}

static void count_workers(void)
{
	with_workers = true;
}

static void write_request(pid_t tid, unsigned int nth)
{
	request.thread = tid;
	request.nth = nth;
	if (write(file, &request, sizeof(request)) != sizeof(request))
		abort();
}

static void arm(pid_t tid, unsigned int nth)
{
	write_request(tid ?: thread_id(), nth);
}

static void disarm(struct injected *found)
{
	struct failing_result result;

	if (pread(file, &result, sizeof(result), 0) != sizeof(result))
		abort();
	write_request(0, 0);
	found->injected = result.left == 0;
	found->told = result.told;
	found->ours = result.ours;
	found->reserve = result.reserve;
}

const struct injector module_injector = {
	.open = open_file,
	.kind = set_kind,
	.workers = count_workers,
	.arm = arm,
	.disarm = disarm,
};
