// SPDX-License-Identifier: GPL-2.0-only
/* Tests pfmon report with several files of one recording. */
#include <stdio.h>
#include <string.h>

#include "../../tools/pfmon/report/mappings.h"
#include "../../tools/pfmon/report/recording.h"
#include "../../tools/pfmon/report/samples.h"
#include "../../tools/pfmon/report/threads.h"
#include "suites.h"
#include "synthetic.h"

SUITE(join, 120);

#define NUMBER 4711
#define FILES  3

/* Names of temporary files, which disappear when the test ends. */
static const char *paths[FILES];

static void make_paths(void)
{
	for (size_t i = 0; i < FILES; i++)
		paths[i] = strdup(synthetic_path());
}

/* Begin file @index of recording @number. The file begins @index seconds after the first file. */
static void begin(struct data_writer *writer, size_t index, uint32_t number)
{
	static const char *const strings[DATA_MACHINE_STRINGS] = { "0.1" };
	const struct data_machine machine = {
		.time = MACHINE_TIME + index * 1000000000,
		.recording = number,
	};

	ck_assert_int_eq(data_create(writer, paths[index]), 0);
	ck_assert_int_eq(data_write_machine(writer, &machine, strings), 0);
	synthetic_event(writer, "cycles", CYCLES_PMD, 1000, 0);
}

static void name(struct data_writer *writer, uint64_t time, uint32_t tid,
		 const char *comm)
{
	const struct data_thread thread = {
		.time = time,
		.tid = tid,
		.tgid = tid,
		.context = DATA_NO_CONTEXT,
		.flags = time ? DATA_THREAD_EXEC : 0,
	};

	ck_assert_int_eq(data_write_thread(writer, &thread, comm), 0);
}

static void map(struct data_writer *writer, uint64_t time, uint32_t tgid,
		const char *path)
{
	const struct data_mapping mapping = {
		.time = time, .tgid = tgid, .start = 0x1000, .end = 0x2000
	};

	ck_assert_int_eq(data_write_mapping(writer, &mapping, path, NULL), 0);
}

static void sample(struct data_writer *writer, uint32_t tid, uint64_t time)
{
	const struct pfm_dfl_smpl_entry entry =
		synthetic_entry(tid, tid, CYCLES_PMD, 0x1800, time, 1000);

	synthetic_samples(writer, DATA_FORMAT_DEFAULT, 0, 1, &entry, sizeof(entry));
}

static void end(struct data_writer *writer, uint64_t written, uint64_t lost)
{
	const struct data_cpu cpu = {
		.produced = written + lost, .written = written, .lost = lost, .cpu = 5
	};

	synthetic_losses(writer, 0, lost + 1, 1); /* the next record replaces this one */
	synthetic_losses(writer, 0, lost, 1);
	ck_assert_int_eq(data_write_cpu(writer, &cpu), 0);
	synthetic_end(writer, written, lost);
}

/*
 * Process 100 executes "sh" and then "app". In the last file, it executes "last". Process 200 ends
 * in the first file. In the second file, another process has the process ID 200.
 */
static void write_files(void)
{
	struct data_writer writer;

	make_paths();
	begin(&writer, 0, NUMBER);
	name(&writer, 0, 100, "sh");
	map(&writer, 0, 100, "/bin/sh");
	name(&writer, 0, 200, "early");
	map(&writer, 0, 200, "/early");
	sample(&writer, 100, 1000);
	sample(&writer, 200, 1100);
	name(&writer, 2000, 100, "app");
	map(&writer, 2001, 100, "/app");
	sample(&writer, 100, 2500);
	end(&writer, 3, 10);
	begin(&writer, 1, NUMBER);
	name(&writer, 0, 100, "app");
	map(&writer, 0, 100, "/app");
	name(&writer, 0, 200, "late");
	map(&writer, 0, 200, "/late");
	sample(&writer, 100, 3000);
	sample(&writer, 200, 3100);
	end(&writer, 2, 20);
	begin(&writer, 2, NUMBER);
	name(&writer, 0, 100, "app");
	map(&writer, 0, 100, "/app");
	name(&writer, 4000, 100, "last");
	map(&writer, 4001, 100, "/last");
	sample(&writer, 100, 3900);
	sample(&writer, 100, 4100);
	end(&writer, 2, 0);
}

/*
 * The names and mappings of a recording. For each sample, in order, @text has the name of the
 * sample's thread and the path of its mapping.
 */
struct seen {
	struct thread_names names;
	struct mappings mappings;
	char text[1024];
};

static int look(const struct sample *sample, void *data)
{
	struct seen *seen = data;
	struct named_thread thread = thread_names_find(&seen->names, sample);
	const struct recorded_mapping *mapping = mappings_find(
		&seen->mappings, sample->tgid, sample->time, sample->frames[0]);
	size_t used = strlen(seen->text);

	snprintf(seen->text + used, sizeof(seen->text) - used, "%s %s, ",
		 thread.comm ? thread.comm : "none", mapping ? mapping->path : "none");
	return 0;
}

static void check_samples(const struct recording *recording, const char *expected)
{
	struct seen seen = { 0 };
	size_t bad;

	ck_assert_int_eq(thread_names_make(&seen.names, recording), 0);
	ck_assert_int_eq(mappings_make(&seen.mappings, recording), 0);
	ck_assert_int_eq(samples_each(recording, look, &seen, &bad), 0);
	ck_assert_uint_eq(bad, 0);
	ck_assert_str_eq(seen.text, expected);
	thread_names_free(&seen.names);
	mappings_free(&seen.mappings);
}

TEST(files_are_read_in_the_order_of_time)
{
	struct recording recording;

	write_files();
	ck_assert_int_eq(
		recording_open_files(&recording,
				     (const char *[]){ paths[2], paths[0], paths[1] }, 3),
		0);
	check_samples(&recording,
		      "sh /bin/sh, early /early, app /app, app /app, late /late, "
		      "app /app, last /last, ");
	recording_free(&recording);
}

TEST(files_may_be_missing)
{
	struct recording recording;

	write_files();
	ck_assert_int_eq(recording_open_files(&recording,
					      (const char *[]){ paths[2], paths[0] }, 2),
			 0);
	check_samples(&recording, "sh /bin/sh, early /early, app /app, app /app, "
				  "last /last, ");
	recording_free(&recording);
}

TEST(what_files_count_is_added_up)
{
	struct recording recording;

	write_files();
	ck_assert_int_eq(recording_open_files(&recording, paths, 3), 0);
	ck_assert_uint_eq(recording.event_count, 1);
	ck_assert_uint_eq(recording.bad_records, 0);
	ck_assert_uint_eq(recording.end->produced, 37);
	ck_assert_uint_eq(recording.end->written, 7);
	ck_assert_uint_eq(recording_lost(&recording), 30);
	ck_assert_uint_eq(recording_throttled(&recording), 3);
	/* The last file begins two seconds after the first one, and covers two seconds. */
	ck_assert_uint_eq(recording.end->duration, 4000000000);
	ck_assert_uint_eq(recording.cpus[0]->produced, 37);
	ck_assert_uint_eq(recording.cpus[0]->written, 7);
	ck_assert_uint_eq(recording.cpus[0]->lost, 30);
	ck_assert_uint_eq(recording.cpus[0]->cpu, 5);
	recording_free(&recording);
}

TEST(the_last_file_may_have_been_cut_short)
{
	struct recording recording;
	struct data_writer writer;

	write_files();
	begin(&writer, 2, NUMBER);
	sample(&writer, 100, 5000);
	synthetic_losses(&writer, 0, 5, 0);
	ck_assert_int_eq(data_close(&writer), 0);
	ck_assert_int_eq(recording_open_files(&recording, paths, 3), 0);
	ck_assert_ptr_null(recording.end);
	ck_assert_uint_eq(recording_lost(&recording), 35);
	check_samples(&recording, "sh /bin/sh, early /early, app /app, app /app, "
				  "late /late, app /app, ");
	recording_free(&recording);
}

TEST(other_files_are_refused)
{
	struct recording recording;
	struct data_writer writer;

	write_files();
	ck_assert_int_eq(recording_open_files(&recording,
					      (const char *[]){ paths[0], paths[0] }, 2),
			 -1);
	recording_free(&recording);
	begin(&writer, 1, NUMBER + 1);
	end(&writer, 0, 0);
	ck_assert_int_eq(recording_open_files(&recording, paths, 3), -1);
	recording_free(&recording);
	begin(&writer, 1, 0);
	end(&writer, 0, 0);
	ck_assert_int_eq(recording_open_files(&recording, paths, 3), -1);
	recording_free(&recording);
	ck_assert_int_eq(recording_open_files(&recording,
					      (const char *[]){ paths[0], "-" }, 2),
			 -1);
	recording_free(&recording);
}
