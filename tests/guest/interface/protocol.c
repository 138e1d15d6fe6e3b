// SPDX-License-Identifier: GPL-2.0-only
/*
 * Every call with every argument invalid in turn: the errno of perfmon-api.md,
 * the reason and the element, and a context that still counts right.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "guest.h"

SUITE(protocol, 60);

#define NO_INDEX PFM_NO_INDEX

/* The calls that take vectors, and an element that each accepts when unloaded. */
struct vector_call {
	const char *name;
	unsigned long command;
	size_t size;
	bool copies_back;
};

static const struct vector_call vector_calls[] = {
	{ "write_pmcs, ", PFM_IOC_WRITE_PMCS, sizeof(pfarg_pmc_t), false },
	{ "write_pmds, ", PFM_IOC_WRITE_PMDS, sizeof(pfarg_pmd_t), false },
	{ "read_pmds, ", PFM_IOC_READ_PMDS, sizeof(pfarg_pmd_t), true },
	{ "create_evtsets, ", PFM_IOC_CREATE_EVTSETS, sizeof(pfarg_setdesc_t), true },
	{ "getinfo_evtsets, ", PFM_IOC_GETINFO_EVTSETS, sizeof(pfarg_setinfo_t), true },
	{ "delete_evtsets, ", PFM_IOC_DELETE_EVTSETS, sizeof(pfarg_setdesc_t), false },
	{ "read, ", PFM_IOC_READ, sizeof(pfarg_pmr_t), true },
};

/* Zeros address PMC, PMD or set 0; only deleting set 0 is refused. */
#define DELETE_CALL 5

#define for_each_vector_call(call)                                                       \
	for ((call) = vector_calls;                                                      \
	     (call) < vector_calls + COUNT(vector_calls) && (subject = (call)->name);    \
	     (call)++)

static int vector_ioctl(int fd, const struct vector_call *call, void *address, int count)
{
	struct pfm_vector vector = { (uintptr_t)address, count, 0 };

	return ioctl(fd, call->command, &vector);
}

/* Memory whose last byte is the last that can be reached. */
static char *memory_end(void)
{
	size_t page = sysconf(_SC_PAGESIZE);
	char *memory = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ck_assert_ptr_ne(memory, MAP_FAILED);
	ck_assert_int_eq(mprotect(memory + page, page, PROT_NONE), 0);
	return memory + page;
}

/* A context in which zeroed elements of all calls but delete are valid. */
static int zero_context(void)
{
	int fd = make_context();

	/* The tests take counters from those available; element 0 need not be. */
	if (!(pmu()->info.available_pmcs[0] & pmu()->info.available_pmds[0] & 1))
		skip("PMC 0 or PMD 0 is not available");
	use_busy_counters(fd);
	write_pmd(fd, 0, 0);
	return fd;
}

static void must_accept_zeros(int fd, const struct vector_call *call, void *address)
{
	if (call == &vector_calls[DELETE_CALL])
		must_fail(fd, vector_ioctl(fd, call, address, 1), EINVAL,
			  PFM_REASON_SET_ZERO, 0);
	else
		must(fd, vector_ioctl(fd, call, address, 1));
}

/* Addresses at which there is nothing, or which are not the caller's. */
static void *const bad_addresses[] = {
	NULL, (void *)8, (void *)-4096, (void *)(1ul << 63), (void *)-1,
};

TEST(a_vector_call_without_argument_is_efault)
{
	const struct vector_call *call;
	int fd = make_context();
	size_t i;

	for_each_vector_call(call) for (i = 0; i < COUNT(bad_addresses); i++)
		must_fail(fd, ioctl(fd, call->command, bad_addresses[i]), EFAULT,
			  PFM_REASON_FAULT, NO_INDEX);
	count_must_be_right(fd);
}

TEST(a_vector_at_a_bad_address_is_efault)
{
	const struct vector_call *call;
	int fd = make_context();
	size_t i;

	for_each_vector_call(call) for (i = 0; i < COUNT(bad_addresses); i++)
		must_fail(fd, vector_ioctl(fd, call, bad_addresses[i], 1), EFAULT,
			  PFM_REASON_FAULT, NO_INDEX);
	count_must_be_right(fd);
}

TEST(a_vector_that_leaves_its_page_is_efault)
{
	const struct vector_call *call;
	int fd = zero_context();
	char *end = memory_end();

	/* what is reserved at the end of an element need not be there */
	for_each_vector_call(call)
	{
		memset(end - call->size, 0, call->size);
		must_fail(fd, vector_ioctl(fd, call, end - 1, 1), EFAULT,
			  PFM_REASON_FAULT, NO_INDEX);
		must_fail(fd, vector_ioctl(fd, call, end - 9, 1), EFAULT,
			  PFM_REASON_FAULT, NO_INDEX);
		must_fail(fd, vector_ioctl(fd, call, end - call->size, 2), EFAULT,
			  PFM_REASON_FAULT, NO_INDEX);
	}
	count_must_be_right(fd);
}

TEST(a_vector_up_to_the_end_of_its_page_is_accepted)
{
	const struct vector_call *call;
	int fd = zero_context();
	char *end = memory_end();

	for_each_vector_call(call)
	{
		memset(end - call->size, 0, call->size);
		must_accept_zeros(fd, call, end - call->size);
	}
	count_must_be_right(fd);
}

TEST(an_unaligned_vector_is_as_good_as_an_aligned_one)
{
	const struct vector_call *call;
	int fd = zero_context();
	char memory[512];
	size_t shift;

	for_each_vector_call(call) for (shift = 1; shift < 8; shift++)
	{
		memset(memory, 0, sizeof(memory));
		must_accept_zeros(fd, call, memory + shift);
	}
	count_must_be_right(fd);
}

TEST(an_argument_may_lie_anywhere_up_to_the_end_of_its_page)
{
	const struct vector_call *call;
	int fd = zero_context();
	char elements[256] = {};
	struct pfm_vector vector = { (uintptr_t)elements, 1, 0 };
	char *end = memory_end();

	for_each_vector_call(call)
	{
		if (call == &vector_calls[DELETE_CALL])
			continue;
		memcpy(end - sizeof(vector), &vector, sizeof(vector));
		must(fd, ioctl(fd, call->command, end - sizeof(vector)));
		memcpy(end - sizeof(vector) - 3, &vector, sizeof(vector));
		must(fd, ioctl(fd, call->command, end - sizeof(vector) - 3));
		must_fail(fd, ioctl(fd, call->command, end - sizeof(vector) + 1), EFAULT,
			  PFM_REASON_FAULT, NO_INDEX);
	}
	count_must_be_right(fd);
}

TEST(a_result_that_cannot_be_written_is_efault)
{
	const struct vector_call *call;
	int fd = zero_context();
	size_t page = sysconf(_SC_PAGESIZE);
	char *memory = memory_end() - page;

	ck_assert_int_eq(mprotect(memory, page, PROT_READ), 0);
	for_each_vector_call(call)
	{
		if (call->copies_back)
			must_fail(fd, vector_ioctl(fd, call, memory, 1), EFAULT,
				  PFM_REASON_FAULT, NO_INDEX);
		else
			must_accept_zeros(fd, call, memory);
	}
	count_must_be_right(fd);
}

TEST(a_bad_number_of_elements_is_einval)
{
	const struct vector_call *call;
	int fd = make_context();
	char elements[256] = {};
	size_t i;

	for_each_vector_call(call)
	{
		const int counts[] = { -1, INT_MIN, INT_MAX, INT_MAX / (int)call->size };

		for (i = 0; i < COUNT(counts); i++) {
			must_fail(fd, vector_ioctl(fd, call, elements, counts[i]), EINVAL,
				  PFM_REASON_COUNT, NO_INDEX);
			must_fail(fd, vector_ioctl(fd, call, NULL, counts[i]), EINVAL,
				  PFM_REASON_COUNT, NO_INDEX);
		}
	}
	count_must_be_right(fd);
}

TEST(no_elements_do_nothing_and_succeed)
{
	const struct vector_call *call;
	int fd = make_context();

	for_each_vector_call(call) must(fd, vector_ioctl(fd, call, NULL, 0));
	count_must_be_right(fd);
}

TEST(a_vector_longer_than_arg_mem_max_is_e2big)
{
	uint64_t max = read_number(SYSFS "arg_mem_max");
	const struct vector_call *call;
	int fd = make_context();
	char *elements = calloc(1, max + 1024);

	for_each_vector_call(call)
	{
		must_fail(fd, vector_ioctl(fd, call, elements, max / call->size + 1),
			  E2BIG, PFM_REASON_TOO_LONG, NO_INDEX);
		/* the length is looked at first */
		must_fail(fd, vector_ioctl(fd, call, NULL, max / call->size + 1), E2BIG,
			  PFM_REASON_TOO_LONG, NO_INDEX);
	}
	count_must_be_right(fd);
}

/* @count times PMD, the value of the last is to be @value. */
static void read_many(int fd, unsigned int pmd, int count, uint64_t value)
{
	pfarg_pmd_t *pmds = calloc(count, sizeof(*pmds));
	int i;

	for (i = 0; i < count; i++)
		pmds[i].reg_num = pmd;
	must(fd, pfm_read_pmds(fd, pmds, count));
	for (i = 0; i < count; i++)
		ck_assert_msg(pmds[i].reg_value == value, "element %d of %d is %ju", i,
			      count, (uintmax_t)pmds[i].reg_value);
	free(pmds);
}

TEST(a_vector_as_long_as_arg_mem_max_is_accepted)
{
	uint64_t max = read_number(SYSFS "arg_mem_max");
	int fd = make_context();

	write_pmd(fd, pmu()->pmds[0], 12345);
	read_many(fd, pmu()->pmds[0], max / sizeof(pfarg_pmd_t), 12345);
	count_must_be_right(fd);
}

TEST(arg_mem_max_can_be_raised_and_longer_vectors_work)
{
	char before[32];
	int fd = make_context();

	strcpy(before, read_text(SYSFS "arg_mem_max"));
	write_pmd(fd, pmu()->pmds[0], 12345);
	write_text(SYSFS "arg_mem_max", "1000000\n");
	read_many(fd, pmu()->pmds[0], 1000000 / sizeof(pfarg_pmd_t), 12345);
	write_text(SYSFS "arg_mem_max", before);
	count_must_be_right(fd);
}

/* And the kernel does not complain: tests/vm/run looks. */
TEST(a_vector_that_no_memory_can_hold_is_enomem)
{
	char before[32];
	int fd = make_context(), result, error;

	strcpy(before, read_text(SYSFS "arg_mem_max"));
	write_text(SYSFS "arg_mem_max", "2147483647\n");
	result = pfm_write_pmds(fd, NULL, INT_MAX / sizeof(pfarg_pmd_t) - 1);
	error = errno;
	write_text(SYSFS "arg_mem_max", before);
	ck_assert_int_eq(result, -1);
	ck_assert_msg(error == ENOMEM, "%s", strerror(error));
	count_must_be_right(fd);
}

TEST(a_reserved_field_of_a_vector_must_be_zero)
{
	const struct vector_call *call;
	int fd = make_context();
	char elements[256] = {};
	struct pfm_vector vector = { (uintptr_t)elements, 1, 1 };

	for_each_vector_call(call) must_fail(fd, ioctl(fd, call->command, &vector),
					     EINVAL, PFM_REASON_RESERVED, NO_INDEX);
	count_must_be_right(fd);
}

/* Programs of the perfmon2 time pass what was on their stack. */
TEST(reserved_fields_of_perfmon2_structures_are_ignored)
{
	pfarg_pmc_t pmc = { .reg_num = pmu()->pmcs[0], .reg_value = pmu()->busy[0] };
	pfarg_pmd_t pmd = { .reg_num = pmu()->pmds[0] };
	pfarg_ctx_t ctx = {};
	pfarg_load_t load = { .load_pid = thread_id() };
	pfarg_start_t start = {};
	pfarg_setdesc_t set = {};
	pfarg_setinfo_t info = {};
	int fd;

	memset(&ctx.ctx_reserved1, 0xff, sizeof(ctx.ctx_reserved1));
	memset(ctx.ctx_reserved3, 0xff, sizeof(ctx.ctx_reserved3));
	memset(pmc.reg_reserved2, 0xff, sizeof(pmc.reg_reserved2));
	memset(pmd.reg_reserved2, 0xff, sizeof(pmd.reg_reserved2));
	memset(&load.load_reserved1, 0xff, sizeof(load.load_reserved1));
	memset(load.load_reserved2, 0xff, sizeof(load.load_reserved2));
	memset(&start.start_reserved1, 0xff, sizeof(start.start_reserved1));
	memset(&start.start_reserved2, 0xff, sizeof(start.start_reserved2));
	memset(start.reserved3, 0xff, sizeof(start.reserved3));
	memset(&set.set_reserved1, 0xff, sizeof(set.set_reserved1));
	memset(set.reserved, 0xff, sizeof(set.reserved));
	memset(&info.set_reserved1, 0xff, sizeof(info.set_reserved1));
	memset(info.set_reserved3, 0xff, sizeof(info.set_reserved3));

	fd = pfm_create_context(&ctx, NULL, NULL, 0);
	ck_assert_msg(fd != -1, "%s", sentence(-1));
	must(fd, pfm_create_evtsets(fd, &set, 1));
	must(fd, pfm_write_pmcs(fd, &pmc, 1));
	must(fd, pfm_write_pmds(fd, &pmd, 1));
	must(fd, pfm_load_context(fd, &load));
	must(fd, pfm_start(fd, &start));
	must(fd, pfm_getinfo_evtsets(fd, &info, 1));
	must(fd, pfm_read_pmds(fd, &pmd, 1));
	count_must_be_right(fd);
}

/* ---- without a context, twice a context ------------------------------------------- */

TEST(a_descriptor_without_context_takes_no_other_call)
{
	const struct vector_call *call;
	int fd = pfm_open_device();
	struct pfm_status status;

	for_each_vector_call(call)
	{
		must_fail(fd, vector_ioctl(fd, call, NULL, 0), EINVAL,
			  PFM_REASON_NO_CONTEXT, NO_INDEX);
	}
	subject = "";
	must_fail(fd, try_load(fd, thread_id()), EINVAL, PFM_REASON_NO_CONTEXT, NO_INDEX);
	must_fail(fd, pfm_start(fd, NULL), EINVAL, PFM_REASON_NO_CONTEXT, NO_INDEX);
	must_fail(fd, pfm_stop(fd), EINVAL, PFM_REASON_NO_CONTEXT, NO_INDEX);
	must_fail(fd, pfm_restart(fd), EINVAL, PFM_REASON_NO_CONTEXT, NO_INDEX);
	must_fail(fd, pfm_unload_context(fd), EINVAL, PFM_REASON_NO_CONTEXT, NO_INDEX);
	must_fail(fd, pfm_get_status(fd, &status), EINVAL, PFM_REASON_NO_CONTEXT,
		  NO_INDEX);
}

TEST(a_second_context_on_a_descriptor_is_ebusy)
{
	struct pfm_create create = {};
	int fd = make_context();

	must_fail(fd, ioctl(fd, PFM_IOC_CREATE_CONTEXT, &create), EBUSY,
		  PFM_REASON_HAS_CONTEXT, NO_INDEX);
	count_must_be_right(fd);
}

/* ---- create ------------------------------------------------------------------------ */

/* On a descriptor that is used again and again until it works. */
static void must_refuse_create(int fd, struct pfm_create create, int error,
			       unsigned int reason)
{
	must_fail(fd, ioctl(fd, PFM_IOC_CREATE_CONTEXT, &create), error, reason,
		  NO_INDEX);
}

static void must_create_after_all(int fd)
{
	struct pfm_create create = {};

	must(fd, ioctl(fd, PFM_IOC_CREATE_CONTEXT, &create));
	count_must_be_right(fd);
}

TEST(create_with_an_unknown_flag_is_einval)
{
	const uint32_t known = PFM_FL_NOTIFY_BLOCK | PFM_FL_SYSTEM_WIDE |
			       PFM_FL_MAP_SETS | PFM_FL_OVFL_NO_MSG;
	int fd = pfm_open_device();
	unsigned int bit;

	for (bit = 0; bit < 32; bit++)
		if (!(known >> bit & 1))
			must_refuse_create(
				fd, (struct pfm_create){ .context.ctx_flags = 1u << bit },
				EINVAL, PFM_REASON_FLAGS);
	must_create_after_all(fd);
}

TEST(create_with_notify_block_and_system_wide_is_einval)
{
	int fd = pfm_open_device();

	must_refuse_create(fd,
			   (struct pfm_create){ .context.ctx_flags = PFM_FL_NOTIFY_BLOCK |
								     PFM_FL_SYSTEM_WIDE },
			   EINVAL, PFM_REASON_FLAGS);
	must_create_after_all(fd);
}

TEST(create_with_what_comes_later_is_eopnotsupp)
{
	static const uint32_t later[] = { PFM_FL_SYSTEM_WIDE, PFM_FL_MAP_SETS };
	int fd = pfm_open_device();
	size_t i;

	for (i = 0; i < COUNT(later); i++)
		must_refuse_create(fd,
				   (struct pfm_create){ .context.ctx_flags = later[i] },
				   EOPNOTSUPP, PFM_REASON_UNSUPPORTED);
	must_create_after_all(fd);
}

TEST(create_with_a_reserved_field_is_einval)
{
	int fd = pfm_open_device();

	must_refuse_create(fd, (struct pfm_create){ .reserved = 1 }, EINVAL,
			   PFM_REASON_RESERVED);
	must_create_after_all(fd);
}

TEST(create_from_a_bad_address_is_efault)
{
	int fd = pfm_open_device();
	size_t i;

	for (i = 0; i < COUNT(bad_addresses); i++)
		must_fail(fd, ioctl(fd, PFM_IOC_CREATE_CONTEXT, bad_addresses[i]), EFAULT,
			  PFM_REASON_FAULT, NO_INDEX);
	must_fail(fd,
		  ioctl(fd, PFM_IOC_CREATE_CONTEXT,
			memory_end() - sizeof(struct pfm_create) + 1),
		  EFAULT, PFM_REASON_FAULT, NO_INDEX);
	must_create_after_all(fd);
}

/* ---- registers ---------------------------------------------------------------------- */

static int write_one_pmc(int fd, pfarg_pmc_t pmc)
{
	return pfm_write_pmcs(fd, &pmc, 1);
}

static int write_one_pmd(int fd, pfarg_pmd_t pmd)
{
	return pfm_write_pmds(fd, &pmd, 1);
}

static int read_one_pmd(int fd, pfarg_pmd_t pmd)
{
	return pfm_read_pmds(fd, &pmd, 1);
}

static int read_one_pmr(int fd, unsigned int number, unsigned int set)
{
	pfarg_pmr_t pmr = { .reg_num = number, .reg_set = set };

	return pfm_read(fd, 0, PFM_RW_PMD, &pmr, sizeof(pmr));
}

TEST(an_unknown_pmc_is_einval)
{
	const unsigned int numbers[] = { pmu()->missing_pmc, 255, 256, 319, 320, 65535 };
	int fd = make_context();
	size_t i;

	for (i = 0; i < COUNT(numbers); i++)
		must_fail(fd, write_one_pmc(fd, (pfarg_pmc_t){ .reg_num = numbers[i] }),
			  EINVAL, PFM_REASON_NO_PMC, 0);
	count_must_be_right(fd);
}

TEST(an_unknown_pmd_is_einval)
{
	const unsigned int numbers[] = {
		pmu()->missing_pmd, 255, PFM_PMD_CPU + 1, 319, 320, 65535
	};
	int fd = make_context();
	size_t i;

	for (i = 0; i < COUNT(numbers); i++) {
		pfarg_pmd_t pmd = { .reg_num = numbers[i] };

		must_fail(fd, write_one_pmd(fd, pmd), EINVAL, PFM_REASON_NO_PMD, 0);
		must_fail(fd, read_one_pmd(fd, pmd), EINVAL, PFM_REASON_NO_PMD, 0);
		must_fail(fd, read_one_pmr(fd, pmd.reg_num, 0), EINVAL, PFM_REASON_NO_PMD,
			  0);
	}
	count_must_be_right(fd);
}

TEST(reading_a_pmd_never_written_is_einval)
{
	int fd = make_context();

	must_fail(fd, read_one_pmd(fd, (pfarg_pmd_t){ .reg_num = pmu()->pmds[0] }),
		  EINVAL, PFM_REASON_PMD_UNUSED, 0);
	must_fail(fd, read_one_pmd(fd, (pfarg_pmd_t){ .reg_num = PFM_PMD_TASK_CLOCK }),
		  EINVAL, PFM_REASON_PMD_UNUSED, 0);
	must_fail(fd, read_one_pmr(fd, pmu()->pmds[0], 0), EINVAL, PFM_REASON_PMD_UNUSED,
		  0);
	count_must_be_right(fd);
}

TEST(an_unknown_pmc_flag_is_einval)
{
	int fd = make_context();
	unsigned int bit;

	for (bit = 0; bit < 32; bit++) {
		pfarg_pmc_t pmc = { .reg_num = pmu()->pmcs[0], .reg_flags = 1u << bit };

		if (pmc.reg_flags != PFM_REGFL_NO_EMUL64)
			must_fail(fd, write_one_pmc(fd, pmc), EINVAL, PFM_REASON_FLAGS,
				  0);
	}
	count_must_be_right(fd);
}

TEST(a_counter_that_cannot_be_narrowed_is_einval)
{
	pfarg_pmc_t pmc = { .reg_num = pmu()->pmcs[0], .reg_flags = PFM_REGFL_NO_EMUL64 };
	int fd = make_context();

	if (pmu()->can_narrow)
		skip("each counter of %s can be narrowed", pmu()->info.pmu_name);
	must_fail(fd, write_one_pmc(fd, pmc), EINVAL, PFM_REASON_NOT_A_COUNTER, 0);
	count_must_be_right(fd);
}

TEST(an_unknown_pmd_flag_is_einval)
{
	int fd = make_context();
	unsigned int bit;

	for (bit = 2; bit < 32; bit++)
		must_fail(fd,
			  write_one_pmd(fd, (pfarg_pmd_t){ .reg_num = pmu()->pmds[0],
							   .reg_flags = 1u << bit }),
			  EINVAL, PFM_REASON_FLAGS, 0);
	count_must_be_right(fd);
}

TEST(a_register_of_an_unknown_set_is_einval)
{
	static const unsigned int sets[] = { 1, 65535 };
	int fd = busy_context();
	size_t i;

	for (i = 0; i < COUNT(sets); i++) {
		pfarg_pmc_t pmc = { .reg_num = pmu()->pmcs[0], .reg_set = sets[i] };
		pfarg_pmd_t pmd = { .reg_num = pmu()->pmds[0], .reg_set = sets[i] };

		must_fail(fd, write_one_pmc(fd, pmc), EINVAL, PFM_REASON_NO_SET, 0);
		must_fail(fd, write_one_pmd(fd, pmd), EINVAL, PFM_REASON_NO_SET, 0);
		must_fail(fd, read_one_pmd(fd, pmd), EINVAL, PFM_REASON_NO_SET, 0);
		must_fail(fd, read_one_pmr(fd, pmd.reg_num, pmd.reg_set), EINVAL,
			  PFM_REASON_NO_SET, 0);
	}
	count_must_be_right(fd);
}

TEST(a_value_that_the_pmu_refuses_is_einval)
{
	int fd = make_context();

	if (!pmu()->has_bad_value)
		skip("%s refuses no value", pmu()->info.pmu_model);
	must_fail(fd,
		  write_one_pmc(fd, (pfarg_pmc_t){ .reg_num = pmu()->pmcs[0],
						   .reg_value = pmu()->bad_value }),
		  EINVAL, PFM_REASON_PMC_VALUE, 0);
	count_must_be_right(fd);
}

#define LEAVE_TO_PERF "/sys/module/perfmon_armv8/parameters/leave_to_perf"

TEST(a_register_left_to_perf_is_einval)
{
	char mask[32], before[32];
	pfarg_pmc_t pmc = { .reg_num = pmu()->pmcs[2] };
	pfarg_pmd_t pmd = { .reg_num = pmu()->pmds[2] };
	int fd;

	if (!pmu_is("armv8"))
		skip("no register of %s can be held by somebody else",
		     pmu()->info.pmu_name);
	strcpy(before, read_text(LEAVE_TO_PERF));
	snprintf(mask, sizeof(mask), "%u\n", 1u << pmd.reg_num);
	write_text(LEAVE_TO_PERF, mask);
	fd = make_context();
	write_text(LEAVE_TO_PERF, before);
	must_fail(fd, write_one_pmc(fd, pmc), EINVAL, PFM_REASON_PMC_HELD, 0);
	must_fail(fd, write_one_pmd(fd, pmd), EINVAL, PFM_REASON_PMD_HELD, 0);
	ck_assert_uint_eq(set_of(fd, 0).set_avail_pmds[0] >> pmd.reg_num & 1, 0);
	count_must_be_right(fd);
}

/* ---- the elements before a bad one ---------------------------------------------------- */

TEST(elements_before_a_bad_one_stay_written)
{
	const unsigned int *numbers = pmu()->pmds;
	pfarg_pmd_t pmds[] = {
		{ .reg_num = numbers[0], .reg_value = 111 },
		{ .reg_num = numbers[1], .reg_value = 222 },
		{ .reg_num = pmu()->missing_pmd },
		{ .reg_num = numbers[2], .reg_value = 333 },
	};
	int fd = make_context();

	must_fail(fd, pfm_write_pmds(fd, pmds, COUNT(pmds)), EINVAL, PFM_REASON_NO_PMD,
		  2);
	ck_assert_uint_eq(read_pmd(fd, numbers[0]), 111);
	ck_assert_uint_eq(read_pmd(fd, numbers[1]), 222);
	must_fail(fd, read_one_pmd(fd, (pfarg_pmd_t){ .reg_num = numbers[2] }), EINVAL,
		  PFM_REASON_PMD_UNUSED, 0);
	count_must_be_right(fd);
}

TEST(pmcs_before_a_bad_one_stay_written_and_those_after_are_not)
{
	pfarg_pmc_t pmcs[] = {
		{ .reg_num = pmu()->pmcs[0], .reg_value = pmu()->busy[0] },
		{ .reg_num = pmu()->missing_pmc },
		{ .reg_num = pmu()->pmcs[1], .reg_value = pmu()->busy[1] },
	};
	int fd = make_context();

	write_pmd(fd, pmu()->pmds[0], 0);
	write_pmd(fd, pmu()->pmds[1], 0);
	must_fail(fd, pfm_write_pmcs(fd, pmcs, COUNT(pmcs)), EINVAL, PFM_REASON_NO_PMC,
		  1);
	load(fd, thread_id());
	must(fd, pfm_start(fd, NULL));
	spin_turns(10000);
	must(fd, pfm_stop(fd));
	ck_assert_uint_gt(read_pmd(fd, pmu()->pmds[0]), 0);
	ck_assert_uint_eq(read_pmd(fd, pmu()->pmds[1]), 0);
	count_must_be_right(fd);
}

TEST(elements_before_a_bad_one_are_read)
{
	const unsigned int *numbers = pmu()->pmds;
	pfarg_pmd_t pmds[] = {
		{ .reg_num = numbers[0], .reg_value = 7 },
		{ .reg_num = numbers[1], .reg_value = 7 },
		{ .reg_num = numbers[2], .reg_value = 7 },
	};
	int fd = make_context();

	write_pmd(fd, numbers[0], 111);
	write_pmd(fd, numbers[2], 333);
	must_fail(fd, pfm_read_pmds(fd, pmds, COUNT(pmds)), EINVAL, PFM_REASON_PMD_UNUSED,
		  1);
	ck_assert_uint_eq(pmds[0].reg_value, 111);
	ck_assert_uint_eq(pmds[1].reg_value, 7);
	ck_assert_uint_eq(pmds[2].reg_value, 7);
	count_must_be_right(fd);
}

TEST(read_and_read_pmds_agree_in_long_vectors)
{
	enum {
		ELEMENTS = 20
	}; /* more than the module takes at a time */
	pfarg_pmr_t pmrs[ELEMENTS];
	pfarg_pmd_t pmds[ELEMENTS];
	int fd = make_context(), i;

	for (i = 0; i < 3; i++)
		write_pmd(fd, pmu()->pmds[i], 1000 + i);
	for (i = 0; i < ELEMENTS; i++) {
		pmrs[i] =
			(pfarg_pmr_t){ .reg_num = pmu()->pmds[i % 3], .reg_flags = ~0u };
		pmds[i] = (pfarg_pmd_t){ .reg_num = pmu()->pmds[i % 3] };
	}
	must(fd, pfm_read(fd, 0, PFM_RW_PMD, pmrs, sizeof(pmrs)));
	must(fd, pfm_read_pmds(fd, pmds, ELEMENTS));
	for (i = 0; i < ELEMENTS; i++) {
		ck_assert_uint_eq(pmrs[i].reg_value, 1000 + i % 3);
		ck_assert_uint_eq(pmds[i].reg_value, 1000 + i % 3);
	}
	/* one of the second lot */
	pmrs[18].reg_num = pmu()->missing_pmd;
	pmrs[17].reg_value = pmrs[19].reg_value = 7;
	must_fail(fd, pfm_read(fd, 0, PFM_RW_PMD, pmrs, sizeof(pmrs)), EINVAL,
		  PFM_REASON_NO_PMD, 18);
	ck_assert_uint_eq(pmrs[17].reg_value, 1000 + 17 % 3);
	ck_assert_uint_eq(pmrs[19].reg_value, 7);
	count_must_be_right(fd);
}

TEST(pfm_read_refuses_flags_types_and_sizes)
{
	pfarg_pmr_t pmr = { .reg_num = pmu()->pmds[0] };
	int fd = make_context();

	write_pmd(fd, pmu()->pmds[0], 0);
	must_fail_errno(pfm_read(fd, 1, PFM_RW_PMD, &pmr, sizeof(pmr)), EINVAL);
	must_fail_errno(pfm_read(fd, 0, 0, &pmr, sizeof(pmr)), EINVAL);
	must_fail_errno(pfm_read(fd, 0, 2, &pmr, sizeof(pmr)), EINVAL);
	must_fail_errno(pfm_read(fd, 0, PFM_RW_PMD, &pmr, 0), EINVAL);
	must_fail_errno(pfm_read(fd, 0, PFM_RW_PMD, &pmr, sizeof(pmr) + 1), EINVAL);
	must_fail_errno(pfm_read(fd, 0, PFM_RW_PMD, NULL, sizeof(pmr)), EFAULT);
	count_must_be_right(fd);
}

TEST(the_index_is_that_of_the_first_bad_element_of_many)
{
	const unsigned int count = 70, bad = 65;
	pfarg_pmc_t pmcs[70];
	pfarg_setinfo_t infos[3] = { { .set_id = 0 }, { .set_id = 9 }, { .set_id = 8 } };
	int fd = make_context();
	unsigned int i;

	for (i = 0; i < count; i++)
		pmcs[i] = (pfarg_pmc_t){ .reg_num = i < bad ? pmu()->pmcs[0]
							    : pmu()->missing_pmc };
	must_fail(fd, pfm_write_pmcs(fd, pmcs, count), EINVAL, PFM_REASON_NO_PMC, bad);
	must_fail(fd, pfm_getinfo_evtsets(fd, infos, 3), EINVAL, PFM_REASON_NO_SET, 1);
	count_must_be_right(fd);
}

/* ---- load, start, stop, restart ---------------------------------------------------- */

TEST(load_of_an_unknown_set_is_einval)
{
	pfarg_load_t load = { .load_pid = thread_id(), .load_set = 1 };
	int fd = make_context();

	must_fail(fd, pfm_load_context(fd, &load), EINVAL, PFM_REASON_NO_SET, NO_INDEX);
	ck_assert_uint_eq(sessions(), 0);
	count_must_be_right(fd);
}

TEST(load_on_no_thread_is_esrch)
{
	/* pid_max is far below */
	static const uint32_t tids[] = { 0, 0x7ffffffe, 0x80000000, 0xffffffff };
	int fd = make_context();
	size_t i;

	for (i = 0; i < COUNT(tids); i++)
		must_fail(fd, try_load(fd, tids[i]), ESRCH, PFM_REASON_NO_THREAD,
			  NO_INDEX);
	count_must_be_right(fd);
}

TEST(load_from_a_bad_address_is_efault)
{
	int fd = make_context();
	size_t i;

	for (i = 0; i < COUNT(bad_addresses); i++)
		must_fail(fd, ioctl(fd, PFM_IOC_LOAD, bad_addresses[i]), EFAULT,
			  PFM_REASON_FAULT, NO_INDEX);
	count_must_be_right(fd);
}

TEST(start_and_stop_of_an_unloaded_context_are_einval)
{
	int fd = make_context();

	must_fail(fd, pfm_start(fd, NULL), EINVAL, PFM_REASON_UNLOADED, NO_INDEX);
	must_fail(fd, pfm_start(fd, &(pfarg_start_t){}), EINVAL, PFM_REASON_UNLOADED,
		  NO_INDEX);
	must_fail(fd, pfm_stop(fd), EINVAL, PFM_REASON_UNLOADED, NO_INDEX);
	count_must_be_right(fd);
}

TEST(start_of_an_unknown_set_is_einval_and_starts_nothing)
{
	int fd = busy_context();

	load(fd, thread_id());
	must_fail(fd, pfm_start(fd, &(pfarg_start_t){ .start_set = 1 }), EINVAL,
		  PFM_REASON_NO_SET, NO_INDEX);
	ck_assert_uint_eq(status_of(fd).flags & PFM_STATUS_STARTED, 0);
	count_must_be_right(fd);
}

TEST(start_from_a_bad_address_is_efault)
{
	int fd = busy_context();
	size_t i;

	load(fd, thread_id());
	for (i = 1; i < COUNT(bad_addresses); i++) /* 0 is no argument */
		must_fail(fd, ioctl(fd, PFM_IOC_START, bad_addresses[i]), EFAULT,
			  PFM_REASON_FAULT, NO_INDEX);
	ck_assert_uint_eq(status_of(fd).flags & PFM_STATUS_STARTED, 0);
	count_must_be_right(fd);
}

TEST(restart_without_notification_is_ebusy_in_every_state)
{
	int fd = busy_context();

	must_fail(fd, pfm_restart(fd), EBUSY, PFM_REASON_UNLOADED, NO_INDEX);
	load(fd, thread_id());
	must_fail(fd, pfm_restart(fd), EBUSY, PFM_REASON_NOTHING_TO_RESTART, NO_INDEX);
	must(fd, pfm_start(fd, NULL));
	must_fail(fd, pfm_restart(fd), EBUSY, PFM_REASON_NOTHING_TO_RESTART, NO_INDEX);
	count_must_be_right(fd);
}

/* ---- event sets ------------------------------------------------------------------------ */

static int create_one_set(int fd, pfarg_setdesc_t set)
{
	return pfm_create_evtsets(fd, &set, 1);
}

static int delete_one_set(int fd, unsigned int id)
{
	pfarg_setdesc_t set = { .set_id = id };

	return pfm_delete_evtsets(fd, &set, 1);
}

TEST(a_set_with_an_unknown_flag_is_einval)
{
	int fd = make_context();
	unsigned int bit;

	for (bit = 2; bit < 32; bit++)
		must_fail(fd,
			  create_one_set(fd, (pfarg_setdesc_t){ .set_flags = 1u << bit }),
			  EINVAL, PFM_REASON_FLAGS, 0);
	count_must_be_right(fd);
}

TEST(a_set_with_both_switches_is_einval)
{
	pfarg_setdesc_t set = { .set_flags = PFM_SETFL_OVFL_SWITCH |
					     PFM_SETFL_TIME_SWITCH,
				.set_timeout = 1000000 };
	int fd = make_context();

	must_fail(fd, create_one_set(fd, set), EINVAL, PFM_REASON_FLAGS, 0);
	count_must_be_right(fd);
}

TEST(a_switch_after_no_time_is_einval)
{
	pfarg_setdesc_t set = { .set_flags = PFM_SETFL_TIME_SWITCH };
	int fd = make_context();

	must_fail(fd, create_one_set(fd, set), EINVAL, PFM_REASON_TIMEOUT, 0);
	count_must_be_right(fd);
}

TEST(set_zero_cannot_be_deleted)
{
	int fd = make_context();

	must_fail(fd, delete_one_set(fd, 0), EINVAL, PFM_REASON_SET_ZERO, 0);
	count_must_be_right(fd);
}

TEST(an_unknown_set_is_einval)
{
	pfarg_setinfo_t info = { .set_id = 1 };
	int fd = make_context();

	must_fail(fd, delete_one_set(fd, 1), EINVAL, PFM_REASON_NO_SET, 0);
	must_fail(fd, pfm_getinfo_evtsets(fd, &info, 1), EINVAL, PFM_REASON_NO_SET, 0);
	info.set_id = 65535;
	must_fail(fd, pfm_getinfo_evtsets(fd, &info, 1), EINVAL, PFM_REASON_NO_SET, 0);
	count_must_be_right(fd);
}

TEST(sets_of_a_loaded_context_cannot_be_changed)
{
	int fd = busy_context();

	load(fd, thread_id());
	must_fail(fd, create_one_set(fd, (pfarg_setdesc_t){}), EBUSY, PFM_REASON_LOADED,
		  NO_INDEX);
	must_fail(fd, delete_one_set(fd, 0), EBUSY, PFM_REASON_LOADED, NO_INDEX);
	must(fd, pfm_start(fd, NULL));
	must_fail(fd, create_one_set(fd, (pfarg_setdesc_t){}), EBUSY, PFM_REASON_LOADED,
		  NO_INDEX);
	count_must_be_right(fd);
}

/* ---- information and errors --------------------------------------------------------------- */

TEST(info_and_status_to_a_bad_address_are_efault)
{
	int fd = make_context();
	size_t i;

	for (i = 0; i < COUNT(bad_addresses); i++) {
		must_fail(fd, ioctl(fd, PFM_IOC_INFO, bad_addresses[i]), EFAULT,
			  PFM_REASON_FAULT, NO_INDEX);
		must_fail(fd, ioctl(fd, PFM_IOC_STATUS, bad_addresses[i]), EFAULT,
			  PFM_REASON_FAULT, NO_INDEX);
	}
	count_must_be_right(fd);
}

TEST(asking_for_the_error_to_a_bad_address_keeps_it)
{
	int fd = make_context();
	struct pfm_error error;

	must_fail(fd, pfm_stop(fd), EINVAL, PFM_REASON_UNLOADED, NO_INDEX);
	must_fail_errno(ioctl(fd, PFM_IOC_LAST_ERROR, NULL), EFAULT);
	must(fd, pfm_get_error(fd, &error));
	ck_assert_uint_eq(error.reason, PFM_REASON_UNLOADED);
	count_must_be_right(fd);
}

TEST(the_error_is_none_before_a_call_has_failed)
{
	struct pfm_error error;
	int fd = make_context();

	must(fd, pfm_get_error(fd, &error));
	ck_assert_int_eq(error.error, 0);
	ck_assert_uint_eq(error.reason, PFM_REASON_NONE);
	ck_assert_uint_eq(error.index, PFM_NO_INDEX);
	ck_assert_str_eq(error.holder, "");
}

TEST(the_error_tells_call_and_value_and_outlives_success)
{
	struct pfm_error error;
	int fd = make_context();

	must_fail(fd, write_one_pmd(fd, (pfarg_pmd_t){ .reg_num = 65535 }), EINVAL,
		  PFM_REASON_NO_PMD, 0);
	write_pmd(fd, pmu()->pmds[0], 0);
	must(fd, pfm_get_error(fd, &error));
	ck_assert_uint_eq(error.operation, _IOC_NR(PFM_IOC_WRITE_PMDS));
	ck_assert_uint_eq(error.value, 65535);
	ck_assert_uint_eq(error.reason, PFM_REASON_NO_PMD);
}

TEST(the_error_belongs_to_its_descriptor)
{
	struct pfm_error error;
	int fd = make_context(), other = make_context();

	must_fail(fd, pfm_stop(fd), EINVAL, PFM_REASON_UNLOADED, NO_INDEX);
	must(other, pfm_get_error(other, &error));
	ck_assert_int_eq(error.error, 0);
}

TEST(the_sentence_names_call_element_reason_and_value)
{
	pfarg_pmd_t pmds[2] = { { .reg_num = pmu()->pmds[0] }, { .reg_num = 65535 } };
	int fd = make_context();

	ck_assert_str_eq(sentence(fd), "no call has failed on this descriptor");
	must_fail_errno(pfm_write_pmds(fd, pmds, 2), EINVAL);
	ck_assert_str_eq(sentence(fd),
			 "pfm_write_pmds: element 1: the PMU has no such PMD: PMD 65535");
	must_fail_errno(pfm_start(fd, NULL), EINVAL);
	ck_assert_str_eq(sentence(fd), "pfm_start: the context is not attached");
	must_fail_errno(try_load(fd, 0x7ffffffe), ESRCH);
	ck_assert_str_eq(sentence(fd),
			 "pfm_load_context: there is no such thread: thread 2147483646");
}

TEST(the_sentence_of_a_failed_create_is_kept)
{
	pfarg_ctx_t ctx = { .ctx_flags = 0x8 };

	must_fail_errno(pfm_create_context(&ctx, NULL, NULL, 0), EINVAL);
	ck_assert_str_eq(sentence(-1),
			 "pfm_create_context: an unknown flag is set: flags 0x8");
}

/* ---- what is no call at all ------------------------------------------------------------------ */

TEST(an_unknown_ioctl_is_enotty)
{
	const unsigned long unknown[] = {
		_IO(PFM_IOC_TYPE, 200),
		_IO(PFM_IOC_TYPE, 255),
		_IOWR(PFM_IOC_TYPE, 200, struct pfm_vector),
		_IOW(PFM_IOC_TYPE + 1, 1, struct pfm_vector),
		_IOW(PFM_IOC_TYPE, 1, struct pfm_create),
		_IOR(PFM_IOC_TYPE, 1, struct pfm_vector),
		_IO(PFM_IOC_TYPE, 1),
		_IOW(PFM_IOC_TYPE, 6, int),
		0,
		~0u,
	};
	char memory[256] = {};
	struct pfm_error error;
	int fd = make_context();
	size_t i;

	for (i = 0; i < COUNT(unknown); i++)
		must_fail_errno(ioctl(fd, unknown[i], memory), ENOTTY);
	must(fd, pfm_get_error(fd, &error));
	ck_assert_int_eq(error.error, 0);
	count_must_be_right(fd);
}

TEST(a_context_cannot_be_written_sought_or_mapped)
{
	char byte = 0;
	int fd = open(PFM_DEVICE, O_RDWR);

	ck_assert_int_ne(fd, -1);
	must_create_after_all(fd);
	must_fail_errno(write(fd, &byte, 1), EINVAL);
	must_fail_errno(lseek(fd, 0, SEEK_SET), ESPIPE);
	must_fail_errno((long)mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0), EINVAL);
	count_must_be_right(fd);
}

/* Every call of the library on @fd, which is no context. */
static void must_be_ebadf(int fd)
{
	pfarg_pmc_t pmc = {};
	pfarg_pmd_t pmd = {};
	pfarg_pmr_t pmr = {};
	pfarg_load_t load = {};
	pfarg_start_t start = {};
	pfarg_setdesc_t set = {};
	pfarg_setinfo_t set_info = {};
	struct pfm_info info;
	struct pfm_status status;
	struct pfm_error error;

	must_fail_errno(pfm_write_pmcs(fd, &pmc, 1), EBADF);
	must_fail_errno(pfm_write_pmds(fd, &pmd, 1), EBADF);
	must_fail_errno(pfm_read_pmds(fd, &pmd, 1), EBADF);
	must_fail_errno(pfm_read(fd, 0, PFM_RW_PMD, &pmr, sizeof(pmr)), EBADF);
	must_fail_errno(pfm_load_context(fd, &load), EBADF);
	must_fail_errno(pfm_start(fd, NULL), EBADF);
	must_fail_errno(pfm_start(fd, &start), EBADF);
	must_fail_errno(pfm_stop(fd), EBADF);
	must_fail_errno(pfm_restart(fd), EBADF);
	must_fail_errno(pfm_create_evtsets(fd, &set, 1), EBADF);
	must_fail_errno(pfm_getinfo_evtsets(fd, &set_info, 1), EBADF);
	must_fail_errno(pfm_delete_evtsets(fd, &set, 1), EBADF);
	must_fail_errno(pfm_unload_context(fd), EBADF);
	must_fail_errno(pfm_get_info(fd, &info), EBADF);
	must_fail_errno(pfm_get_status(fd, &status), EBADF);
	if (fd != -1) /* -1 asks for the failure of a create */
		must_fail_errno(pfm_get_error(fd, &error), EBADF);
}

TEST(a_closed_descriptor_is_ebadf)
{
	int fd = make_context();

	close(fd);
	must_be_ebadf(fd);
	must_be_ebadf(-1);
	must_be_ebadf(INT_MAX);
	ck_assert_ptr_ne(strstr(sentence(fd), "is not open"), NULL);
}

TEST(a_foreign_descriptor_is_ebadf)
{
	static const char *const paths[] = { "/dev/null", "/dev/zero", "/proc/self/stat",
					     "/", "/etc/passwd" };
	int fds[2], fd;
	size_t i;

	for (i = 0; i < COUNT(paths); i++) {
		subject = paths[i];
		fd = open(paths[i], O_RDONLY);
		ck_assert_int_ne(fd, -1);
		must_be_ebadf(fd);
		close(fd);
	}
	subject = "a pipe, ";
	ck_assert_int_eq(pipe(fds), 0);
	must_be_ebadf(fds[0]);
	must_be_ebadf(fds[1]);
	ck_assert_ptr_ne(strstr(sentence(fds[0]), "is not one of perfmon"), NULL);
}

TEST(the_library_refuses_missing_arguments)
{
	int fd = make_context();

	must_fail_errno(pfm_create_context(NULL, NULL, NULL, 0), EFAULT);
	must_fail_errno(pfm_load_context(fd, NULL), EFAULT);
	must_fail_errno(pfm_write_pmcs(fd, NULL, 1), EFAULT);
	must_fail_errno(pfm_get_info(fd, NULL), EFAULT);
	must_fail_errno(pfm_get_status(fd, NULL), EFAULT);
	must_fail_errno(pfm_get_error(fd, NULL), EFAULT);
	count_must_be_right(fd);
}

/* Pseudo-random, the same in every run. */
static uint32_t draw(void)
{
	static uint64_t state = 1;

	state = state * 6364136223846793005u + 1442695040888963407u;
	return state >> 33;
}

/* What was written at random may halt a counter, or have it overflow at once. */
static void forget_values(int fd)
{
	unsigned int n;

	must(fd, pfm_unload_context(fd));
	for (n = 0; n < 64; n++) {
		if (pmu()->info.available_pmcs[0] >> n & 1)
			write_pmc(fd, n, 0);
		if (pmu()->info.available_pmds[0] >> n & 1)
			write_pmd(fd, n, 0);
	}
}

TEST(random_arguments_do_no_harm)
{
	static const unsigned long commands[] = {
		PFM_IOC_WRITE_PMCS,	PFM_IOC_WRITE_PMDS,	PFM_IOC_READ_PMDS,
		PFM_IOC_START,		PFM_IOC_CREATE_EVTSETS, PFM_IOC_GETINFO_EVTSETS,
		PFM_IOC_DELETE_EVTSETS, PFM_IOC_CREATE_CONTEXT, PFM_IOC_STATUS,
		PFM_IOC_STOP,		PFM_IOC_RESTART,	PFM_IOC_UNLOAD,
		PFM_IOC_READ,
	};
	uint32_t memory[1024];
	int fd = make_context(), turn;
	size_t i;

	for (turn = 0; turn < 20000; turn++) {
		struct pfm_vector vector = { (uintptr_t)memory, draw() % 24, 0 };
		unsigned long command = commands[draw() % COUNT(commands)];
		bool is_vector = _IOC_SIZE(command) == sizeof(vector);

		/* mostly small numbers: they get further */
		for (i = 0; i < COUNT(memory); i++)
			memory[i] = draw() % 4 ? 0 : draw() >> draw() % 32;
		if (draw() % 8 == 0)
			try_load(fd, thread_id());
		ioctl(fd, command, is_vector ? (void *)&vector : (void *)memory);
	}
	forget_values(fd);
	count_must_be_right(fd);
}
