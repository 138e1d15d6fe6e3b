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

static void fill_region(struct kernel_region *region, uint64_t start, uint64_t end,
			const char *module, const char *notes)
{
	region->start = start;
	region->end = end;
	snprintf(region->name, sizeof(region->name), "[%s]", module);
	build_id_of_notes(notes, region->build_id);
}

static struct kernel_region *add_region(struct kernel *kernel)
{
	struct kernel_region *region =
		array_add(&kernel->regions, &kernel->region_count, sizeof(*region));

	if (!region)
		fail("no memory");
	return region;
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
	fill_region(&kernel->core, start, end, "kernel", notes);
}

/*
 * Add the region of the kernel itself. If the region is known from an earlier call, do not read
 * /proc/kallsyms again, because reading it takes long.
 */
static int read_core(struct kernel *kernel, const char *root)
{
	struct kernel_region *region;

	if (!kernel->core.start)
		find_core(kernel, root);
	if (!kernel->core.start)
		return 0;
	region = add_region(kernel);
	if (!region)
		return -1;
	*region = kernel->core;
	return 0;
}

static int read_modules(struct kernel *kernel, const char *root)
{
	FILE *file = kernel_open(root, "/proc/modules");
	char *line = NULL, name[KERNEL_NAME_SIZE - 2], notes[PATH_MAX];
	struct kernel_region *region;
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
		region = add_region(kernel);
		if (region)
			fill_region(region, start, start + bytes, name, notes);
		else
			result = -1;
	}
	free(line);
	fclose(file);
	return result;
}

static int by_start(const void *one, const void *other)
{
	const struct kernel_region *a = one, *b = other;

	return a->start < b->start ? -1 : a->start > b->start;
}

/*
 * From Linux 6.4 on, a module's size in /proc/modules includes more than its text, so its region
 * may overlap the next region. Let such a region end where the next region begins.
 */
static void keep_apart(struct kernel *kernel)
{
	for (size_t i = 1; i < kernel->region_count; i++)
		if (kernel->regions[i - 1].end > kernel->regions[i].start)
			kernel->regions[i - 1].end = kernel->regions[i].start;
}

int kernel_read_regions(struct kernel *kernel, const char *root)
{
	free(kernel->regions);
	kernel->regions = NULL;
	kernel->region_count = 0;
	if (read_core(kernel, root) || read_modules(kernel, root))
		return -1;
	if (kernel->region_count)
		qsort(kernel->regions, kernel->region_count, sizeof(*kernel->regions),
		      by_start);
	keep_apart(kernel);
	return 0;
}

void kernel_free(struct kernel *kernel)
{
	free(kernel->regions);
	*kernel = (struct kernel){ 0 };
}

int kernel_write_mappings(struct kernel *kernel, struct data_writer *writer)
{
	int result = kernel_read_regions(kernel, "");

	for (size_t i = 0; !result && i < kernel->region_count; i++) {
		const struct kernel_region *region = &kernel->regions[i];
		struct data_mapping mapping = {
			.start = region->start,
			.end = region->end,
			.flags = DATA_MAPPING_KERNEL,
		};

		result = data_write_mapping(writer, &mapping, region->name,
					    region->build_id);
	}
	return result;
}
