// SPDX-License-Identifier: GPL-2.0-only
/*
 * Find the address ranges of the kernel and its modules in /proc/kallsyms and /proc/modules. These
 * files show zeros to users who may not see kernel addresses (kptr_restrict).
 */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data_write.h"
#include "../common/array.h"
#include "../common/errors.h"
#include "kernel.h"

FILE *kernel_open(const char *root, const char *name)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s%s", root, name);
	return fopen(path, "re");
}

bool kernel_parse_symbol(char *line, uint64_t *address, char *type, char **name)
{
	char *end, *module;

	*address = strtoull(line, &end, 16);
	if (end == line || end[0] != ' ' || !end[1] || end[2] != ' ')
		return false;
	*type = end[1];
	*name = end + 3;
	module = strpbrk(*name, "\t\n");
	if (module)
		*module = '\0';
	return true;
}

static void fill_range(struct kernel_range *range, uint64_t start, uint64_t end,
		       const char *module, const char *notes)
{
	range->start = start;
	range->end = end;
	snprintf(range->name, sizeof(range->name), "[%s]", module);
	build_id_of_notes(notes, range->build_id);
}

static struct kernel_range *add_range(struct kernel *kernel)
{
	struct kernel_range *range =
		array_add(&kernel->ranges, &kernel->range_count, sizeof(*range));

	if (!range)
		fail("no memory");
	return range;
}

/*
 * Find the address range of the kernel's own text. /proc/kallsyms has the kernel's symbols in the
 * order of their addresses, so _etext comes after _stext.
 */
static void find_core(struct kernel *kernel, const char *root)
{
	FILE *file = kernel_open(root, "/proc/kallsyms");
	uint64_t address, start = 0, end = 0;
	char *line = NULL, *name, type, notes[PATH_MAX];
	size_t size = 0;

	if (!file)
		return;
	while (!end && getline(&line, &size, file) != -1) {
		if (!kernel_parse_symbol(line, &address, &type, &name))
			continue;
		if (!strcmp(name, "_stext")) {
			start = address;
			if (!start)
				break;
		}
		if (start && !strcmp(name, "_etext"))
			end = address;
	}
	free(line);
	fclose(file);
	if (start >= end)
		return;
	snprintf(notes, sizeof(notes), "%s/sys/kernel/notes", root);
	fill_range(&kernel->core, start, end, "kernel", notes);
}

/*
 * Add the range of the kernel itself. If the range is known from an earlier call, do not read
 * /proc/kallsyms again, because reading it takes long.
 */
static int read_core(struct kernel *kernel, const char *root)
{
	struct kernel_range *range;

	if (!kernel->core.start)
		find_core(kernel, root);
	if (!kernel->core.start)
		return 0;
	range = add_range(kernel);
	if (!range)
		return -1;
	*range = kernel->core;
	return 0;
}

static int read_modules(struct kernel *kernel, const char *root)
{
	FILE *file = kernel_open(root, "/proc/modules");
	char *line = NULL, name[KERNEL_NAME_SIZE - 2], notes[PATH_MAX];
	struct kernel_range *range;
	uint64_t bytes, start;
	size_t size = 0;
	int result = 0;

	if (!file)
		return 0;
	while (!result && getline(&line, &size, file) != -1) {
		/* the fields of a line: name size users used-by state address */
		if (sscanf(line, "%63s %" SCNu64 " %*s %*s %*s %" SCNx64, name, &bytes,
			   &start) != 3 ||
		    !start || start + bytes < start)
			continue;
		snprintf(notes, sizeof(notes),
			 "%s/sys/module/%s/notes/.note.gnu.build-id", root, name);
		range = add_range(kernel);
		if (range)
			fill_range(range, start, start + bytes, name, notes);
		else
			result = -1;
	}
	free(line);
	fclose(file);
	return result;
}

static int by_start(const void *one, const void *other)
{
	const struct kernel_range *a = one, *b = other;

	return a->start < b->start ? -1 : a->start > b->start;
}

/*
 * From Linux 6.4 on, a module's size in /proc/modules includes more than its text, so its range
 * may overlap the next range. Let such a range end where the next range begins.
 */
static void keep_apart(struct kernel *kernel)
{
	for (size_t i = 1; i < kernel->range_count; i++)
		if (kernel->ranges[i - 1].end > kernel->ranges[i].start)
			kernel->ranges[i - 1].end = kernel->ranges[i].start;
}

int kernel_read_ranges(struct kernel *kernel, const char *root)
{
	free(kernel->ranges);
	kernel->ranges = NULL;
	kernel->range_count = 0;
	if (read_core(kernel, root) || read_modules(kernel, root))
		return -1;
	if (kernel->range_count)
		qsort(kernel->ranges, kernel->range_count, sizeof(*kernel->ranges),
		      by_start);
	keep_apart(kernel);
	return 0;
}

void kernel_free(struct kernel *kernel)
{
	free(kernel->ranges);
	*kernel = (struct kernel){ 0 };
}

int kernel_write_mappings(struct kernel *kernel, struct data_writer *writer)
{
	int result = kernel_read_ranges(kernel, "");

	for (size_t i = 0; !result && i < kernel->range_count; i++) {
		const struct kernel_range *range = &kernel->ranges[i];
		struct data_mapping mapping = {
			.start = range->start,
			.end = range->end,
			.flags = DATA_MAPPING_KERNEL,
		};

		result = data_write_mapping(writer, &mapping, range->name,
					    range->build_id);
	}
	return result;
}
