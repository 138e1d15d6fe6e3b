// SPDX-License-Identifier: GPL-2.0-only
/* Tests how pfmon reads complete, truncated and damaged recordings. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../tools/pfmon/data/data_write.h"
#include "../../tools/pfmon/commands.h"
#include "../../tools/pfmon/data/data_read.h"
#include "../../tools/pfmon/report/samples.h"
#include "suites.h"
#include "synthetic.h"

SUITE(data, 120);

/* Large enough for each file that these tests make. */
#define MAX_FILE 8192

/* An entry with two values, and an entry with two values and a call chain. */
struct with_values {
	struct pfm_dfl_smpl_entry entry;
	uint64_t values[2];
};

struct with_chain {
	struct pfm_callchain_entry entry;
	uint64_t values[2];
	uint64_t kernel[2];
	uint64_t user[3];
};

static const uint64_t kernel_address = 0xffffffff81000000;

static struct with_values with_values(struct pfm_dfl_smpl_entry entry)
{
	entry.values |= 2;
	return (struct with_values){ entry, { 1, 2 } };
}

/* Write records of all types that file version 1.0 has, with samples in all formats. */
static void write_everything(const char *path)
{
	const struct with_values values[] = {
		with_values(
			synthetic_entry(100, 100, CYCLES_PMD, 0x401000, 1000000, 10000)),
		with_values(
			synthetic_entry(101, 100, CYCLES_PMD, 0x401010, 2000000, 10000)),
	};
	const struct with_chain chain = {
		.entry.sample = synthetic_entry(100, 100, CYCLES_PMD, kernel_address,
						3000000, 20000),
		.entry.value_count = 2,
		.entry.kernel_count = 2,
		.entry.user_count = 3,
		.kernel = { kernel_address, kernel_address + 64 },
		.user = { 0x401020, 0x401030, 0x401040 },
	};
	const struct pfm_hist_entry hist[] = {
		{ .tgid = 100, .pmd = FAULTS_PMD, .ip = 0x401050, .count = 5, .sum = 50 },
		{ .tgid = 100, .pmd = FAULTS_PMD, .ip = 0x401060, .count = 1, .sum = 10 },
	};
	/*
	 * The address of a sample must not be in this mapping. Otherwise pfmon would read the
	 * symbols of this machine's kernel each time that it reads the file.
	 */
	const struct data_mapping module = {
		.start = 0xffffffffc0000000,
		.end = 0xffffffffc0100000,
		.flags = DATA_MAPPING_KERNEL,
	};
	struct data_writer writer;

	synthetic_begin(&writer, path);
	synthetic_event(&writer, "cycles:u", CYCLES_PMD, 10000, 2);
	synthetic_event(&writer, "page-faults", FAULTS_PMD, 10, 0);
	synthetic_thread(&writer, 100, 100, 0, "app");
	synthetic_thread(&writer, 101, 100, 1, "worker");
	synthetic_mapping(&writer, 100, 0x400000, 0x402000, 0x1000, "/nowhere/app");
	ck_assert_int_eq(data_write_mapping(&writer, &module, "[module]", "abcd"), 0);
	synthetic_samples(&writer, DATA_FORMAT_DEFAULT, 0, 1, &values[0],
			  sizeof(values[0]));
	synthetic_samples(&writer, DATA_FORMAT_NWAY, 1, 1, &values[1], sizeof(values[1]));
	synthetic_samples(&writer, DATA_FORMAT_CALLCHAIN, 0, 1, &chain, sizeof(chain));
	synthetic_samples(&writer, DATA_FORMAT_HIST, 0, 2, hist, sizeof(hist));
	synthetic_losses(&writer, 0, 3, 1);
	synthetic_end(&writer, 9, 3);
}

static char *read_file(const char *path, size_t *size)
{
	char *bytes = malloc(MAX_FILE);
	FILE *file = fopen(path, "r");

	ck_assert_ptr_nonnull(bytes);
	ck_assert_ptr_nonnull(file);
	*size = fread(bytes, 1, MAX_FILE, file);
	ck_assert_uint_lt(*size, MAX_FILE);
	fclose(file);
	return bytes;
}

static void write_file(const char *path, const void *bytes, size_t size)
{
	FILE *file = fopen(path, "w");

	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(bytes, 1, size, file), size);
	ck_assert_int_eq(fclose(file), 0);
}

/* Discards the output, because thousands of bad files are read. */
static void be_silent(void)
{
	ck_assert_ptr_nonnull(freopen("/dev/null", "w", stderr));
	ck_assert_ptr_nonnull(freopen("/dev/null", "w", stdout));
}

/*
 * Opens a copy of the first @size bytes of @bytes. The copy's memory has exactly this size, so that
 * a memory checker can find reads beyond the end of the copy.
 */
static int open_recording(struct recording *recording, const void *bytes, size_t size)
{
	void *copy = malloc(size ? size : 1);

	ck_assert_ptr_nonnull(copy);
	memcpy(copy, bytes, size);
	*recording = (struct recording){ 0 };
	if (data_open_bytes(&recording->file, "test", copy, size))
		return -1;
	return recording_read(recording);
}

struct found {
	struct sample samples[16];
	unsigned int count;
};

static int keep_sample(const struct sample *sample, void *argument)
{
	struct found *found = argument;

	ck_assert_uint_lt(found->count, 16);
	found->samples[found->count++] = *sample;
	return 0;
}

static void find_samples(const struct recording *recording, struct found *found,
			 size_t *bad)
{
	found->count = 0;
	ck_assert_int_eq(samples_each(recording, keep_sample, found, bad), 0);
}

TEST(records_are_read_as_written)
{
	const char *path = synthetic_path();
	struct recording recording;
	char *command;

	write_everything(path);
	ck_assert_int_eq(recording_open(&recording, path), 0);
	ck_assert(!recording.file.is_cut_short && !recording.file.is_damaged);
	ck_assert_uint_eq(recording.bad_records, 0);
	ck_assert_uint_eq(recording.machine->time, MACHINE_TIME);
	ck_assert_str_eq(recording.strings[DATA_MACHINE_PFMON], "0.1");
	ck_assert_str_eq(recording.strings[DATA_MACHINE_MODEL], "any machine's PMU");
	command = recording_command(&recording);
	ck_assert_str_eq(command, "app --size 100");
	free(command);
	ck_assert_uint_eq(recording.event_count, 2);
	ck_assert_str_eq(recording.events[0].name, "cycles:u");
	ck_assert_uint_eq(recording.events[0].event->period, 10000);
	ck_assert_str_eq(recording.events[1].name, "page-faults");
	ck_assert_uint_eq(recording.thread_count, 2);
	ck_assert_str_eq(recording.threads[1].comm, "worker");
	ck_assert_uint_eq(recording.mapping_count, 2);
	ck_assert_str_eq(recording.mappings[0].path, "/nowhere/app");
	ck_assert_str_eq(recording.mappings[0].build_id, "");
	ck_assert_str_eq(recording.mappings[1].build_id, "abcd");
	ck_assert_uint_eq(recording_lost(&recording), 3);
	ck_assert_uint_eq(recording_throttled(&recording), 1);
	ck_assert_uint_eq(recording.end->written, 9);
	recording_free(&recording);
}

TEST(a_file_in_memory_is_read_as_one_on_disk)
{
	const struct data_end end = { .written = 7 };
	struct recording recording = { 0 };
	struct data_writer writer;

	ck_assert_int_eq(data_create_in_memory(&writer), 0);
	synthetic_event(&writer, "cycles:u", CYCLES_PMD, 10000, 0);
	ck_assert_int_eq(data_write_end(&writer, &end), 0);
	ck_assert_int_eq(data_open_memory(&recording.file, writer.fd), 0);
	ck_assert_uint_eq(recording.file.size, writer.size);
	ck_assert_int_eq(data_close(&writer), 0);
	ck_assert_int_eq(recording_read(&recording), 0);
	ck_assert_str_eq(recording.events[0].name, "cycles:u");
	ck_assert_uint_eq(recording.end->written, 7);
	recording_free(&recording);
}

TEST(samples_of_all_formats_are_read)
{
	const char *path = synthetic_path();
	struct recording recording;
	struct found found;
	size_t bad;

	write_everything(path);
	ck_assert_int_eq(recording_open(&recording, path), 0);
	find_samples(&recording, &found, &bad);
	ck_assert_uint_eq(bad, 0);
	ck_assert_uint_eq(found.count, 5);

	ck_assert_uint_eq(found.samples[0].tid, 100);
	ck_assert_uint_eq(found.samples[0].period, 10000);
	ck_assert_uint_eq(found.samples[0].frame_count, 1);
	ck_assert_uint_eq(found.samples[0].frames[0], 0x401000);
	ck_assert(!found.samples[0].has_chain);

	ck_assert_uint_eq(found.samples[1].tid, 101);
	ck_assert_uint_eq(found.samples[1].context, 1);
	ck_assert_uint_eq(found.samples[1].time, 2000000);

	ck_assert(found.samples[2].has_chain);
	ck_assert_uint_eq(found.samples[2].period, 20000);
	ck_assert_uint_eq(found.samples[2].frame_count, 5);
	ck_assert_uint_eq(found.samples[2].kernel_count, 2);
	ck_assert_uint_eq(found.samples[2].frames[1], kernel_address + 64);
	ck_assert_uint_eq(found.samples[2].frames[4], 0x401040);

	ck_assert_str_eq(found.samples[3].event->name, "page-faults");
	ck_assert_uint_eq(found.samples[3].tgid, 100);
	ck_assert_uint_eq(found.samples[3].count, 5);
	ck_assert_uint_eq(found.samples[3].period, 50);
	ck_assert_uint_eq(found.samples[4].frames[0], 0x401060);
	recording_free(&recording);
}

/* Stores in @ends the offsets at which the header and the records end, and then a 0. */
static void find_ends(const char *bytes, size_t size, size_t ends[32])
{
	struct recording recording;
	unsigned int count = 0;

	ck_assert_int_eq(open_recording(&recording, bytes, size), 0);
	recording.file.next = sizeof(struct data_header);
	ends[count++] = recording.file.next;
	while (data_next(&recording.file)) {
		ck_assert_uint_lt(count, 31);
		ends[count++] = recording.file.next;
	}
	ends[count] = 0;
	recording_free(&recording);
}

TEST(a_truncated_file_keeps_its_complete_records)
{
	const char *path = synthetic_path();
	size_t ends[32], size, whole = 0;
	char *bytes;

	write_everything(path);
	bytes = read_file(path, &size);
	be_silent();
	find_ends(bytes, size, ends);
	for (size_t cut = 0; cut < sizeof(struct data_header); cut++) {
		struct recording recording;

		ck_assert_int_eq(open_recording(&recording, bytes, cut), -1);
		recording_free(&recording);
	}
	for (size_t cut = sizeof(struct data_header); cut <= size; cut++) {
		struct recording recording;

		ck_assert_int_eq(open_recording(&recording, bytes, cut), 0);
		if (ends[whole + 1] && cut >= ends[whole + 1])
			whole++;
		ck_assert_msg(recording.file.next == ends[whole],
			      "cut at %zu: read up to %zu instead of %zu", cut,
			      recording.file.next, ends[whole]);
		ck_assert_int_eq(recording.file.is_cut_short, cut != ends[whole]);
		ck_assert_int_eq(recording.end != NULL, cut == size);
		ck_assert_uint_eq(recording.bad_records, 0);
		recording_free(&recording);
	}
	free(bytes);
}

/* Run pfmon report and script on @path, in all forms of output. */
static void run_commands(const char *path)
{
	static const char *const more[][3] = {
		{ "-g", "--sort", "thread,symbol,object" },
		{ "--folded", "-e", "cycles:u" },
		{ "--json", "-g", "--percent-limit=0" },
	};
	char *arguments[7] = { (char *)"pfmon", (char *)"-i", (char *)path };

	optind = 0;
	command_script(3, arguments);
	for (size_t i = 0; i < sizeof(more) / sizeof(more[0]); i++) {
		memcpy(&arguments[3], more[i], sizeof(more[i]));
		optind = 0;
		command_report(6, arguments);
	}
}

/* Each byte of the file is changed in turn. These bytes include those of sizes and counts. */
TEST(a_changed_byte_crashes_nothing)
{
	static const unsigned char changes[] = { 0x01, 0xff };
	const char *path = synthetic_path();
	char *bytes;
	size_t size;

	write_everything(path);
	bytes = read_file(path, &size);
	be_silent();
	for (size_t i = 0; i < size; i++)
		for (size_t j = 0; j < sizeof(changes); j++) {
			bytes[i] ^= changes[j];
			write_file(path, bytes, size);
			run_commands(path);
			bytes[i] ^= changes[j];
		}
	free(bytes);
}

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 8;
}

/* Each file has up to eight changes, and up to a quarter of the file is cut off at the end. */
TEST(random_changes_crash_nothing)
{
	const char *path = synthetic_path();
	uint32_t state = 1;
	char *bytes, *copy;
	size_t size;

	write_everything(path);
	bytes = read_file(path, &size);
	copy = malloc(size);
	ck_assert_ptr_nonnull(copy);
	be_silent();
	for (unsigned int round = 0; round < 2000; round++) {
		memcpy(copy, bytes, size);
		for (uint32_t i = next_random(&state) % 8 + 1; i; i--) {
			size_t to = next_random(&state) % (size - 8);
			size_t from = next_random(&state) % (size - 8);

			/*
			 * A copy of another part of the file is more likely to look valid than a
			 * random byte.
			 */
			if (next_random(&state) % 2)
				memcpy(copy + to, bytes + from, 8);
			else
				copy[to] = (char)next_random(&state);
		}
		write_file(path, copy, size - next_random(&state) % (size / 4));
		run_commands(path);
	}
	free(copy);
	free(bytes);
}

/* The file has a later minor version, and a record of a type that is not defined yet. */
TEST(additions_of_a_later_version_are_skipped)
{
	struct {
		struct data_header header;
		uint64_t more_header;
		struct data_record unknown;
		uint64_t body;
		struct data_record record;
		struct data_end end;
		char more[8];
	} file = {
		{ DATA_MAGIC, DATA_VERSION + 1, sizeof(struct data_header) + 8 },
		.unknown = { 4711, 16 },
		.record = { DATA_END,
			    sizeof(struct data_record) + sizeof(struct data_end) + 8 },
		.end = { .written = 42 },
		.more = "more",
	};
	struct recording recording;

	ck_assert_int_eq(open_recording(&recording, &file, sizeof(file)), 0);
	ck_assert_uint_eq(recording.bad_records, 0);
	ck_assert_ptr_nonnull(recording.end);
	ck_assert_uint_eq(recording.end->written, 42);
	recording_free(&recording);

	be_silent();
	file.header.version = DATA_VERSION + 0x10000;
	ck_assert_int_eq(open_recording(&recording, &file, sizeof(file)), -1);
	recording_free(&recording);
}

TEST(a_record_of_size_0_ends_the_file)
{
	static const uint32_t sizes[] = { 0, 1, 7, 12 };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		const struct {
			struct data_header header;
			struct data_record record;
			uint64_t rest[4];
		} file = {
			{ DATA_MAGIC, DATA_VERSION, sizeof(struct data_header) },
			{ DATA_END, sizes[i] },
			{ 0 },
		};
		struct recording recording;

		ck_assert_int_eq(open_recording(&recording, &file, sizeof(file)), 0);
		ck_assert(recording.file.is_damaged);
		ck_assert_uint_eq(recording.file.next, sizeof(struct data_header));
		ck_assert_ptr_null(recording.end);
		recording_free(&recording);
	}
}

/* Each file has a record that is too short. All record types of file version 1.0 are tested. */
TEST(a_record_that_is_too_small_is_skipped)
{
	for (uint32_t type = DATA_MACHINE; type <= DATA_END; type++) {
		const struct {
			struct data_header header;
			struct data_record record;
			struct data_record end;
			struct data_end end_body;
		} file = {
			{ DATA_MAGIC, DATA_VERSION, sizeof(struct data_header) },
			{ type, sizeof(struct data_record) },
			{ DATA_END,
			  sizeof(struct data_record) + sizeof(struct data_end) },
			{ .written = 1 },
		};
		struct recording recording;

		ck_assert_int_eq(open_recording(&recording, &file, sizeof(file)), 0);
		ck_assert_msg(recording.bad_records == 1, "type %u: %zu", type,
			      recording.bad_records);
		ck_assert_ptr_nonnull(recording.end);
		recording_free(&recording);
	}
}

TEST(more_entries_than_bytes_are_not_read)
{
	const char *path = synthetic_path();
	const struct with_values values =
		with_values(synthetic_entry(1, 1, CYCLES_PMD, 0x1000, 1, 10));
	struct data_writer writer;
	struct recording recording;
	struct found found;
	size_t bad;

	synthetic_begin(&writer, path);
	synthetic_event(&writer, "cycles", CYCLES_PMD, 10, 2);
	synthetic_samples(&writer, DATA_FORMAT_DEFAULT, 0, 2, &values, sizeof(values));
	synthetic_samples(&writer, DATA_FORMAT_DEFAULT, 0, 1, &values,
			  sizeof(values) - 8);
	synthetic_samples(&writer, (enum data_format)9, 0, 1, &values, sizeof(values));
	synthetic_end(&writer, 1, 0);
	ck_assert_int_eq(recording_open(&recording, path), 0);
	find_samples(&recording, &found, &bad);
	ck_assert_uint_eq(found.count, 1);
	ck_assert_uint_eq(bad, 3);
	recording_free(&recording);
}

/*
 * Writes and reads three entries. The event's record says that each entry has two values. In fact,
 * the first entry has two values, the second has none, and the third has three.
 */
static struct found read_values(uint32_t format_version, size_t *bad)
{
	const char *path = synthetic_path();
	struct {
		struct with_values two;
		struct pfm_dfl_smpl_entry none;
		struct with_values more;
		uint64_t third;
	} values = {
		with_values(synthetic_entry(1, 1, CYCLES_PMD, 0x1000, 1, 10)),
		synthetic_entry(2, 1, CYCLES_PMD, 0x2000, 2, 10),
		with_values(synthetic_entry(3, 1, CYCLES_PMD, 0x3000, 3, 10)),
		3,
	};
	const struct data_samples samples = { .format = DATA_FORMAT_DEFAULT,
					      .format_version = format_version,
					      .count = 3 };
	struct data_writer writer;
	struct recording recording;
	struct found found;

	values.more.entry.values++;
	synthetic_begin(&writer, path);
	synthetic_event(&writer, "cycles", CYCLES_PMD, 10, 2);
	ck_assert_int_eq(data_write_samples(&writer, &samples, &values, sizeof(values)),
			 0);
	synthetic_end(&writer, 3, 0);
	ck_assert_int_eq(recording_open(&recording, path), 0);
	find_samples(&recording, &found, bad);
	for (unsigned int i = 0; i < found.count; i++)
		found.samples[i].frames = NULL;
	recording_free(&recording);
	return found;
}

/*
 * The number of values may differ between entries, because the PMDs to be recorded may be changed
 * while a context is loaded.
 */
TEST(entries_say_how_many_values_they_have)
{
	struct found found;
	size_t bad;

	found = read_values(0x10001, &bad);
	ck_assert_uint_eq(bad, 0);
	ck_assert_uint_eq(found.count, 3);
	ck_assert_uint_eq(found.samples[1].tid, 2);
	ck_assert_uint_eq(found.samples[2].tid, 3);
	/*
	 * With format version 1.0, an entry does not say how many values it has. So the second
	 * entry is read as if it had two values, as the record of the event says.
	 */
	found = read_values(0x10000, &bad);
	ck_assert_uint_eq(bad, 1);
	ck_assert_uint_eq(found.count, 2);
	ck_assert_uint_eq(found.samples[1].tid, 2);
}

TEST(a_later_table_adds_to_an_earlier_one)
{
	const struct pfm_hist_entry early = { .pmd = FAULTS_PMD, .count = 5, .sum = 50 };
	const struct pfm_hist_entry late = { .pmd = FAULTS_PMD, .count = 7, .sum = 70 };
	const char *path = synthetic_path();
	struct data_writer writer;
	struct recording recording;
	struct found found;
	size_t bad;

	synthetic_begin(&writer, path);
	synthetic_event(&writer, "page-faults", FAULTS_PMD, 10, 0);
	synthetic_samples(&writer, DATA_FORMAT_HIST, 0, 1, &early, sizeof(early));
	synthetic_samples(&writer, DATA_FORMAT_HIST, 3, 1, &early, sizeof(early));
	synthetic_samples(&writer, DATA_FORMAT_HIST, 0, 1, &late, sizeof(late));
	synthetic_losses(&writer, 0, 1, 10);
	synthetic_losses(&writer, 3, 100, 1000);
	synthetic_losses(&writer, 0, 2, 20);
	ck_assert_int_eq(data_close(&writer), 0);
	ck_assert_int_eq(recording_open(&recording, path), 0);
	find_samples(&recording, &found, &bad);
	ck_assert_uint_eq(found.count, 3);
	ck_assert_uint_eq(found.samples[0].count, 5);
	ck_assert_uint_eq(found.samples[1].count, 5);
	ck_assert_uint_eq(found.samples[2].count, 7);
	ck_assert_uint_eq(recording_lost(&recording), 102);
	ck_assert_uint_eq(recording_throttled(&recording), 1020);
	recording_free(&recording);
}

/* ESC, CSI in UTF-8 and a newline are control characters. An umlaut is not a control character. */
TEST(control_characters_in_names_are_replaced)
{
	const char *path = synthetic_path();
	struct data_writer writer;
	struct recording recording;

	synthetic_begin(&writer, path);
	synthetic_thread(&writer, 1, 1, 0, "a\033[2J\nb\302\233c\303\244d");
	ck_assert_int_eq(data_close(&writer), 0);
	ck_assert_int_eq(recording_open(&recording, path), 0);
	ck_assert_str_eq(recording.threads[0].comm, "a?[2J?b??c\303\244d");
	recording_free(&recording);
}

TEST(a_full_disk_is_reported)
{
	struct data_writer writer;

	be_silent();
	ck_assert_int_eq(data_create(&writer, "/dev/full"), -1);
	ck_assert_int_eq(data_close(&writer), 0);
	ck_assert_int_eq(data_create(&writer, "/nowhere/file"), -1);
	ck_assert_int_eq(data_close(&writer), 0);
}
