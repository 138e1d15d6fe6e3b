// SPDX-License-Identifier: GPL-2.0-only
/* From addresses to functions. */
#include "symbols.h"

int symbols_make(struct symbols *symbols, const struct recording *recording)
{
	*symbols = (struct symbols){ .recording = recording };
	if (objects_make(&symbols->objects, recording))
		return -1;
	return mappings_make(&symbols->mappings, recording);
}

void symbols_free(struct symbols *symbols)
{
	mappings_free(&symbols->mappings);
	objects_free(&symbols->objects);
}

/*
 * The first address of the kernel's part and of the program's is an instruction that
 * was interrupted, the others are where calls return to: the call is before, perhaps the
 * last instruction of its function.
 */
static bool is_return(const struct sample *sample, unsigned int index)
{
	return index && index != sample->kernel_count;
}

struct location symbols_find(struct symbols *symbols, const struct sample *sample,
			     unsigned int index)
{
	uint64_t address = sample->frames[index];
	uint64_t before = is_return(sample, index) && address;
	const struct recorded_mapping *recorded = mappings_find(
		&symbols->mappings, sample->tgid, sample->time, address - before);
	struct location location = {
		.offset = address,
		.is_kernel = is_kernel_address(address),
	};
	struct object *object;
	uint64_t offset, inside;

	if (!recorded)
		return location;
	object = symbols->objects.of_mapping[recorded - symbols->recording->mappings];
	offset = address - recorded->mapping->start + recorded->mapping->offset;
	location.object = object;
	location.symbol =
		object_symbol(&symbols->objects, object, offset - before, &inside);
	location.offset = location.symbol ? inside + before : offset;
	return location;
}

const char *object_name(const struct object *object, bool is_kernel)
{
	if (object)
		return object->name;
	return is_kernel ? "[kernel]" : "[unknown]";
}
