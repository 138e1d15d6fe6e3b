// SPDX-License-Identifier: GPL-2.0-only
/* Writes synthetic recordings, and captures what pfmon report and script print about them. */
#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/wait.h>

#include <perfmon/perfmon_callchain.h>

#include "../../tools/pfmon/data/build_id.h"
#include "report.h"

static uint64_t address_of(void *handle, const char *name)
{
	void *function = dlsym(handle, name);

	ck_assert_ptr_nonnull(function);
	return (uintptr_t)function;
}

static void load_library(struct library *library)
{
	void *handle = dlopen(LIBRARY, RTLD_NOW);
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[1024], access[8];

	ck_assert_ptr_nonnull(handle);
	ck_assert_ptr_nonnull(maps);
	library->first = address_of(handle, "first_function");
	library->second = address_of(handle, "second_function");
	library->third = address_of(handle, "third_function");
	while (fgets(line, sizeof(line), maps))
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64, &library->start,
			   &library->end, access, &library->offset) == 4 &&
		    access[2] == 'x' && library->first >= library->start &&
		    library->first < library->end)
			break;
	fclose(maps);
	ck_assert_uint_ge(library->first, library->start);
	ck_assert_uint_lt(library->third, library->end);
}

void begin(struct data_writer *writer, const char *path, struct library *library)
{
	struct data_mapping mapping = { .tgid = 100 };
	char build_id[BUILD_ID_SIZE];

	load_library(library);
	ck_assert(build_id_of_file(LIBRARY, build_id));
	mapping.start = library->start;
	mapping.end = library->end;
	mapping.offset = library->offset;
	synthetic_begin(writer, path);
	synthetic_event(writer, "cycles:u", CYCLES_PMD, PERIOD, 0);
	synthetic_thread(writer, 100, 100, 0, "app");
	synthetic_thread(writer, 101, 100, 1, "worker one");
	ck_assert_int_eq(data_write_mapping(writer, &mapping, LIBRARY, build_id), 0);
	synthetic_mapping(writer, 100, 0x400000, 0x500000, 0x1000, "[nothing]");
}

void add(struct data_writer *writer, uint32_t tid, uint64_t ip, unsigned int count,
	 uint64_t period)
{
	struct pfm_dfl_smpl_entry entries[1000];

	ck_assert_uint_le(count, 1000);
	for (unsigned int i = 0; i < count; i++)
		entries[i] =
			synthetic_entry(tid, 100, CYCLES_PMD, ip, 1000000 * i, period);
	synthetic_samples(writer, DATA_FORMAT_DEFAULT, tid - 100, count, entries,
			  count * sizeof(entries[0]));
}

#define MAX_FRAMES 8

void add_chain(struct data_writer *writer, uint32_t tid, const uint64_t *kernel,
	       const uint64_t *user, unsigned int count)
{
	struct {
		struct pfm_callchain_entry entry;
		uint64_t frames[MAX_FRAMES];
	} chain = {
		.entry.sample = synthetic_entry(
			tid, 100, CYCLES_PMD, kernel[0] ? kernel[0] : user[0], 1, PERIOD),
	};
	uint64_t *next = chain.frames;
	size_t size;

	for (; kernel[chain.entry.kernel_count]; chain.entry.kernel_count++)
		*next++ = kernel[chain.entry.kernel_count];
	for (; user[chain.entry.user_count]; chain.entry.user_count++)
		*next++ = user[chain.entry.user_count];
	size = (size_t)((char *)next - (char *)&chain);
	while (count--)
		synthetic_samples(writer, DATA_FORMAT_CALLCHAIN, tid - 100, 1, &chain,
				  size);
}

int pfmon(char output[OUTPUT_SIZE], const char *command)
{
	char line[1024];
	size_t size;
	FILE *pipe;
	int status;

	snprintf(line, sizeof(line), "LC_ALL=C TZ=UTC %s %s", PFMON, command);
	pipe = popen(line, "r");
	ck_assert_ptr_nonnull(pipe);
	size = fread(output, 1, OUTPUT_SIZE - 1, pipe);
	output[size] = '\0';
	status = pclose(pipe);
	ck_assert(WIFEXITED(status));
	return WEXITSTATUS(status);
}

const char *report(const char *path, const char *options)
{
	static char output[OUTPUT_SIZE];
	char command[256];

	snprintf(command, sizeof(command), "report -i %s %s", path, options);
	ck_assert_int_eq(pfmon(output, command), 0);
	return output;
}

json_t *report_as_json(const char *path, const char *options)
{
	char more[128];
	json_error_t error;
	json_t *object;

	snprintf(more, sizeof(more), "--json %s", options);
	object = json_loads(report(path, more), 0, &error);
	ck_assert_msg(object != NULL, "%s", error.text);
	return object;
}

json_t *entry(json_t *report, size_t event, size_t index)
{
	json_t *events = json_object_get(report, "events");
	json_t *profile = json_object_get(json_array_get(events, event), "profile");

	return json_array_get(profile, index);
}

const char *text(json_t *object, const char *name)
{
	const char *value = json_string_value(json_object_get(object, name));

	ck_assert_msg(value != NULL, "no text '%s'", name);
	return value;
}

json_int_t number(json_t *object, const char *name)
{
	json_t *value = json_object_get(object, name);

	ck_assert_msg(json_is_integer(value), "no number '%s'", name);
	return json_integer_value(value);
}

double percent(json_t *object)
{
	return json_real_value(json_object_get(object, "percent"));
}
