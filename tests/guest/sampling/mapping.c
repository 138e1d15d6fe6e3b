// SPDX-License-Identifier: GPL-2.0-only
/* Tests which parts of a sampling buffer can be mapped, and how long a mapping stays valid. */
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "samples.h"

SUITE(mapping, 120);

static int open_read_write(uint64_t size)
{
	pfm_dfl_smpl_arg_t argument = { .buf_size = size };
	struct pfm_create create = { .format_name = (uintptr_t) "default",
				     .format_argument = (uintptr_t)&argument,
				     .format_size = sizeof(argument) };
	int fd = open(PFM_DEVICE, O_RDWR | O_CLOEXEC);

	ck_assert_int_ne(fd, -1);
	must(fd, ioctl(fd, PFM_IOC_CREATE_CONTEXT, &create));
	return fd;
}

static void must_not_map(size_t size, int protection, int flags, int fd, off_t offset)
{
	void *memory = mmap(NULL, size, protection, flags, fd, offset);
	int error = errno;

	ck_assert_msg(memory == MAP_FAILED,
		      "mmap succeeded: size %zu, protection %#x, flags %#x, offset %jd",
		      size, protection, flags, (intmax_t)offset);
	ck_assert_msg(error == EINVAL,
		      "mmap: size %zu, protection %#x, flags %#x, offset %jd: %s", size,
		      protection, flags, (intmax_t)offset, strerror(error));
}

TEST(a_buffer_cannot_be_mapped_for_writing_too_long_or_elsewhere)
{
	const size_t page = page_size();
	int fd = open_read_write(3 * page + 1), pass;

	for (pass = 0; pass < 2; pass++) {
		int flags = pass ? MAP_PRIVATE : MAP_SHARED;

		must_not_map(page, PROT_READ | PROT_WRITE, flags, fd, 0);
		must_not_map(page, PROT_WRITE, flags, fd, 0);
		must_not_map(4 * page + 1, PROT_READ, flags, fd, 0);
		must_not_map(100 * page, PROT_READ, flags, fd, 0);
		must_not_map(page, PROT_READ, flags, fd, page);
		must_not_map(page, PROT_READ, flags, fd, 4 * page);
		must_not_map(page, PROT_READ, flags, fd, 16384 * page);
	}
	ck_assert_uint_eq(map_buffer(fd, 4 * page)->hdr_buf_size, 3 * page + 1);
	count_must_be_right(fd);
}

TEST(a_context_without_buffer_cannot_be_mapped)
{
	int fd = make_context(), empty = pfm_open_device();

	must_not_map(page_size(), PROT_READ, MAP_SHARED, fd, 0);
	must_not_map(page_size(), PROT_READ, MAP_PRIVATE, fd, 0);
	must_not_map(page_size(), PROT_READ, MAP_SHARED, empty, 0);
	count_must_be_right(fd);
}

TEST(a_buffer_can_be_mapped_shorter_privately_and_several_times)
{
	const size_t page = page_size();
	header_t headers[4];
	int fd, i;

	need_overflow_interrupts();
	fd = default_context(0, 4 * page);
	headers[0] = map_buffer(fd, 4 * page);
	headers[1] = map_buffer(fd, 1);
	headers[2] = map_buffer(fd, 2 * page);
	headers[3] = mmap(NULL, 4 * page, PROT_READ, MAP_PRIVATE, fd, 0);
	ck_assert_ptr_ne((void *)headers[3], MAP_FAILED);
	if (getenv("QEMU_VERSION") && pmu_is("power") &&
	    atoi(getenv("QEMU_VERSION")) < 10)
		return;
	sample_busily(fd, PERIOD);
	load_and_start(fd, thread_id());
	while (headers[0]->hdr_count < 5)
		sampled_loop(100000);
	must(fd, pfm_stop(fd));
	/* All mappings show the same memory. */
	for (i = 1; i < 4; i++) {
		ck_assert_uint_eq(headers[i]->hdr_count, headers[0]->hdr_count);
		ck_assert_mem_eq((void *)first_entry(headers[i]),
				 (void *)first_entry(headers[0]), 5 * 40);
	}
	end_sampling(fd);
	count_must_be_right(fd);
}

TEST(a_mapping_cannot_be_made_writable)
{
	int fd = open_read_write(page_size()), pass;
	void *memory;

	for (pass = 0; pass < 2; pass++) {
		memory = mmap(NULL, page_size(), PROT_READ,
			      pass ? MAP_PRIVATE : MAP_SHARED, fd, 0);
		ck_assert_ptr_ne(memory, MAP_FAILED);
		must_fail_errno(mprotect(memory, page_size(), PROT_READ | PROT_WRITE),
				EACCES);
		must_fail_errno(mprotect(memory, page_size(), PROT_WRITE), EACCES);
		ck_assert_int_eq(mprotect(memory, page_size(), PROT_NONE), 0);
		ck_assert_int_eq(mprotect(memory, page_size(), PROT_READ), 0);
		ck_assert_uint_eq(((header_t)memory)->hdr_buf_size, page_size());
	}
	count_must_be_right(fd);
}

/* All pages of a mapping are present from the beginning. */
TEST(reading_a_buffer_causes_no_page_fault)
{
	int fd = default_context(0, MIB);
	volatile const char *bytes = (volatile const char *)map_buffer(fd, MIB);
	uint64_t before, after;
	size_t i;

	before = minor_faults(); /* the first call may itself cause faults */
	before = minor_faults();
	for (i = 0; i < MIB; i += 64)
		(void)bytes[i];
	after = minor_faults();
	ck_assert_uint_eq(after, before);
}

static void fill_one(int fd, header_t header)
{
	sample_busily(fd, PERIOD);
	load_and_start(fd, thread_id());
	while (header->hdr_count < 3)
		sampled_loop(100000);
}

/*
 * Monitoring ends when the last descriptor is closed. The buffer is freed when the last mapping is
 * removed.
 */
TEST(a_mapping_outlives_its_context)
{
	const size_t size = 3 * page_size();
	header_t header;
	uint64_t count;
	int fd;

	need_overflow_interrupts();
	fd = default_context(0, size);
	header = map_buffer(fd, size);
	fill_one(fd, header);
	ck_assert_uint_eq(sessions(), 1);
	close(fd);
	ck_assert_uint_eq(sessions(), 0);
	count = header->hdr_count;
	ck_assert_uint_ge(count, 3);
	sampled_loop(20 * PERIOD);
	ck_assert_uint_eq(header->hdr_count, count);
	must_be_whole(header, 0);
	ck_assert_uint_eq(read_number(MEM_CUR), size);
	munmap((void *)header, size);
	ck_assert_uint_eq(read_number(MEM_CUR), 0);
	count_must_be_right(make_context());
}

/*
 * While a buffer is mapped, the core cannot be unloaded, because it must free the buffer later. The
 * PMU module can be unloaded.
 */
TEST(a_mapping_holds_the_core)
{
	const char *module = pmu_module();
	int fd = default_context(0, 4096), pmu_error, core_error, back;
	header_t header = map_buffer(fd, 4096);

	close(fd);
	pmu_error = module_unload(module);
	core_error = module_unload("perfmon");
	back = pmu_error ? 0 : module_load(module, "");
	ck_assert_msg(!pmu_error && core_error == EAGAIN && !back,
		      "unload and load of %s: %s; unload of perfmon: %s", module,
		      strerror(pmu_error ?: back), strerror(core_error));
	ck_assert_uint_eq(header->hdr_buf_size, 4096);
	munmap((void *)header, 4096);
	count_must_be_right(make_context());
}

TEST(a_forked_childs_mapping_outlives_the_parents)
{
	const size_t size = 2 * page_size();
	int fd, status, gate[2];
	header_t header;
	pid_t pid;
	char byte;

	need_overflow_interrupts();
	fd = default_context(0, size);
	header = map_buffer(fd, size);
	fill_one(fd, header);
	ck_assert_int_eq(pipe(gate), 0);
	pid = fork();
	if (pid == 0) {
		close(fd);
		close(gate[1]);
		if (read(gate[0], &byte, 1) != 0)
			_exit(10);
		_exit(header->hdr_count >= 3 && header->hdr_buf_size == size ? 0 : 11);
	}
	close(fd);
	munmap((void *)header, size);
	wait_until(sessions() == 0);
	ck_assert_uint_eq(read_number(MEM_CUR), size);
	close(gate[1]);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_msg(status == 0, "status %#x", status);
	ck_assert_uint_eq(read_number(MEM_CUR), 0);
}

TEST(a_mapping_can_be_cut_and_moved_but_not_grown)
{
	const size_t page = page_size(), size = 8 * page;
	int fd = default_context(0, size);
	char *memory = (char *)map_buffer(fd, size), *place, *moved;

	/*
	 * A page in the middle of the mapping is unmapped. The parts before and after this page
	 * remain mapped.
	 */
	ck_assert_int_eq(munmap(memory + 3 * page, page), 0);
	ck_assert_uint_eq(((header_t)memory)->hdr_buf_size, size);
	ck_assert_int_eq(memory[7 * page], 0);
	ck_assert_ptr_eq(mremap(memory, 3 * page, page, 0), memory);
	ck_assert_ptr_eq(mremap(memory, page, 2 * page, MREMAP_MAYMOVE), MAP_FAILED);
	ck_assert_ptr_eq(mremap(memory, 0, page, MREMAP_MAYMOVE), MAP_FAILED);
	place = mmap(NULL, page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	moved = mremap(memory, page, page, MREMAP_MAYMOVE | MREMAP_FIXED, place);
	ck_assert_ptr_eq(moved, place);
	ck_assert_uint_eq(((header_t)moved)->hdr_buf_size, size);
	must_fail_errno(mprotect(moved, page, PROT_READ | PROT_WRITE), EACCES);
	close(fd);
	ck_assert_uint_eq(((header_t)moved)->hdr_buf_size, size);
	ck_assert_int_eq(munmap(moved, page), 0);
	ck_assert_uint_eq(read_number(MEM_CUR), size);
	ck_assert_int_eq(munmap(memory + 4 * page, 4 * page), 0);
	ck_assert_uint_eq(read_number(MEM_CUR), 0);
}
