// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes the calls of a program that was built for the first version of the interface. The commands
 * and structures are written out here, not taken from the header, because they must stay valid for
 * ever.
 */
#include <fcntl.h>
#include <sys/ioctl.h>

#include "measure.h"

SUITE(first_version, 60);

#if defined(__powerpc__)
#define NO_ARGUMENT(number)	   (0x20000000u | 0xf300 | (number))
#define READS(number, size)	   (0x40000000u | (size) << 16 | 0xf300 | (number))
#define WRITES(number, size)	   (0x80000000u | (size) << 16 | 0xf300 | (number))
#define READS_WRITES(number, size) (0xc0000000u | (size) << 16 | 0xf300 | (number))
#else
#define NO_ARGUMENT(number)	   (0xf300u | (number))
#define READS(number, size)	   (0x80000000u | (size) << 16 | 0xf300 | (number))
#define WRITES(number, size)	   (0x40000000u | (size) << 16 | 0xf300 | (number))
#define READS_WRITES(number, size) (0xc0000000u | (size) << 16 | 0xf300 | (number))
#endif

#define CREATE_CONTEXT	WRITES(0, 96u)
#define WRITE_PMCS	WRITES(1, 16u)
#define WRITE_PMDS	WRITES(2, 16u)
#define READ_PMDS	READS_WRITES(3, 16u)
#define LOAD		WRITES(4, 32u)
#define START		WRITES(5, 32u)
#define STOP		NO_ARGUMENT(6)
#define RESTART		NO_ARGUMENT(7)
#define CREATE_EVTSETS	READS_WRITES(8, 16u)
#define GETINFO_EVTSETS READS_WRITES(9, 16u)
#define DELETE_EVTSETS	WRITES(10, 16u)
#define UNLOAD		NO_ARGUMENT(11)
#define INFO		READS(12, 392u)
#define LAST_ERROR	READS(13, 64u)
#define STATUS		READS(14, 64u)
#define READ		READS_WRITES(15, 16u)

#define TASK_CLOCK	256

struct first_create {
	uint32_t ctx_flags;
	uint32_t reserved1;
	uint64_t reserved3[7];
	uint64_t format_name, format_argument, format_size, reserved;
};

struct first_vector {
	uint64_t address;
	int32_t count;
	uint32_t reserved;
};

struct first_pmc {
	uint16_t num, set;
	uint32_t flags;
	uint64_t value, reserved[4];
};

struct first_pmd {
	uint16_t num, set;
	uint32_t flags;
	uint64_t value, long_reset, short_reset, last_reset, switch_count;
	uint64_t reset_pmds[5], smpl_pmds[5];
	uint64_t event_id, random_mask;
	uint32_t random_seed, reserved[7];
};

struct first_value {
	uint16_t num, set;
	uint32_t flags;
	uint64_t value;
};

struct first_load {
	uint32_t pid;
	uint16_t set, reserved1;
	uint64_t reserved2[3];
};

struct first_start {
	uint16_t set, reserved1;
	uint32_t reserved2;
	uint64_t reserved3[3];
};

struct first_setdesc {
	uint16_t id, reserved1;
	uint32_t flags;
	uint64_t timeout, reserved[6];
};

struct first_setinfo {
	uint16_t id, reserved1;
	uint32_t flags;
	uint64_t ovfl_pmds[5], runs, timeout, duration, avail_pmcs[5], avail_pmds[5],
		reserved[6];
};

struct first_info {
	uint32_t version, features;
	char pmu_name[32], pmu_model[64];
	uint64_t pmu_id, arg_mem_max;
	uint32_t message_queue_depth, max_sets;
	uint64_t implemented_pmcs[5], implemented_pmds[5], available_pmcs[5],
		available_pmds[5], counter_pmds[5], reserved[8];
};

struct first_status {
	uint32_t state, flags, target, active_set;
	uint64_t foreign_runs, reserved[5];
};

struct first_error {
	uint32_t operation;
	int32_t error;
	uint32_t reason, index;
	uint64_t value;
	char holder[40];
};

struct first_message {
	uint32_t type, pid;
	uint16_t active_set, cpu;
	uint32_t tid;
	uint64_t ip, pmds[5];
};

static int vector(int fd, unsigned long command, void *address, int count)
{
	struct first_vector vector = { (uintptr_t)address, count, 0 };

	return ioctl(fd, command, &vector);
}

static int create(void)
{
	struct first_create create = {};
	int fd = open("/dev/perfmon", O_RDONLY);

	ck_assert_int_ne(fd, -1);
	must(fd, ioctl(fd, CREATE_CONTEXT, &create));
	return fd;
}

static struct first_status status(int fd)
{
	struct first_status status;

	must(fd, ioctl(fd, STATUS, &status));
	return status;
}

TEST(it_counts)
{
	struct first_pmc pmc = { .num = pmu()->pmcs[0], .value = pmu()->busy[0] };
	struct first_pmd pmds[2] = { { .num = pmu()->pmds[0] }, { .num = TASK_CLOCK } };
	struct first_value values[2] = { { .num = pmu()->pmds[0] },
					 { .num = TASK_CLOCK } };
	struct first_load load = { .pid = thread_id() };
	struct first_start start = {};
	uint64_t begin;
	int fd = create();

	must(fd, vector(fd, WRITE_PMCS, &pmc, 1));
	must(fd, vector(fd, WRITE_PMDS, pmds, 2));
	must(fd, ioctl(fd, LOAD, &load));
	ck_assert_uint_eq(status(fd).state, 2);
	ck_assert_uint_eq(status(fd).target, thread_id());
	begin = monotonic_time();
	must(fd, ioctl(fd, START, &start));
	ck_assert_uint_eq(status(fd).flags, 1);
	spin_turns(100000);
	must(fd, vector(fd, READ, values, 2));
	must(fd, ioctl(fd, STOP, NULL));
	must(fd, vector(fd, READ_PMDS, pmds, 2));
	ck_assert_uint_gt(values[0].value, 0);
	ck_assert_uint_ge(pmds[0].value, values[0].value);
	ck_assert_uint_ge(pmds[1].value, values[1].value);
	ck_assert_uint_le(pmds[1].value, monotonic_time() - begin);
	must(fd, ioctl(fd, START, NULL));
	must(fd, ioctl(fd, UNLOAD, NULL));
	ck_assert_uint_eq(status(fd).state, 1);
	count_must_be_right(fd);
}

TEST(it_can_query_the_pmu)
{
	struct first_info info;
	int fd = create();

	memset(&info, 0xee, sizeof(info));
	must(fd, ioctl(fd, INFO, &info));
	ck_assert_uint_eq(info.version, 0x20008);
	ck_assert_uint_eq(info.features & 0x1f, 0x1f);
	ck_assert_str_eq(info.pmu_name, pmu()->info.pmu_name);
	ck_assert_uint_eq(info.arg_mem_max, read_number(SYSFS "arg_mem_max"));
	ck_assert_uint_ge(info.message_queue_depth, 8);
	ck_assert_uint_eq(info.max_sets, read_number(SYSFS "max_sets"));
	ck_assert_uint_ne(info.counter_pmds[0], 0);
	close(fd);
}

TEST(it_has_event_sets)
{
	struct first_setdesc sets[2] = { { .id = 1 },
					 { .id = 2, .flags = 2, .timeout = 1000000 } };
	struct first_setinfo info = { .id = 2 };
	int fd = create();

	must(fd, vector(fd, CREATE_EVTSETS, sets, 2));
	must(fd, vector(fd, GETINFO_EVTSETS, &info, 1));
	ck_assert_uint_eq(info.flags, 2);
	ck_assert_uint_eq(info.timeout, sets[1].timeout);
	ck_assert_uint_ne(info.avail_pmds[4], 0);
	must(fd, vector(fd, DELETE_EVTSETS, sets, 2));
	count_must_be_right(fd);
}

TEST(it_can_query_why_a_call_failed)
{
	struct first_pmd pmd = { .num = 65535 };
	struct first_error error;
	int fd = create();

	must_fail_errno(vector(fd, WRITE_PMDS, &pmd, 1), EINVAL);
	must(fd, ioctl(fd, LAST_ERROR, &error));
	ck_assert_uint_eq(error.operation, 2);
	ck_assert_int_eq(error.error, EINVAL);
	ck_assert_uint_eq(error.reason, 14); /* no such PMD */
	ck_assert_uint_eq(error.index, 0);
	ck_assert_uint_eq(error.value, 65535);
	must_fail_errno(ioctl(fd, RESTART, NULL), EBUSY);
	must(fd, ioctl(fd, LAST_ERROR, &error));
	ck_assert_uint_eq(error.reason, 22); /* not loaded */
	close(fd);
}

TEST(it_gets_the_end_of_a_thread)
{
	struct child child = child_new();
	struct first_load load = { .pid = child.pid };
	struct first_message message;
	int fd = create();

	must(fd, ioctl(fd, LOAD, &load));
	child_exit(&child);
	memset(&message, 0xee, sizeof(message));
	ck_assert_int_eq(read(fd, &message, sizeof(message)), 64);
	ck_assert_uint_eq(message.type, 2);
	ck_assert_uint_eq(status(fd).state, 1);
	close(fd);
}
