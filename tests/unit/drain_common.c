// SPDX-License-Identifier: GPL-2.0-only
/*
 * Helpers for the suites drain, drain_disk and drain_hist. The helpers write samples into a buffer
 * as the kernel does, and read the file that pfmon has written.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <perfmon/perfmon_callchain.h>
#include <perfmon/perfmon_hist.h>
#include <perfmon/perfmon_nway.h>

#include "drain.h"

struct machine machine;
struct file file;

void begin(enum data_format format)
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

static size_t put_sample(void *start)
{
	struct pfm_callchain_entry chain = {
		.sample = sample(),
		.kernel_count = machine.chain / 2,
		.user_count = machine.chain - machine.chain / 2,
	};

	if (machine.drain.format != DATA_FORMAT_CALLCHAIN) {
		memcpy(start, &chain.sample, sizeof(chain.sample));
		return sizeof(chain.sample);
	}
	memcpy(start, &chain, sizeof(chain));
	memset((char *)start + sizeof(chain), 0x11, 8 * machine.chain);
	return sizeof(chain) + 8 * machine.chain;
}

/* Do what formats "default" and "callchain" do at an overflow. */
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

/*
 * Do what format "nway" does at an overflow. If the region has no room for another entry, the next
 * sample goes into the next region.
 */
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
	/* Empty the region if it is still full from its previous use. */
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

bool restart(bool is_attached)
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

void drain_all(bool is_attached)
{
	while (drain_full(&machine.drain, &machine.writer) == 1)
		if (restart(is_attached))
			drain_handed_back(&machine.drain);
}

static void read_entries(const struct data_samples *samples, const char *next,
			 const char *end)
{
	for (uint64_t i = 0; i < samples->count; i++) {
		const struct pfm_callchain_entry *entry = (const void *)next;
		const struct pfm_hist_entry *hist = (const void *)next;

		ck_assert_uint_lt(file.count, MAX_SAMPLES);
		switch (samples->format) {
		case DATA_FORMAT_HIST:
			next += sizeof(*hist);
			file.hist_count += hist->count;
			file.hist_sum += hist->sum;
			break;
		case DATA_FORMAT_CALLCHAIN:
			next += sizeof(*entry) +
				8 * (entry->kernel_count + entry->user_count);
			file.ips[file.count++] = entry->sample.ip;
			break;
		default:
			next += sizeof(entry->sample);
			file.ips[file.count++] = entry->sample.ip;
		}
	}
	ck_assert_msg(next == end, "%td bytes after the last entry", end - next);
}

void finish(void)
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

void check_all(void)
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

void samples(unsigned int count)
{
	while (count--)
		overflow();
}

void end_of_thread(void)
{
	ck_assert_int_eq(drain_rest(&machine.drain, &machine.writer), 0);
	/* Further calls find no samples. */
	ck_assert_int_eq(drain_full(&machine.drain, &machine.writer), 0);
	ck_assert_int_eq(drain_rest(&machine.drain, &machine.writer), 0);
}
