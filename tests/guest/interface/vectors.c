// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests calls with vectors of elements. Each argument is made invalid in turn. The call must fail
 * with the errno of docs/interface.md, the right reason and the index of the bad element. After
 * that, the context must still count correctly.
 */
#include <limits.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "arguments.h"

SUITE(vectors, 60);

/* A call that takes a vector, and the size of the vector's elements. */
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

/*
 * Index of delete_evtsets in vector_calls[]. All other calls accept an element that is all zeros:
 * it names PMC 0, PMD 0 or set 0. delete_evtsets refuses this element, because set 0 cannot be
 * deleted.
 */
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

/* Creates a context for which all calls except delete_evtsets accept an element of zeros. */
static int zero_context(void)
{
	int fd = make_context();

	/* An element of zeros names PMC 0 or PMD 0, and some PMUs lack one of these. */
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

/*
 * Maps the last page that a program can map, and returns its address. The stack begins below this
 * page, so the page is free. User addresses end at a power of two, which depends on the size of
 * pages. On x86_64 the last page before this power of two cannot be mapped, so this function maps
 * the page before that one.
 */
static char *last_page(void)
{
	const size_t page = sysconf(_SC_PAGESIZE);
#if defined(__x86_64__)
	const size_t free = page;
#else
	const size_t free = 0;
#endif
	unsigned int bits = 56;
	char *address, *memory;

	do {
		address = (char *)(1ul << bits) - free - page;
		memory = mmap(address, page, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	} while (memory != address && bits-- > 40);
	ck_assert_msg(memory == address, "mmap: %s", strerror(errno));
	return memory;
}

TEST(a_vector_call_without_argument_is_efault)
{
	const struct vector_call *call;
	int fd = make_context();
	size_t i;

	for_each_vector_call(call)
		for (i = 0; i < COUNT(bad_addresses); i++)
			must_fail(fd, ioctl(fd, call->command, bad_addresses[i]), EFAULT,
				  PFM_REASON_FAULT, NO_INDEX);
	count_must_be_right(fd);
}

TEST(a_vector_at_a_bad_address_is_efault)
{
	const struct vector_call *call;
	int fd = make_context();
	size_t i;

	for_each_vector_call(call)
		for (i = 0; i < COUNT(bad_addresses); i++)
			must_fail(fd, vector_ioctl(fd, call, bad_addresses[i], 1), EFAULT,
				  PFM_REASON_FAULT, NO_INDEX);
	count_must_be_right(fd);
}

TEST(a_vector_beyond_its_page_is_efault)
{
	const struct vector_call *call;
	int fd = zero_context();
	char *end = memory_end();

	/*
	 * The first two vectors have one element each. In the first vector, only the first byte of
	 * the element can be accessed; in the second vector, only the first nine bytes. The third
	 * vector has two elements, and only the first element can be accessed.
	 */
	for_each_vector_call(call) {
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

	for_each_vector_call(call) {
		memset(end - call->size, 0, call->size);
		must_accept_zeros(fd, call, end - call->size);
	}
	count_must_be_right(fd);
}

/* The elements of the vector name two sets. The vector ends at the end of the user addresses. */
TEST(a_vector_may_end_where_user_addresses_do)
{
	char *const last = last_page();
	const size_t page = sysconf(_SC_PAGESIZE);
	pfarg_setdesc_t set = { .set_id = 1 };
	pfarg_pmd_t *pmds = (void *)(last + page - 2 * sizeof(pfarg_pmd_t));
	pfarg_pmr_t *values = (void *)(last + page - 2 * sizeof(pfarg_pmr_t));
	const unsigned int number = pmu()->pmds[0];
	int fd = make_context();

	must(fd, pfm_create_evtsets(fd, &set, 1));
	pmds[0] = (pfarg_pmd_t){ .reg_num = number, .reg_value = 5 };
	pmds[1] = (pfarg_pmd_t){ .reg_num = number, .reg_set = 1, .reg_value = 6 };
	must(fd, pfm_write_pmds(fd, pmds, 2));
	pmds[0].reg_value = pmds[1].reg_value = 0;
	must(fd, pfm_read_pmds(fd, pmds, 2));
	ck_assert_uint_eq(pmds[0].reg_value, 5);
	ck_assert_uint_eq(pmds[1].reg_value, 6);
	values[0] = (pfarg_pmr_t){ .reg_num = number };
	values[1] = (pfarg_pmr_t){ .reg_num = number, .reg_set = 1 };
	must(fd, pfm_read(fd, 0, PFM_RW_PMD, values, 2 * sizeof(*values)));
	ck_assert_uint_eq(values[0].reg_value, 5);
	ck_assert_uint_eq(values[1].reg_value, 6);
	munmap(last, page);
}

TEST(an_unaligned_vector_works_like_an_aligned_one)
{
	const struct vector_call *call;
	int fd = zero_context();
	char memory[512];
	size_t shift;

	for_each_vector_call(call)
		for (shift = 1; shift < 8; shift++) {
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

	for_each_vector_call(call) {
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
	for_each_vector_call(call) {
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

	for_each_vector_call(call) {
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

TEST(a_vector_without_elements_succeeds_and_does_nothing)
{
	const struct vector_call *call;
	int fd = make_context();

	for_each_vector_call(call)
		must(fd, vector_ioctl(fd, call, NULL, 0));
	count_must_be_right(fd);
}

TEST(a_vector_longer_than_arg_mem_max_is_e2big)
{
	uint64_t max = read_number(SYSFS "arg_mem_max");
	const struct vector_call *call;
	int fd = make_context();
	char *elements = calloc(1, max + 1024);

	for_each_vector_call(call) {
		must_fail(fd, vector_ioctl(fd, call, elements, max / call->size + 1),
			  E2BIG, PFM_REASON_TOO_LONG, NO_INDEX);
		/* the length is checked before the address */
		must_fail(fd, vector_ioctl(fd, call, NULL, max / call->size + 1), E2BIG,
			  PFM_REASON_TOO_LONG, NO_INDEX);
	}
	count_must_be_right(fd);
}

/* Reads one PMD with a vector of @count elements. Each element must get the value @value. */
static void read_many(int fd, unsigned int pmd, int count, uint64_t value)
{
	pfarg_pmd_t *pmds = calloc(count, sizeof(*pmds));
	int i;

	for (i = 0; i < count; i++)
		pmds[i].reg_num = pmd;
	must(fd, pfm_read_pmds(fd, pmds, count));
	for (i = 0; i < count; i++)
		ck_assert_msg(pmds[i].reg_value == value,
			      "element %d of %d has the wrong value %ju", i, count,
			      (uintmax_t)pmds[i].reg_value);
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

/* The allocation fails, but the kernel must not log a warning. tests/vm/run checks the log. */
TEST(a_vector_larger_than_memory_is_enomem)
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

/* Programs written for perfmon2 leave uninitialized values in the reserved fields. */
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

TEST(a_descriptor_without_context_takes_no_other_call)
{
	const struct vector_call *call;
	int fd = pfm_open_device();
	struct pfm_status status;

	for_each_vector_call(call) {
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
