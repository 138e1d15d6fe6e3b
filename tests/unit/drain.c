// SPDX-License-Identifier: GPL-2.0-only
/*
 * pfmon: from sampling buffers to the file.  These tests act as the kernel, as
 * <perfmon/perfmon_*.h> describe the buffers.  The addresses number the samples, so that
 * a missing or a double one is found.
 */
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <perfmon/perfmon_callchain.h>
#include <perfmon/perfmon_dfl_smpl.h>
#include <perfmon/perfmon_hist.h>
#include <perfmon/perfmon_nway.h>

#include "../../tools/pfmon/data/data_write.h"
#include "../../tools/pfmon/record/drain.h"
#include "suites.h"

SUITE(drain, 120);

#define PMD	     3
#define PERIOD	     1000
#define MAX_SAMPLES  100000
#define BUFFER_SIZE  4096
#define REGIONS	     4
#define REGION_SIZE  408 /* ten entries, and not quite an eleventh */
#define HIST_ENTRIES 64

/**
 * struct machine - a buffer, the state of its writer and of its reader
 * @buffer: the memory
 * @next: number of the next sample
 * @lost: samples for which there was no room
 * @is_masked: monitoring waits for a restart
 * @chain: callchain: addresses of the next sample
 */
static struct {
	uint64_t buffer[BUFFER_SIZE / 8];
	uint64_t next;
	uint64_t lost;
	bool is_masked;
	unsigned int chain;
	struct drain drain;
	struct data_writer writer;
	char path[32];
} machine;

/* What is in the file. */
static struct {
	uint64_t ips[MAX_SAMPLES];
	size_t count;
	uint64_t hist_count;
	uint64_t hist_sum;
	unsigned int records;
} file;

static void begin(enum data_format format)
{
	struct pfm_dfl_smpl_hdr *linear = (void *)machine.buffer;
	struct pfm_nway_hdr *nway = (void *)machine.buffer;
	struct pfm_hist_hdr *hist = (void *)machine.buffer;

	memset(&machine, 0, sizeof(machine));
	strcpy(machine.path, "/tmp/drain-XXXXXX");
	close(mkstemp(machine.path));
	ck_assert_int_eq(data_create(&machine.writer, machine.path), 0);
	machine.drain = (struct drain){
		.format = format,
		.context = 7,
		.buffer = machine.buffer,
		.size = sizeof(machine.buffer),
	};
	switch (format) {
	case DATA_FORMAT_NWAY:
		nway->version = PFM_NWAY_VERSION;
		nway->regions = REGIONS;
		nway->region_size = REGION_SIZE;
		nway->region_offset =
			sizeof(*nway) + REGIONS * sizeof(struct pfm_nway_region);
		break;
	case DATA_FORMAT_HIST:
		hist->version = PFM_HIST_VERSION;
		hist->entries = HIST_ENTRIES;
		break;
	default:
		linear->hdr_version = PFM_DFL_SMPL_VERSION;
		linear->hdr_buf_size = sizeof(machine.buffer);
		linear->hdr_cur_offs = sizeof(*linear);
		linear->hdr_min_buf_space = format == DATA_FORMAT_CALLCHAIN ? 48 + 8 * 20
									    : 40;
	}
}

static struct pfm_dfl_smpl_entry sample(void)
{
	return (struct pfm_dfl_smpl_entry){
		.pid = 42,
		.tgid = 41,
		.ovfl_pmd = PMD,
		.values = PFM_SMPL_CLOCK_SCHEDULER << 12,
		.last_reset_val = -(uint64_t)PERIOD,
		.ip = machine.next,
		.tstamp = 5000 + machine.next,
	};
}

static size_t put_sample(void *place)
{
	struct pfm_callchain_entry chain = {
		.sample = sample(),
		.kernel_count = machine.chain / 2,
		.user_count = machine.chain - machine.chain / 2,
	};

	if (machine.drain.format != DATA_FORMAT_CALLCHAIN) {
		memcpy(place, &chain.sample, sizeof(chain.sample));
		return sizeof(chain.sample);
	}
	memcpy(place, &chain, sizeof(chain));
	memset((char *)place + sizeof(chain), 0x11, 8 * machine.chain);
	return sizeof(chain) + 8 * machine.chain;
}

/* A sample overflows: what formats "default" and "callchain" do. */
static void overflow_linear(void)
{
	struct pfm_dfl_smpl_hdr *header = (void *)machine.buffer;

	if (machine.is_masked)
		return;
	machine.chain = machine.next % 21;
	header->hdr_cur_offs += put_sample((char *)header + header->hdr_cur_offs);
	header->hdr_count++;
	machine.next++;
	if (header->hdr_buf_size - header->hdr_cur_offs < header->hdr_min_buf_space) {
		header->hdr_overflows++;
		machine.is_masked = true;
	}
}

/* Entries are only written where a whole one fits; then the next region is begun. */
static void overflow_nway(void)
{
	struct pfm_nway_hdr *header = (void *)machine.buffer;
	struct pfm_nway_region *regions = (void *)(header + 1), *region;

	header->produced++;
	if (header->filled - header->released == REGIONS) {
		header->lost++;
		machine.lost++;
		machine.next++;
		return;
	}
	region = &regions[header->filled % REGIONS];
	/* Of an earlier use. */
	if (region->size + sizeof(struct pfm_dfl_smpl_entry) > REGION_SIZE)
		*region = (struct pfm_nway_region){ 0 };
	region->size += put_sample((char *)header + header->region_offset +
				   header->filled % REGIONS * REGION_SIZE + region->size);
	region->count++;
	header->written++;
	machine.next++;
	if (region->size + sizeof(struct pfm_dfl_smpl_entry) > REGION_SIZE)
		header->filled++;
}

static void overflow(void)
{
	if (machine.drain.format == DATA_FORMAT_NWAY)
		overflow_nway();
	else
		overflow_linear();
}

/* pfm_restart(); false: the context is no longer attached. */
static bool restart(bool is_attached)
{
	struct pfm_dfl_smpl_hdr *linear = (void *)machine.buffer;
	struct pfm_nway_hdr *nway = (void *)machine.buffer;

	if (!is_attached)
		return false;
	if (machine.drain.format == DATA_FORMAT_NWAY) {
		ck_assert_uint_lt(nway->released, nway->filled);
		nway->released++;
	} else {
		ck_assert(machine.is_masked);
		linear->hdr_count = 0;
		linear->hdr_cur_offs = sizeof(*linear);
		machine.is_masked = false;
	}
	return true;
}

/* What pfmon does at a message. */
static void drain_all(bool is_attached)
{
	while (drain_full(&machine.drain, &machine.writer) == 1)
		if (restart(is_attached))
			drain_handed_back(&machine.drain);
}

static void read_entries(const struct data_samples *samples, const char *place,
			 const char *end)
{
	for (uint64_t i = 0; i < samples->count; i++) {
		const struct pfm_callchain_entry *entry = (const void *)place;
		const struct pfm_hist_entry *hist = (const void *)place;

		ck_assert_uint_lt(file.count, MAX_SAMPLES);
		switch (samples->format) {
		case DATA_FORMAT_HIST:
			place += sizeof(*hist);
			file.hist_count += hist->count;
			file.hist_sum += hist->sum;
			break;
		case DATA_FORMAT_CALLCHAIN:
			place += sizeof(*entry) +
				 8 * (entry->kernel_count + entry->user_count);
			file.ips[file.count++] = entry->sample.ip;
			break;
		default:
			place += sizeof(entry->sample);
			file.ips[file.count++] = entry->sample.ip;
		}
	}
	ck_assert_msg(place == end, "%td bytes too many", end - place);
}

/* Close the file and read it. */
static void finish(void)
{
	static char bytes[MAX_SAMPLES * sizeof(struct pfm_dfl_smpl_entry)];
	const struct data_record *record;
	int fd = open(machine.path, O_RDONLY);
	ssize_t size;

	memset(&file, 0, sizeof(file));
	ck_assert_int_eq(data_close(&machine.writer), 0);
	size = read(fd, bytes, sizeof(bytes));
	close(fd);
	unlink(machine.path);
	for (ssize_t at = sizeof(struct data_header); at < size; at += record->size) {
		const struct data_samples *samples;

		record = (const void *)(bytes + at);
		samples = (const void *)(record + 1);
		ck_assert_uint_eq(record->type, DATA_SAMPLES);
		ck_assert_uint_eq(samples->context, 7);
		ck_assert_uint_eq(samples->format, machine.drain.format);
		file.records++;
		read_entries(samples, (const char *)(samples + 1),
			     bytes + at + record->size);
	}
}

/* Every sample is in the file once, in order, or lost. */
static void check_all(void)
{
	struct drain_counts counts;
	uint64_t last = 0;

	drain_count(&machine.drain, &counts);
	ck_assert_uint_eq(counts.produced, machine.next);
	ck_assert_uint_eq(counts.lost, machine.lost);
	ck_assert_uint_eq(counts.waiting, 0);
	ck_assert_uint_eq(counts.produced, counts.written + counts.lost);
	finish();
	ck_assert_uint_eq(file.count, counts.written);
	for (size_t i = 0; i < file.count; i++) {
		if (i)
			ck_assert_uint_gt(file.ips[i], last);
		last = file.ips[i];
	}
}

static void samples(unsigned int count)
{
	while (count--)
		overflow();
}

static void end_of_thread(void)
{
	ck_assert_int_eq(drain_rest(&machine.drain, &machine.writer), 0);
	/* Whoever asks again gets nothing again. */
	ck_assert_int_eq(drain_full(&machine.drain, &machine.writer), 0);
	ck_assert_int_eq(drain_rest(&machine.drain, &machine.writer), 0);
}

#define LINEAR_ROOM ((BUFFER_SIZE - 128) / 40)
#define REGION_ROOM (REGION_SIZE / 40)

TEST(nothing_is_taken_before_a_buffer_is_full)
{
	begin(DATA_FORMAT_DEFAULT);
	samples(LINEAR_ROOM - 1);
	ck_assert_int_eq(drain_full(&machine.drain, &machine.writer), 0);
	samples(1);
	ck_assert_int_eq(drain_full(&machine.drain, &machine.writer), 1);
	ck_assert_int_eq(drain_full(&machine.drain, &machine.writer), 0);
	end_of_thread();
	check_all();
}

TEST(a_partial_buffer_is_taken_at_the_end)
{
	begin(DATA_FORMAT_DEFAULT);
	samples(LINEAR_ROOM);
	drain_all(true);
	samples(17);
	end_of_thread();
	check_all();
	ck_assert_uint_eq(file.count, LINEAR_ROOM + 17);
}

TEST(a_buffer_that_could_not_be_handed_back_is_not_taken_twice)
{
	begin(DATA_FORMAT_DEFAULT);
	samples(LINEAR_ROOM);
	drain_all(true);
	samples(LINEAR_ROOM);
	drain_all(false);
	end_of_thread();
	check_all();
	ck_assert_uint_eq(file.count, 2 * LINEAR_ROOM);
}

TEST(a_full_buffer_whose_message_came_too_late_is_taken_at_the_end)
{
	begin(DATA_FORMAT_DEFAULT);
	samples(LINEAR_ROOM);
	end_of_thread();
	check_all();
	ck_assert_uint_eq(file.count, LINEAR_ROOM);
}

/* What a pfmon that is killed leaves: all that it has looked at. */
TEST(what_is_in_a_buffer_that_is_not_full_is_written)
{
	static const enum data_format formats[] = { DATA_FORMAT_DEFAULT, DATA_FORMAT_NWAY,
						    DATA_FORMAT_CALLCHAIN };
	struct drain_counts counts;

	for (size_t i = 0; i < 3; i++) {
		begin(formats[i]);
		samples(3);
		ck_assert_int_eq(drain_early(&machine.drain, &machine.writer), 0);
		samples(2);
		ck_assert_int_eq(drain_early(&machine.drain, &machine.writer), 0);
		ck_assert_int_eq(drain_early(&machine.drain, &machine.writer), 0);
		samples(1);
		drain_count(&machine.drain, &counts);
		ck_assert_uint_eq(counts.written, 5);
		ck_assert_uint_eq(counts.waiting, 1);
		ck_assert_uint_eq(counts.produced, 6);
		finish();
		ck_assert_uint_eq(file.count, 5);
		ck_assert_uint_eq(file.records, 2);
	}
}

TEST(an_empty_buffer_leaves_nothing_in_the_file)
{
	static const enum data_format formats[] = { DATA_FORMAT_DEFAULT, DATA_FORMAT_NWAY,
						    DATA_FORMAT_CALLCHAIN };

	for (size_t i = 0; i < 3; i++) {
		begin(formats[i]);
		end_of_thread();
		check_all();
		ck_assert_uint_eq(file.records, 0);
	}
}

TEST(call_chains_of_any_length_are_taken)
{
	begin(DATA_FORMAT_CALLCHAIN);
	for (int i = 0; i < 50; i++) {
		while (!machine.is_masked)
			samples(1);
		drain_all(true);
	}
	samples(5);
	end_of_thread();
	check_all();
	ck_assert_uint_gt(file.count, 50 * 15);
}

TEST(regions_are_taken_in_order_around_the_end_of_the_buffer)
{
	begin(DATA_FORMAT_NWAY);
	for (int i = 0; i < 5 * REGIONS; i++) {
		samples(REGION_ROOM * (1 + i % 3));
		drain_all(true);
	}
	samples(3);
	end_of_thread();
	check_all();
	ck_assert_uint_eq(machine.lost, 0);
}

TEST(the_last_region_is_not_that_of_an_earlier_use)
{
	begin(DATA_FORMAT_NWAY);
	/* The region to fill next has been full once before. */
	samples(REGION_ROOM * REGIONS);
	drain_all(true);
	end_of_thread();
	check_all();
	ck_assert_uint_eq(file.count, REGION_ROOM * REGIONS);
}

TEST(all_regions_full_are_taken_and_the_lost_are_counted)
{
	begin(DATA_FORMAT_NWAY);
	samples(REGION_ROOM * REGIONS + 23);
	ck_assert_uint_eq(machine.lost, 23);
	end_of_thread();
	check_all();
	ck_assert_uint_eq(file.count, REGION_ROOM * REGIONS);
}

TEST(regions_that_could_not_be_handed_back_are_not_taken_twice)
{
	begin(DATA_FORMAT_NWAY);
	samples(REGION_ROOM * 2 + 3);
	drain_all(false);
	end_of_thread();
	check_all();
	ck_assert_uint_eq(file.count, REGION_ROOM * 2 + 3);
}

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 16;
}

/* Samples come and are drained in any order, and the thread ends at any time. */
TEST(no_sample_is_forgotten_or_taken_twice_whatever_the_order)
{
	static const enum data_format formats[] = { DATA_FORMAT_DEFAULT, DATA_FORMAT_NWAY,
						    DATA_FORMAT_CALLCHAIN };
	uint32_t state = 1;

	for (unsigned int round = 0; round < 600; round++) {
		begin(formats[round % 3]);
		for (uint32_t i = next_random(&state) % 60; i; i--) {
			samples(next_random(&state) % 60);
			if (next_random(&state) % 3)
				drain_all(true);
			if (next_random(&state) % 3 == 0)
				ck_assert_int_eq(
					drain_early(&machine.drain, &machine.writer), 0);
		}
		if (next_random(&state) % 2)
			drain_all(false);
		end_of_thread();
		check_all();
	}
}

static void check_tally(void)
{
	struct tally tally;

	drain_tally(&machine.drain, &tally);
	ck_assert_uint_eq(tally.events[PMD], (machine.next - machine.lost) * PERIOD);
	ck_assert_uint_eq(tally.newest, 5000 + machine.next - 1);
}

/* Also while a buffer has been taken and not been handed back. */
TEST(the_tally_is_that_of_all_samples_taken_or_not)
{
	static const enum data_format formats[] = { DATA_FORMAT_DEFAULT, DATA_FORMAT_NWAY,
						    DATA_FORMAT_CALLCHAIN };

	for (size_t i = 0; i < 3; i++) {
		begin(formats[i]);
		for (unsigned int count = 0; count < 60; count++) {
			samples(7);
			check_tally();
			if (count % 3 == 0) {
				ck_assert_int_eq(
					drain_early(&machine.drain, &machine.writer), 0);
				check_tally();
			}
			if (drain_full(&machine.drain, &machine.writer) != 1)
				continue;
			check_tally();
			ck_assert(restart(true));
			drain_handed_back(&machine.drain);
			check_tally();
		}
		end_of_thread();
		check_tally();
		check_all();
	}
}

/* A sample that is added up; there are twice as many addresses as the table has room. */
static void overflow_hist(uint64_t ip)
{
	struct pfm_hist_hdr *header = (void *)machine.buffer;
	struct pfm_hist_entry *table = (void *)(header + 1);
	uint64_t slot = ip * 7 % HIST_ENTRIES;

	header->produced++;
	for (unsigned int i = 0; i < HIST_ENTRIES; i++) {
		struct pfm_hist_entry *entry = &table[(slot + i) % HIST_ENTRIES];

		if (entry->count && entry->ip != ip)
			continue;
		if (!entry->count)
			header->used++;
		entry->ip = ip;
		entry->pmd = PMD;
		entry->count++;
		entry->sum += PERIOD;
		return;
	}
	header->lost++;
	header->lost_sum += PERIOD;
}

TEST(a_table_is_taken_once_without_its_empty_entries)
{
	struct drain_counts counts;
	struct tally tally;

	begin(DATA_FORMAT_HIST);
	for (uint64_t i = 0; i < 500; i++)
		overflow_hist(i % 20);
	ck_assert_int_eq(drain_full(&machine.drain, &machine.writer), 0);
	drain_tally(&machine.drain, &tally);
	ck_assert_uint_eq(tally.events[PMD], 500 * PERIOD);
	end_of_thread();
	drain_count(&machine.drain, &counts);
	ck_assert_uint_eq(counts.produced, 500);
	ck_assert_uint_eq(counts.written, 500);
	finish();
	ck_assert_uint_eq(file.records, 1);
	ck_assert_uint_eq(file.hist_count, 500);
	ck_assert_uint_eq(file.hist_sum, 500 * PERIOD);
	drain_free(&machine.drain);
}

TEST(what_a_table_has_grown_by_is_written)
{
	struct drain_counts counts;

	begin(DATA_FORMAT_HIST);
	for (uint64_t i = 0; i < 30; i++) {
		overflow_hist(i % 20);
		overflow_hist(5);
		if (i % 10)
			continue;
		ck_assert_int_eq(drain_early(&machine.drain, &machine.writer), 0);
		drain_count(&machine.drain, &counts);
		ck_assert_uint_eq(counts.written, 2 * (i + 1));
		ck_assert_uint_eq(counts.waiting, 0);
		ck_assert_uint_eq(counts.lost, 0);
	}
	end_of_thread();
	drain_count(&machine.drain, &counts);
	ck_assert_uint_eq(counts.written, 60);
	ck_assert_uint_eq(counts.lost, 0);
	finish();
	ck_assert_uint_eq(file.records, 4);
	ck_assert_uint_eq(file.hist_count, 60);
	ck_assert_uint_eq(file.hist_sum, 60 * PERIOD);
	drain_free(&machine.drain);
}

TEST(what_a_full_table_lost_is_counted)
{
	struct drain_counts counts;

	begin(DATA_FORMAT_HIST);
	for (uint64_t i = 0; i < 2 * HIST_ENTRIES; i++)
		overflow_hist(i);
	end_of_thread();
	drain_count(&machine.drain, &counts);
	ck_assert_uint_eq(counts.produced, 2 * HIST_ENTRIES);
	ck_assert_uint_eq(counts.written, HIST_ENTRIES);
	ck_assert_uint_eq(counts.lost, HIST_ENTRIES);
	ck_assert_uint_eq(counts.lost_sum, HIST_ENTRIES * PERIOD);
	finish();
	drain_free(&machine.drain);
}

static void check_all_lost(void)
{
	struct drain_counts counts;

	drain_count(&machine.drain, &counts);
	ck_assert_uint_eq(counts.written, 0);
	ck_assert_uint_eq(counts.waiting, 0);
	ck_assert_uint_eq(counts.produced, machine.next);
	ck_assert_uint_eq(counts.lost, machine.next);
}

/* On a disk that is full: pfmon writes nothing more then. */
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

/* Root in there is this one. */
static void write_number(const char *path, unsigned int number)
{
	char text[32];

	snprintf(text, sizeof(text), "0 %u 1", number);
	write_file(path, text);
}

/* A filesystem of 64 kB, in a namespace of its own; -1 if that is not permitted here. */
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

/* What fits is kept to the last block of the disk, and the end has its place. */
TEST(a_full_disk_keeps_what_fits_and_its_end)
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
