// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests that pfm_samples_next() of libpfmdev returns the samples of several buffers in the order of
 * their times. The buffers are in a file in memory, and the test fills them as the kernel would.
 * The time of a sample is its number, so the library must return each sample once, in the order of
 * the numbers.
 */
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include <perfmon/perfmon.h>
#include <perfmon/perfmon_callchain.h>
#include <perfmon/perfmon_dfl_smpl.h>
#include <perfmon/perfmon_nway.h>

#include "suites.h"

SUITE(samples, 60);

enum {
	CPUS = 5,
	SIZE = 8192,
	REGIONS = 3,
	REGION_SIZE = 400,
	LARGEST = sizeof(struct pfm_callchain_entry) + 3 * sizeof(uint64_t)
};

/**
 * struct machine - the buffers, and the state of the kernel that fills them
 * @fd: descriptor of the file in memory
 * @cpus: number of buffers; 0: one buffer for all CPUs
 * @format: format of the buffers
 * @memory: the buffers
 * @next: number of the next sample
 * @lost: number of samples that did not fit into the buffers
 * @restarts: number of buffers and regions that were handed back
 * @is_unloaded: the context is not loaded, so a restart fails
 * @late: time of a sample that CPU 0 writes while the library waits; 0: no such sample
 * @waits: number of times that the library has waited
 */
static struct machine {
	int fd;
	unsigned int cpus;
	const char *format;
	void *memory[CPUS];
	uint64_t next;
	uint64_t lost;
	unsigned int restarts;
	bool is_unloaded;
	uint64_t late;
	unsigned int waits;
} machine;

static struct pfm_samples *samples;

int __wrap_pfm_get_status(int fd, struct pfm_status *status);
int __wrap_pfm_restart(int fd);
int __wrap_pfm_restart_cpu(int fd, unsigned int cpu);
int __wrap_nanosleep(const struct timespec *time, struct timespec *left);

static bool is_nway(void)
{
	return !strcmp(machine.format, "nway");
}

static void set_up(unsigned int cpu)
{
	struct pfm_dfl_smpl_hdr *linear = machine.memory[cpu];
	struct pfm_nway_hdr *nway = machine.memory[cpu];

	if (is_nway())
		*nway = (struct pfm_nway_hdr){ .regions = REGIONS,
					       .region_size = REGION_SIZE,
					       .region_offset = 1024,
					       .largest_entry = LARGEST };
	else
		*linear = (struct pfm_dfl_smpl_hdr){ .hdr_cur_offs = sizeof(*linear),
						     .hdr_buf_size = 1024,
						     .hdr_min_buf_space = LARGEST };
}

static void begin(const char *format, unsigned int cpus)
{
	const unsigned int count = cpus ? cpus : 1;

	machine = (struct machine){ .format = format, .cpus = cpus, .next = 1 };
	machine.fd = memfd_create("samples", 0);
	ck_assert_int_eq(ftruncate(machine.fd, PFM_BUFFER_OFFSET(CPUS)), 0);
	for (unsigned int cpu = 0; cpu < count; cpu++) {
		machine.memory[cpu] = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED,
					   machine.fd, (off_t)PFM_BUFFER_OFFSET(cpu));
		ck_assert(machine.memory[cpu] != MAP_FAILED);
		set_up(cpu);
	}
	samples = pfm_samples_open();
	ck_assert_ptr_nonnull(samples);
}

static void end(void)
{
	pfm_samples_close(samples);
	for (unsigned int cpu = 0; cpu < CPUS && machine.memory[cpu]; cpu++)
		munmap(machine.memory[cpu], SIZE);
	close(machine.fd);
}

/* Write an entry with 0 to 2 values or addresses; returns its size. */
static size_t write_entry(void *start, unsigned int cpu, uint64_t time)
{
	struct pfm_dfl_smpl_entry *entry = start;
	struct pfm_callchain_entry *chain = start;
	const unsigned int more = time % 3;

	if (!strcmp(machine.format, "callchain")) {
		*chain = (struct pfm_callchain_entry){ .kernel_count = more / 2,
						       .user_count = more - more / 2 };
		chain->sample.tstamp = time;
		chain->sample.cpu = (uint16_t)cpu;
		return sizeof(*chain) + more * sizeof(uint64_t);
	}
	*entry = (struct pfm_dfl_smpl_entry){ .tstamp = time,
					      .cpu = (uint16_t)cpu,
					      .values = (uint16_t)more };
	return sizeof(*entry) + more * sizeof(uint64_t);
}

static bool sample_nway(unsigned int cpu, uint64_t time)
{
	struct pfm_nway_hdr *header = machine.memory[cpu];
	const uint64_t index = header->filled % REGIONS;
	struct pfm_nway_region *region = (struct pfm_nway_region *)(header + 1) + index;

	if (header->filled - header->released == REGIONS) {
		header->lost++;
		machine.lost++;
		return false;
	}
	region->size += write_entry((char *)header + header->region_offset +
					    index * REGION_SIZE + region->size,
				    cpu, time);
	region->count++;
	header->written++;
	if (REGION_SIZE - region->size < LARGEST)
		header->filled++;
	return true;
}

static bool sample_linear(unsigned int cpu, uint64_t time)
{
	struct pfm_dfl_smpl_hdr *header = machine.memory[cpu];

	if (header->hdr_buf_size - header->hdr_cur_offs < LARGEST) {
		header->hdr_lost++;
		machine.lost++;
		return false;
	}
	header->hdr_cur_offs +=
		write_entry((char *)header + header->hdr_cur_offs, cpu, time);
	header->hdr_count++;
	return true;
}

static bool sample_at(unsigned int cpu, uint64_t time)
{
	return is_nway() ? sample_nway(cpu, time) : sample_linear(cpu, time);
}

/*
 * Write @count samples into the buffers, on CPUs in a changing order. If a sample is lost, the next
 * sample gets the same number, and so the same CPU.
 */
static void take_samples(unsigned int count)
{
	const unsigned int cpus = machine.cpus ? machine.cpus : 1;

	for (; count; count--)
		machine.next += sample_at(
			(unsigned int)(machine.next * 7 + machine.next / 5) % cpus,
			machine.next);
}

int __wrap_pfm_get_status(int fd, struct pfm_status *status)
{
	ck_assert_int_eq(fd, machine.fd);
	*status = (struct pfm_status){ .buffer_size = SIZE, .buffer_cpus = machine.cpus };
	return 0;
}

static int restart(unsigned int cpu)
{
	struct pfm_dfl_smpl_hdr *linear = machine.memory[cpu];
	struct pfm_nway_hdr *nway = machine.memory[cpu];

	if (machine.is_unloaded) {
		errno = EBUSY;
		return -1;
	}
	machine.restarts++;
	if (is_nway()) {
		ck_assert_uint_lt(nway->released, nway->filled);
		((struct pfm_nway_region *)(nway + 1))[nway->released++ % REGIONS] =
			(struct pfm_nway_region){ 0 };
		return 0;
	}
	ck_assert_uint_lt(linear->hdr_buf_size - linear->hdr_cur_offs, LARGEST);
	linear->hdr_count = 0;
	linear->hdr_cur_offs = sizeof(*linear);
	return 0;
}

int __wrap_pfm_restart(int fd)
{
	ck_assert_int_eq(fd, machine.fd);
	ck_assert_uint_eq(machine.cpus, 0);
	return restart(0);
}

int __wrap_pfm_restart_cpu(int fd, unsigned int cpu)
{
	ck_assert_int_eq(fd, machine.fd);
	ck_assert_uint_lt(cpu, machine.cpus);
	return restart(cpu);
}

int __wrap_nanosleep(const struct timespec *time, struct timespec *left)
{
	(void)left;
	ck_assert_int_eq(time->tv_sec, 0);
	machine.waits++;
	if (machine.late)
		sample_at(0, machine.late);
	machine.late = 0;
	return 0;
}

/* Check that the library returns the samples from @first to @last, and then no further sample. */
static void must_be(uint64_t first, uint64_t last)
{
	const struct pfm_dfl_smpl_entry *sample;

	for (; first <= last; first++) {
		ck_assert_int_eq(pfm_samples_next(samples, &sample), 1);
		ck_assert_uint_eq(sample->tstamp, first);
	}
	ck_assert_int_eq(pfm_samples_next(samples, &sample), 0);
}

static const char *const formats[] = { "default", "nway", "callchain" };

TEST(samples_of_all_buffers_come_in_the_order_of_their_time)
{
	for (unsigned int i = 0; i < 3; i++) {
		begin(formats[i], CPUS);
		ck_assert_int_eq(pfm_samples_add(samples, machine.fd, formats[i]), 0);
		must_be(1, 0);
		for (unsigned int count = 1; count < 40; count++) {
			uint64_t first = machine.next;

			take_samples(count);
			must_be(first, machine.next - 1);
		}
		/* A buffer or a region is full after fewer than 20 samples. */
		ck_assert_uint_gt(machine.next, 500);
		ck_assert_uint_ge(machine.restarts, machine.next / 20 - CPUS);
		end();
	}
}

TEST(a_context_with_one_buffer_is_restarted)
{
	for (unsigned int i = 0; i < 3; i++) {
		begin(formats[i], 0);
		ck_assert_int_eq(pfm_samples_add(samples, machine.fd, formats[i]), 0);
		for (uint64_t first = 1; first < 500; first = machine.next) {
			take_samples(10);
			must_be(first, machine.next - 1);
		}
		ck_assert_uint_gt(machine.restarts, 20);
		end();
	}
}

/* CPU 0 is still writing sample 4 when samples 5 and 6 are already in the buffer of CPU 1. */
TEST(a_sample_that_is_just_being_written_comes_in_its_place)
{
	begin("nway", 2);
	ck_assert_int_eq(pfm_samples_add(samples, machine.fd, "nway"), 0);
	for (uint64_t time = 1; time <= 6; time++)
		if (time != 4)
			sample_at(1, time);
	machine.late = 4;
	must_be(1, 6);
	ck_assert_uint_eq(machine.waits, 1);
	end();
}

/*
 * The library returns the samples in rounds. A round consists of the samples that are in the
 * buffers when the round begins, and of older samples that CPUs are still writing. CPU 0 writes
 * sample 7 while the library waits for samples that are older than sample 6. So the next round
 * returns sample 7.
 */
TEST(a_later_sample_belongs_to_the_next_round)
{
	const struct pfm_dfl_smpl_entry *sample;

	begin("nway", 2);
	ck_assert_int_eq(pfm_samples_add(samples, machine.fd, "nway"), 0);
	sample_at(1, 6);
	machine.late = 7;
	ck_assert_int_eq(pfm_samples_next(samples, &sample), 1);
	ck_assert_uint_eq(sample->tstamp, 6);
	sample_at(1, 8);
	must_be(7, 8);
	ck_assert_uint_eq(machine.waits, 2);
	end();
}

TEST(what_cannot_be_handed_back_is_not_returned_twice)
{
	for (unsigned int i = 0; i < 3; i++) {
		begin(formats[i], 1);
		ck_assert_int_eq(pfm_samples_add(samples, machine.fd, formats[i]), 0);
		while (!machine.lost)
			take_samples(1);
		machine.is_unloaded = true;
		must_be(1, machine.next - 1);
		must_be(1, 0);
		ck_assert_uint_eq(machine.restarts, 0);
		machine.is_unloaded = false;
		must_be(1, 0);
		ck_assert_uint_eq(machine.restarts, is_nway() ? REGIONS : 1);
		take_samples(3);
		must_be(machine.next - 3, machine.next - 1);
		ck_assert_uint_eq(pfm_samples_lost(samples), 1);
		end();
	}
}

TEST(lost_samples_of_all_buffers_are_counted)
{
	begin("nway", CPUS);
	ck_assert_int_eq(pfm_samples_add(samples, machine.fd, "nway"), 0);
	for (unsigned int i = 0; i < 1000; i++)
		machine.next += sample_at(i % CPUS, machine.next);
	ck_assert_uint_gt(machine.lost, 500);
	ck_assert_uint_eq(pfm_samples_lost(samples), machine.lost);
	end();
}

TEST(after_the_end_nothing_is_waited_for)
{
	begin("nway", CPUS);
	ck_assert_int_eq(pfm_samples_add(samples, machine.fd, "nway"), 0);
	take_samples(50);
	pfm_samples_end(samples);
	must_be(1, 50);
	ck_assert_uint_eq(machine.waits, 0);
	end();
}

TEST(buffers_that_cannot_be_merged_are_refused)
{
	begin("nway", 1);
	ck_assert_int_eq(pfm_samples_add(samples, machine.fd, "hist"), -1);
	ck_assert_int_eq(errno, EINVAL);
	((struct pfm_nway_hdr *)machine.memory[0])->released = 1;
	ck_assert_int_eq(pfm_samples_add(samples, machine.fd, "nway"), -1);
	ck_assert_int_eq(errno, EBUSY);
	end();
	pfm_samples_close(NULL);
}
