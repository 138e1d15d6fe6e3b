// SPDX-License-Identifier: GPL-2.0-only
/* Objects: programs, libraries and parts of the kernel. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../common/errors.h"
#include "../common/sum.h"
#include "kernel_symbols.h"
#include "object.h"

#define NS_PER_SECOND 1000000000ull

static int compare(const struct recorded_mapping *a, const struct recorded_mapping *b)
{
	int order = strcmp(a->path, b->path);

	if (!order)
		order = strcmp(a->build_id, b->build_id);
	if (!order)
		order = (a->mapping->inode > b->mapping->inode) -
			(a->mapping->inode < b->mapping->inode);
	if (!order)
		order = (int)(a->mapping->flags & DATA_MAPPING_KERNEL) -
			(int)(b->mapping->flags & DATA_MAPPING_KERNEL);
	return order;
}

static int compare_pointers(const void *one, const void *other)
{
	const struct recorded_mapping *const *a = one, *const *b = other;

	return compare(*a, *b);
}

static const char *shown_name(const char *path)
{
	const char *slash = *path == '/' ? strrchr(path, '/') : NULL;

	if (slash && slash[1])
		return slash + 1;
	return *path ? path : "[anonymous]";
}

static void fill(struct object *object, const struct recorded_mapping *recorded)
{
	object->path = recorded->path;
	object->name = shown_name(recorded->path);
	object->build_id = recorded->build_id;
	object->inode = recorded->mapping->inode;
	object->is_kernel = recorded->mapping->flags & DATA_MAPPING_KERNEL;
}

/*
 * Make one object for each file and for each part of the kernel, even if it has several mappings.
 * The mappings of one object are adjacent in @sorted, and compare() returns 0 for any two of them.
 */
static void fill_all(struct object_list *list, const struct recording *recording,
		     const struct recorded_mapping **sorted)
{
	for (size_t i = 0; i < recording->mapping_count; i++) {
		if (!i || compare(sorted[i - 1], sorted[i]))
			fill(&list->objects[list->count++], sorted[i]);
		list->of_mapping[sorted[i] - recording->mappings] =
			&list->objects[list->count - 1];
	}
}

int objects_make(struct object_list *list, const struct recording *recording)
{
	size_t count = recording->mapping_count;
	const struct recorded_mapping **sorted = calloc(count + 1, sizeof(*sorted));

	*list = (struct object_list){ .root = "" };
	list->objects = calloc(count + 1, sizeof(*list->objects));
	list->of_mapping = calloc(count + 1, sizeof(struct object *));
	if (!sorted || !list->objects || !list->of_mapping) {
		free(sorted);
		return -1;
	}
	if (recording->machine && recording->end)
		list->recorded_until =
			sum(recording->machine->time, recording->end->duration);
	for (size_t i = 0; i < count; i++)
		sorted[i] = &recording->mappings[i];
	qsort(sorted, count, sizeof(*sorted), compare_pointers);
	fill_all(list, recording, sorted);
	free(sorted);
	return 0;
}

void objects_free(struct object_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		program_free(&list->objects[i].program);
	free(list->objects);
	free(list->of_mapping);
	kernel_free(&list->kernel);
	symbol_table_free(&list->kernel_symbols);
	*list = (struct object_list){ 0 };
}

static int compare_objects(const struct object *a, const struct object *b)
{
	int order = strcmp(a->path, b->path);

	if (!order)
		order = strcmp(a->build_id, b->build_id);
	if (!order)
		order = (a->inode > b->inode) - (a->inode < b->inode);
	return order ? order : a->is_kernel - b->is_kernel;
}

/* Returns true if the kernel or a module has another address in @recording than in @kernel. */
static bool has_moved(const struct recording *recording, const struct kernel *kernel)
{
	size_t found = 0;

	for (size_t i = 0; i < recording->mapping_count; i++) {
		const struct recorded_mapping *recorded = &recording->mappings[i];
		const struct kernel_range *range = &kernel->ranges[found];

		if (!(recorded->mapping->flags & DATA_MAPPING_KERNEL))
			continue;
		if (found++ == kernel->range_count ||
		    range->start != recorded->mapping->start ||
		    strcmp(range->name, recorded->path))
			return true;
	}
	return found != kernel->range_count;
}

static void take_over(struct object *object, struct object *earlier)
{
	object->is_looked_at = earlier->is_looked_at;
	object->is_known = earlier->is_known;
	object->range = earlier->range;
	object->program = earlier->program;
	earlier->is_known = false;
	earlier->program = (struct program){ 0 };
}

/* Both lists are sorted in the order of compare_objects(), so walk through them together. */
void objects_take_over(struct object_list *list, const struct recording *recording,
		       struct object_list *earlier)
{
	bool keeps_kernel = earlier->kernel_is_read &&
			    !has_moved(recording, &earlier->kernel);
	size_t next = 0;
	int order;

	for (size_t i = 0; i < list->count; i++) {
		struct object *object = &list->objects[i];

		order = -1;
		while (next < earlier->count &&
		       (order = compare_objects(&earlier->objects[next], object)) < 0)
			next++;
		if (!order && (keeps_kernel || !object->is_kernel))
			take_over(object, &earlier->objects[next]);
	}
	if (!keeps_kernel)
		return;
	list->kernel_is_read = true;
	list->kernel = earlier->kernel;
	list->kernel_symbols = earlier->kernel_symbols;
	earlier->kernel_is_read = false;
	earlier->kernel = (struct kernel){ 0 };
	earlier->kernel_symbols = (struct symbol_table){ 0 };
}

static bool is_other_build(const struct object *object, const char *build_id)
{
	if (!*object->build_id || !strcmp(object->build_id, build_id))
		return false;
	warn_user("'%s' is not the one that was recorded (build-id %s, now %s): its "
		  "symbols are left out",
		  object->path, object->build_id, *build_id ? build_id : "none");
	return true;
}

/*
 * Returns true if @object has no build-id, and its file has been changed or replaced since the
 * recording.
 */
static bool is_other_file(const struct object_list *list, const struct object *object,
			  int fd)
{
	struct stat status;
	uint64_t changed;

	if (*object->build_id)
		return false;
	if (fstat(fd, &status))
		return true;
	changed = (uint64_t)status.st_mtim.tv_sec * NS_PER_SECOND +
		  (uint64_t)status.st_mtim.tv_nsec;
	if ((!object->inode || object->inode == status.st_ino) &&
	    (!list->recorded_until || changed <= list->recorded_until))
		return false;
	warn_user("'%s' is not the one that was recorded: its symbols are left out",
		  object->path);
	return true;
}

/*
 * Open regular files only: the path comes from the recording, and opening a device could
 * have side effects.
 */
static int open_regular(const char *path)
{
	struct stat status;

	if (stat(path, &status))
		return -1;
	if (!S_ISREG(status.st_mode)) {
		errno = ENOEXEC;
		return -1;
	}
	return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
}

static void look_at_file(struct object_list *list, struct object *object)
{
	char build_id[BUILD_ID_SIZE];
	int fd = open_regular(object->path);

	if (fd == -1) {
		warn_user("cannot read '%s': %s; its symbols are left out", object->path,
			  strerror(errno));
		return;
	}
	if (!build_id_of_fd(fd, build_id))
		warn_user("'%s' is not a program: its symbols are left out",
			  object->path);
	else if (!is_other_build(object, build_id) && !is_other_file(list, object, fd))
		object->is_known =
			!program_read(&object->program, fd, object->path, NULL);
	close(fd);
}

/*
 * Read pfmon's own vdso. All processes of the same width (32 or 64 bits) have the same vdso.
 */
static void look_at_vdso(struct object *object)
{
	char build_id[BUILD_ID_SIZE];
	size_t size = 0;
	const void *image = vdso_image(&size);
	int fd;

	build_id_of_vdso(build_id);
	if (!image || !*build_id || strcmp(object->build_id, build_id))
		return;
	fd = memfd_create("vdso", MFD_CLOEXEC);
	if (fd == -1)
		return;
	if (write(fd, image, size) == (ssize_t)size)
		object->is_known = !program_read(&object->program, fd, "[vdso]", NULL);
	close(fd);
}

static const struct kernel_range *find_range(const struct kernel *kernel,
					     const char *name)
{
	for (size_t i = 0; i < kernel->range_count; i++)
		if (!strcmp(kernel->ranges[i].name, name))
			return &kernel->ranges[i];
	return NULL;
}

static void look_at_kernel(struct object_list *list, struct object *object)
{
	if (!list->kernel_is_read) {
		list->kernel_is_read = true;
		if (!kernel_read_ranges(&list->kernel, list->root))
			kernel_symbols_read(&list->kernel_symbols, list->root);
		if (!list->kernel.range_count)
			warn_user("the kernel does not show its symbols: %ssee "
				  "kptr_restrict in proc(5)",
				  geteuid() ? "run as root, or " : "");
	}
	object->range = find_range(&list->kernel, object->path);
	object->is_known = object->range &&
			   !is_other_build(object, object->range->build_id);
}

static void look_at(struct object_list *list, struct object *object)
{
	object->is_looked_at = true;
	if (object->is_kernel)
		look_at_kernel(list, object);
	else if (!strcmp(object->path, "[vdso]"))
		look_at_vdso(object);
	else if (*object->path == '/' && strncmp(object->path, "//", 2))
		look_at_file(list, object);
}

static struct symbol *kernel_symbol(const struct object_list *list,
				    const struct object *object, uint64_t offset,
				    uint64_t *inside)
{
	const struct kernel_range *range = object->range;
	uint64_t address = range->start + offset;
	struct symbol *symbol;

	if (offset >= range->end - range->start)
		return NULL;
	symbol = symbol_table_find(&list->kernel_symbols, address);
	if (!symbol || symbol->address < range->start)
		return NULL;
	*inside = address - symbol->address;
	return symbol;
}

struct symbol *object_symbol(struct object_list *list, struct object *object,
			     uint64_t offset, uint64_t *inside)
{
	if (!object->is_looked_at)
		look_at(list, object);
	if (!object->is_known)
		return NULL;
	if (object->is_kernel)
		return kernel_symbol(list, object, offset, inside);
	return program_find(&object->program, offset, inside);
}

/*
 * Returns LINK_UNKNOWN for the kernel. On arm64 the kernel has no unwinding tables; on POWER its
 * tables are in vmlinux, which pfmon does not read.
 */
enum link_state object_link(struct object_list *list, struct object *object,
			    uint64_t offset)
{
	if (!object->is_looked_at)
		look_at(list, object);
	if (!object->is_known || object->is_kernel)
		return LINK_UNKNOWN;
	return program_link(&object->program, offset);
}
