/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Executes calls that work on any file, such as read(2), and the operation that changes a setting
 * of perfmon.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/uio.h>
#include <unistd.h>
#include <perfmon/perfmon_dfl_smpl.h>

#include "calls.h"

int do_open(struct executor *executor, const struct operation *operation)
{
	int fd, error;

	fail_begin(executor, operation);
	fd = open(PFM_DEVICE, operation->flags, 0600);
	error = fd == -1 ? errno : 0;
	fail_end(executor, operation);
	if (fd != -1)
		put_in_slot(executor, operation->slot, fd,
			    operation->flags & O_CREAT ? kind_of_descriptor(fd)
						       : PERFMON);
	/* If no other thread can use this new file, its state is known from here on. */
	if (fd != -1 && executor->alone && operation->slot >= SHARED_SLOTS)
		executor->files[operation->slot - SHARED_SLOTS] =
			(struct file_state){ .known = true };
	return error;
}

/* @value: slot of the new descriptor */
int do_reopen(struct executor *executor, const struct operation *operation)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", descriptor(executor, operation));
	fd = open(path, operation->flags);
	if (fd == -1)
		return errno;
	put_in_slot(executor, operation->value % SLOTS, fd, kind_of_descriptor(fd));
	return 0;
}

int do_read(struct executor *executor, const struct operation *operation)
{
	void *address = address_in(&executor->inner, operation->place, operation->size);

	return read(descriptor(executor, operation), address, operation->size) == -1
		       ? errno
		       : 0;
}

uint64_t bytes_to_read(const struct operation *operation)
{
	const uint64_t sizes[] = { 0, operation->size / 2, operation->size };

	return sizes[operation->count];
}

int do_readv(struct executor *executor, const struct operation *operation)
{
	char *address = address_in(&executor->inner, operation->place, operation->size);
	struct iovec vectors[2] = {
		{ address, operation->size / 2 },
		{ address + operation->size / 2, operation->size - operation->size / 2 },
	};

	return readv(descriptor(executor, operation), vectors, operation->count) == -1
		       ? errno
		       : 0;
}

int do_write(struct executor *executor, const struct operation *operation)
{
	return write(descriptor(executor, operation),
		     address_in(&executor->inner, operation->place, operation->size),
		     operation->size) == -1
		       ? errno
		       : 0;
}

int do_lseek(struct executor *executor, const struct operation *operation)
{
	return lseek(descriptor(executor, operation), operation->value,
		     operation->count) == -1
		       ? errno
		       : 0;
}

/* @count: protection; @flags: flags of mmap(2); @value: offset in pages */
int do_mmap(struct executor *executor, const struct operation *operation)
{
	int fd = descriptor(executor, operation), error;
	void *address;

	fail_begin(executor, operation);
	address = mmap(NULL, operation->size, operation->count, operation->flags, fd,
		       operation->value * page_size());
	error = errno;
	fail_end(executor, operation);
	if (address == MAP_FAILED)
		return error;
	if (executor->mapping)
		munmap(executor->mapping, executor->mapped);
	executor->mapping = address;
	executor->mapped = operation->size;
	return 0;
}

void do_unmap(struct executor *executor)
{
	if (executor->mapping)
		munmap(executor->mapping, executor->mapped);
	executor->mapping = NULL;
}

void do_remap(struct executor *executor, const struct operation *operation)
{
	void *address;

	if (!executor->mapping || !operation->size)
		return;
	address = mremap(executor->mapping, executor->mapped, operation->size,
			 MREMAP_MAYMOVE);
	if (address == MAP_FAILED)
		return;
	executor->mapping = address;
	executor->mapped = operation->size;
}

/*
 * Reads a whole mapping of a sampling buffer, and checks that the mapping cannot be made writable.
 * If the buffer is of format "default", also checks the offset in its header. The offset is read
 * only once, because the kernel may change it at any time.
 */
void do_scan(struct executor *executor)
{
	const volatile struct pfm_dfl_smpl_hdr *header = executor->mapping;
	const volatile char *bytes = executor->mapping;
	uint64_t offset;
	size_t n;

	if (!bytes)
		return;
	for (n = 0; n < executor->mapped; n += 512)
		(void)bytes[n];
	if (!mprotect(executor->mapping, executor->mapped, PROT_READ | PROT_WRITE))
		wrong("a sampling buffer can be made writable");
	offset = header->hdr_cur_offs;
	if (header->hdr_version == PFM_DFL_SMPL_VERSION && !header->hdr_reserved[0] &&
	    header->hdr_min_buf_space &&
	    (offset < sizeof(*header) || offset > header->hdr_buf_size))
		wrong("a buffer of %ju bytes has the bad offset %ju",
		      (uintmax_t)header->hdr_buf_size, (uintmax_t)offset);
}

int do_poll(struct executor *executor, const struct operation *operation)
{
	struct pollfd polled = { descriptor(executor, operation), operation->flags, 0 };

	return poll(&polled, 1, operation->count) == -1 ? errno : 0;
}

int do_select(struct executor *executor, const struct operation *operation)
{
	struct timeval timeout = { .tv_usec = operation->value };
	int fd = descriptor(executor, operation);
	fd_set readable, writable;

	if (fd < 0 || fd >= FD_SETSIZE)
		return EBADF;
	FD_ZERO(&readable);
	FD_SET(fd, &readable);
	writable = readable;
	return select(fd + 1, &readable, operation->flags ? &writable : NULL, NULL,
		      &timeout) == -1
		       ? errno
		       : 0;
}

static const char *setting_file(const struct operation *operation)
{
	static const char *const files[SETTINGS] = { "task_group",
						     "sys_group",
						     "arg_mem_max",
						     "debug",
						     "reset_stats",
						     "smpl_buffer_mem_max",
						     "max_interrupts_per_tick",
						     "max_sets",
						     "max_copies",
						     "set_mem_max",
						     "min_switch_timeout",
						     "policy",
						     "set_user_max" };

	return files[operation->count % SETTINGS];
}

static const char *setting_value(const struct operation *operation)
{
	static const char *const values[SETTING_VALUES] = {
		"-1",  "0",	"1000",	 "12345", "1048576", "18446744073709551615",
		"100", "65536", "-2",	 "x",	  "3",	     "4",
		"",    "user",	"group", "perf",
	};
	const char *value = values[operation->flags % SETTING_VALUES];

	/*
	 * Ordinary users cannot mark the descriptors of system-wide contexts (see BOUND_MARK in
	 * ioctls.c). So they must not be permitted to create such contexts.
	 */
	if (!strcmp(setting_file(operation), "sys_group") && atoi(value) == USER_ID)
		return "-1";
	return value;
}

const char *bad_setting(const struct operation *operation)
{
	const char *file = setting_file(operation), *value = setting_value(operation);
	bool is_word = strstr("user group perf", value);

	/* An empty write does not reach perfmon, and any write to "reset_stats" is a reset. */
	if (operation->flags == SETTING_BEFORE || !*value || !strcmp(file, "reset_stats"))
		return NULL;
	if (!strcmp(file, "policy"))
		return is_word ? NULL : "there is no such policy";
	if (is_word || !strcmp(value, "x"))
		return "the value is no number";
	return !strcmp(value, "-2") ? "the value is less than -1" : NULL;
}

/* @count: index of the setting's file; @flags: index of the value, or SETTING_BEFORE */
int do_setting(const struct operation *operation)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/kernel/perfmon/%s", setting_file(operation));
	return write_file(path, operation->flags == SETTING_BEFORE
					? setting_before(path)
					: setting_value(operation));
}
