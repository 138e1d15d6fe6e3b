// SPDX-License-Identifier: GPL-2.0-only
/* Tests what pfmon does with the samples of a buffer if the disk is full. */
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "drain.h"

SUITE(drain_disk, 120);

static void check_all_lost(void)
{
	struct drain_counts counts;

	drain_count(&machine.drain, &counts);
	ck_assert_uint_eq(counts.written, 0);
	ck_assert_uint_eq(counts.waiting, 0);
	ck_assert_uint_eq(counts.produced, machine.next);
	ck_assert_uint_eq(counts.lost, machine.next);
}

/*
 * If a write fails because the disk is full, pfmon counts the samples of this write and all later
 * samples as lost.
 */
TEST(samples_that_cannot_be_written_are_lost)
{
	static const enum data_format formats[] = { DATA_FORMAT_DEFAULT,
						    DATA_FORMAT_NWAY };
	struct data_writer full = { .path = "/dev/full" };

	full.fd = open(full.path, O_WRONLY);
	for (size_t i = 0; i < 2; i++) {
		bool is_nway = formats[i] == DATA_FORMAT_NWAY;

		begin(formats[i]);
		samples(is_nway ? REGION_ROOM : LINEAR_ROOM);
		ck_assert_int_eq(drain_full(&machine.drain, &full), -1);
		check_all_lost();
		if (restart(true))
			drain_handed_back(&machine.drain);
		samples(is_nway ? REGION_ROOM + 3 : 5);
		ck_assert_int_eq(drain_rest(&machine.drain, is_nway ? &full : NULL),
				 is_nway ? -1 : 0);
		check_all_lost();
		finish();
	}
	close(full.fd);
}

static void write_file(const char *path, const char *text)
{
	FILE *target = fopen(path, "w");

	ck_assert_ptr_nonnull(target);
	fputs(text, target);
	ck_assert_int_eq(fclose(target), 0);
}

/*
 * Maps ID 0 of the new user namespace to user or group @number of the parent namespace. @path is
 * uid_map or gid_map.
 */
static void write_number(const char *path, unsigned int number)
{
	char text[32];

	snprintf(text, sizeof(text), "0 %u 1", number);
	write_file(path, text);
}

/*
 * Mounts a filesystem of 64 kB on /mnt, in a new mount namespace. Returns -1 if this process may
 * not do that.
 */
static int mount_small(void)
{
	unsigned int user = getuid(), group = getgid();

	if (unshare(CLONE_NEWNS)) {
		if (unshare(CLONE_NEWUSER | CLONE_NEWNS))
			return -1;
		write_number("/proc/self/uid_map", user);
		write_file("/proc/self/setgroups", "deny");
		write_number("/proc/self/gid_map", group);
	}
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
		return -1;
	return mount("none", "/mnt", "tmpfs", 0, "size=64k");
}

static uint64_t fill(enum data_format format)
{
	bool is_nway = format == DATA_FORMAT_NWAY;

	for (unsigned int i = 0; i < 1000; i++) {
		samples(is_nway ? REGION_ROOM : LINEAR_ROOM);
		if (drain_full(&machine.drain, &machine.writer) == -1)
			break;
		ck_assert(restart(true));
		drain_handed_back(&machine.drain);
	}
	ck_assert_int_eq(drain_rest(&machine.drain, NULL), 0);
	return machine.drain.written;
}

/*
 * The file keeps as many samples as fit on the disk together with the END record. Until pfmon
 * writes this record, it keeps machine.writer.reserve bytes free for the record.
 */
TEST(a_full_disk_keeps_the_samples_that_fit_and_the_end_record)
{
	static const enum data_format formats[] = { DATA_FORMAT_DEFAULT, DATA_FORMAT_NWAY,
						    DATA_FORMAT_CALLCHAIN };
	const struct data_end end = { .written = 1 };

	if (mount_small())
		return;
	for (size_t i = 0; i < 3; i++) {
		uint64_t written;
		struct stat status;

		begin(formats[i]);
		ck_assert_int_eq(data_close(&machine.writer), 0);
		unlink(machine.path);
		strcpy(machine.path, "/mnt/data");
		ck_assert_int_eq(data_create(&machine.writer, machine.path), 0);
		machine.writer.reserve = sizeof(struct data_record) + sizeof(end);
		written = fill(formats[i]);
		ck_assert_uint_gt(written, 0);
		ck_assert_uint_lt(written, machine.next);
		ck_assert(!machine.writer.is_torn);
		ck_assert_int_eq(stat(machine.path, &status), 0);
		ck_assert_int_gt(status.st_size, 65536 - 64 - 100 - 48);
		ck_assert_int_eq(data_write_end(&machine.writer, &end), 0);
		ck_assert_int_eq(ftruncate(machine.writer.fd, status.st_size), 0);
		machine.writer.size = (uint64_t)status.st_size;
		finish();
		ck_assert_uint_eq(file.count, written);
	}
}
